"""The law that a design states at a place, exactly, over kinds of reports that can be counted.

Coordinates and positions are taken from ball arithmetic, so the law is right to the last digits of a float however far
from its origin a place is: what is audited cannot hide behind a rounding of the audit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt
from flint import arb

from geopriv.mechanisms import Lattice, Table
from geopriv.mechanisms.lattice.cells import FARTHEST
from geopriv.mechanisms.table.integers import TOTAL
from geopriv.noise import exact
from geopriv.spaces.checks import FloatArray
from geopriv.surveys.design import Design

Integers = npt.NDArray[np.int64]
Value = float | tuple[float, ...]

_BITS = 512
_WINDOW = 400  # bins along an axis
_NEAR = 2  # cells on each side of a place that are looked at together, on all axes


class Partition(Protocol):
    """Every possible report is of exactly one of finitely many kinds."""

    @property
    def ordered(self) -> bool:
        """Whether neighbouring kinds lie side by side, so that tails are made of them."""

    def labels(self, reports: Integers) -> npt.NDArray[np.intp]:
        """The kind of each report; rows are (mechanism, numbers of its report, zeros)."""

    def law(self, value: Value) -> FloatArray:
        """The probability of each kind at a place."""

    def words(self, label: int) -> str:
        """What is of this kind."""


def partitions(design: Design, values: Sequence[Value], n: int) -> list[Partition]:
    """How reports from a few neighbouring places are sorted: by letters, along each axis, and on all axes together.

    Args:
        design: whose reports they are.
        values: the places.
        n: draws at each; cells that are too rare to come are put together.
    """
    made: list[Partition] = []
    if any(isinstance(mechanism, Table) for mechanism in design.mechanisms):
        made.append(Letters(design))
    for index, mechanism in enumerate(design.mechanisms):
        if isinstance(mechanism, Lattice):
            cells = [[position(mechanism, value, axis)[0] for axis in range(len(mechanism.origin))] for value in values]
            made += _grids(design, index, np.asarray(cells, dtype=np.int64), n)
    return made


@dataclass(frozen=True)
class Letters:
    """The values of all tables, one by one; the reports of each lattice together; and last what no device makes."""

    design: Design
    ordered: bool = True

    def labels(self, reports: Integers) -> npt.NDArray[np.intp]:
        starts = self._starts()
        found = np.full(len(reports), starts[-1], dtype=np.intp)
        for index, mechanism in enumerate(self.design.mechanisms):
            mine, letter = reports[:, 0] == index, reports[:, 1]
            if isinstance(mechanism, Table):
                mine &= (letter >= 0) & (letter < mechanism.values.size)
                found[mine] = starts[index] + kinds(mechanism)[letter[mine]]
            else:
                found[mine] = starts[index]
        return found

    def law(self, value: Value) -> FloatArray:
        parts = [
            share * (_letters(mechanism, value) if isinstance(mechanism, Table) else np.ones(1))
            for mechanism, share in zip(self.design.mechanisms, shares(self.design), strict=True)
        ]
        return np.concatenate([*parts, [0.0]])

    def words(self, label: int) -> str:
        starts = self._starts()
        index = int(np.searchsorted(starts, label, side="right")) - 1
        if index == len(self.design.mechanisms):
            return "a report that the design cannot make"
        mechanism = self.design.mechanisms[index]
        if not isinstance(mechanism, Table):
            return f"any report to mechanism {index}"
        return f"the report {np.unique(mechanism.values)[label - starts[index]]:g} to mechanism {index}"

    def _starts(self) -> Integers:
        sizes = [np.unique(m.values).size if isinstance(m, Table) else 1 for m in self.design.mechanisms]
        return np.cumsum([0, *sizes])


@dataclass(frozen=True)
class Grid:
    """Boxes of a lattice's cells, cut on some axes at given cells; reports to other mechanisms are the last kind.

    Args:
        design: whose reports they are.
        index: of the lattice.
        cuts: for each axis the cells at which a new box begins, increasing; none for an axis that is left whole.
    """

    design: Design
    index: int
    cuts: tuple[Integers, ...]

    @property
    def ordered(self) -> bool:
        return sum(cut.size > 0 for cut in self.cuts) == 1

    def labels(self, reports: Integers) -> npt.NDArray[np.intp]:
        along = [np.searchsorted(cut, reports[:, 1 + axis], side="right") for axis, cut in enumerate(self.cuts)]
        label = np.ravel_multi_index(along, self._shape)
        return np.where(reports[:, 0] == self.index, label, math.prod(self._shape))

    def law(self, value: Value) -> FloatArray:
        mechanism = self.design.mechanisms[self.index]
        assert isinstance(mechanism, Lattice)
        joint, share = np.ones(1), shares(self.design)[self.index]
        for axis, cut in enumerate(self.cuts):
            joint = np.multiply.outer(joint, _cells(mechanism, value, axis, cut)).ravel()
        return np.append(share * joint, 1 - share)

    def words(self, label: int) -> str:
        if label == math.prod(self._shape):
            return f"any report to a mechanism other than {self.index}"
        parts = []
        for axis, (at, cut) in enumerate(zip(np.unravel_index(label, self._shape), self.cuts, strict=True)):
            first = f"{cut[at - 1]} ≤ " if at > 0 else ""
            last = f" < {cut[at]}" if at < cut.size else ""
            parts += [f"{first}cell {axis}{last}"] if cut.size else []
        return f"{' and '.join(parts)} of mechanism {self.index}"

    @property
    def _shape(self) -> tuple[int, ...]:
        return tuple(cut.size + 1 for cut in self.cuts)


def shares(design: Design) -> FloatArray:
    """How often each mechanism is answered."""
    return np.array([share / sum(design.shares) for share in design.shares])


def kinds(table: Table) -> npt.NDArray[np.intp]:
    """For each letter its place among the table's distinct values."""
    return np.asarray(np.unique(table.values, return_inverse=True)[1], dtype=np.intp)


