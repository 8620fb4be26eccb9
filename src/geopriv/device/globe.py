"""Great-circle distances on the globe, to a place and to a polygon of arcs, enclosed at a value.

The side of a polygon is told on the gnomonic map, where great circles are straight. The map never makes a distance
shorter than its angle, so whoever is farther from the border than the map's corners are off is on the side that the
map shows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from geopriv.device.functions import turn
from geopriv.device.intervals import (
    Interval,
    cross,
    dot,
    exact,
    length,
)
from geopriv.device.reading import CORNERS, refuse
from geopriv.device.regions import (
    Bound,
    candidates,
    inside,
    least,
    rough_least,
)
from geopriv.device.runs import (
    Run,
    crossed_runs,
    near_runs,
    runs_of,
)
from geopriv.device.values import (
    Place,
    Point,
    Value,
    unit_vector,
)

Vector = tuple[float, float, float]

_REACH = 80.0  # degrees: farther out the gnomonic map stretches without end
_SHORT = 1e-5  # radians: the normal of a shorter arc is not known well
_OFF = 1e-8  # radians by which angles to other arcs may be off in floats: 1e-14 over the length, and far more
_ENDS = 1e-13  # radians by which angles to corners may be off: unit vectors are right to 4e-16
# radians from an arc beyond which the map's floats, right to 4e-14, cannot be on its wrong side: unit vectors are right
# to 4e-16, and are divided by at least cos 80°
_CLOSE = 1e-11


@lru_cache(maxsize=2 * CORNERS)
def public_vector(place: Value, bits: int) -> Point:
    """The unit vector of a public place."""
    return unit_vector(place, bits)


def angle_between(a: Point, b: Point) -> Interval:
    """The angle between two unit vectors, by Kahan's formula: accurate for close points and for antipodes."""
    apart = length([p - q for p, q in zip(a, b, strict=True)])
    together = length([p + q for p, q in zip(a, b, strict=True)])
    half = turn(apart, together)
    return half + half


@dataclass(frozen=True)
class Arc:
    """A great-circle arc: its ends, and in floats its unit normal and the normals that bound the lune between them."""

    start: int
    end: int
    size: float
    normal: Vector
    ahead: Vector
    behind: Vector

    def about(self, place: Vector, first: Vector, last: Vector) -> tuple[float, float]:
        """Bounds on the angle from a place to the arc.

        An arc is no farther than its ends, and nearer by no more than its length. A short one is within size²/8 of its
        chord. The distance to that, right to 1e-14, makes an angle, which grows at most 1.2 times as fast below 1.
        """
        corner = min(_angle(place, first), _angle(place, last))
        if self.size < _SHORT:
            if corner > 1:
                return corner - self.size - _ENDS, corner + _ENDS
            angle, off = 2 * math.asin(_to_chord(place, first, last) / 2), self.size**2 / 4 + _ENDS
            return angle - off, angle + off
        forward = _dot(place, self.ahead)
        if forward < -_OFF or _dot(place, self.behind) < -_OFF:
            return corner - _ENDS, corner + _ENDS
        foot = math.atan2(abs(_dot(place, self.normal)), math.hypot(_dot(place, first), forward))
        return min(corner, foot) - _OFF, corner + _OFF if min(forward, _dot(place, self.behind)) < _OFF else foot + _OFF


