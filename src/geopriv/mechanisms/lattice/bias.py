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
    """A bound on |interpolant − f| over all points; of straight pieces of one number the largest itself.

    On a line the error of straight pieces is largest at one of their knots.

    Args:
        query: whose f is interpolated.
        step: of the grid.
        bias_at: interpolant − f at points of the space.
    """
    knots = query.knots if query.bend is None and query.bell is None else None
    if knots is not None and query.geometry.known:
        return float(np.abs(bias_at(knots)).max(initial=0.0))
    return interpolation_bias(query, step)


def likely_bias(query: Query, step: float, bias_at: Callable[[FloatArray], FloatArray]) -> float:
    """The smaller of the bound and of the largest |interpolant − f| that a search finds: by which grids are chosen.

    What is stated of a grid is the bound.

    Args:
        query: whose f is interpolated.
        step: of the grid.
        bias_at: interpolant − f at points of the space.
    """
    bound = largest_interpolation_bias(query, step, bias_at)
    if not query.has_profile:
        return bound
    rough = query.bend is None and query.geometry.known and not math.isfinite(_of_coordinate(query, step))
    return min(_searched(query, step, bias_at), bound) if rough else bound


def interpolation_bias(query: Query, step: float) -> float:
    """A bound on |interpolant − f| over all points, from what f says of itself alone.

    Rounding at random moves a point by ξ with mean 0 and a variance of at most step²/4 on each axis. So for a linear
    coordinate a curvature of at most C gives at most C·step²/8, and a kink at which the slope changes by J at most
    |J|·E|ξ|/2 ≤ |J|·step/4. For a Gaussian of the distance every axis adds step²/8h², and for any f0 of the distance r
    that is level up to r₀ max(C, K/r₀)·step²/8, since its second derivatives are f0'' and f0'/r. Blurring a K-Lipschitz
    f that varies by B by h leaves no second derivative above K·E|N|/h, nor above B·E|N² − 1|/2h², on any axis. Of any
    other shape it is known that f is K-Lipschitz and E‖ξ‖ ≤ √d·step/2.

    Args:
        query: whose f is interpolated.
        step: of the grid.
    """
    if query.bend is not None:
        return query.space.dimension * query.bend * step**2 / 8
    known = query.has_profile and query.geometry.known
    bound = query.interpolation_bias(step)
    return min(_of_coordinate(query, step), bound) if known else bound


def _of_coordinate(query: Query, step: float) -> float:
    """For a profile of a known coordinate; infinite where it is too rough for a bound."""
    geometry, profile, d = query.geometry, query.profile, query.space.dimension
    if (bell := query.bell) is not None:
        return d * (step / bell.bandwidth) ** 2 / 8
    if geometry.axis is not None and profile.bend is not None:
        return profile.bend * step**2 / 8
    if geometry.axis is not None and isinstance(profile, LinearPieces):
        return _largest_turn(profile, 2 * step * math.sqrt(d)) * step / 4
    level = -math.inf if geometry.apex is None else profile.breaks[0] - geometry.apex
    if profile.bend is not None and level > 0:
        return d * max(profile.bend, profile.lipschitz / level) * step**2 / 8
    return math.inf


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
