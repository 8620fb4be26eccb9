"""What all tables do: a report is one of a few letters, drawn by rows of integers."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from geopriv.mechanisms.base import OfOneQuery
from geopriv.mechanisms.counts import Counts
from geopriv.mechanisms.kinds import Kinds, Value
from geopriv.mechanisms.loss.worst import WorstLoss
from geopriv.mechanisms.reports import Simulated
from geopriv.mechanisms.sendable import Integers, Sendable
from geopriv.mechanisms.sums import Sums, moments_of, repeated
from geopriv.mechanisms.table.kinds import ValueKinds
from geopriv.mechanisms.table.marks import corner_marks, lattice_marks
from geopriv.mechanisms.table.reports import Letters, simulated_values
from geopriv.mechanisms.table.rows import Rows
from geopriv.mechanisms.table.target import Target
from geopriv.noise.entropy import ENTROPY, Source
from geopriv.queries import Query
from geopriv.queries.priors import Prior, coordinates_under
from geopriv.queries.questions import Question
from geopriv.spaces.checks import FloatArray

_PARTS = 16  # into which cells are divided where coordinates are even


@dataclass(frozen=True, eq=False)
class AnyTable(Rows, OfOneQuery, Sendable):
    """One of a few values, drawn with probabilities that depend on the coordinate through rows of integers.

    At lattice point i value y has the integer weight w_i(y) out of 2^60; outside the lattice the end rows hold. The
    mean report, the `target`, follows f0 closely and is what is estimated; `bias` is the difference. The law at any
    coordinates, in floats, is `probabilities`.
    """

    @cached_property
    def unbiased(self) -> bool:
        """Whether the target is f0 itself, to within 1e-6 everywhere."""
        return self._largest_bias <= 1e-6

    @property
    def has_target(self) -> bool:
        """True: the mean report."""
        return True

    def target_of(self, query: Query) -> Query:
        return query if self.unbiased else Target(self)

    def largest_bias(self, query: Query | None = None) -> float:
        """The largest |target − f0| seen on a fine grid over the lattice and beyond."""
        return self._largest_bias

    @cached_property
    def _largest_bias(self) -> float:
        ends = np.array([self.lattice[0], self.lattice[-1]]) + np.array([-1, 1]) * np.ptp(self.lattice)
        s = np.concatenate([*(np.linspace(a, b, 9) for a, b in pairwise(self.lattice)), ends])
        return float(np.abs(self.mean_at(s) - self.query.profile(s)).max())

    @property
    def bits(self) -> int:
        """How many bits a report takes."""
        return max(1, math.ceil(math.log2(self.values.size)))

    def releases(self) -> list[Letters]:
        return [Letters(self)]

    def worst_loss(self) -> WorstLoss:
        """Over every cell and every value, in exact arithmetic: nothing is sampled."""
        ratio, cell, letter = self.worst_step
        at = (float(self.lattice[cell]), float(self.lattice[cell + 1]), float(self.values[letter]))
        return WorstLoss(ratio, at, self.weights[1:].size)

    @property
    def limits(self) -> tuple[int, int, int]:
        return 1, 0, self.values.size

    def draw(self, rows: FloatArray, source: Source = ENTROPY) -> Integers:
        return Letters(self).letters(rows, source).astype(np.int64)[:, None]

    def released(self, rows: Integers) -> FloatArray:
        """Values, shape (n,)."""
        return np.asarray(self.values[rows[:, 0]])

    def written(self, values: FloatArray) -> Integers:
        distinct, first = np.unique(self.values, return_index=True)
        near = np.minimum(np.searchsorted(distinct, values), distinct.size - 1)
        return np.where(distinct[near] == values, first[near], -1)[:, None]

    def kinds(self) -> Kinds:
        return ValueKinds(self)

    def kinds_near(self, values: Sequence[Value], n: int) -> Sequence[Kinds]:
        return ()

    def marks(self) -> Sequence[Iterator[tuple[str, Value]]]:
        return lattice_marks(self), corner_marks(self.query)

    def answers(self, query: Query) -> bool:
        return query == self.query

    @property
    def answers_all(self) -> bool:
        return False

    def bits_within(self, extent: FloatArray) -> int:
        return self.bits

    def simulate(self, x: Any, rng: np.random.Generator) -> Simulated:
        """One value for each person, from a seeded generator."""
        return Simulated(simulated_values(self, x, rng))

    def target(self, x: Any) -> FloatArray:
        """E[report] for each value."""
        return self.mean_at(self.query.coordinate(x))

    def bias(self, x: Any) -> FloatArray:
        """E[report] − f(x) for each value, exactly: what interpolation between lattice points leaves."""
        return self.target(x) - self.query(x)

    def variance(self, x: Any) -> FloatArray:
        """The variance of the report for each value, exactly."""
        return self.variance_at(self.query.coordinate(x))

    def expected_variance(self, prior: Prior | Any = None) -> float:
        """The mean variance under a public prior; by default over coordinates that are uniform on the lattice."""
        if prior is None:
            places, shares = self._evenly
            return float(shares @ self.variance_at(places))
        s, weights = coordinates_under("Table", self.query, prior)
        return float(weights @ self.variance_at(s))

    @cached_property
    def _evenly(self) -> tuple[FloatArray, FloatArray]:
        """Coordinates that are even in each cell, and the share of people at each: sums over them are integrals."""
        width = np.diff(self.lattice)
        places = self.lattice[:-1] + (np.arange(_PARTS)[:, None] + 0.5) / _PARTS * width
        return places.ravel(), np.tile(width / (_PARTS * width.sum()), _PARTS)

    def contributions(self, reports: FloatArray, query: Query | None) -> FloatArray:
        """The reports themselves."""
        self._require(query)
        return reports

    def sums(self, counts: Counts, question: Question, which: Sequence[int]) -> Sums:
        """What counted reports add up to: the table's values are the contributions to its one query."""
        values, times = self.values[counts.rows], counts.times.astype(np.float64)
        moments = moments_of(blocks := repeated(values, times), counts.n, 1)
        low, high = (np.array([end]) for end in (self.values.min(), self.values.max()))
        return Sums(counts.n, *moments, low, high, self.largest_bias(), blocks=blocks)

    @abstractmethod
    def bracket_sums(self, counts: Counts, question: Question, which: Sequence[int]) -> tuple[Sums, Sums] | None:
        """What counted reports add up to for the two ends of the plain share; None of a table that tells neither."""
