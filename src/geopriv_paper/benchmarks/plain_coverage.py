"""Do plain answers hold the plain truth as often as they say? From the exact law of a report, over many surveys.

A cell far from an area adds what the nearest cell around the area adds, so cells are counted there: the law of a survey
is one of some ten thousand kinds of reports, however large the map is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from geopriv.answers.plain import plain_ends
from geopriv.mechanisms import Lattice
from geopriv.mechanisms.lattice.moments import smoothed
from geopriv.mechanisms.sums import Sums
from geopriv.mechanisms.table.bracket_table import BracketTable
from geopriv.queries import Query
from geopriv.spaces.checks import FloatArray
from geopriv_paper.benchmarks.coverage import placed

_DIGITS = 4  # after the point, of what a report adds
_BLOCK = 1 << 23  # counts that are held at once


@dataclass(frozen=True, eq=False)
class CellLaw:
    """The law of the cells that a person drawn at random reports.

    Args:
        lattice: that reports are made by.
        first: the lowest cell.
        mass: how likely each cell is.
    """

    lattice: Lattice
    first: FloatArray
    mass: FloatArray

    @classmethod
    def of(cls, lattice: Lattice, points: FloatArray, weights: FloatArray) -> CellLaw:
        """For people at points of the space, with weights that add up to 1."""
        first, mass = placed(lattice, points, weights)
        mass = np.maximum(smoothed(mass, lattice.ratio), 0.0)
        return cls(lattice, first, mass / mass.sum())

    def around(self, query: Query) -> tuple[FloatArray, FloatArray]:
        """Cells in and next to the box of a query, and how likely each is, those beyond counted at the nearest."""
        box = query.box_of_change(self.lattice.step)
        assert box is not None  # of every bracket and blurred region of these surveys
        ends = [(np.atleast_1d(corner) - self.lattice.origin) / self.lattice.step for corner in box]
        low, high = np.floor(ends[0]) - 1, np.ceil(ends[1]) + 1
        gathered = self.mass
        for axis, size in enumerate(self.mass.shape):
            cell = np.clip(self.first[axis] + np.arange(size), low[axis], high[axis]) - low[axis]
            into = np.zeros((int(high[axis] - low[axis]) + 1, size))
            into[cell.astype(int), np.arange(size)] = 1.0
            gathered = np.moveaxis(np.tensordot(into, gathered, axes=(1, axis)), 0, axis)
        axes = [np.arange(a, b + 1) for a, b in zip(low, high, strict=True)]
        cells = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(low))
        kept = gathered.ravel() > 0
        shares = gathered.ravel()[kept]
        return cells[kept], shares / shares.sum()


@dataclass(frozen=True, eq=False)
class Held:
    """How often intervals held the truth, and how long they were.

    Args:
        covered: the share of surveys.
        half: half of an interval, on average.
    """

    covered: float
    half: float


def plain_coverage(
    law: CellLaw, query: Query, reach: float, truth: float, n: int, surveys: int, rng: np.random.Generator
) -> Held:
    """Of plain intervals."""
    bracket = law.lattice.bracket(query, reach)
    assert bracket is not None  # a reach that a plan has chosen
    ends = []
    parts = (bracket.inner, bracket.outer)
    cells, shares = law.around(bracket.outer)
    added = np.stack([law.lattice.at_cells(cells, part) for part in parts], axis=1)
    bounds = np.array([law.lattice.undoing.bounds(part) for part in parts], dtype=np.float64)
    for sums in _sums(shares, added, bounds, n, surveys, rng):
        ends.append(plain_ends(_one(sums, 0), _one(sums, 1), 0.95))
    low, high = (np.concatenate(side) for side in zip(*ends, strict=True))
    return Held(float(((low <= truth) & (truth <= high)).mean()), float((high - low).mean()) / 2)


def table_coverage(
    table: BracketTable, points: FloatArray, weights: FloatArray, truth: float, n: int, surveys: int, rng: Any
) -> Held:
    """Of plain intervals from a table of one question, for people at points of the space."""
    shares = weights @ table.probabilities(np.asarray(table.query.geometry(points)).reshape(-1))
    added = np.stack([table.inner, table.outer], axis=1)
    bounds = np.stack([added.min(axis=0), added.max(axis=0)], axis=1)
    found = [plain_ends(_one(s, 0), _one(s, 1), 0.95) for s in _sums(shares, added, bounds, n, surveys, rng)]
    low, high = (np.concatenate(side) for side in zip(*found, strict=True))
    return Held(float(((low <= truth) & (truth <= high)).mean()), float((high - low).mean()) / 2)


def soft_coverage(law: CellLaw, query: Query, truth: float, n: int, surveys: int, rng: np.random.Generator) -> Held:
    """Of normal intervals of the soft answer, for what it estimates."""
    cells, shares = law.around(query)
    added, bounds = law.lattice.at_cells(cells, query)[:, None], np.zeros((1, 2))
    held, halves = [], []
    for sums in _sums(shares, added, bounds, n, surveys, rng):
        half = 1.959964 * np.sqrt(sums.variances[:, 0] / n)
        held.append(np.abs(sums.means[:, 0] - truth) <= half)
        halves.append(half)
    return Held(float(np.concatenate(held).mean()), float(np.concatenate(halves).mean()))


def _sums(
    shares: FloatArray, added: FloatArray, bounds: FloatArray, n: int, surveys: int, rng: np.random.Generator
) -> Iterator[Sums]:
    """Sums of many surveys at once, arrays of shape (surveys, functions).

    Cells that add the same to four digits after the point are one kind of report.
    """
    added, which = np.unique(np.round(added, _DIGITS), axis=0, return_inverse=True)
    shares = np.asarray(np.bincount(which.reshape(-1), shares), dtype=np.float64)
    shares = shares / shares.sum()
    block = max(1, _BLOCK // len(shares))
    for start in range(0, surveys, block):
        counts = rng.multinomial(n, shares, min(block, surveys - start)).astype(np.float64)
        means, squares, cubes = (counts @ added**k / n for k in (1, 2, 3))
        variances = np.maximum(squares - means**2, 0.0) * n / (n - 1)
        thirds = cubes - 3 * means * squares + 2 * means**3
        yield Sums(n, means, variances, thirds, None, bounds[:, 0], bounds[:, 1], 0.0)


def _one(sums: Sums, k: int) -> Sums:
    """One function of all surveys."""
    means, variances, thirds = (part[:, k] for part in (sums.means, sums.variances, sums.thirds))
    return Sums(sums.n, means, variances, thirds, None, sums.low[k], sums.high[k], 0.0)
