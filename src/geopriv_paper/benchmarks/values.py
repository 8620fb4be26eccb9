"""Do intervals of means and quantiles hold? Surveys as counts of cells, drawn from the exact law of a report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from geopriv.answers.intervals import normal_reach
from geopriv.answers.mean import lopsided_shift
from geopriv.answers.quantile import reading_of
from geopriv.mechanisms import Lattice
from geopriv.mechanisms.lattice.steps import Reading
from geopriv.queries.value_questions import Quantile
from geopriv.spaces.checks import FloatArray

_BLOCK = 1 << 22  # counts that are held at once


@dataclass(frozen=True, eq=False)
class Intervals:
    """Of many surveys.

    Args:
        low: lower ends, shape (surveys, K).
        high: upper ends.
        truth: of the people, shape (K,).
    """

    low: FloatArray
    high: FloatArray
    truth: FloatArray

    @property
    def covered(self) -> FloatArray:
        """The share of surveys whose interval holds the truth, shape (K,)."""
        return np.asarray(((self.low <= self.truth) & (self.truth <= self.high)).mean(axis=0))

    @property
    def half(self) -> FloatArray:
        """Half of the mean length, shape (K,)."""
        return np.asarray((self.high - self.low).mean(axis=0) / 2)


def quantile_intervals(
    lattice: Lattice,
    question: Quantile,
    values: FloatArray,
    weights: FloatArray,
    n: int,
    surveys: int,
    rng: np.random.Generator,
    confidence: float = 0.95,
    soft: bool = False,
) -> Intervals:
    """Intervals of plain quantiles, as answers state them, from surveys of n people each.

    Args:
        lattice: on a Line.
        question: with its reach.
        values: of the people.
        weights: of them, which add up to 1.
        n: reports of a survey.
        surveys: how many.
        rng: of the draws.
        confidence: of each interval.
        soft: take intervals of the soft curve for those of the plain quantiles, which they are not: for comparison.
    """
    reading, reach = reading_of(question, lattice), normal_reach(confidence)
    values = np.clip(values, question.low, question.high)
    ends: list[tuple[FloatArray, ...]] = []
    for counts in _surveys(reading.law(lattice.space.read(values), weights), n, surveys, rng):
        if soft:
            both = [_soft(reading, counts, n, level, reach) for level in question.levels]
        else:
            curve = reading.curve(counts, n)
            both = [reading.quantile(*curve, n, level, reach) for level in question.levels]
        ends.append(tuple(reading.points(np.stack(side, axis=-1)) for side in zip(*both, strict=True)))
    low, high = (np.concatenate(side) for side in zip(*ends, strict=True))
    return Intervals(low, high, plain_quantiles(values, weights, question.levels))


def _soft(reading: Reading, counts: FloatArray, n: int, level: float, reach: float) -> tuple[FloatArray, FloatArray]:
    """The first cell before which the soft curve is surely above the share, and the last after which it is below."""
    means, variances = reading.middle(counts, n)
    half = reach * np.sqrt(variances / n)
    first = (means - half <= 1 - level).argmax(axis=-1) - 1.0
    last = means.shape[-1] - 1.0 * (means + half >= 1 - level)[:, ::-1].argmax(axis=-1)
    return np.asarray(first + reading.first), np.asarray(last + reading.first)


def mean_intervals(
    lattice: Lattice,
    values: FloatArray,
    weights: FloatArray,
    n: int,
    surveys: int,
    rng: np.random.Generator,
    confidence: float = 0.95,
) -> Intervals:
    """Intervals of the mean, as answers state them, from surveys of n people each on a Line."""
    reach = normal_reach(confidence)
    reading = Reading.of(lattice, 30 / lattice.guarantee.epsilon, float(values.min()), float(values.max()))
    law = reading.law(lattice.space.read(values), weights)
    # cells beyond the last steps, 60/ε out, are as good as never reported
    cells = reading.points(np.arange(law.size, dtype=np.float64) + reading.start)
    middle = float(law @ cells)
    away = cells - middle
    low, high = [], []
    for counts in _surveys(law, n, surveys, rng):
        first, second, third = (counts @ away**power / n for power in (1, 2, 3))
        variance = second - first**2
        ratio = (third - 3 * first * second + 2 * first**3) / variance
        shift = np.array([lopsided_shift(one, n, confidence) for one in ratio.tolist()])
        half = reach * np.sqrt(variance / (n - 1))
        low.append(middle + first - half + np.minimum(shift, 0.0))
        high.append(middle + first + half + np.maximum(shift, 0.0))
    truth = np.array([float(weights @ values)])
    return Intervals(np.concatenate(low)[:, None], np.concatenate(high)[:, None], truth)


def plain_quantiles(values: FloatArray, weights: FloatArray, levels: tuple[float, ...]) -> FloatArray:
    """The least value t with P(x ≤ t) ≥ q, for each level q."""
    order = np.argsort(values)
    upto = np.cumsum(weights[order])
    # a hair of slack, since weights of a sum of one add up to one only to rounding
    place = np.searchsorted(upto, np.asarray(levels) - 1e-12)
    return np.asarray(values[order][np.minimum(place, order.size - 1)])


def _surveys(law: FloatArray, n: int, number: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Counts of cells, in blocks of shape (surveys, cells)."""
    block = max(1, _BLOCK // law.size)
    for start in range(0, number, block):
        yield rng.multinomial(n, law, min(block, number - start)).astype(np.float64)
