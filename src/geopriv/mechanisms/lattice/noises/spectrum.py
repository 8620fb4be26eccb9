"""Sums over Z^d of functions of √(|k|² + C), by Poisson's formula: a few terms where direct sums need millions."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from scipy.special import kve

from geopriv.spaces.checks import FloatArray

_TERMS = 100  # squared lengths of the dual lattice: the next term is below e^(−2π·√100)
_FAR = 50.0  # terms below e^−50 of the first are left out, however many of a length there are


@lru_cache(maxsize=8)
def _vectors(axes: int) -> FloatArray:
    """How many vectors of Z^d have the squared length 0, 1, 2 and so on."""
    line = np.zeros(_TERMS)
    line[np.arange(1, math.isqrt(_TERMS - 1) + 1) ** 2] = 2
    line[0] = 1
    counts = np.eye(1, _TERMS)[0]
    for _ in range(axes):
        counts = np.convolve(counts, line)[:_TERMS]
    return np.asarray(counts)


def log_sum(rate: float, core: FloatArray, axes: int, tilt: float = 0.0) -> FloatArray:
    """The logarithm of Σ_k exp(t·k_1 − a·√(|k|² + C)) over k ∈ Z^d: itself with t = 0, and else a bound, for t < a.

    The transform of exp(−a·√(|x|² + c²)) on R^d is 2a·(2π)^((d−1)/2)·c^(2ν)·g_ν(c·q) with ν = (d + 1)/2,
    g_ν(z) = K_ν(z)/z^ν and q² = a² + |ω|², and the sum is that of the transform over ω ∈ 2π·Z^d. With a tilt ω moves by
    −i·t on the first axis: then Re q² = a² − t² + |ω|², and since |g_ν(z)| ≤ g_ν(Re z) and Re q ≥ √(Re q²), the sum of
    g_ν(c·√(Re q²)) bounds it. With C ≥ 1 the terms left out are below 1e-20 of the first.

    Args:
        rate: a.
        core: C ≥ 1, any shape.
        axes: d ≥ 1.
        tilt: t.
    """
    c = np.sqrt(np.asarray(core, dtype=np.float64))[..., None]
    order = (axes + 1) / 2
    count = min(_TERMS, 2 + math.ceil((_FAR / (2 * math.pi * float(c.min()))) ** 2))
    q = np.sqrt(rate**2 - tilt**2 + (2 * math.pi) ** 2 * np.arange(count))
    first = c * q[0]
    with np.errstate(under="ignore"):
        terms = _vectors(axes)[:count] * kve(order, c * q) * (q[0] / q) ** order * np.exp(first - c * q)
    log_front = math.log(2 * rate) + (axes - 1) / 2 * math.log(2 * math.pi) + order * np.log(c[..., 0] / q[0])
    return np.asarray(log_front + np.log(terms.sum(axis=-1)) - first[..., 0])


def mean_square(rate: float, core: int, axes: int) -> float:
    """E[k_1²] of the law ∝ exp(−a·√(|k|² + C)) on Z^d.

    It is −Δ of the transform over d, summed over 2π·Z^d, over the sum. Since (z^−ν·K_ν)' = −z^−ν·K_{ν+1} and
    ∂z/∂ω_j = c²·ω_j/z, −Δ of g_ν(c·q) is c²·(d·g_{ν+1} − c²·|ω|²·g_{ν+2}).
    """
    c, order, square = math.sqrt(core), (axes + 1) / 2, (2 * math.pi) ** 2 * np.arange(_TERMS)
    z = c * np.sqrt(rate**2 + square)
    fall = _vectors(axes) * np.exp(z[0] - z)

    def g(above: int) -> FloatArray:
        return np.asarray(kve(order + above, z) / z ** (order + above))

    inner = c**2 * (axes * g(1) - c**2 * square * g(2))
    return float((fall * inner).sum() / (axes * (fall * g(0)).sum()))
