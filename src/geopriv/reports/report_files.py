"""Rows of files of reports, Parquet or lines of JSON, in batches that take bounded memory whatever is in the file."""

from __future__ import annotations

import json
import mmap
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from geopriv.errors import InvalidParameter
from geopriv.reports.files import COLUMNS, GROUPED, ID
from geopriv.reports.parquet_pages import (
    Malformed,
    TooLarge,
    opened,
    require_bounded,
)

BATCH = 1 << 16  # rows at a time
BROKEN = (pa.ArrowException, OSError, ValueError, OverflowError)  # what Arrow raises for a damaged file
_BYTES = 1 << 24  # of lines at a time: what JSON makes of them can take twenty times as much
_LONGEST = 1 << 12  # bytes of a line: a report has some 150
_FAR = 1e18  # numbers of a report lie within ±2^53
_LONGEST_TEXT = 64  # bytes of a hash or an id that can be right
_KEYS = frozenset(COLUMNS.names)
_TEXTS = ("design", "id")
# what is wrong with a file of Parquet, by the reason why its rows are none
_WRONG = {
    "too large": "would take too much memory; it was not decoded",
    "malformed": "is none of reports, or written unusually; it was not decoded",
    "truncated": "is damaged, cut off or not what its name says; nothing was counted",
}


def parquet_batches(path: Path) -> Iterator[pa.RecordBatch | str]:
    """Batches, or the reason why they cannot be read: sizes, a file without its end, or without each column once."""
    try:
        columns = _present(path)
        named, spans = require_bounded(path, _TEXTS, _numbers(columns), ("report",))
        with opened(path, read_dictionary=sorted(named)) as file:
            for groups in spans:
                for batch in file.iter_batches(BATCH, row_groups=groups, columns=columns):
                    yield _written_out(batch)
    except FileNotFoundError:
        raise
    except TooLarge:
        yield "too large"
    except Malformed:
        yield "malformed"
    except BROKEN:
        yield "truncated"


def _present(path: Path) -> list[str]:
    """The columns that a file of reports has, or should have."""
    return list(GROUPED.names if "group" in column_names(path) else COLUMNS.names)


def _numbers(columns: list[str]) -> tuple[str, ...]:
    return tuple(name for name in columns if name in ("group", "mechanism"))


