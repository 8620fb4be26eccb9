"""What every noise on the line can say of itself."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from geopriv.spaces.checks import FloatArray


class Noise(ABC):
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
    def sample(self, rng: np.random.Generator, size: int | tuple[int, ...]) -> FloatArray:
        """Independent draws from a seeded generator: for studies, never for a person's report."""

    def pdf(self, z: FloatArray) -> FloatArray:
        """The density."""
        return np.exp(self.log_pdf(z))
