"""A mean of values: in the unit of values, unbiased, with a normal interval."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from geopriv.answers.answers import Answer, Band
from geopriv.answers.estimates import Estimates
from geopriv.mechanisms.base import Mechanism
from geopriv.queries.value_questions import Mean
from geopriv.reports.tallies import Tally
from geopriv.spaces.checks import FloatArray


def consistent(question: Mean, estimates: Estimates) -> FloatArray:
    """Cut off where the public range ends."""
    return np.asarray(np.clip(estimates.values, *question.ends))


def at_once(mechanism: Mechanism, reports: object, question: Mean, confidence: float, shrink: bool) -> Estimates | None:
    """There is no faster way to one mean."""
    return None


def answer(question: Mean, tally: Tally, confidence: float, usual: Callable[[], Answer]) -> Answer:
    """The usual answer, with its interval as values: a mean has no edge, so it is of the plain question.

    On a LogLine estimates are means of logarithms to its base, and the interval that of the geometric mean.

    Args:
        question: what is asked.
        tally: of the reports.
        confidence: of the interval.
        usual: makes the answer as that of any query.
    """
    made = usual()
    return replace(made, plain=Band(*(as_values(question, end) for end in (made.estimates.low, made.estimates.high))))


def as_values(question: Mean, points: FloatArray) -> FloatArray:
    """Means as values of the space: on a LogLine geometric means."""
    if not question.space.ratios:
        return points
    with np.errstate(over="ignore"):  # an interval may be as long as can be
        return np.asarray(question.space.values(points))
