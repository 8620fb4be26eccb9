"""Two-sided geometric noise from uniform numbers, exactly and in floats with bounds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from geopriv.mechanisms.lattice.noises.laws import CellLaw
from geopriv.noise.exact import Uniform, whole
from geopriv.noise.filters import CERTAIN, MASK, MORE, REL, TOP, UNKNOWN, Status, Words, log_of
from geopriv.spaces.balls import arb
from geopriv.spaces.checks import FloatArray
from geopriv.spaces.compiled import compiled


@dataclass(frozen=True)
class LatticeLaw(CellLaw):
    """Two-sided geometric noise on each axis: m with probability θ/(2 + θ)·(1 + θ)^(−|m|), θ rational.

    An axis takes two numbers. The first rounds the position and is not used here. The first bit of the second is the
    sign (1 for up), and V, made of its other bits, is compared with rational numbers: |m| ≥ k if and only if
    V < 2/(2 + θ)·(1 + θ)^(1 − k), so that |m| is −ln(V·(1 + θ/2))/ln(1 + θ) rounded up, and 0 where that is negative.
    """

    theta: Fraction
    dimension: int

    @property
    def words(self) -> int:
        return 2 * self.dimension

    def __call__(self, u: Sequence[Uniform]) -> list[arb]:
        theta = arb(self.theta.numerator) / self.theta.denominator
        return [arb(moved(v, theta)) for v in u[1::2]]

    def kernel(self) -> None:
        """None: noise is filtered with the position that it moves (`screen`)."""

    def screen(self, words: Words, place: FloatArray, off: FloatArray, values: FloatArray, status: Status) -> None:
        theta = float(self.theta)
        lattice_filter(words, place, off, math.log1p(theta / 2), math.log1p(theta), values, status)


def moved(v: Uniform, theta: arb) -> int:
    """By how many cells two-sided geometric noise moves an axis.

    Raises:
        Undecided: while the bits drawn so far do not tell.
    """
    size = max(-whole((v.rest() * (1 + theta / 2)).log() / theta.log1p()), 0)
    return size if v.upper else -size


@compiled
def size_of(word: np.uint64, log_start: float, log_ratio: float) -> tuple[float, bool]:
    """How far geometric noise moves, with ln(1 + θ/2) and ln(1 + θ), and whether all numbers with these bits say so."""
    log_v, wrong = log_of(word & MASK, 63)
    y = -(log_v + log_start) / log_ratio
    wrong = MORE * ((wrong + log_start * REL) / log_ratio + abs(y) * REL)
    size = np.ceil(y)
    return max(size, 0.0), y - wrong > size - 1 and y + wrong < size


@compiled
def rounded(word: np.uint64, place: float, off: float) -> tuple[float, bool]:
    """The cell ⌈t − U⌉, and whether every position t within `off` and all numbers with these bits have it.

    With i the cell below the float, t − i − U is `left` give or take `reach`: U is right to 2^-52 and two differences
    of at most 1 to 2^-53 each. ⌈t − U⌉ is i + 1 if that lies between 0 and 1, i if between −1 and 0, wherever t lies.
    """
    lower = np.floor(place)
    left = place - lower - (float(word) + 0.5) * 2.0**-64
    reach = off + 2.0**-51
    # a position within reach of another cell: ⌈t − U⌉ changes where t − U is whole
    return lower + (left > 0), abs(left) > reach and reach - 1 < left < 1 - reach


@compiled
def lattice_filter(
    words: Words,
    place: FloatArray,
    off: FloatArray,
    log_start: float,
    log_ratio: float,
    values: FloatArray,
    status: Status,
) -> None:
    """`LatticeLaw` in floats, with ln(1 + θ/2) and ln(1 + θ), added to positions that are rounded at random.

    `off` bounds the errors of the positions, absolute.

    Guarantee: a cell is certain only if every position t within `off` and all numbers with these bits have it.
    """
    for i in range(words.shape[0]):
        status[i] = CERTAIN
        for j in range(place.shape[1]):
            cell, clear = rounded(words[i, 2 * j], place[i, j], off[i, j])
            size, known = size_of(words[i, 2 * j + 1], log_start, log_ratio)
            if not (clear and known):
                status[i] = UNKNOWN
                break
            values[i, j] = cell + (size if (words[i, 2 * j + 1] >> TOP) == 1 else -size)
