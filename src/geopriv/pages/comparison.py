"""What changed between two waves, as lines of text."""

from __future__ import annotations

import numpy as np

from geopriv.answers.answers import Band
from geopriv.answers.comparison import Change, Comparison
from geopriv.pages.forms import form_of
from geopriv.pages.values import places_of
from geopriv.spaces.words import plain as number

_LINES = 12  # of a curve


def comparison_text(found: Comparison) -> str:
    """Every change with its interval, then what both waves give away of somebody who was in both."""
    lines = [
        f"From {found.first.survey!r} ({found.first.n:,} reports) to {found.second.survey!r} ({found.second.n:,})."
    ]
    for change in found.changes:
        lines += _lines(change)
    if found.left_out:
        lines.append(f"Not asked in both, or not in the same words: {', '.join(map(repr, found.left_out))}.")
    if found.same_people:
        lines.append(
            "The same people in both: standard errors were added, which holds however their answers go together."
        )
    else:
        lines.append("Different people in both: their errors are independent. For the same people say --same-people.")
    lines.append(f"Who was in both has given away the sum: {found.guarantee}")
    return "\n".join(lines)


def _lines(change: Change) -> list[str]:
    question, shape = change.question, change.question.shape
    scale, unit = form_of(question).scale(question)
    level = f"{number(100 * change.confidence)} % confidence"
    if shape == ():
        return [f"{question.name} ({level}):", *_one(change, (), scale, unit or "")]
    told = [f"{question.name} ({level}, each for itself):"]
    flat = np.arange(change.values.size)
    picked = np.unique(np.linspace(0, flat.size - 1, min(flat.size, _LINES)).round().astype(int))
    for k in picked.tolist():
        at = np.unravel_index(k, shape)
        told.append(f"  {_place(change, k)}")
        told += [f"  {line}" for line in _one(change, at, scale, unit)]
    if len(picked) < flat.size:
        told.append(f"  … and {flat.size - len(picked)} more; all are in --json.")
    return told


def _place(change: Change, k: int) -> str:
    places = getattr(change.question, "at", None)
    return f"at {number(places[k])}" if places is not None else f"place {k + 1}"


def _one(change: Change, at: object, scale: float, unit: str) -> list[str]:
    lines = []
    if change.plain is not None:
        lines.append(f"  changed by {_between(change.plain, at, scale)}{unit}")
    softly = f"counting {change.question.in_part} in part: " if change.question.in_part else ""
    value, error = (scale * float(part[at]) for part in (change.values, change.standard_errors))  # type: ignore[call-overload]
    places = places_of(error)
    bias = "" if not change.bias > 1e-6 else f", off by at most {scale * change.bias:.1g} on average"
    lines.append(f"  {softly}{value:+.{places}f}{unit} ({_between(change.soft, at, scale)}{bias})")
    return lines


def _between(band: Band, at: object, scale: float) -> str:
    low, high = (scale * float(end[at]) for end in (band.low, band.high))  # type: ignore[call-overload]
    places = places_of((high - low) / 4)
    return f"{low:+.{places}f} to {high:+.{places}f}"
