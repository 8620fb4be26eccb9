"""Coordinates as they are seen from a box: how large s can be in it, and which way it grows.

For the coordinates of bounded sets, discs and polygons, on flat spaces of one or two axes; others are refused. Floats
are used, each moved outwards by far more than its roundings: what is said here holds for real numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from operator import add
from typing import Any, NamedTuple, Protocol

from geopriv.device.coordinates import DeviceCoordinate, read_coordinate
from geopriv.device.reading import Document, refuse
from geopriv.device.spaces import Plain
from geopriv.device.values import Place

OUTWARD = 2.0**-40  # of all numbers that a result is made of: some hundred times what roundings come to
_BITS = 96  # with which a coordinate is enclosed
MEASURED = 2.0**200  # places and lengths beyond are refused: squares of larger ones would not be floats
_TINY, _SCALE = 2.0**-300, 2.0**600
ANY = 2.0  # how far two directions can be apart


class View(NamedTuple):
    """What is known of s in a box.

    Args:
        low: the least s.
        high: the largest s.
        direction: about the gradient of s; None where nothing is known of it.
        off: how far the gradient can be from that, at most 2.
    """

    low: float
    high: float
    direction: Place | None
    off: float


class Sight(Protocol):
    """A coordinate of a bounded set."""

    @property
    def box(self) -> tuple[Place, Place]:
        """The corners of a box: beyond it by h, s is at least h."""

    @property
    def corners(self) -> int:
        """That an enclosure looks at."""

    @property
    def cost(self) -> int:
        """What it takes to look once, beside a disc."""

    def look(self, middle: Place, reach: float) -> View:
        """S at all points within a distance of another."""


@dataclass(frozen=True)
class _Disc:
    """‖x − center‖ − offset."""

    center: Place
    offset: float
    corners: int = 0
    cost: int = 1

    @property
    def box(self) -> tuple[Place, Place]:
        wide = max(self.offset, 0.0)
        return tuple(c - wide for c in self.center), tuple(c + wide for c in self.center)

    def look(self, middle: Place, reach: float) -> View:
        way, wide = _way(self.center, middle)
        reach += OUTWARD * (added(map(abs, (*middle, *self.center))) + abs(self.offset))
        s = wide - self.offset
        return View(max(s - reach, -self.offset), s + reach, *_gradient(way, wide, reach, wide - reach))


@dataclass(frozen=True)
class _Polygon:
    """The signed distance to a polygon, which lies in a disc."""

    coordinate: DeviceCoordinate = field(repr=False, compare=False)
    rings: tuple[tuple[Place, ...], ...] = field(repr=False)
    box: tuple[Place, Place]
    corners: int

    @property
    def cost(self) -> int:
        return 8 + self.corners // 2

    def look(self, middle: Place, reach: float) -> View:
        """The way from the nearest point of the polygon is that from its middle, up to its radius."""
        low, high = self.box
        center = tuple((a + b) / 2 for a, b in zip(low, high, strict=True))
        radius = _length([(b - a) / 2 for a, b in zip(low, high, strict=True)])
        s = float(self.coordinate.enclose(tuple(map(Fraction, middle)), _BITS).middle())
        reach += OUTWARD * (abs(s) + added(map(abs, (*middle, *low, *high))) + 1e-20) + 2.0**-90
        way, wide = _way(center, middle)
        outside = s - reach
        seen = _gradient(way, wide, reach + radius, outside) if outside > 0 else (None, ANY)
        return View(outside, s + reach, *seen)


def _way(start: Place, end: Place) -> tuple[Place, float]:
    way = tuple(b - a for a, b in zip(start, end, strict=True))
    return way, _length(way)


def _length(way: Sequence[float]) -> float:
    """√(x² + y²) without `hypot`, whose last bit is another in each language; a tiny one is scaled."""
    scale = _SCALE if max(map(abs, way)) < _TINY else 1.0
    return math.sqrt(added((scale * part) * (scale * part) for part in way)) / scale


def added(terms: Iterable[float]) -> float:
    """The sum from left to right, as all languages round it: `sum` does better in later versions of Python."""
    return reduce(add, terms, 0.0)


def _gradient(way: Place, wide: float, off: float, least: float) -> tuple[Place | None, float]:
    """The direction of all vectors within `off` of another, that are at least so long, and how far they may be from it.

    |p/|p| − q/|q|| ≤ 2|p − q|/(|p| + |q|). On a line there are two directions, and no way between them past 0.
    """
    if not wide > off or not math.isfinite(wide):
        return None, ANY
    direction = tuple(part / wide for part in way)
    apart = 0.0 if len(way) == 1 else min(2 * off / (wide + max(least, 0.0)) * (1 + OUTWARD), ANY)
    return direction, apart + (OUTWARD if len(way) > 1 else 0.0)


def read_sight(document: Any, axes: int, where: str) -> Sight:
    """The coordinate of a document that was read before, as a function of the points of a flat space.

    Raises:
        InvalidDesign: for one of another kind, and for more than two axes.
    """
    kind = document["type"]
    if kind not in _SIGHTS or axes > 2:
        raise refuse(where, "made of tables for discs and polygons on a line or in a plane", f"a {kind} on {axes} axes")
    sight = _SIGHTS[kind](document, axes)
    if not all(abs(number) <= MEASURED for corner in sight.box for number in corner):  # not-a-number is not
        raise refuse(where, "around places within 2^200 of the origin", f"a {kind} beyond")
    return sight


def _disc(document: Document, axes: int) -> _Disc:
    center, offset = tuple(map(float, document["center"])), float(document["offset"])
    if not abs(offset) <= MEASURED:
        raise refuse("offset", "at most 2^200", offset)
    return _Disc(center, offset)


def _polygon(document: Document, axes: int) -> _Polygon:
    rings = tuple(tuple(tuple(map(float, corner)) for corner in ring) for ring in document["rings"])
    corners = [corner for ring in rings for corner in ring]
    low, high = (tuple(float(end(axis)) for axis in zip(*corners, strict=True)) for end in (min, max))
    coordinate = read_coordinate(document, Plain("Plane", axes, None))
    return _Polygon(coordinate, rings, (low, high), len(corners))


_SIGHTS: dict[str, Callable[[Document, int], Sight]] = {"Radial": _disc, "Region": _polygon}
