"""Simulated surveys of one mechanism, through `simulate` as it is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from geopriv.mechanisms import Mechanism
from geopriv.queries import Query
from geopriv.spaces.checks import FloatArray

Asked = tuple[Mechanism, Query]
"""A mechanism with the query that its reports answer."""


def survey_errors(
    asked: Asked, truth: Query, draw: Callable[[], FloatArray], surveys: int, rng: np.random.Generator
) -> FloatArray:
    """Estimate minus truth in each of so many surveys.

    Args:
        asked: a mechanism with the query that its reports answer.
        truth: the query that is meant.
        draw: the people of one survey.
        surveys: how many.
        rng: of the noise.
    """
    mechanism, query = asked
    errors = np.empty(surveys)
    for k in range(surveys):
        x = draw()
        reports = np.asarray(mechanism.simulate(x, rng))
        errors[k] = mechanism.contributions(reports, query).mean() - truth(x).mean()
    return errors
