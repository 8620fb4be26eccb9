"""What draws at a few neighbouring places prove: that a sampler has another law, or that it breaks its promise.

Every test is exact, and the levels of all of them add up to the one that is given (union bound): an honest sampler is
accused with at most that probability.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from geopriv.mechanisms.sendable import Integers
from geopriv.proofs.audits.events import (
    Counts,
    proven_loss,
    seen_excess,
    seen_loss,
    surprise,
)
from geopriv.reports.audits.laws import Partition
from geopriv.reports.audits.places import Mark
from geopriv.spaces.checks import FloatArray

POWER = 0.99  # with which what is said to be seen is seen
RARE = 1e-3
_TRIED = 6  # events for which the power is computed exactly
_MEASURABLE = 0.05  # ε·distance from which on a loss can be told from rounding


@dataclass(frozen=True)
class Fault:
    """Something that an honest sampler does not do.

    Args:
        kind: "law" where reports do not come as often as the design says, "promise" where two places are told apart,
            "pairs" where reports depend on each other.
        where: the mark at which it was seen.
        event: the reports that show it.
        seen: their frequency; or the loss that is proven, over what is promised (infinite where nothing is allowed).
        stated: their probability; or 1.
    """

    kind: str
    where: str
    event: str
    seen: float
    stated: float

    def __str__(self) -> str:
        if self.kind == "pairs" and math.isnan(self.seen):
            return f"At {self.where}: {self.event} were seen."
        if self.kind != "promise":
            return f"At {self.where}: {self.event} came with frequency {self.seen:.3g}, stated {self.stated:.3g}."
        return f"At {self.where}: {self.event} shows a loss of at least {self.seen:.3g} times what is promised."


@dataclass(frozen=True)
class Judgement:
    """What was seen at a mark, and what would have been.

    Args:
        faults: that were seen.
        loss: the least loss, over what is promised, that would have been seen with probability 99 %.
        excess: the least excess of any report's frequency over its probability that would have been.
        rare: the same of a report of probability RARE or less.
    """

    faults: tuple[Fault, ...]
    loss: float
    excess: float
    rare: float


@dataclass(frozen=True)
class _Sorted:
    """Draws at every place of a mark, by kind: what is stated, and how many came in each half."""

    partition: Partition
    laws: FloatArray
    first: Counts
    second: Counts

    @property
    def counts(self) -> Counts:
        return self.first + self.second


def judge(
    mark: Mark, parts: Sequence[Partition], laws: Sequence[FloatArray], draws: Sequence[Integers], epsilon: float,
    alpha: float,
) -> Judgement:  # fmt: skip
    """Test the draws at a mark's places against the stated law, and the law against the promise.

    Args:
        mark: the places.
        parts: how reports are sorted.
        laws: for each of them the stated probabilities, shape (places, kinds).
        draws: as many at each place.
        epsilon: that is promised.
        alpha: the probability with which an honest sampler may be accused here.
    """
    n = len(draws[0])
    sets = [_sort(part, law, draws) for part, law in zip(parts, laws, strict=True)]
    law_tests = sum(len(mark.values) * (1 + _law_events(one.partition) * one.laws.shape[1]) for one in sets)
    promise_tests = sum(len(mark.pairs) * (1 + 4 * one.laws.shape[1]) for one in sets)
    law_level, promise_level = alpha / 2 / law_tests, alpha / 4 / promise_tests
    faults = [_worst_law(mark, one, n, law_level) for one in sets]
    faults += [_worst_pair(mark, one, n, epsilon, promise_level) for one in sets]
    loss = min(_power(mark, one.laws, n, epsilon, promise_level) for one in sets)
    excess = max(_excess(one.laws, n, law_level) for one in sets)
    rare = float(seen_excess(np.array([RARE]), n, law_level, POWER)[0])
    return Judgement(tuple(fault for fault in faults if fault is not None), loss, excess, rare)


def _sort(partition: Partition, laws: FloatArray, draws: Sequence[Integers]) -> _Sorted:
    labels = [partition.labels(reports) for reports in draws]
    half, kinds = len(draws[0]) // 2, laws.shape[1]
    first, second = (
        np.stack([np.bincount(label[part], minlength=kinds) for label in labels])
        for part in (slice(None, half), slice(half, None))
    )
    return _Sorted(partition, laws, first, second)


def _law_events(partition: Partition) -> int:
    return 3 if partition.ordered else 2


def _worst_law(mark: Mark, one: _Sorted, n: int, level: float) -> Fault | None:
    """The place and event that are least likely, if they are no chance: each kind, tails, and the rarest together."""
    worst, fault = level, None
    for place, (law, counts) in enumerate(zip(one.laws, one.counts, strict=True)):
        rare = np.argsort(law, kind="stable")
        orders = [rare, np.arange(law.size)][: _law_events(one.partition) - 1]
        stated = np.concatenate([law, *(np.minimum(np.cumsum(law[order]), 1.0) for order in orders)])
        hits = np.concatenate([counts, *(np.cumsum(counts[order]) for order in orders)])
        values = surprise(hits, n, stated)
        k = int(values.argmin())
        if values[k] <= worst:
            worst = float(values[k])
            fault = Fault("law", _at(mark, place), _words(one, k, orders), float(hits[k] / n), float(stated[k]))
        elif fault is None and _evidence(law, one.first[place], one.second[place]) > -math.log(level):
            fault = Fault("law", _at(mark, place), "all reports together, which", math.nan, math.nan)
    return fault


def _evidence(law: FloatArray, first: Counts, second: Counts) -> float:
    """The logarithm of the likelihood ratio, on the second half, of a law learnt from the first against the stated one.

    Its mean under the stated law is 1, so it exceeds 1/level with probability at most the level (Markov), whatever was
    learnt: a G-test that is exact for every number of draws.
    """
    learnt = (first + 0.5 * law) / (first.sum() + 0.5)
    logs = []
    for weight in (0.1, 1.0):
        mixed = (1 - weight) * law + weight * learnt
        came = second > 0
        if (law[came] <= 0).any():
            return math.inf
        with np.errstate(divide="ignore"):
            logs.append(float(second[came] @ (np.log(mixed[came]) - np.log(law[came]))))
    return float(np.logaddexp(logs[0], logs[1])) - math.log(2)


def _worst_pair(mark: Mark, one: _Sorted, n: int, epsilon: float, level: float) -> Fault | None:
    """The pair and event with the largest proven loss over what is promised, if it is above."""
    worst, fault = 0.0, None
    for i, j in mark.pairs:
        allowed = epsilon * float(mark.distances[i, j])
        hits, other, orders = _pair_events(one, i, j)
        promising = np.flatnonzero(hits > math.exp(min(allowed, 700.0)) * other)
        loss = np.full(hits.size, -np.inf)
        loss[promising] = proven_loss(hits[promising], other[promising], n, level)
        chosen, event = _chosen_loss(one, i, j, level)
        k = int(loss.argmax())
        proven = max(float(loss[k]), chosen)
        # the stated law itself is known to some 1e-15 of a probability
        if proven - allowed > worst + 1e-9:
            worst = proven - allowed
            words = event if chosen > loss[k] else _words(one, k, orders)
            ratio = proven / allowed if allowed > 0 else math.inf
            fault = Fault("promise", _at(mark, i, j), words, ratio, 1.0)
    return fault


def _pair_events(one: _Sorted, i: int, j: int) -> tuple[Counts, Counts, list[Counts]]:
    """Hits of each kind, of all up to one, of all beyond one, and of those whose stated ratio is largest."""
    a, b = one.counts[i], one.counts[j]
    kinds = np.arange(a.size)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(one.laws[j] > 0, one.laws[i] / one.laws[j], np.where(one.laws[i] > 0, np.inf, 0.0))
    orders = [kinds, kinds[::-1], np.argsort(-ratio, kind="stable")]
    hits, other = (np.concatenate([c, *(np.cumsum(c[order]) for order in orders)]) for c in (a, b))
    return hits, other, orders


def _chosen_loss(one: _Sorted, i: int, j: int, level: float) -> tuple[float, str]:
    """What the second half proves of the event that the first half chose."""
    a, b, n = one.first[i], one.first[j], int(one.first[i].sum())
    order = np.argsort(-(a + 0.5) / (b + 0.5), kind="stable")
    score = proven_loss(np.cumsum(a[order]), np.cumsum(b[order]), n, level)
    event = order[: int(score.argmax()) + 1]
    hits, other, m = one.second[i][event].sum(), one.second[j][event].sum(), int(one.second[i].sum())
    words = f"{event.size} kinds of reports, first {one.partition.words(int(event[0]))},"
    return float(proven_loss(hits, other, m, level)), words


def _power(mark: Mark, laws: FloatArray, n: int, epsilon: float, level: float) -> float:
    """The least loss over what is promised that some event would have shown with probability 99 %."""
    best = math.inf
    for i, j in mark.pairs:
        allowed = epsilon * float(mark.distances[i, j])
        if not _MEASURABLE < allowed < 700:
            continue
        tails = (np.cumsum(laws[j]), np.cumsum(laws[j][::-1]))
        q = np.unique(np.clip(np.concatenate([laws[j], *tails]), 0.0, 1.0))
        q = q[(q * n > 1) & (q < math.exp(-allowed))]
        spread = np.sqrt(1 / (n * q)) + np.sqrt(np.maximum(math.exp(-allowed) / q - 1, 0.0) / n)
        fit = q[np.argsort(spread)[:_TRIED]]
        if fit.size:
            best = min(best, float(seen_loss(fit, allowed, n, level, POWER).min()) / allowed)
    return best


def _excess(laws: FloatArray, n: int, level: float) -> float:
    """The least excess over its probability that would have been seen of every kind of report."""
    hardest = laws.ravel()[np.argsort(np.abs(laws.ravel() - 0.5), kind="stable")[:_TRIED]]
    excess = seen_excess(hardest, n, level, POWER)
    return float(np.minimum(excess, 1 - hardest).max())


def _at(mark: Mark, *places: int) -> str:
    return f"{mark.words} ({' and '.join(str(mark.values[place]) for place in places)})"


def _words(one: _Sorted, k: int, orders: Sequence[Counts]) -> str:
    """The event at position k among the kinds and their cumulated orders."""
    which, rest = divmod(k, one.laws.shape[1])
    if which == 0:
        return one.partition.words(rest)
    return f"{rest + 1} kinds of reports, up to {one.partition.words(int(orders[which - 1][rest]))},"
