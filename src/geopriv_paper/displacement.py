"""Laplace noise in coordinates of the unit cube, for quadrature: a length, and a direction.

Each class displaces points and says how far any noise in a cell of the cube is from the noise at its middle. As the
coordinate of a query is 1-Lipschitz, that bounds how far the coordinate can move over the cell.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from geopriv.noise import Laplace, PlanarLaplace, SphericalLaplace
from geopriv.queries import Query
from geopriv.shapes.coordinates import Linear, Radial
from geopriv.spaces import Earth
from geopriv.spaces.checks import FloatArray, invalid
from geopriv_paper.quadrature import Indices


class Displacement(ABC):
    """Noise in coordinates of the unit cube: a length up to `top`, and a direction that is uniform in the others."""

    @property
    @abstractmethod
    def axes(self) -> int:
        """Dimension of the cube."""

    @property
    @abstractmethod
    def count(self) -> int:
        """How many points are displaced."""

    @abstractmethod
    def coordinate(self, which: Indices, cube: FloatArray) -> FloatArray:
        """s(x_which + Z) at points (m, axes) of the cube."""

    @abstractmethod
    def density(self, length: FloatArray) -> FloatArray:
        """The noise's density along the cube's first axis."""

    @abstractmethod
    def cdf(self, length: FloatArray) -> FloatArray:
        """The integral of `density` from below."""

    @abstractmethod
    def reach(self, corner: FloatArray, size: float) -> FloatArray:
        """How far any point of a cell is displaced from the cell's middle."""


@dataclass(frozen=True)
class OnLine(Displacement):
    """Any function of one number with Laplace noise on it, from −top to top."""

    start: FloatArray
    function: Callable[[FloatArray], FloatArray]
    rate: float

    @cached_property
    def top(self) -> float:
        """The longest noise considered."""
        return _top(1, self.rate)

    @property
    def axes(self) -> int:
        return 1

    @property
    def count(self) -> int:
        return len(self.start)

    def coordinate(self, which: Indices, cube: FloatArray) -> FloatArray:
        start = self.start[which]
        return self.function(start + (self.top * (2 * cube[:, 0] - 1)).reshape(start.shape))

    def density(self, length: FloatArray) -> FloatArray:
        return Laplace().pdf(self.rate * self.top * (2 * length - 1)) * 2 * self.rate * self.top

    def cdf(self, length: FloatArray) -> FloatArray:
        return Laplace().cdf(self.rate * self.top * (2 * length - 1))

    def reach(self, corner: FloatArray, size: float) -> FloatArray:
        return np.full(len(corner), self.top * size)


@dataclass(frozen=True)
class _InSpace(Displacement):
    """Any query in the plane, in R³ or on Earth."""

    query: Query
    points: FloatArray
    rate: float

    @cached_property
    def top(self) -> float:
        """The longest noise considered; on Earth at most half way around."""
        space, top = self.query.space, _top(self.axes, self.rate)
        return min(top, math.pi * space.radius) if isinstance(space, Earth) else top

    @property
    def axes(self) -> int:
        return self.query.space.dimension

    @property
    def count(self) -> int:
        return len(self.points)

    def coordinate(self, which: Indices, cube: FloatArray) -> FloatArray:
        space, start, length = self.query.space, self.points[which], self.top * cube[:, 0]
        if isinstance(space, Earth):
            return self.query.geometry(space.move(start, length, 2 * math.pi * cube[:, 1]))
        return self.query.geometry(start + length[:, None] * self._direction(cube[:, 1:]))

    def density(self, length: FloatArray) -> FloatArray:
        space = self.query.space
        if isinstance(space, Earth):
            angle = length * (self.top / space.radius)
            around = SphericalLaplace(self.rate * space.radius).log_pdf(angle)
            return 2 * math.pi * np.sin(angle) * np.exp(around) * (self.top / space.radius)
        return _gamma_density(self.axes, self.rate * self.top, length)

    def cdf(self, length: FloatArray) -> FloatArray:
        space = self.query.space
        if isinstance(space, Earth):
            return SphericalLaplace(self.rate * space.radius).cdf(length * (self.top / space.radius))
        return PlanarLaplace(self.axes).cdf(self.rate * self.top * length)

    def reach(self, corner: FloatArray, size: float) -> FloatArray:
        turn = np.full(len(corner), math.pi * size)  # half of the cell's angle around
        if self.axes == 3:
            tilt = np.arccos(1 - 2 * np.stack([np.minimum(corner[:, 2] + size * t, 1.0) for t in (0.0, 0.5, 1.0)]))
            turn = turn + np.maximum(tilt[1] - tilt[0], tilt[2] - tilt[1])
        return np.asarray(self.top * (size / 2 + (corner[:, 0] + size) * turn))

    def _direction(self, cube: FloatArray) -> FloatArray:
        around = 2 * math.pi * cube[:, 0]
        flat = np.stack([np.cos(around), np.sin(around)], axis=-1)
        if self.axes == 2:
            return flat
        up = 1 - 2 * cube[:, 1]
        return np.concatenate([np.sqrt(np.maximum(1 - up**2, 0.0))[:, None] * flat, up[:, None]], axis=-1)


