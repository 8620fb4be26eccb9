"""The engine that reads by Arrow, in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from geopriv.reports.drawing import Order, Privatized
from geopriv.reports.engines.arrow.files import batches, is_stream
from geopriv.reports.engines.arrow.tables import table_batches
from geopriv.reports.engines.base import are_paths, is_frame, report_files
from geopriv.reports.engines.local import privatize_rows
from geopriv.reports.engines.reading import Reading, guarded
from geopriv.reports.files import COLUMNS
from geopriv.reports.ids import words
from geopriv.reports.reader import Batch, ReportReader, batches_of
from geopriv.reports.report_files import unreadable
from geopriv.reports.tallies import Tally, require_reports
from geopriv.spaces.threads import ahead
from geopriv.surveys.design import Design


@dataclass(frozen=True)
class Arrow:
    """Reads CSV, Parquet and Arrow files, folders of them, and whatever offers an Arrow stream (pandas, polars)."""

    def takes(self, data: object) -> bool:
        """Paths, open files of CSV, and tables in memory."""
        return are_paths(data) or is_stream(data) or (hasattr(data, "__arrow_c_stream__") and not is_frame(data))

    def privatize(self, people: Any, order: Order) -> Privatized:
        """In batches, at constant memory."""
        return privatize_rows(lambda reading: batches(people, reading), order)

    def tally(self, reports: Any, design: Design, progress: Callable[[int], None]) -> Tally:
        """The first report of an id counts. Ids are kept in memory, 16 to 18 bytes each."""
        reader, total = ReportReader(design), Tally(design)
        for judged in reader.fresh(ahead(_batches(reports))):
            total.count(judged.strata, judged.rows, words(judged.ids))
            progress(len(judged.rows))
        total.rejected += reader.rejected
        return total


def _batches(reports: Any) -> Iterator[Batch]:
    """Columns and rows that may be reports, of files or of a table."""
    if not are_paths(reports):
        rows: Iterator[pa.RecordBatch] = table_batches(reports, Reading(tuple(COLUMNS.names), perhaps=("group",)))
        yield from guarded("The table", rows, "its stream broke off")
        return
    for path in report_files(reports):
        require_reports(path)
        for batch in batches_of(path):
            if isinstance(batch, str):  # what was read of it before is not counted either
                raise unreadable(path, batch)
            yield batch
