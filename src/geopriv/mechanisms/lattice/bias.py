"""How far multilinear interpolation on a grid can be from a query."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from geopriv.queries import Query
from geopriv.shapes.profiles import (
    LinearPieces,
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
    if query.bend is not None:
        return query.space.dimension * query.bend * step**2 / 8
    return _of_coordinate(query, step, bias_at)


def _of_coordinate(query: Query, step: float, bias_at: Callable[[FloatArray], FloatArray]) -> float:
    geometry, profile, d = query.geometry, query.profile, query.space.dimension
    steepest = profile.lipschitz * step * math.sqrt(d) / 2  # since E‖ξ‖ ≤ √d·step/2
    if not geometry.known:
        return steepest
    if (bell := query.bell) is not None:
        return min(d * (step / bell.bandwidth) ** 2 / 8, steepest)
    if geometry.axis is not None and profile.bend is not None:
        return min(profile.bend * step**2 / 8, steepest)
    if (knots := query.knots) is not None:
        return float(np.abs(bias_at(knots)).max(initial=0.0))
    if geometry.axis is not None and isinstance(profile, LinearPieces):
        return min(_largest_turn(profile, 2 * step * math.sqrt(d)) * step / 4, steepest)
    return min(_searched(query, step, bias_at), steepest)


def _largest_turn(profile: LinearPieces, reach: float) -> float:
    """The largest sum of changes of slope at knots that lie within `reach` of one of them."""
    turns, knots = np.abs(np.diff(profile.slopes)), np.asarray(profile.knots)
    near = np.abs(knots[:, None] - knots) <= reach
    return float((near @ turns).max(initial=0.0))


def _searched(query: Query, step: float, bias_at: Callable[[FloatArray], FloatArray]) -> float:
    """The largest |bias| among random points around the query, moved a little where it is large."""
    rng, d = np.random.default_rng(0), query.space.dimension
    points = rng.uniform(*query.box(2 * step), (_TRIED, d))
    worst = 0.0
    for shrink in step * 0.25 ** np.arange(_ROUNDS):
        error = np.abs(bias_at(points.reshape(-1, *query.space.point_shape)))
        worst = max(worst, float(error.max()))
        best = points[np.argsort(error)[-_KEPT:]]
        points = (best[:, None] + rng.uniform(-shrink, shrink, (_KEPT, 20, d))).reshape(-1, d)
    return worst
