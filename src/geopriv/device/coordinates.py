"""The 1-Lipschitz coordinate of every query that a design may hold, for one point, and what its rounding costs.

On flat spaces it is exact (`surds`); on Earth it is computed in floats by the formulas of `geopriv.coordinates`, whose
rounding the resolution pays for. A profile is not needed: the table is the profile.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from geopriv.device import charges
from geopriv.device.reading import Document, number, numbers, positive, refuse, thing
from geopriv.device.spaces import DeviceSpace, Point, place, read_space
from geopriv.device.surds import Surd
from geopriv.errors import OutOfDomain

_KINDS = {
    "Threshold": ("at", "width", "space", "edge"),
    "Range": ("low", "high", "width", "shape", "space", "edge"),
    "Orthant": ("at", "width", "space"),
    "HalfSpace": ("normal", "offset", "width", "space"),
    "Ball": ("center", "radius", "width", "space"),
    "GaussianKernel": ("center", "bandwidth", "space"),
    "LinearQuery": ("weights", "profile", "intercept", "space"),
    "RadialQuery": ("center", "profile", "space"),
    "Geofence": ("polygon", "width", "space"),
    "Blurred": ("query", "bandwidth"),
}


@dataclass(frozen=True)
class DeviceCoordinate:
    """s, as a map from points, and a bound on its rounding for a reach."""

    space: DeviceSpace
    at: Callable[[Point], Surd] = field(repr=False)
    rounding: Callable[[float], float] = field(repr=False)


def read_coordinate(document: Any) -> DeviceCoordinate:
    """The coordinate of a query's document.

    Raises:
        InvalidDesign: for a document that is none.
    """
    kind, found = thing(document, "query", _KINDS)
    if kind == "Blurred":  # straight pieces of a linear coordinate, or it could not be in a table
        kind, inner = thing(found["query"], "Blurred.query", _KINDS)
        if kind not in ("Threshold", "HalfSpace", "LinearQuery"):
            raise refuse("Blurred.query", "a Threshold, HalfSpace or LinearQuery in a table", kind)
        return read_coordinate(inner)
    space = read_space(found["space"])
    centered = kind in ("Ball", "GaussianKernel", "RadialQuery")  # asked on every space
    if not centered and (kind in ("Threshold", "Range")) != (space.kind in ("Line", "LogLine")):
        raise refuse(f"{kind}.space", "one on which it can be asked", space.kind)
    try:
        return _MAKERS[kind](kind, found, space)
    except OutOfDomain as error:
        raise refuse(f"A place of {kind}", "on its space", error) from None


def _threshold(kind: str, found: Document, space: DeviceSpace) -> DeviceCoordinate:
    shift = -space.public((number(found["at"], "Threshold.at"),))[0]
    exact = Fraction(shift)
    return DeviceCoordinate(
        space, lambda x: Surd(Fraction(x[0]) + exact), lambda reach: charges.line_rounding(shift, reach)
    )


def _range(kind: str, found: Document, space: DeviceSpace) -> DeviceCoordinate:
    low, high = (space.public((number(found[name], f"Range.{name}"),))[0] for name in ("low", "high"))
    return _radial(space, ((low + high) / 2,), 0.0)


def _center(kind: str, found: Document, space: DeviceSpace) -> DeviceCoordinate:
    center = numbers(found["center"], f"{kind}.center")
    if len(center) != space.axes:
        raise refuse(f"{kind}.center", f"made of {space.axes} number(s)", center)
    return _radial(space, space.public(center), positive(found["radius"], "Ball.radius") if kind == "Ball" else 0.0)


def _radial(space: DeviceSpace, center: Point, offset: float) -> DeviceCoordinate:
    if space.kind == "Earth":
        from geopriv.device.regions import angle, unit_vector

        away = unit_vector(center)
        return DeviceCoordinate(
            space,
            lambda x: Surd(Fraction(space.radius * angle(unit_vector(x), away) - offset)),
            lambda reach: charges.globe_rounding(space.radius, offset),
        )
    middle, less = tuple(map(Fraction, center)), -Fraction(offset)

    def at(x: Point) -> Surd:
        gaps = [Fraction(a) - b for a, b in zip(x, middle, strict=True)]
        return Surd(abs(gaps[0]) + less) if len(gaps) == 1 else Surd(less, 1, sum((g * g for g in gaps), Fraction(0)))

    return DeviceCoordinate(space, at, lambda reach: charges.distance_rounding(center, offset, reach))


def _half_space(kind: str, found: Document, space: DeviceSpace) -> DeviceCoordinate:
    return _linear(space, numbers(found["normal"], "HalfSpace.normal"), -number(found["offset"], "HalfSpace.offset"))


def _linear_query(kind: str, found: Document, space: DeviceSpace) -> DeviceCoordinate:
    weights = numbers(found["weights"], "LinearQuery.weights")
    return _linear(space, weights, number(found["intercept"], "LinearQuery.intercept"))


def _linear(space: DeviceSpace, weights: Point, intercept: float) -> DeviceCoordinate:
    """(⟨w, x⟩ + intercept)/‖w‖: the direction in floats, then divided by its own length, so that it has length 1."""
    length = math.hypot(*weights)
    if space.kind == "Earth" or len(weights) != space.axes or not 0 < length < math.inf:
        raise refuse("The direction of a query", f"a vector of {space.axes} flat axes that is not zero", weights)
    direction, shift = tuple(Fraction(w / length) for w in weights), intercept / length
    square, exact = sum((u * u for u in direction), Fraction(0)), Fraction(shift)

    def at(x: Point) -> Surd:
        score = sum((u * Fraction(a) for u, a in zip(direction, x, strict=True)), Fraction(0))
        return Surd(exact, 1 if score >= 0 else -1, score * score / square)

    return DeviceCoordinate(space, at, lambda reach: charges.linear_rounding(space.axes, shift, space.extent, reach))


def _orthant(kind: str, found: Document, space: DeviceSpace) -> DeviceCoordinate:
    start, width = numbers(found["at"], "Orthant.at"), positive(found["width"], "Orthant.width")
    if space.kind == "Earth" or len(start) != space.axes:
        raise refuse("Orthant.at", f"made of {space.axes} number(s) on a flat space", start)
    corner = tuple(c + width / 2 + width / math.sqrt(2.0) for c in space.public(start))
    exact = tuple(map(Fraction, corner))

    def at(x: Point) -> Surd:
        lack = [c - Fraction(a) for c, a in zip(exact, x, strict=True)]
        outside = sum((gap * gap for gap in lack if gap > 0), Fraction(0))
        return Surd(Fraction(0), 1, outside) if outside else Surd(max(lack))

    return DeviceCoordinate(space, at, lambda reach: charges.distance_rounding(corner, 0.0, reach))


def _geofence(kind: str, found: Document, space: DeviceSpace) -> DeviceCoordinate:
    from geopriv.device.regions import FlatRegion, edges_of, globe_region, read_rings

    if space.kind not in ("Plane", "LocalPlane", "Earth"):
        raise refuse("Geofence.space", "a Plane, a LocalPlane or the Earth", space.kind)
    rings = read_rings(found["polygon"])
    if space.kind == "Earth":
        if any(abs(longitude) > 360 or abs(latitude) > 90 for ring in rings for longitude, latitude in ring):
            raise refuse("Geofence.polygon", "in degrees (longitude, latitude) on Earth", "something else")
        globe = globe_region(space.radius, rings)
        shortest = globe.shortest
        return DeviceCoordinate(
            space, globe.distance, lambda reach: charges.globe_region_rounding(space.radius, shortest, reach)
        )
    if space.chart is not None:
        chart = space.chart
        rings = [[chart.project(place((y, (x + 180) % 360 - 180))) for x, y in ring] for ring in rings]
    flat = FlatRegion(edges_of(rings))
    if not flat.edges:
        raise refuse("Geofence.polygon", "a polygon with an area", "a point")
    return DeviceCoordinate(space, flat.distance, lambda reach: charges.region_rounding(flat.size, reach))


_MAKERS: dict[str, Callable[[str, Document, DeviceSpace], DeviceCoordinate]] = {
    "Threshold": _threshold,
    "Range": _range,
    "Ball": _center,
    "GaussianKernel": _center,
    "RadialQuery": _center,
    "HalfSpace": _half_space,
    "LinearQuery": _linear_query,
    "Orthant": _orthant,
    "Geofence": _geofence,
}
