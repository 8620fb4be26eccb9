"""What walking noise would give in each round of a repeated survey on a line, for people who stay where they are."""

from __future__ import annotations

import math

import numpy as np

from geopriv.errors import InvalidParameter
from geopriv.mechanisms.lattice.moments import interpolant
from geopriv.mechanisms.lattice.walks import Walk
from geopriv.queries import Query
from geopriv.queries.questions import Question
from geopriv.spaces.checks import FloatArray
from geopriv.surveys.model import Survey
from geopriv.surveys.planning.around import Crowd
from geopriv.surveys.planning.crowds import expected_work
from geopriv.surveys.planning.needs import REACH
from geopriv.surveys.planning.values import everybody
from geopriv.surveys.planning.workload import Workload

STEPS = (0.8, 0.4, 0.2, 0.1, 0.05)  # of grids that are compared, in units of 1/ε
_MEAN_STEP = 0.02  # of a grid for means alone, mostly: nothing is rough, and noise has a variance of 2.04/ε² a round
_BIAS = 1e-3  # of a person's part, which moving may multiply by the number of rounds
_NOTHING = 0.5  # half of an interval, of a share: it is anything between 0 and 100 %

Errors = tuple[float | None, ...]  # standard errors by round; None where a round cannot be told


def require_line(survey: Survey) -> None:
    """Refuse what walking noise is not stated for.

    Raises:
        InvalidParameter: for values with more than one axis, and for places on Earth.
    """
    if survey.space.dimension != 1:
        raise InvalidParameter("Walking noise is stated for values on a line only, and these have several axes.")


def walk_errors(survey: Survey, rounds: int) -> dict[str, Errors]:
    """The largest standard error of each question's soft estimates, noise and sample together, round by round.

    Of shares, people, or in the unit of distance. Exact for people who stay where they are after the first round. On
    the grid of `walk_grid`, which a design has, if it tells all questions in the last round; where none does, each
    question on a grid of its own, as in a survey of its own. None where noise drowns a share, where floats cannot undo
    it, and for quantiles.

    Args:
        survey: on a line.
        rounds: how many there are.

    Raises:
        InvalidParameter: for a survey that is not on a line.
    """
    tried = _tried(survey, rounds)
    errors = min(tried, key=_cost)[1]
    if all(each[-1] is not None for each in errors.values()):
        return errors
    return {name: min((found[name] for _, found in tried), key=_least) for name in errors}


def walk_grid(survey: Survey, rounds: int) -> tuple[float, dict[str, Errors]]:
    """The step of one grid for all questions, in units of 1/ε, and their errors on it.

    It is the one that tells the most rounds of all questions, and of these the one of the least errors in the last
    rounds that are told, as the sum of their logarithms.

    Raises:
        InvalidParameter: for a survey that is not on a line.
    """
    return min(_tried(survey, rounds), key=_cost)


def _tried(survey: Survey, rounds: int) -> list[tuple[float, dict[str, Errors]]]:
    """Steps, and the errors of all questions on each."""
    require_line(survey)
    shares = any(not question.valued for question in survey.questions)
    values = any(question.valued for question in survey.questions)
    work = expected_work(survey) if shares else None
    steps = (*(STEPS if shares else ()), *((_MEAN_STEP,) if values else ()))
    return [(step, _errors(survey, work, step, rounds)) for step in steps]


def _cost(tried: tuple[float, dict[str, Errors]]) -> tuple[int, float]:
    """Of a grid: that of all questions."""
    parts = [_least(errors) for errors in tried[1].values()]
    return sum(told for told, _ in parts), math.fsum(size for _, size in parts)


def _least(errors: Errors) -> tuple[int, float]:
    """The less, the more rounds are told, and then the smaller the error is in the last of them."""
    told = [error for error in errors if error is not None]
    return -len(told), math.log(told[-1]) if told else 0.0


def _errors(survey: Survey, work: Workload | None, step: float, rounds: int) -> dict[str, Errors]:
    """Of every question, on a grid of a step in units of 1/ε."""
    found, first = dict[str, Errors](), 0
    for question in survey.questions:
        if question.valued:
            found[question.name] = _value_errors(survey, question, step, rounds)
        elif work is not None:
            spreads = work.answers[1][first : first + len(question.looked_at)]
            errors = _on_grid(step, work, question, spreads, work.crowd(first), rounds)
            found[question.name] = tuple(None if error is None else question.times * error for error in errors)
            first += len(question.looked_at)
    return found


def _value_errors(survey: Survey, question: Question, step: float, rounds: int) -> Errors:
    """Of means and totals: a report's cell is itself unbiased, and noise adds 2c squares of cells a round."""
    if question.form not in ("mean", "total"):
        return (None,) * rounds
    work = Workload.of(question.queries, survey.epsilon, survey.people, everybody(survey))
    walk, query = Walk(step, rounds), question.queries[0]
    slope = float(np.abs(np.asarray(query.geometry.axis)).sum() * query.profile.lipschitz)  # of one axis
    cell = slope * step / survey.epsilon
    spread = float(work.answers[1][0]) + cell**2 / 4  # rounding at random in the first round, at most
    times = question.times * float(getattr(question, "number", 1))
    return tuple(times * math.sqrt((spread + cell**2 * walk.noise(t)) / survey.people) for t in range(1, rounds + 1))


def _on_grid(step: float, work: Workload, question: Question, spreads: FloatArray, crowd: Crowd, rounds: int) -> Errors:
    """The largest error over a question's queries, by round, on a grid of a step in units of 1/ε."""
    walk, worst = Walk(step, rounds), [0.0] * rounds
    for query, spread in zip(question.looked_at, spreads.tolist(), strict=True):
        variances = _query_variances(walk, query, work.rate, crowd)
        for t, variance in enumerate(variances):
            error = math.inf if variance is None else math.sqrt((variance + spread) / work.people)
            worst[t] = max(worst[t], error if REACH * error < _NOTHING else math.inf)
    return tuple(error if math.isfinite(error) else None for error in worst)


def _query_variances(walk: Walk, query: Query, rate: float, crowd: Crowd) -> list[float | None]:
    """Of one person's part on average over people, by round; None of all where the grid does not follow the query."""
    points, weights = crowd
    along = np.ravel(points) * rate / walk.theta
    lower, share = np.floor(along)[:, None], (along - np.floor(along))[:, None]

    def f(cells: FloatArray) -> FloatArray:
        return query.answer(cells[:, 0] * walk.theta / rate)

    try:
        bias = interpolant(f, lower, share) - query.answer(np.ravel(points))
        if float(np.abs(bias).max()) * walk.rounds > _BIAS:
            return [None] * walk.rounds
        found = walk.variances(f, lower, share)
    except InvalidParameter:  # of a function that has no answer beyond its space
        return [None] * walk.rounds
    return [None if each is None else float(weights @ each) for each in found]
