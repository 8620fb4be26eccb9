"""What reports that somebody made up could do to an answer, in a sentence."""

from __future__ import annotations

import math

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
