"""Whether reports that are drawn together depend on each other: reports of the right law that share their random words.

A promise is on each person's report by itself, and answers rest on reports that are independent. A sampler that gives
two people the same words has the right law at every place; who knows one of the two values learns of the other.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from geopriv.mechanisms.sendable import Integers
from geopriv.reports.audits.judgement import POWER, Fault
from geopriv.reports.audits.laws import Partition
from geopriv.reports.audits.places import Mark
from geopriv.spaces.checks import FloatArray

Places = npt.NDArray[np.intp]

_GROUPS = 6  # of kinds of reports, by which pairs are looked at that are not equal
_NEAR = 8  # reports apart, up to which that is done
_SPREADS = (1.05, 1.2, 2.0, 4.0)  # times the variance of independent counts: 2 where every report comes twice


@dataclass(frozen=True)
class Run:
    """Reports that were drawn one after the other, or in one batch.

    Args:
        reports: in order; rows are (mechanism, numbers of the report, zeros).
        places: the number of the place of each among those of a mark.
    """

    reports: Integers
    places: Places


@dataclass(frozen=True)
class Together:
    """What pairs of reports showed at a mark.

    Args:
        fault: that was seen.
        repeats: the least share of neighbours with the same words that would have been seen with probability 99 %.
    """

    fault: Fault | None
    repeats: float


def judge_together(
    mark: Mark, parts: Sequence[Partition], laws: Sequence[FloatArray], runs: Sequence[Run], alpha: float
) -> Together:
    """Compare pairs of reports at several lags with the product of their laws.

    Pairs of one lag and one beginning have no report in common, so those of an honest sampler are independent. Counted
    is how many are equal, whose chance is at most that of Hoeffding (1963, theorem 1) where the pairs' own chances
    differ; and of near ones by a likelihood ratio, learnt on one half and tested on the other, whether groups of kinds
    come together as independent ones do.

    Args:
        mark: the places.
        parts: how reports are sorted.
        laws: for each of them the stated probabilities, shape (places, kinds).
        runs: the reports.
        alpha: the probability with which an honest sampler may be accused here.
    """
    tests = sum(1 + (lag <= _NEAR) for run in runs for lag, _ in _pairs(len(run.places))) * len(parts)
    level, worst, fault, repeats = alpha / max(tests, 1), math.inf, None, 1.0
    for part, law in zip(parts, laws, strict=True):
        group = _groups(law)
        grouped = np.stack([np.bincount(group, row, _GROUPS) for row in law]).astype(np.float64)
        for run in runs:
            labels, same = part.labels(run.reports), np.minimum(law @ law.T, 1.0)
            for lag, first in _pairs(len(labels)):
                a, b = run.places[first], run.places[first + lag]
                hits, stated = int((labels[first] == labels[first + lag]).sum()), float(same[a, b].mean())
                value = 2 * math.exp(-len(first) * _divergence(hits / len(first), stated))
                words = f"two reports {lag} apart, from number {int(first[0]) + 1} on, that are equal"
                if value <= level and value < worst:
                    worst, fault = value, Fault("pairs", mark.words, words, hits / len(first), stated)
                if lag == 1:
                    repeats = min(repeats, _seen_repeats(len(first), stated, level))
                pairs = group[labels[first]], group[labels[first + lag]]
                if fault is None and lag <= _NEAR and _evidence(grouped, *pairs, a, b) > -math.log(level):
                    words = f"two reports {lag} apart, from number {int(first[0]) + 1} on, which are not independent,"
                    fault = Fault("pairs", mark.words, words, math.nan, math.nan)
    return Together(fault, repeats)


def _pairs(n: int) -> Iterator[tuple[int, Places]]:
    """Lags, and where pairs begin that have nothing in common: from the first report on, and from the first lag on."""
    numbers = np.arange(n)
    for lag in (1, 2, 3, *(1 << k for k in range(2, max(n // 4, 1).bit_length()))):
        for start in range(2):
            first = numbers[: n - lag][(numbers[: n - lag] // lag) % 2 == start]
            if first.size:
                yield lag, first


def _divergence(seen: float, stated: float) -> float:
    """Of two Bernoulli laws, in nats."""
    return float(special.rel_entr(seen, stated) + special.rel_entr(1 - seen, 1 - stated))


def _seen_repeats(pairs: int, stated: float, level: float) -> float:
    """The least share of pairs with the same words whose equal reports are seen with the power; 1 for none."""
    hits = np.arange(math.ceil(pairs * stated), pairs + 1)
    enough = hits[2 * np.exp(-pairs * (special.rel_entr(hits / pairs, stated)
                                       + special.rel_entr(1 - hits / pairs, 1 - stated))) <= level]  # fmt: skip
    if not enough.size or stated >= 1:
        return 1.0
    needed = float(special.betaincinv(enough[0], pairs - enough[0] + 1, POWER))
    return min(max((needed - stated) / (1 - stated), 0.0), 1.0)


def _groups(law: FloatArray) -> Places:
    """The group of each kind: neighbours, about as often as one another."""
    shares = law.mean(axis=0)
    middles = np.cumsum(shares) - shares / 2
    return np.asarray(np.clip(middles * _GROUPS, 0, _GROUPS - 1), dtype=np.intp)


def _evidence(law: FloatArray, x: Places, y: Places, a: Places, b: Places) -> float:
    """The logarithm of a likelihood ratio, on the second half of the pairs, of weights learnt on the first.

    A pair of groups (x, y) at places (a, b) is said to come w(x, y)/Z(a, b) times as often as the product law says, in
    which Z makes the sum 1. The ratio's mean is 1 for independent reports, so it exceeds 1/level with probability at
    most the level (Markov).
    """
    half, size = len(x) // 2, len(law)
    together = np.bincount(a[:half] * size + b[:half], minlength=size * size).reshape(size, size)
    stated = law.T @ together @ law
    seen = np.bincount(x[:half] * _GROUPS + y[:half], minlength=_GROUPS**2).reshape(_GROUPS, _GROUPS)
    weights = (seen + 1) / (stated + 1)
    sums = law @ weights @ law.T
    return float((np.log(weights[x[half:], y[half:]]) - np.log(sums[a[half:], b[half:]])).sum())


def spread(law: FloatArray, counts: Integers) -> FloatArray:
    """How much better each of a few wider laws explains the counts at a place than independent reports do, in nats.

    Reports that come twice are counted with twice the variance, in whatever order they stand. The wider laws are those
    of Dirichlet and multinomial with means as stated; the mean of each ratio is 1 for independent reports, so products
    over places, and means over laws, exceed 1/level with probability at most the level (Markov).
    """
    n, came = int(counts.sum()), law > 0
    p, k = law[came] / law.sum(), counts[came]
    found = []
    for factor in _SPREADS:
        c = (n - factor) / (factor - 1)
        wide = special.gammaln(c) - special.gammaln(n + c) + (special.gammaln(k + c * p) - special.gammaln(c * p)).sum()
        found.append(float(wide - special.xlogy(k, p).sum()))
    return np.array(found)


def judge_spread(sums: FloatArray, alpha: float) -> Fault | None:
    """The fault of counts that are spread more widely than those of independent reports, from all places' `spread`."""
    if special.logsumexp(sums) - math.log(len(sums)) <= -math.log(alpha):
        return None
    factor = _SPREADS[int(sums.argmax())]
    words = f"counts with a variance some {factor:g} times that of independent reports, as if reports came again,"
    return Fault("pairs", "all places together", words, math.nan, math.nan)
