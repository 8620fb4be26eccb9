"""Great-circle distances on the globe, to a place and to a polygon of arcs, enclosed at a value.

As in the plane, floats rule out arcs that cannot be the nearest, and the others are compared without any error, for
unit vectors that are moved to a fine grid of whole numbers: some multiplications and a root an arc, and two arc
tangents in all. The side of a polygon is told on the gnomonic map, where great circles are straight.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import isqrt
from typing import NamedTuple

from geopriv.device.functions import turn
from geopriv.device.intervals import Interval, exact, length
from geopriv.device.reading import refuse
from geopriv.device.regions import LEVEL, Bound, candidates
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
WholeVector = tuple[int, int, int]

_REACH = 80.0  # degrees: farther out the gnomonic map stretches without end
_SHORT = 1e-5  # radians: the normal of a shorter arc is not known well
_OFF = 1e-8  # radians by which angles to other arcs may be off in floats: 1e-14 over the length, and far more
_ENDS = 1e-13  # radians by which angles to corners may be off: unit vectors are right to 4e-16
# units of the grid by which an angle between a place and an arc on it is off at most. A vector is off by less than two
# on each axis, its direction by less than four; an arc of up to 160° by 1/cos 80° of what its ends are, less than 24;
# rounding a share of a turn by 3, which the two halves of an angle and the slope of the arc tangent make 12
_GRID = 64
_MAP = 1e-11  # by which corners on the gnomonic map may be off in floats: 4e-16 over cos² 80°, and far more
_FRAME = 2.0**60


@lru_cache(maxsize=64)
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


class Corner(NamedTuple):
    """A corner on the grid.

    Args:
        vector: its unit vector, in whole numbers.
        square: of the vector's length.
        map: up and ahead of the middle, in any units: their quotient is the height on the gnomonic map.
    """

    vector: WholeVector
    square: int
    map: tuple[int, int]


@dataclass(frozen=True)
class GlobeRegion:
    """A polygon of great-circle arcs on a sphere, within 80° of its middle.

    Args:
        radius: of the sphere.
        corners: as (latitude, longitude), exactly.
        floats: the same as unit vectors.
        arcs: between corners, by their numbers.
        frame: two directions on the tangent plane at the middle, and the middle: any that are nearly right.
        grid: the corners on the grid of LEVEL bits.
        runs: of arcs.
    """

    radius: float
    corners: list[Value]
    floats: list[Vector]
    arcs: list[Arc]
    frame: tuple[Vector, Vector, Vector]
    grid: list[Corner] = field(repr=False)
    runs: list[Run]

    def enclose(self, value: Value, bits: int) -> Interval:
        """The signed distance, negative inside."""
        level = max(bits, LEVEL)
        here = self._corner(value, level)
        angle = self._least_angle(here, level)
        distance = exact(self.radius, level) * angle
        if angle.low <= _GRID:  # on its way to the grid the place may have crossed the border
            distance = Interval(-distance.high, distance.high, level)
        elif self._inside(here, level):
            distance = -distance
        return distance.to(bits)

    def _corner(self, value: Value, level: int) -> Corner:
        return _on_grid(whole_vector(value, level), self.frame)

    def _pairs(self, numbers: Iterable[int], level: int) -> list[tuple[Corner, Corner]]:
        """The ends of arcs on the grid."""
        arcs = [self.arcs[k] for k in numbers]
        if level == LEVEL:
            return [(self.grid[arc.start], self.grid[arc.end]) for arc in arcs]
        finer = {k: self._corner(self.corners[k], level) for arc in arcs for k in (arc.start, arc.end)}
        return [(finer[arc.start], finer[arc.end]) for arc in arcs]

    def _bounds(self, place: Vector) -> list[Bound]:
        """The arcs that may be the nearest, with bounds on their angles."""
        near = near_runs(self.runs, place, 0.0)  # by chords, which grow with angles
        numbered = [(k, self.arcs[k]) for run in near for k in run.edges]
        return [(*arc.about(place, self.floats[arc.start], self.floats[arc.end]), k) for k, arc in numbered]

    def _least_angle(self, here: Corner, level: int) -> Interval:
        """The angle to the nearest arc: to a foot between its ends, or to an end.

        A foot and an end are found by the least o/(o + a), of the opposite and the adjacent side: of the angle to the
        foot, and of half the angle to the end. It grows with the angle, between half as fast and as fast.
        """
        feet: list[int] = []
        ends: list[int] = []
        for a, b in self._pairs(candidates(self._bounds(_float_vector(here.vector, level))), level):
            at_a, at_b = _dot_whole(here.vector, a.vector), _dot_whole(here.vector, b.vector)
            between = _dot_whole(a.vector, b.vector)
            if at_b * a.square > at_a * between and at_a * b.square > at_b * between:  # the foot is on the arc
                height = abs(_determinant(a.vector, b.vector, here.vector))
                inner = isqrt(at_a * at_a * b.square - 2 * at_a * at_b * between + at_b * at_b * a.square)
                feet.append((height << level) // (height + inner))
            else:
                ends += [_half(here, corner, at, level) for corner, at in ((a, at_a), (b, at_b))]
        # a foot is within a right angle, an end may be farther
        angles = [_turned(min(feet), level)] if feet else []
        halves = [_turned(min(ends), level)] if ends else []
        angles += [half + half for half in halves]
        angle = angles[0].minimum(angles[-1])
        return Interval(max(angle.low - _GRID, 0), angle.high + _GRID, level)

    def _inside(self, here: Corner, level: int) -> bool:
        """Whether a ray to the right on the gnomonic map crosses an odd number of arcs."""
        place = _float_vector(here.vector, level)
        if _dot(place, self.frame[2]) < math.cos(math.radians(_REACH)) / 2:
            return False
        crossed = crossed_runs(self.runs, *_gnomonic(place, self.frame), _MAP)
        up, ahead = here.map
        odd = False
        for a, b in self._pairs((k for run in crossed for k in run.edges), level):
            above = b.map[0] * ahead > up * b.map[1]
            if (a.map[0] * ahead > up * a.map[1]) != above:
                odd ^= (_determinant(a.vector, b.vector, here.vector) > 0) == above
        return odd


def whole_vector(value: Value, level: int) -> WholeVector:
    """A unit vector in whole numbers out of 2^level, less than two off on each axis."""
    x, y, z = (part.low >> 8 for part in unit_vector(value, level + 8))
    return x, y, z


def _on_grid(vector: WholeVector, frame: tuple[Vector, Vector, Vector]) -> Corner:
    up, ahead = (sum(part * int(unit * _FRAME) for part, unit in zip(vector, axis, strict=True)) for axis in frame[1:])
    return Corner(vector, _dot_whole(vector, vector), (up, ahead))


def _half(here: Corner, corner: Corner, at: int, level: int) -> int:
    """o/(o + a) of half the angle between two unit vectors: o is half their difference and a half their sum."""
    squares = here.square + corner.square
    apart, together = isqrt(squares - 2 * at), isqrt(squares + 2 * at)
    return (apart << level) // (apart + together)


def _turned(share: int, level: int) -> Interval:
    """The angle with this o/(o + a)."""
    one = 1 << level
    return turn(Interval(share, share, level), Interval(one - share, one - share, level))


def _dot_whole(a: WholeVector, b: WholeVector) -> int:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _determinant(a: WholeVector, b: WholeVector, c: WholeVector) -> int:
    return (a[1] * b[2] - a[2] * b[1]) * c[0] + (a[2] * b[0] - a[0] * b[2]) * c[1] + (a[0] * b[1] - a[1] * b[0]) * c[2]


def globe_region(radius: float, rings: Sequence[Sequence[Place]]) -> GlobeRegion:
    """The region of rings in (longitude, latitude).

    Raises:
        InvalidDesign: for one that reaches too far around the globe.
    """
    numbers = {corner: k for k, corner in enumerate(dict.fromkeys(corner for ring in rings for corner in ring))}
    corners: list[Value] = [(Fraction(latitude), Fraction(longitude)) for longitude, latitude in numbers]
    vectors = [whole_vector(corner, LEVEL) for corner in corners]
    floats = [_float_vector(vector, LEVEL) for vector in vectors]
    ends = [(numbers[a], numbers[b]) for ring in rings for a, b in pairwise(ring) if a != b]
    arcs = [_arc(a, b, floats[a], floats[b]) for a, b in ends]
    if not arcs:
        raise refuse("EarthRegion.rings", "a polygon with an area", "a point")
    frame = _frame([floats[arc.start] for arc in arcs])
    if frame is None:
        raise refuse("EarthRegion.rings", "within 80° of its middle on Earth", "one around the globe")
    if min(_dot(vector, frame[2]) for vector in floats) <= math.cos(math.radians(_REACH)):
        raise refuse("EarthRegion.rings", "within 80° of its middle on Earth", "a larger one")
    seen = [_gnomonic(vector, frame) for vector in floats]
    runs = runs_of(
        len(arcs),
        lambda k: (floats[arcs[k].start], floats[arcs[k].end]),
        lambda k: (seen[arcs[k].start], seen[arcs[k].end]),
        lambda k: arcs[k].size / 2,  # from the nearer end
    )
    return GlobeRegion(radius, corners, floats, arcs, frame, [_on_grid(vector, frame) for vector in vectors], runs)


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


def _float_vector(vector: WholeVector, level: int) -> Vector:
    x, y, z = (part / (1 << level) for part in vector)
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
