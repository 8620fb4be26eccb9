"""Plain answers: between which two numbers a share lies, when nobody counts in part.

The plain question has no unbiased answer with bounded noise. Two soft ones hold it between them, whoever the people
are: one counts nobody who is not meant, one everybody who is (theory T14). So the plain share is at least the mean of
the first and at most that of the second, and an interval from the lower end of the first to the upper end of the second
holds it with the confidence: each end fails with half of what is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from geopriv.answers.answers import Band
from geopriv.answers.intervals import normal_reach
from geopriv.answers.pools import Pool
from geopriv.mechanisms.sums import Sums, band_half
from geopriv.queries.questions import Question
from geopriv.spaces.checks import FloatArray

_SLACK = 1e-7  # of a share, for borders and cells in floats


def plain_ends(inner: Sums, outer: Sums, confidence: float) -> tuple[FloatArray, FloatArray]:
    """Ends of intervals that hold plain shares, each for itself, with the confidence.

    Half of each interval is that of a band of one: the standard error times the normal reach, and a term for what is
    not normal where few people are (`band_half`), and what tables and splines may be off by. A share is held between 0
    and 1.

    Args:
        inner: of what holds the plain questions from below.
        outer: of what holds them from above.
        confidence: of each interval.
    """
    reach = normal_reach(confidence)
    high = np.clip(outer.means + band_half(reach, outer) + outer.bias + _SLACK, 0.0, 1.0)
    low = np.clip(inner.means - band_half(reach, inner) - inner.bias - _SLACK, 0.0, 1.0)
    return np.minimum(low, high), high


def plain_band(
    question: Question, pool: Pool, parts: Sequence[tuple[Any, int]], confidence: float
) -> tuple[Band | None, float]:
    """The plain answer to a question, None where its reports give none; and what one made-up report can move it by.

    That is the most for the two means between which it is held.

    Args:
        question: what was asked.
        pool: of the reports.
        parts: which of the question's queries each mechanism answers.
        confidence: of each interval by itself.
    """
    ends, leverage = np.empty((2, len(question.queries))), 0.0
    for mine, index in parts:
        sums = pool.bracket_sums(index, question, mine.tolist())
        if sums is None:
            return None, 0.0
        leverage = max(leverage, *(part.leverage for part in sums))
        ends[:, mine] = plain_ends(*sums, confidence)
    low, high = ends.reshape(2, *question.shape)
    return Band(low, high), leverage
