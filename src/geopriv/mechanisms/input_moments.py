"""E f(x + Z) and E f(x + Z)² of a query under Laplace noise on the input.

Closed forms or one smooth integral where the geometry allows; otherwise adaptive quadrature over the noise in
coordinates that make it uniform on the unit cube (quantile of the length, direction), which knows from the
1-Lipschitz coordinate where the query can change and refines there.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy import special

from geopriv.checks import FloatArray, invalid, positive
from geopriv.coordinates import Linear, Radial
from geopriv.expectation import gaussian_means, laplace_tails, piecewise_means, planar_tails
from geopriv.noise import Laplace, PlanarLaplace, SphericalLaplace
from geopriv.profiles import Gaussian, Identity, LinearPieces, Profile
from geopriv.quadrature import Indices, integrate
from geopriv.queries import Query
from geopriv.spaces import Earth

# Absolute tolerance of both means where quadrature over one, two or three axes is needed.
_TOLERANCE = {1: 1e-9, 2: 1e-5, 3: 1e-3}


def input_means(
    query: Query, points: FloatArray, rate: float, tolerance: float | None
) -> tuple[FloatArray, FloatArray]:
    """Both means at points of the query's space; the tolerance matters only where quadrature is needed."""
    geometry, profile, d = query.geometry, query.profile, query.space.dimension
    on_earth = isinstance(query.space, Earth)
    match geometry, profile:
        case _, Identity() if isinstance(geometry, Linear):
            s = geometry(points)
            return profile(s), profile(s) ** 2 + profile.slope**2 * (d + 1) / rate**2
        case Linear(), LinearPieces():
            tails = laplace_tails(rate) if d == 1 else planar_tails(rate, d)
            return piecewise_means(profile.knots, profile.values, geometry(points), tails)
        case Linear(), Gaussian():
            s = geometry(points) - profile.center
            return gaussian_means(np.abs(s), profile.bandwidth, rate, d, axes=1)
        case Radial(), Gaussian() if profile.center == -geometry.offset and not on_earth:
            return gaussian_means(geometry(points) + geometry.offset, profile.bandwidth, rate, d, axes=d)
        case Radial(), LinearPieces() if d == 1 and not isinstance(profile, Identity):
            side = np.reshape(points - geometry.anchor, points.shape[: points.ndim - len(query.space.point_shape)])
            knots = _folded_knots(profile, geometry.offset)
            return piecewise_means(knots, profile(np.abs(knots) - geometry.offset), side, laplace_tails(rate))
    return _by_quadrature(query, points, rate, tolerance)


def coordinate_means(
    profile: Profile, s: FloatArray, rate: float, tolerance: float | None
) -> tuple[FloatArray, FloatArray]:
    """Both means of f0(s + Z) with Laplace noise on the coordinate."""
    match profile:
        case Identity():
            return profile(s), profile(s) ** 2 + 2 * (profile.slope / rate) ** 2
        case LinearPieces():
            return piecewise_means(profile.knots, profile.values, s, laplace_tails(rate))
        case Gaussian():
            return gaussian_means(np.abs(s - profile.center), profile.bandwidth, rate, dimension=1, axes=1)
    return _integrate(profile, _OnLine(s.ravel(), lambda moved: moved, rate), s.shape, rate, tolerance)


def _folded_knots(profile: LinearPieces, offset: float) -> FloatArray:
    """Where f0(|t| − offset) bends as a function of t."""
    positives = [knot + offset for knot in profile.knots if knot + offset > 0]
    return np.array([-k for k in reversed(positives)] + [0.0] + positives)


class _Displacement(ABC):
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
class _OnLine(_Displacement):
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
class _InSpace(_Displacement):
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


class _LengthAndAngle(_Displacement):
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


def _by_quadrature(
    query: Query, points: FloatArray, rate: float, tolerance: float | None
) -> tuple[FloatArray, FloatArray]:
    shape = points.shape[: points.ndim - len(query.space.point_shape)]
    flat = points.reshape(-1, *query.space.point_shape)
    return _integrate(query.profile, _displacement(query, flat, rate), shape, rate, tolerance)


