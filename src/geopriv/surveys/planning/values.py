"""What to expect of questions whose answers are values: half of their intervals, in the unit of distance.

They have no share of people, so they stand outside of the table of options: that compares mechanisms by the errors of
shares, in points, or of means alone where a survey asks for nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from geopriv.mechanisms import Lattice
from geopriv.queries import Query
from geopriv.queries.priors import Prior
from geopriv.queries.questions import Question
from geopriv.queries.value_questions import Mean
from geopriv.spaces.checks import FloatArray
from geopriv.surveys.model import Survey
from geopriv.surveys.planning.choice import MECHANISMS, Plan, plan_work
from geopriv.surveys.planning.needs import REACH
from geopriv.surveys.planning.options import Option
from geopriv.surveys.planning.predictions import grid_for
from geopriv.surveys.planning.workload import Workload

# what answers values and shares from the same report
ONE_REPORT = ("InputLaplace", "Lattice", "InputLaplace plain")
_STEP = 0.02  # in units of 1/ε, of a grid for means alone: noise of a variance of 2.04/ε² on a line


def workload_of(survey: Survey) -> Workload:
    """The queries by whose errors the options are compared: those about shares, or means where there are no shares."""
    shares = [query for question in survey.questions if not question.valued for query in question.queries]
    if shares:
        return Workload.of(shares, survey.epsilon, survey.people, survey.prior)
    return Workload.of(survey.queries, survey.epsilon, survey.people, everybody(survey))


def plan_questions(survey: Survey, work: Workload) -> Plan:
    """The options: all mechanisms for shares alone, those of one report beside values, two for values alone."""
    if not any(question.valued for question in survey.questions):
        return plan_work(work, for_devices=True)
    if not all(question.valued for question in survey.questions):
        return plan_work(work, ONE_REPORT, for_devices=True)
    options = (
        Option("Lattice", "one report", _noise(grid_of(survey, work), work) / work.people, np.zeros(work.size)),
        Option("InputLaplace", "one report", _laplace(work) / work.people, np.zeros(work.size)),
    )
    reason = "A mean of values takes noise on the input, which one report has."
    left_out = {name: reason for name in MECHANISMS if name not in ("Lattice", "InputLaplace")}
    best_first = tuple(sorted(options, key=lambda option: option.error))
    return Plan(best_first, left_out, 0.0, work, ("Lattice", "InputLaplace"), for_devices=True)


def grid_of(survey: Survey, work: Workload) -> Lattice:
    """The grid for the questions; where only means are asked, a fine one, since nothing is rough."""
    if all(question.valued for question in survey.questions):
        return Lattice.calibrate(survey.space, survey.epsilon, step=_STEP / survey.epsilon)
    return grid_for(work, survey.epsilon)


def everybody(survey: Survey) -> Prior | None:
    """The prior; without one, people all over the public range, evenly in the space's own distance."""
    source = survey.source
    if survey.prior is not None or source is None or not source.low:
        return survey.prior
    if survey.space.dimension > 1:
        return Prior.uniform(source.low, source.high)
    (low,), (high,) = source.low, source.high
    if survey.space.ratios:
        return Prior.law(lambda u: np.exp(np.log(low) * (1 - u) + np.log(high) * u))
    return Prior.uniform(low, high)


def half_width(question: Question, lattice: Lattice, survey: Survey) -> float:
    """Half of the 95 % interval that the answer to a question about values will have, in the unit of distance."""
    work = Workload.of(question.queries[:1], survey.epsilon, survey.people, everybody(survey))
    return _HALVES[question.form](question, lattice, work)


def _of_mean(question: Mean, lattice: Lattice, work: Workload) -> float:
    variance = _noise(lattice, work) + work.answers[1]
    return REACH * float(np.sqrt(variance[0] / work.people))


_HALVES: dict[str, Callable[[Any, Lattice, Workload], float]] = {"mean": _of_mean}


def _weights(queries: tuple[Query, ...]) -> FloatArray:
    """Squares of the weights of values, shape (K, axes)."""
    return np.array([np.square(np.asarray(query.geometry.axis) * query.profile.lipschitz) for query in queries])


def _noise(lattice: Lattice, work: Workload) -> FloatArray:
    """The expected variance of one report for each value: of the noise, 2c·step², and of rounding, λ(1 − λ)·step²."""
    share = lattice.place(work.points)[1].reshape(len(work.points), -1)
    each = lattice.step**2 * (2 * lattice.curvature + work.weights @ (share * (1 - share)))
    return np.asarray(_weights(work.queries) @ each)


def _laplace(work: Workload) -> FloatArray:
    """The variance of Laplace noise in d dimensions along each axis, (d + 1)/ε², for each value."""
    each = np.full(work.space.dimension, (work.space.dimension + 1) / work.rate**2)
    return np.asarray(_weights(work.queries) @ each)
