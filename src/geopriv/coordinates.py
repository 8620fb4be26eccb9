"""1-Lipschitz coordinates: maps from points to the line that never stretch a distance.

|s(x) − s(x')| ≤ dist(x, x') for all x, x'. This is all that a query's geometry owes to privacy (theory T1). Each
class says why it holds.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import shapely

from geopriv.checks import FloatArray
from geopriv.spaces import Earth, LogLine, Space, unit_vectors

_CHUNK = 1 << 22  # numbers in one temporary matrix: 32 MiB
_ROUND = 2.0**-53  # the relative error of one rounding


class Coordinate(ABC):
    """A 1-Lipschitz map from points (already read by the space) to the line."""

    @abstractmethod
    def __call__(self, points: FloatArray) -> FloatArray:
        """S at points of shape (...) on a line or (..., d) elsewhere."""

    @property
    @abstractmethod
    def anchor(self) -> FloatArray:
        """A public point near which s takes the values a profile cares about."""

    @abstractmethod
    def reachable(self, s: FloatArray) -> tuple[FloatArray, FloatArray]:
        """An interval of values s' that from a point at s are found at distance exactly |s − s'|."""

    def rounding(self, extent: float, reach: float) -> float:
        """A bound on |s̃ − s|, both clipped to [−reach, reach], over the recorded points of a space with a resolution.

        Infinite where a class proves none.

        s is the coordinate of the recorded point itself, a whole multiple of the resolution; s̃ is what is computed from
        its nearest float. With u = 2^-53, sums, products, quotients and roots are taken to be right to a factor 1 ± u,
        hypot to 1 ± 2u, and sin, cos and arctan2 to 1 ± 8u (4 units in the last place).

        Args:
            extent: the largest number in a recorded point.
            reach: how far from 0 a mechanism tells coordinates apart.

        Reference: theory T9.
        """
        return math.inf


@dataclass(frozen=True)
class Linear(Coordinate):
    """s(x) = ⟨u, x⟩ + shift with ‖u‖ = 1. 1-Lipschitz by Cauchy–Schwarz.

    Args:
        direction: the unit vector u; a single number ±1 on a line.
        shift: a constant.
        scalar: whether points are plain numbers (a line) instead of vectors.
    """

    direction: tuple[float, ...]
    shift: float
    scalar: bool

    def __call__(self, points: FloatArray) -> FloatArray:
        if self.scalar:
            return self.direction[0] * points + self.shift
        return np.asarray(points @ np.asarray(self.direction) + self.shift)

    @property
    def anchor(self) -> FloatArray:
        foot = -self.shift * np.asarray(self.direction)
        return foot[0] if self.scalar else foot

    def reachable(self, s: FloatArray) -> tuple[FloatArray, FloatArray]:
        return np.full_like(s, -np.inf), np.full_like(s, np.inf)

    def rounding(self, extent: float, reach: float) -> float:
        """Few roundings on a line; d products and sums elsewhere.

        On a line u = ±1, and s̃ = fl(fl(x) + shift) is off by u·|x| + u·|s|, which falls towards 0 with |s|: beyond
        the reach nothing worse is clipped away, within it |x| ≤ reach + |shift|. In d axes each product carries x, u
        and itself rounded (5u), the sum of d terms d more, and Σ|u_j·x_j| ≤ √d·extent.
        """
        if self.scalar:
            return 3 * _ROUND * (reach + abs(self.shift))
        axes = len(self.direction)
        return _ROUND * ((axes + 6) * math.sqrt(axes) * extent + 2 * (reach + abs(self.shift)))


@dataclass(frozen=True)
class Radial(Coordinate):
    """s(x) = dist(x, center) − offset. 1-Lipschitz by the triangle inequality, in every metric space."""

    space: Space
    center: tuple[float, ...]
    offset: float

    def __call__(self, points: FloatArray) -> FloatArray:
        return self.space.between(points, self.anchor) - self.offset

    @cached_property
    def anchor(self) -> FloatArray:
        return np.reshape(self.center, self.space.point_shape)

    def reachable(self, s: FloatArray) -> tuple[FloatArray, FloatArray]:
        if isinstance(self.space, LogLine):  # below its floor there is nothing, so only towards the centre
            return np.full_like(s, -self.offset), s
        farthest = np.pi * self.space.radius if isinstance(self.space, Earth) else np.inf
        return np.full_like(s, -self.offset), np.full_like(s, farthest - self.offset)

    def rounding(self, extent: float, reach: float) -> float:
        """A norm in R^d; an angle between unit vectors on Earth.

        Flat: x is off by u·‖x‖, x − c by u·D more, the norm by 2du·D and s by u·|s|, with D = s + offset the
        distance; all grow slower than D itself, so beyond the reach nothing worse is clipped away, and within it ‖x‖
        ≤ √d·max|c| + D. On Earth an angle in degrees is recorded to 5u and turned into radians to 3u, so latitude and
        longitude are off by 8u·(1.5 + π) ≤ 38u and a unit vector, with its sines and cosines, by 55u. ‖a − b‖ and ‖a
        + b‖ are then off by 118u, the angle 2·arctan2 of them by √2·118u + 26u (its gradient is 1/√(‖a−b‖² + ‖a+b‖²)
        = 1/2), and two products and the offset add 12u.
        """
        if isinstance(self.space, Earth):
            return 256 * _ROUND * (self.space.radius + abs(self.offset))
        axes = len(self.center)
        size = math.sqrt(axes) * max(map(abs, self.center)) + reach + abs(self.offset)
        return _ROUND * (2 * axes + 4) * size


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

    def reachable(self, s: FloatArray) -> tuple[FloatArray, FloatArray]:
        # towards the nearest point of Q and away from it; inside, behind a corner, depth grows slower than distance
        return np.zeros_like(s), np.full_like(s, np.inf)

    def rounding(self, extent: float, reach: float) -> float:
        """As for a distance to a point.

        Axes on which x lacks nothing do not enter outside. On the others |x_j| ≤ |c_j| + D with D the distance, so x
        is off by u·(‖c‖ + D), the lack by u·D and the norm by 2du·D.
        """
        axes = len(self.corner)
        size = math.sqrt(axes) * max(map(abs, self.corner)) + reach
        return _ROUND * (2 * axes + 4) * size


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

    def reachable(self, s: FloatArray) -> tuple[FloatArray, FloatArray]:
        # straight to the nearest point of the border; beyond it a corner or a pocket may come nearer
        return np.minimum(s, 0.0), np.maximum(s, 0.0)

    def rounding(self, extent: float, reach: float) -> float:
        """What the distance of GEOS to a segment is off by.

        GEOS takes |(A − x) × (B − A)|/‖B − A‖ or the distance to an end, and its test of the side is exact. With W
        the largest |coordinate| of the region and D the distance, x is off by 2u·(W + D), the differences by u·(4W +
        D), the cross product by 4u of its two terms, each at most (3W + D)·‖B − A‖; quotient and root add 4u·D.
        Taking the wrong one of foot and end costs no more than the foot is off, and a wrong side no more than twice
        what x is off.
        """
        size = float(np.abs(shapely.get_coordinates(self.region)).max())
        return 64 * _ROUND * (size + reach)


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

    def reachable(self, s: FloatArray) -> tuple[FloatArray, FloatArray]:
        return np.minimum(s, 0.0), np.maximum(s, 0.0)  # as in the plane

    def rounding(self, extent: float, reach: float) -> float:
        """What the angle to an arc, its ends and its side are off by.

        Unit vectors are off by 55u (see Radial), so the distance to an end by 205u. The normal of an arc of length ℓ
        is turned by at most 110u/ℓ around its start: at feet on the arc, which is shorter than 160°, that moves the
        great circle by 110u/sin 160° ≤ 330u, and the angle to it is off by √2·(330u + 60u) + 26u ≤ 580u. A foot so
        close to an end that it is put on the wrong side has a distance to the circle that differs from the one to the
        end by at most 8·(128u/ℓ)² within 1.2 radians of the border, and by 256u/ℓ anywhere. A side is wrong only
        where the border, whose ends are off by 65u and which an arc of 160° moves at most 6 times as far, lies within
        65u + 390u: twice that. Altogether 1,500u and the terms in ℓ.
        """
        start, end, _ = self._arcs
        tilt = 128 * _ROUND / float(np.linalg.norm(end - start, axis=-1).min())
        far = 2 * tilt if reach > 1.2 * self.space.radius else 0.0
        return self.space.radius * (2048 * _ROUND + 8 * tilt**2 + far)


@dataclass(frozen=True)
class Scaled(Coordinate):
    """s(x) = f(x)/K for a user's function f with Lipschitz constant K: 1-Lipschitz exactly when K is right.

    Nothing is known of how the function rounds, so no bound is claimed.
    """

    space: Space
    function: Callable[[FloatArray], FloatArray]
    constant: float

    def __call__(self, points: FloatArray) -> FloatArray:
        shape = points.shape[: points.ndim - len(self.space.point_shape)]
        values = np.asarray(self.function(self.space.values(points)), dtype=np.float64)
        return np.broadcast_to(values, shape) / self.constant

    @property
    def anchor(self) -> FloatArray:
        return np.zeros(self.space.point_shape)

    def reachable(self, s: FloatArray) -> tuple[FloatArray, FloatArray]:
        return s, s  # nothing is known of the function but a bound on its slope


def _rings(region: shapely.Geometry) -> list[shapely.Geometry]:
    polygons = shapely.get_parts(region)
    return [ring for polygon in polygons for ring in (polygon.exterior, *polygon.interiors)]
