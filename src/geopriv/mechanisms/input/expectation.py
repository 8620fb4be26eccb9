"""Exact means of f(x + Z) and f(x + Z)² where they have closed forms or one smooth integral.

They give the bias and the variance of noise a priori, where the noise passes through the query.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy import special

from geopriv.spaces.checks import FloatArray

_CHUNK = 1 << 20


@dataclass(frozen=True)
class Tails:
    """A symmetric law on the line through what lies beyond u ≥ 0: E(Z − u)₊^k/k! for k = 0, 1, 2, and its variance."""

    beyond: Callable[[int, FloatArray], FloatArray]
    rate: float
    variance: float

    def integral(self, order: int, v: FloatArray) -> FloatArray:
        """E(Z − v)₊^k/k! for any v: by symmetry the even or odd moments complete what lies on the other side."""
        tail = self.beyond(order, np.abs(v))
        whole = (np.ones_like(v), -v, (self.variance + v**2) / 2)[order]
        return np.where(v >= 0, tail, whole - (-1) ** order * tail)


def laplace_tails(rate: float) -> Tails:
    """Laplace noise of scale 1/rate: E(Z − u)₊^k/k! = e^(−εu)/(2ε^k)."""
    return Tails(lambda order, u: np.exp(-rate * u) / (2 * rate**order), rate, 2 / rate**2)


def planar_tails(rate: float, dimension: int) -> Tails:
    """One coordinate of d-dimensional Laplace noise: Z₁ = R·cos Θ with R ~ Gamma(d)/ε and Θ uniform on the sphere.

    E(Z₁ − u)₊^k is the mean over Θ of incomplete gamma functions, by 96-point Gauss–Legendre on (0, π/2), where the
    integrand is smooth: relative error below 1e-12.
    """
    nodes, weights = np.polynomial.legendre.leggauss(96)
    theta = (nodes + 1) * math.pi / 4
    weights = weights * np.sin(theta) ** (dimension - 2)
    weights = weights / weights.sum() / 2  # half of all directions have cos Θ > 0
    cosine = np.cos(theta)

    def block(order: int, u: FloatArray) -> FloatArray:
        t = rate * u / cosine  # E(R − t)₊^k/k! from E[R^j; R > t] = (d)_j·Q(d + j, t)
        moments = [special.poch(dimension, j) * special.gammaincc(dimension + j, t) for j in range(order + 1)]
        terms = [
            (-t) ** (order - j) * moment / math.factorial(order - j) / math.factorial(j)
            for j, moment in enumerate(moments)
        ]
        return np.asarray((weights * (cosine / rate) ** order * np.maximum(sum(terms), 0.0)).sum(axis=-1))

    def beyond(order: int, u: FloatArray) -> FloatArray:
        flat, step = np.asarray(u, dtype=np.float64).ravel(), _CHUNK // 96
        parts = [block(order, flat[i : i + step, None]) for i in range(0, flat.size, step)]
        return np.concatenate([*parts, np.empty(0)]).reshape(np.shape(u))

    return Tails(beyond, rate, (dimension + 1) / rate**2)


def piecewise_means(
    knots: Iterable[float], heights: Iterable[float], s: FloatArray, tails: Tails
) -> tuple[FloatArray, FloatArray]:
    """E f(s + Z) and E f(s + Z)² for straight lines between knots, constant outside them.

    By parts E g(s + Z) = g(−∞) + ∫ g'(y)·P[s + Z > y] dy. On a piece that rises by r from f_a, with A0 and A1 the means
    of P[s + Z > y] and of t·P[s + Z > y] over the piece (t from 0 to 1), f gains r·A0 and f² gains 2r·(f_a·A0 + r·A1).
    """
    levels = list(heights)
    mean, square = np.full_like(s, levels[0]), np.full_like(s, levels[0] ** 2)
    for (a, b), (low, high) in zip(pairwise(knots), pairwise(levels), strict=True):
        if low != high:
            a0, a1 = _piece(a - s, b - a, tails)
            mean = mean + (high - low) * a0
            square = square + 2 * (high - low) * (low * a0 + (high - low) * a1)
    return mean, square


def _piece(start: FloatArray, width: float, tails: Tails) -> tuple[FloatArray, FloatArray]:
    """∫₀¹ S(start + width·t) dt and ∫₀¹ t·S(start + width·t) dt with S(v) = P[Z > v]."""
    if tails.rate * width > 0.25:
        end = start + width
        first, first_end = tails.integral(1, start), tails.integral(1, end)
        second = tails.integral(2, start) - tails.integral(2, end)
        return (first - first_end) / width, (second / width - first_end) / width
    # short pieces by Gauss–Legendre on both sides of v = 0, where S has its kink: differences would cancel
    split = np.clip(-start / width, 0.0, 1.0)
    nodes, weights = np.polynomial.legendre.leggauss(12)
    a0, a1 = np.zeros_like(start), np.zeros_like(start)
    for low, high in ((np.zeros_like(split), split), (split, np.ones_like(split))):
        for node, weight in zip((nodes + 1) / 2, weights / 2, strict=True):
            t = low + (high - low) * node
            survival = (high - low) * weight * tails.integral(0, start + width * t)
            a0, a1 = a0 + survival, a1 + t * survival
    return a0, a1


def gaussian_means(
    distance: FloatArray, bandwidth: float, rate: float, dimension: int, axes: int
) -> tuple[FloatArray, FloatArray]:
    """E exp(−‖v + Z‖²/2h²) and of its square, where Z is the first `axes` axes of d-dimensional Laplace noise.

    Z is a Gaussian of random variance V = 2G/ε² with G ~ Gamma((d+1)/2), since E e^(−Vω²/2) = (1 + ω²/ε²)^(−(d+1)/2)
    is the characteristic function of the noise. Given V the mean is (h²/(h²+V))^(axes/2)·exp(−‖v‖²/2(h²+V)), and the
    mean over V is a Gauss–Legendre sum in √G, with error below 1e-10 of the largest mean. The square is a Gaussian of
    h/√2.

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
