"""A query in SQL is one statement that reads, as DuckDB's own parser sees it.

DuckDB runs whatever it is given, with all rights of who runs it: a query that was copied from somewhere could write
files, send them away or load code. So the text is parsed before it is run, and anything but a single SELECT (also as
WITH, FROM or VALUES) is refused, and with it COPY, ATTACH, PRAGMA, SET, CALL, EXPORT, INSTALL and LOAD. A SELECT can do
something too, by a function in the place of a table (enable_logging, postgres_execute): those that read are known by
name, and no other is called. Files of this machine stay readable: a query names the people's own.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from geopriv.errors import InvalidParameter

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_FILES = "csv csv_auto json json_auto json_objects json_objects_auto ndjson ndjson_auto ndjson_objects parquet xlsx"
_EFFECTS = {"getenv", "write_log", "nextval", "setseed"}  # what the environment holds, and what is remembered
_TABLES = {
    *(f"read_{kind}" for kind in _FILES.split()),
    *("parquet_scan", "sqlite_scan", "postgres_scan", "iceberg_scan", "delta_scan"),
    *("range", "generate_series", "unnest", "glob", "json_each", "json_tree"),
}


def require_reading(connection: DuckDBPyConnection, query: str) -> None:
    """Refuse a query that is not one statement that reads; nothing of it is run.

    Raises:
        InvalidParameter: saying what is wrong.
    """
    row = connection.execute("SELECT json_serialize_sql(?::VARCHAR, skip_null := true)", [query]).fetchone()
    assert row is not None
    parsed = json.loads(row[0])
    if parsed["error"] and parsed["error_type"] == "parser":
        raise InvalidParameter(f"The query cannot be run: {parsed['error_message'].splitlines()[0]}.")
    if parsed["error"] or len(parsed["statements"]) != 1:
        raise InvalidParameter(
            "The query must be one statement that reads (SELECT, WITH, FROM or VALUES), and nothing else: no second "
            "one behind it, and none that writes, opens, sets or loads something."
        )
    tables, others = _functions(parsed["statements"][0])
    for name in tables:
        if name not in _TABLES:
            known = ", ".join(sorted(_TABLES))
            raise InvalidParameter(f"The query may not take rows from {name}(), but from tables, files and {known}.")
    for name in others:
        if name in _EFFECTS:
            raise InvalidParameter(f"The query may not call {name}(), which does more than read.")


def _functions(tree: Any) -> tuple[list[str], list[str]]:
    """The functions that stand in the place of tables, anywhere in a query, and all others."""
    waiting = [tree]
    tables: list[str] = []
    others: list[str] = []
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting += node
        elif isinstance(node, dict):
            waiting += node.values()
            if node.get("type") == "TABLE_FUNCTION":
                tables.append(str(node["function"]["function_name"]).lower())
            elif "function_name" in node:
                others.append(str(node["function_name"]).lower())
    return tables, others
