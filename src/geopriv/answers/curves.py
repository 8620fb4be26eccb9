"""Cumulative shares from input reports: every threshold in one pass.

A smooth step moved to T and freed of the noise is, as a function of a report y, 0 below T − w/2, two parabolas, and 1
above T + w/2. Cut the line at all those places; then Σ g and Σ g² need only the first five moments of the reports in
each piece, taken around the piece's own lower end so that nothing cancels. The cost is O(n·log K) plus the pieces under
each step.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from geopriv.answers.estimation import Estimates, read_reports
from geopriv.errors import ReportRejected
from geopriv.mechanisms import InputLaplace
from geopriv.spaces import Space
from geopriv.spaces.checks import (
    FloatArray,
    fraction,
    invalid,
    positive,
)

Polynomial = tuple[float, float, float]  # constant, linear, square, around the step's middle


def estimate_cdf(
    mechanism: InputLaplace, reports: Any, at: Any, width: float | None = None, confidence: float = 0.95
) -> Estimates:
    """The share of people above each of many thresholds, from one report a person.

    Each is the query Threshold(at, width, edge="smooth"): what lies within width/2 of the threshold counts in part.

    Args:
        mechanism: noise on the input of a Line or LogLine.
        reports: noisy points, one a person.
        at: increasing thresholds, as values of the space.
        width: of the steps, in the unit of distance; by default 4/ε. Half as wide costs about four times the variance.
        confidence: of the intervals, each for itself.

    Returns:
        Estimates in the order of the thresholds; exact sums over the reports, no binning error.

    Reference: theory T6, d = 1, and §6.

    >>> import numpy as np, geopriv as gp
    >>> usd = gp.Line("USD")
    >>> m = gp.InputLaplace.calibrate(usd, "1 per 8,000 USD")
    >>> incomes = np.random.default_rng(1).lognormal(11.49, 0.83, size=50_000)
    >>> shares = gp.estimate_cdf(m, m.simulate(incomes, np.random.default_rng(2)), at=[50_000, 100_000, 200_000])
    >>> print(shares[1])
    0.486603 ± 0.0023, [0.482069, 0.491137], n = 50,000
    """
    fraction("estimate_cdf", "confidence", confidence)
    space = _line_of(mechanism)
    rate = mechanism.guarantee.epsilon
    half = (4 / rate if width is None else positive("estimate_cdf", "width", width)) / 2
    places = _places(space, at)
    y = read_reports(reports)
    if y.ndim != 1:
        raise ReportRejected("Reports for cumulative shares must be one number a person.")
    lower, upper = _parabolas(half, rate if mechanism.unbiased else math.inf)
    total, square = _sums(y, places, half, lower, upper)
    n, value = y.size, total / y.size
    error = np.sqrt(np.maximum(square / n - value**2, 0.0) / (n - 1)) if n > 1 else np.full_like(value, np.inf)
    return Estimates(value, error, n, 0.0 if mechanism.unbiased else math.nan, confidence)


def _line_of(mechanism: Any) -> Space:
    if isinstance(mechanism, InputLaplace) and mechanism.space.point_shape == ():
        return mechanism.space
    raise invalid("estimate_cdf", "mechanism", "an InputLaplace on a Line or a LogLine", type(mechanism).__name__)


def _places(space: Space, at: Any) -> FloatArray:
    places = np.array([float(space.public_point("estimate_cdf", "at", value)) for value in np.ravel(at)])
    if places.size == 0 or not (np.diff(places) > 0).all():
        raise invalid("estimate_cdf", "at", "increasing thresholds", at)
    if not space.holds(np.min(at)):
        raise invalid("estimate_cdf", "at", space.inside, at)
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
