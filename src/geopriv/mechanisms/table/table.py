"""Table: the best small report. A few values, integer probabilities, a guarantee checked in exact arithmetic."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from geopriv.errors import InvalidParameter
from geopriv.mechanisms.base import OfOneQuery
from geopriv.mechanisms.counts import Counts
from geopriv.mechanisms.guarantee import Guarantee
from geopriv.mechanisms.kinds import Kinds, Value
from geopriv.mechanisms.loss.worst import WorstLoss
from geopriv.mechanisms.reports import Simulated
from geopriv.mechanisms.sendable import Integers, Sendable
from geopriv.mechanisms.sums import Sums, moments_of
from geopriv.mechanisms.table.cache import relaxed_variance
from geopriv.mechanisms.table.design import alphabets, design, lattice_shares
from geopriv.mechanisms.table.kinds import ValueKinds
from geopriv.mechanisms.table.marks import corner_marks, lattice_marks
from geopriv.mechanisms.table.program import uniform
from geopriv.mechanisms.table.reports import Letters, simulated_values
from geopriv.mechanisms.table.rows import Rows
from geopriv.mechanisms.table.target import Target
from geopriv.noise.entropy import ENTROPY, Source
from geopriv.queries import Query
from geopriv.queries.priors import Prior, coordinates_under
from geopriv.queries.questions import Question
from geopriv.spaces.checks import (
    FloatArray,
    count,
    invalid,
)


@dataclass(frozen=True)
class Alphabet:
    """Values to report, and what a table of them costs.

    Args:
        values: increasing; pass them to `Table.calibrate`.
        variance: of one report, expected under the prior.
    """

    values: tuple[float, ...] = field(repr=False)
    variance: float

    @property
    def report_range(self) -> tuple[float, float]:
        """The least and the largest value."""
        return self.values[0], self.values[-1]

    @property
    def bits(self) -> int:
        """Of one report."""
        return max(1, math.ceil(math.log2(len(self.values))))

    def leverage(self, people: int) -> float:
        """By how much one liar among that many people can move the mean."""
        return (self.values[-1] - self.values[0]) / count("Alphabet", "people", people)


@dataclass(frozen=True, eq=False)
class Table(Rows, OfOneQuery, Sendable):
    """One of a few values, drawn with probabilities that are linear in the coordinate between lattice points.

    At lattice point i value y has the integer weight w_i(y) out of 2^60; outside the lattice the end rows hold. The
    mean report is the piecewise linear `target`, which follows f0 closely and is what is estimated; `bias` is the
    difference.

    Args:
        query: f = f0 ∘ s.
        guarantee: verified on the integers.
        lattice: increasing coordinates.
        values: what may be reported.
        weights: integers of shape (points, values), every row summing to 2^60.

    >>> from geopriv import Threshold
    >>> m = Table.calibrate(Threshold(at=100_000, width=16_000), epsilon=1 / 8000)
    >>> m.bits, m.variance([100_000.0, 150_000.0]).round(3)
    (5, array([0.437, 0.003]))
    """

    @classmethod
    def calibrate(
        cls,
        query: Query,
        epsilon: float | str,
        values: Any = None,
        prior: Prior | Any = None,
        lattice: Any = None,
        report_range: tuple[float, float] | None = None,
    ) -> Table:
        """The mechanism for a query at a rate.

        Guarantee: (ε, 0, ∞)-GP, verified in exact integer arithmetic on the table that is used, at exact coordinates:
        `report` and devices enclose them until a comparison is decided.

        Args:
            query: what is asked; its answers must be bounded.
            epsilon: per unit of distance, as a number or a sentence.
            values: what may be reported; by default chosen from the profile and ε. Must include what f0 is on its
                plateaus.
            prior: a Prior, or an array of *public* values, over which the expected variance is least; never the data
                being collected. By default coordinates are uniform on the lattice.
            lattice: increasing coordinates between which probabilities are linear; by default chosen from the profile
                and ε.
            report_range: keep only values within it, and its two ends. A narrower range means less leverage for a liar
                and more variance; see `tradeoff`.

        Raises:
            InvalidParameter: when the values cannot follow the query, or the lattice is too coarse or too short for it.

        Reference: theory T5; docs/theory/tables.md.
        """
        rate = query.space.rate(epsilon)
        promise = Guarantee(
            rate, unit=query.space.distance_unit, reference="theory T1, T2 and T5, verified on integers"
        )
        made = design(query, rate, values, prior, lattice, report_range)
        table = cls(query, promise, made.lattice, made.values, made.weights)
        if table.worst_step[0] > 1:
            raise invalid("Table", "query", "one whose table can be verified", f"{float(table.worst_step[0]):.9g}·ε")
        return table

    @classmethod
    def tradeoff(cls, query: Query, epsilon: float | str, prior: Prior | Any = None) -> list[Alphabet]:
        """Fewer values in shorter ranges: fewer bits, less leverage for a liar, and more variance.

        Args:
            query: what is asked.
            epsilon: per unit of distance, as a number or a sentence.
            prior: as in `calibrate`.

        Returns:
            The default values first, then those of fewer bits and shorter ranges that can follow the query.

        >>> from geopriv import Threshold
        >>> for row in Table.tradeoff(Threshold(at=0.0, width=2.0), epsilon=1.0):
        ...     low, high = row.report_range
        ...     print(f"{low:.3f} to {high:.3f}: {row.bits} bits, {row.variance:.4f}, {row.leverage(1000):.5f}")
        -0.625 to 1.625: 5 bits, 0.0578, 0.00225
        -0.560 to 1.560: 4 bits, 0.0586, 0.00212
        -0.520 to 1.520: 4 bits, 0.0593, 0.00204
        -0.560 to 1.560: 3 bits, 0.0615, 0.00212
        -0.520 to 1.520: 3 bits, 0.0618, 0.00204
        """
        rows: dict[tuple[float, ...], Alphabet] = {}
        for values in alphabets(query, query.space.rate(epsilon)):
            try:
                table = cls.calibrate(query, epsilon, values, prior)
            except InvalidParameter:  # too short a range
                if not rows:
                    raise
                continue
            letters = tuple(table.values.tolist())
            rows[letters] = Alphabet(letters, table.expected_variance(prior))
        return list(rows.values())

    @cached_property
    def unbiased(self) -> bool:
        """Whether the target is f0 itself, to within 1e-6 everywhere."""
        return self._largest_bias <= 1e-6

    @property
    def has_target(self) -> bool:
        """True: the interpolant of its rows' means."""
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
            return float(uniform(self.lattice) @ self.variance_at(self.lattice))
        s, weights = coordinates_under("Table", self.query, prior)
        return float(weights @ self.variance_at(s))

    def program_bound(self, prior: Prior | Any = None) -> float:
        """A lower bound on the expected variance of every unbiased ε-GP report with these values (at lattice points).

        The program with e^c in place of 1 + c is a relaxation: every report that keeps the promise is among its
        solutions. Solving it takes some seconds; it is kept for the life of the process.

        Args:
            prior: as in `calibrate`; the same one, to compare with `expected_variance`.

        Reference: theory T5.
        """
        heights = self.query.profile(self.lattice)
        shares = lattice_shares(self.query, self.lattice, prior)
        return relaxed_variance(self.lattice * self.guarantee.epsilon, heights, self.values, shares)

    def excess(self, prior: Prior | Any = None) -> float:
        """Expected variance at lattice points over `program_bound`: 1.07 is within 7 % of the best possible."""
        shares = lattice_shares(self.query, self.lattice, prior)
        return float(shares @ self.variance_at(self.lattice)) / self.program_bound(prior)

    def contributions(self, reports: FloatArray, query: Query | None) -> FloatArray:
        """The reports themselves."""
        self._require(query)
        return reports

    def sums(self, counts: Counts, question: Question, which: Sequence[int]) -> Sums:
        """What counted reports add up to: the table's values are the contributions to its one query."""
        values, times = self.values[counts.rows], counts.times.astype(np.float64)
        moments = moments_of(lambda: iter([(values, times)]), counts.n, 1)
        low, high = (np.array([end]) for end in (self.values.min(), self.values.max()))
        return Sums(counts.n, *moments, low, high, self.largest_bias())
