"""Signed distance to a region of the globe."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import shapely

from geopriv.shapes.coordinates.base import Coordinate
from geopriv.spaces import Earth, unit_vectors
from geopriv.spaces.checks import FloatArray

_CHUNK = 1 << 22  # numbers in one temporary matrix: 32 MiB


@dataclass(frozen=True)
class EarthRegionDistance(Coordinate):
    """Signed great-circle distance in metres to a polygon whose edges are great-circle arcs; negative inside.

    The distance is the spherical distance to the nearest arc. The sign comes from the gnomonic projection, which maps
    those same arcs to straight segments, so sign and distance agree on where the border is. The sphere is a length
    space, hence the signed distance is 1-Lipschitz on all of it, and no projection scale has to be paid for.

    Args:
        space: the globe.
        region: polygon with coordinates (longitude, latitude), all within 80° of its middle.
    """

    space: Earth
    region: shapely.Geometry

    REACH = 80.0  # degrees: farther out the gnomonic projection loses precision

    def __call__(self, points: FloatArray) -> FloatArray:
        flat = points.reshape(-1, 2)
        step = max(1, _CHUNK // (3 * len(self._arcs[0])))
        parts = [self._signed(unit_vectors(flat[i : i + step])) for i in range(0, len(flat), step)]
        return np.concatenate(parts).reshape(points.shape[:-1]) if parts else np.zeros(points.shape[:-1])

    def _signed(self, vectors: FloatArray) -> FloatArray:
        corner, foot = self._angles_to_arcs(vectors)
        distance = self.space.radius * np.minimum(corner.min(axis=1), foot.min(axis=1))
        ahead = vectors @ self._frame[2]
        flat = vectors @ self._frame[:2].T / np.maximum(ahead, 1e-9)[:, None]
        inside = (ahead > 1e-9) & shapely.contains(self.gnomonic, shapely.points(flat))
        return np.asarray(np.where(inside, -distance, distance))

    def nearest(self, points: FloatArray) -> FloatArray:
        """The nearest point of the border to each point, shape (n, 2)."""
        start, _, normal = self._arcs
        vectors = unit_vectors(points)
        corner, angle = self._angles_to_arcs(vectors)
        rows, by_corner, by_foot = np.arange(len(points)), corner.argmin(axis=1), angle.argmin(axis=1)
        height = (vectors * normal[by_foot]).sum(axis=-1, keepdims=True)
        on_arc = (angle[rows, by_foot] < corner[rows, by_corner])[:, None]
        x, y, z = np.where(on_arc, vectors - height * normal[by_foot], start[by_corner]).T
        return np.asarray(np.degrees(np.stack([np.arctan2(z, np.hypot(x, y)), np.arctan2(y, x)], axis=-1)))

    def _angles_to_arcs(self, vectors: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Angles to each arc's start, and to the foot of the perpendicular where it is on the arc (else infinity)."""
        start, end, normal = self._arcs
        # arctan2 throughout: arcsin and arccos lose half the digits near their ends, which would look like a jump
        apart, together = (np.linalg.norm(vectors[:, None, :] + sign * start, axis=-1) for sign in (-1, 1))
        corner = 2 * np.arctan2(apart, together)
        # the foot of the perpendicular lies on the arc when the point is in the lune between its two ends
        ahead = vectors @ np.cross(normal, start).T
        within = (ahead >= 0) & (vectors @ np.cross(end, normal).T >= 0)
        angle = np.arctan2(np.abs(vectors @ normal.T), np.hypot(vectors @ start.T, ahead))
        return corner, np.where(within, angle, np.inf)

    @cached_property
    def _arcs(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        starts, ends = [], []
        for ring in _rings(self.region):
            vertices = unit_vectors(shapely.get_coordinates(ring)[:, ::-1])
            starts.append(vertices[:-1])
            ends.append(vertices[1:])
        start, end = np.concatenate(starts), np.concatenate(ends)
        normal = np.cross(start, end - start)  # not of start and end, which would cancel on short edges
        length = np.linalg.norm(normal, axis=-1)
        keep = length > 0  # repeated vertices make no arc
        return start[keep], end[keep], normal[keep] / length[keep, None]

    @cached_property
    def shortest(self) -> float:
        """The least chord of an arc, in radii."""
        start, end, _ = self._arcs
        return float(np.linalg.norm(end - start, axis=-1).min())

    @cached_property
    def _frame(self) -> FloatArray:
        """Rows: two directions on the tangent plane at the middle of the region, and the middle itself."""
        middle = self._arcs[0].sum(axis=0)
        middle /= np.linalg.norm(middle)
        helper = np.eye(3)[np.argmin(np.abs(middle))]
        first = np.cross(helper, middle)
        first /= np.linalg.norm(first)
        return np.stack([first, np.cross(middle, first), middle])

    @property
    def fits(self) -> bool:
        """Whether every vertex lies near enough to the middle for the gnomonic projection."""
        return bool((self._arcs[0] @ self._frame[2]).min() > np.cos(np.radians(self.REACH)))

    @cached_property
    def gnomonic(self) -> shapely.Geometry:
        """The region on the tangent plane at its middle, where great circles are straight."""

        def project(lonlat: FloatArray) -> FloatArray:
            vectors = unit_vectors(lonlat[:, ::-1])
            return np.asarray(vectors @ self._frame[:2].T / (vectors @ self._frame[2])[:, None])

        projected = shapely.transform(self.region, project)
        shapely.prepare(projected)
        return projected

    @property
    def anchor(self) -> FloatArray:
        return np.asarray(self.region.boundary.interpolate(0.0).coords[0][::-1])

    @property
    def alike(self) -> object:
        return "region"

    def reachable(self, s: FloatArray) -> tuple[FloatArray, FloatArray]:
        return np.minimum(s, 0.0), np.maximum(s, 0.0)  # as in the plane


def _rings(region: shapely.Geometry) -> list[shapely.Geometry]:
    polygons = shapely.get_parts(region)
    return [ring for polygon in polygons for ring in (polygon.exterior, *polygon.interiors)]
