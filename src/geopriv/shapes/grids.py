"""Functions seen through a Gaussian blur, sampled on a grid: their spectrum, and splines between grid points.

A function blurred by a Gaussian of bandwidth h has a spectrum below e^(−h²ω²/2): a grid finer than h holds all of it.
Plateaus are continued by reflection (cosine transforms), so steps need no special care.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from scipy import fft, ndimage

from geopriv.shapes.splines import read_plane
from geopriv.spaces.checks import FloatArray, invalid
from geopriv.spaces.threads import PIECE, in_threads

Sampler = Callable[[list[FloatArray]], FloatArray]

PER_BANDWIDTH = 12  # grid points: the degree-five spline then errs by 1e-7
REACH = 9.0  # bandwidths around what is not constant: e^(−40) is 3e-18
_COARSER = 3  # times the step of a grid, of one that is as good for predictions
_MARGIN = 20.0  # noise scales around what is not constant: e^(−20) is 2e-9
_MOST = 1 << 23  # grid points: with what is derived from them some 400 MB
_SPECTRUM = 9.0  # frequencies in 1/h beyond which the blur leaves less than 1e-17


@dataclass(frozen=True, eq=False)
class BlurredGrid:
    """f ∗ N(0, h²) on a grid over a box around which f is constant.

    The grid is anchored to the box and h alone, so the blurred function is the same whatever the noise.

    Args:
        origin: the grid's first point.
        step: between grid points.
        spectrum: of the blurred function, as cosines.
    """

    origin: FloatArray
    step: float
    spectrum: FloatArray

    def __call__(self, points: FloatArray) -> FloatArray:
        """The blurred function at points (..., axes)."""
        return self.read(self._coefficients, points)

    @cached_property
    def _coefficients(self) -> FloatArray:
        return filtered(fft.idctn(self.spectrum))

    @property
    def lengths(self) -> FloatArray:
        """|ω| of each cosine."""
        return lengths(self.spectrum.shape, self.step)

    def bend(self, waves: FloatArray) -> float:
        """The most that waves of these sizes, one for each cosine, bend together between grid points."""
        axes = range(waves.ndim)
        turns = (
            waves.sum(axis=tuple(k for k in axes if k != axis)) @ squares
            for axis, squares in enumerate(_squares(waves.shape, self.step))
        )
        return float(sum(turns)) * self.step**2 / 8

    def coarser(self) -> BlurredGrid:
        """The same function on a third of the points along each axis, between which splines err by 1e-4.

        Cosines beyond its longest frequency are left out: of what was blurred there are none.
        """
        few = tuple(slice(0, n // _COARSER) for n in self.spectrum.shape)
        start = self.origin + self.step * (_COARSER - 1) / 2
        return BlurredGrid(start, self.step * _COARSER, self.spectrum[few] / float(_COARSER) ** self.spectrum.ndim)

    def read(self, coefficients: FloatArray, points: FloatArray) -> FloatArray:
        """A spline on the grid at points (..., axes); its border value outside."""
        flat = points.reshape(-1, coefficients.ndim)
        values = np.empty(len(flat))

        def work(start: int) -> None:
            _read(coefficients, flat[start : start + PIECE], self.origin, self.step, values[start : start + PIECE])

        in_threads(work, range(0, len(flat), PIECE))
        return values.reshape(points.shape[:-1])


def sampler(function: Callable[[FloatArray], FloatArray]) -> Sampler:
    """What looks at a function of points (..., axes) at all points of a grid, some rows at a time."""

    def sampled(axes: list[FloatArray]) -> FloatArray:
        rows = max(1, (1 << 20) // max(1, math.prod(len(axis) for axis in axes[1:])))
        parts = [
            function(np.stack(np.meshgrid(axes[0][i : i + rows], *axes[1:], indexing="ij"), axis=-1))
            for i in range(0, len(axes[0]), rows)
        ]
        return np.concatenate(parts)

    return sampled


def blurred_grid(
    sampled: Sampler,
    box: tuple[FloatArray, FloatArray],
    bandwidth: float,
    rate: float = np.inf,
    done: float = 0.0,
) -> BlurredGrid:
    """F ∗ N(0, h²) for a function that is constant outside a box, sampled every h/12.

    Args:
        sampled: f at all points of a grid with the given axes.
        box: lowest and highest corner of where f is not constant.
        bandwidth: h of the blur.
        rate: ε of the noise that is to be undone, for which the grid must reach further.
        done: the bandwidth by which f is blurred already.
    """
    step = bandwidth / PER_BANDWIDTH
    low, high = (np.asarray(corner, dtype=np.float64) for corner in box)
    margin = np.ceil((_MARGIN / rate + REACH * bandwidth) / step)
    sizes = np.ceil((high - low) / step) + 2 * margin + 1
    shape = tuple(_COARSER * fft.next_fast_len(math.ceil(n / _COARSER), real=True) for n in sizes.tolist())
    if np.prod([float(n) for n in shape]) > _MOST:
        noise = f" at 1/ε = {1 / rate:.4g}" if np.isfinite(rate) else ""
        rule = f"larger, so that a grid of steps of a twelfth of it fits memory{noise}"
        raise invalid("Blurred", "bandwidth", rule, bandwidth)
    origin = low - step * margin
    axes = [start + step * np.arange(n) for start, n in zip(origin, shape, strict=True)]
    exponent = _frequency(shape, step) * bandwidth**2
    blur = np.exp(-0.5 * np.minimum(exponent, 1e3) * (1 - (done / bandwidth) ** 2))
    # beyond the cut nothing is left but rounding errors, which undoing the noise would amplify
    return BlurredGrid(origin, step, np.where(exponent < _SPECTRUM**2, fft.dctn(sampled(axes)) * blur, 0.0))


def least_bandwidth(box: tuple[FloatArray, FloatArray], rate: float) -> float:
    """From which bandwidth h on the grid over a box of the plane fits memory, where noise of a rate is to be undone.

    The grid has (a·12/h + r)·(b·12/h + r) points for sides a and b, where r are those of the margins. It has room for a
    box that grows by h, as that of an edge of width h does, and for sizes that are rounded up to fast ones.
    """
    most = 0.9 * _MOST
    long, wide = (float(side) + 2 * _MARGIN / rate for side in np.subtract(box[1], box[0]))
    room = (2 * REACH + 1) * PER_BANDWIDTH + 2
    root = np.sqrt((room * (long - wide)) ** 2 + 4 * long * wide * most)
    return float(PER_BANDWIDTH * (root + room * (long + wide)) / (2 * (most - room**2)))


def filtered(values: FloatArray) -> FloatArray:
    """Spline coefficients."""
    return np.asarray(ndimage.spline_filter(values, order=5, mode="mirror"))


def _read(coefficients: FloatArray, points: FloatArray, origin: FloatArray, step: float, values: FloatArray) -> None:
    """Write a spline's value at points (n, axes); its border value outside."""
    if coefficients.ndim == 2 and min(coefficients.shape) > 1:
        read_plane(coefficients, points, origin, step, values)
        return
    held = np.clip((points - origin).T / step, 0.0, np.array(coefficients.shape)[:, None] - 1.0)
    ndimage.map_coordinates(coefficients, held, output=values, order=5, prefilter=False, mode="mirror")


@lru_cache(maxsize=4)  # the two sides of a bracket, their inverses and bounds ask for the same; they are large
def lengths(shape: tuple[int, ...], step: float) -> FloatArray:
    """|ω| of each cosine on a grid; nobody writes into it, since grids of one shape and step share it."""
    found = np.sqrt(_frequency(shape, step))
    found.flags.writeable = False
    return found


def _frequency(shape: tuple[int, ...], step: float) -> FloatArray:
    return np.asarray(sum(np.meshgrid(*_squares(shape, step), indexing="ij")))


def _squares(shape: tuple[int, ...], step: float) -> list[FloatArray]:
    """ω² of the cosines along each axis."""
    return [np.square(np.pi / (n * step) * np.arange(n, dtype=np.float64)) for n in shape]
