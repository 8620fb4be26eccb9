"""A total: a share or a mean, times a public number of people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

import numpy as np
import shapely

from geopriv.answers.answers import Answer, Band
from geopriv.answers.estimates import Estimates
from geopriv.answers.mean import finite_ends, plain_ends
from geopriv.answers.pools import Pool
from geopriv.answers.units import of_values, threshold_of
from geopriv.mechanisms.base import Mechanism
from geopriv.queries.total import Total
from geopriv.queries.value import Value
from geopriv.spaces.checks import FloatArray, invalid


def consistent(question: Total, estimates: Estimates) -> FloatArray:
    """The mean, cut off where its query's answers end."""
    return np.asarray(np.clip(estimates.values, *ends_of(question)))


def ends_of(question: Total) -> tuple[float, float]:
    """The least and the largest mean: of a value those of the public range."""
    within = getattr(question.query, "within", None)
    low, high = question.query.bounds if within is None else within(question.low, question.high)
    return float(low), float(high)


def at_once(mechanism: Mechanism, reports: object, question: Total, confidence: float, shrink: bool) -> Estimates:
    """Refused, since what is estimated of a mechanism's reports is a mean."""
    rule = "asked in a design; of a mechanism estimate the query and multiply"
    raise invalid("estimate", "query", rule, question.name)


def unit(question: Total, who: str) -> tuple[float, str]:
    """People, or in the unit of values."""
    return 1.0, of_values(question) if question.valued else who


def places(question: Total) -> dict[str, FloatArray]:
    """The threshold beyond which people are counted, where there is one."""
    return threshold_of(question.query)


def areas(question: Total) -> Sequence[shapely.Geometry] | None:
    """The region in the plane in which people are counted."""
    region = None if question.valued else question.query.region
    return None if region is None else [region]


def answer(question: Total, pool: Pool, confidence: float, usual: Callable[[], Answer]) -> Answer:
    """The usual answer, all of it times the number of people; of a sum of values its intervals are plain.

    Args:
        question: what is asked.
        pool: of the reports.
        confidence: of the interval.
        usual: makes the answer as the mean of the query.
    """
    made, number = usual(), question.number
    found = made.estimates
    estimates = replace(
        found, values=number * found.values, standard_errors=number * found.standard_errors, bias=number * found.bias
    )
    plain = Band(*plain_ends(found, question, pool)) if question.valued else made.plain
    finite = made.finite
    if hasattr(question.query, "within"):  # a value, whose range is the question's
        ends = finite_ends(question, cast("Value", question.query), pool, confidence)
        finite = None if ends is None else Band(*ends)
    nearest = None if made.consistent is None else number * made.consistent
    moved = None if made.leverage is None else number * made.leverage
    intervals = _times(finite, number), nearest, _times(plain, number)
    return Answer(question, estimates, None, *intervals, leverage=moved)


def _times(band: Band | None, number: float) -> Band | None:
    return None if band is None else Band(number * band.low, number * band.high)
