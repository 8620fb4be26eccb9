"""Answers made to look like what they estimate: monotone, within bounds, non-negative. Nicer, and biased."""

from __future__ import annotations

import numpy as np
from scipy import optimize

from geopriv.answers.estimation import Estimates
from geopriv.queries.questions import DensityMap, Distribution, Question
from geopriv.spaces.checks import FloatArray


def consistent_values(question: Question, estimates: Estimates) -> FloatArray:
    """The nearest values that the truth could have.

    * A curve: the nearest one that does not rise, errors weighing by 1/standard error², cut off at 0 and 1.
    * A map: what is below 0 becomes 0, the nearest non-negative map. Its total grows by all that was below 0, so a map
      of few people shows more of them than there are; totals belong to the estimates themselves.
    * A share: cut off at the least and the largest answer of its query, 0 and 1 for a share of people.

    Whatever the truth, they are no farther from it than the estimates, in the distance that they are nearest in. They
    are biased all the same: an estimate that is sometimes below 0 and right on average is above 0 on average when what
    is below is cut off. Intervals and bands are for the estimates and stay as they are.

    Args:
        question: what was asked.
        estimates: of its shape.
    """
    if isinstance(question, DensityMap):
        return np.maximum(estimates.values, 0.0)
    if isinstance(question, Distribution):
        # exact estimates weigh most, but not infinitely
        error = np.maximum(estimates.standard_errors, 1e-6 * float(estimates.standard_errors.max()) or 1.0)
        nearest = optimize.isotonic_regression(estimates.values, weights=error**-2.0, increasing=False)
        return np.asarray(np.clip(nearest.x, 0.0, 1.0))
    low, high = np.array([query.bounds for query in question.queries]).T.reshape(2, *question.shape)
    return np.asarray(np.clip(estimates.values, low, high))
