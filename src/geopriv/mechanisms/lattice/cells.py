"""The numbers of a Lattice: its grid, the law of its noise, and what its reports estimate."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any

import numpy as np

from geopriv.errors import ReportRejected
from geopriv.mechanisms.guarantee import Pure, require_per_distance
from geopriv.mechanisms.input.deconvolution import RoundSpectrum
from geopriv.mechanisms.lattice.bias import largest_interpolation_bias, likely_bias
from geopriv.mechanisms.lattice.grid import require_flat_space
from geopriv.mechanisms.lattice.moments import interpolant
from geopriv.mechanisms.lattice.noises.base import CellNoise
from geopriv.mechanisms.lattice.noises.product import ProductNoise
from geopriv.mechanisms.lattice.noises.round import RoundNoise
from geopriv.mechanisms.lattice.undoing import BySpectrum, ByStencil, CellGrid, Undoing
from geopriv.queries import Query
from geopriv.spaces import Space
from geopriv.spaces.checks import FloatArray, invalid, numbers, positive
from geopriv.spaces.notes import Positive, Spare, Vector

LEAST, MOST = Fraction(1, 1 << 14), Fraction(1 << 10)  # θ: finer noise is not told apart by its denominator
Core = Annotated[int | None, Spare(description="C of round noise; left out where each axis has noise of its own.")]
FARTHEST = 2.0**50  # steps from the origin: beyond, neighbouring cells are no longer different floats


@dataclass(frozen=True)
class Cells:
    """A public grid, and noise on it.

    Args:
        space: a Line, LogLine, Plane, Euclidean or LocalPlane.
        guarantee: what is promised.
        step: the width of a cell, in the unit of distance.
        theta: θ, rational, with d·θ² ≤ (ε·step)², or with θ ≤ ε·step where there is a core.
        origin: the point of cell (0, …, 0), public.
        core: C of round noise in two and more dimensions; None where each axis has noise of its own.
    """

    space: Space
    guarantee: Pure
    step: Positive
    theta: Fraction
    origin: Vector = ()
    core: Core = None

    def __post_init__(self) -> None:
        require_flat_space(self.space)
        positive("Lattice", "step", self.step)
        object.__setattr__(self, "origin", numbers("Lattice", "origin", self.origin or (0.0,) * self.space.dimension))
        if len(self.origin) != self.space.dimension:
            raise invalid("Lattice", "origin", f"one number for each of {self.space.dimension} axes", self.origin)
        require_per_distance("Lattice", self.guarantee, self.space.distance_unit)
        _require_fraction(self.theta)
        if self.spent > 1:
            raise invalid("Lattice", "theta", self.cell_noise.rule, self.theta)

    @property
    def allowed(self) -> Fraction:
        """The largest loss over one step, exactly: ε·step."""
        return Fraction(self.guarantee.epsilon) * Fraction(self.step)

    @property
    def spent(self) -> Fraction:
        """Exactly, a number that is at most 1 if and only if the promise is proven: what the noise needs of ε·step."""
        return self.cell_noise.spent(self.allowed)

    @property
    def cell_noise(self) -> CellNoise:
        """By which a cell is moved."""
        d = self.space.dimension
        return ProductNoise(self.theta, d) if self.core is None else RoundNoise(self.theta, d, self.core)

    @property
    def grid(self) -> CellGrid:
        """Where cells are."""
        return CellGrid(self.origin, self.step, self.space.point_shape)

    @property
    def undoing(self) -> Undoing:
        """By which reports are made estimates."""
        if self.core is None:
            return ByStencil(self.grid, self.ratio, self.curvature)
        return BySpectrum(self.grid, RoundSpectrum(float(self.theta), self.core, self.step, self.space.dimension))

    @property
    def ratio(self) -> float:
        """The ratio a = 1/(1 + θ), by which noise of one axis falls from one cell to the next; none of round noise."""
        return self.cell_noise.ratio

    @property
    def curvature(self) -> float:
        """The coefficient c = (1 + θ)/θ² of the stencil; none of round noise."""
        return self.cell_noise.curvature

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
        """The probability that one axis of the report is moved by so many cells, where axes are independent.

        Raises:
            InvalidParameter: for round noise.
        """
        if self.core is not None:
            raise invalid("Lattice", "core", "None where the axes are to be independent", self.core)
        return ProductNoise(self.theta, self.space.dimension).of_axis(moved)

    def noise_reach(self, n: int, chance: float) -> int:
        """By how many cells at most noise moves any axis of n reports, but for a chance.

        >>> from geopriv import Lattice, Line
        >>> Lattice.calibrate(Line(), 1.0, step=0.125).noise_reach(1000, 0.005)
        104
        """
        return self.cell_noise.reach(n, chance)

    def log_probability(self, points: FloatArray, reports: FloatArray) -> FloatArray:
        """The logarithm of the probability of reports given true points; shapes broadcast."""
        lower, share = self.place(points)
        moved = reports - lower
        if not self.space.point_shape:
            moved, share = moved[..., None], share[..., None]
        return self.cell_noise.log_rounded(moved, share)

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
        return self.undoing.at_cells(query, cells)

    def target(self, x: Any, query: Query) -> FloatArray:
        """E[contribution] for each value: the multilinear interpolant of f on the grid, exactly."""
        lower, share, shape = self._placed(x, query)
        return interpolant(self.on_cells(query), lower, share).reshape(shape)

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
        """The variance of a contribution at points of the space, flat."""
        lower, share = (part.reshape(-1, self.space.dimension) for part in self.place(points))
        mean = interpolant(self.on_cells(query), lower, share)
        return np.maximum(self.undoing.mean_square(query, lower, share) - mean**2, 0.0)

    def largest_bias(self, query: Query | None = None) -> float:
        """A bound on |E[contribution] − f| over all values: what interpolation leaves, and what undoing misses."""
        if query is None:
            return math.nan
        self._require_space(query)
        left = largest_interpolation_bias(query, self.step, lambda x: self.bias_at(x, query))
        return left + self.undoing.leftover(query)

    def likely_bias(self, query: Query) -> float:
        """About the largest |target − f|: by which grids are chosen. What is stated is `largest_bias`, a bound."""
        return likely_bias(query, self.step, lambda x: self.bias_at(x, query))

    def bias_at(self, points: FloatArray, query: Query) -> FloatArray:
        """Target − f at points of the space, flat."""
        lower, share = (part.reshape(-1, self.space.dimension) for part in self.place(points))
        return interpolant(self.on_cells(query), lower, share) - query.answer(points)

    def on_cells(self, query: Query) -> Callable[[FloatArray], FloatArray]:
        """The query as a function of cells, shape (m, d)."""
        return self.grid.on_cells(query)

    def _placed(self, x: Any, query: Query) -> tuple[FloatArray, FloatArray, tuple[int, ...]]:
        self._require_space(query)
        points, d = self.space.read(x), self.space.dimension
        lower, share = self.place(points)
        return lower.reshape(-1, d), share.reshape(-1, d), points.shape[: points.ndim - len(self.space.point_shape)]

    def _require_space(self, query: Query) -> None:
        if query.space != self.space:
            raise invalid("Lattice", "query", f"on the space of the reports, {self.space}", query.space)


def _require_fraction(theta: object) -> None:
    if not isinstance(theta, Fraction) or not LEAST <= theta <= MOST:
        raise invalid("Lattice", "theta", "a positive Fraction between 2^-14 and 2^10", theta)
