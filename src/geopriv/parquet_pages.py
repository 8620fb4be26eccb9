"""What a Parquet file of reports would take in memory, told from its headers before anything is decoded.

Reports come from strangers, and few bytes can stand for many: a run of equal values, a text that is named a million
times, zeros that are packed well, a footer that lies. Arrow decodes what the header of each page says, so these headers
are read here, one by one, and a file is refused before a byte of it is unpacked. What is let through takes some
hundred megabytes at most, whatever the file says of itself:

    a page       ≤ 2^26 bytes, and ≤ 2^12 + 2^8 bytes a value     (a report's id takes 36)
    a row group  ≤ 2^24 values a column                           (a list may hold them all)
    a file       ≤ 2^20 rows and one for each byte of it          (a random id takes 16 bytes)
    a footer     ≤ 2^21 bytes
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeAlias

import pyarrow.parquet as pq

_FOOTER = 1 << 21  # bytes: some 5,000 row groups of reports
_CONTAINER = 1 << 14  # parts of a list in a footer
_PAGE = 1 << 26  # bytes of a page, unpacked
_SLACK, _EACH = 1 << 12, 1 << 8  # bytes of a page, and for each value in it
_VALUES = 1 << 24  # of a column in a row group
_ROWS = 1 << 20  # of a file, apart from one for each byte
_PAGES = 1 << 16  # of a column in a row group
_HEADER = 1 << 16  # bytes of a page's header
_DATA, _DICTIONARY, _DATA_2 = 0, 2, 3  # kinds of pages
_BODIES = {_DATA: 5, _DICTIONARY: 7, _DATA_2: 8}  # where a page's header says more, by kind
_ENCODINGS = {0, 2, 8}  # plain, and of a dictionary: what all writers use by default, and no other grows in decoding
_TEXT, _FIXED = "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"
_WIDEST = 64  # bytes of a value of fixed length

Fields: TypeAlias = dict[int, Any]


class TooLarge(ValueError):
    """A file would take more memory than a file of reports has any use for."""


class Malformed(ValueError):
    """A file is not one of reports: columns, or the way they are written, are others."""


class Page(NamedTuple):
    """What the header of a page says.

    Args:
        kind: of the page.
        values: how many it holds, missing ones included.
        unpacked: its bytes in memory.
        packed: its bytes in the file.
        encoding: of the values.
    """

    kind: int
    values: int
    unpacked: int
    packed: int
    encoding: int


def opened(path: Path, **options: Any) -> pq.ParquetFile:
    """A Parquet file of which nothing but the footer has been read.

    Raises:
        TooLarge: for a footer that is.
        OSError: and what Arrow raises, for a damaged one.
    """
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(size - 8, 0))
        end = file.read(8)
    if end[4:] == b"PAR1" and struct.unpack("<I", end[:4])[0] > _FOOTER:
        raise TooLarge
    # pre-buffered, the whole file may be read ahead
    limits = {"thrift_string_size_limit": _FOOTER, "thrift_container_size_limit": _CONTAINER}
    return pq.ParquetFile(path, pre_buffer=False, **limits, **options)


def require_bounded(path: Path, texts: tuple[str, ...], numbers: tuple[str, ...], lists: tuple[str, ...]) -> set[str]:
    """Refuse a file whose columns could take much memory; the columns of texts that have a dictionary.

    Args:
        path: of the file.
        texts: columns that may hold texts, or else something of a fixed length.
        numbers: columns of values of a fixed length.
        lists: columns of lists of such values.

    Raises:
        TooLarge: for sizes beyond those above.
        Malformed: for columns that are missing, doubled or of another shape, and for pages of another kind.
        OSError: and what Arrow raises, for a damaged file.
    """
    with opened(path) as parquet, path.open("rb") as file:
        columns = {name: _leaf(parquet, name, name in texts, name in lists) for name in (*texts, *numbers, *lists)}
        footer, named = parquet.metadata, set()
        groups = [footer.row_group(k) for k in range(footer.num_row_groups)]
        if sum(group.num_rows for group in groups) > _ROWS + path.stat().st_size:
            raise TooLarge
        for group in groups:
            for name, index in columns.items():
                kinds = {page.kind for page in _pages(file, group.column(index))}
                named |= {name} if name in texts and _DICTIONARY in kinds else set()
    return named


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


def _pages(file: BinaryIO, chunk: pq.ColumnChunkMetaData) -> Iterator[Page]:
    """The pages of a column in a row group, each within its bounds."""
    if not chunk.num_values:
        return  # nobody reads its pages
    first, named = chunk.data_page_offset, chunk.dictionary_page_offset
    at = named if named is not None and 0 < named < first else first
    end, values = at + chunk.total_compressed_size, 0
    for _ in range(_PAGES):
        if at >= end:
            break
        page, length = _page(file, at)
        _require_small(page)
        values += page.values if page.kind != _DICTIONARY else 0
        at += length + page.packed
        yield page
    if values > _VALUES:
        raise TooLarge
    # Arrow reads on until it has seen as many values as the footer says: no page may lie beyond those
    if at != end or values != chunk.num_values:
        raise Malformed


def _require_small(page: Page) -> None:
    if min(page.values, page.unpacked, page.packed) < 0 or page.encoding not in _ENCODINGS:
        raise Malformed
    if page.values > _VALUES or page.unpacked > min(_PAGE, _SLACK + _EACH * page.values):
        raise TooLarge
    if page.kind == _DICTIONARY and 4 * page.values > page.unpacked:  # an entry has four bytes or more
        raise Malformed


def _page(file: BinaryIO, at: int) -> tuple[Page, int]:
    """The header at a place in a file, and its length."""
    for size in (1 << 10, _HEADER):
        file.seek(at)
        data = file.read(size)
        try:
            fields, length = _struct(data, 0)
            kind = fields[1]
            body = fields[_BODIES[kind]]
            encoding = body[4 if kind == _DATA_2 else 2]
            return Page(kind, body[1], fields[2], fields[3], encoding), length
        except IndexError:
            continue  # the header is longer
        except (KeyError, TypeError):
            raise Malformed from None
    raise Malformed


def _struct(data: bytes, at: int, depth: int = 0) -> tuple[Fields, int]:
    """The fields of a structure in Thrift's compact protocol by number, and where it ends.

    Of doubled fields and of types that the headers of pages do not have, readers may think differently: refused.
    """
    fields: Fields = {}
    number = 0
    while head := data[at]:
        kind, at = head & 15, at + 1
        if head >> 4:
            number += head >> 4
        else:
            number, at = _integer(data, at)
        if number in fields or depth > 2:
            raise Malformed
        fields[number], at = _value(data, at, kind, depth)
    return fields, at + 1


def _value(data: bytes, at: int, kind: int, depth: int) -> tuple[Any, int]:
    if kind in (1, 2):
        return kind == 1, at
    if kind == 5:
        return _integer(data, at)
    if kind in (4, 6):  # of another width: none of those that are asked for
        return None, _integer(data, at)[1]
    if kind == 8:
        length, at = _varint(data, at)
        return None, at + length
    if kind == 12:
        return _struct(data, at, depth + 1)
    raise Malformed


def _integer(data: bytes, at: int) -> tuple[int, int]:
    """A signed number: 0, 1, 2, 3, … stand for 0, -1, 1, -2, and so on."""
    value, at = _varint(data, at)
    return (value >> 1) ^ -(value & 1), at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        byte = data[at]
        value, at = value | (byte & 127) << shift, at + 1
        if byte < 128:
            return value, at
    raise Malformed
