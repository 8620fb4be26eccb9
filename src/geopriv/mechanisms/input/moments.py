"""E f(x + Z) and E f(x + Z)² of a query under Laplace noise on the input, where they have closed forms."""

from __future__ import annotations

import numpy as np

from geopriv.mechanisms.input.expectation import (
    gaussian_means,
    laplace_tails,
    piecewise_means,
    planar_tails,
)
from geopriv.queries import Query
from geopriv.shapes.coordinates import Linear, Radial
from geopriv.shapes.profiles import (
    Gaussian,
    Identity,
    LinearPieces,
    Profile,
)
from geopriv.spaces import Earth
from geopriv.spaces.checks import FloatArray, invalid

_RULE = "of straight pieces or Gaussian, for a closed form of plain moments (others: geopriv_paper.plain.plain_moments)"


def input_means(query: Query, points: FloatArray, rate: float) -> tuple[FloatArray, FloatArray]:
    """Both means at points of the query's space.

    Raises:
        InvalidParameter: for a query without a closed form.
    """
    geometry, profile, d = query.geometry, query.profile, query.space.dimension
    on_earth = isinstance(query.space, Earth)
    match geometry, profile:
        case _, Identity() if isinstance(geometry, Linear):
            s = geometry(points)
            return profile(s), profile(s) ** 2 + profile.slope**2 * (d + 1) / rate**2
        case Linear(), LinearPieces():
            tails = laplace_tails(rate) if d == 1 else planar_tails(rate, d)
            return piecewise_means(profile.knots, profile.values, geometry(points), tails)
        case Linear(), Gaussian():
            s = geometry(points) - profile.center
            return gaussian_means(np.abs(s), profile.bandwidth, rate, d, axes=1)
        case Radial(), Gaussian() if profile.center == -geometry.offset and not on_earth:
            return gaussian_means(geometry(points) + geometry.offset, profile.bandwidth, rate, d, axes=d)
        case Radial(), LinearPieces() if d == 1 and not isinstance(profile, Identity):
            side = np.reshape(points - geometry.anchor, points.shape[: points.ndim - len(query.space.point_shape)])
            knots = _folded_knots(profile, geometry.offset)
            return piecewise_means(knots, profile(np.abs(knots) - geometry.offset), side, laplace_tails(rate))
    raise invalid("InputLaplace", "query", _RULE, query)


def coordinate_means(profile: Profile, s: FloatArray, rate: float) -> tuple[FloatArray, FloatArray]:
    """Both means of f0(s + Z) with Laplace noise on the coordinate.

    Raises:
        InvalidParameter: for a profile without a closed form.
    """
    match profile:
        case Identity():
            return profile(s), profile(s) ** 2 + 2 * (profile.slope / rate) ** 2
        case LinearPieces():
            return piecewise_means(profile.knots, profile.values, s, laplace_tails(rate))
        case Gaussian():
            return gaussian_means(np.abs(s - profile.center), profile.bandwidth, rate, dimension=1, axes=1)
    raise invalid("CoordinateLaplace", "query", _RULE, profile)


def _folded_knots(profile: LinearPieces, offset: float) -> FloatArray:
    """Where f0(|t| − offset) bends as a function of t."""
    positives = [knot + offset for knot in profile.knots if knot + offset > 0]
    return np.array([-k for k in reversed(positives)] + [0.0] + positives)
