"""Round noise by the published rule, in ball arithmetic written apart from the device and the library."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import floor, isqrt
from typing import Any

from flint import arb

from tests.independent import ball, exactly, greatest

ROUNDS = (16, 32, 64)  # bytes by which a number is extended, one time after the other


def beta_of(grid: dict[str, Any]) -> Fraction:
    theta, axes = Fraction(*grid["theta"]), len(grid["origin"])
    r = Fraction(isqrt(axes * 2**32) + 1, 2**16)
    x = 2 * theta / ((2 + theta) * r)
    return Fraction(floor((x + x**2 / 2) * 2**32), 2**32)


def round_report(grid: dict[str, Any], at: Sequence[arb], data: bytes) -> tuple[tuple[int, ...], int] | None:
    """The cells, and how many bytes they took; None where so many bits leave them open."""
    axes, used = len(at), 0
    while True:
        count = 2 * axes + 1
        numbers = [int.from_bytes(data[used + 8 * k : used + 8 * k + 8], "little") for k in range(count)]
        used, bits = used + 8 * count, 64
        for more in (*ROUNDS, 0):
            found = _attempt(grid, at, numbers, bits)
            if found is not None:
                break
            for k in range(count):
                numbers[k] = numbers[k] << 8 * more | int.from_bytes(data[used : used + more], "little")
                used += more
            bits += 8 * more
        if found is None:
            return None
        if found:
            return tuple(found), used


def _attempt(grid: dict[str, Any], at: Sequence[arb], numbers: Sequence[int], bits: int) -> list[int] | None:
    """The cells of an accepted attempt, none of a rejected one; None where it is open."""
    theta, beta = ball(Fraction(*grid["theta"])), ball(beta_of(grid))
    moves = [_move(number, bits, beta) for number in numbers[1::2]]
    known = [move for move in moves if move is not None]
    if len(known) < len(moves):
        return None
    chance = (1 + beta) ** sum(map(abs, known))
    chance *= (-(1 + theta).log() * arb(sum(k * k for k in known) + grid["core"]).sqrt()).exp()
    limit = chance * arb(2) ** bits
    if numbers[-1] >= limit:
        return []
    if not numbers[-1] + 1 <= limit:
        return None
    cells = []
    for place, number, move in zip(at, numbers[::2], known, strict=False):
        low, high = ((place - ball(Fraction(number + end, 1 << bits))) for end in (1, 0))
        first, last = (-int((-end).floor().unique_fmpz() or 0) for end in (low + arb((1, -bits - 60)), high))
        if first != last:
            return None
        cells.append(last + move)
    return cells


def _move(number: int, bits: int, beta: arb) -> int | None:
    sign, rest = number >> (bits - 1), number % (1 << (bits - 1))
    if rest == 0:
        return None
    sizes = set()
    for end in (rest, rest + 1):
        v = ball(Fraction(end, 1 << (bits - 1)))
        above = (-(v * (2 + beta) / 2).log() / (1 + beta).log()).ceil().unique_fmpz()
        sizes.add(None if above is None else max(int(above), 0))
    size = sizes.pop()
    return None if sizes or size is None else size * (1 if sign else -1)


def law(grid: dict[str, Any], place: Sequence[tuple[int, arb]], cell: Sequence[int]) -> arb:
    """P[cell], but for a constant, at a place in (cell below, share of the way to the next) on each axis."""
    rate, total = (1 + ball(Fraction(*grid["theta"]))).log(), arb(0)
    for ups in product((0, 1), repeat=len(place)):
        weight, square = arb(1), grid["core"]
        for up, (low, share), to in zip(ups, place, cell, strict=True):
            weight *= share if up else 1 - share
            square += (to - low - up) ** 2
        total += weight * (-rate * arb(square).sqrt()).exp()
    return total


def corner_loss(grid: dict[str, Any], here: Sequence[arb], there: Sequence[arb], cells: range) -> arb:
    """The largest |ln P[c]/P'[c]| over cells c at such distances along all axes."""
    ends = [[(floor(exactly(place)), place - floor(exactly(place))) for place in side] for side in (here, there)]
    near = product(*([low + k for k in cells] for low, _ in ends[0]))
    return greatest([abs(law(grid, ends[0], cell).log() - law(grid, ends[1], cell).log()) for cell in near])


def loss(grid: dict[str, Any], here: Sequence[arb], there: Sequence[arb]) -> arb:
    """The largest |ln P[c]/P'[c]| over cells c around both places, and far out through them and along axes."""
    ends = [[(floor(exactly(place)), place - floor(exactly(place))) for place in side] for side in (here, there)]
    cells = {
        tuple(low + k for (low, _), k in zip(end, offset, strict=True))
        for end in ends
        for offset in product((-1, 0, 1, 2), repeat=len(end))
    }
    far = int(40 / float(Fraction(*grid["theta"]))) + 40
    way = [float(b - a) for a, b in zip(here, there, strict=True)]
    length = max(map(abs, way)) or 1.0
    lines = [
        tuple(part / length for part in way),
        *(tuple(float(j == k) for j in range(len(way))) for k in range(len(way))),
    ]
    for line in lines:
        for end, side in zip(ends, (-far, far), strict=True):
            cells.add(tuple(low + round(side * part) for (low, _), part in zip(end, line, strict=True)))
            cells.add(tuple(low - round(side * part) for (low, _), part in zip(end, line, strict=True)))
    return greatest([abs(law(grid, ends[0], cell).log() - law(grid, ends[1], cell).log()) for cell in cells])
