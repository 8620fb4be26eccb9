"""Formulas against simulations: how far they may be apart, and where they are further."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from geopriv.spaces.checks import FloatArray

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


def moments_of(errors: FloatArray) -> dict[str, float]:
    """What is kept of the errors of many surveys: how many, and the means of their first, second and fourth powers."""
    values = np.asarray(errors, dtype=np.float64)
    return {
        "repetitions": values.size,
        "mean": float(values.mean()),
        "square": float(np.mean(values**2)),
        "fourth": float(np.mean(values**4)),
    }


def merged(parts: list[dict[str, float]]) -> dict[str, float]:
    """The moments of several batches of surveys together."""
    total = sum(part["repetitions"] for part in parts)
    means = {
        key: sum(part["repetitions"] * part[key] for part in parts) / total for key in ("mean", "square", "fourth")
    }
    return {"repetitions": total, **means}


def spread(moments: dict[str, float]) -> float:
    """The observed standard error of a mean squared error."""
    variance = max(moments["fourth"] - moments["square"] ** 2, 0.0)
    return math.sqrt(variance / max(moments["repetitions"] - 1, 1))


def squared_error_check(what: str, bias: float, variance: float, moments: dict[str, float]) -> dict[str, Any]:
    """The mean squared error of many surveys against bias² + variance.

    The standard error is the larger of the observed one and that of normal errors,
    √((2·variance² + 4·bias²·variance)/R): the first alone is too small where few repetitions hold no outlier, and the
    second where Student-t noise makes one.

    Args:
        what: is compared.
        bias: of the estimate, exact.
        variance: of the estimate, exact.
        moments: of its errors in R surveys.
    """
    repetitions = int(moments["repetitions"])
    normal = math.sqrt((2 * variance**2 + 4 * bias**2 * variance) / repetitions)
    error = max(normal, spread(moments))
    return check(what, bias**2 + variance, moments["square"], error, repetitions)


def disagreements(results: dict[str, dict[str, Any]]) -> list[str]:
    """A sentence for each comparison that failed, of all panels."""
    return [
        f"{name}, {one['what']}: {one['exact']:.4g} by formula, {one['simulated']:.4g} ± {one['standard_error']:.2g} "
        f"in {one['repetitions']:,} repetitions"
        for name, result in results.items()
        for one in result.get("checks", ())
        if not one["agrees"]
    ]
