"""Student-t noise."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from geopriv.noise.base import Noise
from geopriv.spaces.checks import FloatArray, invalid, positive


@dataclass(frozen=True)
class StudentT(Noise):
    """The density ∝ (1 + z²/ν)^(−(ν+1)/2) with ν = df > 0 degrees of freedom, not necessarily whole.

    >>> StudentT(df=3).variance
    3.0
    """

    df: float

    def __post_init__(self) -> None:
        positive("StudentT", "df", self.df)

    def log_pdf(self, z: FloatArray) -> FloatArray:
        v = self.df
        norm = special.gammaln((v + 1) / 2) - special.gammaln(v / 2) - math.log(v * math.pi) / 2
        # ln(1 + z²/ν) as 2·ln of a hypotenuse, so that z² cannot overflow
        return np.asarray(norm - (v + 1) * np.log(np.hypot(1.0, z / math.sqrt(v))))

    def cdf(self, z: FloatArray) -> FloatArray:
        return np.asarray(special.stdtr(self.df, z))

    def ppf(self, u: FloatArray) -> FloatArray:
        return np.asarray(special.stdtrit(self.df, u))

    @property
    def moments(self) -> float:
        return self.df

    @property
    def variance(self) -> float:
        return self.df / (self.df - 2) if self.df > 2 else math.inf

    def sample(self, rng: np.random.Generator, size: int | tuple[int, ...]) -> FloatArray:
        return rng.standard_t(self.df, size=size)

    def budget(self, gamma: float, eta: float) -> float:
        """ε spent by f(x) + B(x)/η·Z with B a g_E-smooth bound of rate γ: max(1, ν)·γ + (ν+1)/(2√ν)·η.

        Guarantee: (ε, 0, Λ)-GP.

        Reference: paper, Lemma 3.5, for ν > 1; for smaller ν its Lemma 3.3 with p = 2, θ = (ν+1)/2.

        >>> StudentT(df=4).budget(gamma=0.1, eta=0.5)
        1.025
        """
        return max(1.0, self.df) * gamma + (self.df + 1) / (2 * math.sqrt(self.df)) * eta

    def exact_budget(self, gamma: float, eta: float) -> float:
        """The least ε for |σ'|/σ ≤ γ and |f'|/σ ≤ η, ν ≥ 1: [(ν−1)γ + √((ν+1)²γ² + 4k²η²)]/2 with k = (ν+1)/(2√ν).

        Guarantee: (ε, 0, ∞)-GP.

        Reference: theory T3, solved for ε.

        >>> StudentT(df=4).exact_budget(gamma=0.1, eta=0.5).__round__(4)
        0.8231
        """
        if self.df < 1:
            raise invalid("StudentT", "df", "at least 1 for the exact budget", self.df)
        k = (self.df + 1) / (2 * math.sqrt(self.df))
        return ((self.df - 1) * gamma + math.hypot((self.df + 1) * gamma, 2 * k * eta)) / 2
