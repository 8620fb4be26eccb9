"""Means over everyone in a city of functions of the distance, for every point of a map."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from scipy import fft

from geopriv.mechanisms.input.fine_grids import FineGrid
from geopriv.spaces.checks import FloatArray
from geopriv_paper.datasets import Places
from geopriv_paper.settings import CITY, KDE_GRID

Curve = Callable[[FloatArray], FloatArray]

_FINER = 8  # nodes of a curve in a step of the fine grid


@dataclass(frozen=True, eq=False)
class Crowd:
    """People on a map in metres, and the grid of places at which densities are asked for.

    The map is a LocalPlane, which never makes a distance longer: what is ε-GP on the map is ε-GP on the ground.

    Args:
        points: metres east and north, shape (n, 2).
        rows: first coordinates of the grid.
        columns: second coordinates.
        source: a sentence for captions.
    """

    points: FloatArray
    rows: FloatArray
    columns: FloatArray
    source: str

    @property
    def width(self) -> int:
        """The paper's w: the diagonal of a cell of the grid, in whole metres."""
        return math.floor(math.hypot(self.rows[1] - self.rows[0], self.columns[1] - self.columns[0]))

    @property
    def centers(self) -> FloatArray:
        """All points of the grid, shape (rows·columns, 2)."""
        return np.stack(np.meshgrid(self.rows, self.columns, indexing="ij"), axis=-1).reshape(-1, 2)

    def draw(self, people: int, rng: np.random.Generator) -> FloatArray:
        """So many people in no order, without replacement while there are enough."""
        return np.asarray(self.points[rng.choice(len(self.points), people, replace=people > len(self.points))])

    @cached_property
    def distances(self) -> FloatArray:
        """At which functions are known to `averages`; between them they are taken as straight."""
        farthest = math.hypot(*(size * self._grid.step for size in self._grid.shape)) / 2
        return np.arange(0.0, farthest + self._grid.step, self._grid.step / _FINER)

    def means(self, curve: Curve) -> FloatArray:
        """The mean over everyone of a function of the distance to each point of the grid, shape (rows·columns,)."""
        return self.averages(curve(self.distances))

    def averages(self, values: FloatArray) -> FloatArray:
        """The same from the function's values at `distances`."""
        grid, nodes = self._grid, self.distances
        kernel = grid.kernel(lambda way: np.interp(np.hypot(way[..., 0], way[..., 1]), nodes, values))
        total = grid.read(grid.convolve(self._spectrum, kernel), self.rows, self.columns)
        return np.asarray(total / len(self.points)).ravel()

    @cached_property
    def _grid(self) -> FineGrid:
        # so wide that no way from a person to a place is longer than half of it
        reach = max(float(np.ptp(self.rows)), float(np.ptp(self.columns))) / 2
        return FineGrid.around(self.rows, self.columns, self.width, reach)

    @cached_property
    def _spectrum(self) -> Any:
        return fft.rfft2(self._grid.spread(self.points), workers=-1)


@lru_cache(maxsize=2)
def crowd(places: Places) -> Crowd:
    """Everyone in the paper's box, and its grid over the whole box."""
    rows, columns = (np.linspace(low, high, KDE_GRID) for low, high in zip(*CITY.rectangle, strict=True))
    return Crowd(CITY.read(places.values), rows, columns, places.source)
