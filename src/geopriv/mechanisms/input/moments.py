"""E f(x + Z) and E f(x + Z)² of a query under Laplace noise on the input.

Closed forms or one smooth integral where the geometry allows; otherwise adaptive quadrature over the noise in
coordinates that make it uniform on the unit cube (quantile of the length, direction), which knows from the
1-Lipschitz coordinate where the query can change and refines there.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from geopriv.mechanisms.input.displacement import Displacement, OnLine, displacement
from geopriv.mechanisms.input.expectation import (
    gaussian_means,
    laplace_tails,
    piecewise_means,
    planar_tails,
)
from geopriv.mechanisms.input.quadrature import Indices, integrate
from geopriv.queries import Query
from geopriv.shapes.coordinates import Linear, Radial
from geopriv.shapes.profiles import (
    Gaussian,
    Identity,
    LinearPieces,
    Profile,
)
from geopriv.spaces import Earth
from geopriv.spaces.checks import FloatArray, positive

# Absolute tolerance of both means where quadrature over one, two or three axes is needed.
_TOLERANCE = {1: 1e-9, 2: 1e-5, 3: 1e-3}


def input_means(
    query: Query, points: FloatArray, rate: float, tolerance: float | None
) -> tuple[FloatArray, FloatArray]:
    """Both means at points of the query's space; the tolerance matters only where quadrature is needed."""
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
    return _by_quadrature(query, points, rate, tolerance)


def coordinate_means(
    profile: Profile, s: FloatArray, rate: float, tolerance: float | None
) -> tuple[FloatArray, FloatArray]:
    """Both means of f0(s + Z) with Laplace noise on the coordinate."""
    match profile:
        case Identity():
            return profile(s), profile(s) ** 2 + 2 * (profile.slope / rate) ** 2
        case LinearPieces():
            return piecewise_means(profile.knots, profile.values, s, laplace_tails(rate))
        case Gaussian():
            return gaussian_means(np.abs(s - profile.center), profile.bandwidth, rate, dimension=1, axes=1)
    return _integrate(profile, OnLine(s.ravel(), lambda moved: moved, rate), s.shape, rate, tolerance)


def _folded_knots(profile: LinearPieces, offset: float) -> FloatArray:
    """Where f0(|t| − offset) bends as a function of t."""
    positives = [knot + offset for knot in profile.knots if knot + offset > 0]
    return np.array([-k for k in reversed(positives)] + [0.0] + positives)


def _by_quadrature(
    query: Query, points: FloatArray, rate: float, tolerance: float | None
) -> tuple[FloatArray, FloatArray]:
    shape = points.shape[: points.ndim - len(query.space.point_shape)]
    flat = points.reshape(-1, *query.space.point_shape)
    return _integrate(query.profile, displacement(query, flat, rate), shape, rate, tolerance)


def _integrate(
    profile: Profile, noise: Displacement, shape: tuple[int, ...], rate: float, tolerance: float | None
) -> tuple[FloatArray, FloatArray]:
    goal = _TOLERANCE[noise.axes] if tolerance is None else positive("bias and variance", "tolerance", tolerance)
    # in R³ only shapes without small parts come here (orthants, functions of their own constant)
    grain = min(0.5 / rate, _grain(profile)) if noise.axes < 3 else 2 / rate

    def integrand(which: Indices, cube: FloatArray) -> FloatArray:
        value = profile(noise.coordinate(which, cube))
        weight = noise.density(cube[:, 0])
        return np.stack([weight * value, weight * value**2], axis=-1)

    def resolution(
        which: Indices, corner: FloatArray, size: float
    ) -> tuple[FloatArray, FloatArray, npt.NDArray[np.bool_]]:
        middle = noise.coordinate(which, corner + size / 2)
        reach = noise.reach(corner, size)
        low, high = _range(profile, middle - reach, middle + reach)
        mass = (noise.cdf(corner[:, 0] + size) - noise.cdf(corner[:, 0])) * size ** (noise.axes - 1)
        value = (low + high) / 2
        steepest = np.maximum(1.0, 2 * np.maximum(np.abs(low), np.abs(high)))  # of v and v² over the range of v
        certified = np.stack([mass * value, mass * value**2], axis=-1)
        return certified, mass * (high - low) * steepest, reach <= grain

    means = integrate(integrand, resolution, noise.count, noise.axes, 2, goal)
    return means[:, 0].reshape(shape), means[:, 1].reshape(shape)


def _range(profile: Profile, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Bounds on the profile over intervals: values at the ends and at landmarks inside, or the Lipschitz bound."""
    first, last = profile(low), profile(high)
    if not isinstance(profile, LinearPieces | Gaussian):
        middle, way = profile((low + high) / 2), profile.lipschitz * (high - low) / 2
        floor, ceiling = profile.bounds
        return np.maximum(middle - way, floor), np.minimum(middle + way, ceiling)
    least, most = np.minimum(first, last), np.maximum(first, last)
    for mark in profile.landmarks:
        inside = (low < mark) & (mark < high)
        value = float(profile(np.asarray(mark)))
        least, most = np.where(inside, np.minimum(least, value), least), np.where(inside, np.maximum(most, value), most)
    return least, most


def _grain(profile: Profile) -> float:
    """A length below which the profile holds no hidden feature: half its shortest piece, or its steepest rise."""
    shortest = min((b - a for a, b in pairwise(profile.landmarks)), default=math.inf)
    low, high = profile.bounds
    return 0.5 * min(shortest, (high - low) / profile.lipschitz)
