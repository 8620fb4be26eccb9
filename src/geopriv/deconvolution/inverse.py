"""Which way to undo the noise, by the query's shape."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol

import numpy as np

from geopriv.checks import FloatArray, invalid
from geopriv.coordinates import Coordinate, Linear, Radial
from geopriv.deconvolution.grid import GridInverse
from geopriv.deconvolution.kernel import KernelTable, kernel_table
from geopriv.deconvolution.line import LineInverse, SplineProfile
from geopriv.errors import InvalidParameter
from geopriv.grids import blurred_grid
from geopriv.profiles import BlurredPieces, Custom, Gaussian, Identity, Profile, Smooth
from geopriv.queries import Blurred, Query
from geopriv.spaces import Earth


class Inverse(Protocol):
    """A function of noisy points whose mean is the query at the true point."""

    @property
    def error(self) -> float:
        """A bound on |E g(x + Z) − f(x)|, from tables and splines; 0 for closed forms."""

    def __call__(self, points: FloatArray) -> FloatArray:
        """G at noisy points of the space."""

    def second_moment(self, points: FloatArray) -> FloatArray:
        """E g(x + Z)² at true points x."""


def undo(query: Query, rate: float) -> Inverse:
    """The inverse of Laplace noise of a rate on the input of a query.

    Raises:
        InvalidParameter: for a query too rough for it, with what would work.

    Reference: theory T6.
    """
    if isinstance(query.space, Earth):
        rule = "on a flat space: on Earth use a LocalPlane, or estimator='plain'"
        raise invalid("InputLaplace", "query", rule, query.space)
    d = query.space.dimension
    if isinstance(query, Blurred) and not query.along_line:
        return _blurred_region(query, rate)
    geometry, profile = query.geometry, query.profile
    if isinstance(geometry, Linear) and isinstance(profile, Identity):
        return _Unchanged(query, profile.slope**2 * (d + 1) / rate**2)
    if d == 1 and isinstance(geometry, Linear | Radial):
        return _on_line(geometry, profile, rate)
    match geometry, profile:
        case Linear(), Gaussian():
            table = kernel_table(rate * profile.bandwidth, axes=1, dimension=d)
            return _FromTable(geometry, profile.center, profile.bandwidth, table)
        case Linear(), BlurredPieces():
            return _OfCoordinate(geometry, _blurred_profile(profile, rate, d))
        case Radial(), Gaussian() if profile.center == -geometry.offset and d <= 3:
            table = kernel_table(rate * profile.bandwidth, axes=d, dimension=d)
            return _FromTable(geometry, profile.center, profile.bandwidth, table)
    raise _too_rough(query)


@lru_cache(maxsize=16)
def _blurred_region(query: Blurred, rate: float) -> GridInverse:
    return GridInverse(query.grid(rate), rate, query.space.dimension)


@lru_cache(maxsize=64)
def _blurred_profile(profile: BlurredPieces, rate: float, dimension: int) -> GridInverse:
    ends = np.array([profile.low]), np.array([profile.high])
    grid = blurred_grid(lambda s: profile(s[..., 0]), ends, profile.bandwidth, rate, smooth=True)
    return GridInverse(grid, rate, dimension)


def line_inverse(owner: str, profile: Profile, rate: float) -> LineInverse:
    """The inverse of Laplace noise on a coordinate, for a profile with a continuous slope.

    A Custom profile with a curvature and no kinks is replaced by a spline through it.
    """
    if isinstance(profile, Custom) and profile.curvature is not None and not profile.kinks:
        spline = SplineProfile(profile)
        # a slope that does not fade towards its ends is a kink there, and shows as a bend that nobody vouched for
        if spline.steepest_bend <= 2 * profile.curvature:
            return LineInverse(spline, rate)
    if isinstance(profile, Smooth):
        return LineInverse(profile, rate)
    raise invalid(
        owner,
        "query",
        "of a profile with a continuous slope (Smoothstep by edge='smooth', Gaussian, a blurred one, or Custom with a "
        "curvature, no kinks and flat ends) for noise to be undone, or give estimator='plain'",
        type(profile).__name__,
    )


def _on_line(geometry: Linear | Radial, profile: Profile, rate: float) -> Inverse:
    inverse = line_inverse("InputLaplace", profile, rate)
    if isinstance(geometry, Linear):
        return _OnLine(geometry, inverse)
    # around a place, f has a kink at the place itself unless the profile is level there
    slope = float(np.abs(inverse.profile.slope(np.asarray(-geometry.offset))))
    if slope > 1e-9 * inverse.profile.lipschitz:
        raise invalid("InputLaplace", "query", "level at its centre, or it has a kink there", type(profile).__name__)
    return _AroundPlace(geometry, inverse)


def _too_rough(query: Query) -> InvalidParameter:
    return invalid(
        "InputLaplace",
        "query",
        "smooth enough for noise on the input to be undone: a GaussianKernel, or Blurred(query, bandwidth); a Lattice "
        "report answers rough queries too, and estimator='plain' gives the biased estimate",
        type(query).__name__,
    )


@dataclass(frozen=True)
class _Unchanged:
    """A linear f needs no undoing: noise of mean zero."""

    query: Query
    variance: float
    error: float = 0.0

    def __call__(self, points: FloatArray) -> FloatArray:
        return self.query.answer(points)

    def second_moment(self, points: FloatArray) -> FloatArray:
        return np.asarray(self.query.answer(points) ** 2 + self.variance)


@dataclass(frozen=True)
class _OnLine:
    """A profile of ±x + shift."""

    geometry: Coordinate
    inverse: LineInverse

    @property
    def error(self) -> float:
        return self.inverse.error

    def __call__(self, points: FloatArray) -> FloatArray:
        return self.inverse(self.geometry(points))

    def second_moment(self, points: FloatArray) -> FloatArray:
        return self.inverse.second_moment(self.geometry(points))


@dataclass(frozen=True)
class _AroundPlace:
    """A profile of |x − center| − offset on a line."""

    geometry: Radial
    inverse: LineInverse

    @property
    def error(self) -> float:
        return self.inverse.error

    def __call__(self, points: FloatArray) -> FloatArray:
        return self.inverse(self.geometry(points))

    def second_moment(self, points: FloatArray) -> FloatArray:
        return self.inverse.folded_moment(self.geometry(points) + self.geometry.offset, self.geometry.offset)


@dataclass(frozen=True)
class _FromTable:
    """A Gaussian of a coordinate."""

    geometry: Coordinate
    center: float
    bandwidth: float
    table: KernelTable = field(repr=False)

    @property
    def error(self) -> float:
        return self.table.error

    def __call__(self, points: FloatArray) -> FloatArray:
        return self.table(self._distance(points))

    def second_moment(self, points: FloatArray) -> FloatArray:
        return self.table.second_moment(self._distance(points))

    def _distance(self, points: FloatArray) -> FloatArray:
        return np.abs(self.geometry(points) - self.center) / self.bandwidth


@dataclass(frozen=True)
class _OfCoordinate:
    """A blurred profile of a linear coordinate in several dimensions."""

    geometry: Coordinate
    inverse: GridInverse = field(repr=False)

    @property
    def error(self) -> float:
        return self.inverse.error

    def __call__(self, points: FloatArray) -> FloatArray:
        return self.inverse(self.geometry(points)[..., None])

    def second_moment(self, points: FloatArray) -> FloatArray:
        return self.inverse.second_moment(self.geometry(points)[..., None])