def _written_out(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Texts of a dictionary in full, but for those that are too long to be right, which become empty.

    A text in a dictionary may have millions of bytes and stand in every row: as an index it takes no room.
    """
    for place, column in enumerate(batch.columns):
        if isinstance(column, pa.DictionaryArray):
            entries = column.dictionary
            short = pc.less_equal(pc.binary_length(entries), _LONGEST_TEXT)
            kept = pc.if_else(short, entries, pa.scalar(b"", pa.binary()).cast(entries.type))
            plain = pa.DictionaryArray.from_arrays(column.indices, kept).dictionary_decode()
            batch = batch.set_column(place, batch.schema.names[place], plain)
    return batch


def require_sizes(path: Path) -> None:
    """Refuse a Parquet file of reports that would take much memory, for readers that do not look at it first.

    Raises:
        InvalidParameter: naming the file.
    """
    try:
        require_bounded(path, _TEXTS, _numbers(_present(path)), ("report",))
    except FileNotFoundError:
        raise
    except TooLarge:
        raise unreadable(path, "too large") from None
    except Malformed:
        raise unreadable(path, "malformed") from None
    except BROKEN:
        raise unreadable(path, "truncated") from None


def unreadable(path: Path, reason: str) -> InvalidParameter:
    """The error for a file of Parquet of which nothing is counted, by the reason why."""
    return InvalidParameter(f"The file {path} {_WRONG[reason]}.")


def column_names(path: Path) -> list[str]:
    """The names of a Parquet file's columns; none of any other file."""
    try:
        if path.suffix != ".parquet":
            return []
        with opened(path) as file:
            return list(file.schema_arrow.names)
    except FileNotFoundError:
        raise
    except BROKEN:
        return []


def holds_reports(path: Path) -> bool:
    """Whether a file is one of reports, by its columns or its first line. An empty one may become one."""
    if not path.stat().st_size:
        return True
    if path.suffix == ".parquet":
        return column_names(path) in (COLUMNS.names, GROUPED.names)
    first = next(line_batches(path))[0]
    return isinstance(first, dict) and well_formed(first)


def holds_columns(path: Path, columns: Sequence[str]) -> bool:
    """Whether a file has columns of these names, in Parquet or by its first line: then it is one of people."""
    if not path.is_file():
        return False
    if path.suffix == ".parquet":
        return set(columns) <= set(column_names(path))
    with path.open("rb") as file:
        first = file.readline(_LONGEST).decode("utf-8-sig", errors="replace")
    names = {name.strip("\"' \r\n") for name in first.replace("\t", ",").replace(";", ",").split(",")}
    return set(columns) <= names


def line_batches(path: Path) -> Iterator[list[dict[str, Any] | str]]:
    """Rows, or the reason why a line is none. A last line without its end was cut off, whatever it says."""
    rows: list[dict[str, Any] | str] = []
    size = 0
    with path.open("rb") as file:
        while line := file.readline(_LONGEST):
            if line.endswith(b"\n"):
                rows.append(parse_line(line))
            elif len(line) == _LONGEST:
                _skip_line(file.readline)
                rows.append("malformed")
            else:
                rows.append("truncated")
            size += len(line)
            if len(rows) == BATCH or size > _BYTES:
                yield rows
                rows, size = [], 0
    if rows:
        yield rows


def parse_line(line: bytes) -> dict[str, Any] | str:
    """The row of a whole line, or the reason why it is none."""
    if len(line) > _LONGEST:
        return "malformed"
    try:
        row = json.loads(line, parse_float=_number)
    except (ValueError, RecursionError):
        row = None
    return row if isinstance(row, dict) else "malformed"


def _number(text: str) -> int | float:
    """Of what is written with a point or an exponent: 138.0 is a whole number, as the published schemas have it."""
    value = float(text)
    return int(value) if value.is_integer() and abs(value) < _FAR else value


def _skip_line(readline: Callable[[int], bytes]) -> None:
    while (rest := readline(_LONGEST)) and not rest.endswith(b"\n"):
        pass


def require_whole(path: Path) -> None:
    """Refuse a file of lines whose last one was cut off, for readers that would not know.

    Raises:
        InvalidParameter: saying who does.
    """
    with path.open("rb") as file:
        if file.seek(0, os.SEEK_END):
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                raise InvalidParameter(
                    f"The last line of the file {path} was cut off; --engine arrow counts such lines."
                )


def require_short_lines(path: Path) -> None:
    """Refuse a file with a line that is longer than any report, for readers that would take gigabytes for it.

    Raises:
        InvalidParameter: saying who counts such lines.
    """
    size, start = path.stat().st_size, 0
    if not size:
        return
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as lines:
        while start < size:  # from the last end of a line within reach to the next
            end = lines.rfind(b"\n", start, start + _LONGEST)
            if end < 0:
                raise InvalidParameter(
                    f"The file {path} has a line that is longer than any report; --engine arrow counts such lines."
                )
            start = end + 1


def well_formed(row: dict[str, Any]) -> bool:
    """Whether a row has the keys of a report, with or without a group, and under each a value of its type."""
    return (
        row.keys() - {"group"} == _KEYS
        and type(row.get("group", 0)) is int
        and isinstance(row["design"], str)
        and isinstance(row["id"], str)
        and ID.fullmatch(row["id"]) is not None
        and type(row["mechanism"]) is int
        and isinstance(row["report"], list)
        and all(type(part) is int for part in row["report"])
    )
