"""People → reports → counts: files, ids, and engines (Arrow, DuckDB, Spark) behind two verbs."""

from geopriv.reports.drawing import Privatized
from geopriv.reports.files import ReportBatch, write_reports
from geopriv.reports.reader import ReportReader, read_reports
from geopriv.reports.tallies import Tally

__all__ = [
    "Privatized",
    "ReportBatch",
    "ReportReader",
    "Tally",
    "read_reports",
    "write_reports",
]
