"""Sums over many points of a function of the way to them, for every point of a map, by Fourier transforms.

Points are spread over the grid with cubic B-splines, whose effect on the spectrum is known and divided out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import fft, ndimage

from geopriv.shapes.splines import spread_plane
from geopriv.spaces.checks import FloatArray, invalid

PER_BANDWIDTH = 16  # steps of the fine grid
_MOST = 1 << 25  # points of the fine grid


@dataclass(frozen=True)
class FineGrid:
    """A periodic grid around the map, wide enough that a kernel never meets its own image."""

    origin: tuple[float, float]
    step: float
    shape: tuple[int, int]

    @classmethod
    def around(
        cls, rows: FloatArray, columns: FloatArray, bandwidth: float, reach: float, fineness: int = PER_BANDWIDTH
    ) -> FineGrid:
        """The grid of so many steps a bandwidth around a map, for a kernel that ends at its reach."""
        step = bandwidth / fineness
        pad = reach + 8 * step
        shape = [fft.next_fast_len(math.ceil((float(np.ptp(a)) + 2 * pad) / step), real=True) for a in (rows, columns)]
        if shape[0] * shape[1] > _MOST:
            rule = (
                "of a bandwidth so wide beside the map, the region and 1/ε that a grid of sixteenths of it has fewer "
                f"than {_MOST:,} points"
            )
            raise invalid("estimate", "query", rule, bandwidth)
        return cls((float(rows[0]) - pad, float(columns[0]) - pad), step, (shape[0], shape[1]))

    def spread(self, points: FloatArray, times: FloatArray | None = None) -> FloatArray:
        """Each report as a cubic B-spline of mass one, or so many times that; those beyond the reach are left out."""
        mass = np.zeros(self.shape)
        once = np.ones(len(points)) if times is None else times
        spread_plane(points, once, np.array(self.origin), self.step, mass)
        return mass

    def counted(self, points: FloatArray, times: FloatArray) -> FloatArray:
        """How many reports are nearest to each point of the grid; those beyond it are left out."""
        place = np.rint((points - self.origin) / self.step).astype(np.int64)
        inside = ((place >= 0) & (place < np.array(self.shape))).all(axis=1)
        flat = np.ravel_multi_index(tuple(place[inside].T), self.shape)
        counts = np.bincount(flat, times[inside], self.shape[0] * self.shape[1])
        return np.asarray(counts, dtype=np.float64).reshape(self.shape)

    def within(self, axis: FloatArray, k: int) -> slice:
        """The points of the grid along its axis k that lie between the ends of a map's, and one beyond at the most."""
        first, last = ((float(end) - self.origin[k]) / self.step for end in (axis[0], axis[-1]))
        return slice(math.floor(first + 1e-9), math.ceil(last - 1e-9) + 1)

    @property
    def waves(self) -> tuple[FloatArray, FloatArray]:
        """Angular frequencies of rows and columns of a real transform."""
        return (
            2 * np.pi * fft.fftfreq(self.shape[0], self.step)[:, None],
            2 * np.pi * fft.rfftfreq(self.shape[1], self.step)[None, :],
        )

    def kernel(self, function: Any) -> FloatArray:
        """G at every offset, the origin first, negative offsets last."""
        offsets = [fft.fftfreq(n, 1 / (n * self.step)) for n in self.shape]
        rows = max(1, (1 << 18) // self.shape[1])
        parts = [
            function(np.stack(np.meshgrid(offsets[0][i : i + rows], offsets[1], indexing="ij"), axis=-1))
            for i in range(0, self.shape[0], rows)
        ]
        return np.concatenate(parts)

    def convolve(self, spectrum: Any, kernel: FloatArray) -> FloatArray:
        """Σ_y kernel(y − t) on the fine grid: a correlation, with the spreading divided out."""
        half = [wave * self.step / 2 for wave in self.waves]
        smear = np.prod(np.broadcast_arrays(*(np.sinc(h / np.pi) ** 4 for h in half)), axis=0)
        product = spectrum * np.conj(fft.rfft2(kernel, workers=-1)) / np.maximum(smear, 1e-3)
        return np.asarray(fft.irfft2(product, s=self.shape, workers=-1))

    def read(self, total: FloatArray, rows: FloatArray, columns: FloatArray) -> FloatArray:
        """The fine grid's function at the map's points."""
        place = [(axis - start) / self.step for axis, start in zip((rows, columns), self.origin, strict=True)]
        at = np.meshgrid(*place, indexing="ij")
        return np.asarray(ndimage.map_coordinates(total, at, order=5, mode="grid-wrap"))
