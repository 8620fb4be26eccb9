"""Queries in SQL, and files by patterns, read and counted by DuckDB."""
