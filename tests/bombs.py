"""Parquet files written by hand, page by page, so that they can say of themselves what they like."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

PLAIN, DICTIONARY, DELTA_LENGTH, DELTA_TEXT = 0, 8, 6, 7
BYTES, INT32, INT64 = 6, 1, 2  # types of values


def varint(n: int) -> bytes:
    found = b""
    while n > 127:
        found, n = found + bytes([n & 127 | 128]), n >> 7
    return found + bytes([n])


def thrift(fields: dict[int, Any]) -> bytes:
    """A structure in the compact protocol: numbers of 32 bits are ints, of 64 bits ("long", n)."""
    found, last = b"", 0
    for number, value in fields.items():
        kind, data = _thrift(value)
        found, last = found + bytes([(number - last) << 4 | kind]) + data, number
    return found + b"\0"


def _thrift(value: Any) -> tuple[int, bytes]:
    match value:
        case int():
            return 5, varint(value << 1 if value >= 0 else (-value << 1) - 1)
        case ("long", n):
            return 6, varint(n << 1)
        case bytes():
            return 8, varint(len(value)) + value
        case list():
            kind = _thrift(value[0])[0] if value else 12
            return 9, bytes([0xF0 | kind]) + varint(len(value)) + b"".join(_thrift(part)[1] for part in value)
        case dict():
            return 12, thrift(value)
    raise TypeError


def run(n: int, value: int, width: int = 1) -> bytes:
    """One value n times."""
    return varint(n << 1) + value.to_bytes(width, "little")


def text(value: bytes) -> bytes:
    return struct.pack("<I", len(value)) + value


@dataclass
class Column:
    """Pages of a column, and what its chunk says of them.

    Args:
        kind: of its values.
        values: how many.
        data: the bytes of its data page.
        dictionary: the bytes of its dictionary page, if it has one.
        entries: how many values the dictionary says to have.
        encoding: of the data page.
        packed: whether pages are packed.
        unpacked: what the header of the data page says of its size; by default the truth.
    """

    kind: int
    values: int
    data: bytes
    dictionary: bytes | None = None
    entries: int = 1
    encoding: int = DICTIONARY
    packed: bool = False
    unpacked: int | None = None

    def pages(self) -> tuple[bytes, bytes]:
        first = b""
        if self.dictionary is not None:
            body = self._packed(self.dictionary)
            header = {1: 2, 2: len(self.dictionary), 3: len(body), 7: {1: self.entries, 2: PLAIN}}
            first = thrift(header) + body
        body = self._packed(self.data)
        size = len(self.data) if self.unpacked is None else self.unpacked
        header = {1: 0, 2: size, 3: len(body), 5: {1: self.values, 2: self.encoding, 3: 3, 4: 3}}
        return first, thrift(header) + body

    def _packed(self, data: bytes) -> bytes:
        return pa.compress(data, "zstd", asbytes=True) if self.packed else data


def constant(kind: int, n: int, value: bytes, packed: bool = False) -> Column:
    """One value n times, in a few bytes."""
    return Column(kind, n, b"\x01" + run(n, 0), value, packed=packed)


def listed(n: int, rows: int = 1) -> Column:
    """Lists of ones: the first of n - rows + 1 values, the others of one."""
    repeats = b"".join(run(times, value) for times, value in ((1, 0), (n - rows, 1), (rows - 1, 0)) if times)
    levels = b"".join(struct.pack("<I", len(part)) + part for part in (repeats, run(n, 1)))
    return Column(INT64, n, levels + b"\x01" + run(n, 0), (1).to_bytes(8, "little"))


def file(
    rows: int,
    design: Column,
    name: Column,
    mechanism: Column,
    report: Column,
    size: int | None = None,
    groups: int = 1,
) -> bytes:
    """A file of reports.

    Args:
        rows: how many a row group says to have.
        design, name, mechanism, report: its columns.
        size: what the footer says of the size of every column in memory; by default the truth.
        groups: of rows, all of the same pages.
    """
    paths = [[b"design"], [b"id"], [b"mechanism"], [b"report", b"list", b"element"]]
    found, chunks = b"PAR1", []
    for path, column in zip(paths, (design, name, mechanism, report), strict=True):
        first, data = column.pages()
        start = len(found)
        found += first + data
        said = ("long", len(first + data) if size is None else size)
        about = {1: column.kind, 2: [0, 3, 8], 3: path, 4: 6 if column.packed else 0, 5: ("long", column.values)}
        about |= {6: said, 7: ("long", len(first + data)), 9: ("long", start + len(first))}
        chunks.append({2: ("long", start), 3: about | ({11: ("long", start)} if first else {})})
    schema: list[dict[int, Any]] = [{4: b"schema", 5: 4}]
    schema += [{1: BYTES, 3: 0, 4: path, 6: 0} for path in (b"design", b"id")]
    schema += [{1: INT32, 3: 0, 4: b"mechanism"}, {3: 0, 4: b"report", 5: 1, 6: 3}]
    schema += [{3: 2, 4: b"list", 5: 1}, {1: INT64, 3: 0, 4: b"element"}]
    group = {1: chunks, 2: ("long", len(found)), 3: ("long", rows)}
    footer = thrift({1: 1, 2: schema, 3: ("long", groups * rows), 4: [group] * groups})
    return found + footer + struct.pack("<I", len(footer)) + b"PAR1"
