"""Where people's values come from: files, tables in memory and queries, read in batches at constant memory."""

from geopriv.reports.engines.arrow.files import Data, batches
from geopriv.reports.engines.duckdb.sql import Sql
from geopriv.reports.engines.reading import Reading

__all__ = ["Data", "Reading", "Sql", "batches"]
