"""Intervals that hold for the honest people, whatever some of the reports say (theory T17).

Of n reports at most k are made up. The honest ones are some n − k of them at least, and whichever they are, their mean
is at least that of the n − k that count least and at most that of the n − k that count most. Their sample variance is
at most S/(n − k − 1), where S is the sum of squares of all n about their mean. So the interval that would be made of
the honest reports alone, if anybody knew them, lies within that from the lower end with the one mean to the upper end
with the other; and holds the truth wherever it does.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from geopriv.answers.answers import Answer, Answers, Band, Robust
from geopriv.answers.intervals import normal_reach
from geopriv.answers.pools import Pool
from geopriv.mechanisms.sums import Sums
from geopriv.queries.questions import Question
from geopriv.reports.tallies import Tally
from geopriv.spaces.checks import FloatArray, invalid

ONE_IN = 0.01  # of all reports that are taken to be made up, where nothing else is said
_ENTRIES = 1 << 24  # contributions that are sorted at once
_SLACK = 1e-7  # of a share, for borders and cells in floats


def made_up_of(given: float, n: int) -> int:
    """How many of n reports may be made up: a whole number of them, or a share of all, rounded up.

    Raises:
        InvalidParameter: for neither.

    >>> made_up_of(0.01, 1_050), made_up_of(7, 1_050)
    (11, 7)
    """
    share = float(given)
    if isinstance(given, bool) or not (0 < share < 1 or (share >= 1 and share == int(share))):
        raise invalid("estimate", "robust", "a share between 0 and 1 of the reports, or a whole number of them", given)
    return math.ceil(share * n * (1 - 1e-12)) if share < 1 else int(share)


def with_robust(answers: Answers, counts: Tally, given: float) -> Answers:
    """Answers with robust intervals beside the usual ones, for all and for each group.

    Liars choose which mechanism they answer and which group they name. So all of them are taken to be in each answer.

    Args:
        answers: to questions of the counts' design, or asked after collecting.
        counts: of the reports.
        given: how many may be made up, or which share of all.

    Raises:
        InvalidParameter: where no answer has such intervals: of values, and where groups count by known sizes.
    """
    if answers.weighted:
        rule = "left out where groups count by their known sizes; weighted=False, --unweighted counts reports alike"
        raise invalid("estimate", "robust", rule, given)
    made_up = made_up_of(given, counts.n)
    found = _with(answers, counts, made_up)
    if all(answer.robust is None for answer in found.answers):
        rule = "left out where all that is asked are values: no bound is known on what a report adds to them"
        raise invalid("estimate", "robust", rule, given)
    names = () if counts.design.groups is None else counts.design.groups.names
    groups = {name: _with(group, counts.of_group(names.index(name)), made_up) for name, group in answers.groups.items()}
    return replace(found, groups=groups)


def _with(answers: Answers, counts: Tally, made_up: int) -> Answers:
    pool = Pool(counts)
    return replace(
        answers, answers=tuple(replace(each, robust=_robust(each, pool, made_up)) for each in answers.answers)
    )


def _robust(answer: Answer, pool: Pool, made_up: int) -> Robust | None:
    """Of all of a question's values; None of a question about values."""
    question, confidence = answer.question, answer.estimates.confidence
    if question.valued:
        return None
    answering = np.array(pool.design.answering_each(question))
    soft, plain = np.empty((2, len(answering))), np.empty((2, len(answering)))
    for index in np.unique(answering).tolist():
        mine = np.flatnonzero(answering == index)
        soft[:, mine] = soft_ends(pool.sums(index, question, mine.tolist()), made_up, confidence)
        if answer.plain is not None:
            plain[:, mine] = _plain_ends(question, pool, index, mine.tolist(), made_up, confidence)
    ends = question.times * soft.reshape(2, *question.shape), question.times * plain.reshape(2, *question.shape)
    return Robust(made_up, Band(*ends[0]), None if answer.plain is None else Band(*ends[1]))


def soft_ends(sums: Sums, made_up: int, confidence: float) -> FloatArray:
    """Both ends of intervals of the soft answers of the honest, each for itself, shape (2, K).

    They surround the normal interval of the honest reports, and what tables and splines may be off by.
    """
    honest = sums.n - made_up
    if honest < 2:
        return np.stack([np.full(sums.means.shape, end) for end in (-np.inf, np.inf)])
    half = normal_reach(confidence) * _largest_error(sums, honest) + max(sums.bias, 0.0)
    low, high = trimmed_means(sums, made_up)
    return np.stack([low - half, high + half])


def _plain_ends(
    question: Question, pool: Pool, index: int, mine: list[int], made_up: int, confidence: float
) -> FloatArray:
    """Ends of intervals of plain answers: they surround those that `answers.plain` would make of the honest reports."""
    both = pool.bracket_sums(index, question, mine)
    assert both is not None  # there is a plain answer
    honest = both[0].n - made_up
    if honest < 2:
        return np.stack([np.zeros(len(mine)), np.ones(len(mine))])
    reach, ends = normal_reach(confidence), []
    for side, sums in enumerate(both):
        # the second term of `band_half` is largest for the range itself, whatever the honest reports are
        lopsided = 7 / 6 * reach**2 * (sums.high - sums.low) / max(honest - 1, 1)
        half = reach * _largest_error(sums, honest) + lopsided + sums.bias + _SLACK
        ends.append(trimmed_means(sums, made_up)[side] + (half if side else -half))
    low, high = np.clip(ends, 0.0, 1.0)
    return np.stack([np.minimum(low, high), high])


def _largest_error(sums: Sums, honest: int) -> FloatArray:
    """The largest standard error that so many of the reports can have of their mean."""
    return np.asarray(np.sqrt(sums.variances * (sums.n - 1) / (honest - 1) / honest))


def trimmed_means(sums: Sums, made_up: int) -> tuple[FloatArray, FloatArray]:
    """The least and the largest mean of all but so many reports, of each query: without the largest, or the least.

    Of a map only sums are known: then they are those that the range of contributions allows.

    >>> from geopriv.mechanisms.sums import moments_of, repeated
    >>> blocks = repeated(np.array([[0.0], [1.0], [5.0]]), np.array([2.0, 2.0, 1.0]))
    >>> ends = np.array([-1.0]), np.array([5.0])
    >>> low, high = trimmed_means(Sums(5, *moments_of(blocks, 5, 1), *ends, 0.0, blocks=blocks), made_up=1)
    >>> low.tolist(), high.tolist()
    ([0.5], [1.75])
    """
    kept = sums.n - made_up
    if sums.blocks is None:
        return (sums.n * sums.means - made_up * sums.high) / kept, (sums.n * sums.means - made_up * sums.low) / kept
    rows = [times for _, times in sums.blocks()]
    size, step = sum(map(len, rows)), max(1, _ENTRIES // max(sum(map(len, rows)), 1))
    parts, times = [], np.concatenate(rows)
    for start in range(0, sums.means.size, step):
        values = np.concatenate([block[:, start : start + step] for block, _ in sums.blocks()]).reshape(size, -1)
        parts.append(_trimmed(values, times, kept))
    low, high = np.concatenate(parts, axis=1)
    return low, high


def _trimmed(values: FloatArray, times: FloatArray, kept: int) -> FloatArray:
    order = np.argsort(values, axis=0)
    values, often = np.take_along_axis(values, order, axis=0), times[order]
    before = np.cumsum(often, axis=0) - often
    least = np.clip(kept - before, 0, often)
    most = np.clip(before + often - (times.sum() - kept), 0, often)
    return np.stack([(values * part).sum(axis=0) / kept for part in (least, most)])
