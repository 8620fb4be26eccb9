"""People → reports → counts: files, ids, and engines (Arrow, DuckDB, Spark) behind two verbs."""
