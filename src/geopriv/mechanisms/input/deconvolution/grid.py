"""Noise on the input of a blurred query, undone on its spectrum.

The spectrum is below e^(−h²ω²/2): multiplied by (1 + ω²/ε²)^((d+1)/2) it stays integrable, whatever was blurred (theory
T6). Cosine transforms give g and E g(x + Z)² on the grid to rounding errors, splines of degree five between.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import fft, ndimage

from geopriv.shapes.grids import BlurredGrid, filtered
from geopriv.spaces.checks import FloatArray


@dataclass(frozen=True, eq=False)
class GridInverse:
    """What undoes the noise for a blurred function on a grid, and its second moment.

    Args:
        grid: the blurred function.
        rate: ε.
        dimension: d of the noise (the grid has one axis when only a linear coordinate matters).
    """

    grid: BlurredGrid
    rate: float
    dimension: int

    def __call__(self, points: FloatArray) -> FloatArray:
        """G at points (..., axes): E g(x + Z) is the blurred function at x."""
        return self.grid.read(self._inverse, points)

    def second_moment(self, points: FloatArray) -> FloatArray:
        """E g(x + Z)²."""
        return np.maximum(self.grid.read(self._square, points), 0.0)

    @cached_property
    def error(self) -> float:
        """What interpolation may be off by: the spline on every second grid point against the others, over 2^6."""
        values = self._values
        coarse = filtered(values[(slice(None, None, 2),) * values.ndim])
        place = np.stack(np.meshgrid(*(np.arange(n) / 2 for n in values.shape), indexing="ij"))
        again = ndimage.map_coordinates(coarse, place, order=5, prefilter=False, mode="nearest")
        inner = (slice(8, -8),) * values.ndim
        return float(np.abs(again - values)[inner].max()) / 64 + 1e-8 * float(np.abs(values).max())

    @property
    def _symbol(self) -> FloatArray:
        return np.asarray((1 + self.grid.frequency / self.rate**2) ** ((self.dimension + 1) / 2))

    @cached_property
    def _values(self) -> FloatArray:
        return np.asarray(fft.idctn(self.grid.spectrum * self._symbol))

    @cached_property
    def _inverse(self) -> FloatArray:
        return filtered(self._values)

    @cached_property
    def _square(self) -> FloatArray:
        return filtered(fft.idctn(fft.dctn(self._values**2) / self._symbol))
