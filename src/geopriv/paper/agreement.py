"""Formulas against simulations: how far they may be apart, and where they are further."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from geopriv.checks import FloatArray

LIMIT = 5.0
"""Standard errors. A normal error passes it once in 1.7 million, so a run with 1,000 comparisons fails by chance less
than once in 1,000 runs (Bonferroni)."""


def check(what: str, exact: float, simulated: float, standard_error: float, repetitions: int) -> dict[str, Any]:
    """One comparison, as plain JSON.

    Args:
        what: is compared, in a few words.
        exact: by formula.
        simulated: the mean over repetitions.
        standard_error: of the simulated number.
        repetitions: behind it.
    """
    return {
        "what": what,
        "exact": exact,
        "simulated": simulated,
        "standard_error": standard_error,
        "repetitions": repetitions,
        "agrees": bool(abs(simulated - exact) <= LIMIT * standard_error),
    }


def squared_error_check(what: str, bias: float, variance: float, errors: FloatArray) -> dict[str, Any]:
    """The mean squared error of many surveys against bias² + variance.

    The standard error is the larger of the observed one and that of normal errors, (2·variance² + 4·bias²·variance)/R
    squared: the first alone is too small where few repetitions hold no outlier, and the second where Student-t noise
    makes one.

    Args:
        what: is compared.
        bias: of the estimate, exact.
        variance: of the estimate, exact.
        errors: estimate minus truth in each of R surveys.
    """
    squares = np.asarray(errors) ** 2
    normal = math.sqrt((2 * variance**2 + 4 * bias**2 * variance) / squares.size)
    observed = float(squares.std(ddof=1)) / math.sqrt(squares.size)
    return check(what, bias**2 + variance, float(squares.mean()), max(normal, observed), squares.size)


def disagreements(results: dict[str, dict[str, Any]]) -> list[str]:
    """A sentence for each comparison that failed, of all panels."""
    return [
        f"{name}, {one['what']}: {one['exact']:.4g} by formula, {one['simulated']:.4g} ± {one['standard_error']:.2g} "
        f"in {one['repetitions']:,} repetitions"
        for name, result in results.items()
        for one in result.get("checks", ())
        if not one["agrees"]
    ]
