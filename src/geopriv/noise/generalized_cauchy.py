"""Generalized Cauchy noise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from geopriv.noise.base import Noise
from geopriv.noise.exact import Uniform, less
from geopriv.noise.filters import CERTAIN, MASK, MORE, REJECTED, REL, TOP, UNKNOWN, Kernel, Status, Words, log_of
from geopriv.noise.laws import Law
from geopriv.spaces.balls import arb
from geopriv.spaces.checks import FloatArray, invalid, positive
from geopriv.spaces.compiled import compiled


@dataclass(frozen=True)
class GeneralizedCauchy(Noise):
    """The density ∝ (1 + |z|^p)^(−θ) with p > 0 and pθ > 1.

    |Z|^p/(1 + |Z|^p) has the Beta(1/p, θ − 1/p) distribution, which gives cdf, ppf and samples for all p and θ.
    p = 2, θ = (ν+1)/2 is Student's t with ν degrees of freedom, divided by √ν.

    >>> GeneralizedCauchy(p=4, theta=1).variance.__round__(12)
    1.0
    """

    p: float
    theta: float = 1.0

    def __post_init__(self) -> None:
        positive("GeneralizedCauchy", "p", self.p)
        positive("GeneralizedCauchy", "theta", self.theta)
        if not self.p * self.theta > 1:
            raise invalid("GeneralizedCauchy", "theta", f"greater than 1/p = {1 / self.p!r}", self.theta)

    @property
    def _beta(self) -> tuple[float, float]:
        return 1 / self.p, self.theta - 1 / self.p

    def log_pdf(self, z: FloatArray) -> FloatArray:
        norm = math.log(self.p / 2) - special.betaln(*self._beta)
        with np.errstate(divide="ignore"):
            power = self.p * np.log(np.abs(z))
        return np.asarray(norm - self.theta * np.logaddexp(0.0, power))

    def cdf(self, z: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            power = self.p * np.log(np.abs(z))
        outer = special.expit(-power)  # 1/(1 + |z|^p): the small number in the tails
        tail = special.betainc(*self._beta[::-1], outer) / 2
        return np.asarray(np.where(np.asarray(z) < 0, tail, 1 - tail))

    def ppf(self, u: FloatArray) -> FloatArray:
        u = np.asarray(u, dtype=np.float64)
        outer = special.betaincinv(*self._beta[::-1], 2 * np.minimum(u, 1 - u))
        with np.errstate(divide="ignore"):
            size = np.exp((np.log1p(-outer) - np.log(outer)) / self.p)
        return np.asarray(np.where(u < 0.5, -size, size))

    @property
    def moments(self) -> float:
        return self.p * self.theta - 1

    @property
    def variance(self) -> float:
        if self.moments <= 2:
            return math.inf
        a, b = self._beta
        logarithm = special.gammaln(3 * a) - special.gammaln(a) + special.gammaln(b - 2 * a) - special.gammaln(b)
        return float(np.exp(logarithm))

    def sample(self, rng: np.random.Generator, size: int | tuple[int, ...]) -> FloatArray:
        a, b = self._beta
        ratio = rng.standard_gamma(a, size=size) / rng.standard_gamma(b, size=size)
        return np.copysign(ratio ** (1 / self.p), rng.random(size=size) - 0.5)

    def law(self) -> Law:
        return CauchyLaw(self.p, self.theta)

    def budget(self, gamma: float, eta: float, releases: int = 1) -> float:
        """ε spent by f(x) + B(x)/η·Z with B a g_E-smooth bound: m·max(1, pθ − 1)·γ + (p − 1)^((p−1)/p)·θ·η.

        For m `releases` B bounds the Lipschitz constant under ℓ1 and each coordinate has its own Z. With p < 1 the
        logarithm of the density is not Lipschitz at 0 and no budget is enough: the result is infinite.

        Guarantee: (ε, 0, Λ)-GP.

        Reference: paper, Lemma 3.3 and Corollary 3.2. Its proof needs p ≥ 1 and pθ > 1 only.

        >>> round(GeneralizedCauchy(p=4, theta=1).budget(gamma=0.1, eta=0.5), 2)
        1.44
        """
        if self.p < 1:
            return math.inf
        steepest = (self.p - 1) ** ((self.p - 1) / self.p) if self.p > 1 else 1.0
        return releases * max(1.0, self.moments) * gamma + steepest * self.theta * eta


@dataclass(frozen=True)
class CauchyLaw(Law):
    """Rejection for (1 + |z|^p)^(−θ), which is at most 1 and at most |z|^(−pθ).

    A proposal is uniform on [−1, 1] with probability 1 − 1/pθ, else ±U^(−1/(pθ−1)). With w the smaller of |z| and 1/|z|
    it is accepted with probability (1 + w^p)^(−θ).
    """

    p: float
    theta: float

    @property
    def words(self) -> int:
        return 3

    def __call__(self, u: Sequence[Uniform]) -> list[arb] | None:
        order = arb(self.p) * self.theta
        inner = less(u[0].rest() * order, order - 1)
        log_w = u[1].ball().log() / (1 if inner else order - 1)
        if not less(u[2].ball().log(), -self.theta * (self.p * log_w).exp().log1p()):
            return None
        size = (log_w if inner else -log_w).exp()
        return [size if u[0].upper else -size]

    def kernel(self) -> Kernel:
        return lambda words, z, error, status: cauchy_filter(words, z, error, status, self.p, self.theta)


@compiled
def cauchy_filter(words: Words, z: FloatArray, error: FloatArray, status: Status, p: float, theta: float) -> None:
    """`CauchyLaw` in floats."""
    order = p * theta
    beyond = order - 1
    for i in range(words.shape[0]):
        k = words[i, 0]
        share = (float(k & MASK) + 0.5) * 2.0**-63 - beyond / order
        log_u, u_off = log_of(words[i, 1], 64)
        log_v, v_off = log_of(words[i, 2], 64)
        inner = share < 0
        log_w, off = log_u, u_off
        if not inner:
            log_w = log_u / beyond
            off = MORE * (u_off / beyond + abs(log_w) * (REL + order / beyond * 2.0**-50))
        power = math.exp(p * log_w)
        cost = theta * math.log1p(power)
        cost_off = MORE * (theta * power * (p * off + (1 + abs(p * log_w)) * REL) + cost * REL)
        if not (abs(share) > 2.0**-47 and (p + 1) * off < 0.01 and abs(log_v + cost) > MORE * (v_off + cost_off)):
            status[i] = UNKNOWN
            continue
        size = math.exp(log_w if inner else -log_w)
        z[i, 0] = size if (k >> TOP) == 1 else -size
        error[i, 0] = MORE * size * (off + (1 + abs(log_w)) * REL)
        status[i] = CERTAIN if log_v < -cost else REJECTED
