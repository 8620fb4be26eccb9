"""Signed distances to polygons: exact in the plane, in floats on the globe.

A sign by counting crossings and a distance to the same edges make a function that is 1-Lipschitz whatever the edges
are: the sign changes only where the distance is 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

from geopriv.device.charges import ROUND
from geopriv.device.reading import number, refuse
from geopriv.device.spaces import Point
from geopriv.device.surds import Surd

Edge = tuple[Point, Point]
Vector = tuple[float, float, float]

_REACH = 80.0  # degrees: farther out the gnomonic projection loses precision
_TINY = 1e-290  # products below may have lost digits


def read_rings(polygon: Any) -> list[list[Point]]:
    """The rings of a GeoJSON Polygon or MultiPolygon, each closed."""
    kind = polygon.get("type") if isinstance(polygon, dict) else None
    if kind not in ("Polygon", "MultiPolygon") or not isinstance(polygon.get("coordinates"), list):
        raise refuse("Geofence.polygon", "a GeoJSON Polygon or MultiPolygon", kind)
    parts = [polygon["coordinates"]] if kind == "Polygon" else polygon["coordinates"]
    rings = [[_corner(corner) for corner in _list(ring)] for part in parts for ring in _list(part)]
    if not rings or any(len(ring) < 4 or ring[0] != ring[-1] for ring in rings):
        raise refuse("Geofence.polygon", "made of closed rings", kind)
    return rings


def _list(part: Any) -> list[Any]:
    if not isinstance(part, list):
        raise refuse("Geofence.polygon", "made of lists", type(part).__name__)
    return part


def _corner(corner: Any) -> Point:
    if not isinstance(corner, list) or len(corner) != 2:
        raise refuse("Geofence.polygon", "made of pairs of numbers", type(corner).__name__)
    return tuple(number(part, "Geofence.polygon") for part in corner)


def edges_of(rings: Sequence[Sequence[Point]]) -> list[Edge]:
    """All edges but those without length."""
    return [(a, b) for ring in rings for a, b in pairwise(ring) if a != b]


@dataclass(frozen=True)
class FlatRegion:
    """A polygon of the plane."""

    edges: list[Edge]

    @cached_property
    def size(self) -> float:
        """The largest |coordinate|."""
        return max(abs(x) for edge in self.edges for corner in edge for x in corner)

    def distance(self, point: Point) -> Surd:
        """Signed, negative inside, exactly: floats only rule out edges that cannot be the nearest."""
        about = [_about(point, edge) for edge in self.edges]
        least = min(about)
        limit = least + 512 * ROUND * (self.size + max(map(abs, point)) + least)
        near = [edge for edge, away in zip(self.edges, about, strict=True) if not away > limit]
        square = min(_square(point, edge) for edge in near)
        return Surd(Fraction(0), -1 if inside(point, self.edges) else 1, square)


def _about(point: Point, edge: Edge) -> float:
    """The distance to an edge in floats; 0 where it is not known."""
    (px, py), ((ax, ay), (bx, by)) = point, edge
    dx, dy, x, y = bx - ax, by - ay, px - ax, py - ay
    length = math.hypot(dx, dy)
    if not (math.isfinite(length) and length > 0):
        return 0.0
    along = (x * dx + y * dy) / length
    if along <= 0:
        away = math.hypot(x, y)
    elif along >= length:
        away = math.hypot(px - bx, py - by)
    else:
        away = abs(x * dy - y * dx) / length
    return away if math.isfinite(away) else 0.0


def _square(point: Point, edge: Edge) -> Fraction:
    """The squared distance to an edge, exactly."""
    px, py = map(Fraction, point)
    (ax, ay), (bx, by) = (tuple(map(Fraction, corner)) for corner in edge)
    dx, dy, x, y = bx - ax, by - ay, px - ax, py - ay
    along, length = x * dx + y * dy, dx * dx + dy * dy
    if along <= 0:
        return x * x + y * y
    if along >= length:
        return (px - bx) ** 2 + (py - by) ** 2
    return Fraction((x * dy - y * dx) ** 2, length)


def inside(point: Point, edges: Sequence[Edge]) -> bool:
    """Whether a ray to the right crosses the edges an odd number of times, exactly."""
    px, py = point
    odd = False
    for (ax, ay), (bx, by) in edges:
        if (ay > py) != (by > py):
            odd ^= (_side(px, py, ax, ay, bx, by) > 0) == (by > ay)
    return odd


def _side(px: float, py: float, ax: float, ay: float, bx: float, by: float) -> int:
    """The sign of (b − a) × (p − a): floats where they are certain, fractions elsewhere."""
    first, second = (bx - ax) * (py - ay), (px - ax) * (by - ay)
    if abs(first - second) > 8 * ROUND * (abs(first) + abs(second)) + _TINY:
        return 1 if first > second else -1
    a, b, c, d, e, f = map(Fraction, (px, py, ax, ay, bx, by))
    exact = (e - c) * (b - d) - (a - c) * (f - d)
    return (exact > 0) - (exact < 0)


def unit_vector(place: Point) -> Vector:
    """(latitude, longitude) in degrees as a unit vector."""
    latitude, longitude = math.radians(place[0]), math.radians(place[1])
    return math.cos(latitude) * math.cos(longitude), math.cos(latitude) * math.sin(longitude), math.sin(latitude)


def angle(a: Vector, b: Vector) -> float:
    """Kahan's angle between unit vectors: accurate for close points and for antipodes."""
    return 2 * math.atan2(math.dist(a, b), math.hypot(a[0] + b[0], a[1] + b[1], a[2] + b[2]))


