"""A mean of values: in the unit of values, unbiased, with a normal interval."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from geopriv.answers.answers import Answer, Band
from geopriv.answers.estimates import Estimates
from geopriv.answers.intervals import normal_reach
from geopriv.answers.pools import Pool
from geopriv.mechanisms.base import Mechanism
from geopriv.queries import Question
from geopriv.queries.value_questions import Mean
from geopriv.spaces.checks import FloatArray


def consistent(question: Mean, estimates: Estimates) -> FloatArray:
    """Cut off where the public range ends."""
    return np.asarray(np.clip(estimates.values, *question.ends))


def at_once(mechanism: Mechanism, reports: object, question: Mean, confidence: float, shrink: bool) -> Estimates | None:
    """There is no faster way to one mean."""
    return None


def answer(question: Mean, pool: Pool, confidence: float, usual: Callable[[], Answer]) -> Answer:
    """The usual answer, with its interval: a mean has no edge, so it is of the plain question.

    On a LogLine means are those of logarithms, and the answer is the geometric mean, whose interval is made of theirs.

    Args:
        question: what is asked.
        pool: of the reports.
        confidence: of the interval.
        usual: makes the answer as that of any query.
    """
    made = usual()
    plain = Band(*(as_values(question, end) for end in plain_ends(made.estimates, question, pool)))
    if not question.space.ratios:
        return replace(made, plain=plain)
    logs = made.estimates
    value, low, high = (as_values(question, logs.values + way * logs.standard_errors) for way in (0, -1, 1))
    # unbiased in logarithms, and no bound is known on what the exponential makes of that
    estimates = Estimates(value, np.asarray((high - low) / 2), logs.n, np.nan, logs.confidence)
    nearest = None if made.consistent is None else as_values(question, made.consistent)
    return replace(made, estimates=estimates, consistent=nearest, plain=plain)


def plain_ends(estimates: Estimates, question: Question, pool: Pool) -> tuple[FloatArray, FloatArray]:
    """The ends of the interval of a mean of values, which are lopsided: a few are large."""
    sums = pool.sums(pool.design.answering(question.queries[0]), question, [0])
    third, variance = sums.n * float(sums.thirds[0]), (sums.n - 1) * float(sums.variances[0])
    shift = lopsided_shift(third / variance if variance > 0 else 0.0, sums.n, estimates.confidence)
    return np.asarray(estimates.low + min(shift, 0.0)), np.asarray(estimates.high + max(shift, 0.0))


def lopsided_shift(ratio: FloatArray | float, n: int, confidence: float) -> float:
    """By how much a normal interval is to be moved for the skewness of what is averaged: ρ·(2z² + 1)/6n.

    The mean over its own standard error is distributed as Φ(t) + γ·(2t² + 1)·φ(t)/6√n to the next order, so that both
    ends move by σγ·(2z² + 1)/6n. Only the end that moves outward is moved.

    Args:
        ratio: ρ = σγ, the third central moment over the variance.
        n: reports.
        confidence: of the interval.

    Reference: P. Hall, On the removal of skewness by transformation, JRSS B 54 (1992).
    """
    return float(ratio * (2 * normal_reach(confidence) ** 2 + 1) / (6 * n))


def as_values(question: Mean, points: FloatArray) -> FloatArray:
    """Means as values of the space: on a LogLine geometric means."""
    if not question.space.ratios:
        return points
    with np.errstate(over="ignore"):  # an interval may be as long as can be
        return np.asarray(question.space.values(points))
