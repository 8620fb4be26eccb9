"""Smooth growth functions: how fast a smooth bound may change with distance."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from geopriv.spaces.balls import arb
from geopriv.spaces.checks import FloatArray, positive


class Growth(ABC):
    """g0 with g0(0) = 1, increasing, and g0(r1 + r2) ≤ g0(r1)·g0(r2) (paper, section 3.1.2)."""

    gamma: float
    multiplicative: ClassVar[bool]
    """Whether g0(r1 + r2) = g0(r1)·g0(r2), so that suprema over places do not depend on where they are looked at."""

    @abstractmethod
    def log(self, distance: FloatArray) -> FloatArray:
        """The logarithm of g0(distance) for distances ≥ 0."""

    @abstractmethod
    def slope(self, distance: FloatArray) -> FloatArray:
        """The derivative of `log`."""

    @abstractmethod
    def enclose(self, distance: arb) -> arb:
        """g0(distance) in balls."""

    @abstractmethod
    def stretched(self, factor: float) -> Growth:
        """The growth r ↦ g0(factor·r)."""

    def __call__(self, distance: FloatArray) -> FloatArray:
        """g0(distance)."""
        return np.exp(self.log(distance))


@dataclass(frozen=True)
class ExponentialGrowth(Growth):
    """g_E(r) = exp(γr), for Student-t and generalized Cauchy noise.

    >>> ExponentialGrowth(gamma=2.0)(np.array([0.0, 0.5])).round(4)
    array([1.    , 2.7183])
    """

    gamma: float
    multiplicative = True

    def __post_init__(self) -> None:
        positive("ExponentialGrowth", "gamma", self.gamma)

    def log(self, distance: FloatArray) -> FloatArray:
        return self.gamma * distance

    def slope(self, distance: FloatArray) -> FloatArray:
        return np.full_like(distance, self.gamma)

    def enclose(self, distance: arb) -> arb:
        return (self.gamma * distance).exp()

    def stretched(self, factor: float) -> ExponentialGrowth:
        return ExponentialGrowth(self.gamma * factor)


@dataclass(frozen=True)
class LinearGrowth(Growth):
    """g_L(r) = 1 + γr, for Laplace noise with δ > 0.

    >>> LinearGrowth(gamma=2.0)(np.array([0.0, 0.5]))
    array([1., 2.])
    """

    gamma: float
    multiplicative = False

    def __post_init__(self) -> None:
        positive("LinearGrowth", "gamma", self.gamma)

    def log(self, distance: FloatArray) -> FloatArray:
        return np.log1p(self.gamma * distance)

    def slope(self, distance: FloatArray) -> FloatArray:
        return self.gamma / (1 + self.gamma * distance)

    def enclose(self, distance: arb) -> arb:
        return 1 + self.gamma * distance

    def stretched(self, factor: float) -> LinearGrowth:
        return LinearGrowth(self.gamma * factor)
