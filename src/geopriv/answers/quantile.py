"""Quantiles of the plain distribution, by inversion of the bracket of the share above each value (Woodruff 1952).

For steps M(k) with M(k) ≤ P(x > t_k) and P(x ≥ t_k) ≤ M(k − m) (`geopriv.mechanisms.lattice.steps`) let
L(k) = M̂(k) − z·se and U(k) = M̂(k − m) + z·se. The q-quantile is taken to be between inf{t : L(⌈t⌉) ≤ 1 − q} and
sup{t : U(⌊t⌋) ≥ 1 − q}, ⌊t⌋ and ⌈t⌉ being the cells around t. For every population it is there with the confidence at
least, up to the normal law:

Let t be the quantile. P(x ≤ t) ≥ q, so P(x > t) ≤ 1 − q; and P(x < t) ≤ q, so P(x ≥ t) ≥ 1 − q, even where many people
are at t exactly. With b = ⌈t⌉ and a = ⌊t⌋, M(b) ≤ P(x > t_b) ≤ P(x > t) ≤ 1 − q, so that L(b) > 1 − q only if M̂(b) is
more than z standard errors too large; M(a − m) ≥ P(x ≥ t_a) ≥ P(x ≥ t) ≥ 1 − q, so that U(a) < 1 − q only if
M̂(a − m) is as much too small. a and b do not depend on the reports, so that each may fail with half of the chance of an
error, and no band is needed. (Standard errors are at least those of counting the people beyond the quantile.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from scipy import optimize

from geopriv.answers import nowhere
from geopriv.answers.answers import Answer, Band
from geopriv.answers.estimates import Estimates
from geopriv.answers.intervals import bernstein_reach, normal_reach
from geopriv.answers.pools import Pool, weighed
from geopriv.answers.units import of_values
from geopriv.mechanisms.base import Mechanism
from geopriv.mechanisms.counts import Counts
from geopriv.mechanisms.lattice.cells import Cells
from geopriv.mechanisms.lattice.steps import Reading
from geopriv.queries.value_questions import Quantile
from geopriv.spaces.checks import FloatArray, invalid

areas = nowhere.areas


def consistent(question: Quantile, estimates: Estimates) -> FloatArray:
    """As they are: they are read from a curve that falls, within the public range."""
    return np.asarray(estimates.values)


def at_once(mechanism: Mechanism, reports: Any, question: Quantile, confidence: float, shrink: bool) -> Estimates:
    """Refused: a quantile without its interval is worth little, and estimates have no room for one."""
    raise invalid(
        "estimate", "query", "asked in a design, whose answers have the intervals of quantiles", question.name
    )


def unit(question: Quantile, who: str) -> tuple[float, str]:
    """In the unit of values."""
    return 1.0, of_values(question)


def places(question: Quantile) -> dict[str, FloatArray]:
    """The share of people below each value."""
    return {"level": np.asarray(question.levels)}


def answer(question: Quantile, pool: Pool, confidence: float, usual: Callable[[], Answer]) -> Answer:
    """Quantiles with intervals of the plain distribution, and values of a curve that counts people near in part.

    Args:
        question: what is asked, with its reach.
        pool: of the reports.
        confidence: of the interval of each quantile by itself.
        usual: the answer as that of any query, which is not used.

    Raises:
        InvalidParameter: for a reach that was left open.
        ReportRejected: where there are fewer than two reports.
    """
    index = pool.design.answering(question.queries[0])
    reading = reading_of(question, cast("Cells", pool.design.mechanisms[index]))  # tables answer shares only
    parts = pool.parts(index, question)
    masses = [reading.counted(counts) for _, counts in parts]
    curves = [reading.curve(mass, counts.n) for mass, (_, counts) in zip(masses, parts, strict=True)]
    means, variances, n = weighed(parts, curves)
    reach = normal_reach(confidence)
    plain = [reading.quantile(means, variances, n, level, reach) for level in question.levels]
    # three events of the Bernstein bound, of which each end needs two: so that both have half of the chance
    wide = _bernstein(parts, variances / n, reading.spread, 1 - 0.75 * (1 - confidence))
    finite = [reading.inverted(means - wide, means + wide, 1 - level) for level in question.levels]
    middles = [reading.middle(mass, counts.n) for mass, (_, counts) in zip(masses, parts, strict=True)]
    soft = _soft(question, reading, weighed(parts, middles), sum(counts.n for _, counts in parts), confidence)
    return Answer(question, soft, None, _band(question, reading, finite), None, _band(question, reading, plain))


def reading_of(question: Quantile, lattice: Cells) -> Reading:
    """The cells of the question's range on a grid, and its steps.

    Raises:
        InvalidParameter: for a reach that was left open, or is too small for the grid.
    """
    if question.reach == 0:
        raise invalid("Quantile", "reach", "given, or chosen by `plan`, before anybody reports", question.reach)
    return Reading.of(lattice, question.reach, *question.points)


def _band(question: Quantile, reading: Reading, ends: list[tuple[FloatArray, FloatArray]]) -> Band:
    return Band(*(_values(question, reading, np.array(side)) for side in zip(*ends, strict=True)))


def _bernstein(parts: Sequence[tuple[float, Counts]], squares: FloatArray, spread: float, sure: float) -> FloatArray:
    """Half of intervals for every n, from squared standard errors: of reports that count alike, or by known sizes."""
    n, fewest = sum(counts.n for _, counts in parts), min(counts.n for _, counts in parts)
    largest = spread * max(n * share / counts.n for share, counts in parts)
    return bernstein_reach(n * squares, n, np.asarray(largest), sure, fewest if len(parts) > 1 else 0)


def _soft(
    question: Quantile, reading: Reading, curve: tuple[FloatArray, FloatArray, float], n: int, confidence: float
) -> Estimates:
    """Where the soft curve, made to fall, crosses each share; errors from where its own interval does."""
    means, variances, size = curve
    reach = normal_reach(confidence)
    half = reach * np.sqrt(variances / size)
    falling = optimize.isotonic_regression(means, increasing=False).x
    places, errors = [], []
    for level in question.levels:
        places.append(_crossing(falling, 1 - level))
        first, last = _crossing(means - half, 1 - level), _last_crossing(means + half, 1 - level)
        errors.append(max(last - first, 0.0) / (2 * reach))
    at = np.clip(np.array(places) + reading.first, reading.low, reading.high)
    ends = [_values(question, reading, at + sign * np.array(errors)) for sign in (-1, 1)]
    # no bound is known on how far a soft quantile is from the plain one
    return Estimates(_values(question, reading, at), (ends[1] - ends[0]) / 2, n, np.nan, confidence)


def _crossing(curve: FloatArray, share: float) -> float:
    """Where a curve first comes down to a share, between cells along a straight line."""
    k = int(np.argmax(curve <= share)) if (curve <= share).any() else curve.size - 1
    if k == 0 or curve[k] > share:
        return float(k)
    return k - 1 + float((curve[k - 1] - share) / (curve[k - 1] - curve[k]))


def _last_crossing(curve: FloatArray, share: float) -> float:
    """Where a curve last leaves a share downwards."""
    return curve.size - 1 - _crossing(-curve[::-1], -share)


def _values(question: Quantile, reading: Reading, positions: FloatArray) -> FloatArray:
    """Positions as values, held in the public range: cells end elsewhere, and floats round."""
    values = question.space.values(reading.points(positions))
    return np.asarray(np.clip(values, question.low, question.high))
