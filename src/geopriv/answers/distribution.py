"""A distribution: shares above many thresholds. From input reports in one pass over them.

A smooth step moved to T and freed of the noise is, as a function of a report y, 0 below T − w/2, two parabolas, and 1
above T + w/2. Cut the line at all those places; then Σ g and Σ g² need only the first five moments of the reports in
each piece, taken around the piece's own lower end so that nothing cancels. The cost is O(n·log K) plus the pieces under
each step.
"""

from __future__ import annotations

import math
from functools import singledispatch
from typing import Any

import numpy as np
from scipy import optimize

from geopriv.answers import nowhere
from geopriv.answers.estimates import Estimates, read_reports
from geopriv.errors import ReportRejected
from geopriv.mechanisms.base import Mechanism
from geopriv.mechanisms.input.input import InputLaplace
from geopriv.queries.questions import Distribution
from geopriv.spaces import Space
from geopriv.spaces.checks import FloatArray, invalid

areas = nowhere.areas

Polynomial = tuple[float, float, float]  # constant, linear, square, around the step's middle


def consistent(question: Distribution, estimates: Estimates) -> FloatArray:
    """The nearest curve that does not rise, errors weighing by 1/standard error², cut off at 0 and 1."""
    # exact estimates weigh most, but not infinitely
    error = np.maximum(estimates.standard_errors, 1e-6 * float(estimates.standard_errors.max()) or 1.0)
    nearest = optimize.isotonic_regression(estimates.values, weights=error**-2.0, increasing=False)
    return np.asarray(np.clip(nearest.x, 0.0, 1.0))


def at_once(
    mechanism: Mechanism, reports: Any, question: Distribution, confidence: float, shrink: bool
) -> Estimates | None:
    """All of the curve in one pass, where its steps are smooth."""
    return along(mechanism, reports, question.queries[0], question.at, confidence) if _is_smooth(question) else None


def unit(question: Distribution, who: str) -> tuple[float, str]:
    """Shares in percent."""
    return 100.0, "%"


def places(question: Distribution) -> dict[str, FloatArray]:
    """The threshold of each share."""
    return {"threshold": np.asarray(question.at)}


@singledispatch
def along(mechanism: Mechanism, reports: Any, step: Any, at: Any, confidence: float) -> Estimates | None:
    """A threshold with a smooth edge, moved to many places; None where a mechanism has no such pass.

    Args:
        mechanism: that made the reports.
        reports: one a person.
        step: the threshold.
        at: increasing places, as values of the space.
        confidence: of the intervals, each for itself.
    """
    return None


@along.register
def _of_points(mechanism: InputLaplace, reports: Any, step: Any, at: Any, confidence: float) -> Estimates | None:
    """Exact sums over the reports, no binning error (theory T6, d = 1, and §6)."""
    if not _is_smooth(step):
        raise invalid("estimate", "query", "a Threshold with a smooth edge, to be moved along a line", step)
    if step.space != mechanism.space:
        raise invalid("estimate", "query", f"on the space of the reports, {mechanism.space}", step.space)
    rate, half = mechanism.guarantee.epsilon, step.width / 2
    places = _places(mechanism.space, at)
    y = read_reports(reports)
    if y.ndim != 1:
        raise ReportRejected("Reports for cumulative shares must be one number a person.")
    lower, upper = _parabolas(half, rate if mechanism.unbiased else math.inf)
    total, square = _sums(y, places, half, lower, upper)
    n, value = y.size, total / y.size
    error = np.sqrt(np.maximum(square / n - value**2, 0.0) / (n - 1)) if n > 1 else np.full_like(value, np.inf)
    return Estimates(value, error, n, 0.0 if mechanism.unbiased else math.nan, confidence)


def _is_smooth(step: Any) -> bool:
    return getattr(step, "edge", None) == "smooth"


def _places(space: Space, at: Any) -> FloatArray:
    places = np.array([float(space.public_point("estimate", "at", value)) for value in np.ravel(at)])
    if places.size == 0 or not (np.diff(places) > 0).all():
        raise invalid("estimate", "at", "increasing thresholds", at)
    if not space.holds(np.min(at)):
        raise invalid("estimate", "at", space.inside, at)
    return places


def _parabolas(half: float, rate: float) -> tuple[Polynomial, Polynomial]:
    """Of s = y − T: f0 − f0''/ε² on both halves of the step, where f0 = ½(1 + s/half)² and 1 − ½(1 − s/half)²."""
    bend = 1 / (half * rate) ** 2
    return (0.5 - bend, 1 / half, 0.5 / half**2), (0.5 + bend, 1 / half, -0.5 / half**2)


def _sums(
    y: FloatArray, places: FloatArray, half: float, lower: Polynomial, upper: Polynomial
) -> tuple[FloatArray, FloatArray]:
    """Σ g and Σ g² for every threshold."""
    edges = np.unique(np.concatenate([places - half, places, places + half]))
    piece = np.searchsorted(edges, y, side="right")  # 0: below all edges
    within = (piece > 0) & (piece < edges.size)  # outside all steps only the number of reports matters
    offset = np.where(within, y - np.concatenate([[0.0], edges])[piece], 0.0)
    moments = np.stack([np.bincount(piece, offset**k, minlength=edges.size + 1) for k in range(5)])
    above = np.cumsum(moments[0][::-1])[::-1]
    starts = np.concatenate([[-np.inf], edges])
    cuts = np.searchsorted(edges, np.stack([places - half, places, places + half])) + 1
    total, square = above[cuts[2]], above[cuts[2]]
    for k, place in enumerate(places):
        for low, high, polynomial in ((cuts[0, k], cuts[1, k], lower), (cuts[1, k], cuts[2, k], upper)):
            around = _shifted(polynomial, starts[low:high] - place)
            inside = moments[:, low:high]
            total[k] += (around * inside[:3]).sum()
            square[k] += (_squared(around) * inside).sum()
    return total, square


def _shifted(polynomial: Polynomial, shift: FloatArray) -> FloatArray:
    """Coefficients in t of p(t + shift), one column a piece."""
    a, b, c = polynomial
    return np.stack([a + b * shift + c * shift**2, b + 2 * c * shift, np.full_like(shift, c)])


def _squared(p: FloatArray) -> FloatArray:
    a, b, c = p
    return np.stack([a * a, 2 * a * b, b * b + 2 * a * c, 2 * b * c, c * c])
