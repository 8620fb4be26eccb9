"""Lattice: an integer report that answers every query, private for every real x."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from geopriv.errors import ReportRejected
from geopriv.mechanisms.base import Mechanism, Simulated
from geopriv.mechanisms.counts import Counts
from geopriv.mechanisms.documented import Documented
from geopriv.mechanisms.guarantee import Guarantee, require_per_distance
from geopriv.mechanisms.lattice.bias import largest_interpolation_bias
from geopriv.mechanisms.lattice.grid import choose_grid, require_flat_space
from geopriv.mechanisms.lattice.moments import (
    distinct,
    interpolant,
    mean_square,
    stencil,
)
from geopriv.mechanisms.lattice.sums import lattice_sums, map_sums
from geopriv.mechanisms.simulation import simulate
from geopriv.mechanisms.sums import Sums
from geopriv.queries import GaussianKernel, Query, RadialQuery
from geopriv.queries.parameters import gaussian_center
from geopriv.queries.questions import Question
from geopriv.spaces import Space
from geopriv.spaces.checks import (
    FloatArray,
    invalid,
    numbers,
    positive,
)

_DENOMINATOR = 1 << 24
_LEAST, _MOST = Fraction(1, 1 << 14), Fraction(1 << 10)  # θ: finer noise is not told apart by its denominator
FARTHEST = 2.0**50  # steps from the origin: beyond, neighbouring cells are no longer different floats


@dataclass(frozen=True)
class Lattice(Documented, Mechanism):
    """A cell of a public grid: x rounded at random to a neighbour, plus two-sided geometric noise, on each axis.

    On each axis x lies between the cells i and i + 1, at the fraction λ. It goes up with probability λ, and then moves
    by m with probability θ/(2 + θ)·(1 + θ)^−|m|. The report is a vector of whole numbers, and answers every query: with
    c = (1 + θ)/θ² the stencil (1 + 2c)·f(k) − c·(f(k − 1) + f(k + 1)), applied along each axis, has the multilinear
    interpolant of f on the grid as its mean, exactly, for any f. `bias` is what interpolation leaves.

    Rough f costs variance, the more the finer the grid (c is about 1/(ε·step)²): on a line a jump costs of the order of
    c^(3/2) and a kink c^(1/2); in the plane a kink along a curve costs c^(5/2). Prefer queries that are smooth over
    several 1/ε; on a line let `calibrate` put kinks on cells, in the plane ask about `Blurred` regions.

    Args:
        space: a Line, LogLine, Plane, Euclidean or LocalPlane.
        guarantee: what `calibrate` proved.
        step: the width of a cell, in the unit of distance.
        theta: θ, rational, with d·θ² ≤ (ε·step)².
        origin: the point of cell (0, …, 0), public.

    >>> from geopriv import Line, Threshold
    >>> query = Threshold(at=100_000, width=16_000, space=Line("USD"))
    >>> m = Lattice.calibrate(Line("USD"), "1 per 8,000 USD", queries=[query])
    >>> m.step, m.origin, m.variance([100_000.0, 150_000.0], query).round(3)
    (5333.333333333333, (92000.0,), array([0.836, 0.015]))
    """

    space: Space
    guarantee: Guarantee
    step: float
    theta: Fraction
    origin: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        require_flat_space(self.space)
        positive("Lattice", "step", self.step)
        object.__setattr__(self, "origin", numbers("Lattice", "origin", self.origin or (0.0,) * self.space.dimension))
        if len(self.origin) != self.space.dimension:
            raise invalid("Lattice", "origin", f"one number for each of {self.space.dimension} axes", self.origin)
        require_per_distance("Lattice", self.guarantee, self.space.distance_unit)
        _require_fraction(self.theta)
        if self.spent > 1:
            raise invalid("Lattice", "theta", "such that d·θ² ≤ (ε·step)²", self.theta)

    @classmethod
    def calibrate(
        cls,
        space: Space,
        epsilon: float | str,
        step: float | None = None,
        queries: Iterable[Query] | None = None,
        largest_bias: float = 1e-3,
    ) -> Lattice:
        """The mechanism for a space at a rate.

        Guarantee: (ε, 0, ∞)-GP for every real x. On each axis the law is linear between cells whose laws differ by a
        factor of at most 1 + θ, so |∂ ln p| ≤ θ/step ≤ ε/√d (T5), and along a unit vector the d axes add up to at most
        ε. Positions must be exact: `place_exactly` makes them so for every point that is a float, which on a Line, a
        Plane and in Euclidean spaces every value is; `report` and devices do so everywhere.

        Args:
            space: a Line, LogLine, Plane, Euclidean or LocalPlane of at most six axes.
            epsilon: per unit of distance, as a number or a sentence.
            step: of the grid; by default 0.1/ε, or what the queries ask for.
            queries: public, for which the grid is chosen. On a line their kinks are put on cells if a grid can do so.
                Of the steps that leave little enough bias the one of the least variance is taken, between 0.1/ε and
                0.8/ε, and a finer one only if it must be.
            largest_bias: that the queries may have.

        Raises:
            InvalidParameter: for the Earth, for steps that leave nothing of θ, and for queries that no sensible grid
                can follow.

        Reference: theory T8; docs/theory/lattices.md.
        """
        require_flat_space(space)
        rate, asked = space.rate(epsilon), tuple(queries or ())
        if step is not None:
            if asked:
                raise invalid("Lattice", "queries", "left out where a step is given", asked)
            return cls.on_grid(space, rate, positive("Lattice", "step", step))
        return choose_grid(cls, space, rate, asked, positive("Lattice", "largest_bias", largest_bias))

    @classmethod
    def on_grid(cls, space: Space, rate: float, step: float, origin: tuple[float, ...] = ()) -> Lattice:
        """The mechanism for a rate on a given grid, with the largest θ that has a denominator of 2^24."""
        allowed = (Fraction(rate) * Fraction(step)) ** 2 / space.dimension
        units = math.isqrt(int(allowed * _DENOMINATOR**2))
        if not _LEAST <= Fraction(units, _DENOMINATOR) <= _MOST:
            least, most = (float(size) * math.sqrt(space.dimension) / rate for size in (_LEAST, _MOST))
            raise invalid("Lattice", "step", f"between {least:.3g} and {most:.3g} at this rate", step)
        promise = Guarantee(rate, unit=space.distance_unit, reference="theory T2, T5 and T8, θ verified exactly")
        return cls(space, promise, step, Fraction(units, _DENOMINATOR), origin)

    @property
    def allowed(self) -> Fraction:
        """The largest loss over one step, exactly: ε·step."""
        return Fraction(self.guarantee.epsilon) * Fraction(self.step)

    @property
    def spent(self) -> Fraction:
        """d·θ²/(ε·step)², exactly: the square of the largest loss over what is promised."""
        return self.space.dimension * self.theta**2 / self.allowed**2

    @property
    def ratio(self) -> float:
        """The ratio a = 1/(1 + θ), by which the noise falls from one cell to the next."""
        return float(1 / (1 + self.theta))

    @property
    def curvature(self) -> float:
        """The coefficient c = (1 + θ)/θ² of the stencil."""
        return float((1 + self.theta) / self.theta**2)

    @property
    def unbiased(self) -> bool:
        """False, since it depends on the query: `largest_bias` says."""
        return False

    def place(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """For each axis of each point the cell i below it, and the fraction λ of the way to i + 1.

        Positions beyond 2^50 steps are taken as 2^50 steps away, which keeps the promise as clamping always does.
        """
        along = np.clip((points - np.reshape(self.origin, self.space.point_shape)) / self.step, -FARTHEST, FARTHEST)
        lower = np.floor(along)
        return lower, along - lower

    def place_exactly(self, point: float, axis: int = 0) -> tuple[int, Fraction]:
        """`place` for one axis of one point without rounding, for samplers that compare integers."""
        along = (Fraction(point) - Fraction(self.origin[axis])) / Fraction(self.step)
        along = min(max(along, -Fraction(FARTHEST)), Fraction(FARTHEST))
        lower = math.floor(along)
        return lower, along - lower

    def noise_probability(self, moved: int) -> Fraction:
        """The probability that one axis of the report is moved by so many cells."""
        return self.theta / (2 + self.theta) / (1 + self.theta) ** abs(moved)

    def log_probability(self, points: FloatArray, reports: FloatArray) -> FloatArray:
        """The logarithm of the probability of reports given true points; shapes broadcast."""
        lower, share = self.place(points)
        a = self.ratio
        moved = reports - lower
        # a^|m| and a^|m − 1| have the smaller of the two powers in common
        common = np.where(moved >= 1, moved - 1, -moved)
        rest = np.where(moved >= 1, (1 - share) * a + share, (1 - share) + share * a)
        axes = np.log(float(self.theta / (2 + self.theta))) - common * math.log1p(float(self.theta)) + np.log(rest)
        return np.asarray(axes.sum(axis=-1) if self.space.point_shape else axes)

    def simulate(self, x: Any, rng: np.random.Generator) -> Simulated:
        """One vector of whole numbers (as floats) for each value of x, from a seeded generator."""

        def release(points: FloatArray, rng: np.random.Generator) -> FloatArray:
            lower, share = self.place(points)
            up = rng.random(lower.shape) < share
            noise = rng.geometric(1 - self.ratio, lower.shape) - rng.geometric(1 - self.ratio, lower.shape)
            return lower + up + noise

        return Simulated(simulate(self.space, x, rng, release))

    def contributions(self, reports: FloatArray, query: Query | None) -> FloatArray:
        """The stencil on f around each reported cell."""
        cells, which = distinct(self.cells(reports))
        return np.asarray(self.at_cells(cells, query)[which])

    def distinct(self, reports: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Each reported cell once, and how often it came."""
        cells, which = distinct(self.cells(reports))
        return cells.reshape(-1, *self.space.point_shape), np.bincount(which).astype(np.float64)

    def sums(self, counts: Counts, question: Question, which: Sequence[int]) -> Sums:
        """What counted cells add up to, for some of a question's queries."""
        if question.product is not None and len(which) == len(question.queries):
            return map_sums(self, counts, question.product)
        return lattice_sums(self, counts, [question.queries[k] for k in which])

    def cells(self, reports: FloatArray) -> FloatArray:
        """Reports as integer vectors of shape (n, d).

        Raises:
            ReportRejected: for what are no cells of a grid.
        """
        reports, shape = np.asarray(reports, dtype=np.float64), self.space.point_shape
        if reports.ndim < 1 or reports.shape[reports.ndim - len(shape) :] != shape:
            sizes = ", ".join(map(str, ("n", *shape)))
            raise ReportRejected(f"Reports of this Lattice must have shape ({sizes}).")
        if not (np.isfinite(reports) & (reports == np.rint(reports)) & (np.abs(reports) < 2.0**53)).all():
            raise ReportRejected("Reports of a Lattice must be whole numbers.")
        return reports.reshape(-1, self.space.dimension)

    def at_cells(self, cells: FloatArray, query: Query | None) -> FloatArray:
        """What a report of each cell (shape (m, d)) adds to the mean that estimates the query."""
        if query is None:
            raise invalid("estimate", "query", "given, since an input report can answer any", query)
        self._require_space(query)
        return stencil(lambda at: self._f(query, at), cells, self.curvature)

    def target(self, x: Any, query: Query) -> FloatArray:
        """E[contribution] for each value: the multilinear interpolant of f on the grid, exactly."""
        lower, share, shape = self._placed(x, query)
        return interpolant(lambda at: self._f(query, at), lower, share).reshape(shape)

    def bias(self, x: Any, query: Query) -> FloatArray:
        """E[contribution] − f(x) for each value, exactly: what interpolation leaves."""
        return self.target(x, query) - query(x)

    def variance(self, x: Any, query: Query) -> FloatArray:
        """The variance of a contribution for each value, to 1e-12 of the largest square around it.

        Raises:
            InvalidParameter: in three and more dimensions where the noise covers too many cells.
        """
        self._require_space(query)
        points = self.space.read(x)
        return self.variance_at(points, query).reshape(points.shape[: points.ndim - len(self.space.point_shape)])

    def variance_at(self, points: FloatArray, query: Query) -> FloatArray:
        """The same at points of the space, flat."""
        d = self.space.dimension
        lower, share = (part.reshape(-1, d) for part in self.place(points))
        center = gaussian_center(query) if isinstance(query, GaussianKernel | RadialQuery) else None
        a, c = self.ratio, self.curvature
        if center is None or d == 1:
            square = mean_square(lambda at: self._f(query, at), lower, share, a, c)
        else:  # a product of functions of one axis each
            square = np.ones(len(lower))
            for j, (middle, origin) in enumerate(zip(center, self.origin, strict=True)):

                def along(at: FloatArray, start: float = origin - middle) -> FloatArray:
                    return query.profile(np.abs(start + self.step * at[:, 0]))

                square *= mean_square(along, lower[:, [j]], share[:, [j]], a, c)
        mean = interpolant(lambda at: self._f(query, at), lower, share)
        return np.maximum(square - mean**2, 0.0)

    def largest_bias(self, query: Query | None = None) -> float:
        """The largest |target − f| over all values: a bound for kernels and linear scores, else the largest found."""
        if query is None:
            return math.nan
        self._require_space(query)
        return largest_interpolation_bias(query, self.step, lambda x: self.bias_at(x, query))

    def bias_at(self, points: FloatArray, query: Query) -> FloatArray:
        """Target − f at points of the space, flat."""
        lower, share = (part.reshape(-1, self.space.dimension) for part in self.place(points))
        return interpolant(lambda at: self._f(query, at), lower, share) - query.answer(points)

    def _f(self, query: Query, cells: FloatArray) -> FloatArray:
        points = np.asarray(self.origin) + self.step * cells
        return query.answer(points.reshape(-1, *self.space.point_shape))

    def _placed(self, x: Any, query: Query) -> tuple[FloatArray, FloatArray, tuple[int, ...]]:
        self._require_space(query)
        points, d = self.space.read(x), self.space.dimension
        lower, share = self.place(points)
        return lower.reshape(-1, d), share.reshape(-1, d), points.shape[: points.ndim - len(self.space.point_shape)]

    def _require_space(self, query: Query) -> None:
        if query.space != self.space:
            raise invalid("Lattice", "query", f"on the space of the reports, {self.space}", query.space)


def _require_fraction(theta: object) -> None:
    if not isinstance(theta, Fraction) or not _LEAST <= theta <= _MOST:
        raise invalid("Lattice", "theta", "a positive Fraction between 2^-14 and 2^10", theta)
