"""Two-sided geometric noise, independent on each axis: theory T8."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from geopriv.mechanisms.lattice.noises.base import CellNoise
from geopriv.mechanisms.lattice.noises.geometric import LatticeLaw
from geopriv.spaces.checks import FloatArray

_CELLS = 40  # on each side of a person, within which the law is looked at


@dataclass(frozen=True)
class ProductNoise(CellNoise):
    """On each axis m with probability θ/(2 + θ)·(1 + θ)^−|m|.

    >>> noise = ProductNoise(Fraction(1, 2), axes=2)
    >>> noise.variance, noise.spent(Fraction(1))
    (12.0, Fraction(1, 2))
    """

    @property
    def reference(self) -> str:
        return "theory T2, T5 and T8, θ verified exactly"

    @property
    def law(self) -> LatticeLaw:
        return LatticeLaw(self.theta, self.axes)

    @property
    def rule(self) -> str:
        return "such that d·θ² ≤ (ε·step)²"

    def spent(self, allowed: Fraction) -> Fraction:
        """d·θ²/(ε·step)², exactly: the square of the largest loss over what is promised."""
        return self.axes * self.theta**2 / allowed**2

    def steepest(self) -> Fraction:
        """Axes are independent, so each adds the square of its own largest change, in fractions."""
        worst = Fraction(0)
        for k in range(-_CELLS, _CELLS + 1):
            here, there = self.of_axis(k), self.of_axis(k - 1)
            worst = max(worst, abs(here - there) / min(here, there))
        return self.axes * worst**2

    def of_axis(self, moved: int) -> Fraction:
        """The probability that one axis is moved by so many cells."""
        return self.theta / (2 + self.theta) / (1 + self.theta) ** abs(moved)

    @property
    def ratio(self) -> float:
        return float(1 / (1 + self.theta))

    @property
    def curvature(self) -> float:
        """The coefficient c = (1 + θ)/θ² of the stencil."""
        return float((1 + self.theta) / self.theta**2)

    @property
    def variance(self) -> float:
        """2(1 + θ)/θ²."""
        return float(2 * (1 + self.theta) / self.theta**2)

    @property
    def worst_at(self) -> str:
        return "any cell outside them"

    @property
    def together(self) -> float:
        return 1.0

    def log_law(self, moved: FloatArray) -> FloatArray:
        log_first = math.log(float(self.theta / (2 + self.theta)))
        return np.asarray(self.axes * log_first - np.abs(moved).sum(axis=-1) * math.log1p(float(self.theta)))

    def log_rounded(self, moved: FloatArray, share: FloatArray) -> FloatArray:
        a = self.ratio
        # a^|m| and a^|m − 1| have the smaller of the two powers in common
        common = np.where(moved >= 1, moved - 1, -moved)
        rest = np.where(moved >= 1, (1 - share) * a + share, (1 - share) + share * a)
        axes = np.log(float(self.theta / (2 + self.theta))) - common * math.log1p(float(self.theta)) + np.log(rest)
        return np.asarray(axes.sum(axis=-1))

    def reach(self, n: int, chance: float) -> int:
        """Since P(|m| > r) = 2·a^r/(2 + θ) on each axis."""
        rare = 2 * n * self.axes / ((2 + float(self.theta)) * chance)
        return max(0, math.ceil(math.log(rare) / math.log1p(float(self.theta))))

    def sample(self, rng: np.random.Generator, n: int) -> FloatArray:
        size = (n, self.axes)
        return np.asarray(rng.geometric(1 - self.ratio, size) - rng.geometric(1 - self.ratio, size), dtype=np.float64)
