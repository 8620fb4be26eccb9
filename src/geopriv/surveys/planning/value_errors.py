"""What to expect of questions whose answers are values: half of their intervals, in the unit of distance."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import numpy as np

from geopriv.mechanisms import Lattice
from geopriv.mechanisms.lattice.steps import Reading
from geopriv.queries.covariance import Covariance
from geopriv.queries.questions import Question
from geopriv.queries.total import Total
from geopriv.queries.value import Value
from geopriv.queries.value_questions import Mean, Quantile
from geopriv.spaces.checks import FloatArray
from geopriv.surveys.planning.needs import REACH
from geopriv.surveys.planning.workload import Workload

REACHES = (0.4, 0.5, 0.6, 0.7, 0.8, 1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0)  # that are tried, in units of 1/ε

_SURVEYS, _COUNTS, _SEED = (2, 32), 1 << 20, 1  # that are drawn for a prediction: the same people give the same plan


def half_width(question: Question, lattice: Lattice, work: Workload) -> float:
    """Half of the longest 95 % interval that the answer will have, in the unit of distance.

    Args:
        question: as a design fixes it.
        lattice: that answers it.
        work: the people who are expected.
    """
    return _HALVES[question.form](question, lattice, work)


def largest_error(question: Question, lattice: Lattice, people: int) -> float:
    """The largest standard error over all people within the public range: half of them at either end of it.

    Not-a-number where there is no range, and for quantiles and covariances.
    """
    low, high = getattr(question, "low", ()), getattr(question, "high", ())
    if question.form not in ("mean", "total") or not low:
        return math.nan
    value = cast("Value", question.queries[0])
    start, end = value.within(low, high)
    # rounding adds most in the middle of a cell
    axes = np.full(question.space.dimension, lattice.step**2 * (lattice.cell_noise.variance + 0.25))
    noise = float(np.square(np.asarray(value.geometry.axis) * value.profile.lipschitz) @ axes)
    return question.times * math.sqrt((noise + ((end - start) / 2) ** 2) / people)


def settled(question: Question, lattice: Lattice, work: Workload, known: bool) -> Question:
    """The question as a design fixes it: of quantiles the reach is chosen where it is left open.

    Args:
        question: of a survey.
        lattice: that answers it.
        work: the people who are expected.
        known: whether that is public knowledge, and not only the public range.
    """
    settle = _SETTLED.get(question.form)
    return question if settle is None else settle(question, lattice, work, known)


def default_reach(rate: float, people: int) -> float:
    """The reach for people of whom nothing is known: about the best on incomes, 0.7/ε for 141,000 and 1.5/ε for 2,000.

    A wide edge counts more people in part, a narrow one takes more noise.
    """
    return float(np.clip(0.7 * (141_000 / people) ** 0.18, REACHES[0], REACHES[-1])) / rate


def _with_reach(question: Quantile, lattice: Lattice, work: Workload, known: bool) -> Quantile:
    """The reach of the shortest intervals that are expected, as a number of cells."""

    def of(reach: float) -> Quantile:
        cells = max(2, round(reach / lattice.step))
        return replace(question, reach=cells * lattice.step)

    if question.reach == 0 and known:
        tried = dict.fromkeys(of(reach / work.rate) for reach in REACHES)
        question = min(tried, key=lambda each: float(np.sum(_lengths(each, lattice, work))))
    elif question.reach == 0:
        question = of(default_reach(work.rate, work.people))
    Reading.of(lattice, question.reach, *question.points)  # refuses what could not be answered later
    return question


def _of_total(question: Total, lattice: Lattice, work: Workload) -> float:
    return question.number * _of_mean(question, lattice, work)


def _of_mean(question: Mean | Total, lattice: Lattice, work: Workload) -> float:
    # of one question, whatever else the workload asks
    alone = replace(work, queries=question.queries)
    variance = lattice_variance(lattice, alone) + alone.answers[1]
    return REACH * float(np.sqrt(variance[0] / work.people))


def _of_covariance(question: Covariance, lattice: Lattice, work: Workload) -> float:
    """Of products of two centred values, to each of which noise of a variance σ² was added, uncorrelated.

    The squares of round noise on two axes go together: far along one, it is likely to be far along the other.
    """
    both = work.points[:, list(question.axes)] - work.weights @ work.points[:, list(question.axes)]
    squares, product = work.weights @ both**2, float(work.weights @ both.prod(axis=1))
    noise = lattice_variance(lattice, replace(work, queries=question.queries))
    spread = float(work.weights @ (both**2).prod(axis=1)) - product**2
    variance = spread + float(squares @ noise[::-1]) + lattice.cell_noise.together * float(noise.prod())
    return REACH * float(np.sqrt(variance / work.people))


def _of_quantile(question: Quantile, lattice: Lattice, work: Workload) -> float:
    return float(np.max(_lengths(question, lattice, work))) / 2


def _lengths(question: Quantile, lattice: Lattice, work: Workload) -> FloatArray:
    """How long the intervals of the quantiles are on average, over a few surveys of the people who are expected.

    An interval reaches to the farthest value at which noise brings the curve to the level, so that it is longer than on
    the expected curve.
    """
    reading = Reading.of(lattice, question.reach, *question.points)
    law, n = reading.law(work.points, work.weights), max(work.people, 2)
    surveys = int(np.clip(_COUNTS // law.size, *_SURVEYS))
    counts = np.random.default_rng(_SEED).multinomial(n, law, surveys).astype(np.float64)
    means, variances = reading.curve(counts, n)
    ends = [reading.quantile(means, variances, n, level, REACH) for level in question.levels]
    return lattice.step * np.array([float((high - low).mean()) for low, high in ends])


_HALVES: dict[str, Callable[[Any, Lattice, Workload], float]] = {
    "mean": _of_mean,
    "quantile": _of_quantile,
    "total": _of_total,
    "covariance": _of_covariance,
}
_SETTLED: dict[str, Callable[[Any, Lattice, Workload, bool], Question]] = {"quantile": _with_reach}


def lattice_variance(lattice: Lattice, work: Workload) -> FloatArray:
    """The expected variance of one report for each value: of the noise, and of rounding, λ(1 − λ)·step²."""
    share = lattice.place(work.points)[1].reshape(len(work.points), -1)
    each = lattice.step**2 * (lattice.cell_noise.variance + work.weights @ (share * (1 - share)))
    return np.asarray(_weights(work) @ each)


def laplace_variance(work: Workload) -> FloatArray:
    """The variance of Laplace noise in d dimensions along each axis, (d + 1)/ε², for each value."""
    each = np.full(work.space.dimension, (work.space.dimension + 1) / work.rate**2)
    return np.asarray(_weights(work) @ each)


def _weights(work: Workload) -> FloatArray:
    """Squares of the weights of values, shape (K, axes)."""
    return np.array([np.square(np.asarray(query.geometry.axis) * query.profile.lipschitz) for query in work.queries])
