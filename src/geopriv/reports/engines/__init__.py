"""Who does the work, one folder an engine: Arrow in this process, DuckDB in SQL, Spark wherever it runs."""
