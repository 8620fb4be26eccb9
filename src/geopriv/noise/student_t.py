"""Student-t noise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from geopriv.noise.base import Noise
from geopriv.noise.exact import Uniform
from geopriv.noise.filters import CERTAIN, MORE, REL, UNKNOWN, Kernel, Status, Words, log_of
from geopriv.noise.laws import Law
from geopriv.spaces.balls import arb
from geopriv.spaces.checks import FloatArray, invalid, positive
from geopriv.spaces.compiled import compiled


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

    def law(self) -> Law:
        return StudentLaw(self.df)

    def largest_loss(
        self, center: FloatArray, scale: FloatArray, center2: FloatArray, scale2: FloatArray
    ) -> FloatArray:
        """sup_y |ln p(y) − ln p'(y)| of a + b·Z and a' + b'·Z, ν ≥ 1: (ν+1)/2·d_H + (ν−1)/2·|ln b/b'|.

        d_H = 2·asinh(√(((a − a')²/ν + (b − b')²)/(4·b·b'))) is the hyperbolic distance of (a/√ν, b) and (a'/√ν, b').

        Reference: theory G1.

        >>> import numpy as np
        >>> StudentT(df=3).largest_loss(*(np.array([part]) for part in (0.0, 1.0, 1.0, 2.0))).round(6)
        array([2.223323])
        """
        if self.df < 1:
            raise invalid("StudentT", "df", "at least 1 for the exact loss", self.df)
        apart = np.hypot((center - center2) / math.sqrt(self.df), scale - scale2) / (
            2 * np.sqrt(scale) * np.sqrt(scale2)
        )
        low, high = np.minimum(scale, scale2), np.maximum(scale, scale2)
        with np.errstate(over="ignore"):  # log1p keeps the digits of scales that are nearly the same
            turned = np.where(high / 2 < low, np.log1p((high - low) / low), np.log(high) - np.log(low))
        return np.asarray((self.df + 1) * np.arcsinh(apart) + (self.df - 1) / 2 * turned)

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


@dataclass(frozen=True)
class StudentLaw(Law):
    """Bailey's polar form, √(ν(U^(−2/ν) − 1))·cos(2πV), exact for every ν > 0.

    The length of a two-dimensional Student-t vector exceeds r with probability (1 + r²/ν)^(−ν/2), and its direction is
    uniform; one of its axes is Student-t.
    """

    df: float

    @property
    def words(self) -> int:
        return 2

    def __call__(self, u: Sequence[Uniform]) -> list[arb]:
        square = self.df * (-(2 / arb(self.df)) * u[0].ball().log()).expm1()
        return [square.nonnegative_part().sqrt() * (2 * u[1].ball()).cos_pi()]

    def kernel(self) -> Kernel:
        return lambda words, z, error, status: student_filter(words, z, error, status, self.df)


@compiled
def student_filter(words: Words, z: FloatArray, error: FloatArray, status: Status, df: float) -> None:
    """`StudentLaw` in floats."""
    for i in range(words.shape[0]):
        log_u, wrong = log_of(words[i, 0], 64)
        power = -2 / df * log_u
        off = MORE * (2 / df * wrong + power * REL)
        grown = math.expm1(power)
        grown_off = MORE * ((grown + 1) * off + grown * REL)
        if not (off < 0.01 and grown > 4 * grown_off):
            status[i] = UNKNOWN
            continue
        size = math.sqrt(df * grown)
        size_off = MORE * (df * grown_off / (2 * size) + size * REL)
        cosine = math.cos(2 * math.pi * ((float(words[i, 1]) + 0.5) * 2.0**-64))
        z[i, 0] = size * cosine
        error[i, 0] = MORE * (size_off * abs(cosine) + (size + size_off) * 2 * REL)  # of the angle, and of the cosine
        status[i] = CERTAIN
