"""The steps of a walk as they are drawn and counted: from the origin, and from one exact value to another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from geopriv.mechanisms.kinds import Kinds, Value
from geopriv.mechanisms.lattice.cells import FARTHEST, Cells
from geopriv.mechanisms.lattice.reports import OnLattice
from geopriv.mechanisms.sendable import Integers
from geopriv.noise.entropy import Source
from geopriv.noise.exact import Uniform, whole
from geopriv.spaces.balls import arb
from geopriv.spaces.bounded import Bounded
from geopriv.spaces.checks import FloatArray


@dataclass(frozen=True)
class FromOrigin(OnLattice):
    """A cell of a Lattice, of which the first step of a walk is made."""

    columns: ClassVar[int] = 1


@dataclass(frozen=True)
class OnWay(OnLattice):
    """By how many cells a step moves a walk: rows are the value of the last report and that of this one.

    Guarantee: the law of a Lattice at the exact way between both, which is no float (theory T8).
    """

    columns: ClassVar[int] = 2

    def _rounded(self, row: Sequence[float], u: Sequence[Uniform]) -> list[int]:
        m, (before, here) = self.mechanism, row
        if not m.space.irrational:
            way = (Fraction(here) - Fraction(before)) / Fraction(m.step)
            way = min(max(way, -Fraction(FARTHEST)), Fraction(FARTHEST))
            lower = math.floor(way)
            return [lower + u[0].below(way - lower)]
        along = (m.space.enclose([here])[0] - m.space.enclose([before])[0]) / m.step
        return [-whole(u[0].ball() - along.max(arb(-FARTHEST)).min(arb(FARTHEST)))]

    def _bounded(self, rows: FloatArray) -> Bounded:
        m = self.mechanism
        before, here = (m.space.bounded(rows[:, [k]]) for k in (0, 1))
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is not certain, and goes to the balls
            along = (here.value - before.value) / m.step
            off = 1.01 * (here.off + before.off) / m.step + 2.0**-50 * np.abs(along)
        return Bounded(np.clip(along, -FARTHEST, FARTHEST), off)


@dataclass(frozen=True)
class FirstStep:
    """The report of who begins in the first round: 1, 1 and a cell."""

    mechanism: Cells

    @property
    def first(self) -> FromOrigin:
        """How the cell is made."""
        return FromOrigin(self.mechanism)

    @property
    def steps(self) -> tuple[float, ...]:
        return (1.0, 1.0, 1.0)

    def draw(self, rows: FloatArray, source: Source) -> FloatArray:
        cells = self.first.draw(rows, source)
        return np.concatenate([np.ones((len(cells), 2)), cells], axis=1)


@dataclass(frozen=True)
class StepKinds:
    """The reports of who begins in the first round, all in one kind."""

    @property
    def size(self) -> int:
        return 1

    @property
    def ordered(self) -> bool:
        return False

    def labels(self, rows: Integers) -> npt.NDArray[np.intp]:
        return np.where((rows[:, :2] == 1).all(axis=1), 0, -1)

    def law(self, value: Value) -> FloatArray:
        return np.ones(1)

    def words(self, label: int) -> str:
        return "any report of a first step"


@dataclass(frozen=True)
class BehindSteps:
    """Kinds of cells, of reports that begin with a round and a number of steps."""

    kinds: Kinds

    @property
    def size(self) -> int:
        return self.kinds.size

    @property
    def ordered(self) -> bool:
        return self.kinds.ordered

    def labels(self, rows: Integers) -> npt.NDArray[np.intp]:
        return self.kinds.labels(rows[:, 2:])

    def law(self, value: Value) -> FloatArray:
        return self.kinds.law(value)

    def words(self, label: int) -> str:
        return self.kinds.words(label)
