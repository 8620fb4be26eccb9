"""Functions of a user's own."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from geopriv.shapes.coordinates.base import Coordinate
from geopriv.spaces import Space
from geopriv.spaces.balls import arb
from geopriv.spaces.checks import FloatArray, invalid

_TRIED = 100_000  # pairs


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

    def steepest_pair(self) -> tuple[float, FloatArray, FloatArray] | None:
        """Over pairs at distances of many sizes, around places of many sizes and all over the space's limits.

        Not-a-number where the function does not take all of them.
        """
        rng, shape = np.random.default_rng(0), self.space.point_shape
        low, high = (np.reshape(end, shape) for end in self.space.limits)
        bounded = np.isfinite(low).all() and np.isfinite(high).all()
        sizes = 10.0 ** rng.uniform(-3, 6, (_TRIED, *(1,) * len(shape)))
        places = rng.uniform(low, high, (_TRIED, *shape)) if bounded else sizes * rng.standard_normal((_TRIED, *shape))
        beside = places + 10.0 ** rng.uniform(-6, 3, sizes.shape) * rng.standard_normal(places.shape)
        beside = np.clip(beside, low, high)
        with np.errstate(all="ignore"):
            distance = np.asarray(self.space.between(places, beside)).reshape(_TRIED)
            try:
                s, other = (np.asarray(self(each), dtype=np.float64).reshape(_TRIED) for each in (places, beside))
            except Exception:  # a function of somebody's own, which may refuse places with any error
                return math.nan, places[0], beside[0]
            rounding = 1e-13 * (np.abs(s) + np.abs(other))
            ratio = np.where(distance > 0, np.maximum(np.abs(s - other) - rounding, 0) / distance, 0.0)
        worst = int(np.nanargmax(np.where(np.isfinite(ratio), ratio, 0.0)))
        return float(ratio[worst]), places[worst], beside[worst]

    @property
    def known(self) -> bool:
        return False

    @property
    def anchor(self) -> FloatArray:
        return np.zeros(self.space.point_shape)

    def reachable(self, s: FloatArray) -> tuple[FloatArray, FloatArray]:
        return s, s  # nothing is known of the function but a bound on its slope
