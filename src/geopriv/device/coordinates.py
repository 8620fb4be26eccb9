"""The 1-Lipschitz coordinate of every query that a design may hold, enclosed at one value to any number of bits.

A profile is not needed: the table is the profile.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from geopriv.device.functions import root_float
from geopriv.device.globe import angle_between, globe_region, public_vector
from geopriv.device.intervals import (
    Interval,
    dot,
    exact,
    length,
)
from geopriv.device.maps import LocalMap, projected_floats
from geopriv.device.reading import (
    Document,
    number,
    numbers,
    positive,
    refuse,
    thing,
)
from geopriv.device.regions import flat_region, read_rings
from geopriv.device.spaces import (
    Globe,
    Plain,
    Ratios,
    read_space,
)
from geopriv.device.values import (
    DeviceSpace,
    FlatSpace,
    Place,
    Value,
    on_globe,
    unit_vector,
)
from geopriv.errors import OutOfDomain

_KINDS = {
    "Threshold": ("at", "width", "space", "edge"),
    "Range": ("low", "high", "width", "shape", "space", "edge"),
    "Orthant": ("at", "width", "space"),
    "Score": ("weights", "at", "width", "space"),
    "Ball": ("center", "radius", "width", "space"),
    "GaussianKernel": ("center", "bandwidth", "space"),
    "LinearQuery": ("weights", "profile", "intercept", "space"),
    "RadialQuery": ("center", "profile", "space"),
    "Geofence": ("polygon", "width", "space"),
    "Blurred": ("query", "bandwidth"),
}

Enclose = Callable[[Value, int], Interval]


@dataclass(frozen=True)
class DeviceCoordinate:
    """s on a space.

    Args:
        space: where values live.
        enclose: s at a value, between whole numbers out of 2^bits; narrower with more bits.
    """

    space: DeviceSpace
    enclose: Enclose = field(repr=False)


def read_coordinate(document: Any) -> DeviceCoordinate:
    """The coordinate of a query's document.

    Raises:
        InvalidDesign: for a document that is none.
    """
    kind, found = thing(document, "query", _KINDS)
    if kind == "Blurred":  # straight pieces of a linear coordinate, or it could not be in a table
        kind, inner = thing(found["query"], "Blurred.query", _KINDS)
        if kind not in ("Threshold", "Score", "LinearQuery"):
            raise refuse("Blurred.query", "a Threshold, Score or LinearQuery in a table", kind)
        return read_coordinate(inner)
    space = read_space(found["space"])
    centered = kind in ("Ball", "GaussianKernel", "RadialQuery")  # asked on every space
    if not centered and (kind in ("Threshold", "Range")) != (space.axes == 1 and space.kind != "Euclidean"):
        raise refuse(f"{kind}.space", "one on which it can be asked", space.kind)
    try:
        if kind == "Geofence":
            return _geofence(kind, found, space)
        return DeviceCoordinate(space, _MAKERS[kind](kind, found, space))
    except OutOfDomain as error:
        raise refuse(f"A place of {kind}", "on its space", error) from None


def _flat(space: DeviceSpace, kind: str) -> FlatSpace:
    if isinstance(space, Plain | Ratios | LocalMap):
        return space
    raise refuse(f"{kind}.space", "a flat space", space.kind)


def _threshold(kind: str, found: Document, space: DeviceSpace) -> Enclose:
    flat = _flat(space, kind)
    shift = -flat.public((number(found["at"], "Threshold.at"),))[0]
    return lambda x, bits: flat.point(x, bits)[0] + exact(shift, bits)


def _range(kind: str, found: Document, space: DeviceSpace) -> Enclose:
    flat = _flat(space, kind)
    low, high = (flat.public((number(found[name], f"Range.{name}"),))[0] for name in ("low", "high"))
    return _distance(flat, ((low + high) / 2,), 0.0)


def _center(kind: str, found: Document, space: DeviceSpace) -> Enclose:
    center = numbers(found["center"], f"{kind}.center")
    if len(center) != space.axes:
        raise refuse(f"{kind}.center", f"made of {space.axes} number(s)", center)
    offset = positive(found["radius"], "Ball.radius") if kind == "Ball" else 0.0
    if isinstance(space, Globe):
        return _great_circle(space, center, offset)
    flat = _flat(space, kind)
    return _distance(flat, flat.public(center), offset)


def _distance(space: FlatSpace, center: Place, offset: float) -> Enclose:
    """‖x − center‖ − offset."""
    if not all(map(math.isfinite, center)):
        raise refuse("The middle of a query", "finite", center)

    def enclose(x: Value, bits: int) -> Interval:
        gaps = [a - exact(b, bits) for a, b in zip(space.point(x, bits), center, strict=True)]
        return length(gaps) - exact(offset, bits)

    return enclose


def _great_circle(space: Globe, center: Place, offset: float) -> Enclose:
    """R·angle − offset."""
    place = on_globe(tuple(map(Fraction, center)))

    def enclose(x: Value, bits: int) -> Interval:
        angle = angle_between(unit_vector(x, bits), public_vector(place, bits))
        return exact(space.radius, bits) * angle - exact(offset, bits)

    return enclose


def _score(kind: str, found: Document, space: DeviceSpace) -> Enclose:
    weights, at = numbers(found["weights"], "Score.weights"), number(found["at"], "Score.at")
    return _linear(_flat(space, kind), weights, -at)


def _linear_query(kind: str, found: Document, space: DeviceSpace) -> Enclose:
    weights = numbers(found["weights"], "LinearQuery.weights")
    return _linear(_flat(space, kind), weights, number(found["intercept"], "LinearQuery.intercept"))


def unit_direction(weights: Place, intercept: float) -> tuple[Place, float] | None:
    """The direction and the shift of (⟨w, x⟩ + intercept)/‖w‖ as floats; None where they are none."""
    size = root_float(sum((Fraction(w) ** 2 for w in weights), Fraction(0)))
    if not 0 < size < math.inf:
        return None
    direction, shift = tuple(w / size for w in weights), intercept / size
    return (direction, shift) if any(direction) and math.isfinite(shift) else None


def _linear(space: FlatSpace, weights: Place, intercept: float) -> Enclose:
    """⟨u, x⟩/‖u‖ + shift: the direction in floats, then divided by its own length, so that it has length 1."""
    found = unit_direction(weights, intercept)
    if len(weights) != space.axes or found is None:
        raise refuse("The direction of a query", f"a vector of {space.axes} flat axes that is not zero", weights)
    direction, shift = found
    square = sum((Fraction(u) ** 2 for u in direction), Fraction(0))

    def enclose(x: Value, bits: int) -> Interval:
        score = dot([exact(u, bits) for u in direction], space.point(x, bits))
        return score / exact(square, bits).root() + exact(shift, bits)

    return enclose


def _orthant(kind: str, found: Document, space: DeviceSpace) -> Enclose:
    flat = _flat(space, kind)
    start, width = numbers(found["at"], "Orthant.at"), positive(found["width"], "Orthant.width")
    if len(start) != space.axes:
        raise refuse("Orthant.at", f"made of {space.axes} number(s) on a flat space", start)
    corner = tuple(c + width / 2 + width / math.sqrt(2.0) for c in flat.public(start))
    if not all(map(math.isfinite, corner)):
        raise refuse("Orthant.width", "so small that its corner is finite", width)

    def enclose(x: Value, bits: int) -> Interval:
        lack = [exact(c, bits) - a for c, a in zip(corner, flat.point(x, bits), strict=True)]
        deepest, nothing = lack[0], Interval(0, 0, bits)
        for part in lack[1:]:
            deepest = deepest.maximum(part)
        if deepest.high <= 0:
            return deepest
        outside = length([part.maximum(nothing) for part in lack])
        return outside if deepest.low > 0 else outside.hull(deepest)  # both are 0 on the border

    return enclose


def _geofence(kind: str, found: Document, space: DeviceSpace) -> DeviceCoordinate:
    rings = read_rings(found["polygon"])
    if not isinstance(space, Plain) and any(abs(x) > 360 or abs(y) > 90 for ring in rings for x, y in ring):
        raise refuse("Geofence.polygon", "in degrees (longitude, latitude) on a globe", "something else")
    if isinstance(space, Globe):
        return DeviceCoordinate(space, globe_region(space.radius, rings).enclose)
    flat = _flat(space, kind)
    if flat.axes != 2 or flat.kind == "Euclidean":
        raise refuse("Geofence.space", "a Plane, a LocalPlane or the Earth", space.kind)
    if isinstance(flat, LocalMap):
        radius, middle = flat.radius, flat.middle
        rings = [[projected_floats(radius, middle, (y, (x + 180) % 360 - 180)) for x, y in ring] for ring in rings]
    region = flat_region(rings)
    return DeviceCoordinate(space, lambda x, bits: region.enclose(flat.point(x, bits)))


_MAKERS: dict[str, Callable[[str, Document, DeviceSpace], Enclose]] = {
    "Threshold": _threshold,
    "Range": _range,
    "Ball": _center,
    "GaussianKernel": _center,
    "RadialQuery": _center,
    "Score": _score,
    "LinearQuery": _linear_query,
    "Orthant": _orthant,
}
