"""Values as points, in plain floats: the spaces of a design as a device needs them.

On a Line, a Plane and in Euclidean spaces a float value is its own point, exactly. On a LogLine, on Earth and on a
LocalPlane points or distances are computed with rounding errors, which only a resolution pays for (theory T9); without
one a device could not keep the promise, and refuses.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from geopriv.device.charges import ROUND
from geopriv.device.reading import AXES, Document, number, positive, refuse, thing, unit, whole
from geopriv.errors import OutOfDomain

Point = tuple[float, ...]
Reader = Callable[[Point], Point]

EXTENT = 2.0**40  # steps of the resolution that a flat space reaches on both sides of 0
LATITUDE_LIMIT = 85.0
LARGEST_RADIUS = 6.4e6  # of the Earth in metres, along its flattest meridian; a larger one makes metres too short
_KINDS = {
    "Line": ("unit", "resolution"),
    "LogLine": ("base", "floor", "unit", "resolution"),
    "Plane": ("unit", "resolution"),
    "Euclidean": ("axes", "unit", "resolution"),
    "Earth": ("radius", "resolution"),
    "LocalPlane": ("south", "west", "north", "east", "radius", "resolution"),
}


@dataclass(frozen=True)
class DeviceSpace:
    """A space: how values are read, and what is known of rounding.

    Args:
        kind: its type.
        axes: how many numbers make a value.
        unit: of distance.
        resolution: in which values are recorded; None for real numbers.
        recorded: takes a value's numbers to the recorded point.
        public: takes the numbers of a public place to its point, which is never snapped.
        extent: the largest number in a recorded point.
        closest: a lower bound on the distance between distinct recorded points.
        projection_error: how far each axis of a point may be off.
        radius: of the globe, in metres; 0 elsewhere.
        chart: the projection of a LocalPlane.
    """

    kind: str
    axes: int
    unit: str | None
    resolution: float | None
    recorded: Reader = field(repr=False)
    public: Reader = field(repr=False)
    extent: float = math.inf
    closest: float = 0.0
    projection_error: float = 0.0
    radius: float = 0.0
    chart: LocalMap | None = None

    def read(self, value: Any) -> Point:
        """The recorded point of a private value: a number on a line, a sequence of numbers elsewhere.

        Raises:
            OutOfDomain: without the value.
        """
        parts = tuple(value) if isinstance(value, list | tuple) else (value,)
        if len(parts) != self.axes:
            raise OutOfDomain(f"A value of {self.kind} must be made of {self.axes} number(s).")
        point = tuple(map(_float, parts))
        if not all(map(math.isfinite, point)):
            raise OutOfDomain(f"A value of {self.kind} must be made of finite real numbers.")
        return self.recorded(point)


def read_space(document: Any) -> DeviceSpace:
    """The space of a document.

    Raises:
        InvalidDesign: for a document that is none, and for a space on which a device cannot compute honestly.
    """
    kind, found = thing(document, "space", _KINDS)
    step = found["resolution"]
    if step is not None and not 1e-200 < positive(step, f"{kind}.resolution") < 1e200:
        raise refuse(f"{kind}.resolution", "between 1e-200 and 1e200", step)
    if step is None and kind in ("LogLine", "Earth", "LocalPlane"):
        rule = f"given on a {kind}, where a device computes with rounding errors that only a resolution pays for"
        raise refuse(f"{kind}.resolution", rule, "none")
    return {"LogLine": _log_line, "Earth": _earth, "LocalPlane": _local_plane}.get(kind, _flat)(kind, found)


def _float(part: Any) -> float:
    """The number as a float; not-a-number where it is none, so that no error quotes it."""
    if isinstance(part, bool | str | bytes):
        return math.nan
    try:
        return float(part)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _snap(point: Point, step: float) -> Point:
    """The nearest whole multiples, at most 2^40 steps from 0."""
    return tuple(round(max(-EXTENT, min(x / step, EXTENT))) * step for x in point)


def _same(point: Point) -> Point:
    return point


def _unit(found: Document, kind: str) -> str | None:
    return unit(found["unit"], f"{kind}.unit")


def _flat(kind: str, found: Document) -> DeviceSpace:
    axes = {"Line": 1, "Plane": 2}.get(kind) or whole(found["axes"], "Euclidean.axes", 1, AXES)
    step = found["resolution"]
    if step is None:
        return DeviceSpace(kind, axes, _unit(found, kind), None, _same, _same)
    step = float(step)
    return DeviceSpace(
        kind, axes, _unit(found, kind), step, lambda point: _snap(point, step), _same, EXTENT * step, step
    )


def factor_unit(base: float) -> str:
    """What one unit of distance on a LogLine is called: the base to its last digit, for the promise is made in it.

    >>> factor_unit(2.0), factor_unit(1.000005)
    ('factor 2', 'factor 1.000005')
    """
    return f"factor {float(base)!r}".removesuffix(".0")


def _log_line(kind: str, found: Document) -> DeviceSpace:
    base, floor, step = (positive(found[name], f"LogLine.{name}") for name in ("base", "floor", "resolution"))
    if not base > 1:
        raise refuse("LogLine.base", "greater than 1", base)
    _unit(found, kind)

    def public(point: Point) -> Point:
        return (math.log(max(point[0], floor)) / math.log(base),)

    return DeviceSpace(
        kind, 1, factor_unit(base), step, lambda point: _snap(public(point), step), public, EXTENT * step, step
    )


def _earth(kind: str, found: Document) -> DeviceSpace:
    radius, step = positive(found["radius"], f"{kind}.radius"), positive(found["resolution"], f"{kind}.resolution")
    if radius > LARGEST_RADIUS:
        raise refuse(f"{kind}.radius", f"at most {LARGEST_RADIUS:.0f}, since its unit is a metre on the ground", radius)
    turn = 360 / step
    if not 2 <= turn <= EXTENT or abs(turn - round(turn)) > 4e-16 * turn:
        raise refuse(f"{kind}.resolution", "a whole part of 360 degrees", step)
    half = math.sin(math.radians(step) / 2)
    closest = 2 * radius * math.cos(math.radians(LATITUDE_LIMIT)) * half * (1 - 1e-12)

    def recorded(point: Point) -> Point:
        return _snap_degrees(place(point), step)

    return DeviceSpace(kind, 2, "m", step, recorded, place, 180.0, closest, 0.0, radius)


def place(point: Point) -> Point:
    """A (latitude, longitude) on the globe, longitudes in [−180, 180).

    Raises:
        OutOfDomain: without the value.
    """
    latitude, longitude = point
    if not (-90 <= latitude <= 90 and -180 <= longitude <= 360):
        raise OutOfDomain("A place on Earth must have a latitude in [-90, 90] and a longitude in [-180, 360].")
    return latitude, longitude - 360 if longitude >= 180 else longitude


def _snap_degrees(point: Point, step: float) -> Point:
    """Whole steps; the meridian of 180° is written −180°."""
    turn, limit = round(360 / step), math.floor(LATITUDE_LIMIT / step)
    latitude, longitude = max(-limit, min(round(point[0] / step), limit)), round(point[1] / step)
    return latitude * step, (longitude - turn if 2 * longitude >= turn else longitude) * step


def _local_plane(kind: str, found: Document) -> DeviceSpace:
    globe = _earth(kind, found)
    south, west, north, east = (number(found[name], f"{kind}.{name}") for name in ("south", "west", "north", "east"))
    half = math.radians((east - west) % 360) / 2
    if not (-90 <= south < north <= 90 and 0 < half < math.pi / 2):
        raise refuse(kind, "a region of the globe", found)
    chart = LocalMap(globe.radius, (south + north) / 2, (west + math.degrees(half) + 180) % 360 - 180)
    low, high = chart.rectangle(math.radians(south), math.radians(north), half)

    def clamped(point: Point) -> Point:
        return tuple(max(a, min(x, b)) for x, a, b in zip(chart.project(point), low, high, strict=True))

    return DeviceSpace(
        kind, 2, "m", globe.resolution,
        recorded=lambda point: clamped(globe.recorded(point)),
        public=lambda point: clamped(place(point)),
        extent=max(map(abs, (*low, *high))),
        closest=globe.closest,
        projection_error=256 * ROUND * globe.radius,
        radius=globe.radius,
        chart=chart,
    )  # fmt: skip


@dataclass(frozen=True)
class LocalMap:
    """The orthographic projection at a middle, in metres east and north of it; never makes a distance longer."""

    radius: float
    latitude: float
    longitude: float

    def project(self, point: Point) -> Point:
        """A place (latitude, longitude) on the map, not clamped."""
        phi, turn = math.radians(point[0]), math.radians(point[1] - self.longitude)
        return self.radius * math.cos(phi) * math.sin(turn), self._north(phi, turn)

    def rectangle(self, south: float, north: float, half: float) -> tuple[Point, Point]:
        """The corners of the region on the map; angles in radians, as in `LocalPlane.rectangle`."""
        middle, norths = math.radians(self.latitude), []
        for turn in (0.0, half):
            crest = math.atan2(math.cos(middle), -math.sin(middle) * math.cos(turn))
            norths += [self._north(max(south, min(at, north)), turn) for at in (south, north, crest, crest - math.pi)]
        east = self.radius * math.cos(max(south, min(0.0, north))) * math.sin(half)
        return (-east, min(norths)), (east, max(norths))

    def _north(self, phi: float, turn: float) -> float:
        middle = math.radians(self.latitude)
        bulge = 2 * math.sin(middle) * math.cos(phi) * math.sin(turn / 2) ** 2
        return self.radius * (math.sin(phi - middle) + bulge)
