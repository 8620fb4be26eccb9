"""Where people's values come from: files, tables in memory and queries, read in batches at constant memory."""

from geopriv.reports.engines.duckdb import Sql
from geopriv.reports.engines.files import Data, batches
from geopriv.reports.engines.reading import Reading

__all__ = ["Data", "Reading", "Sql", "batches"]