@dataclass(frozen=True)
class GlobeRegion:
    """A polygon of great-circle arcs on a sphere, within 80° of its middle.

    Args:
        radius: of the sphere.
        corners: as (latitude, longitude), exactly.
        floats: the same as unit vectors.
        arcs: between corners, by their numbers.
        frame: two directions on the tangent plane at the middle, and the middle: any that are nearly right.
        map: the corners on the gnomonic map, in floats.
        runs: of arcs.
    """

    radius: float
    corners: list[Value]
    floats: list[Vector]
    arcs: list[Arc]
    frame: tuple[Vector, Vector, Vector]
    map: list[tuple[float, float]]
    runs: list[Run]

    def enclose(self, value: Value, bits: int) -> Interval:
        """The signed distance, negative inside."""
        here = unit_vector(value, bits)
        bounds = self._bounds(here)
        angle = least([self._angle_to(here, self.arcs[k], bits) for k in candidates(bounds)])
        return self._signed(here, angle, bounds)

    def rough(self, value: Value, bits: int) -> Interval | None:
        """The same to what floats can tell, where many arcs are nearly as near as the nearest; None elsewhere."""
        here = unit_vector(value, bits)
        bounds = self._bounds(here)
        angle = rough_least(bounds, bits)
        return None if angle is None else self._signed(here, angle, bounds)

    def _bounds(self, here: Point) -> list[Bound]:
        """The arcs that may be the nearest, and all that are close, with bounds on their angles."""
        place = _vector_of(here)
        near = near_runs(self.runs, place, 0.0, 2 * _CLOSE)  # by chords, which grow with angles
        numbered = [(k, self.arcs[k]) for run in near for k in run.edges]
        return [(*arc.about(place, self.floats[arc.start], self.floats[arc.end]), k) for k, arc in numbered]

    def _signed(self, here: Point, angle: Interval, bounds: Sequence[Bound]) -> Interval:
        distance = exact(self.radius, angle.bits) * angle
        side = self._inside(here, angle, [self.arcs[k] for low, _, k in bounds if low < _CLOSE])
        if side is None:
            return Interval(-distance.high, distance.high, angle.bits)
        return -distance if side else distance

    def _angle_to(self, here: Point, arc: Arc, bits: int) -> Interval:
        """To the foot of the perpendicular where it is on the arc, else to the nearer end."""
        a, b = (public_vector(self.corners[k], bits) for k in (arc.start, arc.end))
        ends = angle_between(here, a).minimum(angle_between(here, b))
        normal = cross(a, b)
        before, after = dot(here, cross(normal, a)), dot(here, cross(b, normal))
        if before.high < 0 or after.high < 0:
            return ends
        height = abs(dot(here, normal))
        foot = turn(height, (dot(normal, normal) - height.square()).root())
        if before.low > 0 and after.low > 0:
            return foot
        # either way an arc is no nearer than its ends by more than its length, which may be 0
        least_of_all = (ends - angle_between(a, b)).low
        return Interval(max(min(foot.low, ends.low), least_of_all), ends.high, bits)

    def _inside(self, here: Point, angle: Interval, close: list[Arc]) -> bool | None:
        """Whether the point is inside; None where the border is too near to tell with so many bits."""
        if _dot(_vector_of(here), self.frame[2]) < math.cos(math.radians(_REACH)) / 2:
            return False
        x, off = self._on_map(here)
        map_of: dict[int, Sequence[float | Fraction]] = {}
        for k in {k for arc in close for k in (arc.start, arc.end)}:
            map_of[k], more = self._on_map(public_vector(self.corners[k], angle.bits))
            off = max(off, more)
        if angle.low <= 8 * off:
            return None
        crossed = crossed_runs(self.runs, float(x[0]), float(x[1]), _CLOSE)
        arcs = [self.arcs[k] for run in crossed for k in run.edges]
        return inside(
            x, [(map_of.get(a.start) or self.map[a.start], map_of.get(a.end) or self.map[a.end]) for a in arcs]
        )

    def _on_map(self, vector: Point) -> tuple[tuple[Fraction, Fraction], int]:
        """A point of the gnomonic map that is near the true one, and by how many units it may be off."""
        bits = vector[0].bits
        first, second, ahead = (dot(vector, [exact(part, bits) for part in axis]) for axis in self.frame)
        along, up = first / ahead, second / ahead
        return (along.middle(), up.middle()), (along.high - along.low) + (up.high - up.low)


