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

    @property
    def moved(self) -> object | None:
        """What is left of s when its anchor is moved to the origin; None where that is not known.

        Coordinates of one `moved` are one function of x − anchor.
        """
        return None

    @property
    def alike(self) -> object:
        """What a function of s depends on besides a profile; by default the coordinate itself, which is like no other.

        Coordinates of one `alike` reach the same values, and noise on the input that is the same in all directions
        moves them by one law, where a law is known.
        """
        return self

    @abstractmethod
    def reachable(self, s: FloatArray) -> tuple[FloatArray, FloatArray]:
        """An interval of values s' that from a point at s are found at distance exactly |s − s'|."""
