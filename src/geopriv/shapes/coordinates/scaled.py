"""Functions of a user's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from geopriv.shapes.coordinates.base import Coordinate
from geopriv.spaces import Space
from geopriv.spaces.balls import arb
from geopriv.spaces.checks import FloatArray, invalid


@dataclass(frozen=True)
class Scaled(Coordinate):
    """s(x) = f(x)/K for a user's function f with Lipschitz constant K: 1-Lipschitz exactly when K is right.

    Nothing is known of how the function rounds, so no bound is claimed.
    """

    space: Space
    function: Callable[[FloatArray], FloatArray]
    constant: float

    def __call__(self, points: FloatArray) -> FloatArray:
        shape = points.shape[: points.ndim - len(self.space.point_shape)]
        values = np.asarray(self.function(self.space.values(points)), dtype=np.float64)
        return np.broadcast_to(values, shape) / self.constant

    def enclose(self, row: Sequence[float]) -> arb:
        """f(x)/K: a function that is known through its computed values only, which are taken at their word."""
        points = self.space.bounded(np.asarray([row])).value.reshape(1, *self.space.point_shape)
        value = float(np.asarray(self.function(self.space.values(points)), dtype=np.float64).reshape(-1)[0])
        if not np.isfinite(value):
            raise invalid("LipschitzQuery", "function", "finite everywhere", self.function)
        return arb(value) / arb(self.constant)

    @property
    def known(self) -> bool:
        return False

    @property
    def anchor(self) -> FloatArray:
        return np.zeros(self.space.point_shape)

    def reachable(self, s: FloatArray) -> tuple[FloatArray, FloatArray]:
        return s, s  # nothing is known of the function but a bound on its slope
