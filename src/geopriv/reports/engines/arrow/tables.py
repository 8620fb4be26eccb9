"""Rows from Parquet, Arrow files and streams, and tables in memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from geopriv.reports.engines.reading import BATCH, Reading

_MAGIC = b"ARROW1"  # an Arrow file begins with it, a stream does not
_BUFFER = 1 << 20  # bytes of a column that are read ahead, however long its row group is


def parquet_batches(path: Path, reading: Reading) -> Iterator[pa.RecordBatch]:
    """Batches of a Parquet file, of the wanted columns only."""
    # with pre_buffer the whole file would stay in memory to the end
    with pq.ParquetFile(path, pre_buffer=False, buffer_size=_BUFFER, page_checksum_verification=True) as file:
        reading.require(f"The file {path}", file.schema_arrow.names)
        total, done = file.metadata.num_rows, 0
        for batch in file.iter_batches(BATCH, columns=list(reading.columns)):
            done += batch.num_rows
            reading.share = done / total
            yield batch


def ipc_batches(path: Path, reading: Reading) -> Iterator[pa.RecordBatch]:
    """Batches of an Arrow file or stream; texts in it are checked, since a damaged one could point anywhere."""
    with path.open("rb") as file:
        is_stream = file.read(len(_MAGIC)) != _MAGIC
    opening = pa.ipc.open_stream if is_stream else pa.ipc.open_file
    with pa.OSFile(str(path)) as source:
        names = opening(source).schema.names
    reading.require(f"The file {path}", names)
    wanted = pa.ipc.IpcReadOptions(included_fields=sorted(names.index(column) for column in reading.columns))
    with pa.OSFile(str(path)) as source:
        opened = opening(source, options=wanted)
        count = 0 if is_stream else opened.num_record_batches
        for k, batch in enumerate(opened if is_stream else map(opened.get_batch, range(count)), 1):
            batch.validate(full=True)
            reading.share = source.tell() / source.size() if is_stream else k / count
            yield batch


def table_batches(data: Any, reading: Reading) -> Iterator[pa.RecordBatch]:
    """Batches of whatever offers an Arrow stream: tables and readers of Arrow, pandas, polars and DuckDB."""
    reader = pa.RecordBatchReader.from_stream(data)
    reading.require("The table", reader.schema.names)
    columns = [*reading.columns, *(name for name in reading.perhaps if name in reader.schema.names)]
    total, done = getattr(data, "num_rows", 0), 0
    for batch in reader:
        done += batch.num_rows
        reading.share = done / total if total else None
        yield batch.select(columns)
