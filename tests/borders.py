"""Where a float filter is most likely wrong: beside the values at which the exact report of the same bits changes.

A filter may say that it does not know. Where it says that it knows, the exact sampler must say the same.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import geopriv as gp
from geopriv.mechanisms.table import kernels as table_kernels
from geopriv.mechanisms.table import reports as table_reports
from geopriv.noise import filters
from geopriv.noise.exact import Uniform, settle
from geopriv.noise.plans import Plan
from geopriv.spaces.checks import FloatArray
from tests.sources import Seeded

Row = list[float]
END = (1 << 64) - 1
_FAR = [-(1 << 26), -(1 << 18), -(1 << 13), -500, -40]
AWAY = [*_FAR, -5, -2, -1, 0, 1, 2, 3, 6, *(1 - steps for steps in reversed(_FAR))]  # floats
ENDS = [0, 1, 2, 1 << 63, END - 2, END - 1, END]  # first words


@dataclass(frozen=True)
class Path:
    """Values of a space along one of its numbers, from low to high; the report changes on the way."""

    start: tuple[float, ...]
    axis: int
    low: float
    high: float

    def at(self, number: float) -> Row:
        row = list(self.start)
        row[self.axis] = number
        return row

    def moved(self, number: float, steps: int) -> Row:
        return self.at(number + steps * math.ulp(number))


class Filter(ABC):
    """A float filter and the exact sampler it stands in for."""

    @abstractmethod
    def exact(self, row: Row, words: Sequence[int]) -> object:
        """What the exact sampler makes of these words, and of the same further bits each time."""

    @abstractmethod
    def screened(self, row: Row, words: Sequence[int]) -> tuple[int, object]:
        """The filter's status, and its report."""

    def right(self, row: Row, words: Sequence[int]) -> bool:
        """Whether the filter does not know, or knows what the exact sampler says."""
        status, report = self.screened(row, words)
        if status == filters.UNKNOWN:
            return True
        exact = self.exact(row, words)
        return exact is None if status == filters.REJECTED else exact == report

    def borders(self, path: Path, words: Sequence[int]) -> Iterator[Row]:
        """Values some floats on each side of one at which the exact report of these words changes."""
        first = self.exact(path.at(path.low), words)
        if first != self.exact(path.at(path.high), words):
            yield from around(path, lambda row: self.exact(row, words) == first)


def around(path: Path, before: Callable[[Row], bool]) -> Iterator[Row]:
    """Values some floats on each side of the end of what holds at the beginning of the path and not at its end."""
    low, high = path.low, path.high
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if before(path.at(middle)) else (low, middle)
    for steps in AWAY:
        yield path.moved(low, steps)


class Planned(Filter):
    """The filter of a plan: additive noise, noise on the globe, lattices."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def exact(self, row: Row, words: Sequence[int]) -> object:
        source = Seeded(1)
        cells = settle(self.plan.release(row), [Uniform(word, source) for word in words], self.plan.steps)
        return None if cells is None else self.plan.values(cells)

    def screened(self, row: Row, words: Sequence[int]) -> tuple[int, object]:
        screen = self.plan.screen(np.asarray([row]))
        assert screen is not None
        values, status = np.zeros((1, len(self.plan.steps))), np.full(1, filters.UNKNOWN, dtype=np.uint8)
        screen(np.arange(1), np.asarray([words], dtype=np.uint64), values, status)
        return int(status[0]), values[0].tolist()


class Rows(Filter):
    """The filter of a table, each of whose rows has a letter of its own, so that a wrong row is seen."""

    def __init__(self, query: gp.queries.Query, lattice: Any) -> None:
        points = np.asarray(lattice, dtype=np.float64)
        weights = (1 << 60) * np.eye(points.size, dtype=np.int64)
        promise = gp.Guarantee(1.0, unit=query.space.distance_unit)
        self.table = gp.Table(query, promise, points, np.arange(float(points.size)), weights)
        self.ready = table_reports.lookup(self.table)

    def borders(self, path: Path, words: Sequence[int]) -> Iterator[Row]:
        """Around the borders of all rows of the table that lie on the path."""
        first, last = (self.exact(path.at(end), words) for end in (path.low, path.high))
        for row in range(min(first, last), max(first, last)):
            yield from around(path, partial(self._before, words, row, first < last))

    def _before(self, words: Sequence[int], row: int, rising: bool, place: Row) -> bool:
        return (self.exact(place, words) <= row) is rising

    def exact(self, row: Row, words: Sequence[int]) -> int:
        return table_reports._letter(self.table, self.ready, row, [*words, 0], Seeded(1))

    def screened(self, row: Row, words: Sequence[int]) -> tuple[int, object]:
        s = self.table.query.geometry.bounded(np.asarray([row]))
        assert s is not None
        letters, status = np.zeros(1, dtype=np.uint16), np.full(1, filters.UNKNOWN, dtype=np.uint8)
        table_kernels.letters(np.asarray([[*words, 0]], dtype=np.uint64), s.value, s.off, self.ready, letters, status)
        return int(status[0]), int(letters[0])


def first_words(rng: np.random.Generator) -> list[int]:
    """Both ends of U, somewhere near each, and somewhere between."""
    near = [1 << power for power in rng.integers(0, 40, 2).tolist()]
    return [0, near[0], *rng.integers(0, 1 << 64, 1, dtype=np.uint64).tolist(), END - near[1], END]


def word_sets(count: int, seed: int) -> list[list[int]]:
    """Words of an attempt: all at one end, each alone at an end, and random ones."""
    rng = np.random.default_rng(seed)
    some = rng.integers(0, 1 << 64, (6, count), dtype=np.uint64).tolist()
    ends = [[word] * count for word in ENDS]
    alone = [
        [word if j == k else middle for j, middle in enumerate(some[k % 6])] for k in range(count) for word in ENDS
    ]
    return [*some, *ends, *alone]


def planted_letters(
    words: filters.Words,
    s: FloatArray,
    off: FloatArray,
    table: table_kernels.Lookup,
    letter: table_kernels.LetterArray,
    status: filters.Status,
) -> None:
    """The planted fault: a row is certain where U is clear of the share of the one cell in which the float is."""
    lattice, _, sums, _ = table
    cell = np.clip(np.searchsorted(lattice, s, side="right") - 1, 0, lattice.size - 2)
    inverse = 1 / np.diff(lattice)[cell]
    above = (words[:, 0].astype(np.float64) + 0.5) * 2.0**-64 - np.clip((s - lattice[cell]) * inverse, 0.0, 1.0)
    certain = np.abs(above) > off * inverse + 2.0**-49
    for i in np.flatnonzero(certain).tolist():
        row = int(cell[i]) + int(above[i] < 0)
        letter[i] = np.searchsorted(sums[row], int(words[i, 1]) >> 4, side="right")
    status[:] = np.where(certain, filters.CERTAIN, filters.UNKNOWN)
