"""From what a person names to batches of rows: a file, a folder of files, or a table in memory."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from geopriv.errors import InvalidParameter
from geopriv.reports.engines.arrow.delimited import csv_batches, stream_batches
from geopriv.reports.engines.arrow.tables import ipc_batches, parquet_batches, table_batches
from geopriv.reports.engines.reading import Reading, guarded

Reader = Callable[[Path, Reading], Iterator[pa.RecordBatch]]

_READERS: dict[str, Reader] = {
    ".csv": csv_batches,
    ".tsv": csv_batches,
    ".csv.gz": csv_batches,
    ".tsv.gz": csv_batches,
    ".parquet": parquet_batches,
    ".arrow": ipc_batches,
    ".arrows": ipc_batches,
    ".feather": ipc_batches,
    ".ipc": ipc_batches,
}


def batches(data: Any, reading: Reading) -> Iterator[pa.RecordBatch]:
    """Batches of the wanted columns.

    Args:
        data: the path of a CSV, Parquet or Arrow file or of a folder of them, an open file of bytes of a CSV, or a
            table or reader of Arrow or of anything that offers an Arrow stream (pandas, polars, DuckDB).
        reading: which columns; it is told how far the reading has come.

    Raises:
        InvalidParameter: for what cannot be read.
    """
    if isinstance(data, str | os.PathLike):
        yield from _file_batches(_files(Path(data)), reading)
    elif is_stream(data):
        yield from guarded("What was piped in", stream_batches(data, reading))
    else:
        yield from guarded("The table", table_batches(data, reading), "its stream broke off")


def is_stream(data: object) -> bool:
    """Whether it is an open file of bytes."""
    return isinstance(data, io.RawIOBase | io.BufferedIOBase)


def _file_batches(paths: list[Path], reading: Reading) -> Iterator[pa.RecordBatch]:
    sizes = [path.stat().st_size for path in paths]
    for k, path in enumerate(paths):
        if not sizes[k]:
            raise InvalidParameter(f"The file {path} is empty.")
        part = Reading(reading.columns, 0.0, reading.left_out)
        for batch in guarded(f"The file {path}", _READERS[_kind(path)](path, part)):
            reading.share = (sum(sizes[:k]) + (part.share or 0.0) * sizes[k]) / sum(sizes)
            yield batch


def _files(path: Path) -> list[Path]:
    """The file itself, or all in the folder and below it by name, but for hidden ones and those that begin with "_"."""
    if not path.exists():
        raise InvalidParameter(f"There is no file or folder {str(path)!r}.")
    if not path.is_dir():
        return [_known(path)]
    found = sorted(file for file in path.rglob("*") if file.is_file() and not _hidden(file.relative_to(path)))
    if not found:
        raise InvalidParameter(f"There are no files in the folder {str(path)!r}.")
    return [_known(file) for file in found]


def _hidden(path: Path) -> bool:
    return any(part.startswith((".", "_")) for part in path.parts)


def _known(path: Path) -> Path:
    if _kind(path) not in _READERS:
        raise InvalidParameter(f"The file {path} must be one of {', '.join(_READERS)}, to tell what is in it.")
    return path


def _kind(path: Path) -> str:
    """The end of a name that says what is in the file."""
    ends = [suffix.lower() for suffix in path.suffixes[-2:]]
    return "".join(ends) if "".join(ends) in _READERS else "".join(ends[-1:])
