"""The share of people above every cell of a line, held between two curves: what quantiles are read from.

A step rises from 0 to 1 over m cells, by a quadratic spline, after the cell k. Its interpolant is 0 up to k, so it is
at most 1{x > t_k}; the step m cells before is 1 from k on, so it is at least 1{x ≥ t_k}. Let M(k) be the mean over
people of the step after k. Then for every population, heaps included,

    M(k) ≤ P(x > t_k) ≤ P(x ≥ t_k) ≤ M(k − m).

One curve and its shift hold the share above every cell (theory T14).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from geopriv.mechanisms.counts import Counts
from geopriv.mechanisms.lattice.cells import FARTHEST, Cells
from geopriv.mechanisms.lattice.moments import smoothed
from geopriv.spaces.checks import FloatArray, invalid

_LARGEST = 1 << 22  # cells of a range: a design from anybody must not keep an analyst waiting
_WIDEST = 1 << 12  # cells of a reach
_WORK = 1 << 30  # cells of a range times those of a reach: some seconds
_RARE = 1e-13  # noise that is less likely is left out of a law


def risen(cells: int) -> FloatArray:
    """The step from 0 to 1 at the cells 0, …, m: 2t² up to the middle, then 1 − 2(1 − t)².

    Of all steps over m cells it bends the least, by 4/m², so that what noise is undone by is the least.

    >>> risen(4)
    array([0.   , 0.125, 0.5  , 0.875, 1.   ])
    """
    t = np.arange(cells + 1) / cells
    return np.where(t < 0.5, 2 * t**2, 1 - 2 * (1 - t) ** 2)


@dataclass(frozen=True, eq=False)
class Reading:
    """Cells of a line between two values, and steps over a reach.

    Args:
        lattice: on a line.
        edge: m, over how many cells steps rise.
        low: the position of the lowest value, in cells.
        high: that of the highest.
    """

    lattice: Cells
    edge: int
    low: float
    high: float

    @classmethod
    def of(cls, lattice: Cells, reach: float, low: float, high: float) -> Reading:
        """For steps over about a reach, between two points of the space.

        Raises:
            InvalidParameter: for more cells than can be counted soon, and for a reach below two of them or above 4,096,
                in a long range fewer.
        """
        ends = [(end - lattice.origin[0]) / lattice.step for end in (low, high)]
        size = ends[1] - ends[0]
        if not size <= _LARGEST:
            raise invalid("Quantile", "high", f"at most {_LARGEST:,} cells of {lattice.step:g} above low", high)
        if max(map(abs, ends)) > FARTHEST:
            raise invalid("Quantile", "high", "within 2^50 cells of the origin of the grid, as low must be", high)
        most = min(_WIDEST, int(_WORK / max(size, 1.0)))
        if not reach / lattice.step <= most:  # which may be infinite
            rule = f"at most {most:,} cells of the grid, {most * lattice.step:g}, in a range of {math.ceil(size):,}"
            raise invalid("Quantile", "reach", rule, reach)
        edge = round(reach / lattice.step)
        if edge < 2:
            raise invalid("Quantile", "reach", f"at least two cells of the grid, {2 * lattice.step:g}", reach)
        return cls(lattice, edge, *ends)

    @property
    def first(self) -> int:
        """The first cell after which there is a step: the upper curve needs those m cells before the range."""
        return math.floor(self.low) - self.edge

    @property
    def size(self) -> int:
        """How many cells there is a step after."""
        return math.ceil(self.high) - self.first + 1

    @property
    def start(self) -> int:
        """The first cell that is told from those before; the last is the end of the last step and one more."""
        return self.first - self.edge - 1

    def counted(self, counts: Counts) -> FloatArray:
        """How often each cell was reported, those beyond the last steps being counted at their ends."""
        size = self.size + 2 * self.edge + 2
        place = np.clip(counts.rows[:, 0] - self.start, 0, size - 1)
        return np.asarray(np.bincount(place, counts.times, size), dtype=np.float64)

    def law(self, points: FloatArray, weights: FloatArray) -> FloatArray:
        """How likely each cell is to be reported by people at points with weights that add up to 1, as `counted`."""
        lower, share = self.lattice.place(self.points(np.clip(self._positions(points), self.low, self.high)))
        pad, size = math.ceil(math.log(_RARE) / math.log(self.lattice.ratio)), self.size + 2 * self.edge + 2
        start = min(self.start, math.floor(self.low) - pad)
        mass = np.zeros(max(self.start + size, math.ceil(self.high) + pad + 2) - start)
        for up, part in ((0, 1 - share), (1, share)):
            np.add.at(mass, (lower.ravel() - start).astype(np.intp) + up, weights * part.ravel())
        mass = smoothed(mass, self.lattice.ratio)
        place = np.clip(np.arange(mass.size) + start - self.start, 0, size - 1)
        inside = np.bincount(place, np.maximum(mass, 0.0), size)
        return np.asarray(inside / inside.sum())

    def curve(self, mass: FloatArray, n: int) -> tuple[FloatArray, FloatArray]:
        """M at every cell from `first` on, and the variance of one report's contribution, with n − 1 below.

        Args:
            mass: counts or shares of cells from `start` on, shape (..., cells).
            n: reports.
        """
        return self._moments(mass, n, _undone(risen(self.edge), self.lattice.curvature), 0)

    def middle(self, mass: FloatArray, n: int) -> tuple[FloatArray, FloatArray]:
        """The mean of M(k) and M(k − m), a soft step around each cell, and its variance; as `curve`."""
        both = np.concatenate([risen(self.edge)[:-1] / 2, (1 + risen(self.edge)) / 2])
        return self._moments(mass, n, _undone(both, self.lattice.curvature), -self.edge)

    @property
    def spread(self) -> float:
        """The largest less the least contribution of a report to the curve."""
        inside = _undone(risen(self.edge), self.lattice.curvature)
        return float(max(inside.max(), 1.0) - min(inside.min(), 0.0))

    def _moments(self, mass: FloatArray, n: int, step: FloatArray, shift: int) -> tuple[FloatArray, FloatArray]:
        """Of the step whose contributions are 0, then `step` from cell k + shift on, then 1."""
        total = mass.sum(axis=-1, keepdims=True)
        above = np.flip(np.cumsum(np.flip(mass, -1), -1), -1)  # in this cell and all after
        here = self.first - self.start + shift
        sums = []
        for weights in (step, step**2):
            beyond = above[..., here + len(step) : here + len(step) + self.size]
            parts = (w * mass[..., here + i : here + i + self.size] for i, w in enumerate(weights))
            sums.append((beyond + sum(parts, start=np.zeros(1))) / total)
        return sums[0], np.maximum(sums[1] - sums[0] ** 2, 0.0) * (n / (n - 1))

    def quantile(
        self, means: FloatArray, variances: FloatArray, n: float, level: float, reach: float
    ) -> tuple[FloatArray, FloatArray]:
        """Between which positions, in cells, a quantile of the plain distribution lies, by normal intervals.

        Where few people are beyond, reports say nothing of how they vary, and all that came may be the same. So the
        variance is taken to be at least q·(1 − q), that of counting those beyond the quantile itself (a score test).

        Args:
            means: M from `curve`.
            variances: of one report.
            n: reports.
            level: q.
            reach: standard errors on each side.
        """
        half = reach * np.sqrt(np.maximum(variances, level * (1 - level)) / n)
        return self.inverted(means - half, means + half, 1 - level)

    def inverted(self, lower: FloatArray, upper: FloatArray, share: float) -> tuple[FloatArray, FloatArray]:
        """Between which positions, in cells, the value lies above which there is a share of people.

        A position t is left out below where the lower end at ⌈t⌉ is above the share, and above where the upper end at
        ⌊t⌋ is below it. Where all are left out on a side, the other end of the range is taken.

        Args:
            lower: M less its error at every cell from `first` on, shape (..., cells).
            upper: M plus its error.
            share: 1 less the level.
        """
        floor, ceil = math.floor(self.low) - self.first, math.ceil(self.low) - self.first
        fits = lower[..., ceil:] <= share
        below = np.where(fits.any(axis=-1), fits.argmax(axis=-1) + ceil - 1.0, np.inf) + self.first
        reached = upper[..., floor - self.edge : math.floor(self.high) - self.first + 1 - self.edge] >= share
        last = reached.shape[-1] - 1 - np.flip(reached, -1).argmax(axis=-1)
        above = np.where(reached.any(axis=-1), last + floor + 1.0, -np.inf) + self.first
        return np.clip(below, self.low, self.high), np.clip(above, self.low, self.high)

    def _positions(self, points: FloatArray) -> FloatArray:
        return np.asarray((points - self.lattice.origin[0]) / self.lattice.step)

    def points(self, positions: FloatArray) -> FloatArray:
        """Positions in cells as points of the space."""
        return np.asarray(self.lattice.origin[0] + self.lattice.step * positions)


def _undone(step: FloatArray, curvature: float) -> FloatArray:
    """The stencil on a step that is 0 before its first cell, which it is there too, and 1 from its last on."""
    wide = np.concatenate([[0.0], step, [1.0]])
    return np.asarray((1 + 2 * curvature) * wide[1:-1] - curvature * (wide[:-2] + wide[2:]))
