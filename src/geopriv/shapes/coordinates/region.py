"""Signed distances to polygons in the plane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import shapely

from geopriv.shapes.coordinates import near_edges
from geopriv.shapes.coordinates.base import Box, Coordinate
from geopriv.shapes.coordinates.documents import RegionDocument
from geopriv.shapes.coordinates.rings import Rings, inside, least, rings_of, signed, to_segment
from geopriv.spaces import Space
from geopriv.spaces.balls import arb
from geopriv.spaces.checks import FloatArray


@dataclass(frozen=True)
class Region(Coordinate):
    """Signed distance in the plane to a polygon, negative inside; 1-Lipschitz as every signed distance on R^d.

    Args:
        space: with two axes.
        region: polygon with coordinates along them.
    """

    space: Space
    region: shapely.Geometry

    def __call__(self, points: FloatArray) -> FloatArray:
        places = shapely.points(points)
        shapely.prepare(self.region)
        with np.errstate(over="ignore", invalid="ignore"):  # points at 1e160 and beyond are infinitely far
            distance = np.asarray(shapely.distance(self._boundary, places), dtype=np.float64)
        return np.where(shapely.contains(self.region, places), -distance, distance)

    def enclose(self, row: Sequence[float]) -> arb:
        """Floats find the few edges that can be the nearest; balls measure them (`rings`)."""
        bounded, x = self.space.bounded(np.asarray([row])), self.space.enclose(row)
        place, off = bounded.value[0].tolist(), float(bounded.off.max())
        starts, ends = self._rings.edges
        near = near_edges.in_plane(starts, ends, place, off)
        distance = least(to_segment(_seen(starts[i], x), _seen(ends[i], x)) for i in near)
        if distance > 2 * off:  # then the float place, off by less along each axis, is on the same side
            return -distance if inside(place, self._rings.pairs) else distance
        return signed(distance, [[_seen(corner, x) for corner in ring] for ring in self._rings.corners])

    def float_error(self, points: FloatArray, s: FloatArray) -> FloatArray:
        # a cross product of differences over the edge's length: a few roundings of the largest coordinate, and what
        # products of tiny numbers lose
        size = np.abs(points).max(axis=1) + float(np.abs(shapely.bounds(self.region)).max())
        return np.where(size < near_edges.HUGE, near_edges.PLANE_MARGIN * size + near_edges.TINY, np.inf)

    def gradient(self, points: FloatArray) -> FloatArray:
        ways = shapely.shortest_line(shapely.points(points), self._boundary)
        nearest = shapely.get_coordinates(ways).reshape(-1, 2, 2)[:, 1]
        return np.asarray(np.sign(self(points))[:, None] * self.space.away(points, nearest))

    def outline(self, end: float) -> Box:
        low, high, _ = self._core
        return low - end, high + end

    @property
    def _core(self) -> tuple[FloatArray, FloatArray, float]:
        bounds = np.asarray(self.region.bounds)
        return bounds[:2], bounds[2:], 0.0

    @property
    def compact(self) -> bool:
        return True

    @cached_property
    def _boundary(self) -> shapely.Geometry:
        boundary = self.region.boundary
        shapely.prepare(boundary)
        return boundary

    @cached_property
    def _rings(self) -> Rings:
        return Rings.of(self.region)

    @property
    def anchor(self) -> FloatArray:
        return np.asarray(self.region.boundary.interpolate(0.0).coords[0])

    def document(self) -> RegionDocument:
        return {"type": "Region", "rings": [shapely.get_coordinates(ring).tolist() for ring in rings_of(self.region)]}

    def reachable(self, s: FloatArray) -> tuple[FloatArray, FloatArray]:
        # straight to the nearest point of the border; beyond it a corner or a pocket may come nearer
        return np.minimum(s, 0.0), np.maximum(s, 0.0)

    @property
    def alike(self) -> object:
        return "region"  # noise on the input moves regions apart, by no law that is known


def _seen(corner: Sequence[float] | FloatArray, x: Sequence[arb]) -> list[arb]:
    return [arb(float(c)) - p for c, p in zip(corner, x, strict=True)]
