"""Queries and scales in floats, with bounds on how far they are from their enclosures.

Every class below computes the same numbers as `simulate` does and says how wrong they can be. u = 2^-53 is the error of
one rounding; the bounds are several times what counting roundings gives. A class that is not here has no filter, and
its reports are made in balls one by one.
"""

from __future__ import annotations

import math

import numpy as np
import shapely

from geopriv.queries import Query
from geopriv.shapes.coordinates import (
    EarthRegionDistance,
    Linear,
    QuadrantDistance,
    Radial,
    RegionDistance,
)
from geopriv.shapes.near_edges import PLANE_MARGIN, TINY
from geopriv.spaces import Earth
from geopriv.spaces.bounded import Bounded
from geopriv.spaces.checks import FloatArray

_ROUNDING = 2.0**-50  # eight roundings


def coordinate(query: Query, rows: FloatArray) -> Bounded | None:
    """s(x), shape (n,)."""
    start = query.space.bounded(rows)
    with np.errstate(over="ignore", invalid="ignore"):
        s = query.geometry(start.value if query.space.point_shape else start.value[:, 0])
        off = _coordinate_error(query, start.value, s)
        if off is None:
            return None
        # a 1-Lipschitz coordinate is off by no more than its point
        off = off + math.sqrt(query.space.dimension) * start.off.max(axis=1)
        finite = np.isfinite(s.sum())  # quicker than asking each
    if not finite:  # what overflows is not certain, and goes to the balls
        clear = np.isfinite(s)
        s, off = np.where(clear, s, 0.0), np.where(clear, off, np.inf)
    return Bounded(s, off)


def _coordinate_error(query: Query, places: FloatArray, s: FloatArray) -> FloatArray | None:
    geometry, more = query.geometry, _ROUNDING * (query.space.dimension + 2)
    off: FloatArray | None = None
    match geometry:
        case Linear(scalar=True):
            off = np.abs(places[:, 0])
            off += abs(geometry.shift)
            off *= 4 * _ROUNDING
        case Linear():
            off = np.asarray(more * (np.abs(places) @ np.abs(geometry.direction) + abs(geometry.shift)))
        case Radial() if isinstance(query.space, Earth):
            # unit vectors to 8 roundings, their sum and difference, and an angle of at most π
            off = np.full(len(places), _ROUNDING * (64 * query.space.radius + abs(geometry.offset)))
        case Radial():
            size = np.abs(places).sum(axis=1) + float(np.abs(geometry.center).sum()) + abs(geometry.offset)
            off = np.asarray(more * size)
        case RegionDistance():
            # a cross product of differences over the edge's length: a few roundings of the largest coordinate, and
            # what products of tiny numbers lose
            size = np.abs(places).max(axis=1) + float(np.abs(shapely.bounds(geometry.region)).max())
            off = np.asarray(PLANE_MARGIN * size + TINY)
        case EarthRegionDistance():
            off = _earth_region_error(geometry, s)
        case QuadrantDistance():
            off = np.asarray(more * (np.abs(places).sum(axis=1) + float(np.abs(geometry.corner).sum())))
    return off


def _earth_region_error(geometry: EarthRegionDistance, s: FloatArray) -> FloatArray:
    """What the angle to an arc, its ends and its side are off by, in metres.

    Unit vectors are off by 55u, so the distance to an end by 205u. The normal of an arc of length ℓ is turned by at
    most t = 128u/ℓ around its start: at feet on the arc, which is shorter than 160°, that moves the great circle by
    110u/sin 160° ≤ 330u, and the angle to it is off by √2·(330u + 60u) + 26u ≤ 580u. At the height h above the circle
    a foot may be put on the wrong side of an end while it is within t·sin h of it; then the distances to circle and end
    differ by at most 8t² up to 1.2 radians from the border, and by 2t anywhere. A side is wrong only where the border,
    whose ends are off by 65u and which an arc of 160° moves at most 6 times as far, lies within 65u + 390u: twice that.
    Altogether 1,500u and the terms in t. Of arcs below 1e-8 radians nothing is claimed.
    """
    shortest = geometry.shortest
    if shortest < 1e-8:
        return np.full(len(s), np.inf)
    turned = 128 * 2.0**-53 / shortest
    far = np.abs(s) > 1.1 * geometry.space.radius
    return np.asarray(geometry.space.radius * (2.0**-42 + 8 * turned**2 + np.where(far, 2 * turned, 0.0)))
