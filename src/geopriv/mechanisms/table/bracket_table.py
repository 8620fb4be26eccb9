"""BracketTable: a table for one sharp question. Its reports hold the sharp share between two means."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np

from geopriv.mechanisms.counts import Counts
from geopriv.mechanisms.guarantee import Guarantee
from geopriv.mechanisms.sums import Moments, Sums, moments_of, repeated
from geopriv.mechanisms.table.any_table import AnyTable
from geopriv.mechanisms.table.bracketing import bracketed
from geopriv.mechanisms.table.brackets import border_of, excesses
from geopriv.mechanisms.table.integers import TOTAL
from geopriv.queries import Query
from geopriv.queries.priors import Prior, coordinates_under
from geopriv.queries.questions import Question
from geopriv.spaces.checks import FloatArray, count, invalid
from geopriv.spaces.notes import Note

# People per 1/ε near the border, where nothing is known: spread over 28/ε, as a Table takes them to be. Of a prior a
# tenth is taken from it, since a published table is never quite right.
_DENSITY, _DOUBT = 1 / 28, 0.1


@dataclass(frozen=True, eq=False)
class BracketTable(AnyTable):
    """One of a few letters, each of which counts something for a soft share and for both ends of the sharp one.

    The sharp set A is the query's plain set, which ends where f0 is one half. The mean of `values` is f0, that of
    `inner` is at most the indicator of A and that of `outer` at least that, at every coordinate: verified in exact
    arithmetic when one is made or read.

    Args:
        query: f = f0 ∘ s, with a step f0.
        guarantee: verified on the integers.
        lattice: increasing coordinates.
        values: what letters count for the soft share.
        weights: integers of shape (points, letters), every row summing to 2^60.
        inner: what letters count for the lower end of the sharp share.
        outer: for the upper end.

    >>> from geopriv import Threshold
    >>> m = BracketTable.for_plain(Threshold(at=100_000, width=16_000), epsilon=1 / 8000, people=100_000)
    >>> inner, outer = m.bracket_moments([-2000.0, 0.0, 2000.0])  # coordinates: USD above the line
    >>> inner.means.round(2) + 0.0, outer.means.round(2)
    (array([0.  , 0.  , 0.75]), array([0.25, 1.  , 1.  ]))
    """

    inner: Annotated[FloatArray, Note(minItems=1)] = field(repr=False)
    outer: Annotated[FloatArray, Note(minItems=1)] = field(repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("inner", "outer"):
            counted = getattr(self, name)
            if counted.shape != self.values.shape or not np.isfinite(counted).all():
                raise invalid("BracketTable", name, f"{self.values.size} finite numbers", counted.shape)
            counted = counted.copy()
            counted.setflags(write=False)
            object.__setattr__(self, name, counted)
        border, rising = border_of(self.query)
        excess = excesses(self.inner, self.outer, self.weights, self.lattice - border, rising)
        for name, over in zip(("inner", "outer"), excess, strict=True):
            if over > 0:
                rule = "such that the sharp answer is between inner and outer means at every coordinate"
                raise invalid("BracketTable", name, rule, f"{float(over):.3g} beyond it")

    @classmethod
    def for_plain(cls, query: Query, epsilon: float | str, people: int, prior: Prior | Any = None) -> BracketTable:
        """The table whose bracket of the sharp share is shortest, for so many people.

        Guarantee: (ε, 0, ∞)-GP, verified in exact integer arithmetic on the table that is used, at exact coordinates.

        Args:
            query: what is asked: a step between 0 and 1, alike from both sides of its middle.
            epsilon: per unit of distance, as a number or a sentence.
            people: how many are expected; to the nearest power of two.
            prior: a Prior, or an array of *public* values: the density of people near the border is theirs. By default
                they are even over 28/ε around it. It is for the worst of all populations that are nowhere denser.

        Raises:
            InvalidParameter: for a query that is no such step, or that rises over less than 0.01 or more than 16/ε.

        Reference: theory T5 and T14; docs/theory/tables.md.
        """
        rate = query.space.rate(epsilon)
        promise = Guarantee(
            rate, unit=query.space.distance_unit, reference="theory T1, T2 and T5, verified on integers"
        )
        density = _density(query, rate, prior)
        made = bracketed(query, rate, count("BracketTable", "people", people), density)
        letters = made.letters
        table = cls(query, promise, made.lattice, letters.soft, made.weights, letters.inner, letters.outer)
        if table.worst_step[0] > 1:
            worst = f"{float(table.worst_step[0]):.9g}·ε"
            raise invalid("BracketTable", "query", "one whose table can be verified", worst)
        return table

    def bracket_sums(self, counts: Counts, question: Question, which: Sequence[int]) -> tuple[Sums, Sums] | None:
        if not question.plain:
            return None
        letters, times = counts.rows[:, 0], counts.times.astype(np.float64)
        both = np.stack([self.inner, self.outer], axis=1)
        moments = moments_of(blocks := repeated(both[letters], times), counts.n, 2, together=False)
        sums = Sums(counts.n, *moments, both.min(axis=0), both.max(axis=0), 0.0, blocks=blocks)
        return sums.part(slice(0, 1)), sums.part(slice(1, 2))

    def bracket_moments(self, s: Any) -> tuple[Moments, Moments]:
        """Of what a report counts for both ends of the plain share, for people at coordinates.

        Means, mean squares and mean cubes are linear between lattice points. Of someone drawn at random, the variance
        of what the report counts is the expectation of the squares less the square of that of the means.
        """
        places, chances = np.asarray(s, dtype=np.float64), self.weights / TOTAL

        def of(counted: FloatArray) -> Moments:
            means, squares, cubes = (np.interp(places, self.lattice, chances @ counted**k) for k in (1, 2, 3))
            return Moments(means, squares, cubes, float(np.ptp(counted)))

        return of(self.inner), of(self.outer)


def _density(query: Query, rate: float, prior: Any) -> float:
    """The share of people per 1/ε, within 1/ε of the border."""
    if prior is None:
        return _DENSITY
    s, shares = coordinates_under("BracketTable", query, prior)
    near = np.abs(s - border_of(query)[0]) * rate <= 1
    return _DOUBT * _DENSITY + (1 - _DOUBT) * math.fsum(shares[near]) / 2
