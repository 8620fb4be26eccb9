"""A floor for whole maps and whole distributions: one shape asked at every place (theory T11)."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from scipy import optimize

from geopriv.mechanisms import Mechanism
from geopriv.queries import Query
from geopriv.spaces.balls import arb
from geopriv.spaces.checks import FloatArray, invalid

if TYPE_CHECKING:
    from flint import acb

_START, _END = 1e-3, 40.0  # of an integral over frequencies, in units of ε and of 1/width; beyond, bounds are proven


def least_whole_variance(query: Query, epsilon: float | str) -> float:
    """A floor under ∫ E Var(T_t) dt of every ε-GP report that estimates f(x − t) without bias for all moves t.

    E is over people who are spread evenly. In a wide map with a grid of a given step, divided by step^d, it is a floor
    under the sum over the map of the variances of one report, for people away from the edges; how wide, and what the
    edges take from it, is in docs/theory/floors.md.

    Args:
        query: a kernel in R^d, or a smooth threshold on a line.
        epsilon: per unit of distance, as a number or a sentence.

    Raises:
        InvalidParameter: for a shape whose floor is not known.

    Reference: theory T11. Kernels are computed in balls; thresholds by integrals in balls, with proven ends.

    >>> from geopriv import GaussianKernel
    >>> [round(math.pi * (3 + 6 / h**2 + 6 / h**4) / least_whole_variance(GaussianKernel((0, 0), h), 1.0), 3)
    ...  for h in (1.2, 2.0, 3.0, 4.0)]                                   # planar Laplace noise over it
    [1.534, 1.045, 1.004, 1.001]
    """
    if not query.space.flat:
        raise invalid("least_whole_variance", "query", "on a flat space", query.space)
    rate, d, bell = query.space.rate(epsilon), query.space.dimension, query.bell
    if bell is not None:
        return _kernel(rate * bell.bandwidth, d) / rate**d
    width = smooth_width(query)
    if width is not None:
        return _threshold(rate * width) / rate
    raise invalid("least_whole_variance", "query", "a kernel, or a smooth threshold on a line", type(query).__name__)


def smooth_width(query: Query) -> float | None:
    """The width of a smooth threshold on a line; None of anything else."""
    if not (query.space.dimension == 1 and query.space.flat and query.has_profile):
        return None
    return query.profile.triangle if query.geometry.axis is not None else None


def has_whole_floor(query: Query) -> bool:
    """Whether the floor is known for its shape."""
    return query.space.flat and (query.bell is not None or smooth_width(query) is not None)


def whole_efficiency(mechanism: Mechanism, query: Query) -> float:
    """The floor over ∫ Var(x − t) dt of a mechanism whose noise is the same everywhere: between 0 and 1.

    The integral is a sum over a grid of steps of a quarter of 1/ε or of the bandwidth, as far as 14/ε beyond the query:
    right to some 1e-4.

    Args:
        mechanism: that answers the query, moved anywhere, from one report.
        query: a kernel in R^d, or a smooth threshold on a line.

    >>> from geopriv import GaussianKernel, InputLaplace
    >>> query = GaussianKernel((0.0, 0.0), 2.0)
    >>> round(whole_efficiency(InputLaplace.calibrate(query.space, 1.0), query), 3)
    0.957
    """
    space = query.space
    if np.isfinite(space.limits).any():
        raise invalid("whole_efficiency", "query", "on a space without ends", space)
    rate = mechanism.guarantee.epsilon
    return whole_share(query, rate, lambda points: mechanism.moments(space.values(points), query)[1])


def whole_share(query: Query, rate: float, variance_at: Callable[[FloatArray], FloatArray]) -> float:
    """The floor over the integral of a variance, given at points of the space as if it had no ends."""
    floor, bell, width, d = least_whole_variance(query, rate), query.bell, smooth_width(query), query.space.dimension
    size = bell.bandwidth if bell is not None else float(width or 0.0)
    reach, step = (5.0 * size if bell is not None else size / 2) + 14 / rate, min(size, 1 / rate) / 4
    along = np.arange(-math.ceil(reach / step), math.ceil(reach / step) + 1) * step
    moves = np.stack(np.meshgrid(*[along] * d, indexing="ij"), axis=-1).reshape(-1, *query.space.point_shape)
    variances = variance_at(np.asarray(query.place).reshape(query.space.point_shape) + moves)
    return floor / (float(variances.sum()) * step**d)


@lru_cache(maxsize=256)
def _kernel(h: float, d: int) -> float:
    """The largest over b of (2πh²)^d/((h² + b)^d·π^(d/2)·U(d/2, −d/2, b)) − (πh²)^(d/2), for ε = 1: w(ω) = e^(−b·ω²).

    U is Tricomi's function, ∫w·I = π^(d/2)·U; in the plane U(1, −1, b) = e^b·E₃(b). Any b is valid.
    """

    def floor(b: arb) -> arb:
        width, spectrum = arb(h) ** 2, arb.pi() ** (arb(d) / 2) * b.hypgeom_u(arb(d) / 2, -arb(d) / 2)
        return (2 * arb.pi() * width / (width + b)) ** d / spectrum - (arb.pi() * width) ** (arb(d) / 2)

    best = optimize.minimize_scalar(
        lambda log: -float(floor(arb(math.exp(log))).mid()), bounds=(-12.0, 2 * math.log(h) + 3), method="bounded"
    )
    return max(_below(floor(arb(math.exp(best.x)))), 0.0)


@lru_cache(maxsize=256)
def _threshold(width: float) -> float:
    """(1/π)·∫₀^∞ (2·φ̂·g − φ̂² − g²·I)/ω² dω for ε = 1, φ̂ = sinc²(width·ω/4), g² = e^(−b·ω²) + ω²·Σ c_k·e^(−b_k·ω²).

    w = g²/ω² is a mixture of Gaussians: e^(−b·ω²)/ω² is the integral of e^(−β·ω²) over β > b.
    """
    omega = np.linspace(1e-4, _END / 4 * max(1.0, 4 / width), 6000)
    phi, law = np.sinc(width * omega / 4 / np.pi) ** 2, (1 + omega**2) ** -2.0

    def worth(logs: FloatArray) -> float:
        own, one, two, first, second = np.exp(np.clip(logs, -12.0, 6.0))
        square = np.exp(-own * omega**2) + omega**2 * (
            one * np.exp(-first * omega**2) + two * np.exp(-second * omega**2)
        )
        return -float(np.trapezoid((2 * phi * np.sqrt(square) - phi**2 - square * law) / omega**2, omega))

    size = math.log(width**2 / 24)
    start = np.array([size, 0.5, 0.0, size, size + 0.7])
    best = optimize.minimize(worth, start, method="Nelder-Mead", options={"maxiter": 1500, "fatol": 1e-9})
    return max(_threshold_in_balls(width, np.exp(np.clip(best.x, -12.0, 6.0))), 0.0)


def _threshold_in_balls(width: float, mixture: FloatArray) -> float:
    """The integral for given b, c₁, c₂, b₁, b₂, from below: in balls between two ends, with bounds beyond them.

    Below the first end, (φ̂ − g)² ≤ (κ·ω²)² with κ = width²/48 + b + c₁ + c₂, and the rest is not negative. Above the
    last, φ̂ ≤ (4/(width·ω))², I ≤ ω⁻⁴, and g²/ω² is at most what it is at the end.
    """
    from flint import acb

    b, c1, c2, b1, b2 = (arb(float(number)) for number in mixture)
    w = arb(width)

    def integrand(omega: acb, analytic: bool) -> acb:
        u = omega * omega
        x = w * omega / 4
        phi = (x.sin() / x) ** 2
        square = (-b * u).exp() + u * (c1 * (-b1 * u).exp() + c2 * (-b2 * u).exp())
        return (2 * phi * square.sqrt(analytic=analytic) - phi * phi - square / (1 + u) ** 2) / u

    start, end = arb(_START), arb(_END) * max(1.0, 1 / width)
    middle = acb.integral(integrand, acb(start), acb(end), rel_tol=1e-9, abs_tol=1e-12).real
    kappa = w**2 / 48 + b + c1 + c2
    below = kappa**2 * start**3 / 3
    bells = (-b * end**2).exp() / end**2 + c1 * (-b1 * end**2).exp() + c2 * (-b2 * end**2).exp()
    above = (4 / w) ** 4 / (5 * end**5) + bells / (3 * end**3)
    return _below((middle - below - above) / arb.pi())


def _below(ball: arb) -> float:
    """A float no larger than anything in the ball."""
    return math.nextafter(float(ball.lower()), -math.inf)
