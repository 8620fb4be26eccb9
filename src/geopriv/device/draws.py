"""From random bytes to a report, by comparing whole numbers: the published rule (docs/client.md).

A number U, uniform on [0, 1), is an endless sequence of fair bits, of which 64 are drawn at first. Where they do not
settle a comparison more are drawn: 192 in all, then 448, and so on. So every comparison is with the exact threshold.
"""

from __future__ import annotations

import math
import os
from bisect import bisect_right
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache

from geopriv.device.surds import Surd

Source = Callable[[int], bytes]
Order = Callable[[int, int], int]
_LEFT, _RIGHT = Fraction(-(1 << 50)), Fraction(1 << 50)  # steps from the origin of a grid
_GUARD = 64  # bits with which powers are known beyond those of U
_MOST = 1 << 17


def system_bytes(n: int) -> bytes:
    """Random bytes of the operating system; an error where there are none, never fewer."""
    drawn = os.urandom(n)
    if len(drawn) != n:
        raise OSError("The random number generator gave fewer bytes than it was asked for.")
    return drawn


class Uniform:
    """A number that is uniform on [0, 1), of which only the first bits have been drawn.

    Args:
        word: the first eight bytes, lowest first.
        source: of further bytes.
    """

    __slots__ = ("_source", "bits", "numerator")

    def __init__(self, word: bytes, source: Source) -> None:
        self.numerator, self.bits, self._source = int.from_bytes(word, "little"), 64, source

    def extend(self) -> None:
        """Draw more bits: 2^k − 64 in all, the next k."""
        bits = 2 * (self.bits + 64) - 64
        if bits > _MOST:
            raise ArithmeticError("A report could not be settled; nothing was released.")
        more = bits - self.bits
        self.numerator = (self.numerator << more) | int.from_bytes(self._source(more // 8), "little")
        self.bits = bits


def draw_share(shares: Sequence[int], source: Source) -> int:
    """Which mechanism a person answers: the k-th with probability proportional to its share; no bytes for one alone."""
    if len(shares) == 1:
        return 0
    total = sum(shares)
    while True:
        word = int.from_bytes(source(8), "little")
        if word < (1 << 64) - (1 << 64) % total:  # else the remainder would not be uniform
            break
    rest = word % total
    for k, share in enumerate(shares):
        if rest < share:
            return k
        rest -= share
    raise AssertionError("unreachable: the remainder is below the sum of the shares")


def draw_letter(
    lattice: Sequence[float], exact: Sequence[Fraction], sums: Sequence[Sequence[int]], s: Surd, source: Source
) -> int:
    """The index of the value that a table reports at the coordinate s.

    Guarantee: exactly the law of theory T5 at s. The row above s is taken if U is below the share of the cell before s,
    else the row below; a number out of 2^60 then falls on a value of the row.

    Args:
        lattice: increasing coordinates.
        exact: the same as fractions.
        sums: of each row of weights, the running sums.
        s: the coordinate.
        source: of 16 bytes, and of more where 64 bits do not settle the row.
    """
    words = source(16)
    cell = _cell(lattice, exact, s)
    order = _order_in_cell(s, exact[cell], exact[cell + 1] - exact[cell])
    row = cell + _below(Uniform(words[:8], source), order)
    return bisect_right(sums[row], int.from_bytes(words[8:], "little") >> 4)


def _cell(lattice: Sequence[float], exact: Sequence[Fraction], s: Surd) -> int:
    """The cell in which s lies, the nearest one outside: a float begins the search, exact comparisons end it."""
    last = len(lattice) - 2
    try:
        cell = min(max(bisect_right(lattice, float(s)) - 1, 0), last)
    except OverflowError:
        cell = 0
    while cell > 0 and s.compare(exact[cell]) < 0:
        cell -= 1
    while cell < last and s.compare(exact[cell + 1]) >= 0:
        cell += 1
    return cell


def _order_in_cell(s: Surd, start: Fraction, width: Fraction) -> Order:
    """The sign of the share of a cell before s less a number out of 2^bits."""
    if not s.square:
        return _order_of((s.rational - start) / width)
    return lambda numerator, bits: s.compare(start + width * Fraction(numerator, 1 << bits))


def _order_of(threshold: Fraction) -> Order:
    """The sign of a known threshold less a number out of 2^bits."""
    top, bottom = threshold.numerator, threshold.denominator
    return lambda numerator, bits: (top << bits) - numerator * bottom


def _below(uniform: Uniform, order: Order) -> bool:
    """Whether U is below a threshold, of which only the order beside numbers out of 2^bits is known."""
    while True:
        if order(uniform.numerator + 1, uniform.bits) >= 0:
            return True
        if order(uniform.numerator, uniform.bits) <= 0:
            return False
        uniform.extend()


def draw_cells(positions: Sequence[Fraction], ratio: tuple[int, int], source: Source) -> tuple[int, ...]:
    """A lattice's report: each position rounded at random, plus two-sided geometric noise.

    Guarantee: exactly the law of theory T8: up with probability λ, then moved by m with probability ∝ a^|m|.

    Args:
        positions: (x − origin)/step on each axis.
        ratio: numerator and denominator of a = 1/(1 + θ).
        source: of 16 bytes an axis (rounding, noise), and of more for all of them while one is not settled.
    """
    words = source(16 * len(positions))
    numbers = [Uniform(words[k : k + 8], source) for k in range(0, len(words), 8)]
    places = [min(max(position, _LEFT), _RIGHT) for position in positions]
    while True:
        found = [_axis(p, u, v, ratio) for p, u, v in zip(places, numbers[::2], numbers[1::2], strict=True)]
        settled = tuple(cell for cell in found if cell is not None)
        if len(settled) == len(found):
            return settled
        for number in numbers:
            number.extend()


def _axis(position: Fraction, rounding: Uniform, noise: Uniform, ratio: tuple[int, int]) -> int | None:
    """The cell of one axis; None where the bits drawn so far do not settle it."""
    lower, size = math.floor(position), _size(noise, ratio)
    order = _order_of(position - lower)
    up = order(rounding.numerator + 1, rounding.bits) >= 0
    if size is None or not (up or order(rounding.numerator, rounding.bits) <= 0):
        return None
    return lower + up + (size if noise.numerator >> (noise.bits - 1) else -size)


def _size(noise: Uniform, ratio: tuple[int, int]) -> int | None:
    """How many k ≥ 1 have V < 2/(2 + θ)·a^(k−1), V made of all bits but the first; None where that is not settled.

    In terms of W = V·(2 + θ)/2: none if W ≥ 1, else one more than there are j ≥ 1 with W < a^j.
    """
    bits = noise.bits - 1
    numerator, one = noise.numerator & ((1 << bits) - 1), 1 << (bits + _GUARD)
    top, bottom = sum(ratio), 2 * ratio[0]  # (2 + θ)/2
    least, most = (numerator << _GUARD) * top // bottom, -(-((numerator + 1) << _GUARD) * top // bottom)
    if least >= one:
        return 0
    found = _count(least, most, bits, ratio) if most <= one else None
    return None if found is None else 1 + found


def _count(least: int, most: int, bits: int, ratio: tuple[int, int]) -> int | None:
    """How many j ≥ 1 have W < a^j, for all W from `least` to `most` in units of 2^-(bits + 64); None where they differ.

    The largest such j is found bit by bit from bounds on a^(2^i) in the same units, rounded outwards.
    """
    if least == 0:
        return None
    scale = bits + _GUARD
    low = high = 1 << scale
    found = 0
    for power, down, up in _powers(ratio, bits):
        below, above = low * down >> scale, -(-high * up >> scale)
        if most <= below:
            low, high, found = below, above, found + power
        elif least < above:
            return None
    return found


@lru_cache(maxsize=64)
def _powers(ratio: tuple[int, int], bits: int) -> tuple[tuple[int, int, int], ...]:
    """2^j and bounds on a^(2^j), the largest first, of those that a number of so many bits can be below."""
    scale = bits + _GUARD
    down, up, power = (ratio[0] << scale) // ratio[1], -(-(ratio[0] << scale) // ratio[1]), 1
    found = []
    while up > 1 << _GUARD:  # 2^-bits, which U reaches once its numerator is not 0
        found.append((power, down, up))
        down, up, power = down * down >> scale, -(-up * up >> scale), 2 * power
    return tuple(reversed(found))
