"""What every noise can say of itself."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from geopriv.noise.laws import Law
from geopriv.spaces.checks import FloatArray, invalid


class Distribution:
    """A distribution, which can be drawn exactly if it says its law."""

    def law(self) -> Law:
        """How it is drawn exactly.

        Raises:
            InvalidParameter: for a class that does not say it: one made from another may have another density.
        """
        raise invalid("report", "noise", "one whose samples have an enclosure", type(self).__name__)

    def __init_subclass__(cls) -> None:
        """Nobody inherits the law of another class."""
        if "law" not in vars(cls):
            cls.law = Distribution.law  # type: ignore[method-assign]


class Noise(Distribution, ABC):
    """A symmetric distribution on the line at its standard scale."""

    @abstractmethod
    def log_pdf(self, z: FloatArray) -> FloatArray:
        """The logarithm of the density."""

    @abstractmethod
    def cdf(self, z: FloatArray) -> FloatArray:
        """The probability of at most z."""

    @abstractmethod
    def ppf(self, u: FloatArray) -> FloatArray:
        """The inverse of `cdf`."""

    @property
    @abstractmethod
    def moments(self) -> float:
        """Moments of order below this exist (infinity when all do)."""

    @property
    @abstractmethod
    def variance(self) -> float:
        """The variance; infinite where it is."""

    @abstractmethod
    def budget(self, gamma: float, eta: float) -> float:
        """ε spent by f(x) + B(x)/η·Z with B a smooth bound of rate γ on how fast f changes."""

    @abstractmethod
    def sample(self, rng: np.random.Generator, size: int | tuple[int, ...]) -> FloatArray:
        """Independent draws from a seeded generator: for studies, never for a person's report."""

    def pdf(self, z: FloatArray) -> FloatArray:
        """The density."""
        return np.exp(self.log_pdf(z))
