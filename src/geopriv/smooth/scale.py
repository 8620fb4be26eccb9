"""What a noise scale says of itself: σ(s) in floats, in balls, and in floats with a bound on their error."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from geopriv.noise.base import Noise
from geopriv.shapes.profiles import Profile
from geopriv.spaces.balls import arb
from geopriv.spaces.bounded import ROUNDING, Bounded, Enclosed
from geopriv.spaces.checks import FloatArray

# Every scale of a report is this much larger than stated: a constant factor of at least 1 keeps every promise (theory
# T4), and this one is a million times the rounding errors of the floats K/ε, η and L̄ that scales are made from.
MARGIN = 1 + 2.0**-30


class Scale(Enclosed, ABC):
    """σ as a function of the coordinate.

    Tables of floats (the least scale of a Gaussian, the envelope of straight pieces) are certified as the functions
    that interpolate them, so it is those functions that are enclosed; their floats are exact numbers.
    """

    @abstractmethod
    def __call__(self, s: FloatArray) -> FloatArray:
        """σ(s), as it is stated."""

    @abstractmethod
    def enclose(self, s: arb) -> arb:
        """σ(s) with the margin, as an interval that holds the true real number at any precision.

        Raises:
            InvalidParameter: for a scale that has no enclosure.
        """

    @abstractmethod
    def bounded(self, s: Bounded, rate: float) -> Bounded | None:
        """σ(s) with the margin, and a relative error; None where there is no filter, and balls do all the work.

        All scales satisfy |σ'| ≤ ε·σ, so an error of s counts at most at the rate ε. Beside that, exponents of at most
        700 are right to four roundings, 2^-41.
        """

    def unit(self, profile: Profile, rate: float) -> float:
        """What the noise is measured in: the change of f over a distance of 1/ε, but no more than f's whole range."""
        low, high = profile.bounds
        return min(profile.lipschitz / rate, high - low)

    def covered(self, noise: Noise, rate: float) -> bool:
        """Whether the margin covers the rounding errors of what the scale was made from."""
        return True


class PlaceScale(ABC):
    """σ as a function of the point itself, for functions that are no profile of a coordinate."""

    steepest: float  # a Lipschitz constant of f

    @abstractmethod
    def __call__(self, points: FloatArray) -> FloatArray:
        """σ at points of shape (n, d), as it is stated."""

    @abstractmethod
    def enclose_at(self, place: Sequence[arb]) -> arb:
        """σ with the margin at a point in balls."""

    def bounded_at(self, rows: FloatArray) -> tuple[Bounded, Bounded] | None:
        """F and σ with the margin at rows of exact numbers, with bounds on their errors; None without a filter."""
        return None


@dataclass(frozen=True)
class EvenScale(PlaceScale):
    """The same σ at every point.

    Args:
        value: σ.
        steepest: a Lipschitz constant of f.
    """

    value: float
    steepest: float

    def __call__(self, points: FloatArray) -> FloatArray:
        return np.full(len(points), self.value)

    def enclose_at(self, place: Sequence[arb]) -> arb:
        return MARGIN * arb(self.value)


@dataclass(frozen=True)
class ConstantScale(Scale):
    """The same σ at every coordinate."""

    value: float

    def __call__(self, s: FloatArray) -> FloatArray:
        return np.full_like(s, self.value)

    def enclose(self, s: arb) -> arb:
        return MARGIN * arb(self.value)

    def bounded(self, s: Bounded, rate: float) -> Bounded:
        return Bounded(MARGIN * self(s.value), np.full_like(s.value, ROUNDING))

    def unit(self, profile: Profile, rate: float) -> float:
        """The scale itself."""
        return self.value
