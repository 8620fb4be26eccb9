"""Noise on the input of a blurred query, undone on its spectrum.

The spectrum is below e^(−h²ω²/2): divided by that of the noise it stays integrable, whatever was blurred (theory T6 and
T8′). Cosine transforms give g and E g(x + Z)² on the grid to rounding errors, splines of degree five between.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from scipy import fft, ndimage

from geopriv.mechanisms.input.deconvolution.spectrum import Spectrum
from geopriv.shapes.grids import BlurredGrid, filtered, lengths
from geopriv.spaces.checks import FloatArray

_COMPARED = 40_000  # grid points at which splines are compared


@dataclass(frozen=True, eq=False)
class GridInverse:
    """What undoes the noise for a blurred function on a grid, and its second moment.

    Args:
        grid: the blurred function; it has one axis when only a linear coordinate matters.
        spectrum: of the noise.
    """

    grid: BlurredGrid
    spectrum: Spectrum

    def __call__(self, points: FloatArray) -> FloatArray:
        """G at points (..., axes): E g(x + Z) is the blurred function at x."""
        return self.grid.read(self._inverse, points)

    def second_moment(self, points: FloatArray) -> FloatArray:
        """E g(x + Z)²."""
        return np.maximum(self.grid.read(self._square, points), 0.0)

    def third_moment(self, points: FloatArray) -> FloatArray:
        """E g(x + Z)³."""
        return self.grid.read(self._cube, points)

    def rough(self) -> GridInverse:
        """The same on a coarser grid, for predictions."""
        return GridInverse(self.grid.coarser(), self.spectrum)

    @cached_property
    def error(self) -> float:
        """What interpolation may be off by, and what stands for the spectrum.

        The first is that of the spline on every second grid point against the others, over 2^6.
        """
        values = self._values
        coarse = filtered(values[(slice(None, None, 2),) * values.ndim])
        ends = np.array(values.shape)[:, None]
        place = np.random.default_rng(0).integers(8, ends - 8, (values.ndim, _COMPARED))
        again = ndimage.map_coordinates(coarse, place / 2, order=5, prefilter=False, mode="nearest")
        off = float(np.abs(again - values[tuple(place)]).max()) / 64 + 1e-8 * float(np.abs(values).max())
        waves = np.abs(self.grid.spectrum) / values.size  # as cosines, each of them counted in full
        some = waves > 1e-18 * waves.max()
        return off + float((waves[some] * self.spectrum.leak(self.grid.lengths[some])).sum())

    @cached_property
    def bounds(self) -> tuple[float, float]:
        """Numbers between which g lies: those on the grid, and the most that all waves together bend between."""
        waves = np.abs(self.grid.spectrum / self._symbol) / self._values.size
        slack = self.grid.bend(waves) + self.error
        return float(self._values.min()) - slack, float(self._values.max()) + slack

    @property
    def _symbol(self) -> FloatArray:
        return _symbol_of(self.spectrum, self.grid.spectrum.shape, self.grid.step)

    @cached_property
    def _values(self) -> FloatArray:
        return np.asarray(fft.idctn(self.grid.spectrum / self._symbol))

    @cached_property
    def _inverse(self) -> FloatArray:
        return filtered(self._values)

    @cached_property
    def _square(self) -> FloatArray:
        return filtered(fft.idctn(fft.dctn(self._values**2) * self._symbol))

    @cached_property
    def _cube(self) -> FloatArray:
        return filtered(fft.idctn(fft.dctn(self._values**3) * self._symbol))


@lru_cache(maxsize=4)  # both sides of a bracket have the same; they are large
def _symbol_of(spectrum: Spectrum, shape: tuple[int, ...], step: float) -> FloatArray:
    """The spectrum of noise at the cosines of a grid."""
    symbol = spectrum(lengths(shape, step))
    symbol.flags.writeable = False
    return symbol
