"""What reports that somebody made up could do to an answer, and what holds whatever they say, in a sentence."""

from __future__ import annotations

import math

import numpy as np

from geopriv.answers.answers import Answer, Band
from geopriv.pages.numbers import decimals_for, outward
from geopriv.pages.words import counted
from geopriv.spaces.rounding import above
from geopriv.spaces.words import plain

_ONE_IN = 100  # reports are taken to be made up


def one_in_hundred(n: int) -> int:
    """How many reports are taken to be made up where nobody says it: at least one."""
    return max(n // _ONE_IN, 1)


def made_up_words(
    leverage: float | None,
    n: int,
    scale: float = 1.0,
    unit: str = "",
    most: float = math.inf,
    some: int | None = None,
) -> str:
    """By how much an answer could move if some reports were made up; empty where it is not told.

    Args:
        leverage: by how much one report moves it at most.
        n: reports.
        scale: from estimates to the unit.
        unit: of what is said.
        most: what estimates of the truth differ by at most, 1 for a share: beyond, they could be moved to anything.
        some: how many reports are made up; one in a hundred if left out.

    >>> made_up_words(0.0001, 20_000, 100.0, " points", 1.0)
    'If 200 of 20,000 reports were made up, this could move by at most 2 points.'
    >>> made_up_words(math.inf, 20_000)
    'No bound is known on how far made-up reports could move this.'
    """
    if leverage is None or n < 1:
        return ""
    if not math.isfinite(leverage):
        return "No bound is known on how far made-up reports could move this."
    some = one_in_hundred(n) if some is None else some
    if some * leverage >= most:
        return f"If {some:,} of {counted(n, 'report')} were made up, this could be moved to anything."
    moved = plain(above(some * leverage * scale, 2))
    return f"If {some:,} of {counted(n, 'report')} were made up, this could move by at most {moved}{unit}."


def robust_words(answer: Answer, scale: float = 1.0, unit: str = "") -> str:
    """What holds of the honest people whatever some reports say; empty where it was not asked for.

    Args:
        answer: with its robust intervals, or without.
        scale: from estimates to the unit.
        unit: of what is said.
    """
    found = answer.robust
    if found is None:
        return ""
    level = f"{100 * answer.estimates.confidence:.3g} %"
    start = f"Whatever any {found.made_up:,} of the {counted(answer.estimates.n, 'report')} say"
    band, which = (found.soft, "soft ") if found.plain is None else (found.plain, "plain ")
    if answer.question.shape:
        longest = scale * float(np.max(band.high - band.low))
        if not math.isfinite(longest):
            return f"{start}, nothing is known of some {which}values: too few reports answer them."
        long = plain(above(longest, 2))
        return f"{start}, {level} intervals of the honest people's {which}values are at most {long}{unit} long."
    said = [
        f"{name}{_ends(each, scale, unit)}" for name, each in (("plain ", found.plain), ("soft ", found.soft)) if each
    ]
    return f"{start}, the honest people's answer is, at {level}: {'; '.join(said)}."


def _ends(band: Band, scale: float, unit: str) -> str:
    low, high = scale * float(band.low), scale * float(band.high)
    if not math.isfinite(low + high):
        return "anything"
    if unit == " points":  # of shares, of which the truth is between 0 and 1
        low, high, unit = max(low, 0.0), min(high, 100.0), " %"
    least, most = outward(low, high, decimals_for((high - low) / 4 if high > low else 1.0))
    return f"{least} to {most}{unit}"
