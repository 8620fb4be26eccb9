"""Signed distances to polygons of the plane, enclosed at a point that is known between whole numbers.

A sign by counting crossings and a distance to the same edges make a function that is 1-Lipschitz whatever the edges
are: the sign changes only where the distance is 0. Floats only rule out edges that cannot be the nearest, each with an
error of its own size, so that one far corner does not make all others uncertain.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from geopriv.device.intervals import (
    Interval,
    dot,
    exact,
    length,
)
from geopriv.device.reading import CORNERS, number, refuse
from geopriv.device.runs import (
    Run,
    crossed_runs,
    near_runs,
    runs_of,
)
from geopriv.device.values import Place, Point

Edge = tuple[Place, Place]
Number = float | Fraction
Bound = tuple[float, float, int]  # from and to which a number can be, and whose it is

_ROUND = 2.0**-44  # of the coordinates of an edge and a point: what a distance in floats may be off by
_FEW = 16  # edges that are measured exactly at once
_TINY = 1e-150  # products of numbers below may have lost digits


def read_rings(polygon: Any) -> list[list[Place]]:
    """The rings of a GeoJSON Polygon or MultiPolygon, each closed."""
    kind = polygon.get("type") if isinstance(polygon, dict) else None
    if kind not in ("Polygon", "MultiPolygon") or not isinstance(polygon.get("coordinates"), list):
        raise refuse("Geofence.polygon", "a GeoJSON Polygon or MultiPolygon", kind)
    parts = [polygon["coordinates"]] if kind == "Polygon" else polygon["coordinates"]
    lists = [_list(ring) for part in parts for ring in _list(part)]
    if sum(map(len, lists)) > CORNERS:
        raise refuse("Geofence.polygon", f"made of at most {CORNERS} corners", sum(map(len, lists)))
    rings = [[_corner(corner) for corner in ring] for ring in lists]
    if not rings or any(len(ring) < 4 or ring[0] != ring[-1] for ring in rings):
        raise refuse("Geofence.polygon", "made of closed rings", kind)
    return rings


def _list(part: Any) -> list[Any]:
    if not isinstance(part, list):
        raise refuse("Geofence.polygon", "made of lists", type(part).__name__)
    return part


def _corner(corner: Any) -> Place:
    if not isinstance(corner, list) or len(corner) != 2:
        raise refuse("Geofence.polygon", "made of pairs of numbers", type(corner).__name__)
    return tuple(number(part, "Geofence.polygon") for part in corner)


def flat_region(rings: Sequence[Sequence[Place]]) -> FlatRegion:
    """The region of rings; corners that stand twice in a row make no edge.

    Raises:
        InvalidDesign: for one without an edge.
    """
    edges = [(a, b) for ring in rings for a, b in pairwise(ring) if a != b]
    if not edges:
        raise refuse("Geofence.polygon", "a polygon with an area", "a point")
    return FlatRegion(edges, runs_of(len(edges), edges.__getitem__, edges.__getitem__, lambda k: 0.0))


@dataclass(frozen=True)
class FlatRegion:
    """A polygon of the plane, as its edges."""

    edges: list[Edge]
    runs: list[Run]

    def enclose(self, point: Point) -> Interval:
        """The signed distance, negative inside."""
        middle = tuple(part.middle() for part in point)
        near = candidates(self._bounds(point, middle))
        return self._signed(point, middle, least([_to_segment(point, *self.edges[k]) for k in near]))

    def rough(self, point: Point) -> Interval | None:
        """The same to what floats can tell, where many edges are nearly as near as the nearest; None elsewhere."""
        middle = tuple(part.middle() for part in point)
        distance = rough_least(self._bounds(point, middle), point[0].bits)
        return None if distance is None else self._signed(point, middle, distance)

    def _bounds(self, point: Point, middle: tuple[Fraction, ...]) -> list[Bound]:
        """The edges that may be the nearest, with bounds on their distances."""
        place = tuple(_float(part) for part in middle)
        wide = sum(_float(Fraction(part.high - part.low, 1 << part.bits)) for part in point)
        near = near_runs(self.runs, place, wide)
        return [(*_about(place, self.edges[k], wide), k) for run in near for k in run.edges]

    def _signed(self, point: Point, middle: tuple[Fraction, ...], distance: Interval) -> Interval:
        """The distance with its sign.

        The box in which the point lies is on one side as a whole if it is smaller than its distance from the border;
        then its middle tells the side. Else the distance is so small that both signs are left possible.
        """
        if distance.low <= sum(part.high - part.low for part in point):
            return Interval(-distance.high, distance.high, distance.bits)
        crossed = crossed_runs(self.runs, *map(_float, middle))
        edges = [self.edges[k] for run in crossed for k in run.edges]
        return -distance if inside(middle, edges) else distance


def candidates(bounds: Sequence[Bound]) -> list[int]:
    """Which of several numbers, each between two bounds, can be the least."""
    limit = min(high for _, high, _ in bounds)
    return [k for low, _, k in bounds if not low > limit]


def rough_least(bounds: Sequence[Bound], bits: int) -> Interval | None:
    """The least of several numbers that are not negative, from their bounds; None if few can be it, or are bounded."""
    low, high = min(low for low, _, _ in bounds), min(high for _, high, _ in bounds)
    if not (math.isfinite(low) and math.isfinite(high)) or len(candidates(bounds)) <= _FEW:
        return None
    return Interval(exact(max(low, 0.0), bits).low, exact(high, bits).high, bits)


def least(numbers: Sequence[Interval]) -> Interval:
    """The smallest of several numbers."""
    found = numbers[0]
    for one in numbers[1:]:
        found = found.minimum(one)
    return found


def _float(exactly: Fraction) -> float:
    try:
        return float(exactly)
    except OverflowError:
        return math.inf if exactly > 0 else -math.inf


def _about(place: Place, edge: Edge, wide: float) -> tuple[float, float]:
    """Bounds on the distance from a place, which may be off by `wide`, to an edge.

    With u = 2^-53, differences of coordinates are off by 2u of them, the cross product over the length by 8u of the
    distance to the start, and taking an end instead of the foot, or the other way round, costs no more than the foot is
    off along the edge: together less than 64u of the largest coordinates, of which 512u are counted. Where a product
    vanishes, one of its factors is below 1e-150, and no distance is off by more.
    """
    (px, py), ((ax, ay), (bx, by)) = place, edge
    dx, dy, x, y = bx - ax, by - ay, px - ax, py - ay
    side = math.hypot(dx, dy)
    along = (x * dx + y * dy) / side if side > 0 else 0.0
    if along <= 0:
        away = math.hypot(x, y)
    elif along >= side:
        away = math.hypot(px - bx, py - by)
    else:
        away = abs(x * dy - y * dx) / side
    off = _ROUND * (abs(px) + abs(py) + abs(ax) + abs(ay) + abs(bx) + abs(by)) + wide + _TINY
    clear = math.isfinite(along) and math.isfinite(away) and math.isfinite(side) and math.isfinite(off)
    return (away - off, away + off) if clear else (-math.inf, math.inf)


def _to_segment(point: Point, start: Place, end: Place) -> Interval:
    """The distance from a point to a segment: to start + share·(end − start), the share clipped to [0, 1]."""
    bits = point[0].bits
    first, last = (tuple(exact(part, bits) for part in corner) for corner in (start, end))
    away = [a - p for a, p in zip(first, point, strict=True)]
    along = [b - a for a, b in zip(first, last, strict=True)]
    try:
        share = -dot(away, along) / dot(along, along)
        low, high = (min(max(part, 0), 1 << bits) for part in (share.low, share.high))
    except ZeroDivisionError:  # an edge so short that it is not told from a point yet
        low, high = 0, 1 << bits
    share = Interval(low, high, bits)
    return length([a + share * v for a, v in zip(away, along, strict=True)])


def inside(point: Sequence[Fraction], edges: Sequence[tuple[Sequence[Number], Sequence[Number]]]) -> bool:
    """Whether a ray to the right crosses the edges an odd number of times, exactly."""
    px, py = point
    about = _float(px), _float(py)
    odd = False
    for (ax, ay), (bx, by) in edges:
        up = _above(by, py, about[1])
        if _above(ay, py, about[1]) != up:
            odd ^= (_side(point, about, (ax, ay, bx, by)) > 0) == up
    return odd


def _above(corner: Number, exactly: Fraction, about: float) -> bool:
    """Whether a corner is above a height: floats where they are certain."""
    near = float(corner)
    gap = near - about
    return gap > 0 if abs(gap) > 4e-16 * (abs(about) + abs(near)) else Fraction(corner) > exactly


def _side(point: Sequence[Fraction], about: tuple[float, float], edge: tuple[Number, ...]) -> int:
    """The sign of (b − a) × (p − a): floats where they are certain, fractions elsewhere."""
    (px, py), (ax, ay, bx, by) = about, map(float, edge)
    first, second = (bx - ax) * (py - ay), (px - ax) * (by - ay)
    size = max(abs(px), abs(py), abs(ax), abs(ay), abs(bx), abs(by))
    # each difference is off by 4u of the size and at most twice it
    if size > _TINY and abs(first - second) > 2.0**-47 * size * size:
        return 1 if first > second else -1
    c, d, e, f = (Fraction(part) for part in edge)
    exactly = (e - c) * (point[1] - d) - (point[0] - c) * (f - d)
    return (exactly > 0) - (exactly < 0)
