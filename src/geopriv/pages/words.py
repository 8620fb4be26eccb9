"""Sentences about questions, in plain words."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable

from geopriv.spaces import Space
from geopriv.spaces.rounding import above
from geopriv.spaces.words import plain

_TRUE = 0.999  # of a distance on the ground, above which a map is as good as it
_WIDE = 100  # of lines of text
REASONS = {
    "repeated id": "the same report again",
    "wrong design": "made for another design",
    "wrong group": "of no group that this design names",
    "out of range": "no report that this design can make",
    "malformed": "not a report",
    "truncated": "cut off before its end",
    "too large": "too large to read",
    "another round": "of another round of the survey",
    "no token": "without an invitation",
    "unknown token": "with an invitation that was never given out",
    "spent token": "with an invitation that was used before",
    "other site": "sent by a page of another site",
    "too fast": "too many at once from one address",
    "too slow": "begun, and not at their end within half a minute",
}


def place_notes(space: Space, who: str) -> tuple[str, ...]:
    """What is to be said of places: that of others the border counts, and how true distances are."""
    if not space.geographic or not space.flat:
        return ()
    notes = [f"{who.capitalize()} outside the region of the survey count at its border."]
    if space.shrink < _TRUE:
        less = 100 * (1 - space.shrink)
        notes.append(f"Distances are those of a flat map, up to {plain(above(less, 2))} % shorter than on the ground.")
    return tuple(notes)


def counted(number: int, noun: str) -> str:
    """A number of things.

    >>> counted(1, "report"), counted(1200, "report")
    ('1 report', '1,200 reports')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def wrapped(lines: Iterable[str], width: int = _WIDE) -> str:
    """Lines one below the other, those that are too long in several, each further in than its first."""
    return "\n".join(part for line in lines for part in _broken(line, min(width, _WIDE)))


def _broken(line: str, width: int) -> list[str]:
    indent = " " * (len(line) - len(line.lstrip()))
    # no line ends between a number and its sign
    whole = line.replace(" %", "\u00a0%") if len(line) > width else line
    parts = textwrap.wrap(
        whole.lstrip(),
        width,
        initial_indent=indent,
        subsequent_indent=f"{indent}    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [part.replace("\u00a0%", " %") for part in parts] if len(line) > width else [line]


def bias_words(
    bias: float, error: float, unit: str, scale: float = 1.0, whose: str = "the standard error"
) -> tuple[str, str]:
    """How biased an estimate is: a label where that matters beside its error, else a note; both empty where it is not.

    Args:
        bias: a bound; up to 1e-6 is none, as `Estimates.unbiased` says.
        error: the standard error.
        unit: of what is said.
        scale: from estimates to that unit.
        whose: what the error is called, where there are several.

    >>> bias_words(0.001, 0.001, "points", 100.0)
    ('biased by at most 0.1 points', '')
    >>> bias_words(2e-6, 1e-6, "points")
    ('biased by at most 0.000002 points', '')
    """
    if bias <= 1e-6:
        return "", ""
    if not math.isfinite(bias):
        return "biased by an unknown amount", ""
    said = f"biased by at most {_small(above(bias * scale, 2))} {unit}"
    # not capitalize(), which would write the unit in small letters
    return (said, "") if bias > error / 2 else ("", f"B{said[1:]}, less than half of {whose}.")


def _small(number: float) -> str:
    """A number of two digits, and no power of ten unless nobody could count the zeros."""
    return f"{number:.10f}".rstrip("0") if 1e-9 <= number < 1e-4 else plain(number)