def _displacement(query: Query, points: FloatArray, rate: float) -> _Displacement:
    geometry, d = query.geometry, query.space.dimension
    if d == 1:
        return _OnLine(points, geometry, rate)
    if isinstance(query.space, Earth):
        return _InSpace(query, points, rate)
    if isinstance(geometry, Linear):
        return _Along(geometry(points), rate, d)
    if isinstance(geometry, Radial):
        return _Around(geometry(points) + geometry.offset, geometry.offset, rate, d)
    if d <= 3:
        return _InSpace(query, points, rate)
    raise invalid("InputLaplace", "query", "of dimension at most 3, or linear, or radial, for exact moments", query)


def _gamma_density(shape: int, scale: float, length: FloatArray) -> FloatArray:
    return scale**shape * length ** (shape - 1) * np.exp(-scale * length) / math.gamma(shape)


def _top(dimension: int, rate: float) -> float:
    """A length that the noise exceeds with probability 1e-13."""
    return float(PlanarLaplace(dimension).ppf(np.asarray(1 - 1e-13))) / rate


def _integrate(
    profile: Profile, noise: _Displacement, shape: tuple[int, ...], rate: float, tolerance: float | None
) -> tuple[FloatArray, FloatArray]:
    goal = _TOLERANCE[noise.axes] if tolerance is None else positive("bias and variance", "tolerance", tolerance)
    # in R³ only shapes without small parts come here (orthants, functions of their own constant)
    grain = min(0.5 / rate, _grain(profile)) if noise.axes < 3 else 2 / rate

    def integrand(which: Indices, cube: FloatArray) -> FloatArray:
        value = profile(noise.coordinate(which, cube))
        weight = noise.density(cube[:, 0])
        return np.stack([weight * value, weight * value**2], axis=-1)

    def resolution(
        which: Indices, corner: FloatArray, size: float
    ) -> tuple[FloatArray, FloatArray, npt.NDArray[np.bool_]]:
        middle = noise.coordinate(which, corner + size / 2)
        reach = noise.reach(corner, size)
        low, high = _range(profile, middle - reach, middle + reach)
        mass = (noise.cdf(corner[:, 0] + size) - noise.cdf(corner[:, 0])) * size ** (noise.axes - 1)
        value = (low + high) / 2
        steepest = np.maximum(1.0, 2 * np.maximum(np.abs(low), np.abs(high)))  # of v and v² over the range of v
        certified = np.stack([mass * value, mass * value**2], axis=-1)
        return certified, mass * (high - low) * steepest, reach <= grain

    means = integrate(integrand, resolution, noise.count, noise.axes, 2, goal)
    return means[:, 0].reshape(shape), means[:, 1].reshape(shape)


def _range(profile: Profile, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Bounds on the profile over intervals: values at the ends and at landmarks inside, or the Lipschitz bound."""
    first, last = profile(low), profile(high)
    if not isinstance(profile, LinearPieces | Gaussian):
        middle, way = profile((low + high) / 2), profile.lipschitz * (high - low) / 2
        floor, ceiling = profile.bounds
        return np.maximum(middle - way, floor), np.minimum(middle + way, ceiling)
    least, most = np.minimum(first, last), np.maximum(first, last)
    for mark in profile.landmarks:
        inside = (low < mark) & (mark < high)
        value = float(profile(np.asarray(mark)))
        least, most = np.where(inside, np.minimum(least, value), least), np.where(inside, np.maximum(most, value), most)
    return least, most


def _grain(profile: Profile) -> float:
    """A length below which the profile holds no hidden feature: half its shortest piece, or its steepest rise."""
    shortest = min((b - a for a, b in pairwise(profile.landmarks)), default=math.inf)
    low, high = profile.bounds
    return 0.5 * min(shortest, (high - low) / profile.lipschitz)
