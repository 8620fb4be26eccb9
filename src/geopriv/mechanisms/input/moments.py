"""E f(x + Z) and E f(x + Z)² of a query under Laplace noise on the input, where they have closed forms."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from geopriv.mechanisms.input.expectation import (
    gaussian_means,
    laplace_tails,
    piecewise_means,
    planar_tails,
)
from geopriv.queries import Query
from geopriv.shapes.profiles import (
    Gaussian,
    LinearPieces,
    Profile,
)
from geopriv.spaces.checks import FloatArray, invalid

_RULE = "of straight pieces or Gaussian, for a closed form of plain moments (others: geopriv_paper.plain.plain_moments)"


Means = tuple[FloatArray, FloatArray]


def input_means(query: Query, points: FloatArray, rate: float) -> Means:
    """Both means at points of the query's space.

    Raises:
        InvalidParameter: for a query without a closed form.
    """
    means = means_along(query, rate)
    if means is not None:
        return means(query.geometry(points))
    profile, offset = query.profile, -(query.geometry.apex or 0.0)
    if query.knots is None or not profile.levels_off:
        raise invalid("InputLaplace", "query", _RULE, query)
    # the distance to a place on a line: straight pieces on both sides of it
    side = np.reshape(points - query.geometry.anchor, points.shape[: points.ndim - len(query.space.point_shape)])
    knots = _folded_knots(profile.landmarks, offset)
    return piecewise_means(knots, profile(np.abs(knots) - offset), side, laplace_tails(rate))


def means_along(query: Query, rate: float) -> Callable[[FloatArray], Means] | None:
    """Both means as a function of the coordinate; None where they are not, or have no closed form."""
    d, bell = query.space.dimension, query.bell
    if query.geometry.axis is not None:
        return _means_of(query.profile, rate, d)
    if bell is None:
        return None
    return lambda s: gaussian_means(np.abs(s - bell.center), bell.bandwidth, rate, d, axes=d)


def coordinate_means(profile: Profile, s: FloatArray, rate: float) -> Means:
    """Both means of f0(s + Z) with Laplace noise on the coordinate.

    Raises:
        InvalidParameter: for a profile without a closed form.
    """
    means = _means_of(profile, rate, 1)
    if means is None:
        raise invalid("CoordinateLaplace", "query", _RULE, profile)
    return means(s)


def _means_of(profile: Profile, rate: float, dimension: int) -> Callable[[FloatArray], Means] | None:
    """Both means of f0(s + Z) with one axis Z of d-dimensional Laplace noise."""
    if (slope := profile.straight) is not None:
        return lambda s: (profile(s), profile(s) ** 2 + (dimension + 1) * (slope / rate) ** 2)
    match profile:
        case LinearPieces():
            tails = laplace_tails(rate) if dimension == 1 else planar_tails(rate, dimension)
            return lambda s: piecewise_means(profile.knots, profile.values, s, tails)
        case Gaussian():
            return lambda s: gaussian_means(np.abs(s - profile.center), profile.bandwidth, rate, dimension, axes=1)
    return None


def _folded_knots(knots: tuple[float, ...], offset: float) -> FloatArray:
    """Where f0(|t| − offset) bends as a function of t."""
    positives = [knot + offset for knot in knots if knot + offset > 0]
    return np.array([-k for k in reversed(positives)] + [0.0] + positives)
