"""Lattice: an integer report that answers every query, private for every real x."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from geopriv.mechanisms.counts import Counts
from geopriv.mechanisms.guarantee import Guarantee
from geopriv.mechanisms.kinds import Kinds, Value
from geopriv.mechanisms.lattice.cells import LEAST, MOST, Cells
from geopriv.mechanisms.lattice.grid import (
    choose_grid,
    choose_round_step,
    grids_that_follow,
    require_flat_space,
    require_queries,
)
from geopriv.mechanisms.lattice.kinds import boxes_near
from geopriv.mechanisms.lattice.loss import worst_of_cells
from geopriv.mechanisms.lattice.marks import cell_marks
from geopriv.mechanisms.lattice.moments import distinct
from geopriv.mechanisms.lattice.noises.base import CellNoise
from geopriv.mechanisms.lattice.noises.product import ProductNoise
from geopriv.mechanisms.lattice.noises.round import ROUNDEST, RoundNoise
from geopriv.mechanisms.lattice.reports import OnLattice
from geopriv.mechanisms.lattice.round_kinds import round_kinds_near
from geopriv.mechanisms.lattice.sums import bracket_sums, lattice_sums, map_sums
from geopriv.mechanisms.loss.worst import WorstLoss
from geopriv.mechanisms.reports import Simulated
from geopriv.mechanisms.sendable import Integers, Sendable
from geopriv.mechanisms.simulation import simulate
from geopriv.mechanisms.sums import Sums
from geopriv.noise.entropy import ENTROPY, Source
from geopriv.queries import Query
from geopriv.queries.brackets import Bracket
from geopriv.queries.questions import Question
from geopriv.spaces import Space
from geopriv.spaces.checks import FloatArray, invalid, positive

Noise = Literal["product", "round"]
_DENOMINATOR = 1 << 24
_WHOLE = 1 << 53  # cells that floats tell apart
_WIDEST = 1 << 12  # cells over which a bracket may fade
_NOISE = 20.0  # in units of 1/ε: what lies farther out has a chance of e^-20


@dataclass(frozen=True)
class Lattice(Cells, Sendable):
    """A cell of a public grid: x rounded at random to a neighbour on each axis, plus noise in whole numbers.

    On each axis x lies between the cells i and i + 1, at the fraction λ, and goes up with probability λ. Then the cell
    is moved. On a line by m with probability θ/(2 + θ)·(1 + θ)^−|m|; in more dimensions by a vector k with probability
    ∝ (1 + θ)^−√(|k|² + C) (round noise), or by the first law on each axis for itself (product noise). The report is a
    vector of whole numbers, and answers every query that is smooth enough: round noise is undone by its spectrum, on a
    line and for product noise the stencil (1 + 2c)·f(k) − c·(f(k − 1) + f(k + 1)) with c = (1 + θ)/θ², applied along
    each axis, undoes it for any f. The mean is the multilinear interpolant of f on the grid; `bias` is what it leaves.

    Rough f costs variance, the more the finer the grid (c is about 1/(ε·step)²): on a line a jump costs of the order of
    c^(3/2) and a kink c^(1/2). Prefer queries that are smooth over several 1/ε; on a line let `calibrate` put kinks on
    cells, in the plane ask about `Blurred` regions, which round noise needs.

    Args:
        space: a Line, LogLine, Plane, Euclidean or LocalPlane.
        guarantee: what `calibrate` proved.
        step: the width of a cell, in the unit of distance.
        theta: θ, rational, with d·θ² ≤ (ε·step)², or with θ ≤ ε·step where there is a core.
        origin: the point of cell (0, …, 0), public.
        core: C of round noise in two and more dimensions; None where each axis has noise of its own.

    >>> from geopriv import Line, Threshold
    >>> query = Threshold(at=100_000, width=16_000, space=Line("USD"))
    >>> m = Lattice.calibrate(Line("USD"), "1 per 8,000 USD", queries=[query])
    >>> m.step, m.origin, m.variance([100_000.0, 150_000.0], query).round(3)
    (5333.333333333333, (92000.0,), array([0.836, 0.015]))
    """

    @classmethod
    def calibrate(
        cls,
        space: Space,
        epsilon: float | str,
        step: float | None = None,
        queries: Iterable[Query] | None = None,
        largest_bias: float = 1e-3,
        noise: Noise | None = None,
    ) -> Lattice:
        """The mechanism for a space at a rate.

        Guarantee: (ε, 0, ∞)-GP for every real x. On each axis the law is linear between cells whose laws differ by a
        factor of at most 1 + θ, so |∂ ln p| ≤ θ/step ≤ ε/√d (T5), and along a unit vector the d axes add up to at most
        ε. Positions must be exact: `place_exactly` makes them so for every point that is a float, which on a Line, a
        Plane and in Euclidean spaces every value is; `report` and devices do so everywhere.

        Args:
            space: a Line, LogLine, Plane, Euclidean or LocalPlane of at most six axes.
            epsilon: per unit of distance, as a number or a sentence.
            step: of the grid; by default 0.1/ε on a line and 0.02/ε elsewhere, or what the queries ask for.
            queries: public, for which the grid is chosen. On a line their kinks are put on cells if a grid can do so.
                Of the steps that leave little enough bias the one of the least variance is taken, between 0.1/ε and
                0.8/ε, and a finer one only if it must be.
            largest_bias: that the queries may have.
            noise: "round" or "product", see `on_grid`; by default round in two and more dimensions, if it can be undone
                for all the queries. Rough ones need product noise.

        Raises:
            InvalidParameter: for the Earth, for steps that leave nothing of θ, and for queries that no sensible grid
                can follow.

        Reference: theory T8; docs/theory/lattices.md.
        """
        require_flat_space(space)
        rate, asked = space.rate(epsilon), tuple(queries or ())
        if noise not in (None, "product", "round"):
            raise invalid("Lattice", "noise", '"round", "product" or None', noise)
        if step is not None:
            if asked:
                raise invalid("Lattice", "queries", "left out where a step is given", asked)
            usual: Noise = "round" if space.dimension > 1 else "product"
            return cls.on_grid(space, rate, positive("Lattice", "step", step), noise=noise or usual)
        most = positive("Lattice", "largest_bias", largest_bias)
        found = None if noise == "product" else cls.rounded(space, rate, asked, most)
        if found is not None:
            return found
        if noise == "round" and space.dimension > 1:
            rule = f"smooth enough for round noise and a bias of {most:g}: GaussianKernel or Blurred ones"
            raise invalid("Lattice", "queries", rule, asked)
        return choose_grid(lambda step, origin: cls.on_grid(space, rate, step, origin), space, rate, asked, most)

    @classmethod
    def rounded(
        cls, space: Space, rate: float, queries: tuple[Query, ...] = (), largest_bias: float = 1e-3
    ) -> Lattice | None:
        """The mechanism with round noise on the grid that suits queries; None on a line, and for too rough ones."""
        require_queries(space, queries)
        step = choose_round_step(space, rate, queries, largest_bias) if space.dimension > 1 else None
        found = None if step is None else cls.on_grid(space, rate, step, noise="round")
        return found if found is None or all(map(found.undoing.undoes, queries)) else None

    @classmethod
    def candidates(
        cls, space: Space, rate: float, queries: tuple[Query, ...], largest_bias: float, marks: tuple[float, ...] = ()
    ) -> list[Lattice]:
        """Mechanisms on grids that follow all queries closely enough; on a line with cells on the marks, if they can.

        Raises:
            InvalidParameter: where no sensible grid does.
        """
        require_flat_space(space)

        def make(step: float, origin: tuple[float, ...]) -> Lattice:
            return cls.on_grid(space, rate, step, origin)

        return grids_that_follow(make, space, rate, queries, largest_bias, marks)

    @classmethod
    def on_grid(
        cls, space: Space, rate: float, step: float, origin: tuple[float, ...] = (), noise: Noise = "product"
    ) -> Lattice:
        """The mechanism for a rate on a given grid, with the largest θ that has a denominator of 2^24.

        Guarantee: (ε, 0, ∞)-GP for every real x: that of `calibrate`, or with round noise theory T8′, since θ ≤ ε·step
        and the core is at least d·(2 + θ)²/(4θ·(4 + 3θ)).

        Args:
            space: of the grid.
            rate: ε.
            step: of the grid.
            origin: of the grid.
            noise: "product" for noise of its own on each axis, "round" for noise that falls with the Euclidean
                distance, with the least core; on a line both are the same.
        """
        round_ = noise == "round" and space.dimension > 1
        axes = 1 if round_ else space.dimension
        most = ROUNDEST if round_ else MOST
        allowed = (Fraction(rate) * Fraction(step)) ** 2 / axes
        theta = Fraction(math.isqrt(int(allowed * _DENOMINATOR**2)), _DENOMINATOR)
        if not LEAST <= theta <= most:
            ends = (float(size) * math.sqrt(axes) / rate for size in (LEAST, most))
            raise invalid("Lattice", "step", "between {:.3g} and {:.3g} at this rate".format(*ends), step)
        core = math.ceil(RoundNoise.least_core(theta, space.dimension)) if round_ else None
        law: CellNoise = ProductNoise(theta, axes) if core is None else RoundNoise(theta, space.dimension, core)
        promise = Guarantee(rate, unit=space.distance_unit, reference=law.reference)
        return cls(space, promise, step, theta, origin, core)

    @property
    def unbiased(self) -> bool:
        """False, since it depends on the query: `largest_bias` says."""
        return False

    @property
    def has_target(self) -> bool:
        """True: its interpolant on the grid, which is taken for f."""
        return True

    def moments(self, x: Any, query: Query) -> tuple[FloatArray, FloatArray]:
        return self.bias(x, query), self.variance(x, query)

    @property
    def report_shape(self) -> tuple[int, ...]:
        return self.space.point_shape

    def releases(self) -> list[OnLattice]:
        return [OnLattice(self)]

    def worst_loss(self) -> WorstLoss:
        return worst_of_cells(self)

    @property
    def limits(self) -> tuple[int, int, int]:
        return self.space.dimension, 1 - _WHOLE, _WHOLE

    def draw(self, rows: FloatArray, source: Source = ENTROPY) -> Integers:
        return OnLattice(self).draw(rows, source).astype(np.int64)  # cells are below 2^53: floats hold them

    def released(self, rows: Integers) -> FloatArray:
        """Cells, shape (n,) on a line and (n, d) elsewhere."""
        return rows.astype(np.float64).reshape(-1, *self.space.point_shape)

    def written(self, values: FloatArray) -> Integers:
        return np.asarray(values).reshape(-1, self.space.dimension).astype(np.int64)

    def kinds(self) -> None:
        """None: there are as many cells as whole numbers."""

    def kinds_near(self, values: Sequence[Value], n: int) -> Sequence[Kinds]:
        return boxes_near(self, values, n) if self.core is None else round_kinds_near(self, values, n)

    def marks(self) -> Sequence[Iterator[tuple[str, Value]]]:
        return (cell_marks(self),)

    def answers(self, query: Query) -> bool:
        return query.space == self.space

    def undoes(self, query: Query) -> bool:
        return self.undoing.undoes(query)

    @property
    def answers_all(self) -> bool:
        return True

    def bits_within(self, extent: FloatArray) -> int:
        reach = np.asarray(extent) + 2 * _NOISE / self.guarantee.epsilon
        return int(np.ceil(np.log2(reach / self.step)).sum())

    def simulate(self, x: Any, rng: np.random.Generator) -> Simulated:
        """One vector of whole numbers (as floats) for each value of x, from a seeded generator."""

        def release(points: FloatArray, rng: np.random.Generator) -> FloatArray:
            lower, share = self.place(points)
            up = rng.random(lower.shape) < share
            moved = self.cell_noise.sample(rng, lower.size // self.space.dimension)
            return lower + up + moved.reshape(lower.shape)

        return Simulated(simulate(self.space, x, rng, release))

    def contributions(self, reports: FloatArray, query: Query | None) -> FloatArray:
        """The stencil on f around each reported cell."""
        cells, which = distinct(self.cells(reports))
        return np.asarray(self.at_cells(cells, query)[which])

    def distinct(self, reports: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Each reported cell once, and how often it came."""
        cells, which = distinct(self.cells(reports))
        return cells.reshape(-1, *self.space.point_shape), np.bincount(which).astype(np.float64)

    def sums(self, counts: Counts, question: Question, which: Sequence[int]) -> Sums:
        """What counted cells add up to, for some of a question's queries."""
        if question.product is not None and len(which) == len(question.queries):
            return map_sums(self, counts, question.product)
        return lattice_sums(self, counts, [question.queries[k] for k in which])

    def bracket(self, query: Query, reach: float) -> Bracket | None:
        """What holds a query's plain question between them, on this grid; None where nothing does.

        Args:
            query: whose plain question it is.
            reach: over which both fade, rounded to whole cells.
        """
        if not 0 < reach <= _WIDEST * self.step:  # a wider edge would be looked at for hours
            return None
        return self.undoing.bracket(query, reach)

    def bracket_sums(self, counts: Counts, question: Question, which: Sequence[int]) -> tuple[Sums, Sums] | None:
        made = self._brackets(question, which)
        return None if made is None else bracket_sums(self, counts, made)

    def span(self, question: Question, which: Sequence[int]) -> float:
        made = self._brackets(question, which) or []
        asked = [question.queries[k] for k in which] + [side for part in made for side in (part.inner, part.outer)]
        return max(float(np.ptp(self.undoing.bounds(query) or (-np.inf, np.inf))) for query in asked)

    def _brackets(self, question: Question, which: Sequence[int]) -> list[Bracket] | None:
        """What holds each plain question between them; None where something has no bracket, or nothing is plain."""
        if not question.reach:
            return None
        made = [self.bracket(question.queries[k], question.reach) for k in which]
        known = [part for part in made if part is not None]
        return known if len(known) == len(made) else None
