"""Rows from a query in SQL, run by DuckDB."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from geopriv.engines.reading import Reading
from geopriv.errors import InvalidParameter

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation, Expression

_EXTENSION = re.compile(r"install the required extension '(\w+)'|Failed to [a-z ]+ extension \"(\w+)\"")
_PATTERN = re.compile(r"[\[*?]")
_DELIMITERS = {".csv": ",", ".tsv": "\\t", ".csv.gz": ",", ".tsv.gz": "\\t"}
_KNOWN = (*_DELIMITERS, ".parquet", ".json", ".ndjson", ".jsonl", ".json.gz", ".ndjson.gz", ".jsonl.gz")
# names in a query are of tables and files, never of variables of this program
_CONFIG: dict[str, str | bool | int | float | list[str]] = {"python_enable_replacements": False}


@dataclass(frozen=True)
class Sql:
    """A query whose rows are people.

    Args:
        query: in SQL, as DuckDB speaks it: "select income from 'people.parquet' where age >= 18".
        database: a DuckDB file whose tables the query may name; it is opened for reading only.
    """

    query: str
    database: str | os.PathLike[str] | None = None


def file_query(path: str | os.PathLike[str]) -> Sql:
    """The query for a file, or for all files that fit a pattern such as "people/*.parquet".

    Values in a CSV stay texts, which are judged as by the other engines: DuckDB would guess their types from some of
    them, and stop at the first that is of another. For the same reason JSON is looked through before it is read.

    Raises:
        InvalidParameter: where there is no such file, and for one whose name does not say what is in it.
    """
    name = os.fspath(path)
    if os.path.isdir(name):
        raise InvalidParameter(f"DuckDB reads files: name those in {name!r} by a pattern, such as folder/*.parquet.")
    if not os.path.exists(name) and not _PATTERN.search(name) and "://" not in name:
        raise InvalidParameter(f"There is no file {name!r}.")
    kind = next((end for end in _KNOWN if name.lower().endswith(end)), None)
    if kind is None:
        known = ", ".join(_KNOWN)
        raise InvalidParameter(f"The file {name} must be one of {known}; all else that DuckDB reads takes a query.")
    place = quoted(literal(name) if os.path.exists(name) else name)
    if kind in _DELIMITERS:
        options = f"delim = '{_DELIMITERS[kind]}', quote = '\"', escape = '\"', header = true, all_varchar = true"
        return Sql(f"SELECT * FROM read_csv({place}, {options})")
    if kind == ".parquet":
        return Sql(f"SELECT * FROM {place}")
    return Sql(f"SELECT * FROM read_json({place}, sample_size = -1, convert_strings_to_integers = false)")


def literal(path: str) -> str:
    """A path for DuckDB, to whom brackets, stars and question marks stand for other characters."""
    return _PATTERN.sub(r"[\g<0>]", path)


def quoted(text: str) -> str:
    """A text in SQL."""
    return "'" + text.replace("'", "''") + "'"


def sql_batches(sql: Sql, reading: Reading) -> Iterator[pa.RecordBatch]:
    """Batches of a query's rows, in its order.

    Raises:
        InvalidParameter: where it cannot be run. DuckDB's own words are shown only where it has not looked at any data.
    """
    import duckdb

    problem = ""
    try:
        with connected(sql) as found:
            reading.require_header("The query's result", found.columns)
            kinds = dict(zip(found.columns, map(str, found.types), strict=True))
            chosen = found.select(*(_plain(column, kinds[column]) for column in reading.columns))
            yield from pa.RecordBatchReader.from_stream(chosen)
    except duckdb.Error as error:
        problem = why(error)
    if problem:
        raise InvalidParameter(problem)


def _plain(column: str, kind: str) -> Expression:
    """A column; of JSON, which is what values of several types are, each as a text without its quotes."""
    import duckdb

    if kind != "JSON":
        return duckdb.ColumnExpression(column)
    name = '"' + column.replace('"', '""') + '"'
    return duckdb.SQLExpression(f"{name} ->> '$'").alias(column)


@contextmanager
def connected(sql: Sql, settings: dict[str, str] | None = None) -> Iterator[DuckDBPyRelation]:
    """The result of a query, of which nothing has been read yet.

    Raises:
        InvalidParameter: where there is no such database, and for a statement without rows.
        duckdb.Error: for any other reason; `why` says it without quoting rows.
    """
    import duckdb

    database = ":memory:" if sql.database is None else os.fspath(sql.database)
    if sql.database is not None and not os.path.isfile(database):
        raise InvalidParameter(f"There is no database {database!r}.")
    with duckdb.connect(database, sql.database is not None, _CONFIG | (settings or {})) as connection:
        found = connection.sql(sql.query)
        if found is None:
            raise InvalidParameter("The query must be one that gives rows, such as SELECT.")
        yield found


def why(error: Exception) -> str:
    """What went wrong with a query, in a sentence that quotes no rows."""
    import duckdb

    match error:
        case duckdb.ParserException() | duckdb.CatalogException():
            problem = str(error).splitlines()[0]
        case duckdb.BinderException():
            problem = "it names a column or a function that is not there"
        case duckdb.InvalidInputException():
            problem = "a file is damaged or not what its name says, or a line has another number of values than others"
        case _ if missing := _EXTENSION.search(str(error)):
            name = missing[1] or missing[2]
            problem = f"DuckDB needs its extension {name!r} and cannot fetch it; run INSTALL {name} once"
        case _:
            problem = f"DuckDB stopped with a {type(error).__name__}"
    return f"The query cannot be run: {problem}."
