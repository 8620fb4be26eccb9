"""Rows from CSV, its values left as texts.

Every line of the file is a row: one that is read, one with another number of values than the header (counted as "wrong
number of values"), or none at all, and then the file is refused. For a quote that is never closed swallows the lines
after it without a word, and with them people. Values may therefore not hold line breaks.
"""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pyarrow as pa
import pyarrow.csv

from geopriv.errors import InvalidParameter
from geopriv.reports.engines.reading import RAGGED, Reading

_BLOCK = 1 << 22  # bytes that are parsed at once


def csv_batches(path: Path, reading: Reading) -> Iterator[pa.RecordBatch]:
    """Batches of a CSV (".csv", ".tsv") with a header, packed (".gz") or not; the columns are bytes, or missing."""
    names = [suffix.lower() for suffix in path.suffixes]
    separator, size = "\t" if ".tsv" in names else ",", path.stat().st_size
    with path.open("rb") as file:
        lines = gzip.GzipFile(fileobj=file) if names[-1] == ".gz" else file
        for batch in _line_batches(lines, f"The file {path}", separator, reading):
            reading.share = min(file.tell() / size, 1.0)
            yield batch


def stream_batches(file: IO[bytes], reading: Reading) -> Iterator[pa.RecordBatch]:
    """Batches of a CSV with a header that comes through a pipe: it is read once, and none of it goes to a disk."""
    yield from _line_batches(file, "What was piped in", ",", reading)


def _line_batches(
    file: IO[bytes] | gzip.GzipFile, what: str, separator: str, reading: Reading
) -> Iterator[pa.RecordBatch]:
    lines = _Lines(file)
    head = lines.head()
    _require_header(what, reading, head[0] if head else b"", separator)
    if len(head) == 1:
        return  # without an end of line the parser would not know it for a header
    rows = ragged = 0

    def skip(_: pa.csv.InvalidRow) -> str:
        nonlocal ragged
        ragged += 1
        return "skip"

    for batch in pa.csv.open_csv(
        lines,
        pa.csv.ReadOptions(block_size=_BLOCK, use_threads=False),
        pa.csv.ParseOptions(delimiter=separator, invalid_row_handler=skip, ignore_empty_lines=False),
        pa.csv.ConvertOptions(
            include_columns=list(reading.columns),
            column_types=dict.fromkeys(reading.columns, pa.binary()),  # whatever its encoding
            null_values=[""],
            strings_can_be_null=True,
        ),
    ):
        rows += batch.num_rows
        yield batch
    reading.left_out[RAGGED] += ragged
    if rows + ragged + 1 != lines.count:
        raise InvalidParameter(
            f"{what} has {lines.count:,} lines but {rows + ragged + 1:,} rows: a quote is not closed, "
            "or a value holds a line break."
        )


def _require_header(what: str, reading: Reading, line: bytes, separator: str) -> None:
    try:
        text = line.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = ""
    if not text.strip():
        raise InvalidParameter(f"{what} must begin with a line of column names, in UTF-8.")
    reading.require_header(what, next(csv.reader([text], delimiter=separator)))


class _Lines(io.RawIOBase):
    r"""Bytes on their way to the parser, with a count of lines that end in \n, \r\n or \r."""

    def __init__(self, file: IO[bytes] | gzip.GzipFile) -> None:
        self._file, self._head, self._ends, self._last, self._open = file, b"", 0, b"", False

    def head(self) -> list[bytes]:
        """The first lines, without their ends; the parser will read them again."""
        self._head = self._file.read(_BLOCK)
        return self._head.splitlines()

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if self._head:
            data, self._head = self._head[:size], self._head[size:]
        else:
            data = self._file.read(size)
        if data:
            whole = self._last + data
            # an end of line that comes in two pieces is counted with the second
            self._last = b"\r" if whole.endswith(b"\r") else b""
            ends = whole.count(b"\n")
            if b"\r" in whole:
                ends += whole.count(b"\r") - whole.count(b"\r\n") - len(self._last)
            self._ends += ends
            self._open = not data.endswith((b"\n", b"\r"))
        return data

    @property
    def count(self) -> int:
        """How many lines there were, the last one with or without its end."""
        return self._ends + len(self._last) + self._open
