"""VectorTable: one table for several queries on a line. A letter counts something for each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Annotated, Any

import numpy as np

from geopriv.mechanisms.counts import Counts
from geopriv.mechanisms.guarantee import Guarantee
from geopriv.mechanisms.sums import Sums, moments_of, repeated
from geopriv.mechanisms.table.any_table import AnyTable
from geopriv.mechanisms.table.rows import Rows
from geopriv.mechanisms.table.target import Target
from geopriv.mechanisms.table.vectoring import MOST, along, vectored
from geopriv.queries import Query, Threshold, common_space
from geopriv.queries.priors import Prior
from geopriv.queries.questions import Question
from geopriv.spaces.checks import FloatArray, invalid
from geopriv.spaces.notes import Note

_VECTORS = Note(
    minItems=1,
    items={"type": "array", "minItems": 1, "items": {"type": "number"}},
    description="What letters count for each of the other queries: for analysts, it changes no report.",
)


@dataclass(frozen=True, eq=False)
class VectorTable(AnyTable):
    """One of a few letters, each of which counts something for every one of several queries on a line.

    The mean of what letters count for a query is that query, piecewise linear in the first one's coordinate.

    Args:
        query: the first, whose coordinate tells where on the line somebody is.
        guarantee: verified on the integers.
        lattice: increasing coordinates.
        values: what letters count for the first query.
        weights: integers of shape (points, letters), every row summing to 2^60.
        others: the other queries.
        vectors: what letters count for each of them, of shape (others, letters).

    >>> from geopriv import Threshold
    >>> asked = [Threshold(at=at, width=8_000) for at in (50_000, 60_000)]
    >>> m = VectorTable.calibrate(asked, epsilon=1 / 8000)
    >>> bias, variance = m.moments([40_000.0, 50_000.0, 55_000.0, 60_000.0], asked[1])
    >>> bool(abs(bias).max() < 1e-6), variance.round(1)
    (True, array([0.4, 1. , 1.5, 1.7]))
    """

    others: Annotated[tuple[Query, ...], Note(minItems=1)]
    vectors: Annotated[FloatArray, _VECTORS] = field(repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        common_space("VectorTable", self.asked)
        if len(set(self.asked)) < len(self.asked):
            raise invalid("VectorTable", "others", "queries that differ", len(self.others))
        shape = (len(self.others), self.values.size)
        if self.vectors.shape != shape or not np.isfinite(self.vectors).all():
            raise invalid("VectorTable", "vectors", f"finite numbers of shape {shape}", self.vectors.shape)
        vectors = self.vectors.copy()
        vectors.setflags(write=False)
        object.__setattr__(self, "vectors", vectors)
        along(self.asked, self.lattice[:1])  # refuses a coordinate that does not tell x

    @classmethod
    def calibrate(cls, queries: Sequence[Query], epsilon: float | str, prior: Prior | Any = None) -> VectorTable:
        """The table for some queries at a rate, of which each report answers all.

        Guarantee: (ε, 0, ∞)-GP, verified in exact integer arithmetic on the table that is used, at exact coordinates.

        Args:
            queries: two to eight on one line, made of straight pieces. A threshold among them comes first; where there
                is none, that of the first range's lower edge is answered too.
            epsilon: per unit of distance, as a number or a sentence.
            prior: a Prior, or an array of *public* values, over which the mean of the queries' expected variances is
                least; never the data being collected. By default coordinates are uniform on the lattice.

        Raises:
            InvalidParameter: for other queries, for those that are further apart than 40/ε, and where no table can
                follow them.

        Reference: theory T5; docs/theory/tables.md.
        """
        asked, space = common_space("VectorTable", queries)
        rate = space.rate(epsilon)
        promise = Guarantee(rate, unit=space.distance_unit, reference="theory T1, T2 and T5, verified on integers")
        asked = tuple(dict.fromkeys(asked))
        if not 2 <= len(asked) <= MOST:
            raise invalid("VectorTable", "queries", f"2 to {MOST} that differ", len(asked))
        asked = tuple(sorted(asked, key=_is_folded))
        if _is_folded(asked[0]):
            asked = (_lower_edge(asked[0]), *asked)
        made = vectored(asked, rate, prior)
        counted = made.counted.T
        table = cls(asked[0], promise, made.lattice, counted[0], made.weights, asked[1:], counted[1:])
        if table.worst_step[0] > 1:
            worst = f"{float(table.worst_step[0]):.9g}·ε"
            raise invalid("VectorTable", "queries", "such that their table can be verified", worst)
        return table

    @property
    def asked(self) -> tuple[Query, ...]:
        return (self.query, *self.others)

    def answers(self, query: Query) -> bool:
        return query in self.asked

    def part(self, query: Query | None) -> Rows:
        """The same law with what letters count for one query as its values.

        Raises:
            InvalidParameter: for a query that was not asked.
        """
        if query not in self._parts:
            raise invalid("VectorTable", "query", "one of those that were asked", query)
        return self._parts[query]

    @cached_property
    def _parts(self) -> dict[Query | None, Rows]:
        counted = (self.values, *self.vectors)
        rows = (Rows(self.query, self.guarantee, self.lattice, values, self.weights) for values in counted)
        return dict(zip(self.asked, rows, strict=True))

    @cached_property
    def unbiased(self) -> bool:
        """Whether every query is followed to within 1e-6 everywhere."""
        return max(self._biases.values()) <= 1e-6

    def largest_bias(self, query: Query | None = None) -> float:
        """The largest |mean − f| seen on a fine grid over the lattice and beyond, of one query or of all."""
        return max(self._biases.values()) if query is None else self._biases[query]

    @cached_property
    def _biases(self) -> dict[Query, float]:
        ends = np.array([self.lattice[0], self.lattice[-1]]) + np.array([-1, 1]) * np.ptp(self.lattice)
        s = np.concatenate([*(np.linspace(a, b, 9) for a, b in pairwise(self.lattice)), ends])
        truth = along(self.asked, s).T
        return {
            query: float(np.abs(self.part(query).mean_at(s) - f).max())
            for query, f in zip(self.asked, truth, strict=True)
        }

    def target_of(self, query: Query) -> Query:
        return query if self.unbiased else Target(self.part(query))

    def moments(self, x: Any, query: Query) -> tuple[FloatArray, FloatArray]:
        """Bias and variance of what a report adds to a query, for each value, exactly."""
        part, s = self.part(query), self.query.coordinate(x)
        return np.asarray(part.mean_at(s) - query(x)), part.variance_at(s)

    def contributions(self, reports: FloatArray, query: Query | None) -> FloatArray:
        """What each report counts for a query."""
        counted, letters = self.part(query).values, self.written(np.asarray(reports).reshape(-1))[:, 0]
        if (letters < 0).any():
            raise invalid("VectorTable", "reports", "values of the table", "others")
        return np.asarray(counted[letters]).reshape(np.shape(reports))

    def sums(self, counts: Counts, question: Question, which: Sequence[int]) -> Sums:
        """What counted reports add up to, for some of a question's queries, with how they go together."""
        asked = [question.queries[k] for k in which]
        counted = np.stack([self.part(query).values for query in asked], axis=1)
        letters, times = counts.rows[:, 0], counts.times.astype(np.float64)
        moments = moments_of(blocks := repeated(counted[letters], times), counts.n, len(asked))
        bias = max(self.largest_bias(query) for query in asked)
        return Sums(counts.n, *moments, counted.min(axis=0), counted.max(axis=0), bias, blocks=blocks)

    def bracket_sums(self, counts: Counts, question: Question, which: Sequence[int]) -> tuple[Sums, Sums] | None:
        return None


def _is_folded(query: Query) -> bool:
    """Whether two places of the line have one coordinate, as of a range."""
    sides = query.geometry.points_at(np.zeros(1))
    return sides is None or len(sides) > 1


def _lower_edge(query: Query) -> Query:
    """The threshold over whose edge a range rises."""
    knots = query.knots
    if knots is None or query.space.dimension > 1:
        raise invalid("VectorTable", "queries", "made of straight pieces on a line", query)
    start, end = (float(np.ravel(knot)[0]) for knot in knots[:2])
    middle = np.full((1, *query.space.point_shape), (start + end) / 2)
    return Threshold(float(query.space.values(middle)[0]), end - start, query.space)
