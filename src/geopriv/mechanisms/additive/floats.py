"""Queries and scales in floats, with bounds on how far they are from their enclosures.

Every class below computes the same numbers as `simulate` does and says how wrong they can be. u = 2^-53 is the error of
one rounding; the bounds are several times what counting roundings gives. A class that is not here has no filter, and
its reports are made in balls one by one.
"""

from __future__ import annotations

import math

import numpy as np
import shapely

from geopriv.mechanisms.additive.scales import (
    FLATTER,
    MARGIN,
    step_bound,
    top_of,
)
from geopriv.mechanisms.additive.smooth import SmoothScale
from geopriv.mechanisms.base import ConstantScale
from geopriv.mechanisms.sensitivity.envelope import Envelope
from geopriv.mechanisms.sensitivity.growth import ExponentialGrowth
from geopriv.mechanisms.sensitivity.least_scale import ConstantLeastScale, RampScale, TabledScale
from geopriv.queries import Query
from geopriv.shapes.coordinates import (
    EarthRegionDistance,
    Linear,
    QuadrantDistance,
    Radial,
    RegionDistance,
)
from geopriv.shapes.near_edges import PLANE_MARGIN, TINY
from geopriv.shapes.profiles import (
    BlurredPieces,
    Gaussian,
    Identity,
    PiecewiseLinear,
    Ramps,
    Smoothstep,
)
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


def scale(sigma: object, s: Bounded, rate: float) -> Bounded | None:
    """σ(s) with the margin, and a relative error.

    All scales satisfy |σ'| ≤ ε·σ, so an error of s counts at most at the rate ε. Beside that, exponents of at most 700
    are right to four roundings, 2^-41.
    """
    match sigma:
        case ConstantScale() | ConstantLeastScale():
            off = np.full_like(s.value, _ROUNDING)
        case RampScale():
            off = rate * (s.off + _ROUNDING * (np.abs(s.value) + _extent(sigma.profile))) + 2.0**-41
        case TabledScale():
            place = float(np.abs(sigma.nodes[[0, -1]]).max()) + abs(sigma.center or 0.0)
            off = rate * (s.off + _ROUNDING * (np.abs(s.value) + place)) + 2.0**-41
            stated = sigma(s.value)
            return Bounded(MARGIN * stated * np.exp(FLATTER * (top_of(sigma) - np.log(stated))), off)
        case SmoothScale():
            return _smooth(sigma, s, rate)
        case _:
            return None
    return Bounded(MARGIN * sigma(s.value), off)


def _smooth(sigma: SmoothScale, s: Bounded, rate: float) -> Bounded | None:
    profile, growth = sigma.query.profile, sigma.growth
    match profile:
        case Identity():
            return Bounded(MARGIN * sigma(s.value), np.full_like(s.value, _ROUNDING))
        case Ramps():
            off = _smooth_ramps(profile, sigma, s, rate)
            return None if off is None else Bounded(MARGIN * sigma(s.value), off)
        case PiecewiseLinear() | Gaussian() | Smoothstep() | BlurredPieces() if isinstance(growth, ExponentialGrowth):
            bound, center = step_bound(profile, sigma.radius)
            t = s.value if center is None else np.abs(s.value - center)
            feet = [abs(1 / (edge - foot)) for (_, where), edge in _tails(bound) for foot in where.tolist()]
            steepest = rate + max(feet, default=0.0)
            place = np.abs(s.value) + abs(center or 0.0) + float(np.abs(bound.edges[[0, -2]]).max())
            off = steepest * (s.off + _ROUNDING * place) + _ROUNDING * (700 + 4 * growth.gamma * place)
            return Bounded(MARGIN / sigma.eta * np.maximum(bound.smooth(growth, t), 1e-300), off)
    return None


def _tails(bound: Envelope) -> list[tuple[tuple[FloatArray, FloatArray], float]]:
    return [(bound.left, float(bound.edges[0])), (bound.right, float(bound.edges[-1]))]


def _smooth_ramps(profile: Ramps, sigma: SmoothScale, s: Bounded, rate: float) -> FloatArray | None:
    """The relative error of B*: what is taken for the largest candidate moves at most at the rates ε, 1/τ and 1/Λ."""
    # with a finite Λ a candidate is a difference, (1 − gap/Λ)/τ, while B* is at least e^(−γΛ)/τ where that counts
    exponent = sigma.growth.gamma * sigma.radius if math.isfinite(sigma.radius) else 0.0
    if exponent > 16:
        return None
    steepest = rate + profile.lipschitz + 1 / sigma.radius
    place = _ROUNDING * (np.abs(s.value) + _extent(profile))
    return np.asarray(2 * math.exp(exponent) * (steepest * (s.off + place) + 2.0**-41))


def _extent(profile: Ramps) -> float:
    return float(np.abs(profile.knots).max()) + profile.width
