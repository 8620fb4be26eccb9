"""SharedTables: questions about sets that are far apart, all answered by everybody in one report."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from geopriv.mechanisms.counts import Counts
from geopriv.mechanisms.guarantee import Guarantee
from geopriv.mechanisms.kinds import Kinds, Value
from geopriv.mechanisms.loss.worst import WorstLoss
from geopriv.mechanisms.reports import Simulated
from geopriv.mechanisms.sendable import Integers, Sendable
from geopriv.mechanisms.shared.kinds import SaidKinds
from geopriv.mechanisms.shared.law import SharedLaw
from geopriv.mechanisms.shared.loss import worst_of_shared
from geopriv.mechanisms.shared.moments import shared_variance
from geopriv.mechanisms.shared.reports import Said, simulated_codes
from geopriv.mechanisms.shared.share import largest_share
from geopriv.mechanisms.sums import Sums, moments_of, repeated
from geopriv.mechanisms.table.any_table import AnyTable
from geopriv.noise.entropy import ENTROPY, Source
from geopriv.queries import Query
from geopriv.queries.questions import Question
from geopriv.spaces.checks import FloatArray, count, invalid


@dataclass(frozen=True)
class SharedTables(SharedLaw, Sendable):  # type: ignore[override] # nobody may set its space
    """What one of several tables says, or nothing: one report that answers a question about each of some far sets.

    A table mostly says its idle letter, which counts 0, to who is far from its set. So whoever is near one set has
    nothing to say of the others, and one report has room for all: it is the letter y of table j with probability
    μ·P[M_j = y], for every letter but idle ones, and nothing otherwise. The letter y counts y/μ for its own question
    and 0 for all others; the mean of table j stays what it is, and everybody answers everything. A liar moves the mean
    of n reports by at most (range of the values)/(μ·n).

    Args:
        guarantee: that of every table.
        tables: for discs or polygons on one flat space of one or two axes.
        share: μ, at most 1, verified: μ·(A + |∇A|/ε) ≤ 1 everywhere, A being how often tables say something.

    >>> from geopriv import Ball, Plane, Table
    >>> parks = [Ball((8_000.0 * k, 0.0), 1_000, 1_000, Plane("m")) for k in range(3)]
    >>> m = SharedTables.of([Table.calibrate(park, "1 per 1,000 m", straight=True) for park in parks])
    >>> m.spent <= 1, 0.9 < m.share < 1
    (True, True)
    """

    @classmethod
    def of(cls, tables: Sequence[AnyTable]) -> SharedTables:
        """The mechanism of some tables of one ε, with nearly the largest μ.

        Guarantee: (ε, 0, ∞)-GP. (j, y) has the law of table j times μ (T1, T5); nothing has 1 − μ·A, whose gradient is
        at most ε of itself almost everywhere where μ·(A + |∇A|/ε) ≤ 1 (T2). A device proves that by bounds in boxes.

        Args:
            tables: that keep one promise.

        Raises:
            InvalidParameter: for tables that cannot share a report, or are so near to each other that μ would be small
                and no device could verify it.

        Reference: theory T13; docs/theory/far.md.
        """
        tables = tuple(tables)
        if not tables:
            raise invalid("SharedTables", "tables", "one or more", tables)
        first = tables[0].guarantee
        promise = Guarantee(first.epsilon, unit=first.unit, reference="theory T1, T2, T5 and T13, verified on integers")
        share = largest_share(cls(promise, tables, Fraction(1)).tables)
        if share is None:
            raise invalid("SharedTables", "tables", "far enough apart for a device to verify it", len(tables))
        return cls(promise, tables, share)

    @property
    def asked(self) -> tuple[Query, ...]:
        return tuple(table.query for table in self.tables)

    def counted(self, query: Query | None, name: str = "values") -> FloatArray:
        """What each report counts for a query, shape (size,): c + (y − c)/μ for letters y of its table, and else c.

        c is what the idle letter counts: 0, or of a BracketTable what its verified ends leave of 0, some 1e-8.

        Args:
            query: that was asked; may be left out where there is one.
            name: "values", or of a BracketTable "inner" or "outer".
        """
        which = self._which(query)
        values = getattr(self.tables[which], name)
        idle = values[self.idle[which]]
        found = np.full(self.size, idle)
        mine = np.array([(code, k) for code, (j, k) in enumerate(self._places, start=1) if j == which]).reshape(-1, 2)
        found[mine[:, 0]] = idle + (values[mine[:, 1]] - idle) / float(self.share)
        return found

    def leverage(self, query: Query, people: int) -> float:
        """By how much one liar among that many people can move the mean of a query: range/(μ·n)."""
        return float(np.ptp(self.counted(query))) / count("SharedTables", "people", people)

    def _which(self, query: Query | None) -> int:
        if query is None and len(self.tables) == 1:
            return 0
        found = next((k for k, table in enumerate(self.tables) if table.query == query), None)
        if found is None:
            raise invalid("SharedTables", "query", "one that was asked", query)
        return found

    @cached_property
    def unbiased(self) -> bool:
        """Whether every table's target is f0 itself, to within 1e-6."""
        return all(table.unbiased for table in self.tables)

    @property
    def has_target(self) -> bool:
        """True: the interpolants of the tables' means."""
        return True

    def target_of(self, query: Query) -> Query:
        return self.tables[self._which(query)].target_of(query)

    def largest_bias(self, query: Query | None = None) -> float:
        """That of the query's table; the largest of all without one."""
        asked = self.tables if query is None else (self.tables[self._which(query)],)
        return max(table.largest_bias() for table in asked)

    def bias(self, x: Any, query: Query) -> FloatArray:
        """E[estimate] − f(x) for each value: that of the query's table."""
        return self.tables[self._which(query)].bias(x)

    def variance(self, x: Any, query: Query) -> FloatArray:
        """The variance of what a report adds to a query, for each value: E[y²]/μ − E[y]²."""
        table = self.tables[self._which(query)]
        return shared_variance(table, table.query.coordinate(x), self.share)

    def moments(self, x: Any, query: Query) -> tuple[FloatArray, FloatArray]:
        return self.bias(x, query), self.variance(x, query)

    @property
    def bits(self) -> int:
        """How many bits a report takes."""
        return max(1, math.ceil(math.log2(self.size)))

    @property
    def report_shape(self) -> tuple[int, ...]:
        return ()

    def releases(self) -> list[Said]:
        return [Said(self)]

    def worst_loss(self) -> WorstLoss:
        return worst_of_shared(self)

    @property
    def limits(self) -> tuple[int, int, int]:
        return 1, 0, self.size

    def draw(self, rows: FloatArray, source: Source = ENTROPY) -> Integers:
        return Said(self).codes(rows, source).astype(np.int64)[:, None]

    def released(self, rows: Integers) -> FloatArray:
        """The numbers of reports, shape (n,)."""
        return rows[:, 0].astype(np.float64)

    def written(self, values: FloatArray) -> Integers:
        codes = np.asarray(values, dtype=np.float64)
        known = (codes >= 0) & (codes < self.size) & (codes == np.floor(codes))
        return np.where(known, codes, -1.0).astype(np.int64)[:, None]

    def kinds(self) -> Kinds:
        return SaidKinds(self)

    def kinds_near(self, values: Sequence[Value], n: int) -> Sequence[Kinds]:
        return ()

    def marks(self) -> Sequence[Iterator[tuple[str, Value]]]:
        parts = [table.marks() for table in self.tables]
        return tuple(chain.from_iterable(group) for group in zip(*parts, strict=True))

    def answers(self, query: Query) -> bool:
        return query in self.asked

    @property
    def answers_all(self) -> bool:
        return False

    def bits_within(self, extent: FloatArray) -> int:
        return self.bits

    def simulate(self, x: Any, rng: np.random.Generator) -> Simulated:
        """The number of one report for each person, from a seeded generator."""
        return Simulated(simulated_codes(self, x, rng))

    def contributions(self, reports: FloatArray, query: Query | None) -> FloatArray:
        """What each report counts for the query."""
        codes = self.written(np.ravel(reports))[:, 0]
        if (codes < 0).any():
            raise invalid("estimate", "reports", f"whole numbers from 0 to {self.size - 1}", "others")
        return np.asarray(self.counted(query)[codes].reshape(np.shape(reports)))

    def sums(self, counts: Counts, question: Question, which: Sequence[int]) -> Sums:
        """What counted reports add up to: every report counts for every query, most of them 0."""
        queries = [question.queries[k] for k in which]
        bias = max(self.largest_bias(query) for query in queries)
        return self._summed(counts, np.stack([self.counted(query) for query in queries], axis=1), bias)

    def bracket_sums(self, counts: Counts, question: Question, which: Sequence[int]) -> tuple[Sums, Sums] | None:
        queries = [question.queries[k] for k in which]
        if not question.plain or not all(hasattr(self.tables[self._which(query)], "inner") for query in queries):
            return None
        inner, outer = (np.stack([self.counted(q, name) for q in queries], axis=1) for name in ("inner", "outer"))
        return self._summed(counts, inner, 0.0), self._summed(counts, outer, 0.0)

    def _summed(self, counts: Counts, counted: FloatArray, bias: float) -> Sums:
        codes, times = counts.rows[:, 0], counts.times.astype(np.float64)
        blocks = repeated(counted[codes], times)
        moments = moments_of(blocks, counts.n, counted.shape[1])
        return Sums(counts.n, *moments, counted.min(axis=0), counted.max(axis=0), bias, blocks=blocks)
