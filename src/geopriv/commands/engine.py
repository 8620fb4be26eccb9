"""What `privatize` and `estimate` share: which engine does the work, and with what options."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from geopriv.reports.engines.base import Engine


class EngineName(StrEnum):
    """Who reads and counts: Arrow in this process, DuckDB in SQL, or Spark wherever it runs."""

    ARROW = "arrow"
    DUCKDB = "duckdb"
    SPARK = "spark"


EngineOption = Annotated[
    EngineName | None, typer.Option(help="Who does the work; by default arrow, or duckdb where there is a query.")
]
MasterOption = Annotated[str | None, typer.Option(help="Where Spark runs: local[4], spark://host:7077, yarn, k8s://…")]
DatabaseOption = Annotated[
    str | None,
    typer.Option(help="Of the query, for reading: a DuckDB or SQLite file, or postgres:dbname=… host=…"),
]
ExtensionsOption = Annotated[
    bool, typer.Option("--allow-extensions", help="Let DuckDB fetch and load extensions of its own, from the network.")
]


def choose(
    command: str,
    engine: EngineName | None,
    given: bool,
    query: str | None,
    database: str | None,
    master: str | None,
    checkpoint: str | None = None,
    extensions: bool = False,
) -> Engine:
    """The engine, once its options fit together.

    Raises:
        InvalidParameter: for options of another engine, for neither data nor a query, and for both.
    """
    from geopriv.errors import InvalidParameter
    from geopriv.reports.engines.arrow.engine import Arrow
    from geopriv.reports.engines.duckdb.engine import DuckDB
    from geopriv.reports.engines.spark.engine import Spark
    from geopriv.spaces.checks import invalid

    chosen = engine or (EngineName.ARROW if query is None else EngineName.DUCKDB)
    if given == (query is not None):
        got = "both" if given else "neither"
        raise InvalidParameter(f"geopriv {command} takes a file or folder, or else a --query. Got {got}.")
    if query is not None and chosen is EngineName.ARROW:
        raise invalid(command, "engine", "duckdb or spark, to run a query", str(chosen))
    if database is not None and (query is None or chosen is not EngineName.DUCKDB):
        raise invalid(command, "database", "given with a query that DuckDB runs", "one that is not")
    if extensions and chosen is not EngineName.DUCKDB:
        raise invalid(command, "allow_extensions", "given where DuckDB does the work", str(chosen))
    for option, value in (("master", master), ("checkpoint", checkpoint)):
        if value is not None and chosen is not EngineName.SPARK:
            raise invalid(command, option, "given with --engine spark", value)
    engines: dict[str, Engine] = {
        "arrow": Arrow(),
        "duckdb": DuckDB(extensions),
        "spark": Spark(None, master, checkpoint),
    }
    return engines[chosen]
