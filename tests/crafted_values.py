"""Values at which a crafted design is most likely to break: beside lattice points and corners, at ends, far away."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from tests import independent
from tests.crafted_parts import Document, place

Floats = list[float]
TURNED = ((90.0, 0.0), (90.0, 123.0), (-90.0, -180.0), (0.0, 180.0), (0.0, -180.0), (5.0, 360.0), (-5e-324, 5e-324))


def places_to_try(rng: random.Random, document: Document) -> list[independent.Value]:
    """Two neighbours on both sides of a lattice point, two others nearby, one beside a corner, and one at an end."""
    query = _asked(document)
    space = document["space"] if query is None else query["space"]
    at, reach = _middle(rng, query, space, document), _reach(query, document)
    first, last = (_inside(space, _moved(rng, space, at, reach)) for _ in range(2))
    low, high = _straddle(document, first, last, rng)
    away = _extreme(rng, space, len(at))
    beside = [math.nextafter(part, rng.choice((-math.inf, math.inf))) for part in at]
    return [tuple(map(Fraction, _inside(space, each))) for each in (low, high, first, at, beside, away)]


def _asked(document: Document) -> Document | None:
    if document["type"] == "Lattice":
        return None
    found: Document = document["query"]
    return found["query"] if found["type"] == "Blurred" else found


def _middle(rng: random.Random, query: Document | None, space: Document, document: Document) -> Floats:
    """A place of the query's own, as a value; else one of the space."""
    if query is None:
        own = document["origin"] if space["type"] in ("Line", "Plane", "Euclidean") else place(rng, space)
    elif query["type"] == "Geofence":
        rings = query["polygon"]["coordinates"]
        ring = rings[0] if query["polygon"]["type"] == "Polygon" else rings[-1][0]
        own = rng.choice(ring)
        own = own if space["type"] == "Plane" else own[::-1]
    else:
        at = None if query["type"] == "Score" else query.get("at")  # that is a number of its coordinate
        own = query.get("center") or at or query.get("low") or place(rng, space)
    return [float(part) for part in (own if isinstance(own, list) else [own])]


def _reach(query: Document | None, document: Document) -> float:
    """How far from there things happen."""
    if query is None:
        return 3 * float(document["step"])
    size = max(abs(float(end)) for end in (document["lattice"][0], document["lattice"][-1]))
    return size + float(query["radius"] if query["type"] == "Ball" else 0)


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
    query = _asked(document)
    space = document["space"] if query is None else query["space"]

    def at(share: float) -> Floats:
        return _inside(space, [(1 - share) * a + share * b for a, b in zip(first, last, strict=True)])

    target = rng.choice(document["lattice"]) if query else 0.0
    above: Callable[[Floats], Any]
    with independent.digits(200):
        if query is None:
            start = float(independent.positions(document, tuple(map(Fraction, at(0.5))))[0].mid())
            target = math.floor(start) if math.isfinite(start) else 0.0

        def above(value: Floats) -> Any:
            exactly = tuple(map(Fraction, value))
            s = independent.coordinate(query, exactly) if query else independent.positions(document, exactly)[0]
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
