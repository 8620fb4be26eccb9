"""`audit_samples`: draws on every way to a report, at a design's worst places, and what they could have shown."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from geopriv.reports.audits.dependence import Run, judge_spread, judge_together, spread
from geopriv.reports.audits.judgement import POWER, Fault, judge
from geopriv.reports.audits.laws import partitions
from geopriv.reports.audits.paths import SamplingPath, shipped_paths
from geopriv.reports.audits.places import Mark, worst_marks
from geopriv.spaces.checks import count, fraction, positive
from geopriv.surveys.design import Design

Progress = Callable[[str, float], None]
"""Told the path that is audited, and the share of its places that are done."""

UNSEEN = (
    "a generator of few bits, or one whose key somebody keeps: its reports look like honest ones to all who count them",
    "a fault at values that were not tried",
    "a fault that comes less often than about 30 in the number of draws",
    "reports that depend on each other only at distances other than 1, 2, 3 and powers of 2 and are no more often "
    "equal, only three at a time, or in different runs or on different devices",
    "what is told beside the report: when it is sent, from where, or twice",
)
"""Faults that no sampling shows."""

_LEAST = 200  # draws at a place
_TRIAL = 20  # draws by which the speed of a path is measured at first


@dataclass(frozen=True)
class PathAudit:
    """What the draws on one way to a report showed.

    Args:
        name: of the way.
        fewest: draws at a place; where a way is slow there are fewer.
        most: draws at a place.
        places: at which it was drawn.
        faults: that were seen, at most a few a mark.
        loss: the least loss, over what is promised, that would have been seen with probability 99 % at the pair of
            places and the event where it shows best; infinite if none would.
        excess: everything that is counted, a value of a table or a row or box of a grid's cells, and came more often
            than its law says, by this share of the draws or more, would have been seen with probability 99 %, wherever
            it was tried. Of single cells on several axes, or in wide rows, nothing is said.
        rare: the same of what is to come at most once in a thousand draws.
        repeats: the least share of neighbours with the same random words that would have been seen with probability
            99 %, wherever it was tried; None where reports lose their order: there only all counts are looked at.
    """

    name: str
    fewest: int
    most: int
    places: int
    faults: tuple[Fault, ...]
    loss: float
    excess: float
    rare: float
    repeats: float | None

    @property
    def passed(self) -> bool:
        """Whether no fault was seen."""
        return not self.faults

    def __str__(self) -> str:
        seen = f"{len(self.faults)} fault(s) SEEN" if self.faults else "no fault seen"
        draws = f"{self.fewest:,}" if self.fewest == self.most else f"{self.fewest:,} to {self.most:,}"
        could = f"a loss of {_up(self.loss)} ε or more" if math.isfinite(self.loss) else "no loss at all"
        return (
            f"{self.name}: {seen} in {draws} draws at each of {self.places} places. With {100 * POWER:g} % "
            f"{could} would have been seen where it shows best, and every value, or row of cells, that comes more "
            f"often than stated, by {_up(100 * self.excess)} % of all draws ({_up(100 * self.rare)} % if it is rare)."
            + (
                f" So would neighbours with the same words, from {_up(100 * self.repeats)} % on."
                if self.repeats
                else ""
            )
        )


@dataclass(frozen=True)
class SampleAudit:
    """What draws on every way to a report showed.

    Args:
        paths: the audit of each.
        marks: the places that were tried, in words.
        false_alarm: the probability with which honest samplers would have been accused, at most.
    """

    paths: tuple[PathAudit, ...]
    marks: tuple[str, ...]
    false_alarm: float

    @property
    def passed(self) -> bool:
        """Whether no fault was seen on any way. That is no proof of privacy; a fault is proof of its absence."""
        return all(path.passed for path in self.paths)


def audit_samples(
    design: Design,
    samples: int = 100_000,
    *,
    seconds: float = 20.0,
    false_alarm: float = 1e-9,
    paths: Sequence[SamplingPath] | None = None,
    progress: Progress | None = None,
) -> SampleAudit:
    """Draw what is shipped at a design's worst places, and test law and promise.

    At every place the reports are counted: each value or cell, their tails, the rarest together, all together. First
    they must come as often as the design's exact law says; then, between any two neighbouring places, as the promise
    allows, whatever the law. Of batches of people at all places of a mark, pairs of reports are compared with the
    product of their laws, and so is how widely all counts are spread. All tests are exact, and their levels add up to
    `false_alarm`.

    Guarantee: none. Samples can show that a promise is broken, never that it holds (`UNSEEN` says what stays hidden).

    Args:
        design: that was verified.
        samples: draws at each place, at most.
        seconds: for each way, about; slow ways get fewer draws.
        false_alarm: the probability with which honest samplers may be accused.
        paths: the ways to draw; by default all that this package ships.
        progress: is told how far the audit has come.

    >>> from geopriv import Design, Table, Threshold
    >>> design = Design("income", (Table.calibrate(Threshold(at=0.0, width=2.0), epsilon=1.0),))
    >>> audit_samples(design, samples=500, seconds=1.0).passed
    True
    """
    count("audit_samples", "samples", samples, least=_LEAST)
    positive("audit_samples", "seconds", seconds)
    fraction("audit_samples", "false_alarm", false_alarm)
    ways, marks = shipped_paths(design) if paths is None else tuple(paths), worst_marks(design)
    alpha = false_alarm / len(ways)
    tell = progress or (lambda name, share: None)
    audits = tuple(_audit_path(design, way, marks, samples, seconds, alpha, tell) for way in ways)
    return SampleAudit(audits, tuple(mark.words for mark in marks), false_alarm)


def _audit_path(
    design: Design,
    path: SamplingPath,
    marks: Sequence[Mark],
    samples: int,
    seconds: float,
    alpha: float,
    tell: Progress,
) -> PathAudit:
    tell(path.name, 0.0)
    results, together, draws_at, spreads = [], [], [], []
    few = alpha / 10  # for pairs, and for counts; the rest is for law and promise
    for k, mark in enumerate(marks):
        n = _affordable(path, mark, samples, seconds / len(marks))
        read = [path.read(value) for value in mark.values]
        parts = partitions(design, read, n)
        laws = [np.stack([part.law(value) for value in read]) for part in parts]
        draws = [path.draw(value, n) for value in mark.values]
        results.append(judge(mark, parts, laws, draws, design.guarantee.epsilon, (alpha - 2 * few) / len(marks)))
        runs = [Run(reports, np.full(n, place)) for place, reports in enumerate(draws)]
        if path.batch is not None:  # who stands where is public, and the same in all audits
            places = np.random.default_rng(n).integers(0, len(mark.values), n)
            runs = [Run(path.batch([mark.values[place] for place in places.tolist()]), places)]
        together.append(judge_together(mark, parts, laws, runs, few / len(marks)))
        counts = [np.bincount(parts[0].labels(reports), minlength=laws[0].shape[1]) for reports in draws]
        spreads += [spread(law, came) for law, came in zip(laws[0], counts, strict=True)]
        draws_at.append(n)
        tell(path.name, (k + 1) / len(marks))
    faults = [fault for result in results for fault in result.faults]
    faults += [one.fault for one in together if one.fault is not None]
    wide = judge_spread(np.sum(spreads, axis=0), few)
    return PathAudit(
        path.name, min(draws_at), max(draws_at), sum(len(mark.values) for mark in marks),
        tuple(faults if wide is None else [*faults, wide]),
        loss=min(result.loss for result in results),
        excess=max(result.excess for result in results),
        rare=max(result.rare for result in results),
        repeats=None if path.batch is None else max(one.repeats for one in together),
    )  # fmt: skip


def _affordable(path: SamplingPath, mark: Mark, samples: int, seconds: float) -> int:
    """How many draws at each of a mark's places take so long together: trials grow until the draws take a while."""
    budget, n = seconds / len(mark.values), _TRIAL
    _time(path, mark, n)  # the first time something may be loaded or compiled
    start = _time(path, mark, n)  # what few draws take, a file's beginning and end among them
    while n < samples:
        n = min(5 * n, samples)
        more = _time(path, mark, n) - start
        if more > budget / 10:
            return int(min(samples, max(_LEAST, (budget - start) * (n - _TRIAL) / more)))
    return samples


def _time(path: SamplingPath, mark: Mark, n: int) -> float:
    start = perf_counter()
    path.draw(mark.values[1], n)
    return perf_counter() - start


def _up(number: float) -> str:
    """Two digits, rounded up: what is said to be seen must be."""
    if not 0 < number < math.inf:
        return f"{number:g}"
    step = 10.0 ** (math.floor(math.log10(number)) - 1)
    return f"{math.ceil(number / step) * step:.2g}"
