"""Mean kernels as densities, on the grid of a map and between its points."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import cast

import numpy as np
import numpy.typing as npt

from geopriv.answers.answers import Answer, Band
from geopriv.answers.units import per_square
from geopriv.queries.questions import DensityMap
from geopriv.spaces.checks import FloatArray

_PIXELS = 480  # of a picture's longer side, at least
_PEAKS = 8


@dataclass(frozen=True, eq=False)
class Density:
    """What a map says, in percent of people per square.

    Args:
        question: the map.
        square: what densities are per.
        percent: what a mean kernel is multiplied with.
        values: densities, shape (columns, rows).
        errors: their standard errors.
        band: that holds all of them at once if `together`, else each for itself.
        together: which of the two.
        bias: how far densities may be off beyond their errors; 0 where that is unknown.
    """

    question: DensityMap
    square: str
    percent: float
    values: FloatArray
    errors: FloatArray
    band: Band
    together: bool
    bias: float

    @classmethod
    def of(cls, answer: Answer) -> Density:
        """The densities of an answer to a DensityMap."""
        question, estimates = cast("DensityMap", answer.question), answer.estimates  # only maps come here
        percent, square = per_square(question)
        band = answer.band or Band(estimates.low, estimates.high)
        bias = percent * estimates.bias if estimates.bias > 1e-6 else 0.0
        scaled = Band(percent * band.low, percent * band.high)
        values, errors = percent * estimates.values, percent * estimates.standard_errors
        return cls(question, square, percent, values, errors, scaled, answer.band is not None, bias)

    @property
    def known(self) -> bool:
        """Whether there are error bars."""
        return bool(np.isfinite(self.errors).all() and np.isfinite(self.values).all())

    @property
    def surplus(self) -> FloatArray:
        """How far the band is above 0, whatever the bias: where positive, the density can be told from zero."""
        return np.asarray(self.band.low - self.bias)

    @property
    def told(self) -> npt.NDArray[np.bool_]:
        """Where the density can be told from zero."""
        return np.asarray(self.surplus > 0)

    @property
    def pixels(self) -> tuple[FloatArray, FloatArray]:
        """Coordinates of the columns and rows of a picture."""
        low, high = np.asarray(self.question.low), np.asarray(self.question.high)
        longest = max(_PIXELS, *self.question.shape)
        counts = np.maximum(np.round(longest * (high - low) / (high - low).max()), 1).astype(int)
        x, y = (a + (b - a) * (np.arange(k) + 0.5) / k for a, b, k in zip(low, high, counts, strict=True))
        return x, y

    @property
    def fine(self) -> bool:
        """Whether points of the grid are at most a bandwidth apart."""
        return bool(max(axis[1] - axis[0] for axis in self.question.axes) <= self.question.bandwidth)

    def finer(self, grid: FloatArray, smooth: bool = True) -> FloatArray:
        """What is known on the grid, at every pixel.

        What a Gaussian blurs is smooth, so splines follow it between points that are at most a bandwidth apart. On a
        coarser grid nothing is known between them, and every pixel is as its nearest point.
        """
        from scipy.interpolate import RectBivariateSpline

        axes, pixels = self.question.axes, self.pixels
        if not self.fine:
            near = [np.abs(fine[:, None] - axis).argmin(axis=1) for fine, axis in zip(pixels, axes, strict=True)]
            return np.asarray(grid[np.ix_(*near)])
        orders = [min(3 if smooth else 1, axis.size - 1) for axis in axes]
        return np.asarray(RectBivariateSpline(*axes, grid, kx=orders[0], ky=orders[1], s=0)(*pixels))

    def peaks(self) -> list[tuple[int, int]]:
        """Points that can be told from zero and are the highest within two bandwidths, the highest first."""
        from scipy.ndimage import maximum_filter

        sizes = [1 + 2 * math.ceil(2 * self.question.bandwidth / (axis[1] - axis[0])) for axis in self.question.axes]
        top = (self.values == maximum_filter(self.values, size=sizes, mode="nearest")) & self.told
        found = sorted(zip(*np.nonzero(top), strict=True), key=lambda at: -self.values[at])
        return [(int(i), int(j)) for i, j in found[:_PEAKS]]
