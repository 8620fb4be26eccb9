"""Values at which a crafted design is most likely to break: beside lattice points and corners, at ends, far away."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from geopriv.device.maps import middle_of
from tests import independent
from tests.crafted_parts import Document, place

Floats = list[float]
TURNED = ((90.0, 0.0), (90.0, 123.0), (-90.0, -180.0), (0.0, 180.0), (0.0, -180.0), (5.0, 360.0), (-5e-324, 5e-324))


def places_to_try(rng: random.Random, document: Document) -> list[independent.Value]:
    """Two neighbours on both sides of a lattice point, two others nearby, one beside a corner, and one at an end."""
    space = document["space"]
    at, reach = _middle(rng, document), _reach(document)
    first, last = (_inside(space, _moved(rng, space, at, reach)) for _ in range(2))
    low, high = _straddle(document, first, last, rng)
    away = _extreme(rng, space, len(at))
    beside = [math.nextafter(part, rng.choice((-math.inf, math.inf))) for part in at]
    return [tuple(map(Fraction, _inside(space, each))) for each in (low, high, first, at, beside, away)]


def _middle(rng: random.Random, document: Document) -> Floats:
    """A place of the coordinate's own, as a value; else one of the space."""
    space, coordinate = document["space"], document.get("coordinate")
    if coordinate is None:
        own = document["origin"] if space["type"] in ("Line", "Plane", "Euclidean") else None
    elif "rings" in coordinate:
        own = rng.choice(coordinate["rings"][-1])
        own = own[::-1] if coordinate["type"] == "EarthRegion" else _value(space, own)
    else:
        found = coordinate.get("center") or coordinate.get("corner")
        if found is None:  # the foot of a linear one
            found = [-float(part) * float(coordinate["shift"]) for part in coordinate["direction"]]
        own = _value(space, found)
    return [float(part) for part in (own or place(rng, space))]


def _value(space: Document, point: Floats) -> Floats:
    """The value at a point, about."""
    if space["type"] == "LogLine":
        return [math.exp(min(max(point[0] * math.log(space["base"]), -700.0), 709.0))]
    if space["type"] != "LocalPlane":
        return point
    x, y = (min(max(part / space["radius"], -1.0), 1.0) for part in point)
    latitude, longitude = map(math.radians, middle_of(*(space[name] for name in ("south", "west", "north", "east"))))
    up = math.sqrt(max(1 - x * x - y * y, 0.0))
    north = math.asin(min(max(math.cos(latitude) * y + math.sin(latitude) * up, -1.0), 1.0))
    east = longitude + math.atan2(x, math.cos(latitude) * up - math.sin(latitude) * y)
    return [math.degrees(north), (math.degrees(east) + 180) % 360 - 180]


def _reach(document: Document) -> float:
    """How far from there things happen."""
    if "coordinate" not in document:
        return 3 * float(document["step"])
    size = max(abs(float(end)) for end in (document["lattice"][0], document["lattice"][-1]))
    return size + abs(float(document["coordinate"].get("offset", 0)))


def _moved(rng: random.Random, space: Document, at: Floats, reach: float) -> Floats:
    turn = [reach * rng.choice((1.0, -1.0, rng.uniform(-1, 1))) for _ in at]
    if space["type"] == "LogLine":
        power = min(max(turn[0] * math.log(space["base"]), -700.0), 700.0)
        return [at[0] * math.exp(power) if at[0] < 1 else math.exp(min(math.log(at[0]) + power, 709.0))]
    if space["type"] in ("Earth", "LocalPlane"):
        turn = [math.degrees(min(part / space["radius"], 4.0)) for part in turn]
    return [a + b for a, b in zip(at, turn, strict=True)]


def _inside(space: Document, value: Floats) -> Floats:
    """A value of the space: finite, and on the globe in degrees as people write them."""
    value = [0.0 if math.isnan(part) else min(max(part, -1.7e308), 1.7e308) for part in value]
    if space["type"] in ("Earth", "LocalPlane"):
        latitude, longitude = value
        turned = longitude if -180 <= longitude <= 360 else (longitude + 180) % 360 - 180
        return [min(max(latitude, -90.0), 90.0), turned]
    return value


def _extreme(rng: random.Random, space: Document, axes: int) -> Floats:
    if space["type"] in ("Earth", "LocalPlane"):
        return list(rng.choice(TURNED))
    return [rng.choice((1e308, -1e308, 5e-324, 0.0, 2.0**53 + 2, 1e15)) for _ in range(axes)]


def _straddle(document: Document, first: Floats, last: Floats, rng: random.Random) -> tuple[Floats, Floats]:
    """Two values next to each other between which the coordinate passes a lattice point, if it does on the way."""
    space, table = document["space"], "coordinate" in document

    def at(share: float) -> Floats:
        return _inside(space, [(1 - share) * a + share * b for a, b in zip(first, last, strict=True)])

    target = rng.choice(document["lattice"]) if table else 0.0
    above: Callable[[Floats], Any]
    with independent.digits(200):
        if not table:
            start = float(independent.positions(document, tuple(map(Fraction, at(0.5))))[0].mid())
            target = math.floor(start) if math.isfinite(start) else 0.0

        def above(value: Floats) -> Any:
            exactly = tuple(map(Fraction, value))
            s = independent.coordinate(document, exactly) if table else independent.positions(document, exactly)[0]
            return s > target

        low, high = 0.0, 1.0
        if above(at(low)) == above(at(high)):
            return at(0.25), at(0.75)
        rising = above(at(high))
        for _ in range(64):
            middle = (low + high) / 2
            if at(middle) in (at(low), at(high)):
                break
            low, high = (low, middle) if above(at(middle)) == rising else (middle, high)
        return at(low), at(high)
