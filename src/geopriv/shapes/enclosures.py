"""Queries in ball arithmetic: f0(s(x)) as an interval that holds the true real number, at any precision.

A float is an exact number here, so what is enclosed is the query as it is stated, evaluated at exactly the x that the
person holds: no rounding error is left that could break the 1-Lipschitz coordinate between two close x. A ball gets
narrower as the precision of the arithmetic grows (`exact.precision`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from geopriv.queries import Query
from geopriv.shapes import enclosed_regions as regions
from geopriv.shapes.coordinates import (
    EarthRegionDistance,
    Linear,
    QuadrantDistance,
    Radial,
    RegionDistance,
    Scaled,
)
from geopriv.shapes.profiles import (
    BlurredPieces,
    Gaussian,
    Identity,
    PiecewiseLinear,
    Profile,
    Ramp,
    Ramps,
    Smoothstep,
    Trapezoid,
    Triangle,
)
from geopriv.spaces import Earth
from geopriv.spaces.balls import arb
from geopriv.spaces.checks import FloatArray, invalid

Row = Sequence[float]  # one person's numbers: exact, as they were given


def coordinate(query: Query, row: Row) -> arb:
    """s(x).

    Raises:
        InvalidParameter: for a coordinate that has no enclosure.
    """
    geometry = query.geometry
    match geometry:
        case Scaled():
            return _given_function(geometry, row)
        case Linear():
            return _linear(geometry, query.space.enclose(row))
        case Radial():
            return _radial(geometry, row)
        case QuadrantDistance():
            return _quadrant(geometry, query.space.enclose(row))
        case RegionDistance():
            place = query.space.bounded(np.asarray([row]))
            return regions.plane_distance(
                geometry, query.space.enclose(row), place.value[0].tolist(), float(place.off.max())
            )
        case EarthRegionDistance():
            return regions.earth_distance(geometry, row)
    raise invalid("report", "query", "one whose coordinate has an enclosure", type(geometry).__name__)


def _given_function(geometry: Scaled, row: Row) -> arb:
    """f(x)/K: a function that is known through its computed values only, which are taken at their word."""
    points = geometry.space.bounded(np.asarray([row])).value.reshape(1, *geometry.space.point_shape)
    value = float(np.asarray(geometry.function(geometry.space.values(points)), dtype=np.float64).reshape(-1)[0])
    if not np.isfinite(value):
        raise invalid("LipschitzQuery", "function", "finite everywhere", geometry.function)
    return arb(value) / arb(geometry.constant)


def _linear(geometry: Linear, x: list[arb]) -> arb:
    if geometry.scalar:
        return geometry.direction[0] * x[0] + geometry.shift
    u = [arb(number) for number in geometry.direction]
    # the direction is of length 1 only to rounding; divided by its length the coordinate is 1-Lipschitz exactly
    return total(a * b for a, b in zip(u, x, strict=True)) / length(u) + geometry.shift


def _radial(geometry: Radial, row: Row) -> arb:
    space = geometry.space
    if isinstance(space, Earth):
        return space.radius * regions.angle(regions.unit_vector(row), regions.unit_vector(geometry.center)) - arb(
            geometry.offset
        )
    center = [arb(number) for number in geometry.center]  # on a LogLine a logarithm already
    return length([a - b for a, b in zip(space.enclose(row), center, strict=True)]) - geometry.offset


def _quadrant(geometry: QuadrantDistance, x: list[arb]) -> arb:
    lack = [arb(c) - a for c, a in zip(geometry.corner, x, strict=True)]
    deepest, outside = greatest(lack), length([a.max(arb(0)) for a in lack])
    if deepest > 0:
        return outside
    return deepest if deepest <= 0 else outside.union(deepest)  # both are 0 on the border


def profile(shape: Profile, s: arb) -> arb:
    """f0(s). Knots are those of the formula, not their rounded floats, so the slopes are exact.

    Raises:
        InvalidParameter: for a profile that has no enclosure.
    """
    match shape:
        case Identity():
            return shape.slope * s
        case Gaussian() | Smoothstep() | BlurredPieces():
            return _curved(shape, s)
        case Ramp():
            t = (s - shape.center) / shape.width
            return clip((t if shape.rising else -t) + 0.5)
        case Trapezoid():
            return clip((arb(shape.plateau) / 2 + shape.width - abs(s - shape.center)) / shape.width)
        case Triangle():
            return clip(1 - abs(s - shape.center) / shape.width)
        case PiecewiseLinear():
            return interpolated(np.asarray(shape.knots), np.asarray(shape.values), s)
    rule = "one whose answers have an enclosure (a Custom profile has none: its function is known in floats only)"
    raise invalid("report", "query", rule, type(shape).__name__)


def _curved(shape: Gaussian | Smoothstep | BlurredPieces, s: arb) -> arb:
    if isinstance(shape, Gaussian):
        t = (s - shape.center) / shape.bandwidth
        return (-(t * t) / 2).exp()
    if isinstance(shape, Smoothstep):
        t = clip((s - shape.center) / shape.width + 0.5)
        # both parabolas at once, each held where the other takes over
        first, last = t.min(arb(0.5)), 1 - t.max(arb(0.5))
        rise = 2 * first * first - 2 * last * last + 0.5
        return rise if shape.rising else 1 - rise
    # the floats of the formula (bends, knots, bandwidth and ends) are exact numbers
    h, place = arb(shape.bandwidth), s.max(arb(shape.low)).min(arb(shape.high))
    result = arb(shape.pieces.values[0])
    for knot, bend in shape.bends:
        t = (place - knot) / h
        result += bend * h * (t * (-t / arb(2).sqrt()).erfc() / 2 + (-(t * t) / 2).exp() / (2 * arb.pi()).sqrt())
    return result


def gap(shape: Ramps, s: arb) -> arb:
    """The distance of s to the nearest ramp, 0 on it."""
    match shape:
        case Ramp():
            away = abs(s - shape.center) - arb(shape.width) / 2
        case Trapezoid():
            inner = arb(shape.plateau) / 2
            away = (inner - abs(s - shape.center)).max(abs(s - shape.center) - inner - shape.width)
        case Triangle():
            away = abs(s - shape.center) - shape.width
        case _:
            raise invalid("report", "query", "one whose ramps are known", type(shape).__name__)
    return away.max(arb(0))


def interpolated(nodes: FloatArray, values: FloatArray, t: arb) -> arb:
    """Straight lines between the nodes, constant outside: the hull of what every cell that t touches gives."""
    cells = cells_of(nodes, t)
    result = _on_cell(nodes, values, cells[0], t)
    for cell in cells[1:]:
        result = result.union(_on_cell(nodes, values, cell, t))
    return result


def cells_of(nodes: FloatArray, t: arb) -> range:
    """The cells between nodes in which t can lie; the nearest one outside."""
    # one float further on each side, for what the conversion may have rounded
    ends = np.nextafter(float(t.lower()), -np.inf), np.nextafter(float(t.upper()), np.inf)
    first, last = np.clip(np.searchsorted(nodes, ends, side="right") - 1, 0, nodes.size - 2).tolist()
    return range(first, last + 1)


def _on_cell(nodes: FloatArray, values: FloatArray, cell: int, t: arb) -> arb:
    a, b, c, d = (arb(float(number)) for number in (*nodes[cell : cell + 2], *values[cell : cell + 2]))
    return c + (d - c) * clip((t - a) / (b - a))


def clip(t: arb) -> arb:
    """T between 0 and 1."""
    return t.max(arb(0)).min(arb(1))


def total(terms: Any) -> arb:
    """The sum."""
    return sum(terms, arb(0))


def length(vector: Sequence[arb]) -> arb:
    """The Euclidean length."""
    if len(vector) == 1:
        return abs(vector[0])
    # products, since the power of a ball around 0 is not a number
    return total(a * a for a in vector).nonnegative_part().sqrt()


def greatest(balls: Sequence[arb]) -> arb:
    """The largest of several numbers."""
    best = balls[0]
    for ball in balls[1:]:
        best = best.max(ball)
    return best
