"""Embedded synthetic populations, from published fits; no real person is in them."""

from __future__ import annotations

import numpy as np

from geopriv.checks import FloatArray, count

# The paper's log-normal fit of California household incomes (mean and standard deviation of ln USD).
INCOME_MU, INCOME_SIGMA = 11.49399503122476, 0.8290709468895202


def synthetic_incomes(people: int, rng: np.random.Generator) -> FloatArray:
    """Household incomes in USD, log-normal with the published fit, rounded to cents.

    >>> float(np.median(synthetic_incomes(100_001, np.random.default_rng(0))).round(-3))
    98000.0
    """
    size = count("synthetic_incomes", "people", people)
    return np.round(rng.lognormal(INCOME_MU, INCOME_SIGMA, size), 2)