@dataclass(frozen=True)
class Arc:
    """A great-circle arc: its ends, its unit normal, and the two normals that bound the lune between its ends."""

    start: Vector
    end: Vector
    normal: Vector
    ahead: Vector
    behind: Vector

    def angle_to(self, place: Vector) -> float:
        """To the foot of the perpendicular where it is on the arc, else to the start."""
        forward = _dot(place, self.ahead)
        corner = angle(place, self.start)
        if forward >= 0 and _dot(place, self.behind) >= 0:
            return min(corner, math.atan2(abs(_dot(place, self.normal)), math.hypot(_dot(place, self.start), forward)))
        return corner


@dataclass(frozen=True)
class GlobeRegion:
    """A polygon of great-circle arcs on a sphere, within 80° of its middle; formulas as in EarthRegionDistance."""

    radius: float
    arcs: list[Arc]
    frame: tuple[Vector, Vector, Vector]
    shadow: list[Edge]

    @property
    def shortest(self) -> float:
        """The least chord of an arc, in radii."""
        return min(math.dist(arc.start, arc.end) for arc in self.arcs)

    def distance(self, place: Point) -> Surd:
        """Signed, negative inside, in floats."""
        vector = unit_vector(place)
        away = self.radius * min(arc.angle_to(vector) for arc in self.arcs)
        flat = _gnomonic(vector, self.frame)
        return Surd(Fraction(-away if flat is not None and inside(flat, self.shadow) else away))


def globe_region(radius: float, rings: Sequence[Sequence[Point]]) -> GlobeRegion:
    """The region of rings in (longitude, latitude).

    Raises:
        InvalidDesign: for one that reaches too far around the globe.
    """
    corners = [[unit_vector(corner[::-1]) for corner in ring] for ring in rings]
    arcs = [arc for ring in corners for a, b in pairwise(ring) if (arc := _arc(a, b)) is not None]
    if not arcs:
        raise refuse("Geofence.polygon", "a polygon with an area", "a point")
    middle = [math.fsum(arc.start[i] for arc in arcs) for i in range(3)]
    if not math.hypot(*middle) > 0:
        raise refuse("Geofence.polygon", "within 80° of its middle on Earth", "one around the globe")
    total = _scaled(middle)
    helper = [0.0, 0.0, 0.0]
    helper[min(range(3), key=lambda i: abs(total[i]))] = 1.0
    first = _scaled(_cross((helper[0], helper[1], helper[2]), total))
    frame = first, _cross(total, first), total
    if min(_dot(arc.start, total) for arc in arcs) <= math.cos(math.radians(_REACH)):
        raise refuse("Geofence.polygon", "within 80° of its middle on Earth", "a larger one")
    flat = [[_gnomonic(vector, frame) or (0.0, 0.0) for vector in ring] for ring in corners]
    return GlobeRegion(radius, arcs, frame, edges_of(flat))


def _arc(start: Vector, end: Vector) -> Arc | None:
    # not of start and end, which would cancel on short edges
    turned = _cross(start, (end[0] - start[0], end[1] - start[1], end[2] - start[2]))
    if not math.hypot(*turned) > 0:
        return None
    normal = _scaled(turned)
    return Arc(start, end, normal, _cross(normal, start), _cross(end, normal))


def _gnomonic(vector: Vector, frame: tuple[Vector, Vector, Vector]) -> Point | None:
    """On the tangent plane at the middle, where great circles are straight; None on the far side."""
    ahead = _dot(vector, frame[2])
    return (_dot(vector, frame[0]) / ahead, _dot(vector, frame[1]) / ahead) if ahead > 1e-9 else None


def _dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _scaled(vector: Sequence[float]) -> Vector:
    length = math.hypot(*vector)
    return vector[0] / length, vector[1] / length, vector[2] / length
