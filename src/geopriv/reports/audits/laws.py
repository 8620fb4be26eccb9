"""The law that a design states at a place, exactly, over kinds of reports that can be counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from geopriv.mechanisms.kinds import Kinds, Value
from geopriv.mechanisms.sendable import Integers
from geopriv.spaces.checks import FloatArray
from geopriv.surveys.design import Design


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
    together = tuple(mechanism.kinds() for mechanism in design.mechanisms)
    made: list[Partition] = [OfAll(design, together)] if any(kinds is not None for kinds in together) else []
    for index, mechanism in enumerate(design.mechanisms):
        made += [OfOne(design, index, kinds) for kinds in mechanism.kinds_near(values, n)]
    return made


@dataclass(frozen=True)
class OfAll:
    """The kinds of all mechanisms, of those without any all reports together; and last what no device makes.

    Args:
        design: whose reports they are.
        kinds: of each mechanism, or None.
    """

    design: Design
    kinds: tuple[Kinds | None, ...]
    ordered: bool = True

    def labels(self, reports: Integers) -> npt.NDArray[np.intp]:
        starts = self._starts()
        found = np.full(len(reports), starts[-1], dtype=np.intp)
        for index, (mechanism, kinds) in enumerate(zip(self.design.mechanisms, self.kinds, strict=True)):
            mine = np.flatnonzero(reports[:, 0] == index)
            label = np.zeros(mine.size, dtype=np.intp)
            if kinds is not None:
                label = kinds.labels(reports[mine, 1 : 1 + mechanism.limits[0]])
            found[mine[label >= 0]] = starts[index] + label[label >= 0]
        return found

    def law(self, value: Value) -> FloatArray:
        parts = [
            share * (np.ones(1) if kinds is None else kinds.law(value))
            for kinds, share in zip(self.kinds, shares(self.design), strict=True)
        ]
        return np.concatenate([*parts, [0.0]])

    def words(self, label: int) -> str:
        starts = self._starts()
        index = int(np.searchsorted(starts, label, side="right")) - 1
        if index == len(self.kinds):
            return "a report that the design cannot make"
        kinds = self.kinds[index]
        return f"{'any report' if kinds is None else kinds.words(label - int(starts[index]))} to mechanism {index}"

    def _starts(self) -> Integers:
        return np.cumsum([0, *(1 if kinds is None else kinds.size for kinds in self.kinds)])


@dataclass(frozen=True)
class OfOne:
    """Kinds of one mechanism's reports; reports to other mechanisms are the last kind.

    Args:
        design: whose reports they are.
        index: of the mechanism.
        kinds: of its reports.
    """

    design: Design
    index: int
    kinds: Kinds

    @property
    def ordered(self) -> bool:
        return self.kinds.ordered

    def labels(self, reports: Integers) -> npt.NDArray[np.intp]:
        label = self.kinds.labels(reports[:, 1 : 1 + self.design.mechanisms[self.index].limits[0]])
        return np.where(reports[:, 0] == self.index, label, self.kinds.size)

    def law(self, value: Value) -> FloatArray:
        share = shares(self.design)[self.index]
        return np.append(share * self.kinds.law(value), 1 - share)

    def words(self, label: int) -> str:
        if label == self.kinds.size:
            return f"any report to a mechanism other than {self.index}"
        return f"{self.kinds.words(label)} of mechanism {self.index}"


def shares(design: Design) -> FloatArray:
    """How often each mechanism is answered."""
    return np.array([share / sum(design.shares) for share in design.shares])
