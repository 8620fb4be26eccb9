"""Queries in SQL, run by DuckDB."""
