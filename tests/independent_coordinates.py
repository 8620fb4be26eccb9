"""The coordinate that belongs to a query, from its document alone: written apart from the library, in balls.

Public places on a LogLine or a LocalPlane are the floats nearest to the true points; a direction, the middle of a range
and the corner of an orthant are made of floats in one order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from flint import arb

from tests.independent import (
    ball,
    digits,
    exactly,
    nearest,
    norm,
    on_map,
    point,
)

Document = dict[str, Any]


def coordinate_of(query: Document) -> Document:
    """The document of the coordinate.

    Raises:
        ArithmeticError: where a number is none, or is not finite.
    """
    kind = query["type"]
    if kind == "Blurred":
        return coordinate_of(query["query"])
    space = query["space"]
    if kind == "Geofence":
        name = "EarthRegion" if space["type"] == "Earth" else "Region"
        return {"type": name, "rings": _rings(space, query["polygon"])}
    if kind == "Threshold":
        return _linear([1.0], -nearest_point(space, [query["at"]])[0])
    if kind in ("Score", "LinearQuery"):
        return _score(query["weights"], -query["at"] if kind == "Score" else query["intercept"])
    if kind == "Range":
        low, high = (nearest_point(space, [query[name]])[0] for name in ("low", "high"))
        return _radial([(low + high) / 2], 0.0)
    if kind == "Orthant":
        width = float(query["width"])
        corner = [a + width / 2 + width / math.sqrt(2.0) for a in nearest_point(space, query["at"])]
        return {"type": "Quadrant", "corner": _finite(corner)}
    return _radial(nearest_point(space, query["center"]), float(query.get("radius", 0)))


def _linear(direction: Sequence[float], shift: float) -> Document:
    return {"type": "Linear", "direction": _finite(direction), "shift": _finite([shift])[0]}


def _radial(center: Sequence[float], offset: float) -> Document:
    return {"type": "Radial", "center": _finite(center), "offset": _finite([offset])[0]}


def _finite(numbers: Sequence[float]) -> list[float]:
    if not all(map(math.isfinite, numbers)):
        raise ArithmeticError("not finite")
    return [number + 0.0 for number in numbers]  # zeros without a sign


def _score(weights: Sequence[float], shift: float) -> Document:
    with digits(4096):
        size = nearest(norm([ball(abs(w)) for w in weights]))
    return _linear([float(w) / size for w in weights], float(shift) / size)


def nearest_point(space: Document, place: Sequence[float]) -> list[float]:
    """The floats nearest to the point of a public place; on Earth its degrees, the longitude below 180."""
    if space["type"] == "Earth":
        latitude, longitude = map(float, place)
        return [latitude, longitude - 360 if longitude >= 180 else longitude]
    with digits(4096):
        rounded = _metres if space["type"] == "LocalPlane" else nearest
        return [rounded(part) for part in point(space, tuple(map(Fraction, place)))]


def _metres(number: arb) -> float:
    """Of a public place on a map: what is below 2^-300 is 0."""
    return 0.0 if abs(exactly(number)) < Fraction(1, 1 << 300) else nearest(number)


def _rings(space: Document, polygon: Document) -> list[list[list[float]]]:
    parts = [polygon["coordinates"]] if polygon["type"] == "Polygon" else polygon["coordinates"]
    rings = [[[float(part) + 0.0 for part in corner] for corner in ring] for part in parts for ring in part]
    if space["type"] != "LocalPlane":
        return rings
    with digits(4096):
        return [[[_metres(part) + 0.0 for part in on_map(space, c[1], (c[0] + 180) % 360 - 180)] for c in ring]
                for ring in rings]  # fmt: skip
