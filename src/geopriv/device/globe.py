"""Great-circle distances on the globe, to a place and to a polygon of arcs, enclosed at a value.

As in the plane, every arc is compared without any error, for unit vectors that are moved to a fine grid of whole
numbers, by the same steps wherever the place is: some multiplications and two divisions an arc, and two arc tangents
in all. The side of a polygon is told on the gnomonic map, where great circles are straight.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import isqrt

from geopriv.device.functions import turn
from geopriv.device.intervals import Interval, exact, length
from geopriv.device.reading import refuse
from geopriv.device.regions import FILLED, LEVEL
from geopriv.device.values import (
    Place,
    Point,
    Value,
    unit_vector,
)

Vector = tuple[float, float, float]
WholeVector = tuple[int, int, int]
# of a corner on the grid: its unit vector and the square of its length, and up and ahead of the middle, in any units:
# their quotient is the height on the gnomonic map
Corner = tuple[int, int, int, int, int, int]
# of an arc on the grid: the numbers of its ends, their outer product and the square of its length, their inner product,
# and the squares of their lengths
Arc = tuple[int, int, int, int, int, int, int, int, int]

_REACH = 80.0  # degrees: farther out the gnomonic map stretches without end
# units of the grid by which an angle between a place and an arc on it is off at most. A vector is off by less than two
# on each axis, its direction by less than four; an arc of up to 160° by 1/cos 80° of what its ends are, less than 24
_GRID = 64
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
class GlobeRegion:
    """A polygon of great-circle arcs on a sphere, within 80° of its middle.

    Args:
        radius: of the sphere.
        corners: as (latitude, longitude), exactly.
        ends: of arcs, by the numbers of corners.
        frame: two directions on the tangent plane at the middle, and the middle: any that are nearly right.
        grid: corners and arcs on the grid of LEVEL bits.
    """

    radius: float
    corners: list[Value]
    ends: list[tuple[int, int]]
    frame: tuple[Vector, Vector, Vector]
    grid: tuple[list[Corner], list[Arc]] = field(repr=False)

    def enclose(self, value: Value, bits: int) -> Interval:
        """The signed distance, negative inside."""
        level = max(bits, LEVEL)
        here = _on_grid(whole_vector(value, level), self.frame)
        angle, odd = _look(here, *(self.grid if level == LEVEL else self._finer(level)), level)
        in_front = _dot(_float_vector(here[:3], level), self.frame[2]) >= math.cos(math.radians(_REACH)) / 2
        distance = exact(self.radius, level) * angle
        if angle.low <= _GRID:  # on its way to the grid the place may have crossed the border
            distance = Interval(-distance.high, distance.high, level)
        elif odd and in_front:
            distance = -distance
        return distance.to(bits)

    def _finer(self, level: int) -> tuple[list[Corner], list[Arc]]:
        return _grid([whole_vector(corner, level) for corner in self.corners], self.ends, self.frame)


def _look(here: Corner, corners: Sequence[Corner], arcs: Sequence[Arc], level: int) -> tuple[Interval, bool]:
    """The angle to the nearest arc, and whether a ray to the right on the gnomonic map crosses an odd number.

    The nearest point of an arc is its foot on the great circle, if that lies between the ends, and else an end. Feet
    are compared by the squared sine of the angle, ends by that of half the angle, rounded down to twice the bits: so
    that the sine and the cosine are known to all bits, near a right angle too.
    """
    x, y, z, square, up, ahead = here
    one, full = 1 << 2 * level, 2 * (level + FILLED)
    half, ats, above = 2 * one, [], []
    for a, b, c, size, rise, front in corners:
        at, both = x * a + y * b + z * c, square + size
        half = min(half, ((3 * both - 2 * at) << 2 * level) // (2 * both))
        ats.append(at)
        above.append(rise * ahead > up * front)
    none, odd = square + 1 + (1 << full), False
    foot = none
    for k, n, a, b, c, size, between, first, last in arcs:
        height, start, end = x * a + y * b + z * c, ats[k], ats[n]
        on = (end * first > start * between) & (start * last > end * between)
        foot = min(foot, (none, (height * height + (size << full)) // size)[on])
        odd ^= (above[k] ^ above[n]) & ((height <= 0) ^ above[n])
    sine = min(foot - (1 << full), square)
    # a foot is within a right angle, an end may be farther
    foots, halves = _angle(sine, square, level), _angle(half - one, one, level)
    ends = halves + halves
    angle = ends if foot == none else ends.minimum(foots)
    return Interval(max(angle.low - _GRID, 0), angle.high + _GRID, level), odd


def _angle(square: int, whole: int, level: int) -> Interval:
    """The angle whose squared sine is between two neighbouring whole numbers out of a third."""
    low, rest = isqrt(square), whole - square
    return turn(Interval(low, low + 1, level), Interval(isqrt(max(rest - 1, 0)), isqrt(rest) + 1, level))


def whole_vector(value: Value, level: int) -> WholeVector:
    """A unit vector in whole numbers out of 2^level, less than two off on each axis."""
    x, y, z = (part.low >> 8 for part in unit_vector(value, level + 8))
    return x, y, z


def _on_grid(vector: WholeVector, frame: tuple[Vector, Vector, Vector]) -> Corner:
    up, ahead = (sum(part * int(unit * _FRAME) for part, unit in zip(vector, axis, strict=True)) for axis in frame[1:])
    return *vector, sum(part * part for part in vector), up, ahead


def _grid(
    corners: Sequence[WholeVector], ends: Sequence[tuple[int, int]], frame: tuple[Vector, Vector, Vector]
) -> tuple[list[Corner], list[Arc]]:
    """Corners and arcs in whole numbers; an arc that is a point there has a size all the same."""
    places = [_on_grid(corner, frame) for corner in corners]
    arcs = []
    for k, n in ends:
        (ax, ay, az, first, *_), (bx, by, bz, last, *_) = places[k], places[n]
        outer = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
        size = max(sum(part * part for part in outer), 1)
        arcs.append((k, n, *outer, size, ax * bx + ay * by + az * bz, first, last))
    return places, arcs


def globe_region(radius: float, rings: Sequence[Sequence[Place]]) -> GlobeRegion:
    """The region of rings in (longitude, latitude).

    Raises:
        InvalidDesign: for one that reaches too far around the globe.
    """
    edges = [(a, b) for ring in rings for a, b in pairwise(ring) if a != b]
    if not edges:
        raise refuse("EarthRegion.rings", "a polygon with an area", "a point")
    # corners of rings that are a point have no edge, and no distance
    vectors = {corner: whole_vector(_value(corner), LEVEL) for ring in rings for corner in ring}
    floats = {corner: _float_vector(vector, LEVEL) for corner, vector in vectors.items()}
    frame = _frame([floats[a] for a, _ in edges])
    if frame is None:
        raise refuse("EarthRegion.rings", "within 80° of its middle on Earth", "one around the globe")
    if min(_dot(vector, frame[2]) for vector in floats.values()) <= math.cos(math.radians(_REACH)):
        raise refuse("EarthRegion.rings", "within 80° of its middle on Earth", "a larger one")
    numbers = {corner: k for k, corner in enumerate(dict.fromkeys(end for edge in edges for end in edge))}
    ends = [(numbers[a], numbers[b]) for a, b in edges]
    grid = _grid([vectors[corner] for corner in numbers], ends, frame)
    return GlobeRegion(radius, list(map(_value, numbers)), ends, frame, grid)


def _value(corner: Place) -> Value:
    return Fraction(corner[1]), Fraction(corner[0])


def _frame(starts: Sequence[Vector]) -> tuple[Vector, Vector, Vector] | None:
    middle = [math.fsum(start[i] for start in starts) for i in range(3)]
    if not math.hypot(*middle) > 1e-6 * len(starts):
        return None
    total = _scaled(middle)
    helper = [0.0, 0.0, 0.0]
    helper[min(range(3), key=lambda i: abs(total[i]))] = 1.0
    first = _scaled(_cross((helper[0], helper[1], helper[2]), total))
    return first, _cross(total, first), total


def _float_vector(vector: WholeVector, level: int) -> Vector:
    x, y, z = (part / (1 << level) for part in vector)
    return x, y, z


def _dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _scaled(vector: Sequence[float]) -> Vector:
    length_of = math.hypot(*vector)
    return vector[0] / length_of, vector[1] / length_of, vector[2] / length_of
