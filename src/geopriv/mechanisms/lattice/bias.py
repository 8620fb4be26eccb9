"""How far multilinear interpolation on a grid can be from a query."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from geopriv.queries import Blurred, Query
from geopriv.queries.parameters import gaussian_center
from geopriv.shapes.coordinates import (
    Linear,
    Radial,
    RegionDistance,
    Scaled,
)
from geopriv.shapes.profiles import (
    Gaussian,
    LinearPieces,
    Profile,
)
from geopriv.spaces.checks import FloatArray

_TRIED, _KEPT, _ROUNDS = 40_000, 200, 4


def largest_interpolation_bias(query: Query, step: float, bias_at: Callable[[FloatArray], FloatArray]) -> float:
    """The largest |interpolant − f| over all points.

    Rounding at random moves a point by ξ with mean 0 and a variance of at most step²/4 on each axis. So for a linear
    coordinate a curvature of at most C gives at most C·step²/8, and a kink at which the slope changes by J at most
    |J|·E|ξ|/2 ≤ |J|·step/4. On a line the error of straight pieces is largest at one of their knots. For a Gaussian of
    the distance every axis adds step²/8h². Blurring a K-Lipschitz f that varies by B by h leaves no second derivative
    above K·E|N|/h, nor above B·E|N² − 1|/2h², on any axis. Other shapes are searched near their landmarks.

    Args:
        query: whose f is interpolated.
        step: of the grid.
        bias_at: interpolant − f at points of the space.
    """
    if isinstance(query, Blurred) and not query.along_line:
        return query.space.dimension * _blurred_bend(query.query.profile, query.bandwidth) * step**2 / 8
    return _of_coordinate(query, step, bias_at)


def _blurred_bend(profile: Profile, bandwidth: float) -> float:
    """A bound on the second derivatives of what is blurred by a normal density φ_h.

    They are f' ∗ φ_h', at most K·∫|φ_h'|, and f ∗ φ_h'', at most B/2·∫|φ_h''| since φ_h'' integrates to 0.
    """
    low, high = profile.bounds
    by_slope = profile.lipschitz * math.sqrt(2 / math.pi) / bandwidth
    by_range = (high - low) / 2 * 4 * math.exp(-0.5) / math.sqrt(2 * math.pi) / bandwidth**2
    return min(by_slope, by_range)


def _of_coordinate(query: Query, step: float, bias_at: Callable[[FloatArray], FloatArray]) -> float:
    geometry, profile, d = query.geometry, query.profile, query.space.dimension
    steepest = profile.lipschitz * step * math.sqrt(d) / 2  # since E‖ξ‖ ≤ √d·step/2
    if isinstance(geometry, Scaled):
        return steepest
    if gaussian_center(query) is not None and isinstance(profile, Gaussian):
        return min(d * (step / profile.bandwidth) ** 2 / 8, steepest)
    bend = profile.bend
    if isinstance(geometry, Linear) and bend is not None:
        return min(bend * step**2 / 8, steepest)
    knots = knots_on_line(query)
    if knots is not None:
        return float(np.abs(bias_at(knots)).max(initial=0.0))
    if isinstance(geometry, Linear) and isinstance(profile, LinearPieces):
        return min(_largest_turn(profile, 2 * step * math.sqrt(d)) * step / 4, steepest)
    return min(_searched(query, step, bias_at), steepest)


def knots_on_line(query: Query) -> FloatArray | None:
    """The points where f bends, if it is made of straight pieces of one number; else None."""
    geometry, profile = query.geometry, query.profile
    if query.space.dimension > 1 or not isinstance(profile, LinearPieces):
        return None
    knots = np.asarray(profile.knots)
    match geometry:
        case Linear():
            places = geometry.direction[0] * (knots - geometry.shift)
        case Radial():
            beside = knots[knots > -geometry.offset] + geometry.offset
            slope = profile.slopes[int(np.searchsorted(knots, -geometry.offset, side="right"))]
            tip = [0.0] if slope else []
            places = float(np.ravel(geometry.anchor)[0]) + np.concatenate([-beside, tip, beside])
        case _:
            return None
    return np.sort(places).reshape(-1, *query.space.point_shape)


def _largest_turn(profile: LinearPieces, reach: float) -> float:
    """The largest sum of changes of slope at knots that lie within `reach` of one of them."""
    turns, knots = np.abs(np.diff(profile.slopes)), np.asarray(profile.knots)
    near = np.abs(knots[:, None] - knots) <= reach
    return float((near @ turns).max(initial=0.0))


def box_around(query: Query, margin: float) -> tuple[FloatArray, FloatArray]:
    """The lowest and the highest corner of a box around the places where the query changes."""
    if isinstance(query, Blurred) and not query.along_line:
        return box_around(query.query, margin + query.bandwidth)
    geometry = query.geometry
    if isinstance(geometry, RegionDistance):
        bounds = np.asarray(geometry.region.bounds)
        low, high, here = bounds[:2], bounds[2:], 0.0
    else:
        low = high = np.atleast_1d(geometry.anchor)
        here = float(geometry(np.reshape(geometry.anchor, query.space.point_shape)))
    reach = max(abs(mark - here) for mark in query.profile.landmarks) + margin
    return low - reach, high + reach


def _searched(query: Query, step: float, bias_at: Callable[[FloatArray], FloatArray]) -> float:
    """The largest |bias| among random points around the query, moved a little where it is large."""
    rng, d = np.random.default_rng(0), query.space.dimension
    points = rng.uniform(*box_around(query, 2 * step), (_TRIED, d))
    worst = 0.0
    for shrink in step * 0.25 ** np.arange(_ROUNDS):
        error = np.abs(bias_at(points.reshape(-1, *query.space.point_shape)))
        worst = max(worst, float(error.max()))
        best = points[np.argsort(error)[-_KEPT:]]
        points = (best[:, None] + rng.uniform(-shrink, shrink, (_KEPT, 20, d))).reshape(-1, d)
    return worst
