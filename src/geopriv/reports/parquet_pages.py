"""What a Parquet file of reports would take in memory, told from its headers before anything is decoded.

Reports come from strangers, and few bytes can stand for many: a run of equal values, a text that is named a million
times, zeros that are packed well, a footer that lies. Arrow decodes what the header of each page says, so these headers
are read here, one by one, and a file is refused before a byte of it is unpacked. What is let through takes some
hundred megabytes at most, whatever the file says of itself:

    a page       ≤ 2^26 bytes, and ≤ 2^12 + 2^8 bytes a value     (a report's id takes 36)
    a row group  ≤ 2^24 values a column, and ≤ 2^12 + 2^6 a row   (a list may hold them all)
    a file       ≤ 2^20 rows and one for each byte of it          (a random id takes 16 bytes)
    a footer     ≤ 2^21 bytes

Where a page has a checksum, as those of geopriv have, it is compared on the way, before anything is counted.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import NoneType
from typing import Any, BinaryIO, NamedTuple

import pyarrow.parquet as pq

from geopriv.device.reading import AXES
from geopriv.reports.thrift import (
    BINARY,
    INT,
    LONG,
    STRUCT,
    Fields,
    Long,
    Malformed,
    read_struct,
)

__all__ = ["Bounded", "Malformed", "TooLarge", "opened", "require_bounded"]

_FOOTER = 1 << 21  # bytes: some 5,000 row groups of reports
_CONTAINER = 1 << 14  # parts of a list in a footer
_PAGE = 1 << 26  # bytes of a page, unpacked
_SLACK, _EACH = 1 << 12, 1 << 8  # bytes of a page, and for each value in it
_VALUES = 1 << 24  # of a column in a row group
_LISTED, _LENGTH = 1 << 12, AXES  # of lists in a row group, and for each row
_TOGETHER = 1 << 22  # of row groups that are read at once
_ROWS = 1 << 20  # of a file, apart from one for each byte
_PAGES = 1 << 16  # of a column in a row group
_HEADER = 1 << 16  # bytes of a page's header
_READ = 1 << 20  # bytes at a time, of a page whose checksum is compared
_DATA, _DICTIONARY, _DATA_2 = 0, 2, 3  # kinds of pages
_BODIES = {_DATA: 5, _DICTIONARY: 7, _DATA_2: 8}  # where a page's header says more, by kind
_ENCODINGS = {0, 2, 8}  # plain, and of a dictionary: what all writers use by default, and no other grows in decoding
_TEXT, _FIXED = "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"
_WIDEST = 64  # bytes of a value of fixed length

# where a footer has lists, by numbers of fields, and of what
_LISTS: dict[tuple[int, ...], int] = {
    **dict.fromkeys([(2,), (4,), (5,), (7,), (4, 1), (4, 4), (4, 1, 3, 8), (4, 1, 3, 13)], STRUCT),
    **dict.fromkeys([(4, 1, 3, 2), (4, 1, 3, 17, 2)], INT),
    **dict.fromkeys([(4, 1, 3, 16, 2), (4, 1, 3, 16, 3)], LONG),
    (4, 1, 3, 3): BINARY,
}


class TooLarge(ValueError):
    """A file would take more memory than a file of reports has any use for."""


class Damaged(ValueError):
    """A page is not what its checksum says."""


class Page(NamedTuple):
    """What the header of a page says.

    Args:
        kind: of the page.
        values: how many it holds, missing ones included.
        unpacked: its bytes in memory.
        packed: its bytes in the file.
        encoding: of the values.
        checksum: CRC32 of the bytes in the file; None where the writer told none.
    """

    kind: int
    values: int
    unpacked: int
    packed: int
    encoding: int
    checksum: int | None


class Chunk(NamedTuple):
    """What a footer says of a column in a row group.

    Args:
        start: where its pages begin.
        length: of all of them in the file.
        values: that they hold, missing ones included.
    """

    start: int
    length: int
    values: int


class Bounded(NamedTuple):
    """How a file can be read in little memory.

    Args:
        named: the columns of texts that have a dictionary.
        spans: row groups of which batches may be made together. A batch has so many rows, from as many groups as it
            takes, and each of these may hold a list that is as long as a group may be.
    """

    named: set[str]
    spans: list[list[int]]


def opened(path: Path, **options: Any) -> pq.ParquetFile:
    """A Parquet file of which nothing but the footer has been read.

    Raises:
        TooLarge: for a footer that is.
        OSError: and what Arrow raises, for a damaged one.
    """
    with path.open("rb") as file:
        _footer(file)
    # pre-buffered, the whole file may be read ahead
    limits = {"thrift_string_size_limit": _FOOTER, "thrift_container_size_limit": _CONTAINER}
    return pq.ParquetFile(path, pre_buffer=False, **limits, **options)


def _footer(file: BinaryIO) -> bytes:
    """The bytes of a footer; none where the file has no end."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(size - 8, 0))
    end = file.read(8)
    if end[4:] != b"PAR1":
        return b""
    (length,) = struct.unpack("<I", end[:4])
    if length > _FOOTER:
        raise TooLarge
    file.seek(max(size - 8 - length, 0))
    return file.read(length)


