"""Which way to undo the noise, by the query's shape."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol

import numpy as np

from geopriv.errors import InvalidParameter
from geopriv.mechanisms.input.deconvolution.grid import GridInverse
from geopriv.mechanisms.input.deconvolution.kernel import KernelTable, kernel_table
from geopriv.mechanisms.input.deconvolution.line import LineInverse
from geopriv.mechanisms.input.deconvolution.spectrum import LaplaceSpectrum, Spectrum
from geopriv.queries import Query
from geopriv.shapes.coordinates import Coordinate
from geopriv.shapes.grids import blurred_grid, sampler
from geopriv.shapes.profiles import (
    BlurredPieces,
    Gaussian,
    Profile,
)
from geopriv.spaces.checks import FloatArray, invalid


class Inverse(Protocol):
    """A function of noisy points whose mean is the query at the true point."""

    @property
    def error(self) -> float:
        """A bound on |E g(x + Z) − f(x)|, from tables and splines; 0 for closed forms."""

    def __call__(self, points: FloatArray) -> FloatArray:
        """G at noisy points of the space."""

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Numbers between which g lies; None where it has no bound, or none is known."""

    def second_moment(self, points: FloatArray) -> FloatArray:
        """E g(x + Z)² at true points x."""

    def third_moment(self, points: FloatArray) -> FloatArray:
        """E g(x + Z)³ at true points x; that of somebody without noise where it is not known."""


@dataclass(frozen=True)
class OfCoordinate:
    """An inverse that depends on the query's coordinate alone.

    Args:
        geometry: the coordinate.
        function: g of coordinates.
        moment: E g(x + Z)² of the coordinate of x.
        error: a bound on |E g(x + Z) − f(x)|.
        bounds: numbers between which g lies; None where none are known.
        cube: E g(x + Z)³ of the coordinate of x; None where it is not known.
    """

    geometry: Coordinate
    function: Callable[[FloatArray], FloatArray] = field(repr=False)
    moment: Callable[[FloatArray], FloatArray] = field(repr=False)
    error: float = 0.0
    bounds: tuple[float, float] | None = None
    cube: Callable[[FloatArray], FloatArray] | None = field(default=None, repr=False)

    def __call__(self, points: FloatArray) -> FloatArray:
        return self.function(self.geometry(points))

    def second_moment(self, points: FloatArray) -> FloatArray:
        return self.moment(self.geometry(points))

    def third_moment(self, points: FloatArray) -> FloatArray:
        s = self.geometry(points)
        return self.function(s) ** 3 if self.cube is None else self.cube(s)


def undo(query: Query, rate: float) -> Inverse:
    """The inverse of Laplace noise of a rate on the input of a query.

    Raises:
        InvalidParameter: for a query too rough for it, with what would work.

    Reference: theory T6.
    """
    if not query.space.flat:
        rule = "on a flat space: on Earth use a LocalPlane, or estimator='plain'"
        raise invalid("InputLaplace", "query", rule, query.space)
    if query.has_profile and query.space.dimension == 1 and query.profile.straight is None:
        geometry = query.geometry
        if geometry.axis is not None or geometry.apex is not None:
            return _on_line(geometry, query.profile, rate)
    return undo_noise(query, LaplaceSpectrum(rate, query.space.dimension))


def undo_noise(query: Query, spectrum: Spectrum) -> Inverse:
    """The inverse of noise of a spectrum on the input of a query, on a flat space.

    Raises:
        InvalidParameter: for a query too rough for it, with what would work.

    Reference: theory T6 and T8′.
    """
    if not query.has_profile:
        return _blurred_region(query, spectrum)
    geometry, profile, d = query.geometry, query.profile, query.space.dimension
    if geometry.axis is not None and profile.straight is not None:
        return _unchanged(geometry, profile, spectrum)
    if (bell := query.bell) is not None and d <= 3:
        return _from_table(geometry, bell, kernel_table(spectrum.scaled(bell.bandwidth), axes=d))
    if geometry.axis is not None:
        match profile:
            case Gaussian():
                return _from_table(geometry, profile, kernel_table(spectrum.scaled(profile.bandwidth), axes=1))
            case BlurredPieces():
                grid = _blurred_profile(profile, spectrum)
                return OfCoordinate(
                    geometry,
                    lambda s: grid(s[..., None]),
                    lambda s: grid.second_moment(s[..., None]),
                    grid.error,
                    grid.bounds,
                    lambda s: grid.third_moment(s[..., None]),
                )
    raise _too_rough(query)


