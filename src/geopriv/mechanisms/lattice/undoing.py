"""How the noise of a Lattice is undone: what a report adds to a query, and what is known of that before it comes."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from geopriv.errors import InvalidParameter
from geopriv.mechanisms.input.deconvolution import Inverse, RoundSpectrum, undo_noise
from geopriv.mechanisms.lattice.bounds import stencil_bounds
from geopriv.mechanisms.lattice.crowds import Crowd, SpectrumCrowd, StencilCrowd
from geopriv.mechanisms.lattice.moments import interpolant, mean_square, on_box, stencil
from geopriv.queries import Query
from geopriv.queries.brackets import Bracket, bracket, near_border
from geopriv.queries.held import held
from geopriv.spaces.checks import FloatArray, invalid

_NARROW = 0.6  # of √C cells: the bandwidth from which on a Gaussian falls faster than the spectrum of round noise


@dataclass(frozen=True)
class CellGrid:
    """A grid, as far as noise is undone on it.

    Args:
        origin: the point of cell (0, …, 0).
        step: the width of a cell.
        point_shape: of a point of the space.
    """

    origin: tuple[float, ...]
    step: float
    point_shape: tuple[int, ...]

    def points(self, cells: FloatArray) -> FloatArray:
        """Where cells are, of the shape that the space has."""
        return (np.asarray(self.origin) + self.step * cells).reshape(-1, *self.point_shape)

    def on_cells(self, query: Query) -> Callable[[FloatArray], FloatArray]:
        """The query as a function of cells."""
        return lambda cells: query.answer(self.points(cells))

    def on_box(self, query: Query, first: FloatArray, sizes: FloatArray) -> FloatArray:
        """The query at all cells of a box; in the plane its coordinate is looked at only where the query is not level.

        Args:
            query: on the space of the grid.
            first: the lowest cell of the box.
            sizes: how many cells it has along each axis.
        """
        counts = sizes.astype(int).tolist()
        if not (query.has_profile and query.space.flat and query.profile.levels_off and len(counts) == 2):
            return on_box(self.on_cells(query), first, counts)
        axes = [
            start + self.step * (k + np.arange(float(n)))
            for start, k, n in zip(self.origin, first, counts, strict=True)
        ]
        return query.profile(near_border(query.geometry, axes, 1.001 * max(map(abs, query.profile.landmarks))))


class Undoing(ABC):
    """What makes unbiased estimates of reported cells."""

    @property
    @abstractmethod
    def spectrum(self) -> RoundSpectrum | None:
        """Of noise that is undone by its spectrum; None where it is undone otherwise."""

    @abstractmethod
    def at_cells(self, query: Query, cells: FloatArray) -> FloatArray:
        """What a report of each cell (shape (m, d)) adds to the mean that estimates the query."""

    @abstractmethod
    def mean_square(self, query: Query, lower: FloatArray, share: FloatArray) -> FloatArray:
        """E[contribution²] for people at the fractions `share` along the cells that start at `lower`."""

    @abstractmethod
    def leftover(self, query: Query) -> float:
        """What it may miss of the interpolant on the grid: a bound on a bias, from tables and splines."""

    @abstractmethod
    def bounds(self, query: Query) -> tuple[float, float] | None:
        """Between which two numbers contributions lie, whatever is reported: proven; None where there is no bound."""

    @abstractmethod
    def bracket(self, query: Query, reach: float) -> Bracket | None:
        """What holds a query's plain question between them; None where nothing does.

        Args:
            query: whose plain question it is.
            reach: over which both fade.
        """

    @abstractmethod
    def crowd(self, points: FloatArray, weights: FloatArray) -> Crowd:
        """People at points of the space, of what reports of theirs add to brackets on average."""

    @abstractmethod
    def undoes(self, query: Query) -> bool:
        """Whether it can: whether the query is smooth enough."""


@dataclass(frozen=True)
class ByStencil(Undoing):
    """The stencil of three cells on each axis that undoes independent two-sided geometric noise (theory T8).

    Args:
        grid: of the cells.
        ratio: by which the noise falls from cell to cell.
        curvature: c of the stencil.
    """

    grid: CellGrid
    ratio: float
    curvature: float

    @property
    def spectrum(self) -> None:
        return None

    def at_cells(self, query: Query, cells: FloatArray) -> FloatArray:
        return stencil(self.grid.on_cells(query), cells, self.curvature)

    def mean_square(self, query: Query, lower: FloatArray, share: FloatArray) -> FloatArray:
        if query.bell is None or lower.shape[1] == 1:
            return mean_square(self.grid.on_cells(query), lower, share, self.ratio, self.curvature)
        square = np.ones(len(lower))  # a product of functions of one axis each
        apex = float(query.geometry.apex or 0.0)
        for j, (middle, origin) in enumerate(zip(query.geometry.anchor, self.grid.origin, strict=True)):

            def along(at: FloatArray, start: float = origin - middle) -> FloatArray:
                return query.profile(np.abs(start + self.grid.step * at[:, 0]) + apex)

            square *= mean_square(along, lower[:, [j]], share[:, [j]], self.ratio, self.curvature)
        return square

    def leftover(self, query: Query) -> float:
        return 0.0

    def undoes(self, query: Query) -> bool:
        return True

    def bounds(self, query: Query) -> tuple[float, float] | None:
        return stencil_bounds(self, query)

    def bracket(self, query: Query, reach: float) -> Bracket | None:
        return bracket(query, self.origin, self.step, max(1, round(reach / self.step)))

    def crowd(self, points: FloatArray, weights: FloatArray) -> Crowd:
        return StencilCrowd(self, points, weights)

    @property
    def origin(self) -> tuple[float, ...]:
        """The point of cell (0, …, 0)."""
        return self.grid.origin

    @property
    def step(self) -> float:
        """The width of a cell."""
        return self.grid.step

    def on_cells(self, query: Query) -> Callable[[FloatArray], FloatArray]:
        """The query as a function of cells."""
        return self.grid.on_cells(query)

    def on_box(self, query: Query, first: FloatArray, sizes: FloatArray) -> FloatArray:
        """The query at all cells of a box."""
        return self.grid.on_box(query, first, sizes)


@dataclass(frozen=True)
class BySpectrum(Undoing):
    """The function of points whose spectrum is the query's over that of round noise (theory T6 and T8′).

    Args:
        grid: of the cells.
        noise: its spectrum, in the unit of distance.
    """

    grid: CellGrid
    noise: RoundSpectrum

    @property
    def spectrum(self) -> RoundSpectrum:
        return self.noise

    def inverse(self, query: Query) -> Inverse:
        """The function of points.

        Raises:
            InvalidParameter: for a query that is too rough.
        """
        try:
            return undo_noise(query, self.noise)
        except InvalidParameter:
            rule = (
                "smooth enough for round noise to be undone: a GaussianKernel, or Blurred(query, bandwidth); "
                "noise='product' answers rough queries too"
            )
            raise invalid("Lattice", "query", rule, type(query).__name__) from None

    def at_cells(self, query: Query, cells: FloatArray) -> FloatArray:
        return self.inverse(query)(self.grid.points(cells))

    def mean_square(self, query: Query, lower: FloatArray, share: FloatArray) -> FloatArray:
        square = self.inverse(query).second_moment
        return interpolant(lambda cells: square(self.grid.points(cells)), lower, share)

    def leftover(self, query: Query) -> float:
        return self.inverse(query).error

    def undoes(self, query: Query) -> bool:
        if not query.has_profile:
            return query.gridded  # which is computed when it is needed
        try:
            self.inverse(query)
        except InvalidParameter:
            return False
        return True

    def bounds(self, query: Query) -> tuple[float, float] | None:
        return self.inverse(query).bounds

    def bracket(self, query: Query, reach: float) -> Bracket | None:
        narrow = _NARROW * math.sqrt(self.noise.core) * self.grid.step
        return held(query, self.grid.origin, self.grid.step, reach / 2, narrow, self.noise.rate)

    def crowd(self, points: FloatArray, weights: FloatArray) -> Crowd:
        return SpectrumCrowd(self, points, weights)
