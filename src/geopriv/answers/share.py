"""One share: cut off where its query's answers end."""

from __future__ import annotations

import numpy as np

from geopriv.answers.estimates import Estimates
from geopriv.mechanisms.base import Mechanism
from geopriv.queries.questions import Share
from geopriv.spaces.checks import FloatArray


def consistent(question: Share, estimates: Estimates) -> FloatArray:
    """Cut off at the least and the largest answer of the query: 0 and 1 for a share of people."""
    return np.asarray(np.clip(estimates.values, *question.query.bounds))


def at_once(
    mechanism: Mechanism, reports: object, question: Share, confidence: float, shrink: bool
) -> Estimates | None:
    """There is no faster way to one share."""
    return None
