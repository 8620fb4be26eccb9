"""Coordinates of every space: linear scores, distances to a point, and functions of a user's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from geopriv.shapes.coordinates.base import Coordinate
from geopriv.spaces import LogLine, Space
from geopriv.spaces.checks import FloatArray


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

    @property
    def moved(self) -> object:
        return "linear", self.direction

    @property
    def alike(self) -> object:
        return "linear"

    def reachable(self, s: FloatArray) -> tuple[FloatArray, FloatArray]:
        return np.full_like(s, -np.inf), np.full_like(s, np.inf)


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

    @property
    def moved(self) -> object | None:
        return self.alike if self.space.flat else None  # points of the globe are not moved by adding

    @property
    def alike(self) -> object:
        return "radial", self.offset

    def reachable(self, s: FloatArray) -> tuple[FloatArray, FloatArray]:
        if isinstance(self.space, LogLine):  # below its floor there is nothing, so only towards the centre
            return np.full_like(s, -self.offset), s
        return np.full_like(s, -self.offset), np.full_like(s, self.space.farthest - self.offset)


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
