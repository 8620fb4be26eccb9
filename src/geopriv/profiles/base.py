"""What a profile is."""

from __future__ import annotations

from abc import ABC, abstractmethod

from geopriv.checks import FloatArray


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
