"""`plan(survey)`: the design for a survey, and what to expect of it before anybody has reported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

import numpy as np

from geopriv.errors import InvalidParameter
from geopriv.mechanisms import Lattice
from geopriv.mechanisms.sendable import Sendable
from geopriv.queries import Query
from geopriv.spaces.checks import invalid
from geopriv.surveys.design import Design
from geopriv.surveys.model import Survey
from geopriv.surveys.planning.brackets import PlainGrid, is_plain, plain_grid
from geopriv.surveys.planning.cautions import require_meant
from geopriv.surveys.planning.choice import MECHANISMS, Plan, plan_queries
from geopriv.surveys.planning.options import Told, untold
from geopriv.surveys.planning.plain_tables import GAIN, plain_tables
from geopriv.surveys.planning.predictions import coarser, grid_for
from geopriv.surveys.planning.survey_plan import SurveyPlan, valued_work
from geopriv.surveys.planning.tables import tables_for
from geopriv.surveys.planning.value_errors import settled
from geopriv.surveys.planning.values import grid_of, plan_questions, workload_of
from geopriv.surveys.planning.workload import Workload


@overload
def plan(queries: Survey, *, yes: bool = False) -> SurveyPlan: ...


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
    *,
    yes: bool = False,
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
        yes: whether a Survey is meant in which 1/ε is below 1/10,000 of the public range.

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
        require_meant(queries, yes)
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
        return SurveyPlan(survey, found, tables.option, design, work.extent, halves, tables.mechanisms, beside)
    try:
        best = found.taken
    except InvalidParameter as reason:
        raise _unanswered(survey, reason) from None
    if grid is not None:
        on_grid = next(option for option in found.options if option.mechanism == "Lattice")
        asked, known = plain.questions if plain else survey.questions, survey.prior is not None
        questions = tuple(settled(each, grid, valued_work(survey), known) if each.valued else each for each in asked)
        design = Design(survey.name, (grid,), (), questions, *public)
        half_widths, seen = plain.half_widths if plain else {}, (coarser(grid, survey.epsilon),)
        return SurveyPlan(survey, found, on_grid, design, work.extent, half_widths, seen, beside)
    if best.mechanism == "Lattice":
        grid = grid_for(work, survey.epsilon)
        mechanisms: tuple[Sendable, ...] = (grid,)
        stand_ins: tuple[Sendable, ...] = (coarser(grid, survey.epsilon),)
    else:
        mechanisms = stand_ins = tables_for(best.mechanism, work)
    design = Design(survey.name, mechanisms, (), survey.questions, *public)
    return SurveyPlan(survey, found, best, design, work.extent, {}, stand_ins)


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
