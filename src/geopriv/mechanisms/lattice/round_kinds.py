"""Kinds of reports under round noise, whose axes are not independent: bins of one axis, and squares of cells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import cast

import numpy as np
import numpy.typing as npt

from geopriv.mechanisms.kinds import Kinds, Value
from geopriv.mechanisms.lattice.cells import Cells
from geopriv.mechanisms.lattice.kinds import position
from geopriv.mechanisms.lattice.noises.round import RoundNoise
from geopriv.mechanisms.sendable import Integers
from geopriv.spaces.checks import FloatArray

_BINS = 400  # along an axis
_RARE = 1e-18  # of the noise of one axis is left out
_CELLS = 1 << 18  # of which laws are added up
_SQUARES = 256  # that are told apart


def round_kinds_near(lattice: Cells, values: Sequence[Value], n: int) -> list[Kinds]:
    """Each axis in narrow bins, large squares over all that is near, and the cells around the places.

    Args:
        lattice: whose reports they are.
        values: the places.
        n: draws at each; cells that are too rare to come are put together.
    """
    axes, noise = len(lattice.origin), _noise_of(lattice)
    cells = np.asarray([[position(lattice, value, a)[0] for a in range(axes)] for value in values], dtype=np.int64)
    far = noise.reach(max(n, 2), 1.0)
    made: list[Kinds] = []
    for axis in range(axes):
        low, high = int(cells[:, axis].min()) - far, int(cells[:, axis].max()) + 2 + far
        made.append(AxisKinds(lattice, axis, np.arange(low, high + 1, max(1, (high - low) // _BINS))))
    middle = (cells.min(axis=0) + cells.max(axis=0) + 1) // 2
    side = max(2, int(_SQUARES ** (1 / axes) + 1e-9))
    spread = int((cells.max(axis=0) - cells.min(axis=0)).max())
    widest = max(1, int(_CELLS ** (1 / axes)) // side)
    wide = min(max(1, (2 * math.ceil(2 * math.sqrt(noise.variance)) + spread) // side), widest)
    for width in sorted({1, wide}):
        made.append(SquareKinds(lattice, tuple((middle - side * width // 2).tolist()), width, side))
    return made


def _noise_of(lattice: Cells) -> RoundNoise:
    return cast("RoundNoise", lattice.cell_noise)  # whoever asks has a core


@dataclass(frozen=True)
class AxisKinds:
    """Bins of one axis, cut at given cells, whatever the others say.

    Args:
        lattice: whose cells they are.
        axis: which.
        cuts: the cells at which a new bin begins, increasing.
    """

    lattice: Cells
    axis: int
    cuts: Integers

    @property
    def size(self) -> int:
        return self.cuts.size + 1

    @property
    def ordered(self) -> bool:
        return True

    def labels(self, rows: Integers) -> npt.NDArray[np.intp]:
        return np.asarray(np.searchsorted(self.cuts, rows[:, self.axis], side="right"), dtype=np.intp)

    def law(self, value: Value) -> FloatArray:
        lower, share = position(self.lattice, value, self.axis)
        alone = of_axis(_noise_of(self.lattice))
        moved = np.append((1 - share) * alone, 0.0) + np.append(0.0, share * alone)
        cells = lower - alone.size // 2 + np.arange(moved.size)
        return np.asarray(np.bincount(np.searchsorted(self.cuts, cells, side="right"), moved, self.size), np.float64)

    def words(self, label: int) -> str:
        first = f"{self.cuts[label - 1]} ≤ " if label > 0 else ""
        last = f" < {self.cuts[label]}" if label < self.cuts.size else ""
        return f"{first}cell {self.axis}{last}"


@dataclass(frozen=True)
class SquareKinds:
    """Squares of cells (cubes, and so on) side by side, and last all that lies outside.

    Args:
        lattice: whose cells they are.
        first: the cell at which the first square begins.
        width: of a square, in cells.
        side: how many squares there are along each axis.
    """

    lattice: Cells
    first: tuple[int, ...]
    width: int
    side: int

    @property
    def size(self) -> int:
        return int(self.side ** len(self.first)) + 1

    @property
    def ordered(self) -> bool:
        return False

    def labels(self, rows: Integers) -> npt.NDArray[np.intp]:
        along = (rows - np.asarray(self.first)) // self.width
        inside = ((along >= 0) & (along < self.side)).all(axis=1)
        label = np.ravel_multi_index(tuple(np.where(inside, along.T, 0)), self._shape)
        return np.where(inside, label, self.size - 1).astype(np.intp)

    def law(self, value: Value) -> FloatArray:
        axes = len(self.first)
        placed = [position(self.lattice, value, axis) for axis in range(axes)]
        # cells less one more on each axis, from which random rounding may have gone up
        lines = [
            start - 1 - lower + np.arange(self.side * self.width + 1.0)
            for start, (lower, _) in zip(self.first, placed, strict=True)
        ]
        moved = np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1)
        law = np.exp(_noise_of(self.lattice).log_law(moved))
        mixed = np.zeros((self.side * self.width,) * axes)
        for ups in product((0, 1), repeat=axes):
            weight = math.prod(share if up else 1 - share for up, (_, share) in zip(ups, placed, strict=True))
            mixed += weight * law[tuple(slice(0, -1) if up else slice(1, None) for up in ups)]
        sums = mixed.reshape([part for _ in range(axes) for part in (self.side, self.width)])
        inside = sums.sum(axis=tuple(range(1, 2 * axes, 2))).ravel()
        return np.append(inside, max(0.0, 1 - inside.sum()))

    def words(self, label: int) -> str:
        if label == self.size - 1:
            return "cells farther away"
        at = np.unravel_index(label, self._shape)
        ends = [(start + int(k) * self.width, axis) for axis, (start, k) in enumerate(zip(self.first, at, strict=True))]
        return " and ".join(f"{low} ≤ cell {axis} < {low + self.width}" for low, axis in ends)

    @property
    def _shape(self) -> tuple[int, ...]:
        return (self.side,) * len(self.first)


@lru_cache(maxsize=4)
def of_axis(noise: RoundNoise) -> FloatArray:
    """The law of one axis from −r to r: all but 1e-18 of it."""
    far = noise.reach(1, _RARE)
    return np.exp(noise.log_law_of_axis(np.arange(-far, far + 1.0)))
