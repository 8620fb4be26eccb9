"""Rows from a query in SQL, run by DuckDB."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pyarrow as pa

from geopriv.errors import InvalidParameter
from geopriv.reports.engines.duckdb.statements import require_reading
from geopriv.reports.engines.reading import Reading, guarded

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation, Expression

_EXTENSION = re.compile(
    r"""(?:the required|install local|download) extension ['"](\w+)['"]|Install it first using "INSTALL (\w+)"|"""
    r"""requires the extension (\w+) to be loaded|exists in the (\w+) extension"""
)
_PATTERN = re.compile(r"[\[*?]")
_DELIMITERS = {".csv": ",", ".tsv": "\\t", ".csv.gz": ",", ".tsv.gz": "\\t"}
_KNOWN = (*_DELIMITERS, ".parquet", ".json", ".ndjson", ".jsonl", ".json.gz", ".ndjson.gz", ".jsonl.gz")
_SQLITE = b"SQLite format 3\0"  # how such a file begins
# names in a query are of tables and files, never of variables of this program
_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "python_enable_replacements": False,
    "allow_community_extensions": False,
}


@dataclass(frozen=True)
class Sql:
    """A query whose rows are people.

    Args:
        query: in SQL, as DuckDB speaks it: "select income from 'people.parquet' where age >= 18". One statement that
            reads, and nothing else.
        database: whose tables the query may name: a file of DuckDB or SQLite, or the address of a PostgreSQL database
            ("postgres:dbname=people host=…", "postgresql://…"). It is opened for reading only. An address may hold a
            password, so it is shown nowhere.
        extensions: whether DuckDB may fetch extensions from its own host and load those that a query needs, such as
            httpfs for files by address. Without, only what a database needs is loaded, if it is installed.
    """

    query: str
    database: str | os.PathLike[str] | None = field(default=None, repr=False)
    extensions: bool = False


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
        options = f"delim = '{_DELIMITERS[kind]}', quote = '\"', escape = '\"', header = true, skip = 0"
        options += ", all_varchar = true"
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
    return guarded("The query's result", _batches(sql, reading), "DuckDB stopped on its way")


def _batches(sql: Sql, reading: Reading) -> Iterator[pa.RecordBatch]:
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
        InvalidParameter: where there is no such database, and for anything but one statement that reads.
        duckdb.Error: for any other reason; `why` says it without quoting rows.
    """
    import duckdb

    fetched = dict.fromkeys(("autoinstall_known_extensions", "autoload_known_extensions"), sql.extensions)
    with duckdb.connect(":memory:", False, _CONFIG | fetched | (settings or {})) as connection:
        if sql.database is not None:
            for statement in _attach(os.fspath(sql.database), sql.extensions):
                connection.execute(statement)
        connection.execute("SET lock_configuration = true")
        require_reading(connection, sql.query)
        found = connection.sql(sql.query)
        assert found is not None
        yield found


def _attach(database: str, extensions: bool) -> Iterator[str]:
    """The statements that open a database for reading, under the name "given", with what is installed to read it."""
    is_server = database.startswith(("postgres:", "postgresql:"))
    if not is_server and not os.path.isfile(database):
        raise InvalidParameter(f"There is no database {database!r}.")
    is_words = is_server and "://" not in database  # else it is a URI, of which the beginning is a part
    place = database.removeprefix("postgres:") if is_words else database
    if not extensions and (is_server or _is_sqlite(database)):
        yield f"LOAD {'postgres_scanner' if is_server else 'sqlite_scanner'}"
    yield f"ATTACH {quoted(place)} AS given (READ_ONLY{', TYPE postgres' if is_server else ''})"
    yield "USE given"


def _is_sqlite(database: str) -> bool:
    with open(database, "rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE


def why(error: Exception) -> str:
    """What went wrong with a query, in a sentence that quotes no rows."""
    import duckdb

    needed = _EXTENSION.search(str(error))
    match error:
        case _ if needed:
            name = next(filter(None, needed.groups()))
            problem = (
                f"DuckDB needs its extension {name!r}; --allow-extensions (extensions=True) lets it fetch and load it, "
                f"and where there is no network, run INSTALL {name} before"
            )
        case duckdb.ParserException() | duckdb.CatalogException():
            problem = str(error).splitlines()[0]
        case duckdb.BinderException():
            problem = "it names a column or a function that is not there"
        case duckdb.InvalidInputException():
            problem = (
                "a file is damaged or not what its name says, or a line has another number of values than others, as "
                "other separators than commas make it, and commas inside values that are not in quotes"
            )
        case _:
            problem = f"DuckDB stopped with a {type(error).__name__}"
    return f"The query cannot be run: {problem}."
