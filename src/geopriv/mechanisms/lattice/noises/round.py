"""Round noise, which falls with the Euclidean distance: theory T8′."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product

import numpy as np

from geopriv.mechanisms.lattice.noises.base import CellNoise
from geopriv.mechanisms.lattice.noises.corners import steepest_corner
from geopriv.mechanisms.lattice.noises.proposals import proposal
from geopriv.mechanisms.lattice.noises.round_law import RoundLaw
from geopriv.mechanisms.lattice.noises.spectrum import log_sum, mean_square
from geopriv.spaces.checks import FloatArray, invalid

_WIDEST = 16  # θ²·C: at most so much, so that drawing by rejection takes at most e^4 times as long as without a core
ROUNDEST = Fraction(4)  # θ: with C = 1 no larger one is within that
_TILTS = 64
_ROUNDING = 1e-9


@dataclass(frozen=True)
class RoundNoise(CellNoise):
    """A vector k of whole numbers with probability ∝ (1 + θ)^−√(|k|² + C).

    Args:
        theta: θ.
        axes: d, at least 2: on a line two-sided geometric noise is the same with C = 0.
        core: C, a whole number; without it the law would have a cusp that random rounding cannot follow.

    >>> noise = RoundNoise(Fraction(1, 10), axes=2, core=6)
    >>> round(noise.variance, 6), noise.spent(Fraction(1, 10))
    (335.114247, Fraction(1, 1))
    """

    core: int

    def __post_init__(self) -> None:
        if type(self.core) is not int or self.core < 1:
            raise invalid("Lattice", "core", "None or a whole number that is at least 1", self.core)
        if self.axes < 2:
            raise invalid("Lattice", "core", "None on a line, where noise needs none", self.core)
        if self.theta**2 * self.core > _WIDEST:
            raise invalid("Lattice", "core", f"such that θ²·core ≤ {_WIDEST}", self.core)

    @property
    def reference(self) -> str:
        return "theory T2 and T8′, θ and core verified exactly"

    @property
    def law(self) -> RoundLaw:
        return RoundLaw(self.theta, self.core, self.axes)

    @property
    def rule(self) -> str:
        return "such that θ ≤ ε·step and core ≥ d·(2 + θ)²/(4θ·(4 + 3θ))"

    def spent(self, allowed: Fraction) -> Fraction:
        """The larger of θ²/(ε·step)² and least core/core: at most 1 exactly if both parts of T8′ hold.

        Guarantee: T8′ asks for C ≥ d/(4a + a²) with a = ln(1 + θ). The right side falls with a, and a is at least
        2θ/(2 + θ), for which it is d·(2 + θ)²/(4θ·(4 + 3θ)): a rational number that is no smaller.
        """
        return max((self.theta / allowed) ** 2, self.least_core(self.theta, self.axes) / self.core)

    @staticmethod
    def least_core(theta: Fraction, axes: int) -> Fraction:
        """d·(2 + θ)²/(4θ·(4 + 3θ))."""
        return axes * (2 + theta) ** 2 / (4 * theta * (4 + 3 * theta))

    def steepest(self) -> Fraction:
        return steepest_corner(self.theta, self.core, self.axes)

    @property
    def ratio(self) -> float:
        raise invalid("Lattice", "core", "None where the axes are to be independent", self.core)

    @property
    def curvature(self) -> float:
        raise invalid("Lattice", "core", "None where a stencil is to undo the noise", self.core)

    @property
    def rate(self) -> float:
        """The rate a = ln(1 + θ)."""
        return math.log1p(float(self.theta))

    @property
    def log_normaliser(self) -> float:
        """The logarithm of Σ_k (1 + θ)^−√(|k|² + C), to 1e-13."""
        return _log_normaliser(self.rate, self.core, self.axes)

    @property
    def variance(self) -> float:
        return mean_square(self.rate, self.core, self.axes)

    @property
    def worst_at(self) -> str:
        return "a cell far out along an axis"

    @property
    def together(self) -> float:
        """(d + 3)/(d + 1), as of noise with density ∝ e^(−ε‖z‖), to which it comes near on fine grids."""
        return (self.axes + 3) / (self.axes + 1)

    def log_law(self, moved: FloatArray) -> FloatArray:
        return np.asarray(-self.rate * self._length(moved) - self.log_normaliser)

    def log_law_of_axis(self, moved: FloatArray) -> FloatArray:
        """The logarithm of the probability that one axis is moved by so many cells, whatever the others do, any shape.

        The other axes sum over Z^(d − 1) what has the core C + m².
        """
        return log_sum(self.rate, moved**2 + self.core, self.axes - 1) - self.log_normaliser

    def log_rounded(self, moved: FloatArray, share: FloatArray) -> FloatArray:
        """The law is multilinear on a cell, of which every corner counts with the share of the way to it.

        So that close pairs of people are compared to all digits, corners are taken relative to the first: the
        difference of two roots is that of whole numbers over their sum.
        """
        first = self._length(moved)
        more = np.zeros(np.broadcast_shapes(first.shape, share.shape[:-1]))
        for ups in product((0, 1), repeat=self.axes):
            if not any(ups):
                continue
            up = np.asarray(ups, dtype=np.float64)
            weight = np.where(up > 0, share, 1 - share).prod(axis=-1)
            nearer = (up * (2 * moved - 1)).sum(axis=-1)  # |moved|² − |moved − up|²
            more += weight * np.expm1(self.rate * nearer / (first + self._length(moved - up)))
        return np.asarray(np.log1p(more) - self.rate * first - self.log_normaliser)

    def reach(self, n: int, chance: float) -> int:
        """By Markov's inequality P(k_1 > r) ≤ E[e^(t·k_1)]·e^(−t·(r + 1)) for every t < a, of which a few are tried."""
        best = math.inf
        for tilt in self.rate * np.linspace(0.5, 1.0, _TILTS, endpoint=False):
            more = float(log_sum(self.rate, np.asarray(self.core), self.axes, float(tilt))) - self.log_normaliser
            best = min(best, (more + math.log(2 * n * self.axes / chance) + _ROUNDING) / tilt)
        return max(0, math.ceil(best) - 1)

    def sample(self, rng: np.random.Generator, n: int) -> FloatArray:
        """By rejection, as devices do (`proposal`), in floats."""
        slower = math.log1p(float(proposal(self.theta, self.axes)))
        moves, waiting = np.empty((n, self.axes)), np.arange(n)
        while waiting.size:
            size = (waiting.size, self.axes)
            first, second = (rng.geometric(-math.expm1(-slower), size) for _ in range(2))
            steps = (first - second).astype(np.float64)
            chance = np.exp(slower * np.abs(steps).sum(axis=1) - self.rate * self._length(steps))
            kept = rng.random(waiting.size) < chance
            moves[waiting[kept]], waiting = steps[kept], waiting[~kept]
        return moves

    def _length(self, moved: FloatArray) -> FloatArray:
        return np.asarray(np.sqrt((moved**2).sum(axis=-1) + self.core))


@lru_cache(maxsize=64)
def _log_normaliser(rate: float, core: int, axes: int) -> float:
    return float(log_sum(rate, np.asarray(core), axes))
