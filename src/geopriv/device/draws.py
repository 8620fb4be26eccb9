"""From random bytes to a report, by comparing whole numbers: the published rule (docs/client.md).

A number U, uniform on [0, 1), is an endless sequence of fair bits, of which 64 are drawn at first. Where they do not
settle a comparison more are drawn: 192 in all, then 448, and so on, and coordinates are enclosed that much more
narrowly. So every comparison is with the exact threshold, and a report is a function of the endless bits alone: whoever
draws more of them than is necessary reports the same.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from geopriv.device.intervals import Interval

Source = Callable[[int], bytes]
Enclose = Callable[[int], Interval]
Positions = Callable[[int], Sequence[Interval]]
_FARTHEST = 1 << 50  # steps from the origin of a grid
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


def uniforms(count: int, source: Source) -> list[Uniform]:
    """So many numbers, of which the first eight bytes are drawn at once."""
    words = source(8 * count)
    return [Uniform(words[k : k + 8], source) for k in range(0, len(words), 8)]


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


@dataclass(frozen=True)
class Rows:
    """The rows of a table as a device chooses among them.

    Args:
        lattice: coordinates of the rows, as whole numbers out of 2^scale.
        scale: bits with which all of them are whole.
        bits: with which a coordinate is known at first: far more than 64 for the narrowest cell.
        sums: of each row of weights, then of each spare row, the running sums.
        shares: of each cell, out of 2^44, how often further coins are tossed; none without spare rows.
    """

    lattice: tuple[int, ...] = field(repr=False)
    scale: int
    bits: int
    sums: tuple[tuple[int, ...], ...] = field(repr=False)
    shares: tuple[int, ...] = field(default=(), repr=False)


def rows_of(lattice: Sequence[float], sums: tuple[tuple[int, ...], ...], shares: tuple[int, ...] = ()) -> Rows:
    """The rows at increasing coordinates."""
    places = [Fraction(place) for place in lattice]
    scale = fine_bits(places)
    whole = tuple(int(place * (1 << scale)) for place in places)
    narrow = min(b - a for a, b in pairwise(whole))
    return Rows(whole, scale, 112 + max(scale - narrow.bit_length(), 0), sums, shares)


def fine_bits(numbers: Iterable[Fraction]) -> int:
    """With how many bits after the point floats are whole numbers."""
    return max(number.denominator.bit_length() - 1 for number in numbers)


def draw_letter(rows: Rows, enclose: Enclose, source: Source) -> int:
    """The index of the value that a table reports at a coordinate s that is enclosed to any number of bits.

    Guarantee: exactly the law of theory T5 at s, or with spare rows that of T5″. The row above s is taken if U is below
    the share of the cell before s, else the row below; with spare rows, with the cell's chance two more coins are
    tossed, and the spare row of that row is taken unless both fall like the first; a number out of 2^60 then falls on a
    value of the row. It ends with probability 1: while s and U are known to 2^-b of a cell, only numbers U that are
    within some 2^-b of the share, or of 0 or 1 where s is at a lattice point, leave the row open, and a uniform U is so
    near for every b with probability 0.

    Args:
        rows: of the table.
        enclose: s, between whole numbers out of 2^bits.
        source: of 16 bytes; with spare rows, of 24 more if the last four bits of them are 0 (a chance of 1/16); and of
            more where they do not settle the row.
    """
    words = source(16)
    second = int.from_bytes(words[8:], "little")
    further = source(24) if rows.shares and second & 15 == 0 else b""
    coins = [Uniform(word, source) for word in (words[:8], further[8:16], further[16:]) if word]
    chance = int.from_bytes(further[:8], "little") >> 24 if further else None
    while (row := _row(rows, enclose(rows.bits + coins[0].bits - 64), coins, chance)) is None:
        for coin in coins:
            coin.extend()
    return bisect_right(rows.sums[row], second >> 4)


def _row(rows: Rows, s: Interval, coins: Sequence[Uniform], chance: int | None) -> int | None:
    """The row that coins select, if it is the same one for all numbers that s and they can still be."""
    s = s.to(max(s.bits, rows.scale))
    shift, last = s.bits - rows.scale, len(rows.lattice) - 2
    first, final = (min(max(bisect_right(rows.lattice, end >> shift) - 1, 0), last) for end in (s.low, s.high))
    # twice the same cell away from lattice points, so that time does not tell of one; cells that are no neighbours have
    # no row in common
    found = set()
    for cell in (first, final):
        tossed = coins if chance is not None and chance < rows.shares[cell] else coins[:1]
        found.add(_in_cell(rows.lattice, cell, shift, s, tossed))
    return found.pop() if len(found) == 1 else None


def _in_cell(lattice: Sequence[int], cell: int, shift: int, s: Interval, coins: Sequence[Uniform]) -> int | None:
    """The row that coins select for those s that lie in a cell, or beyond it where it is the last one.

    The first coin tells the side; if another falls otherwise, the spare row of that side is taken, which comes after
    all rows.
    """
    start, end = lattice[cell] << shift, lattice[cell + 1] << shift
    width = end - start
    least, most = (min(max(number - start, 0), width) for number in (s.low, s.high))
    above = [_above(coin, width, least, most) for coin in coins]
    side = above[0]
    if side is None:
        return None
    if (not side) in above:
        return cell + side + len(lattice)
    return None if None in above else cell + side


def _above(coin: Uniform, width: int, least: int, most: int) -> bool | None:
    """Whether U is below the share s/width for all s from least to most; None where that depends."""
    if (coin.numerator + 1) * width <= least << coin.bits:
        return True
    return False if coin.numerator * width >= most << coin.bits else None


def draw_cells(enclose: Positions, ratio: tuple[int, int], bits: int, source: Source, axes: int) -> tuple[int, ...]:
    """A lattice's report: each position rounded at random, plus two-sided geometric noise.

    Guarantee: exactly the law of theory T8: a position t goes to ⌈t − U⌉, up from its lower neighbour with probability
    t − ⌊t⌋, and is then moved by m with probability ∝ a^|m|. It ends with probability 1, as a table's report does.

    Args:
        enclose: (x − origin)/step on each axis, between whole numbers out of 2^bits.
        ratio: numerator and denominator of a = 1/(1 + θ).
        bits: with which positions are known at first, at least 64 and better more.
        source: of 16 bytes an axis (rounding, noise), and of more for all of them while one is not settled.
        axes: how many there are.
    """
    numbers = uniforms(2 * axes, source)
    while True:
        places = enclose(bits + numbers[0].bits - 64)
        found = [_axis(p, u, v, ratio) for p, u, v in zip(places, numbers[::2], numbers[1::2], strict=True)]
        settled = tuple(cell for cell in found if cell is not None)
        if len(settled) == axes:
            return settled
        for number in numbers:
            number.extend()


def _axis(place: Interval, rounding: Uniform, noise: Uniform, ratio: tuple[int, int]) -> int | None:
    """The cell of one axis; None where what is known so far does not settle it."""
    cell, moved = rounded(place, rounding), geometric(noise, ratio)
    return None if cell is None or moved is None else cell + moved


def rounded(place: Interval, rounding: Uniform) -> int | None:
    """The cell ⌈t − U⌉ of a position t, clamped; None where what is known so far does not settle it."""
    bits = place.bits
    low, high = (min(max(end, -_FARTHEST << bits), _FARTHEST << bits) for end in (place.low, place.high))
    fine = bits - rounding.bits
    # t − U lies above `least` and is at most `most`
    least, most = low - ((rounding.numerator + 1) << fine), high - (rounding.numerator << fine)
    cell = -(-most >> bits)
    return None if least < (cell - 1) << bits else cell


def geometric(noise: Uniform, ratio: tuple[int, int]) -> int | None:
    """By how many cells geometric noise moves an axis, up where the first bit is 1; None where it is not settled."""
    size = _size(noise, ratio)
    return None if size is None else size if noise.numerator >> (noise.bits - 1) else -size


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
