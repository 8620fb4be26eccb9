"""What a coordinate is."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

from geopriv.checks import FloatArray


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

    def rounding(self, extent: float, reach: float) -> float:
        """A bound on |s̃ − s|, both clipped to [−reach, reach], over the recorded points of a space with a resolution.

        Infinite where a class proves none.

        s is the coordinate of the recorded point itself, a whole multiple of the resolution; s̃ is what is computed from
        its nearest float. With u = 2^-53, sums, products, quotients and roots are taken to be right to a factor 1 ± u,
        hypot to 1 ± 2u, and sin, cos and arctan2 to 1 ± 8u (4 units in the last place).

        Args:
            extent: the largest number in a recorded point.
            reach: how far from 0 a mechanism tells coordinates apart.

        Reference: theory T9.
        """
        return math.inf
