"""WalkingLattice: reports of several rounds, each the last one moved by a private increment (theory T15)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Any

import numpy as np

from geopriv.device.walks import METRIC, MOST
from geopriv.errors import ReportRejected
from geopriv.mechanisms.counts import Counts
from geopriv.mechanisms.guarantee import Guarantee, Trajectories
from geopriv.mechanisms.kinds import Kinds, Value
from geopriv.mechanisms.lattice.kinds import boxes_near
from geopriv.mechanisms.lattice.lattice import Lattice
from geopriv.mechanisms.lattice.loss import worst_of_cells
from geopriv.mechanisms.lattice.marks import cell_marks
from geopriv.mechanisms.lattice.stepping import BehindSteps, FirstStep, OnWay, StepKinds
from geopriv.mechanisms.lattice.walked import contributions, told, walk_bias, walk_sums
from geopriv.mechanisms.loss.worst import WorstLoss
from geopriv.mechanisms.reports import Simulated
from geopriv.mechanisms.sendable import Integers, Sendable
from geopriv.mechanisms.sums import Sums
from geopriv.noise.entropy import ENTROPY, Source
from geopriv.queries import Query
from geopriv.queries.questions import Question
from geopriv.spaces import Space
from geopriv.spaces.checks import FloatArray, count, invalid
from geopriv.spaces.notes import Note, Positive, Vector

_WHOLE = 1 << 53  # cells that floats tell apart
_NOISE = 20.0  # in units of 1/ε and of the root of how many rounds there are
_NAME = "WalkingLattice"


@dataclass(frozen=True)
class WalkingLattice(Sendable):
    """A cell of a line in each of several rounds: y_t = y_{t−1} + L(x_t − x_{t−1}), where L is a Lattice on a line.

    The increment is that of the exact values, its rounding and its noise are fresh, and the first one starts at the
    public origin. A report is three whole numbers: the round, how many steps the walk has taken (fewer than rounds for
    who has skipped some), and the cell. The first two are told openly.

    Guarantee: the reports of all rounds together are exp(ε·D)-indistinguishable, with
    D = |x₁ − x'₁| + Σ |(x_t − x_{t−1}) − (x'_t − x'_{t−1})| over the rounds in which a person reported, if who reports
    when does not depend on values. Not exp(ε·|x_t − x'_t|) of each round.

    Args:
        space: a Line or LogLine.
        guarantee: what `on_grid` proved, on trajectories.
        step: the width of a cell, in the unit of distance.
        theta: θ, rational, at most ε·step.
        origin: the point of cell 0, public.
        rounds: how many there are.

    >>> from geopriv import Line
    >>> m = WalkingLattice.on_grid(Line("USD"), 1 / 8000, 800.0, rounds=4)
    >>> round(m.increment.cell_noise.variance * m.step**2 / 8000**2, 3)     # of each step's noise, in (1/ε)²
    2.2
    >>> print(m.guarantee)
    0.000125 per USD, of all rounds together: two who stay 2,000 USD apart look alike up to a factor 1.29, and each
    move that one makes and the other does not counts as much again as it is long

    Reference: theory T15.
    """

    space: Space
    guarantee: Trajectories
    step: Positive
    theta: Fraction
    origin: Vector
    rounds: Annotated[int, Note(minimum=2, maximum=MOST)]

    def __post_init__(self) -> None:
        _require_line(self.space)
        if (self.guarantee.metric, self.guarantee.unit) != (METRIC, self.space.distance_unit):
            raise invalid(_NAME, "guarantee", f"on {METRIC}, in the unit of the space", str(self.guarantee))
        if not 2 <= count(_NAME, "rounds", self.rounds) <= MOST:
            raise invalid(_NAME, "rounds", f"between 2 and {MOST}", self.rounds)
        object.__setattr__(self, "origin", self.increment.origin)

    @classmethod
    def on_grid(cls, space: Space, rate: float, step: float, rounds: int, origin: float = 0.0) -> WalkingLattice:
        """The mechanism for a rate on a given grid, with the largest θ that has a denominator of 2^24.

        Guarantee: that of the class.

        Args:
            space: a Line or LogLine.
            rate: ε.
            step: of the grid.
            rounds: how many there are.
            origin: of the grid, public: where everybody starts.
        """
        _require_line(space)
        law = Lattice.on_grid(space, rate, step, (origin,))
        promise = replace(law.guarantee, metric=METRIC, reference="theory T15, of increments by T8, θ verified exactly")
        return cls(space, promise, step, law.theta, (origin,), rounds)

    @cached_property
    def increment(self) -> Lattice:
        """The mechanism L by which every increment is reported, with the promise of one increment."""
        own = Guarantee(self.guarantee.epsilon, unit=self.guarantee.unit, reference="theory T5 and T8")
        return Lattice(self.space, own, self.step, self.theta, self.origin)

    @property
    def spent(self) -> Fraction:
        return self.increment.spent

    @property
    def unbiased(self) -> bool:
        """False, since it depends on the query: `largest_bias` says."""
        return False

    @property
    def has_target(self) -> bool:
        return True

    def largest_bias(self, query: Query | None = None) -> float:
        """A bound on |E[contribution] − f| in the last round, over all walks: a rounding in every step."""
        return math.nan if query is None else self.rounds * walk_bias(self.increment, query)

    def moments(self, x: Any, query: Query) -> tuple[FloatArray, FloatArray]:
        """Of who reports for the first time, exactly those of the increment."""
        return self.increment.moments(x, query)

    @property
    def report_shape(self) -> tuple[int, ...]:
        return (3,)

    def releases(self) -> list[FirstStep]:
        return [FirstStep(self.increment)]

    def worst_loss(self) -> WorstLoss:
        """That of an increment, over its distance: by T15 that of trajectories over D."""
        return worst_of_cells(self.increment)

    @property
    def limits(self) -> tuple[int, int, int]:
        return 3, 1 - _WHOLE, _WHOLE

    @property
    def ends(self) -> tuple[tuple[int, int], ...]:
        return (1, self.rounds + 1), (1, self.rounds + 1), (1 - _WHOLE, _WHOLE)

    @property
    def ordered(self) -> tuple[tuple[int, int], ...]:
        """No walk has taken more steps than there were rounds: each is undone, and adds to what a report can move."""
        return ((1, 0),)

    def draw(self, rows: FloatArray, source: Source = ENTROPY) -> Integers:
        """The reports of people who begin in the first round."""
        return FirstStep(self.increment).draw(rows, source).astype(np.int64)

    def walked(self, values: FloatArray, source: Source = ENTROPY) -> Integers:
        """Exact reports of whole walks, shape (n, rounds, 3): what devices send that are asked in every round.

        Guarantee: the exact law of T15 for float values, by the law and the bits of devices; for tests and studies,
        since nothing is kept of where people are, or of what was spent.

        Args:
            values: one row a person, one column a round, in the public range; not-a-number where a round is skipped,
                of which the report is zeros.
            source: of random bits.
        """
        shape = np.shape(values)
        if len(shape) != 2 or not 1 <= shape[1] <= self.rounds:
            raise invalid(_NAME, "values", f"of shape (people, up to {self.rounds} rounds)", shape)
        values = np.asarray(values, dtype=np.float64)
        found, last = np.zeros((*shape, 3), dtype=np.int64), np.full(shape[0], np.nan)
        steps, cells = np.zeros((2, shape[0]), dtype=np.int64)
        for k, column in enumerate(values.T):
            here, begun = ~np.isnan(column), ~np.isnan(last)
            for plan, who in ((FirstStep(self.increment).first, here & ~begun), (OnWay(self.increment), here & begun)):
                rows = np.stack([last, column], axis=1)[who][:, -plan.columns :]
                cells[who] += plan.draw(rows, source)[:, 0].astype(np.int64)
            steps += here
            last = np.where(here, column, last)
            found[here, k] = np.stack([np.full(shape[0], k + 1), steps, cells], axis=1)[here]
        return found

    def released(self, rows: Integers) -> FloatArray:
        return rows.astype(np.float64).reshape(-1, 3)

    def written(self, values: FloatArray) -> Integers:
        return np.asarray(values).reshape(-1, 3).astype(np.int64)

    def kinds(self) -> Kinds:
        """All reports of who begins in the first round together; others nobody makes who does."""
        return StepKinds()

    def kinds_near(self, values: Sequence[Value], n: int) -> Sequence[Kinds]:
        return [BehindSteps(kinds) for kinds in boxes_near(self.increment, values, n)]

    def marks(self) -> Sequence[Iterator[tuple[str, Value]]]:
        return (cell_marks(self.increment),)

    @property
    def forms(self) -> tuple[str, ...]:
        return "share", "mean", "total"

    def answers(self, query: Query) -> bool:
        """Whether noise of all rounds can be undone: of values, and of edges with a bounded bend."""
        return query.space == self.space and told(self.increment, query, self.rounds)

    @property
    def answers_all(self) -> bool:
        return False

    def bits_within(self, extent: FloatArray) -> int:
        reach = np.asarray(extent) + 2 * _NOISE * math.sqrt(self.rounds) / self.guarantee.epsilon
        return 2 * math.ceil(math.log2(self.rounds + 1)) + int(np.ceil(np.log2(reach / self.step)).sum())

    def noise_reach(self, n: int, chance: float) -> int:
        """By how many cells at most n reports of the last round are off, roundings included, but for a chance.

        Each of R noises of each report is within its own reach but for a part of the chance.
        """
        return self.rounds * (1 + self.increment.noise_reach(n * self.rounds, chance))

    def simulate(self, x: Any, rng: np.random.Generator) -> Simulated:
        """Reports of the first round, from a seeded generator."""
        cells = np.asarray(self.increment.simulate(x, rng).values)
        return Simulated(np.stack([np.ones_like(cells), np.ones_like(cells), cells], axis=-1))

    def contributions(self, reports: FloatArray, query: Query | None) -> FloatArray:
        """The stencil, once for each step that was taken, on f around each reported cell."""
        if query is None:
            raise invalid("estimate", "query", "given, since a report can answer several", query)
        rows = np.asarray(reports, dtype=np.float64).reshape(-1, 3)
        if not (np.isfinite(rows) & (rows == np.rint(rows))).all() or (rows[:, :2] < 1).any():
            raise ReportRejected("Reports of a WalkingLattice must be a round, its steps and a cell, in whole numbers.")
        return contributions(self.increment, query, rows[:, 1], rows[:, 2])[0]

    def sums(self, counts: Counts, question: Question, which: Sequence[int]) -> Sums:
        """What counted reports of one round add up to, for some of a question's queries.

        Raises:
            ReportRejected: for reports of several rounds.
        """
        return walk_sums(self.increment, counts, [question.queries[k] for k in which])


def _require_line(space: Space) -> None:
    if space.dimension != 1 or not space.flat:
        raise invalid(_NAME, "space", "a Line or LogLine", space)
