"""The 1-Lipschitz coordinate s of a table, of five kinds, enclosed at one value to any number of bits.

A device knows coordinates and no queries: what is asked is words beside them, and the profile is the table. Whatever
finite numbers define it, a coordinate of these kinds never stretches a distance (theory T1): a direction is divided by
its own length, enclosed, and a distance to a place, a corner or the edges of a polygon changes by no more than the
value moves. So nothing in a document has to be believed for the promise to hold.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from geopriv.device.globe import angle_between, globe_region, public_vector
from geopriv.device.intervals import (
    Interval,
    dot,
    exact,
    length,
)
from geopriv.device.reading import (
    Document,
    number,
    numbers,
    refuse,
    thing,
)
from geopriv.device.regions import flat_region, read_rings
from geopriv.device.values import (
    DeviceSpace,
    FlatSpace,
    Place,
    Value,
    on_globe,
    unit_vector,
)
from geopriv.errors import OutOfDomain

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


def read_coordinate(document: Any, space: DeviceSpace) -> DeviceCoordinate:
    """The coordinate of a document, on a space.

    Raises:
        InvalidDesign: for a document that is none, and for one that the space does not have.
    """
    kind, found = thing(document, "coordinate", KINDS)
    return DeviceCoordinate(space, _READERS[kind][1](found, space))


def _flat(space: DeviceSpace, kind: str) -> FlatSpace:
    if space.flat is None:
        raise refuse(f"The space of a {kind}", "flat", space.kind)
    return space.flat


def _vector(found: Document, kind: str, key: str, space: DeviceSpace) -> Place:
    vector = numbers(found[key], f"{kind}.{key}")
    if len(vector) != space.axes:
        raise refuse(f"{kind}.{key}", f"made of {space.axes} number(s)", vector)
    return vector


def _linear(found: Document, any_space: DeviceSpace) -> Enclose:
    """⟨u, x⟩/‖u‖ + shift: divided by the length that u has, so that it has length 1; on one axis ±x + shift."""
    space = _flat(any_space, "Linear")
    direction, shift = _vector(found, "Linear", "direction", space), number(found["shift"], "Linear.shift")
    square = sum((Fraction(u) ** 2 for u in direction), Fraction(0))
    if not Fraction(1, 4) <= square <= 4:  # shorter ones would need more bits, and none is needed
        raise refuse("Linear.direction", "a vector whose length is about 1", direction)
    if space.axes == 1:
        up = direction[0] > 0
        return lambda x, bits: (space.point(x, bits)[0] if up else -space.point(x, bits)[0]) + exact(shift, bits)

    def enclose(x: Value, bits: int) -> Interval:
        score = dot([exact(u, bits) for u in direction], space.point(x, bits))
        return score / exact(square, bits).root() + exact(shift, bits)

    return enclose


def _radial(found: Document, space: DeviceSpace) -> Enclose:
    """The distance to a centre, less an offset."""
    if space.sphere is not None:
        return _great_circle(found, space, space.sphere)
    return _distance(found, _flat(space, "Radial"))


def _distance(found: Document, space: FlatSpace) -> Enclose:
    """‖x − center‖ − offset."""
    center, offset = _vector(found, "Radial", "center", space), number(found["offset"], "Radial.offset")

    def enclose(x: Value, bits: int) -> Interval:
        gaps = [a - exact(b, bits) for a, b in zip(space.point(x, bits), center, strict=True)]
        return length(gaps) - exact(offset, bits)

    return enclose


def _great_circle(found: Document, space: DeviceSpace, radius: float) -> Enclose:
    """R·angle − offset."""
    center, offset = _vector(found, "Radial", "center", space), number(found["offset"], "Radial.offset")
    try:
        place = on_globe(tuple(map(Fraction, center)))
    except OutOfDomain as error:
        raise refuse("Radial.center", "on the globe", error) from None

    def enclose(x: Value, bits: int) -> Interval:
        angle = angle_between(unit_vector(x, bits), public_vector(place, bits))
        return exact(radius, bits) * angle - exact(offset, bits)

    return enclose


def _quadrant(found: Document, any_space: DeviceSpace) -> Enclose:
    """The distance to {p ≥ corner}, inside it less the depth."""
    space = _flat(any_space, "Quadrant")
    corner = _vector(found, "Quadrant", "corner", space)

    def enclose(x: Value, bits: int) -> Interval:
        lack = [exact(c, bits) - a for c, a in zip(corner, space.point(x, bits), strict=True)]
        deepest, nothing = lack[0], Interval(0, 0, bits)
        for part in lack[1:]:
            deepest = deepest.maximum(part)
        outside = length([part.maximum(nothing) for part in lack])
        if deepest.high <= 0:
            return deepest
        return outside if deepest.low > 0 else outside.hull(deepest)  # both are 0 on the border

    return enclose


def _region(found: Document, space: DeviceSpace) -> Enclose:
    """The signed distance to a polygon whose corners are points of a flat space of two axes."""
    flat = _flat(space, "Region")
    if flat.axes != 2:
        raise refuse("The space of a Region", "of two axes", space.kind)
    region = flat_region(read_rings(found["rings"], "Region.rings"))
    return lambda x, bits: region.enclose(flat.point(x, bits))


def _earth_region(found: Document, space: DeviceSpace) -> Enclose:
    """The signed distance to a polygon of great-circle arcs, whose corners are in degrees."""
    if space.sphere is None:
        raise refuse("The space of an EarthRegion", "the Earth", space.kind)
    rings = read_rings(found["rings"], "EarthRegion.rings")
    if any(abs(x) > 360 or abs(y) > 90 for ring in rings for x, y in ring):
        raise refuse("EarthRegion.rings", "in degrees (longitude, latitude) on a globe", "something else")
    return globe_region(space.sphere, rings).enclose


_READERS: dict[str, tuple[tuple[str, ...], Callable[[Document, DeviceSpace], Enclose]]] = {
    "Linear": (("direction", "shift"), _linear),
    "Radial": (("center", "offset"), _radial),
    "Quadrant": (("corner",), _quadrant),
    "Region": (("rings",), _region),
    "EarthRegion": (("rings",), _earth_region),
}
KINDS = {kind: keys for kind, (keys, _) in _READERS.items()}  # all that there are: what is not here is refused