def require_bounded(path: Path, texts: tuple[str, ...], numbers: tuple[str, ...], lists: tuple[str, ...]) -> Bounded:
    """Refuse a file whose columns could take much memory; how it is read otherwise.

    Args:
        path: of the file.
        texts: columns that may hold texts, or else something of a fixed length.
        numbers: columns of values of a fixed length.
        lists: columns of lists of such values.

    Raises:
        TooLarge: for sizes beyond those above.
        Malformed: for columns that are missing, doubled or of another shape, and for pages of another kind.
        Damaged: for a page that its checksum does not fit.
        OSError: and what Arrow raises, for a damaged file.
    """
    with opened(path) as parquet, path.open("rb") as file:
        columns = {name: _leaf(parquet, name, name in texts, name in lists) for name in (*texts, *numbers, *lists)}
        groups, named = list(_groups(_footer(file))), set()
        if sum(rows for rows, _ in groups) > _ROWS + path.stat().st_size:
            raise TooLarge
        for rows, chunks in groups:
            if len(chunks) != len(parquet.schema):
                raise Malformed
            if any(chunks[columns[name]].values != rows for name in columns if name not in lists):
                raise Malformed
            if any(chunks[columns[name]].values > _LISTED + _LENGTH * rows for name in lists):
                raise TooLarge
            for name, index in columns.items():
                kinds = {page.kind for page in _pages(file, chunks[index])}
                named |= {name} if name in texts and _DICTIONARY in kinds else set()
    return Bounded(named, _spans([max(chunk.values for chunk in chunks) for _, chunks in groups]))


def _spans(sizes: list[int]) -> list[list[int]]:
    """Row groups one after another, as long as they hold few values together."""
    spans: list[list[int]] = []
    together = 0
    for k, size in enumerate(sizes):
        if not spans or together + size > _TOGETHER:
            spans.append([])
            together = 0
        spans[-1].append(k)
        together += size
    return spans


def _groups(footer: bytes) -> Iterator[tuple[int, list[Chunk]]]:
    """How many rows each row group has, and its columns."""
    try:
        fields, _ = read_struct(footer, 0, _LISTS, _CONTAINER)
        if sum(group[3] for group in fields[4]) != fields[3]:
            raise Malformed
        for group in fields[4]:
            yield _long(group[3]), [_chunk(column) for column in group[1]]
    except (KeyError, TypeError, IndexError):
        raise Malformed from None


def _chunk(column: Fields) -> Chunk:
    about = column[3]
    if 1 in column or 8 in column:  # in another file, or encrypted
        raise Malformed
    first, named = _long(about[9]), about.get(11)
    start = named if type(named) is Long and 0 < named < first else first
    return Chunk(start, _long(about[7]), _long(about[5]))


def _long(value: Any) -> int:
    if type(value) is not Long or value < 0:
        raise Malformed
    return int(value)


def _leaf(parquet: pq.ParquetFile, name: str, is_text: bool, is_list: bool) -> int:
    """The place of a column that holds single values, or lists of them."""
    leaves = [(k, parquet.schema.column(k)) for k in range(len(parquet.schema))]
    mine = [(k, leaf) for k, leaf in leaves if leaf.path.split(".")[0] == name]
    if len(mine) != 1 or parquet.schema_arrow.names.count(name) != 1:
        raise Malformed
    ((index, leaf),) = mine
    if leaf.max_repetition_level > is_list or leaf.max_definition_level > (3 if is_list else 1):
        raise Malformed
    if (leaf.physical_type == _TEXT and not is_text) or (leaf.physical_type == _FIXED and leaf.length > _WIDEST):
        raise Malformed
    return index


def _pages(file: BinaryIO, chunk: Chunk) -> Iterator[Page]:
    """The pages of a column in a row group, each within its bounds."""
    if not chunk.values:
        return  # nobody reads its pages
    at, end, values = chunk.start, chunk.start + chunk.length, 0
    for _ in range(_PAGES):
        if at >= end:
            break
        page, length = _page(file, at)
        _require_small(page)
        _require_checksum(file, at + length, page)
        values += page.values if page.kind != _DICTIONARY else 0
        at += length + page.packed
        yield page
    if values > _VALUES:
        raise TooLarge
    # Arrow reads on until it has seen as many values as the footer says: no page may lie beyond those
    if at != end or values != chunk.values:
        raise Malformed


def _require_small(page: Page) -> None:
    if min(page.values, page.unpacked, page.packed) < 0 or page.encoding not in _ENCODINGS:
        raise Malformed
    if page.values > _VALUES or page.unpacked > min(_PAGE, _SLACK + _EACH * page.values):
        raise TooLarge
    if page.kind == _DICTIONARY and 4 * page.values > page.unpacked:  # an entry has four bytes or more
        raise Malformed


def _require_checksum(file: BinaryIO, at: int, page: Page) -> None:
    if page.checksum is None:
        return
    found, left = 0, page.packed
    file.seek(at)
    while left > 0 and (data := file.read(min(left, _READ))):
        found, left = zlib.crc32(data, found), left - len(data)
    if left or found != page.checksum & 0xFFFFFFFF:  # which is written as a number with a sign
        raise Damaged


def _page(file: BinaryIO, at: int) -> tuple[Page, int]:
    """The header at a place in a file, and its length."""
    for size in (1 << 10, _HEADER):
        file.seek(at)
        data = file.read(size)
        try:
            fields, length = read_struct(data, 0, {}, 0)
            kind = fields[1]
            body = fields[_BODIES[kind]]
            page = Page(kind, body[1], fields[2], fields[3], body[4 if kind == _DATA_2 else 2], fields.get(4))
        except IndexError:
            continue  # the header is longer
        except (KeyError, TypeError):
            raise Malformed from None
        if all(type(number) is int for number in page[:-1]) and type(page.checksum) in (int, NoneType):
            return page, length
        raise Malformed
    raise Malformed
