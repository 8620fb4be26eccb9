"""Exact means of f(x + Z) and f(x + Z)² where they have closed forms or one smooth integral.

They give the bias and the variance of noise a priori, where the noise passes through the query.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from geopriv.checks import FloatArray
from geopriv.profiles import LinearPieces

_CHUNK = 1 << 20


@dataclass(frozen=True)
class TailIntegrals:
    """A symmetric law on the line through what lies beyond u ≥ 0: E(Z − u)₊, E(Z − u)₊²/2, and its variance."""

    first: Callable[[FloatArray], FloatArray]
    second: Callable[[FloatArray], FloatArray]
    variance: float


def laplace_tails(rate: float) -> TailIntegrals:
    """Laplace noise of scale 1/rate: E(Z − u)₊ = e^(−εu)/2ε and E(Z − u)₊²/2 = e^(−εu)/2ε²."""
    return TailIntegrals(
        lambda u: np.exp(-rate * u) / (2 * rate), lambda u: np.exp(-rate * u) / (2 * rate**2), 2 / rate**2
    )


def planar_tails(rate: float, dimension: int) -> TailIntegrals:
    """One coordinate of d-dimensional Laplace noise: Z₁ = R·cos Θ with R ~ Gamma(d)/ε and Θ uniform on the sphere.

    E(Z₁ − u)₊^k is the mean over Θ of incomplete gamma functions, by 96-point Gauss–Legendre on (0, π/2), where the
    integrand is smooth: relative error below 1e-12.
    """
    nodes, weights = np.polynomial.legendre.leggauss(96)
    theta = (nodes + 1) * math.pi / 4
    weights = weights * np.sin(theta) ** (dimension - 2)
    weights = weights / weights.sum() / 2  # half of all directions have cos Θ > 0
    cosine = np.cos(theta)

    def tail(order: int, u: FloatArray) -> FloatArray:
        flat, step = np.asarray(u, dtype=np.float64).ravel(), _CHUNK // 96
        parts = [_gamma_tail(order, flat[i : i + step, None]) for i in range(0, flat.size, step)]
        return np.concatenate([*parts, np.empty(0)]).reshape(np.shape(u))

    def _gamma_tail(order: int, u: FloatArray) -> FloatArray:
        t = rate * u / cosine  # E(R − t)₊^k / k! by Horner on E[R^j; R > t] = (d)_j·Q(d + j, t)
        moments = [special.poch(dimension, j) * special.gammaincc(dimension + j, t) for j in range(order + 1)]
        excess = moments[1] - t * moments[0] if order == 1 else moments[2] / 2 - t * moments[1] + t**2 * moments[0] / 2
        return np.asarray((weights * (cosine / rate) ** order * np.maximum(excess, 0.0)).sum(axis=-1))

    return TailIntegrals(lambda u: tail(1, u), lambda u: tail(2, u), (dimension + 1) / rate**2)


def piecewise_means(profile: LinearPieces, s: FloatArray, tails: TailIntegrals) -> tuple[FloatArray, FloatArray]:
    """E f0(s + Z) and E f0(s + Z)² for straight pieces, in closed form.

    A piecewise quadratic g continues its piece at s up to the knots, where its first derivative jumps by J1 and its
    second by J2. With u the distance to a knot, E g(s + Z) = g(s) + g''(s)·Var(Z)/2 + Σ J1·E(Z − u)₊ ± J2·E(Z − u)₊²/2
    (+ for knots to the right, − to the left).
    """
    slopes, knots, heights = (np.asarray(v) for v in (profile.slopes, profile.knots, profile.values))
    value = profile(s)
    slope = slopes[np.searchsorted(knots, s, side="right")]
    mean = value.copy()
    square = value**2 + slope**2 * tails.variance
    for knot, height, before, after in zip(knots, heights, slopes[:-1], slopes[1:], strict=True):
        u, side = np.abs(knot - s), np.where(knot > s, 1.0, -1.0)
        first = tails.first(u)
        mean = mean + (after - before) * first
        square = square + 2 * height * (after - before) * first + side * 2 * (after**2 - before**2) * tails.second(u)
    return mean, square


def gaussian_means(
    distance: FloatArray, bandwidth: float, rate: float, dimension: int, axes: int
) -> tuple[FloatArray, FloatArray]:
    """E exp(−‖v + Z‖²/2h²) and of its square, where Z is the first `axes` axes of d-dimensional Laplace noise.

    Z is a Gaussian of random variance V = 2G/ε² with G ~ Gamma((d+1)/2), since E e^(−Vω²/2) = (1 + ω²/ε²)^(−(d+1)/2)
    is the characteristic function of the noise. Given V the mean is (h²/(h²+V))^(axes/2)·exp(−‖v‖²/2(h²+V)), and the
    mean over V is a Gauss–Legendre sum in √G, with relative error below 1e-10. The square is a Gaussian of h/√2.

    Args:
        distance: ‖v‖.
        bandwidth: h.
        rate: ε.
        dimension: d of the noise.
        axes: how many of its axes the Gaussian sees: 1 for a linear coordinate, d for a distance.
    """

    def mean(h: float) -> FloatArray:
        root, weight = _chi_rule((dimension + 1) / 2, finest=rate * h)
        spread = h**2 + 2 * root**2 / rate**2
        flat = np.asarray(distance, dtype=np.float64).ravel()
        step = max(1, _CHUNK // root.size)
        parts = [
            (weight * (h**2 / spread) ** (axes / 2) * np.exp(-(r**2) / (2 * spread))).sum(axis=-1)
            for r in (flat[i : i + step, None] for i in range(0, flat.size, step))
        ]
        return np.concatenate([*parts, np.empty(0)]).reshape(np.shape(distance))

    return mean(bandwidth), mean(bandwidth / math.sqrt(2))


def _chi_rule(shape: float, finest: float) -> tuple[FloatArray, FloatArray]:
    """Nodes √G and weights for means over G ~ Gamma(shape): panels that shrink towards 0 down to the finest scale."""
    top = math.sqrt(special.gammainccinv(shape, 1e-17))
    least = min(finest / 8, 1e-2)
    graded = np.geomspace(least, 1.0, 2 + int(4 * math.log10(1 / least)))
    panels = np.concatenate([[0.0], graded, np.linspace(1.0, top, 16)[1:]])
    nodes, weights = np.polynomial.legendre.leggauss(16)
    half = np.diff(panels)[:, None] / 2
    root = (panels[:-1, None] + half * (nodes + 1)).ravel()
    density = 2 * root ** (2 * shape - 1) * np.exp(-(root**2)) / special.gamma(shape)
    weight = (half * weights).ravel() * density
    return root, weight / weight.sum()
