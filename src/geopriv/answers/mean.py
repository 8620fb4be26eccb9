"""A mean of values: in the unit of values, unbiased, with a normal interval and one that holds for every n."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import cast

import numpy as np

from geopriv.answers import nowhere
from geopriv.answers.answers import Answer, Band
from geopriv.answers.estimates import Estimates
from geopriv.answers.intervals import bernstein_reach, normal_reach
from geopriv.answers.pools import Pool
from geopriv.answers.units import of_values
from geopriv.mechanisms.base import Mechanism
from geopriv.mechanisms.lattice.cells import Cells
from geopriv.queries import Question
from geopriv.queries.value import Value
from geopriv.queries.value_questions import Mean
from geopriv.spaces.checks import FloatArray

areas, places = nowhere.areas, nowhere.places

_FAR = 0.1  # of the chance of an error is spent on noise that is farther out than is reckoned with


def consistent(question: Mean, estimates: Estimates) -> FloatArray:
    """Cut off where the public range ends."""
    return np.asarray(np.clip(estimates.values, *question.ends))


def at_once(mechanism: Mechanism, reports: object, question: Mean, confidence: float, shrink: bool) -> Estimates | None:
    """There is no faster way to one mean."""
    return None


def unit(question: Mean, who: str) -> tuple[float, str]:
    """In the unit of values."""
    return 1.0, of_values(question)


def answer(question: Mean, pool: Pool, confidence: float, usual: Callable[[], Answer]) -> Answer:
    """The usual answer, with its intervals: a mean has no edge, so they are of the plain question.

    On a LogLine means are those of logarithms, and the answer is the geometric mean, whose interval is made of theirs.

    Args:
        question: what is asked.
        pool: of the reports.
        confidence: of the interval.
        usual: makes the answer as that of any query.
    """
    made = usual()
    plain = Band(*(as_values(question, end) for end in plain_ends(made.estimates, question, pool)))
    ends = finite_ends(question, question.query, pool, confidence)
    finite = None if ends is None else Band(*(as_values(question, end) for end in ends))
    if not question.space.ratios:
        return replace(made, finite=finite, plain=plain)
    logs = made.estimates
    value, low, high = (as_values(question, logs.values + way * logs.standard_errors) for way in (0, -1, 1))
    # unbiased in logarithms, and no bound is known on what the exponential makes of that
    estimates = Estimates(value, np.asarray((high - low) / 2), logs.n, np.nan, logs.confidence)
    nearest = None if made.consistent is None else as_values(question, made.consistent)
    return replace(made, estimates=estimates, finite=finite, consistent=nearest, plain=plain, leverage=None)


def plain_ends(estimates: Estimates, question: Question, pool: Pool) -> tuple[FloatArray, FloatArray]:
    """The ends of the interval of a mean of values, which are lopsided: a few are large."""
    sums = pool.sums(pool.design.answering(question.queries[0]), question, [0])
    third, variance = sums.n * float(sums.thirds[0]), (sums.n - 1) * float(sums.variances[0])
    shift = lopsided_shift(third / variance if variance > 0 else 0.0, sums.n, estimates.confidence)
    return np.asarray(estimates.low + min(shift, 0.0)), np.asarray(estimates.high + max(shift, 0.0))


def finite_ends(
    question: Question, query: Value, pool: Pool, confidence: float
) -> tuple[FloatArray, FloatArray] | None:
    """The ends of an interval that holds a mean of values for every n ≥ 2, however lopsided; None without a range.

    A report adds y = f(X) + Σ_j w_j·step·G_j, where X is the value x rounded at random to a corner of its cell, so that
    E f(X) = f(x), and G_j is two-sided geometric. Noise has no bound, but a known law. Take r with
    P(|G_j| > r for any axis of any of n reports) ≤ δ/10 (`Cells.noise_reach`), and let y' be y with every G_j cut off
    at ±r.

    1. G_j has the same law as −G_j, so what is cut off has the mean 0, and E y' = E y = E f(x), exactly.
    2. x is in the public range, so y' is in a range of the length R = step·Σ_j |w_j|·(⌈high_j⌉ − ⌊low_j⌋ + 2r), ends
       in cells. The y' are independent, so the empirical Bernstein bound (`bernstein_reach`) holds for their mean and
       their sample variance but for a chance of 9δ/10. r and R do not depend on the reports.
    3. But for a chance of δ/10 no noise is beyond r, and then y' = y for all reports: mean and variance of the y, which
       are seen, are those of the y'.

    So mean(y) ± bernstein_reach(V, n, R, 1 − 9δ/10) holds E f(x) but for a chance of at most δ. E f(x) is in the public
    range, to which the interval is cut for nothing. A mean of groups of known sizes W_g is that of reports that are
    stretched by n·W_g/n_g, and so are their ranges.

    Args:
        question: whose public range bounds the values: everybody is clamped to it.
        query: f, what is averaged.
        pool: of the reports to a Lattice.
        confidence: 1 − δ.
    """
    low, high = question.limits
    if not low:
        return None
    index = pool.design.answering(query)
    lattice = cast("Cells", pool.design.mechanisms[index])  # tables answer shares only
    sums, parts = pool.sums(index, question, [0]), pool.parts(index, question)
    stretch = max(sums.n * share / counts.n for share, counts in parts)
    spread = stretch * _spread(lattice, query, (low, high), lattice.noise_reach(sums.n, _FAR * (1 - confidence)))
    sure = 1 - (1 - _FAR) * (1 - confidence)
    half = bernstein_reach(sums.variances, sums.n, np.asarray(spread), sure, sums.fewest)[0]
    ends = query.within(low, high)
    return np.clip(sums.means[0] - half, *ends), np.clip(sums.means[0] + half, *ends)


def _spread(lattice: Cells, query: Value, limits: tuple[tuple[float, ...], tuple[float, ...]], far: int) -> float:
    """The largest less the least that a report of people in a range adds, if noise moves by so many cells at most."""
    corners = [np.atleast_1d(query.space.read(np.reshape(end, query.space.point_shape))) for end in limits]
    low, high = ((corner - lattice.origin) / lattice.step for corner in corners)
    cells = np.ceil(high) - np.floor(low) + 2 * far
    return float(lattice.step * np.abs(query.weights) @ cells)


def lopsided_shift(ratio: FloatArray | float, n: int, confidence: float) -> float:
    """By how much a normal interval is to be moved for the skewness of what is averaged: ρ·(2z² + 1)/6n.

    The mean over its own standard error is distributed as Φ(t) + γ·(2t² + 1)·φ(t)/6√n to the next order, so that both
    ends move by σγ·(2z² + 1)/6n. Only the end that moves outward is moved.

    Args:
        ratio: ρ = σγ, the third central moment over the variance.
        n: reports.
        confidence: of the interval.

    Reference: P. Hall, On the removal of skewness by transformation, JRSS B 54 (1992).
    """
    return float(ratio * (2 * normal_reach(confidence) ** 2 + 1) / (6 * n))


def as_values(question: Mean, points: FloatArray) -> FloatArray:
    """Means as values of the space: on a LogLine geometric means."""
    if not question.space.ratios:
        return points
    with np.errstate(over="ignore"):  # an interval may be as long as can be
        return np.asarray(question.space.values(points))
