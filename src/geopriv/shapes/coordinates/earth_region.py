"""Signed distance to a region of the globe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np
import shapely

from geopriv.shapes.coordinates import near_edges
from geopriv.shapes.coordinates.base import Coordinate
from geopriv.shapes.coordinates.documents import EarthRegionDocument
from geopriv.shapes.coordinates.rings import Rings, Vector, least, rings_of, signed
from geopriv.spaces import Earth, unit_vectors
from geopriv.spaces.balls import angle, arb, cross, dot, precision, turn, unit_vector
from geopriv.spaces.checks import FloatArray

_CHUNK = 1 << 22  # numbers in one temporary matrix: 32 MiB


@dataclass(frozen=True)
class EarthRegion(Coordinate):
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

    def enclose(self, row: Sequence[float]) -> arb:
        """Floats find the few arcs that can be the nearest; balls measure them (`rings`)."""
        x, place = unit_vector(row), unit_vectors(np.asarray(row))
        corners = _corners(self, precision())
        arcs = [edge for ring in corners for edge in pairwise(ring)]
        angle_to = least(_to_arc(x, *arcs[i]) for i in near_edges.on_earth(self._near_arcs, place))
        distance = self.space.radius * angle_to
        if angle_to > near_edges.SIDE_MARGIN:
            return -distance if self._floats_inside(place) else distance
        # any linear map turns great circles into straight lines of the tangent plane
        frame = [[arb(float(number)) for number in axis] for axis in self._frame]
        here = [dot(x, axis) / dot(x, frame[2]) for axis in frame[:2]]
        rings = [
            [[dot(c, axis) / dot(c, frame[2]) - at for axis, at in zip(frame[:2], here, strict=True)] for c in ring]
            for ring in corners
        ]
        return signed(distance, rings)

    def _floats_inside(self, place: FloatArray) -> bool:
        """Whether a unit vector is inside, seen on the tangent plane; what is not well ahead of the middle is not."""
        first, second, ahead = (self._frame @ place).tolist()
        return ahead > 0.1 and bool(shapely.contains_xy(self.gnomonic, first / ahead, second / ahead))

    def float_error(self, points: FloatArray, s: FloatArray) -> FloatArray:
        """What the angle to an arc, its ends and its side are off by, in metres.

        Unit vectors are off by 55u, so the distance to an end by 205u. The normal of an arc of length ℓ is turned by at
        most t = 128u/ℓ around its start: at feet on the arc, which is shorter than 160°, that moves the great circle by
        110u/sin 160° ≤ 330u, and the angle to it is off by √2·(330u + 60u) + 26u ≤ 580u. At the height h above the
        circle a foot may be put on the wrong side of an end while it is within t·sin h of it; then the distances to
        circle and end differ by at most 8t² up to 1.2 radians from the border, and by 2t anywhere. A side is wrong only
        where the border, whose ends are off by 65u and which an arc of 160° moves at most 6 times as far, lies within
        65u + 390u: twice that. Altogether 1,500u and the terms in t. Of arcs below 1e-8 radians nothing is claimed.
        """
        if self.shortest < 1e-8:
            return np.full(len(s), np.inf)
        turned = 128 * 2.0**-53 / self.shortest
        far = np.abs(s) > 1.1 * self.space.radius
        return np.asarray(self.space.radius * (2.0**-42 + 8 * turned**2 + np.where(far, 2 * turned, 0.0)))

    def gradient(self, points: FloatArray) -> FloatArray:
        return np.asarray(np.sign(self(points))[:, None] * self.space.away(points, self._nearest(points)))

    def _nearest(self, points: FloatArray) -> FloatArray:
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
        for ring in rings_of(self.region):
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

    @cached_property
    def _rings(self) -> Rings:
        return Rings.of(self.region)

    @cached_property
    def _near_arcs(self) -> near_edges.Arcs:
        starts, ends = self._rings.edges
        return near_edges.Arcs.between(unit_vectors(starts[:, ::-1]), unit_vectors(ends[:, ::-1]))

    @property
    def _core(self) -> tuple[FloatArray, FloatArray, float]:
        west, south, east, north = self.region.bounds
        return np.array([south, west]), np.array([north, east]), 0.0

    @property
    def compact(self) -> bool:
        return True

    @property
    def anchor(self) -> FloatArray:
        return np.asarray(self.region.boundary.interpolate(0.0).coords[0][::-1])

    @property
    def alike(self) -> object:
        return "region"

    def reachable(self, s: FloatArray) -> tuple[FloatArray, FloatArray]:
        return np.minimum(s, 0.0), np.maximum(s, 0.0)  # as in the plane

    def document(self) -> EarthRegionDocument:
        rings = [shapely.get_coordinates(ring).tolist() for ring in rings_of(self.region)]
        return {"type": "EarthRegion", "rings": rings}


@lru_cache(maxsize=64)
def _corners(geometry: EarthRegion, bits: int) -> list[list[list[arb]]]:
    """The corners of every ring as unit vectors at a precision; with fewer bits than it was asked for, still right."""
    return [[unit_vector(corner[::-1]) for corner in ring] for ring in geometry._rings.corners]


def _to_arc(x: Vector, a: Vector, b: Vector) -> arb:
    """The angle between a unit vector and the arc from a to b."""
    ends = angle(x, a).min(angle(x, b))
    normal = cross(a, b)
    before, after = dot(x, cross(normal, a)), dot(x, cross(b, normal))
    if before < 0 or after < 0:
        return ends
    height = abs(dot(x, normal))
    # products, since the power of a ball around 0 is not a number
    foot = turn(height, (dot(x, x) * dot(normal, normal) - height * height).nonnegative_part().sqrt())
    if before > 0 and after > 0:
        return foot
    # either way an arc is no nearer than its ends by more than its length, which may be 0
    return foot.min(ends).max(ends - angle(a, b)).union(ends)
