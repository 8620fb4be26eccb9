"""Queries in ball arithmetic: f0(s(x)) as an interval that holds the true real number, at any precision.

A float is an exact number here, so what is enclosed is the query as it is stated, evaluated at exactly the x that the
person holds: no rounding error is left that could break the 1-Lipschitz coordinate between two close x. A ball gets
narrower as the precision of the arithmetic grows (`exact.precision`).
"""

from __future__ import annotations

from collections.abc import Sequence

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
from geopriv.spaces import Earth
from geopriv.spaces.balls import arb, greatest, length, total
from geopriv.spaces.checks import invalid

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
