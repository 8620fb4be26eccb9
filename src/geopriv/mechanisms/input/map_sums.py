"""A map as one convolution: sums over reports of powers of what undoes the noise, at every point of a map at once.

The estimate at t is the mean of g(y − t) over the reports y. Reports are spread over a fine grid with cubic B-splines,
whose effect on the spectrum is known and divided out, and one Fourier transform convolves them with g, and with g² and
g³ for their errors. The cost is O(n + G log G) instead of n × G. What spreading leaves is bounded by aliasing: with
r = ωΔ/2π on a grid of step Δ each axis adds to a wave of frequency ω at most Σ_k≠0 (r/(k + r))⁴ ≤ 2.2·(r/(1 − r))⁴ of
it, and reading between grid points by splines of degree five less than that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import fft

from geopriv.mechanisms.input.fine_grids import FineGrid
from geopriv.mechanisms.roughness import Roughness
from geopriv.spaces.checks import FloatArray

NEGLIGIBLE = 1e-10  # of the largest |g|: where the kernel is cut
_COARSE = 4  # points a bandwidth of the grid on which the roughness of errors is known
_NOBODY = 1e-12  # of the largest variance: below, rounding errors of the transform are all there is

Kernel = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, eq=False)
class MapSums:
    """Counted reports, and what undoes their noise, around a map.

    Args:
        axes: increasing coordinates of the map's rows and of its columns, as points of the space.
        points: of distinct reports, shape (m, 2).
        times: how often each came.
        kernel: g of the way from a point of the map to a report, shape (..., 2) to (...).
        bandwidth: over which g changes.
        reach: from where on it is negligible.
    """

    axes: tuple[FloatArray, FloatArray]
    points: FloatArray
    times: FloatArray
    kernel: Kernel
    bandwidth: float
    reach: float

    @property
    def n(self) -> int:
        """Reports in all."""
        return int(self.times.sum())

    @cached_property
    def grid(self) -> FineGrid:
        """On which reports are spread."""
        return FineGrid.around(*self.axes, self.bandwidth, self.reach)

    @cached_property
    def spectrum(self) -> Any:
        """Σ over reports of each wave of the grid."""
        return fft.rfft2(self.grid.spread(self.points, self.times), workers=-1)

    @cached_property
    def heights(self) -> FloatArray:
        """G on the grid, by offset."""
        return self.grid.kernel(self.kernel)

    def mean(self, heights: FloatArray) -> FloatArray:
        """The mean over reports of a kernel on the grid, at every point of the map."""
        return self.grid.read(self.grid.convolve(self.spectrum, heights), *self.axes) / self.n

    def moments(self, heights: FloatArray | None = None) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Means, variances of one report's contributions with n − 1 below, and third central moments.

        Args:
            heights: of the kernel on the grid; by default g.
        """
        g = self.heights if heights is None else heights
        mean, square, cube = (self.mean(g**power) for power in (1, 2, 3))
        variance = np.maximum(square - mean**2, 0.0) * (self.n / (self.n - 1))
        return (
            mean,
            np.where(variance > _NOBODY * variance.max(), variance, 0.0),
            cube - 3 * mean * square + 2 * mean**3,
        )

    def aliasing(self, heights: FloatArray | None = None) -> float:
        """Σ over waves of what spreading and interpolation add to each: a bound on the error of one report's share.

        Two axes of spreading and two of interpolation leave (1 + 2.2s)⁴ − 1 with s = (r/(1 − r))⁴ for the faster axis;
        half of the waves are left out of a real transform.
        """
        kernel = self.heights if heights is None else heights
        amplitude = np.abs(fft.rfft2(kernel, workers=-1)) / kernel.size
        turn = np.maximum(*(np.abs(w) * self.grid.step for w in self.grid.waves)) / (2 * np.pi)
        leak = 2.2 * (turn / (1 - np.minimum(turn, 0.5))) ** 4
        return float(2 * (amplitude * ((1 + leak) ** 4 - 1)).sum()) + NEGLIGIBLE * max(float(np.abs(kernel).max()), 1.0)

    def roughness(self) -> Roughness:
        """How errors change from place to place: the sums of products of g and its slopes, on a coarser grid.

        Waves of g beyond 2π/(bandwidth) are next to nothing, since its spectrum has a Gaussian's in it, and so are
        those of products of two beyond twice that. A grid of quarters of a bandwidth tells waves up to 4π/(bandwidth),
        so sums of such products over reports at its nearest points lack nothing but where in a cell a report lies.
        """
        grid = FineGrid.around(*self.axes, self.bandwidth, self.reach, _COARSE)
        counts = fft.rfft2(grid.counted(self.points, self.times), workers=-1)
        g = grid.kernel(self.kernel)
        wave = fft.rfft2(g, workers=-1)
        kernels = [g, *(fft.irfft2(1j * along * wave, s=grid.shape, workers=-1) for along in grid.waves)]
        cut = tuple(grid.within(axis, k) for k, axis in enumerate(self.axes))

        def mean(kernel: FloatArray) -> FloatArray:
            field = fft.irfft2(counts * np.conj(fft.rfft2(kernel, workers=-1)), s=grid.shape, workers=-1)
            return np.asarray(field[cut]) / self.n

        means = np.array([mean(kernel) for kernel in kernels])
        squares = np.array([mean(kernels[i] * kernels[j]) for i, j in zip(*np.triu_indices(3), strict=True)])
        return Roughness.of((grid.step, grid.step), means, squares)


def reach_of(kernel: Kernel, bandwidth: float, rate: float, corner: float = 0.0) -> float:
    """How far from its place a kernel matters: beyond a region's corners it falls on a circle, as g does.

    Args:
        kernel: g, by offset.
        bandwidth: over which it changes.
        rate: at which it falls.
        corner: the distance of the farthest corner of the region.
    """
    r = corner + np.arange(0.0, 12 * bandwidth + 40 / rate, bandwidth / 4)
    turn = np.arange(64) * np.pi / 32
    around = np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    size = np.abs(kernel(r[:, None, None] * around)).max(axis=1)
    most = max(float(size.max()), 1.0)
    return float(r[np.nonzero(size > NEGLIGIBLE * most)[0][-1:]].max(initial=corner)) + bandwidth
