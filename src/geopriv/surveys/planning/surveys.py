"""`plan(survey)`: the design for a survey, and what to expect of it before anybody has reported."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast, overload

import numpy as np

from geopriv.errors import InvalidParameter
from geopriv.mechanisms import Lattice
from geopriv.mechanisms.sendable import Sendable
from geopriv.queries import Query
from geopriv.queries.questions import Question
from geopriv.spaces.checks import FloatArray, invalid
from geopriv.spaces.shown import Plotted
from geopriv.surveys.design import Design
from geopriv.surveys.model import Survey
from geopriv.surveys.planning.brackets import PlainGrid, is_plain, plain_grid
from geopriv.surveys.planning.cautions import cautions
from geopriv.surveys.planning.choice import MECHANISMS, Plan, plan_queries
from geopriv.surveys.planning.crowds import public_ends, shares_of
from geopriv.surveys.planning.leverage import leverage_of
from geopriv.surveys.planning.needs import REACH
from geopriv.surveys.planning.options import Option, Told, untold
from geopriv.surveys.planning.plain_tables import GAIN, TABLES, plain_tables
from geopriv.surveys.planning.predictions import coarser, grid_for
from geopriv.surveys.planning.tables import tables_for
from geopriv.surveys.planning.value_errors import half_width, largest_error, settled
from geopriv.surveys.planning.values import everybody, grid_of, plan_questions, workload_of
from geopriv.surveys.planning.why import why_of
from geopriv.surveys.planning.workload import Workload
from geopriv.surveys.planning.worst import worst_variance

if TYPE_CHECKING:
    from geopriv.surveys.planning.targets import Needs

_NOISE = 20.0  # in units of 1/ε: what lies farther out has a chance of e^-20


@dataclass(frozen=True, eq=False)
class SurveyPlan(Plotted):
    """Every way to run a survey with its predicted error, and the design of the best that devices can run.

    Args:
        survey: what is asked.
        plan: the options, the least predicted error first.
        option: the one that the design takes.
        design: to be written as design.json.
        extent: how far people are expected to be apart along each axis.
        plain: half of the 95 % interval that each plain answer will have, by the question's name, on average over a
            distribution; without those that have no plain answer.
        beside: the same on average over all plain answers, of each mechanism that was compared.
        predicted_with: what stands for the design's mechanisms in predictions; of a Lattice perhaps a coarser grid.
    """

    survey: Survey
    plan: Plan
    option: Option
    design: Design
    extent: tuple[float, ...]
    plain: dict[str, float] = field(default_factory=dict)
    predicted_with: tuple[Sendable, ...] = ()
    beside: dict[str, float] = field(default_factory=dict)

    def standard_errors(self, option: Option | None = None) -> FloatArray:
        """Of each query, as an estimate will state it; see `Plan.standard_errors`."""
        return self.plan.standard_errors(option or self.option)

    def error(self, option: Option | None = None) -> float:
        """Root mean square of the standard errors over all estimates."""
        return float(np.sqrt(np.mean(self.standard_errors(option) ** 2)))

    @cached_property
    def largest_bias(self) -> float:
        """A bound on |bias| of every estimate under the design, wherever people are; estimates will state it.

        An option's own biases are those of the mean over the people who are expected, and mostly far smaller.
        """
        # that of a kernel is the same everywhere
        asked = [query for question in self.survey.questions if not question.valued for query in question.unlike]
        unlike = {query.moved if query.bell is not None else query: query for query in asked}.values()
        biases = [self.design.mechanisms[self.design.answering(q)].largest_bias(q) for q in unlike]
        return max(biases, default=0.0)

    def expected(self, question: Question) -> float:
        """The largest standard error of a question's estimates under the design: of shares, people, or distances."""
        if question.valued:
            return self.half_width(question) / REACH
        return question.times * float(self.standard_errors()[self._places[question.name]].max())

    def half_width(self, question: Question) -> float:
        """Half of the longest 95 % interval that a question's answer will have: a share, or in the unit of distance."""
        if question.valued:
            fixed = next(each for each in self.design.questions if each.name == question.name)
            answering = self.design.mechanisms[self.design.answering(question.queries[0])]
            return half_width(fixed, cast("Lattice", answering), _valued_work(self.survey))  # tables have only shares
        return question.times * float(self.plan.half_widths(self.option)[self._places[question.name]].max())

    def plain_half_width(self, question: Question) -> float | None:
        """Half of the 95 % interval of a plain answer, or of a value, as `half_width` has it; None where it is soft."""
        if question.valued:
            return self.half_width(question)
        return question.times * self.plain[question.name] if question.name in self.plain else None

    @property
    def grid(self) -> Lattice | None:
        """The grid of the design; None where it has none."""
        return cast("Lattice", self.design.mechanisms[0]) if self.option.mechanism == "Lattice" else None

    @property
    def takes_tables(self) -> bool:
        """Whether plain answers come from tables, whose soft edges are what suits them."""
        return bool(self.plain) and self.option.mechanism in TABLES

    @property
    def in_points(self) -> bool:
        """Whether the options' errors are those of shares of people, and not of values in the unit of distance."""
        return self.plan.work.queries[0].is_share

    def worst(self, question: Question) -> float:
        """The largest standard error that a question's estimates can have under the design, wherever people are.

        Over every law of people within the public range, noise and sample together; see `planning.worst`. Not-a-number
        where none is known, of quantiles and covariances.
        """
        if question.valued:
            return largest_error(question, cast("Lattice", self.design.mechanisms[0]), self.survey.people)
        ends = public_ends(self.survey) if len(question.queries) == 1 else None
        seen = self.predicted_with or self.design.mechanisms
        variances = [
            worst_variance(seen[self.design.answering(query)], query, ends)
            for query in {query.moved if query.knots is None else query: query for query in question.unlike}.values()
        ]
        parts = len(self.design.mechanisms)  # of which each person answers one
        return question.times * math.sqrt(parts * max(variances) / self.survey.people)

    def leverage(self, question: Question) -> float:
        """By how much one made-up report moves a question's answers at most; see `planning.leverage`."""
        fixed = next(each for each in self.design.questions if each.name == question.name)
        return question.times * leverage_of(self.design, fixed, self.survey.people)

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What is odd about ε, in sentences: that it protects next to nothing, or that nothing can be learnt."""
        soft = self.plan.half_widths(self.option)
        shares = [question.name for question in shares_of(self.survey)]
        return cautions(self.survey, {n: float(soft[self._places[n]].max()) for n in shares} | self.plain)

    def people_for(self, error: float, option: Option | None = None) -> int:
        """How many people make the 95 % interval of every *soft* answer as short as ± error; see `Plan.people_for`.

        Of plain answers, which have longer intervals, `needs` finds people and ε.
        """
        return self.plan.people_for(error, option or self.option)

    def needs(self, error: float) -> Needs:
        """The people, or the ε, for 95 % intervals of ± error in every share, plain where it is: `targets.needs`."""
        from geopriv.surveys.planning.targets import needs

        return needs(self, error)

    def epsilon_for(self, error: float) -> float:
        """An ε for 95 % intervals of at most ± error in every query; see `Plan.epsilon_for`."""
        return self.plan.epsilon_for(error)

    @cached_property
    def bits(self) -> int:
        """Of one report: a symbol of the largest table, or a cell wherever people and noise can be."""
        return max(m.bits_within(np.asarray(self.extent)) for m in self.design.mechanisms)

    @property
    def why(self) -> str:
        """The choice in a sentence or two."""
        return why_of(self)

    @cached_property
    def _places(self) -> dict[str, Any]:
        """Where the queries of a question about shares are among those of the plan."""
        asked = [question for question in self.survey.questions if not question.valued]
        sizes = [len(question.looked_at) for question in asked]
        ends = np.cumsum(sizes)
        return {
            question.name: np.arange(end - size, end) for question, size, end in zip(asked, sizes, ends, strict=True)
        }


@overload
def plan(queries: Survey) -> SurveyPlan: ...


@overload
def plan(
    queries: Sequence[Query] | Query,
    epsilon: float | str,
    people: int,
    prior: Any = None,
    mechanisms: Sequence[str] = MECHANISMS,
    for_devices: bool = False,
) -> Plan: ...


def plan(
    queries: Survey | Sequence[Query] | Query,
    epsilon: float | str | None = None,
    people: int | None = None,
    prior: Any = None,
    mechanisms: Sequence[str] = MECHANISMS,
    for_devices: bool = False,
) -> SurveyPlan | Plan:
    """The predicted error of every mechanism, and the recommended one; of a survey also its design.

    Errors are those of estimates of the mean over the people who report. Noise on the input answers everything from one
    report; other mechanisms split ε between the queries or the queries between the people, whichever is better. A table
    is compiled only where its floor says that it could win.

    Args:
        queries: a Survey, or one or more queries on one space.
        epsilon: of one person for the whole survey, per unit of distance, as a number or a sentence; a Survey has it.
        people: how many will report; a Survey has it.
        prior: a Prior, or public values, that say where people are; by default even around the queries.
        mechanisms: names of those to consider.
        for_devices: whether each person must send one small integer (no "ε split"), and a table is judged against what
            else devices run; so it is for a Survey.

    Raises:
        InvalidParameter: for bad input, and where no mechanism can answer the queries.

    >>> from geopriv import Prior, Threshold
    >>> incomes = Prior.law(lambda u: 99_000 * (u / (1 - u)) ** 0.45)
    >>> found = plan(Threshold(at=100_000, width=16_000), epsilon=1 / 8000, people=100_000, prior=incomes)
    >>> found.best.name, round(found.best.error, 5)
    ('Table, one report', 0.00085)
    """
    if isinstance(queries, Survey):
        if any(given is not None for given in (epsilon, people, prior)):
            raise invalid("plan", "epsilon", "left out, as people and prior: a survey has its own", epsilon)
        return plan_survey(queries)
    if epsilon is None or people is None:
        raise invalid("plan", "epsilon", "given, as people, where there is no survey that has them", epsilon)
    return plan_queries(queries, epsilon, people, prior, mechanisms, for_devices)


def plan_survey(survey: Survey, told: Told = untold) -> SurveyPlan:
    """Options for a survey, and the design of the best among those that devices can run.

    Guarantee: that of the design, ε for one person and the whole survey: each person sends one report.

    Args:
        survey: what is asked.
        told: what is done next, and which share of the whole was done.

    Raises:
        InvalidParameter: where no mechanism can answer the questions, and for a survey whose noise walks.
    """
    _require_one_round(survey)
    told("Looking for plain answers", 0.0)
    work = workload_of(survey)
    plain, tabled = _plain(survey, work), plain_tables(survey.questions, work)
    tables = min(tabled, key=lambda made: made.cost, default=None)
    grid = _fixed_grid(survey, work, plain)
    found = plan_questions(survey, work, grid, told)
    public = (survey.source, survey.groups, survey.counted)
    beside = {
        name: float(np.mean(list(made.half_widths.values())))
        for name, made in (("Lattice", plain), *((each.option.mechanism, each) for each in tabled))
        if made is not None and made.half_widths
    }
    # in the plane these have linear borders, around which one report for everything has long soft intervals
    apart = tables is not None and survey.space.dimension > 1
    if tables is not None and (plain is None or apart or tables.cost < GAIN**2 * plain.cost):
        found = found.beside([made.option for made in tabled])
        design = Design(survey.name, tables.mechanisms, (), survey.questions, *public)
        halves = tables.half_widths
        return SurveyPlan(survey, found, tables.option, design, _extent(work), halves, tables.mechanisms, beside)
    try:
        best = found.taken
    except InvalidParameter as reason:
        raise _unanswered(survey, reason) from None
    if grid is not None:
        on_grid = next(option for option in found.options if option.mechanism == "Lattice")
        asked, known = plain.questions if plain else survey.questions, survey.prior is not None
        questions = tuple(settled(each, grid, _valued_work(survey), known) if each.valued else each for each in asked)
        design = Design(survey.name, (grid,), (), questions, *public)
        half_widths, seen = plain.half_widths if plain else {}, (coarser(grid, survey.epsilon),)
        return SurveyPlan(survey, found, on_grid, design, _extent(work), half_widths, seen, beside)
    if best.mechanism == "Lattice":
        grid = grid_for(work, survey.epsilon)
        mechanisms: tuple[Sendable, ...] = (grid,)
        stand_ins: tuple[Sendable, ...] = (coarser(grid, survey.epsilon),)
    else:
        mechanisms = stand_ins = tables_for(best.mechanism, work)
    design = Design(survey.name, mechanisms, (), survey.questions, *public)
    return SurveyPlan(survey, found, best, design, _extent(work), {}, stand_ins)


def _require_one_round(survey: Survey) -> None:
    if survey.rounds > 1:
        raise InvalidParameter(
            "A survey with a table [walk] is planned by geopriv.surveys.planning.plan_walk, or by `geopriv plan`: it "
            "has one mechanism, and another promise."
        )


def _fixed_grid(survey: Survey, work: Workload, plain: PlainGrid | None) -> Lattice | None:
    """The grid for plain questions and values; None where neither is asked, and a table may do as well."""
    if not any(question.valued for question in survey.questions):
        return plain.lattice if plain else None
    try:
        return grid_of(survey, work, plain.lattice if plain else None)
    except InvalidParameter as reason:
        raise _unanswered(survey, reason) from None


def _valued_work(survey: Survey) -> Workload:
    """The people whose values are expected."""
    queries = [question.queries[0] for question in survey.questions if question.valued] or survey.queries
    return Workload.of(queries, survey.epsilon, survey.people, everybody(survey))


def _plain(survey: Survey, work: Workload) -> PlainGrid | None:
    """The grid on which the survey's plain questions are answered; None where none is asked, or no grid follows it."""
    if not any(map(is_plain, survey.questions)):
        return None
    try:
        return plain_grid(survey.questions, work)
    except InvalidParameter:
        return None


def _unanswered(survey: Survey, reason: InvalidParameter) -> InvalidParameter:
    """Why no device could answer: mostly an edge that is too hard for one report that answers everything."""
    hard = []
    for question in survey.questions:
        try:
            Lattice.calibrate(survey.space, survey.epsilon, queries=question.queries[:1])
        except InvalidParameter:
            hard.append(question.name)
    if hard:
        return InvalidParameter(
            f"One report cannot answer all questions, since the edges of {', '.join(map(repr, hard))} are too hard "
            f"beside 1/ε = {1 / survey.epsilon:.4g}: blur them (Blurred; 'blur' in a survey.toml), or ask them in a "
            "survey of their own."
        )
    return reason


def _extent(work: Workload) -> tuple[float, ...]:
    points = work.points.reshape(len(work.points), -1)
    return tuple((points.max(axis=0) - points.min(axis=0)).tolist())
