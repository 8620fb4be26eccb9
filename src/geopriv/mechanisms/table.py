"""Table: the best small report. A few values, integer probabilities, a guarantee checked in exact arithmetic."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from geopriv.checks import FloatArray, invalid, numbers, same_fields
from geopriv.mechanisms.base import Mechanism, Simulated
from geopriv.mechanisms.table_program import Program, default_lattice, default_values, solve
from geopriv.privacy import Guarantee
from geopriv.profiles import Profile
from geopriv.queries import Query

Integers = npt.NDArray[np.int64]

TOTAL = 1 << 60  # the sum of every row of integer weights
_LESS = 2e-5  # the part of ε kept for rounding
_FLOOR = 2.0**-38  # the least probability of a value that is used at all: rounding it to 2^-60 costs a part in 10^6


@dataclass(frozen=True, eq=False)
class Table(Mechanism):
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

    query: Query
    guarantee: Guarantee
    lattice: FloatArray = field(repr=False)
    values: FloatArray
    weights: Integers = field(repr=False)

    def __post_init__(self) -> None:
        shape = (self.lattice.size, self.values.size)
        if self.lattice.ndim != 1 or self.lattice.size < 2 or not (np.diff(self.lattice) > 0).all():
            raise invalid("Table", "lattice", "at least two increasing coordinates", self.lattice.shape)
        if self.weights.dtype != np.int64 or self.weights.shape != shape:
            raise invalid("Table", "weights", f"64-bit integers of shape {shape}", self.weights.shape)
        if not (np.isfinite(self.lattice).all() and np.isfinite(self.values).all()):
            raise invalid("Table", "values", "finite, and the lattice too", self.values.shape)

    @classmethod
    def calibrate(cls, query: Query, epsilon: float | str, values: Any = None, prior: Any = None) -> Table:
        """The mechanism for a query at a rate.

        Guarantee: (ε, 0, ∞)-GP, verified in exact integer arithmetic on the table that is used.

        Args:
            query: what is asked; its answers must be bounded.
            epsilon: per unit of distance, as a number or a sentence.
            values: what may be reported; by default chosen from the profile and ε. Must include what f0 is on its
                plateaus. A narrower range means fewer bits, less leverage for a liar and more variance.
            prior: *public* values of the space over which the expected variance is least; never the data being
                collected. By default coordinates are uniform on the lattice.

        Raises:
            InvalidParameter: when the given values cannot follow the query.

        Reference: theory T5; docs/guarantees.md.
        """
        rate = query.space.rate(epsilon)
        unit_profile = query.profile.stretched(1 / rate)
        letters = default_values(unit_profile) if values is None else np.unique(numbers("Table", "values", values, 2))
        where = None if prior is None else tuple(np.sort(query.coordinate(prior).ravel() * rate).tolist())
        program = _best_program(unit_profile, tuple(letters.tolist()), where)
        weights = _integers(program)
        used = weights.any(axis=0)
        promise = Guarantee(
            rate, unit=query.space.distance_unit, reference="theory T1, T2 and T5, verified on integers"
        )
        table = cls(query, promise, program.lattice / rate, program.values[used], weights[:, used])
        if table.worst_step[0] > 1:
            raise invalid("Table", "query", "one whose table can be verified", f"{float(table.worst_step[0]):.9g}·ε")
        return table

    def __eq__(self, other: object) -> bool:
        return same_fields(self, other)

    def __hash__(self) -> int:
        return hash((self.query, self.guarantee, self.lattice.tobytes(), self.weights.tobytes()))

    @cached_property
    def unbiased(self) -> bool:
        """Whether the target is f0 itself, to within 1e-6 everywhere."""
        return self.largest_bias <= 1e-6

    @cached_property
    def largest_bias(self) -> float:
        """The largest |target − f0| seen on a fine grid over the lattice and beyond."""
        ends = np.array([self.lattice[0], self.lattice[-1]]) + np.array([-1, 1]) * np.ptp(self.lattice)
        s = np.concatenate([*(np.linspace(a, b, 9) for a, b in pairwise(self.lattice)), ends])
        return float(np.abs(self._moment(s, 1) - self.query.profile(s)).max())

    @cached_property
    def worst_step(self) -> tuple[Fraction, int, int]:
        """The largest |w_{i+1} − w_i|/(ε·δ_i·min(w_i, w_{i+1})), exactly, and the cell and value where it is.

        Linear interpolation has the slope (w_{i+1} − w_i)/δ_i on a cell and is at least the smaller end, so this is
        the largest |∂ ln K/∂s| over ε (theory T5): the promise holds if it is at most 1. Rows that do not sum to 2^60,
        and a value that is possible on one side of a cell only, count as an infinite loss.
        """
        broken = Fraction(10**9)
        rate, places = Fraction(self.guarantee.epsilon), [Fraction(s) for s in self.lattice.tolist()]
        rows = self.weights.tolist()
        worst = Fraction(0), 0, 0
        for i, row in enumerate(rows):
            if sum(row) != TOTAL or min(row) < 0:
                return broken, min(i, len(rows) - 2), 0
        for i, (here, there) in enumerate(pairwise(rows)):
            allowed = rate * (places[i + 1] - places[i])
            for j, (a, b) in enumerate(zip(here, there, strict=True)):
                low = min(a, b)
                step = Fraction(abs(a - b), low) / allowed if low else (broken if a != b else Fraction(0))
                if step > worst[0]:
                    worst = step, i, j
        return worst

    @property
    def bits(self) -> int:
        """How many bits a report takes."""
        return max(1, math.ceil(math.log2(self.values.size)))

    def probabilities(self, s: FloatArray) -> FloatArray:
        """The law of the report at coordinates s, shape (..., values)."""
        cell, share = self._place(s)
        rows = self.weights / TOTAL
        return np.asarray((1 - share)[..., None] * rows[cell] + share[..., None] * rows[cell + 1])

    def simulate(self, x: Any, rng: np.random.Generator) -> Simulated:
        """One value for each person, from a seeded generator."""
        from geopriv.sampling.table_reports import simulate_letters

        return Simulated(self.values[simulate_letters(self, self.query.coordinate(x), rng)])

    def target(self, x: Any) -> FloatArray:
        """E[report] for each value."""
        return self._moment(self.query.coordinate(x), 1)

    def bias(self, x: Any) -> FloatArray:
        """E[report] − f(x) for each value, exactly: what interpolation between lattice points leaves."""
        return self.target(x) - self.query(x)

    def variance(self, x: Any) -> FloatArray:
        """The variance of the report for each value, exactly."""
        s = self.query.coordinate(x)
        return np.asarray(np.maximum(self._moment(s, 2) - self._moment(s, 1) ** 2, 0.0))

    def contributions(self, reports: FloatArray, query: Query | None) -> FloatArray:
        """The reports themselves."""
        if query is not None and query != self.query:
            raise invalid("estimate", "query", f"the one that was asked, {self.query}", query)
        return reports

    def _moment(self, s: FloatArray, order: int) -> FloatArray:
        rows = (self.weights / TOTAL) @ self.values**order
        return np.asarray(np.interp(s, self.lattice, rows))

    def _place(self, s: FloatArray) -> tuple[npt.NDArray[np.intp], FloatArray]:
        """The cell of each coordinate and how far along it is, 0 to 1; the nearest end outside the lattice."""
        inside = np.clip(s, self.lattice[0], self.lattice[-1])
        cell = np.clip(np.searchsorted(self.lattice, inside, side="right") - 1, 0, self.lattice.size - 2)
        return cell, (inside - self.lattice[cell]) / (self.lattice[cell + 1] - self.lattice[cell])


@lru_cache(maxsize=64)
def _best_program(profile: Profile, values: tuple[float, ...], prior: tuple[float, ...] | None) -> Program:
    lattice = default_lattice(profile)
    width = np.gradient(lattice)
    weight = width / width.sum()
    if prior is not None:
        if not prior:
            raise invalid("Table", "prior", "at least one value", "none")
        edges = np.concatenate([[-np.inf], (lattice[1:] + lattice[:-1]) / 2, [np.inf]])
        seen = np.histogram(prior, edges)[0] / len(prior)
        weight = 0.999 * seen + 0.001 * weight
    # the lattice a little shorter, so that the program is solved for a little less than ε
    shorter = lattice * (1 - _LESS)
    program = solve(profile.stretched(1 / (1 - _LESS)), shorter, np.asarray(values), weight)
    return Program(lattice, program.values, program.probabilities, program.expected_square)


def _integers(program: Program) -> Integers:
    """Integer weights in which neighbouring rows keep the ratios that the program allows.

    The solver's violations are tiny but absolute, hence large beside tiny probabilities. So unused values are dropped,
    and each other column is replaced by its least majorant above a small floor that keeps 1 + c in every cell. (The
    larger of two columns that keep it keeps it.) Then only relative errors are left, from normalising the rows, from
    rounding, and from what the largest entry of a row takes up. They are what a part of ε was kept for.
    """
    used = program.probabilities.max(axis=0) > 1e-7
    columns = np.maximum(program.probabilities[:, used], _FLOOR)
    keep = 1 / (1 + np.diff(program.lattice) * (1 - _LESS))
    for i in range(len(columns) - 1):
        columns[i + 1] = np.maximum(columns[i + 1], columns[i] * keep[i])
    for i in reversed(range(len(columns) - 1)):
        columns[i] = np.maximum(columns[i], columns[i + 1] * keep[i])
    columns /= columns.sum(axis=1, keepdims=True)
    weights = np.zeros(program.probabilities.shape, dtype=np.int64)
    weights[:, used] = np.rint(columns * TOTAL).astype(np.int64)
    rows = np.arange(len(weights))
    weights[rows, weights.argmax(axis=1)] += TOTAL - weights.sum(axis=1)
    return weights
