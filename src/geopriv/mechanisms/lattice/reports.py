"""Reports of a Lattice: random numbers, each compared with what the theorem says.

A position t on the grid goes to the cell ⌈t − U⌉: up from its lower cell i if U < t − i, which has the probability λ of
theory T8. Then it moves by noise (`LatticeLaw`, `RoundLaw`). The position is a fraction where points are floats, and a
ball around its true value where they are logarithms or projections. So the law is the theorem's at exactly the x that
the person holds, and nothing is lost to rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from geopriv.mechanisms.lattice.cells import FARTHEST, Cells
from geopriv.mechanisms.lattice.noises.laws import CellLaw
from geopriv.noise.exact import Release, Uniform, whole
from geopriv.noise.filters import Status, Words
from geopriv.noise.plans import Plan, Screen
from geopriv.spaces.balls import arb
from geopriv.spaces.bounded import Bounded
from geopriv.spaces.checks import FloatArray


@dataclass(frozen=True)
class OnLattice(Plan):
    """A cell of a Lattice's grid, as whole numbers.

    Guarantee: the Lattice's own, exactly, for every float x (theory T8 and T8′).

    Args:
        mechanism: the Lattice.
    """

    mechanism: Cells

    @property
    def law(self) -> CellLaw:  # type: ignore[override] # the law of the mechanism
        return self.mechanism.cell_noise.law

    @property
    def steps(self) -> tuple[float, ...]:  # type: ignore[override] # cells are counted in ones
        return (1.0,) * self.mechanism.space.dimension

    def release(self, row: Sequence[float]) -> Release:
        axes = self.mechanism.space.dimension

        def ideal(u: Sequence[Uniform]) -> list[arb] | None:
            moves = self.law(u)  # first: a rejected attempt needs no position
            if moves is None:
                return None
            return [moved + cell for moved, cell in zip(moves, self._rounded(row, u[: 2 * axes : 2]), strict=True)]

        return ideal

    def screen(self, rows: FloatArray) -> Screen:
        along, law = self._bounded(rows), self.law

        def screened(who: npt.NDArray[np.intp], words: Words, values: FloatArray, status: Status) -> None:
            law.screen(words, along.value[who], along.off[who], values, status)

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