class _LengthAndAngle(Displacement):
    """In R^d, by symmetry, only the noise's length and its angle to one direction matter."""

    start: FloatArray
    rate: float
    dimension: int

    @cached_property
    def top(self) -> float:
        """The longest noise considered."""
        return _top(self.dimension, self.rate)

    @property
    def axes(self) -> int:
        return 2

    @property
    def count(self) -> int:
        return self.start.size

    def density(self, length: FloatArray) -> FloatArray:
        return _gamma_density(self.dimension, self.rate * self.top, length)

    def cdf(self, length: FloatArray) -> FloatArray:
        return PlanarLaplace(self.dimension).cdf(self.rate * self.top * length)

    def reach(self, corner: FloatArray, size: float) -> FloatArray:
        first, second, third = (self._angle(corner[:, 1] + size * t) for t in (0.0, 0.5, 1.0))
        return self.top * (size / 2 + (corner[:, 0] + size) * np.maximum(third - second, second - first))

    def _angle(self, v: FloatArray) -> FloatArray:
        if self.dimension == 2:
            return math.pi * v
        half = (self.dimension - 1) / 2  # (1 − cos Θ)/2 has the Beta(half, half) distribution
        return np.asarray(np.arccos(1 - 2 * np.asarray(special.betaincinv(half, half, np.minimum(v, 1.0)))))


@dataclass(frozen=True)
class _Around(_LengthAndAngle):
    """A function of the distance to a centre, which starts at `start`."""

    start: FloatArray
    offset: float
    rate: float
    dimension: int

    def coordinate(self, which: Indices, cube: FloatArray) -> FloatArray:
        length, angle = self.top * cube[:, 0], self._angle(cube[:, 1])
        return np.hypot(self.start[which] + length * np.cos(angle), length * np.sin(angle)) - self.offset


@dataclass(frozen=True)
class _Along(_LengthAndAngle):
    """A function of a linear coordinate, which starts at `start`."""

    start: FloatArray
    rate: float
    dimension: int

    def coordinate(self, which: Indices, cube: FloatArray) -> FloatArray:
        return self.start[which] + self.top * cube[:, 0] * np.cos(self._angle(cube[:, 1]))


def displacement(query: Query, points: FloatArray, rate: float) -> Displacement:
    """The noise of a rate on points of shape (n, ...), in as few axes as the query's symmetry allows."""
    geometry, d = query.geometry, query.space.dimension
    if d == 1:
        return OnLine(points, geometry, rate)
    if isinstance(query.space, Earth):
        return _InSpace(query, points, rate)
    if isinstance(geometry, Linear):
        return _Along(geometry(points), rate, d)
    if isinstance(geometry, Radial):
        return _Around(geometry(points) + geometry.offset, geometry.offset, rate, d)
    if d <= 3:
        return _InSpace(query, points, rate)
    raise invalid("plain_moments", "query", "of dimension at most 3, or linear, or radial", query)


def _gamma_density(shape: int, scale: float, length: FloatArray) -> FloatArray:
    return scale**shape * length ** (shape - 1) * np.exp(-scale * length) / math.gamma(shape)


def _top(dimension: int, rate: float) -> float:
    """A length that the noise exceeds with probability 1e-13."""
    return float(PlanarLaplace(dimension).ppf(np.asarray(1 - 1e-13))) / rate
