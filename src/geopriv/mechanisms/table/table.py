"""Table: the best small report. A few values, integer probabilities, a guarantee checked in exact arithmetic."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any

import numpy as np

from geopriv.errors import InvalidParameter
from geopriv.mechanisms.counts import Counts
from geopriv.mechanisms.guarantee import Guarantee
from geopriv.mechanisms.sums import Sums
from geopriv.mechanisms.table.any_table import AnyTable
from geopriv.mechanisms.table.cache import relaxed_variance
from geopriv.mechanisms.table.design import alphabets, design, lattice_shares
from geopriv.mechanisms.table.spare import SpareRows
from geopriv.queries import Query
from geopriv.queries.priors import Prior
from geopriv.queries.questions import Question
from geopriv.spaces.checks import FloatArray, count, invalid
from geopriv.spaces.notes import Spare


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
class Table(AnyTable):
    """One of a few values, drawn with probabilities that are cubic in the coordinate between lattice points.

    At lattice point i value y has the integer weight w_i(y) out of 2^60; outside the lattice the end rows hold. Within
    a cell a second, spare row of each lattice point bends the law (without them it is linear). The mean report, the
    `target`, follows f0 closely and is what is estimated; `bias` is the difference.

    Args:
        query: f = f0 ∘ s.
        guarantee: verified on the integers.
        lattice: increasing coordinates.
        values: what may be reported.
        weights: integers of shape (points, values), every row summing to 2^60.
        spare: second rows of the lattice points, and how often each cell looks at them.

    >>> from geopriv import Threshold
    >>> m = Table.calibrate(Threshold(at=100_000, width=16_000), epsilon=1 / 8000)
    >>> m.bits, m.variance([100_000.0, 150_000.0]).round(3)
    (5, array([0.419, 0.002]))
    """

    spare: Annotated[SpareRows | None, Spare()] = field(default=None, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.spare is not None and self.spare.rows.shape != self.weights.shape:
            raise invalid("Table", "spare", f"made of rows of shape {self.weights.shape}", self.spare.rows.shape)

    @property
    def spare_rows(self) -> SpareRows | None:
        return self.spare

    @classmethod
    def calibrate(
        cls,
        query: Query,
        epsilon: float | str,
        values: Any = None,
        prior: Prior | Any = None,
        lattice: Any = None,
        report_range: tuple[float, float] | None = None,
        straight: bool = False,
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
            lattice: increasing coordinates between which probabilities are cubic; by default chosen from the profile
                and ε.
            report_range: keep only values within it, and its two ends. A narrower range means less leverage for a liar
                and more variance; see `tradeoff`.
            straight: whether probabilities are to be straight lines between lattice points, without spare rows: such
                tables can share a report (`SharedTables`), and have some 5 % more variance.

        Raises:
            InvalidParameter: when the values cannot follow the query, or the lattice is too coarse or too short for it.

        Reference: theory T5″; docs/theory/tables.md.
        """
        rate = query.space.rate(epsilon)
        promise = Guarantee(
            rate, unit=query.space.distance_unit, reference="theory T1, T2 and T5″, verified on integers"
        )
        made = design(query, rate, values, prior, lattice, report_range, straight)
        table = cls(query, promise, made.lattice, made.values, made.weights, made.spare)
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
        -0.625 to 1.625: 5 bits, 0.0551, 0.00225
        -0.560 to 1.560: 4 bits, 0.0558, 0.00212
        -0.520 to 1.520: 4 bits, 0.0564, 0.00204
        -0.560 to 1.560: 3 bits, 0.0586, 0.00212
        -0.520 to 1.520: 3 bits, 0.0588, 0.00204
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

    def program_bound(self, prior: Prior | Any = None) -> float:
        """A lower bound on the expected variance of every unbiased ε-GP report with these values (at `_between`).

        The program with e^c in place of 1 + c is a relaxation: every report that keeps the promise is among its
        solutions. Solving it takes some seconds; it is kept for the life of the process.

        Args:
            prior: as in `calibrate`; the same one, to compare with `expected_variance`.

        Reference: theory T5.
        """
        heights, shares = self.query.profile(self._between), lattice_shares(self.query, self._between, prior)
        return relaxed_variance(self._between * self.guarantee.epsilon, heights, self.values, shares)

    def excess(self, prior: Prior | Any = None) -> float:
        """Expected variance at the places of `program_bound` over it: 1.01 is within 1 % of the best possible."""
        shares = lattice_shares(self.query, self._between, prior)
        return float(shares @ self.variance_at(self._between)) / self.program_bound(prior)

    @cached_property
    def _between(self) -> FloatArray:
        """Lattice points, and with spare rows the middles of cells: a bound at lattice points only leaves cells out."""
        if self.spare is None:
            return self.lattice
        return np.sort(np.concatenate([self.lattice, (self.lattice[:-1] + self.lattice[1:]) / 2]))

    def bracket_sums(self, counts: Counts, question: Question, which: Sequence[int]) -> tuple[Sums, Sums] | None:
        return None
