"""Laplace noise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from geopriv.noise.base import Noise
from geopriv.noise.exact import Uniform
from geopriv.noise.filters import CERTAIN, MASK, TOP, UNKNOWN, Kernel, Status, Words, log_of
from geopriv.noise.laws import Law
from geopriv.spaces.balls import arb
from geopriv.spaces.checks import FloatArray, finite, invalid
from geopriv.spaces.compiled import compiled


@dataclass(frozen=True)
class Laplace(Noise):
    """The density e^(−|z|)/2, of variance 2.

    >>> Laplace().cdf(np.array([0.0])), Laplace().variance
    (array([0.5]), 2.0)
    """

    def log_pdf(self, z: FloatArray) -> FloatArray:
        return -np.abs(z) - math.log(2)

    def cdf(self, z: FloatArray) -> FloatArray:
        tail = np.exp(-np.abs(z)) / 2
        return np.where(z < 0, tail, 1 - tail)

    def ppf(self, u: FloatArray) -> FloatArray:
        u = np.asarray(u, dtype=np.float64)
        with np.errstate(divide="ignore"):
            return np.where(u < 0.5, np.log(2 * u), -np.log(2 * (1 - u)))

    @property
    def moments(self) -> float:
        return math.inf

    @property
    def variance(self) -> float:
        return 2.0

    def sample(self, rng: np.random.Generator, size: int | tuple[int, ...]) -> FloatArray:
        return rng.laplace(size=size)

    def law(self) -> Law:
        return LaplaceLaw()

    def budget(self, gamma: float, eta: float, delta: float = 0.0) -> float:
        """ε spent by f(x) + B(x)/η·Z with B a g_L-smooth bound of rate γ: η + γ·max(1, ln(1/δ)).

        Guarantee: (ε, δ, Λ)-GP. With γ = 0 (the same scale for everyone) it is η and δ is not needed.

        Reference: paper, Lemma 3.6, with the maximum that it omits (theory E5).

        >>> Laplace().budget(gamma=0.1, eta=0.5, delta=1e-6).__round__(4)
        1.8816
        """
        if gamma == 0:
            return eta
        if not 0 < finite("Laplace", "delta", delta) < 1:
            raise invalid("Laplace", "delta", "strictly between 0 and 1 when the scale depends on x", delta)
        return eta + gamma * max(1.0, -math.log(delta))


@dataclass(frozen=True)
class LaplaceLaw(Law):
    """The inverse cdf: ln(2U) below the median, −ln(2(1 − U)) above."""

    @property
    def words(self) -> int:
        return 1

    def __call__(self, u: Sequence[Uniform]) -> list[arb]:
        return [-(2 * (1 - u[0].ball())).log() if u[0].upper else (2 * u[0].ball()).log()]

    def kernel(self) -> Kernel:
        return laplace_filter


@compiled
def laplace_filter(words: Words, z: FloatArray, error: FloatArray, status: Status) -> None:
    """`LaplaceLaw` in floats."""
    for i in range(words.shape[0]):
        k = words[i, 0]
        upper = (k >> TOP) == 1
        value, wrong = log_of(~k & MASK if upper else k & MASK, 63)
        z[i, 0] = -value if upper else value
        error[i, 0] = wrong
        status[i] = CERTAIN if wrong < 1 else UNKNOWN
