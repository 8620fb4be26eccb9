"""What is known of a profile's sensitivity: L_Λ, and g-smooth bounds on it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from geopriv.smooth.sensitivity.growth import Growth
from geopriv.spaces.balls import arb
from geopriv.spaces.bounded import ROUNDING, Bounded
from geopriv.spaces.checks import FloatArray


class Sensitivity(ABC):
    """The pointwise Lipschitz constant L_Λ of a profile, and its smooth sensitivity."""

    @abstractmethod
    def pointwise(self, s: FloatArray) -> FloatArray:
        """L_Λ(s), or a bound on it."""

    @abstractmethod
    def smooth(self, growth: Growth, s: FloatArray) -> FloatArray:
        """B*(s), or a g-smooth bound that is not below."""

    @abstractmethod
    def enclose(self, growth: Growth, s: arb) -> arb:
        """A g-smooth bound on L_Λ at s in balls.

        Raises:
            InvalidParameter: where there is none.
        """

    @abstractmethod
    def bounded(self, growth: Growth, s: Bounded, rate: float) -> Bounded | None:
        """What `enclose` encloses in floats, with a relative error; None where there is no filter.

        An error of s counts at most at the rate ε where the bound is smooth.
        """


@dataclass(frozen=True)
class OfLine(Sensitivity):
    """A line of slope K: K everywhere."""

    slope: float

    def pointwise(self, s: FloatArray) -> FloatArray:
        return np.full_like(s, self.slope)

    def smooth(self, growth: Growth, s: FloatArray) -> FloatArray:
        return np.full_like(s, self.slope)

    def enclose(self, growth: Growth, s: arb) -> arb:
        return arb(self.slope)

    def bounded(self, growth: Growth, s: Bounded, rate: float) -> Bounded:
        return Bounded(self.smooth(growth, s.value), np.full_like(s.value, ROUNDING))
