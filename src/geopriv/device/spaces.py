"""The spaces of a design as a device needs them.

On a Line, a Plane and in Euclidean spaces a value is its own point. On a LogLine and on a LocalPlane the point is
enclosed, to as many bits as a comparison needs.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from geopriv.device.functions import logarithm
from geopriv.device.intervals import Interval, exact
from geopriv.device.maps import LocalMap, middle_of, rectangle_of
from geopriv.device.reading import (
    AXES,
    Document,
    number,
    positive,
    refuse,
    thing,
    unit,
    whole,
)
from geopriv.device.values import (
    DeviceSpace,
    Point,
    Value,
    Vectors,
    on_globe,
)

LARGEST_RADIUS = 6.4e6  # of the Earth in metres, along its flattest meridian; a larger one makes metres too short
KINDS = {
    "Line": ("unit",),
    "LogLine": ("base", "floor", "unit"),
    "Plane": ("unit",),
    "Euclidean": ("axes", "unit"),
    "Earth": ("radius",),
    "LocalPlane": ("south", "west", "north", "east", "radius"),
}


def read_space(document: Any) -> DeviceSpace:
    """The space of a document.

    Raises:
        InvalidDesign: for a document that is none.
    """
    kind, found = thing(document, "space", KINDS)
    match kind:
        case "LogLine":
            return _log_line(found)
        case "Earth":
            return Globe(_radius(kind, found))
        case "LocalPlane":
            return _local_map(found)
    axes = {"Line": 1, "Plane": 2}.get(kind) or whole(found["axes"], "Euclidean.axes", 1, AXES)
    return Plain(kind, axes, unit(found["unit"], f"{kind}.unit"))


@dataclass(frozen=True)
class Plain(Vectors):
    """A Line, a Plane or a Euclidean space: values are their own points."""

    kind: str
    axes: int
    unit: str | None

    def check(self, value: Value) -> Value:
        return value

    def point(self, value: Value, bits: int) -> Point:
        return tuple(exact(part, bits) for part in value)


def factor_unit(base: float) -> str:
    """What one unit of distance on a LogLine is called: the base to its last digit, for the promise is made in it.

    >>> factor_unit(2.0), factor_unit(1.000005)
    ('factor 2', 'factor 1.000005')
    """
    return f"factor {float(base)!r}".removesuffix(".0")


@dataclass(frozen=True)
class Ratios(Vectors):
    """A LogLine: the point of a value is its logarithm, to the base, of no less than the floor."""

    base: float
    floor: float
    kind: str = "LogLine"
    axes: int = 1

    @property
    def unit(self) -> str:
        return factor_unit(self.base)

    def check(self, value: Value) -> Value:
        return (max(value[0], Fraction(self.floor)),)

    def point(self, value: Value, bits: int) -> Point:
        more = bits + 8
        while True:
            try:
                found = logarithm(value[0], more) / _logarithm_of_base(self.base, more)
            except ZeroDivisionError:  # a base so near 1 that its logarithm is not told from 0 yet
                more *= 2
                continue
            return (found.to(bits),)


@lru_cache(maxsize=64)
def _logarithm_of_base(base: float, bits: int) -> Interval:
    return logarithm(Fraction(base), bits)


def _log_line(found: Document) -> Ratios:
    base, floor = (positive(found[name], f"LogLine.{name}") for name in ("base", "floor"))
    if not base > 1:
        raise refuse("LogLine.base", "greater than 1", base)
    unit(found["unit"], "LogLine.unit")
    return Ratios(base, floor)


@dataclass(frozen=True)
class Globe:
    """The Earth: values are (latitude, longitude) in degrees."""

    radius: float
    kind: str = "Earth"
    axes: int = 2
    unit: str = "m"

    @property
    def flat(self) -> None:
        return None

    @property
    def sphere(self) -> float:
        return self.radius

    def check(self, value: Value) -> Value:
        return on_globe(value)


def _local_map(found: Document) -> LocalMap:
    radius = _radius("LocalPlane", found)
    south, west, north, east = (
        number(found[name], f"LocalPlane.{name}") for name in ("south", "west", "north", "east")
    )
    whole_turns = all(-180 <= longitude <= 360 for longitude in (west, east))
    if not (-90 <= south < north <= 90 and whole_turns and 0 < (east - west) % 360 < 180):
        raise refuse("LocalPlane", "a region of the globe", [south, west, north, east])
    low, high = rectangle_of(south, west, north, east, radius)
    return LocalMap(radius, middle_of(south, west, north, east), low, high)


def _radius(kind: str, found: Document) -> float:
    radius = positive(found["radius"], f"{kind}.radius")
    if radius > LARGEST_RADIUS:
        raise refuse(f"{kind}.radius", f"at most {LARGEST_RADIUS:.0f}, since its unit is a metre on the ground", radius)
    return radius