def position(mechanism: Lattice, value: Value, axis: int) -> tuple[int, float]:
    """The cell below a place on an axis, and how far the place is on the way to the next, from ball arithmetic."""
    with exact.precision(_BITS):
        point = mechanism.space.enclose(_row(mechanism, value))[axis]
        along = (point - arb(mechanism.origin[axis])) / arb(mechanism.step)
        if not abs(float(along)) < FARTHEST:
            return int(math.copysign(FARTHEST, float(along))), 0.0
        lower = math.floor(float(along))
        share = float(along - lower)
    return (lower - 1, share + 1) if share < 0 else (lower, share)


def _row(mechanism: Table | Lattice, value: Value) -> list[float]:
    rows: list[list[float]] = mechanism.space.read_rows([value])[0].tolist()
    return rows[0]


def _letters(table: Table, value: Value) -> FloatArray:
    """The law of a table's distinct values."""
    with exact.precision(_BITS):
        s = table.query.geometry.enclose(_row(table, value))
        cell = int(np.clip(np.searchsorted(table.lattice, float(s), side="right") - 1, 0, table.lattice.size - 2))
        low, high = arb(float(table.lattice[cell])), arb(float(table.lattice[cell + 1]))
        share = min(max(float((s - low) / (high - low)), 0.0), 1.0)
    here, there = table.weights[cell] / TOTAL, table.weights[cell + 1] / TOTAL
    return np.asarray(np.bincount(kinds(table), weights=(1 - share) * here + share * there), dtype=np.float64)


def _cells(mechanism: Lattice, value: Value, axis: int, cut: Integers) -> FloatArray:
    """The law of one axis over the boxes between cuts."""
    if not cut.size:
        return np.ones(1)
    lower, share = position(mechanism, value, axis)
    first, last = np.append(-np.inf, cut - lower), np.append(cut - 1 - lower, np.inf)
    theta = float(mechanism.theta)
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


def _grids(design: Design, index: int, cells: Integers, n: int) -> list[Partition]:
    """Each axis in narrow bins; all axes below, between and above the places; and the cells around them."""
    mechanism, axes = design.mechanisms[index], cells.shape[1]
    assert isinstance(mechanism, Lattice)
    reach = math.ceil(math.log(max(n, 2)) / math.log1p(float(mechanism.theta))) + 2
    made: list[Partition] = []
    whole = np.empty(0, dtype=np.int64)
    for axis in range(axes):
        low, high = int(cells[:, axis].min()) - reach, int(cells[:, axis].max()) + 2 + reach
        cut = np.arange(low, high + 1, max(1, (high - low) // _WINDOW))
        made.append(Grid(design, index, tuple(cut if a == axis else whole for a in range(axes))))
    if axes > 1:
        sides = [np.unique([column.min() + 1, column.max() + 1]) for column in cells.T]
        made.append(Grid(design, index, tuple(sides)))
    if 1 < axes <= 3:
        offsets = np.arange(-_NEAR if axes == 2 else 0, (_NEAR if axes == 2 else 1) + 2)
        near = [np.unique(column[:, None] + offsets) for column in cells.T]
        made.append(Grid(design, index, tuple(near)))
    return made
