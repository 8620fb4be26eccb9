"""The engine that reads and counts by DuckDB."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

from geopriv.errors import InvalidParameter
from geopriv.reports.drawing import Order, Privatized
from geopriv.reports.engines.base import are_paths, report_files
from geopriv.reports.engines.duckdb.counting import reports_query, tally_rows
from geopriv.reports.engines.duckdb.sql import Sql, file_query, sql_batches
from geopriv.reports.engines.local import privatize_rows
from geopriv.reports.tallies import Tally, require_reports
from geopriv.surveys.design import Design


@dataclass(frozen=True)
class DuckDB:
    """Reads what a query gives, and files, also by patterns such as "people/*.parquet".

    Args:
        extensions: whether files may need extensions, which are fetched and loaded; a query (`Sql`) says it itself.
    """

    extensions: bool = False

    def takes(self, data: object) -> bool:
        """Queries and paths."""
        return isinstance(data, Sql) or are_paths(data)

    def privatize(self, people: Any, order: Order) -> Privatized:
        """Rows come in the order of the query, in batches."""
        _require_duckdb()
        sql = people if isinstance(people, Sql) else replace(file_query(people), extensions=self.extensions)
        return privatize_rows(lambda reading: sql_batches(sql, reading), order)

    def tally(self, reports: Any, design: Design, progress: Callable[[int], None]) -> Tally:
        """One GROUP BY, of which only counts come back. Of several rows with one id the least counts."""
        _require_duckdb()
        if isinstance(reports, Sql):
            return tally_rows(design, reports)
        files = report_files(reports)
        for file in files:
            if file.is_file():
                require_reports(file)
        return tally_rows(design, reports_query(files))


def _require_duckdb() -> None:
    """Say what is missing: it is large, and only SQL needs it.

    Raises:
        InvalidParameter: where DuckDB is not installed.
    """
    if find_spec("duckdb") is None:
        raise InvalidParameter(
            "Queries and --engine duckdb need DuckDB, which is not installed: pip install 'geopriv[sql]'."
        )
