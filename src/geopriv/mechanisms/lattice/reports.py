"""Reports of a Lattice: two random numbers an axis, each compared with what the theorem says.

A position t on the grid goes to the cell ⌈t − U⌉: up from its lower cell i if U < t − i, which has the probability λ of
theory T8. Then it moves by two-sided geometric noise (`LatticeLaw`). The position is a fraction where points are
floats, and a ball around its true value where they are logarithms or projections. So the law is T8's at exactly the x
that the person holds, and nothing is lost to rounding.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from geopriv.mechanisms.lattice.cells import FARTHEST, Cells
from geopriv.noise.compiled import compiled
from geopriv.noise.exact import Release, Uniform, whole
from geopriv.noise.filters import CERTAIN, MASK, MORE, REL, TOP, UNKNOWN, Status, Words, log_of
from geopriv.noise.laws import Law
from geopriv.noise.plans import Plan, Screen
from geopriv.spaces.balls import arb
from geopriv.spaces.bounded import Bounded
from geopriv.spaces.checks import FloatArray


@dataclass(frozen=True)
class LatticeLaw(Law):
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
        sizes = [max(-whole((v.rest() * (1 + theta / 2)).log() / theta.log1p()), 0) for v in u[1::2]]
        return [arb(size if v.upper else -size) for size, v in zip(sizes, u[1::2], strict=True)]

    def kernel(self) -> None:
        """None: noise is filtered with the position that it moves (`OnLattice`)."""


@dataclass(frozen=True)
class OnLattice(Plan):
    """A cell of a Lattice's grid, as whole numbers.

    Guarantee: the Lattice's own, exactly, for every float x (theory T8).

    Args:
        mechanism: the Lattice.
    """

    mechanism: Cells

    def __post_init__(self) -> None:
        _ = self.mechanism.ratio  # refused where axes are not independent

    @property
    def law(self) -> LatticeLaw:  # type: ignore[override] # the law of the mechanism
        return LatticeLaw(self.mechanism.theta, self.mechanism.space.dimension)

    @property
    def steps(self) -> tuple[float, ...]:  # type: ignore[override] # cells are counted in ones
        return (1.0,) * self.mechanism.space.dimension

    def release(self, row: Sequence[float]) -> Release:
        def ideal(u: Sequence[Uniform]) -> list[arb]:
            return [moved + cell for moved, cell in zip(self.law(u), self._rounded(row, u[::2]), strict=True)]

        return ideal

    def screen(self, rows: FloatArray) -> Screen:
        along, theta = self._bounded(rows), float(self.mechanism.theta)

        def screened(who: npt.NDArray[np.intp], words: Words, values: FloatArray, status: Status) -> None:
            place, off = along.value[who], along.off[who]
            lattice_filter(words, place, off, math.log1p(theta / 2), math.log1p(theta), values, status)

        return screened

    def _rounded(self, row: Sequence[float], u: Sequence[Uniform]) -> list[int]:
        """The cells of the position, before noise: in whole numbers where the position is rational, else in balls.

        It ends with probability 1: a comparison stays open for ever only if t − U is whole, which is one U (0 and 1
        where t is whole). So does the noise: V is not one of the countably many limits (1 + θ)^(1 − k)·2/(2 + θ).
        """
        m = self.mechanism
        if not m.space.irrational:
            placed = [m.place_exactly(number, axis) for axis, number in enumerate(row)]
            return [lower + v.below(share) for (lower, share), v in zip(placed, u, strict=True)]
        along = [(x - origin) / m.step for x, origin in zip(m.space.enclose(row), m.origin, strict=True)]
        clamped = [place.max(arb(-FARTHEST)).min(arb(FARTHEST)) for place in along]
        return [-whole(v.ball() - place) for place, v in zip(clamped, u, strict=True)]

    def _bounded(self, rows: FloatArray) -> Bounded:
        points, step = self.mechanism.space.bounded(rows), self.mechanism.step
        with np.errstate(over="ignore"):  # what overflows is not certain, and goes to the balls
            along = (points.value - np.asarray(self.mechanism.origin)) / step
            off = 1.01 * points.off / step + 2.0**-50 * np.abs(along)
        return Bounded(np.clip(along, -FARTHEST, FARTHEST), off)


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

    Guarantee: a cell is certain only if every position t within `off` and all numbers with these bits have it. With i
    the cell below the float, t − i − U is `left` give or take `reach`: U is right to 2^-52 and two differences of at
    most 1 to 2^-53 each. ⌈t − U⌉ is i + 1 if that lies between 0 and 1, i if between −1 and 0, wherever t itself lies.
    """
    for i in range(words.shape[0]):
        status[i] = CERTAIN
        for j in range(place.shape[1]):
            lower = np.floor(place[i, j])
            left = place[i, j] - lower - (float(words[i, 2 * j]) + 0.5) * 2.0**-64
            reach = off[i, j] + 2.0**-51
            k = words[i, 2 * j + 1]
            log_v, wrong = log_of(k & MASK, 63)
            y = -(log_v + log_start) / log_ratio
            wrong = MORE * ((wrong + log_start * REL) / log_ratio + abs(y) * REL)
            size = np.ceil(y)
            # a position within reach of another cell: ⌈t − U⌉ changes where t − U is whole
            clear = abs(left) > reach and reach - 1 < left < 1 - reach
            if not (clear and y - wrong > size - 1 and y + wrong < size):
                status[i] = UNKNOWN
                break
            moved = max(size, 0.0) if (k >> TOP) == 1 else -max(size, 0.0)
            values[i, j] = lower + (left > 0) + moved
