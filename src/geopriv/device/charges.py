"""What floating point costs on a space with a resolution, as plain formulas (theory T9).

The proofs stand with the coordinates (`geopriv.coordinates`) and with `geopriv.charges`; library and device compute the
same numbers here. u = 2^-53 is the relative error of one rounding.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

ROUND = 2.0**-53
WEIGHT = 2.0**-50  # how far an interpolation weight of 53 bits may be off, rounding included


def line_rounding(shift: float, reach: float) -> float:
    """Of ±x + shift on a line."""
    return 3 * ROUND * (reach + abs(shift))


def linear_rounding(axes: int, shift: float, extent: float, reach: float) -> float:
    """Of ⟨u, x⟩ + shift in R^d."""
    return ROUND * ((axes + 6) * math.sqrt(axes) * extent + 2 * (reach + abs(shift)))


def distance_rounding(place: Sequence[float], offset: float, reach: float) -> float:
    """Of the distance to a point less an offset in R^d, and (with offset 0) of that to a quadrant."""
    axes = len(place)
    return ROUND * (2 * axes + 4) * (math.sqrt(axes) * max(map(abs, place)) + reach + abs(offset))


def globe_rounding(radius: float, offset: float) -> float:
    """Of the great-circle distance to a point less an offset."""
    return 256 * ROUND * (radius + abs(offset))


def region_rounding(size: float, reach: float) -> float:
    """Of the signed distance to a polygon whose coordinates are at most `size`."""
    return 64 * ROUND * (size + reach)


def globe_region_rounding(radius: float, shortest: float, reach: float) -> float:
    """Of the signed distance to a polygon of arcs, the shortest of which has a chord of `shortest` radii."""
    tilt = 128 * ROUND / shortest
    far = 2 * tilt if reach > 1.2 * radius else 0.0
    return radius * (2048 * ROUND + 8 * tilt**2 + far)


def coordinate_error(rounding: float, lattice: Sequence[float], dimension: int, projection: float) -> float:
    """Of a table's coordinate with the weight by which it interpolates, and of the points it is computed from."""
    widest = max(b - a for a, b in pairwise(lattice))
    return rounding + WEIGHT * widest + math.sqrt(dimension) * projection


def position_error(dimension: int, projection: float, extent: float, origin: Sequence[float], step: float) -> float:
    """Of positions on a grid, along all axes."""
    farthest = extent + max(map(abs, origin), default=0.0)
    return math.sqrt(dimension) * (projection + 3 * ROUND * farthest + WEIGHT * step)


def rounded_up(error: float) -> float:
    """The error with room for the rounding of the bound itself."""
    return error * (1 + 1e-9)


def factor(error: float, closest: float) -> Fraction:
    """1 + 2e/q, exactly: how much farther computed coordinates move than recorded points."""
    return 1 + 2 * Fraction(error) / Fraction(closest)
