"""Rows from a query in SQL, run by DuckDB."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

from geopriv.engines.reading import Reading
from geopriv.errors import InvalidParameter

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


def sql_batches(sql: Sql, reading: Reading) -> Iterator[pa.RecordBatch]:
    """Batches of a query's rows, in its order.

    Raises:
        InvalidParameter: where it cannot be run. DuckDB's own words are shown only where it has not looked at any data.
    """
    import duckdb

    database = ":memory:" if sql.database is None else os.fspath(sql.database)
    if sql.database is not None and not os.path.isfile(database):
        raise InvalidParameter(f"There is no database {database!r}.")
    problem = ""
    try:
        with duckdb.connect(database, sql.database is not None, _CONFIG) as connection:
            found = connection.sql(sql.query)
            if found is None:
                raise InvalidParameter("The query must be one that gives rows, such as SELECT.")
            reading.require("The query's result", found.columns)
            chosen = found.select(*(duckdb.ColumnExpression(column) for column in reading.columns))
            yield from pa.RecordBatchReader.from_stream(chosen)
    except (duckdb.ParserException, duckdb.CatalogException) as error:
        problem = str(error).splitlines()[0]
    except duckdb.BinderException:
        problem = "it names a column or a function that is not there"
    except duckdb.Error as error:
        problem = f"DuckDB stopped with a {type(error).__name__}"
    if problem:
        raise InvalidParameter(f"The query cannot be run: {problem}.")
