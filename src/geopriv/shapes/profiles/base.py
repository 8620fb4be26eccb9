"""What a profile is."""

from __future__ import annotations

from abc import ABC, abstractmethod

from geopriv.spaces.checks import FloatArray


class Profile(ABC):
    """A Lipschitz function of one real variable."""

    @abstractmethod
    def __call__(self, s: FloatArray) -> FloatArray:
        """f0 at coordinates of any shape."""

    @property
    @abstractmethod
    def lipschitz(self) -> float:
        """The least K with |f0(s) − f0(s')| ≤ K·|s − s'| (for Custom, the K that was given)."""

    @property
    @abstractmethod
    def landmarks(self) -> tuple[float, ...]:
        """Increasing coordinates around which f0 changes its shape: kinks, modes, inflections."""

    @property
    @abstractmethod
    def bounds(self) -> tuple[float, float]:
        """Infimum and supremum of f0."""

    @abstractmethod
    def stretched(self, factor: float) -> Profile:
        """The profile s ↦ f0(factor·s), factor > 0."""


class Curved(Profile):
    """A profile known by its values, a bound on its curvature, and the interval outside which it is constant."""

    @property
    @abstractmethod
    def low(self) -> float:
        """f0 is constant below."""

    @property
    @abstractmethod
    def high(self) -> float:
        """f0 is constant above."""

    @property
    @abstractmethod
    def curvature(self) -> float | None:
        """A bound on |f0''| between kinks; None when nothing is known but `lipschitz`."""

    @property
    @abstractmethod
    def kinks(self) -> tuple[float, ...]:
        """Places inside (low, high) where f0' jumps."""

    @property
    @abstractmethod
    def rounding(self) -> float:
        """A bound on the error of a computed f0(s), for the s that is given."""


class Smooth(Profile):
    """A profile with a continuous slope and a bounded second derivative: smooth enough to undo noise on a line."""

    @abstractmethod
    def slope(self, s: FloatArray) -> FloatArray:
        """f0'."""

    @abstractmethod
    def second(self, s: FloatArray) -> FloatArray:
        """f0'', with either one-sided value where it jumps."""