def globe_region(radius: float, rings: Sequence[Sequence[Place]]) -> GlobeRegion:
    """The region of rings in (longitude, latitude).

    Raises:
        InvalidDesign: for one that reaches too far around the globe.
    """
    corners: list[Value] = []
    floats: list[Vector] = []
    arcs: list[Arc] = []
    for ring in rings:
        start = len(corners)
        # each corner once: one that had two numbers could be precise by one of them only, and the map not closed
        places = [corner for before, corner in pairwise(ring) if corner != before]
        corners += [(Fraction(latitude), Fraction(longitude)) for longitude, latitude in places]
        floats += [_vector_of(public_vector(corner, 96)) for corner in corners[start:]]
        for k in range(len(places)):
            a, b = start + k - 1 if k else len(corners) - 1, start + k
            arcs.append(_arc(a, b, floats[a], floats[b]))
    if not arcs:
        raise refuse("Geofence.polygon", "a polygon with an area", "a point")
    frame = _frame([floats[arc.start] for arc in arcs])
    if frame is None:
        raise refuse("Geofence.polygon", "within 80° of its middle on Earth", "one around the globe")
    if min(_dot(vector, frame[2]) for vector in floats) <= math.cos(math.radians(_REACH)):
        raise refuse("Geofence.polygon", "within 80° of its middle on Earth", "a larger one")
    seen = [_gnomonic(vector, frame) for vector in floats]
    runs = runs_of(
        len(arcs),
        lambda k: (floats[arcs[k].start], floats[arcs[k].end]),
        lambda k: (seen[arcs[k].start], seen[arcs[k].end]),
        lambda k: arcs[k].size / 2,  # from the nearer end
    )
    return GlobeRegion(radius, corners, floats, arcs, frame, seen, runs)


def _frame(starts: Sequence[Vector]) -> tuple[Vector, Vector, Vector] | None:
    middle = [math.fsum(start[i] for start in starts) for i in range(3)]
    if not math.hypot(*middle) > 1e-6 * len(starts):
        return None
    total = _scaled(middle)
    helper = [0.0, 0.0, 0.0]
    helper[min(range(3), key=lambda i: abs(total[i]))] = 1.0
    first = _scaled(_cross((helper[0], helper[1], helper[2]), total))
    return first, _cross(total, first), total


def _arc(a: int, b: int, start: Vector, end: Vector) -> Arc:
    # not of start and end, which would cancel on short edges
    turned = _cross(start, (end[0] - start[0], end[1] - start[1], end[2] - start[2]))
    size = _angle(start, end)
    normal = _scaled(turned) if size >= _SHORT else (0.0, 0.0, 0.0)
    return Arc(a, b, size, normal, _cross(normal, start), _cross(end, normal))


def _vector_of(vector: Point) -> Vector:
    x, y, z = (part.low / (1 << part.bits) for part in vector)
    return x, y, z


def _angle(a: Vector, b: Vector) -> float:
    return 2 * math.atan2(math.dist(a, b), math.hypot(a[0] + b[0], a[1] + b[1], a[2] + b[2]))


def _to_chord(place: Vector, first: Vector, last: Vector) -> float:
    """The distance to a segment of R³: to first + share·(last − first), the share clipped to [0, 1]."""
    away, along = ([p - q for p, q in zip(end, first, strict=True)] for end in (place, last))
    square = math.fsum(v * v for v in along)
    share = min(max(math.fsum(p * v for p, v in zip(away, along, strict=True)) / square, 0.0), 1.0) if square else 0.0
    return math.hypot(*(p - share * v for p, v in zip(away, along, strict=True)))


def _gnomonic(vector: Vector, frame: tuple[Vector, Vector, Vector]) -> tuple[float, float]:
    ahead = _dot(vector, frame[2])
    return _dot(vector, frame[0]) / ahead, _dot(vector, frame[1]) / ahead


def _dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _scaled(vector: Sequence[float]) -> Vector:
    length_of = math.hypot(*vector)
    return vector[0] / length_of, vector[1] / length_of, vector[2] / length_of
