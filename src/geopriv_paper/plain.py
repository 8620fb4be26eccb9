"""Bias and variance of the paper's plain estimates for every query, by quadrature over the noise.

The library has closed forms for straight pieces and Gaussians. Here is the rest: adaptive quadrature over the noise in
coordinates of the unit cube (length, direction), which knows from the 1-Lipschitz coordinate where the query can change
and refines there.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from geopriv.mechanisms import CoordinateLaplace, InputLaplace
from geopriv.queries import Query
from geopriv.shapes.profiles import Gaussian, LinearPieces, Profile
from geopriv.spaces.checks import FloatArray, invalid, positive
from geopriv_paper.displacement import Displacement, OnLine, displacement
from geopriv_paper.quadrature import Indices, integrate

# Absolute tolerance of both means over one, two or three axes.
_TOLERANCE = {1: 1e-9, 2: 1e-5, 3: 1e-3}


def plain_moments(
    mechanism: InputLaplace | CoordinateLaplace, x: Any, query: Query | None = None, tolerance: float | None = None
) -> tuple[FloatArray, FloatArray]:
    """E f(x + Z) − f(x) and Var f(x + Z) of the plain estimate, for each value.

    Args:
        mechanism: with `estimator="plain"`.
        x: values of the query's space.
        query: what the reports of an InputLaplace are to answer; a CoordinateLaplace has its own.
        tolerance: absolute, of E f(x + Z) and E f(x + Z)²; by default 1e-9 over one axis of noise, 1e-5 over two, 1e-3
            over three.

    Raises:
        InvalidParameter: beyond three dimensions, for a query that is neither linear nor radial.
        QuadratureFailed: where the tolerance takes too many cells.

    >>> from geopriv import Ball, InputLaplace, Plane
    >>> m = InputLaplace.calibrate(Plane("m"), "1 per 100 m", estimator="plain")
    >>> bias, variance = plain_moments(m, [(0.0, 0.0)], Ball((0.0, 0.0), 300.0, 100.0, Plane("m")))
    >>> bias.round(4), variance.round(4)
    (array([-0.2033]), array([0.1369]))
    """
    if mechanism.unbiased:
        raise invalid("plain_moments", "mechanism", 'one with estimator="plain"', mechanism)
    asked = _asked(mechanism, query)
    rate, points = mechanism.guarantee.epsilon, asked.space.read(x)
    shape = points.shape[: points.ndim - len(asked.space.point_shape)]
    flat = points.reshape(-1, *asked.space.point_shape)
    if isinstance(mechanism, CoordinateLaplace):
        noise: Displacement = OnLine(asked.geometry(flat), lambda moved: moved, rate)
    else:
        noise = displacement(asked, flat, rate)
    mean, square = plain_means(asked.profile, noise, rate, tolerance)
    bias, variance = mean - asked.answer(flat), np.maximum(square - mean**2, 0.0)
    return bias.reshape(shape), variance.reshape(shape)


def _asked(mechanism: InputLaplace | CoordinateLaplace, query: Query | None) -> Query:
    if isinstance(mechanism, CoordinateLaplace) and query in (None, mechanism.query):
        return mechanism.query
    if isinstance(mechanism, InputLaplace) and query is not None and query.space == mechanism.space:
        return query
    raise invalid("plain_moments", "query", "one that the mechanism's reports answer", query)


def plain_means(
    profile: Profile, noise: Displacement, rate: float, tolerance: float | None = None
) -> tuple[FloatArray, FloatArray]:
    """E f0(s) and E f0(s)² at displaced coordinates s, one each for every point that is displaced."""
    goal = _TOLERANCE[noise.axes] if tolerance is None else positive("plain_moments", "tolerance", tolerance)
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
    return means[:, 0], means[:, 1]


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
