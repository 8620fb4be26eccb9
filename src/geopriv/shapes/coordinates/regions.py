"""Signed distances to regions of R^d."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import shapely

from geopriv.shapes.coordinates.base import Coordinate
from geopriv.spaces.checks import FloatArray


@dataclass(frozen=True)
class QuadrantDistance(Coordinate):
    """Signed distance to Q = {p : p ≥ corner}: ‖max(corner − x, 0)‖ outside, −min(x − corner) inside.

    A signed distance is 1-Lipschitz on R^d: on one side it is a distance to a set, and a segment that joins the two
    sides crosses the border (theory T1).
    """

    corner: tuple[float, ...]

    def __call__(self, points: FloatArray) -> FloatArray:
        lack = np.asarray(self.corner) - points
        outside = np.hypot.reduce(np.maximum(lack, 0.0), axis=-1, initial=0.0)
        # with the outside distance zero, the largest lack is −min(x − corner)
        return np.asarray(np.where(outside > 0, outside, lack.max(axis=-1)))

    @property
    def anchor(self) -> FloatArray:
        return np.asarray(self.corner)

    @property
    def moved(self) -> object:
        return self.alike

    @property
    def alike(self) -> object:
        return "quadrant", len(self.corner)

    def reachable(self, s: FloatArray) -> tuple[FloatArray, FloatArray]:
        # towards the nearest point of Q and away from it; inside, behind a corner, depth grows slower than distance
        return np.zeros_like(s), np.full_like(s, np.inf)


@dataclass(frozen=True)
class RegionDistance(Coordinate):
    """Signed distance in the plane to a polygon, negative inside; 1-Lipschitz as every signed distance on R^d."""

    region: shapely.Geometry

    def __call__(self, points: FloatArray) -> FloatArray:
        places = shapely.points(points)
        shapely.prepare(self.region)
        with np.errstate(over="ignore", invalid="ignore"):  # points at 1e160 and beyond are infinitely far
            distance = np.asarray(shapely.distance(self._boundary, places), dtype=np.float64)
        return np.where(shapely.contains(self.region, places), -distance, distance)

    def nearest(self, points: FloatArray) -> FloatArray:
        """The nearest point of the border to each point, shape (n, 2)."""
        ways = shapely.shortest_line(shapely.points(points), self._boundary)
        return np.asarray(shapely.get_coordinates(ways).reshape(-1, 2, 2)[:, 1])

    @cached_property
    def _boundary(self) -> shapely.Geometry:
        boundary = self.region.boundary
        shapely.prepare(boundary)
        return boundary

    @property
    def anchor(self) -> FloatArray:
        return np.asarray(self.region.boundary.interpolate(0.0).coords[0])

    @property
    def alike(self) -> object:
        return "region"  # noise on the input moves regions apart, by no law that is known

    def reachable(self, s: FloatArray) -> tuple[FloatArray, FloatArray]:
        # straight to the nearest point of the border; beyond it a corner or a pocket may come nearer
        return np.minimum(s, 0.0), np.maximum(s, 0.0)
