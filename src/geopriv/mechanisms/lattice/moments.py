"""Sums over a grid: the inverse of two-sided geometric noise, the interpolant it estimates, and its mean square.

A function on the grid is given as a map from cells (integer vectors, shape (m, d)) to numbers (m,).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
import numpy.typing as npt
from scipy import linalg

from geopriv.spaces.checks import FloatArray, invalid

OnGrid = Callable[[FloatArray], FloatArray]

_TAIL = 1e-14  # of the noise is left out on each side
_LARGE, _LARGEST = 1 << 22, 1 << 24  # cells of a box that is better split, and of one that is refused
_CHUNK = 1 << 20  # cells at which f is evaluated at once


def distinct(cells: FloatArray) -> tuple[FloatArray, npt.NDArray[np.intp]]:
    """Every cell once, and which of them each given one is."""
    if not len(cells):
        return cells, np.zeros(0, dtype=np.intp)
    whole = cells.astype(np.int64)  # differences of far cells are no exact floats
    low, shape = whole.min(axis=0), tuple((np.ptp(whole, axis=0) + 1).tolist())
    if math.prod(shape) >= 1 << 62:
        unique, which = np.unique(cells, axis=0, return_inverse=True)
        return unique, which.reshape(-1)
    keys, which = np.unique(np.ravel_multi_index((whole - low).T, shape), return_inverse=True)
    return (np.stack(np.unravel_index(keys, shape), axis=-1) + low).astype(np.float64), which


def stencil(f: OnGrid, cells: FloatArray, curvature: float) -> FloatArray:
    """The stencil g at the cells: (1 + 2c)·f − c·(its two neighbours), along every axis in turn.

    E[g(i + noise)] = f(i) when the noise on each axis is two-sided geometric of ratio a and c = a/(1 − a)², because
    the law G of that noise satisfies (1 + 2c)·G(m) − c·(G(m−1) + G(m+1)) = 1 at m = 0 and 0 elsewhere.

    Reference: theory T8.
    """
    total = np.zeros(())
    for shift in product((-1, 0, 1), repeat=cells.shape[1]):
        neighbours = sum(map(abs, shift))
        weight = (-curvature) ** neighbours * (1 + 2 * curvature) ** (len(shift) - neighbours)
        total = total + weight * f(cells + np.asarray(shift, dtype=np.float64))
    return total


def interpolant(f: OnGrid, lower: FloatArray, share: FloatArray) -> FloatArray:
    """The multilinear interpolant of f at the fractions `share` along the cells that start at `lower`."""
    total = np.zeros(len(lower))
    for corner in product((0.0, 1.0), repeat=lower.shape[1]):
        up = np.asarray(corner)
        total += np.where(up > 0, share, 1 - share).prod(axis=1) * f(lower + up)
    return total


def mean_square(f: OnGrid, lower: FloatArray, share: FloatArray, ratio: float, curvature: float) -> FloatArray:
    """E[g(report)²] for people at the fractions `share` along the cells that start at `lower`.

    The square is averaged over the noise at every cell of a box around all of them, by one recursion forwards and one
    backwards along each axis, and interpolated. A box that is too large is split between the people.

    Raises:
        InvalidParameter: when the noise around one person already covers too many cells.
    """
    if not len(lower):
        return np.zeros(0)
    pad = math.ceil(math.log(_TAIL) / math.log(ratio))
    low, high = lower.min(axis=0) - pad, lower.max(axis=0) + pad + 1
    sizes = high - low + 1
    axis = int(np.ptp(lower, axis=0).argmax())
    left = lower[:, axis] <= (lower[:, axis].min() + lower[:, axis].max()) / 2
    apart = np.prod(sizes) > _LARGE and np.ptp(lower[:, axis]) > pad
    if not left.all() and (apart or np.prod(sizes) > _LARGEST):
        total = np.empty(len(lower))
        for part in (left, ~left):
            total[part] = mean_square(f, lower[part], share[part], ratio, curvature)
        return total
    if np.prod(sizes) > _LARGEST:
        rule = f"coarser, since noise covers {(2.0 * pad) ** len(sizes):.2g} cells around each person"
        raise invalid("Lattice", "step", rule, f"a ratio of {ratio:.6g} on {len(sizes)} axes")
    values = on_box(f, low - 1, (sizes.astype(int) + 2).tolist())
    mean = smoothed(stencil_within(values, curvature) ** 2, ratio)
    flat, shape = mean.ravel(), mean.shape

    def at(cells: FloatArray) -> FloatArray:
        return np.asarray(flat[np.ravel_multi_index((cells - low).astype(int).T, shape)])

    return interpolant(at, lower, share)


def on_box(f: OnGrid, low: FloatArray, sizes: Sequence[int]) -> FloatArray:
    """The function at all cells of a box, some rows at a time."""
    axes = [start + np.arange(float(size)) for start, size in zip(low.tolist(), sizes, strict=True)]
    rows = max(1, _CHUNK // math.prod(sizes[1:]))
    slabs = []
    for i in range(0, len(axes[0]), rows):
        cells = np.stack(np.meshgrid(axes[0][i : i + rows], *axes[1:], indexing="ij"), axis=-1)
        slabs.append(f(cells.reshape(-1, len(sizes))).reshape(cells.shape[:-1]))
    return np.concatenate(slabs)


def stencil_within(values: FloatArray, curvature: float) -> FloatArray:
    """The stencil at all cells of a box but the outermost, from the function's values at all of them."""
    for axis in range(values.ndim):
        before, here, after = (_cut(values, axis, k) for k in range(3))
        values = (1 + 2 * curvature) * here - curvature * (before + after)
    return np.asarray(values)


def _cut(values: FloatArray, axis: int, start: int) -> FloatArray:
    return np.take(values, np.arange(start, start + values.shape[axis] - 2), axis=axis)


def smoothed(values: FloatArray, ratio: float) -> FloatArray:
    """The convolution with two-sided geometric noise along every axis, nothing being beyond the box.

    It undoes the stencil of three cells (`stencil`), so it solves three-diagonal equations; beyond the box what is left
    falls by the ratio from cell to cell.
    """
    curvature = ratio / (1 - ratio) ** 2
    for axis in range(values.ndim):
        size = values.shape[axis]
        bands = np.full((2, size), -curvature)
        bands[1] = 1 + 2 * curvature
        bands[1, [0, -1]] -= curvature * ratio if size > 1 else 0.0
        if size == 1:
            bands[1] -= 2 * curvature * ratio
        rows = np.moveaxis(values, axis, 0)
        solved = linalg.solveh_banded(bands, rows.reshape(size, -1), check_finite=False)
        values = np.moveaxis(solved.reshape(rows.shape), 0, axis)
    return values
