"""The engine that reads, draws and counts by Spark."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from geopriv.reports.drawing import Order, Privatized, columns_of, wanted
from geopriv.reports.engines.base import are_paths, is_frame
from geopriv.reports.engines.duckdb.sql import Sql
from geopriv.reports.engines.reading import Reading
from geopriv.reports.engines.spark import frames
from geopriv.reports.engines.spark.files import LINES, TEXTS, people_in, reports_in, write_reports
from geopriv.reports.engines.spark.queries import rows_of
from geopriv.reports.engines.spark.session import silent_session
from geopriv.reports.engines.spark.told import told
from geopriv.reports.tallies import Tally
from geopriv.spaces.checks import invalid
from geopriv.surveys.design import Design

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True)
class Spark:
    """Reads frames, files and queries in Spark's SQL, and writes folders of Parquet files.

    Args:
        session: that does the work; by default a frame's own, or one that is started and logs nothing.
        master: where a session that is started runs: "local[4]", "spark://host:7077".
        checkpoint: the folder of such a session in which reports of people without names are kept once drawn.
    """

    session: SparkSession | None = field(default=None, repr=False)
    master: str | None = None
    checkpoint: str | None = None

    def takes(self, data: object) -> bool:
        """Frames, paths, and queries without a database of DuckDB's."""
        return is_frame(data) or are_paths(data) or (isinstance(data, Sql) and data.database is None)

    def privatize(self, people: Any, order: Order) -> Privatized:
        """Reports are drawn where rows are read; no value is sent from one machine to another."""
        if order.output.endswith(LINES):
            rule = "a folder of Parquet files, which is what Spark writes here"
            raise invalid("privatize", "output", rule, order.output)
        session = self._session(people)
        with told():
            rows = _frame(session, people, lambda path: people_in(session, str(path)))
            if isinstance(people, Sql) or str(people).lower().endswith(TEXTS):
                columns = wanted(order.design, columns_of(order.design, order.person))
                Reading(columns).require_header("The table", rows.columns)
            return write_reports(session, rows, order)

    def tally(self, reports: Any, design: Design, progress: Callable[[int], None]) -> Tally:
        """Where the reports lie; one small row a partition comes to the driver. Of one id the least report counts."""
        session = self._session(reports)
        with told():
            found = _frame(session, reports, lambda paths: reports_in(session, list(map(str, paths))))
            return frames.tally(found, design)

    def _session(self, data: Any) -> SparkSession:
        if is_frame(data):
            own: SparkSession = data.sparkSession
            return own
        return self.session or silent_session(self.master, self.checkpoint)


def _frame(session: SparkSession, data: Any, read: Callable[[Any], DataFrame]) -> DataFrame:
    """A frame as it is, the rows of a query, or of paths."""
    if is_frame(data):
        frame: DataFrame = data
        return frame
    return rows_of(session, data.query) if isinstance(data, Sql) else read(data)
