"""Half of the 95 % interval that every question will have at one ε, for any number of people."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from geopriv.errors import InvalidParameter
from geopriv.mechanisms import Lattice
from geopriv.mechanisms.lattice.crowds import Crowd as Reporting
from geopriv.mechanisms.sums import Moments
from geopriv.queries import Query
from geopriv.queries.questions import Question
from geopriv.spaces.checks import FloatArray
from geopriv.surveys.model import Survey
from geopriv.surveys.planning.around import Crowd
from geopriv.surveys.planning.brackets import EDGES, FIRST, half_width, is_plain, plain_grid, some_of
from geopriv.surveys.planning.choice import plan_work
from geopriv.surveys.planning.crowds import expected_work, shares_of
from geopriv.surveys.planning.needs import REACH
from geopriv.surveys.planning.plain_tables import TABLES, tables_of
from geopriv.surveys.planning.shared import NAME as SHARED
from geopriv.surveys.planning.table_widths import tabled
from geopriv.surveys.planning.workload import Workload

_STEP = 0.2  # in units of 1/ε, of the grid by which plain questions in the plane are judged
_SOME = 5  # values of a distribution that stand for all

HalfWidth = Callable[[int], float]  # by the number of people


def half_widths(
    survey: Survey,
    mechanism: str,
    rate: float,
    names: Collection[str] | None = None,
    like: Lattice | None = None,
) -> dict[str, HalfWidth]:
    """For each share by its name, half of its 95 % interval: of the plain answer where there is one, else of the soft.

    Edges of soft questions stay as they are asked; those between which a plain answer is held suit ε and the people.

    Args:
        survey: what is asked.
        mechanism: by which soft questions are answered where no plain one is asked; tables
            for plain questions answer both.
        rate: ε.
        names: of the shares to look at; all of them by default.
        like: the grid of the design, whose noise is taken; independent noise on each axis by default.

    Raises:
        InvalidParameter: where nothing answers the questions at this ε.
    """
    shares = tuple(share for share in shares_of(survey) if names is None or share.name in names)
    asked = replace(survey, questions=shares)
    work = expected_work(asked).at(rate)
    if tables_of(survey.questions, survey.epsilon) and mechanism in TABLES:
        every = tabled(expected_work(survey), rate, mechanism == SHARED)
        made = zip(survey.questions, every, strict=True)
        return {share.name: width for share, width in made if share in shares}
    grid, plain = _plain_grid(asked, work, like)
    option = None
    if len(plain) < len(asked.questions):
        taken = [mechanism] if grid is None else ["Lattice"]
        option = plan_work(work, taken, for_devices=True, grid=grid).taken
    found, first = dict[str, HalfWidth](), 0
    for question in asked.questions:
        last = first + len(question.looked_at)
        if grid is not None and question.name in plain:
            found[question.name] = _Plain(grid, question, work.crowd(first))
        elif option is not None:
            one = option.variances[first:last] * work.people + work.answers[1][first:last]
            found[question.name] = _Soft(one, np.abs(option.biases[first:last]))
        first = last
    return found


def _plain_grid(survey: Survey, work: Workload, like: Lattice | None) -> tuple[Lattice | None, Sequence[str]]:
    """The grid that answers plain questions, and the names of those that it does."""
    if not any(map(is_plain, survey.questions)):
        return None, ()
    try:
        if survey.space.dimension > 1:  # where a design's grid is finer, and intervals a few per cent shorter
            plain = [question.name for question in survey.questions if is_plain(question)]
            if like is not None and like.core is not None:  # round noise, of the same step in units of 1/ε
                step = like.step * like.guarantee.epsilon / work.rate
                return Lattice.on_grid(survey.space, work.rate, step, like.origin, "round"), plain
            return Lattice.on_grid(survey.space, work.rate, _STEP / work.rate), plain
        grid = plain_grid(survey.questions, work)
    except InvalidParameter:
        return None, ()
    return grid.lattice, tuple(grid.half_widths)


@dataclass(frozen=True, eq=False)
class _Soft:
    """Of a soft question: the largest of its estimates.

    Args:
        variances: of one person's part of each.
        biases: of each, which people do not reduce.
    """

    variances: FloatArray
    biases: FloatArray

    def __call__(self, people: int) -> float:
        return float((REACH * np.sqrt(self.variances / people) + self.biases).max())


@dataclass(frozen=True, eq=False)
class _Plain:
    """Of a plain question, held between the edges that suit so many people; on average over a distribution.

    Args:
        lattice: on whose cells it is held.
        question: what is asked.
        crowd: of the people whom it concerns.
        known: what was computed for an edge.
    """

    lattice: Lattice
    question: Question
    crowd: Crowd
    known: dict[float, list[tuple[Moments, Moments]]] = field(default_factory=dict)

    def __call__(self, people: int) -> float:
        def cost(k: int) -> float:
            each = [half_width(pair, np.ones(1), people) for pair in self._moments(EDGES[k])]
            return float(np.mean(each)) if each else math.inf

        k, best = -1, FIRST.get(self.lattice.space.dimension, FIRST[2])
        while best != k:  # it falls and then rises
            k = best
            best = min((near for near in (k, k - 1, k + 1) if 0 <= near < len(EDGES)), key=cost)
        return cost(k)

    def _moments(self, edge: float) -> list[tuple[Moments, Moments]]:
        if edge not in self.known:
            cells = max(1, round(edge / self.lattice.guarantee.epsilon / self.lattice.step))
            queries = some_of(self.question.queries, _SOME)
            held = [self._held(query, cells * self.lattice.step) for query in queries]
            self.known[edge] = [pair for pair in held if pair is not None]
        return self.known[edge]

    def _held(self, query: Query, reach: float) -> tuple[Moments, Moments] | None:
        bracket = self.lattice.bracket(query, reach)
        if bracket is None:
            return None
        return self.expected.moments(bracket.inner), self.expected.moments(bracket.outer)

    @cached_property
    def expected(self) -> Reporting:
        """The crowd on the lattice."""
        return self.lattice.undoing.crowd(*self.crowd)
