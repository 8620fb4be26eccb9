"""Boxes of a lattice's cells, as kinds of reports."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from geopriv.mechanisms.kinds import BITS, Value, exact_row
from geopriv.mechanisms.lattice.cells import FARTHEST, Cells
from geopriv.mechanisms.sendable import Integers
from geopriv.noise import exact
from geopriv.spaces.balls import arb
from geopriv.spaces.checks import FloatArray

_WINDOW = 400  # bins along an axis
_NEAR = 2  # cells on each side of a place that are looked at together, on all axes


@dataclass(frozen=True)
class BoxKinds:
    """Boxes of cells, cut on some axes at given cells; the axes are independent.

    Args:
        lattice: whose cells they are.
        cuts: for each axis the cells at which a new box begins, increasing; none for an axis that is left whole.
    """

    lattice: Cells
    cuts: tuple[Integers, ...]

    @property
    def size(self) -> int:
        return math.prod(self._shape)

    @property
    def ordered(self) -> bool:
        return sum(cut.size > 0 for cut in self.cuts) == 1

    def labels(self, rows: Integers) -> npt.NDArray[np.intp]:
        along = [np.searchsorted(cut, rows[:, axis], side="right") for axis, cut in enumerate(self.cuts)]
        return np.asarray(np.ravel_multi_index(along, self._shape), dtype=np.intp)

    def law(self, value: Value) -> FloatArray:
        joint = np.ones(1)
        for axis, cut in enumerate(self.cuts):
            joint = np.multiply.outer(joint, _cells(self.lattice, value, axis, cut)).ravel()
        return joint

    def words(self, label: int) -> str:
        parts = []
        for axis, (at, cut) in enumerate(zip(np.unravel_index(label, self._shape), self.cuts, strict=True)):
            first = f"{cut[at - 1]} ≤ " if at > 0 else ""
            last = f" < {cut[at]}" if at < cut.size else ""
            parts += [f"{first}cell {axis}{last}"] if cut.size else []
        return " and ".join(parts)

    @property
    def _shape(self) -> tuple[int, ...]:
        return tuple(cut.size + 1 for cut in self.cuts)


def boxes_near(lattice: Cells, values: Sequence[Value], n: int) -> list[BoxKinds]:
    """Each axis in narrow bins; all axes below, between and above the places; and the cells around them.

    Args:
        lattice: whose reports they are.
        values: the places.
        n: draws at each; cells that are too rare to come are put together.
    """
    axes = len(lattice.origin)
    cells = np.asarray([[position(lattice, value, a)[0] for a in range(axes)] for value in values], dtype=np.int64)
    reach = math.ceil(math.log(max(n, 2)) / math.log1p(float(lattice.theta))) + 2
    made: list[BoxKinds] = []
    whole = np.empty(0, dtype=np.int64)
    for axis in range(axes):
        low, high = int(cells[:, axis].min()) - reach, int(cells[:, axis].max()) + 2 + reach
        cut = np.arange(low, high + 1, max(1, (high - low) // _WINDOW))
        made.append(BoxKinds(lattice, tuple(cut if a == axis else whole for a in range(axes))))
    if axes > 1:
        sides = [np.unique([column.min() + 1, column.max() + 1]) for column in cells.T]
        made.append(BoxKinds(lattice, tuple(sides)))
    if 1 < axes <= 3:
        offsets = np.arange(-_NEAR if axes == 2 else 0, (_NEAR if axes == 2 else 1) + 2)
        made.append(BoxKinds(lattice, tuple(np.unique(column[:, None] + offsets) for column in cells.T)))
    return made


def position(lattice: Cells, value: Value, axis: int) -> tuple[int, float]:
    """The cell below a place on an axis, and how far the place is on the way to the next, from ball arithmetic."""
    with exact.precision(BITS):
        point = lattice.space.enclose(exact_row(lattice.space, value))[axis]
        along = (point - arb(lattice.origin[axis])) / arb(lattice.step)
        if not abs(float(along)) < FARTHEST:
            return int(math.copysign(FARTHEST, float(along))), 0.0
        lower = math.floor(float(along))
        share = float(along - lower)
    return (lower - 1, share + 1) if share < 0 else (lower, share)


def _cells(lattice: Cells, value: Value, axis: int, cut: Integers) -> FloatArray:
    """The law of one axis over the boxes between cuts."""
    if not cut.size:
        return np.ones(1)
    lower, share = position(lattice, value, axis)
    first, last = np.append(-np.inf, cut - lower), np.append(cut - 1 - lower, np.inf)
    theta = float(lattice.theta)
    return (1 - share) * _moved(theta, first, last) + share * _moved(theta, first - 1, last - 1)


def _moved(theta: float, first: FloatArray, last: FloatArray) -> FloatArray:
    """The probability that geometric noise moves by `first` to `last` cells; small ones are right to all digits.

    P[m] = θ/(2 + θ)·(1 + θ)^−|m|, so that P[M ≥ m] = (1 + θ)^(1 − m)/(2 + θ) for m ≥ 1.
    """

    def beyond(m: FloatArray) -> FloatArray:
        return np.exp((1 - m) * math.log1p(theta)) / (2 + theta)

    right, left = first >= 1, last <= -1
    near = np.where(right, first, np.where(left, -last, 1.0))
    far = np.where(right, last, np.where(left, -first, 1.0))
    one_side = -beyond(near) * np.expm1(-(far - near + 1) * math.log1p(theta))
    around = 1 - beyond(np.where(left, 1.0, last + 1)) - beyond(np.where(right, 1.0, 1 - first))
    return np.asarray(np.where(right | left, one_side, around))
