"""What a device must report from given bytes, by the published rule, in ball arithmetic written apart from it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any

from flint import arb

from tests.independent import (
    Value,
    ball,
    coordinate,
    positions,
    rank,
)

ROUNDS = (16, 32, 64, 128)  # bytes by which a number is extended, one time after the other
BITS = 64 + 8 * sum(ROUNDS)


def length(numbers: int, words: int) -> int:
    """How many bytes are looked at: words of 8 bytes, and what so many numbers are extended by."""
    return 8 * words + numbers * sum(ROUNDS)


def _numerators(data: bytes, begin: Sequence[int], words: int) -> list[int]:
    """The numbers out of 2^BITS that begin with some of the words: in each round, all of them get further bytes."""
    found = [int.from_bytes(data[8 * k : 8 * k + 8], "little") for k in begin]
    at = 8 * words
    for more in ROUNDS:
        for k in range(len(found)):
            found[k] = (found[k] << 8 * more) | int.from_bytes(data[at : at + more], "little")
            at += more
    return found


def _part(numerator: int, bits: int) -> arb:
    """From numerator/2^bits to the next one."""
    return arb(arb((2 * numerator + 1, -bits - 1)), arb((1, -bits - 1)))


def _ceiling(number: arb) -> int | None:
    found = (-number).floor().unique_fmpz()
    return None if found is None else -int(found)


def places(document: dict[str, Any], x: Value) -> list[arb]:
    """Where a value lies, counted in cells: on the lattice of a table, or on each axis of a grid."""
    if document["type"] == "Lattice":
        return positions(document, x)
    return [sum(rank(document["lattice"], coordinate(document, x)), arb(0))]


def table_report(table: dict[str, Any], at: Sequence[arb], data: bytes) -> tuple[int, ...] | None:
    """The letter: of row ⌈r − U⌉, r the rank of s, or of its spare row; None where so many bits leave it open."""
    spare, second = table.get("spare"), int.from_bytes(data[8:16], "little")
    tossed = spare is not None and second % 16 == 0
    numbers = _numerators(data, (0, 3, 4), 5) if tossed else _numerators(data, (0,), 2)
    rows = [_ceiling(at[0] - _part(number, BITS)) for number in numbers]
    if rows[0] is None or None in rows:
        return None
    weights = table["weights"][rows[0]]
    if spare is not None and len(set(rows)) > 1:
        cell = at[0].floor().unique_fmpz()
        if cell is None:
            return None
        if int.from_bytes(data[16:24], "little") >> 24 < spare["shares"][int(cell)]:
            weights = spare["rows"][rows[0]]
    return (bisect_right(list(accumulate(weights)), second >> 4),)


def grid_report(grid: dict[str, Any], at: Sequence[arb], data: bytes) -> tuple[int, ...] | None:
    """The cell on each axis: ⌈t − U⌉, and ⌈ln(V·(2 + θ)/2)/ln a⌉ to one side, if that is positive."""
    numbers = _numerators(data, range(2 * len(at)), 2 * len(at))
    theta = ball(Fraction(*grid["theta"]))
    found = []
    for place, first, second in zip(at, numbers[::2], numbers[1::2], strict=True):
        kept = BITS - 1
        rest = _part(second & ((1 << kept) - 1), kept)
        cell, size = _ceiling(place - _part(first, BITS)), _ceiling(-(rest * (2 + theta) / 2).log() / (1 + theta).log())
        if cell is None or size is None:
            return None
        found.append(cell + max(size, 0) * (1 if second >> kept else -1))
    return tuple(found)
