"""What changed between two waves, as lines of text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from geopriv.answers.answers import Band
from geopriv.answers.comparison import Change, Comparison
from geopriv.pages.amounts import amount_of
from geopriv.pages.distribution import labels
from geopriv.pages.forms import form_of
from geopriv.pages.quantile import quantile_words
from geopriv.pages.values import percent_words
from geopriv.pages.words import counted, wrapped
from geopriv.queries.questions import Question
from geopriv.spaces.rounding import above
from geopriv.spaces.words import NARROW
from geopriv.spaces.words import plain as number

_ALL, _LINES = 25, 12  # rows of a curve: all, or of a longer one some
_GROUPS = 20


def comparison_text(found: Comparison, width: int = 100) -> str:
    """Every change with its interval, then what both waves give away of who was in both, in lines of a width."""
    if found.is_same:
        return f"Both are the same answers of {found.first.survey!r}, a file named twice: there is nothing to compare."
    first, second, who = found.first, found.second, found.second.counted
    lines = [f"From {first.survey!r} ({counted(first.n, 'report')}) to {second.survey!r} ({second.n:,})."]
    for change in found.changes:
        lines += _lines(change, f"{percent_words(change.confidence)} confidence", who)
    if found.left_out:
        lines.append(f"Not asked in both, or not in the same words: {', '.join(map(repr, found.left_out))}.")
    lines += _group_lines(found)
    if found.same_people:
        lines.append(
            f"The same {who} in both: standard errors were added, which holds however their answers go together."
        )
    else:
        lines.append(f"Different {who} in both: their errors are independent. For the same {who} say --same-people.")
    given = "as all rounds of this walk together promise" if found.is_walk else "the sum"
    lines.append(f"Who was in both has given away {given}: {found.guarantee}")
    return wrapped(lines, width).replace(NARROW, " ")


def _group_lines(found: Comparison) -> list[str]:
    """The changes in each group, and what is said of groups that are not compared."""
    if not found.first.groups or not found.second.groups:
        return []
    if found.first.simultaneous != found.second.simultaneous:
        return [
            "Groups are not compared: of one file only their intervals hold in all groups at once (--simultaneous)."
        ]
    together = "in all groups at once" if found.second.simultaneous else "each for itself"
    lines = [f"By group ({percent_words(found.changes[0].confidence)} confidence, {together}):"]
    for k, (name, changes) in enumerate(found.groups.items()):
        if k == _GROUPS:
            lines.append(f"  … and {counted(len(found.groups) - _GROUPS, 'more group')}, in --json.")
            break
        own = [line for change in changes for line in _short(change, found.second.counted)]
        lines += [f"  {name}", *(f"    {line}" for line in own or ["nothing that both answer at one confidence"])]
    if drawn := [change.question.name for change in found.changes if _is_drawn(change.question)]:
        lines.append(f"  Changes of {', '.join(map(repr, drawn))} by group are in --json.")
    names = dict.fromkeys((*found.first.groups, *found.second.groups))
    if others := [name for name in names if name not in found.groups]:
        lines.append(f"  Groups of one wave only: {', '.join(others)}.")
    return lines


def _title(question: Question) -> str:
    geometric = question.form == "mean" and question.space.ratios
    return f"{question.name}, geometric mean" if geometric else question.name


def _is_drawn(question: Question) -> bool:
    return bool(question.shape) and not question.valued


def _short(change: Change, who: str) -> list[str]:
    """One line for each number; none for a curve or a map."""
    question = change.question
    if _is_drawn(question):
        return []
    if question.shape:
        named = _labels(question)
        of = [f", {name}" if len(named) > 1 else "" for name in named]
        return [f"{question.name}{of[k]}: {_row(change, k, who)}" for k in range(min(len(named), _ALL))]
    soft = f"{_soft(change, (), who)} ({_ends(change, change.soft, (), who)})"
    if change.plain is None:
        return [f"{_title(question)}: {soft}"]
    plainly = f"{question.name}: {_ends(change, change.plain, (), who)}"
    return [f"{plainly};", f"  counting those near the edge in part {soft}"]


def _lines(change: Change, sure: str, who: str) -> list[str]:
    question = change.question
    if len(question.shape) > 1:
        return [f"{question.name}: changes at {change.values.size:,} places are in --json."]
    if not question.shape:
        return [f"{_title(question)} ({sure}):", *(f"  {line}" for line in _single(change, who))]
    if question.shape == (1,):
        return [f"{question.name} ({sure}):", f"  changed by {_row(change, 0, who)}"]
    size, named = change.values.size, _labels(question)
    picked = np.unique(np.linspace(0, size - 1, size if size <= _ALL else _LINES).round().astype(int)).tolist()
    width = max(len(named[k]) for k in picked)
    told = [f"{question.name} ({sure}, each for itself):", *_header(change, who)]
    told += [f"  {named[k]:>{width}}  {_row(change, k, who)}" for k in picked]
    if len(picked) < size:
        told.append(f"  … and {size - len(picked)} more; all are in --json.")
    return told


def _single(change: Change, who: str) -> list[str]:
    """The plain change, then the soft one; or the one interval that there is."""
    soft = _soft(change, (), who)
    off = _bias(change, who)
    within = f"{_ends(change, change.soft, (), who)}{f'; {off}' if off else ''}"
    if change.plain is None and not change.in_part:
        return [f"changed by {soft} ({within})"]
    softly = f"counting {change.in_part} in part:" if change.in_part else "counted softly:"
    first = [] if change.plain is None else [f"changed by {_ends(change, change.plain, (), who)}"]
    return [*first, softly, f"  {soft} ({within})"]


def _header(change: Change, who: str) -> list[str]:
    """What the columns of a curve are; quantiles have one, of their plain intervals."""
    if change.plain is not None and change.question.valued:
        return []
    off = _bias(change, who)
    softly = f"counting {change.in_part} in part" if change.in_part else "counted softly"
    first = "  " if change.plain is None else "  changed by; then "
    return [f"{first}{softly}", *([f"  ({off})"] if off else [])]


def _row(change: Change, k: int, who: str) -> str:
    plainly = "" if change.plain is None else _ends(change, change.plain, k, who)
    if plainly and change.question.valued:
        return plainly
    soft = _soft(change, k, who)
    return f"{plainly}{'; ' if plainly else ''}{soft} ({_ends(change, change.soft, k, who)})"


def _labels(question: Question) -> Sequence[str]:
    """What each number of a question is called: the quantile, or the value of a curve with its unit."""
    asked: Any = question
    if question.form == "quantile":
        return [quantile_words(level) for level in asked.levels]
    return labels(asked)


def _soft(change: Change, at: Any, who: str) -> str:
    """The change with its unit, with as many digits as its interval allows."""
    scale, unit = form_of(change.question).scale(change.question, who)
    value, low, high = (scale * float(part[at]) for part in (change.values, change.soft.low, change.soft.high))
    said = amount_of(value, low, high, unit.strip())
    return f"{_signed(said.value)}{said.unit}"


def _ends(change: Change, band: Band, at: Any, who: str) -> str:
    scale, unit = form_of(change.question).scale(change.question, who)
    low, high = (scale * float(end[at]) for end in (band.low, band.high))
    said = amount_of((low + high) / 2, low, high, unit.strip())
    return f"{_signed(said.low)} to {_signed(said.high)}{said.unit}"


def _bias(change: Change, who: str) -> str:
    """How far a soft change is off on average; empty where it is not, or nobody knows."""
    scale, unit = form_of(change.question).scale(change.question, who)
    return f"off by at most {number(above(scale * change.bias, 1))}{unit} on average" if change.bias > 1e-6 else ""


def _signed(text: str) -> str:
    """With its sign."""
    return text if text[0] == "−" or not any(sign in text for sign in "123456789∞") else f"+{text}"
