"""Plans for surveys that ask for values: by which errors options are compared, and on which grid values are answered.

Values are no shares of people, so they stand outside of the table of options: that compares mechanisms by the errors of
shares, in points, or of means alone where a survey asks for nothing else.
"""

from __future__ import annotations

import math
from typing import cast

import numpy as np

from geopriv.mechanisms import Lattice
from geopriv.queries import Query, Threshold
from geopriv.queries.priors import Prior
from geopriv.queries.value_questions import Quantile
from geopriv.spaces.checks import invalid
from geopriv.surveys.model import Survey
from geopriv.surveys.planning.choice import MECHANISMS, Plan, plan_work
from geopriv.surveys.planning.crowds import expected_work, public_ends
from geopriv.surveys.planning.options import Option, Told, untold
from geopriv.surveys.planning.predictions import grid_for
from geopriv.surveys.planning.value_errors import laplace_variance, lattice_variance
from geopriv.surveys.planning.workload import Workload

# what answers values and shares from the same report
ONE_REPORT = ("InputLaplace", "Lattice", "InputLaplace plain")

# all in units of 1/ε
_MEAN_STEP = 0.02  # of a grid for means alone: noise of a variance of 2.04/ε² on a line
_QUANTILE_STEP = 0.1  # of a grid from which quantiles are read, at most
_ALONE_STEP = 0.05  # of one for quantiles alone: their intervals end on cells
_COARSEST_STEP = 0.5  # of one for quantiles alone, where the range has many cells
_STEP_WIDTH = 1.6  # of the soft steps that stand for a quantile

_CELLS = 1 << 22  # of the range of a quantile; nearly twice as many can be read


def workload_of(survey: Survey) -> Workload:
    """The queries by whose errors the options are compared.

    Those about shares; where there are none, the shares above the quantiles that are expected; where there are none of
    these, means.
    """
    if not all(question.valued for question in survey.questions):
        return expected_work(survey)
    told = survey.epsilon, survey.people, everybody(survey)
    work = Workload.of(survey.queries, *told)
    beside = [query for question in quantiles_of(survey) for query in _beside(question, work)]
    return Workload.of(beside, *told, ends=public_ends(survey)) if beside else work


def plan_questions(survey: Survey, work: Workload, grid: Lattice | None, told: Told = untold) -> Plan:
    """The options: all mechanisms for shares alone, those of one report beside values, two for means alone.

    Args:
        survey: what is asked.
        work: the queries whose errors are compared.
        grid: of the Lattice; by default the one that suits the queries. Values have one.
        told: what is done next, and which share of the whole was done.
    """
    if grid is None or not any(question.valued for question in survey.questions):
        # a grid that is given is taken, for plain answers, which shared tables of soft letters do not have
        offered = MECHANISMS if grid is None else [name for name in MECHANISMS if name != "SharedTables"]
        return plan_work(work, offered, for_devices=True, grid=grid, told=told)
    if work.queries[0].is_share:
        return plan_work(work, ONE_REPORT, for_devices=True, grid=grid, told=told)
    options = (
        Option("Lattice", "one report", lattice_variance(grid, work) / work.people, np.zeros(work.size)),
        Option("InputLaplace", "one report", laplace_variance(work) / work.people, np.zeros(work.size)),
    )
    reason = "A mean of values takes noise on the input, which one report has."
    left_out = {name: reason for name in MECHANISMS if name not in ("Lattice", "InputLaplace")}
    best_first = tuple(sorted(options, key=lambda option: option.error))
    return Plan(best_first, left_out, 0.0, work, ("Lattice", "InputLaplace"), for_devices=True)


def grid_of(survey: Survey, work: Workload, grid: Lattice | None = None) -> Lattice:
    """The grid for questions about values: a fine one where only these are asked, since nothing is rough.

    Args:
        survey: what is asked.
        work: the queries whose errors are compared.
        grid: that the other questions take, if they have chosen one.
    """
    rate = survey.epsilon
    if all(question.valued for question in survey.questions):
        step = _ALONE_STEP if quantiles_of(survey) else _MEAN_STEP
        coarse = min(rate * _longest(survey) / _CELLS, _COARSEST_STEP)
        return _required(survey, Lattice.calibrate(survey.space, rate, step=max(step, coarse) / rate))
    grid = _required(survey, grid_for(work, rate) if grid is None else grid)
    parts = math.ceil(grid.step * rate / _QUANTILE_STEP - 1e-9)
    if not quantiles_of(survey) or parts < 2 or _longest(survey) * parts > _CELLS * grid.step:
        return grid
    return Lattice.on_grid(survey.space, rate, grid.step / parts, grid.origin)  # cells stay where they are


def _longest(survey: Survey) -> float:
    """The longest range of which a quantile is asked; 0 without one."""
    return max((float(high - low) for low, high in (each.points for each in quantiles_of(survey))), default=0.0)


def _required(survey: Survey, grid: Lattice) -> Lattice:
    """The grid, if quantiles can be read from it: their range is counted cell by cell."""
    most = 1.95 * _CELLS * grid.step / (longest if (longest := _longest(survey)) > 0 else 1.0)
    if longest and most < 1:
        words = survey.space.distance_words(float(f"{1 / (most * survey.epsilon):.2g}"))
        rule = f"at most about 1 per {words}: quantiles are read from cells as fine as 1/ε, too many for their range"
        raise invalid("plan", "epsilon", rule, survey.epsilon)
    return grid


def quantiles_of(survey: Survey) -> list[Quantile]:
    """The questions about quantiles."""
    return [cast("Quantile", question) for question in survey.questions if question.form == Quantile.form]


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


def _beside(question: Quantile, work: Workload) -> list[Query]:
    """Soft steps at the quantiles that are expected."""
    order = np.argsort(work.points)
    upto = np.cumsum(work.weights[order])
    points = work.points[order][np.minimum(np.searchsorted(upto, question.levels), order.size - 1)]
    # inside the range, of a log space above its floor
    at = np.clip(question.space.values(points), question.low * (1 + 1e-9), question.high)
    width = _STEP_WIDTH / work.rate
    return [Threshold(float(value), width, question.space, "smooth") for value in at.tolist()]
