"""Coordinates of every space: linear scores, distances to a point, and functions of a user's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from geopriv.checks import FloatArray
from geopriv.coordinates.base import Coordinate
from geopriv.device.charges import distance_rounding, globe_rounding, line_rounding, linear_rounding
from geopriv.spaces import Earth, LogLine, Space


@dataclass(frozen=True)
class Linear(Coordinate):
    """s(x) = ⟨u, x⟩ + shift with ‖u‖ = 1. 1-Lipschitz by Cauchy–Schwarz.

    Args:
        direction: the unit vector u; a single number ±1 on a line.
        shift: a constant.
        scalar: whether points are plain numbers (a line) instead of vectors.
    """

    direction: tuple[float, ...]
    shift: float
    scalar: bool

    def __call__(self, points: FloatArray) -> FloatArray:
        if self.scalar:
            return self.direction[0] * points + self.shift
        return np.asarray(points @ np.asarray(self.direction) + self.shift)

    @property
    def anchor(self) -> FloatArray:
        foot = -self.shift * np.asarray(self.direction)
        return foot[0] if self.scalar else foot

    def reachable(self, s: FloatArray) -> tuple[FloatArray, FloatArray]:
        return np.full_like(s, -np.inf), np.full_like(s, np.inf)

    def rounding(self, extent: float, reach: float) -> float:
        """Few roundings on a line; d products and sums elsewhere.

        On a line u = ±1, and s̃ = fl(fl(x) + shift) is off by u·|x| + u·|s|, which falls towards 0 with |s|: beyond
        the reach nothing worse is clipped away, within it |x| ≤ reach + |shift|. In d axes each product carries x, u
        and itself rounded (5u), the sum of d terms d more, and Σ|u_j·x_j| ≤ √d·extent.
        """
        if self.scalar:
            return line_rounding(self.shift, reach)
        return linear_rounding(len(self.direction), self.shift, extent, reach)


@dataclass(frozen=True)
class Radial(Coordinate):
    """s(x) = dist(x, center) − offset. 1-Lipschitz by the triangle inequality, in every metric space."""

    space: Space
    center: tuple[float, ...]
    offset: float

    def __call__(self, points: FloatArray) -> FloatArray:
        return self.space.between(points, self.anchor) - self.offset

    @cached_property
    def anchor(self) -> FloatArray:
        return np.reshape(self.center, self.space.point_shape)

    def reachable(self, s: FloatArray) -> tuple[FloatArray, FloatArray]:
        if isinstance(self.space, LogLine):  # below its floor there is nothing, so only towards the centre
            return np.full_like(s, -self.offset), s
        farthest = np.pi * self.space.radius if isinstance(self.space, Earth) else np.inf
        return np.full_like(s, -self.offset), np.full_like(s, farthest - self.offset)

    def rounding(self, extent: float, reach: float) -> float:
        """A norm in R^d; an angle between unit vectors on Earth.

        Flat: x is off by u·‖x‖, x − c by u·D more, the norm by 2du·D and s by u·|s|, with D = s + offset the
        distance; all grow slower than D itself, so beyond the reach nothing worse is clipped away, and within it ‖x‖
        ≤ √d·max|c| + D. On Earth an angle in degrees is recorded to 5u and turned into radians to 3u, so latitude and
        longitude are off by 8u·(1.5 + π) ≤ 38u and a unit vector, with its sines and cosines, by 55u. ‖a − b‖ and ‖a
        + b‖ are then off by 118u, the angle 2·arctan2 of them by √2·118u + 26u (its gradient is 1/√(‖a−b‖² + ‖a+b‖²)
        = 1/2), and two products and the offset add 12u.
        """
        if isinstance(self.space, Earth):
            return globe_rounding(self.space.radius, self.offset)
        return distance_rounding(self.center, self.offset, reach)


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

    @property
    def anchor(self) -> FloatArray:
        return np.zeros(self.space.point_shape)

    def reachable(self, s: FloatArray) -> tuple[FloatArray, FloatArray]:
        return s, s  # nothing is known of the function but a bound on its slope