def _unchanged(geometry: Coordinate, profile: Profile, spectrum: Spectrum) -> OfCoordinate:
    """A linear f needs no undoing: the noise has mean zero, and the same variance along every direction."""
    spread = profile.lipschitz**2 * spectrum.variance
    return OfCoordinate(geometry, profile, lambda s: profile(s) ** 2 + spread)


def _from_table(geometry: Coordinate, profile: Gaussian, table: KernelTable) -> OfCoordinate:
    def distance(s: FloatArray) -> FloatArray:
        return np.abs(s - profile.center) / profile.bandwidth

    return OfCoordinate(
        geometry,
        lambda s: table(distance(s)),
        lambda s: table.second_moment(distance(s)),
        table.error,
        table.bounds,
    )


@lru_cache(maxsize=4)  # they are large
def _blurred_region(query: Query, spectrum: Spectrum) -> GridInverse:
    grid = query.grid(spectrum.rate)
    if grid is None:
        raise _too_rough(query)
    return GridInverse(grid, spectrum)


@lru_cache(maxsize=16)
def _blurred_profile(profile: BlurredPieces, spectrum: Spectrum) -> GridInverse:
    ends = np.array([profile.low]), np.array([profile.high])
    grid = blurred_grid(
        sampler(lambda s: profile(s[..., 0])), ends, profile.bandwidth, spectrum.rate, done=profile.bandwidth
    )
    return GridInverse(grid, spectrum)


def undo_coordinate(query: Query, rate: float) -> OfCoordinate:
    """The inverse of Laplace noise of a rate on the coordinate of a query.

    Raises:
        InvalidParameter: for a profile with kinks.
    """
    if query.profile.straight is not None:
        return _unchanged(query.geometry, query.profile, LaplaceSpectrum(rate, 1))
    inverse = _line_inverse("CoordinateLaplace", query.profile, rate)
    return OfCoordinate(query.geometry, inverse, inverse.second_moment, inverse.error)


def _line_inverse(owner: str, profile: Profile, rate: float) -> LineInverse:
    """For a profile with a continuous slope, or one that a smooth profile stands for."""
    if (smooth := profile.smooth) is not None:
        return LineInverse(smooth, rate)
    raise invalid(
        owner,
        "query",
        "of a profile with a continuous slope (Smoothstep by edge='smooth', Gaussian, a blurred one, or Custom with a "
        "curvature, no kinks and flat ends) for noise to be undone, or give estimator='plain'",
        type(profile).__name__,
    )


def _on_line(geometry: Coordinate, profile: Profile, rate: float) -> Inverse:
    inverse = _line_inverse("InputLaplace", profile, rate)
    if geometry.apex is None:
        return OfCoordinate(geometry, inverse, inverse.second_moment, inverse.error)
    # around a place, f has a kink at the place itself unless the profile is level there
    slope = float(np.abs(inverse.profile.slope(np.asarray(geometry.apex))))
    if slope > 1e-9 * inverse.profile.lipschitz:
        raise invalid("InputLaplace", "query", "level at its centre, or it has a kink there", type(profile).__name__)
    offset = -geometry.apex
    return OfCoordinate(geometry, inverse, lambda s: inverse.folded_moment(s + offset, offset), inverse.error)


def _too_rough(query: Query) -> InvalidParameter:
    return invalid(
        "InputLaplace",
        "query",
        "smooth enough for noise on the input to be undone: a GaussianKernel, or Blurred(query, bandwidth); a Lattice "
        "report answers rough queries too, and estimator='plain' gives the biased estimate",
        type(query).__name__,
    )
