"""What a coordinate is."""

from __future__ import annotations

from abc import ABC, abstractmethod

from geopriv.spaces.checks import FloatArray


class Coordinate(ABC):
    """A 1-Lipschitz map from points (already read by the space) to the line."""

    @abstractmethod
    def __call__(self, points: FloatArray) -> FloatArray:
        """S at points of shape (...) on a line or (..., d) elsewhere."""

    @property
    @abstractmethod
    def anchor(self) -> FloatArray:
        """A public point near which s takes the values a profile cares about."""

    @abstractmethod
    def reachable(self, s: FloatArray) -> tuple[FloatArray, FloatArray]:
        """An interval of values s' that from a point at s are found at distance exactly |s − s'|."""
