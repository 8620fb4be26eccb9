"""Mean squared errors of many queries at once, from the first two moments of one person's report."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from geopriv.spaces.checks import FloatArray
from geopriv_paper.agreement import LIMIT, check


@dataclass(frozen=True, eq=False)
class Moments:
    """Moments over people drawn at random and over their noise, for each query: arrays of one shape.

    Args:
        bias: E report − E truth.
        noise: E Var(report | x): what the noise alone adds.
        report: the variance of a report, over people and noise.
        covariance: of a report and the truth of the same person.
        truth: the variance of the truth over people.
    """

    bias: FloatArray
    noise: FloatArray
    report: FloatArray
    covariance: FloatArray
    truth: FloatArray

    def squared_errors(self, people: int, answering: float | None = None) -> FloatArray:
        """The expected square of the mean report less the mean truth of everyone.

        With m of n people answering it is bias² + Var(report)/m + (Var(truth) − 2·Cov)/n, since those who answer are
        among the n and people are independent.

        Args:
            people: n, of whom the truth is asked.
            answering: m, who answer this query; by default all.
        """
        asked = people if answering is None else answering
        return np.asarray(self.bias**2 + self.report / asked + (self.truth - 2 * self.covariance) / people)

    def numbers(self, people: int, answering: float | None = None) -> dict[str, float]:
        """The average over queries of the squared error (the paper's ASE), and of its two parts; plain JSON."""
        error, bias = float(self.squared_errors(people, answering).mean()), float((self.bias**2).mean())
        return {"error": error, "squared_bias": bias, "variance": error - bias}


def ratio_check(name: str, people: int, ratios: FloatArray, answering: int | None = None) -> dict[str, Any]:
    """Squared errors of surveys over what is expected of them, against 1.

    The standard error is the larger of the observed one and, where queries have noise of their own, that of
    independent normal errors: √(2/R). The first alone is too small where few surveys hold no outlier; and it is itself
    known from few surveys only, so it is widened until LIMIT of it are as unlikely by Student's t as of a known one.

    Args:
        name: of the mechanism.
        people: of a survey.
        ratios: one a survey, where its queries share their reports; else one a survey and query.
        answering: how many of the people answer each query, if not all.
    """
    each = ratios.ravel()
    widened = stats.t.isf(stats.norm.sf(LIMIT), each.size - 1) / LIMIT
    observed = float(each.std(ddof=1)) / math.sqrt(each.size) * float(widened)
    normal = math.sqrt(2 / ratios.size) if ratios.ndim > 1 else 0.0
    asked = "" if answering is None else f", {answering:,} answering"
    what = f"{name}, squared error over the expected one, n = {people:,}{asked}"
    found = check(what, 1.0, float(each.mean()), max(observed, normal), ratios.size)
    return found | {"mechanism": name, "people": people, "answering": answering}
