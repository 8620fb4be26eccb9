"""The queries of a map, each made when it is looked at."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from geopriv.queries.base import Query
from geopriv.queries.gaussian_kernel import GaussianKernel
from geopriv.spaces import Space
from geopriv.spaces.checks import FloatArray

_A_BANDWIDTH = 2.5  # points, at least: between them a spline follows what a Gaussian has blurred
_FEWEST, MOST = 41, 512  # points along the longer side, of a grid that nobody chose


@dataclass(frozen=True, eq=False)
class Kernels(Sequence[Query]):
    """The Gaussian kernel at every point of a grid, row after row along the second axis.

    Of a large map most are never looked at: sums of reports need one of them, since the others are that one moved.

    Args:
        axes: coordinates along both axes, as points of the space.
        bandwidth: of the kernel.
        space: of two axes.
    """

    axes: tuple[FloatArray, FloatArray]
    bandwidth: float
    space: Space

    def __len__(self) -> int:
        return self.axes[0].size * self.axes[1].size

    @overload
    def __getitem__(self, index: int) -> Query: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Query, ...]: ...

    def __getitem__(self, index: int | slice) -> Query | tuple[Query, ...]:
        if isinstance(index, slice):
            return tuple(self[k] for k in range(*index.indices(len(self))))
        column, row = divmod(range(len(self))[index], self.axes[1].size)
        place = self.space.values(np.array([self.axes[0][column], self.axes[1][row]]))
        return GaussianKernel(tuple(place.tolist()), self.bandwidth, self.space)


def even_grid(low: tuple[float, ...], high: tuple[float, ...], bandwidth: float) -> tuple[int, int]:
    """Columns and rows of the grid of a map that nobody chose: nearly square cells, as fine as the bandwidth asks for.

    Points are at most two fifths of a bandwidth apart, and at least 41 along the longer side, but never more than 512.

    >>> even_grid((0.0, 0.0), (50.0, 25.0), 1.0), even_grid((0.0, 0.0), (8.0, 8.0), 4.0)
    ((126, 64), (41, 41))
    """
    sides = [b - a for a, b in zip(low, high, strict=True)]
    step = min(bandwidth / _A_BANDWIDTH, max(sides) / (_FEWEST - 1))
    step = max(step, max(sides) / (MOST - 1))
    columns, rows = (max(2, math.ceil(side / step - 1e-9) + 1) for side in sides)
    return columns, rows


def evenly(axis: FloatArray, most: int) -> FloatArray:
    """At most so many of the coordinates of an axis, evenly among them, the first and the last included."""
    return np.asarray(axis[np.linspace(0, axis.size - 1, min(axis.size, most)).round().astype(int)])
