"""Structures in Thrift's compact protocol, in which Parquet's headers are written, read strictly.

What another reader could understand in another way is refused: fields that come twice, lists in a place where none is
expected or of other things than are expected there (Thrift's own readers do not look), and types that Parquet has none
of. So what is judged here is what Arrow then acts on. Arrow cannot be asked: it ends the process for some footers.
"""

from __future__ import annotations

from typing import Any, TypeAlias

Fields: TypeAlias = dict[int, Any]
Path: TypeAlias = tuple[int, ...]
INT, LONG, BINARY, STRUCT = 5, 6, 8, 12
_TRUE, _FALSE, _BYTE, _SHORT, _DOUBLE, _LIST = 1, 2, 3, 4, 7, 9
_DEEPEST = 8


class Malformed(ValueError):
    """What is read is no structure of the kind that is expected."""


class Long(int):
    """A number of 64 bits: it is not taken for one of 32, nor the other way round."""


def read_struct(data: bytes, at: int, lists: dict[Path, int], most: int, path: Path = ()) -> tuple[Fields, int]:
    """The fields of a structure by number, and where it ends.

    Args:
        data: the bytes.
        at: where it begins.
        lists: where lists may stand, as numbers of fields from the outermost structure on, and of what type.
        most: parts that a list may have.
        path: of the structure itself.

    Raises:
        Malformed: for what is written otherwise, and for lists that are too long.
        IndexError: where the data end too early.
    """
    fields: Fields = {}
    number = 0
    if len(path) > _DEEPEST:
        raise Malformed
    while head := data[at]:
        kind, at = head & 15, at + 1
        if head >> 4:
            number += head >> 4
        else:
            number, at = _integer(data, at)
        if number in fields:
            raise Malformed
        if kind in (_TRUE, _FALSE):
            fields[number] = kind == _TRUE
        elif kind == _LIST:
            fields[number], at = _list(data, at, lists, most, (*path, number))
        else:
            fields[number], at = _value(data, at, kind, lists, most, (*path, number))
    return fields, at + 1


def _list(data: bytes, at: int, lists: dict[Path, int], most: int, path: Path) -> tuple[list[Any], int]:
    kind, length, at = data[at] & 15, data[at] >> 4, at + 1
    if length == 15:
        length, at = _varint(data, at)
    if kind != lists.get(path) or length > most:
        raise Malformed
    found = []
    for _ in range(length):
        value, at = _value(data, at, kind, lists, most, path)
        found.append(value)
    return found, at


def _value(data: bytes, at: int, kind: int, lists: dict[Path, int], most: int, path: Path) -> tuple[Any, int]:
    if kind == INT:
        return _integer(data, at)
    if kind == LONG:
        value, at = _integer(data, at)
        return Long(value), at
    if kind == STRUCT:
        return read_struct(data, at, lists, most, path)
    # what nobody asks for is passed over
    if kind == _SHORT:
        return None, _integer(data, at)[1]
    length = {_BYTE: 1, _DOUBLE: 8}.get(kind)
    if kind == BINARY:
        length, at = _varint(data, at)
    if length is None:
        raise Malformed
    if at + length > len(data):
        raise IndexError
    return None, at + length


def _integer(data: bytes, at: int) -> tuple[int, int]:
    """A signed number: 0, 1, 2, 3, … stand for 0, -1, 1, -2, and so on."""
    value, at = _varint(data, at)
    return (value >> 1) ^ -(value & 1), at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 63, 7):
        byte = data[at]
        value, at = value | (byte & 127) << shift, at + 1
        if byte < 128:
            return value, at
    raise Malformed
