"""A total as a sentence: how many people, or how much in all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

from geopriv.answers.answers import Answer
from geopriv.device.designs import PEOPLE
from geopriv.pages import drawings
from geopriv.pages.amounts import NO_BAR, Amount, Cell, ValueView, amount_of
from geopriv.pages.made_up import made_up_words, robust_words
from geopriv.pages.mean import sure_notes
from geopriv.pages.regions import Page
from geopriv.pages.values import confidence_words, percent_words
from geopriv.pages.words import bias_words, counted
from geopriv.queries.total import Total
from geopriv.spaces.words import NARROW, amount, plain

draw = drawings.interval
is_map = False


def views(answers: Sequence[Answer], page: Page) -> tuple[ValueView, ...]:
    """Of all totals, each by itself."""
    return tuple(_view(answer) for answer in answers)


def lines(answer: Answer) -> list[str]:
    """The plain total where there is one, then the soft one with its edge."""
    question = _asked(answer)
    if not _has_error(answer):
        return [f"{question.name}: {_nothing(answer)}"]
    sure, soft = confidence_words(answer), _soft(answer)
    if question.valued or answer.plain is None:
        ends = _plain(answer).ends if answer.plain is not None else soft.ends
        return [f"{question.name}: {soft.figure} ({sure}, {ends})".replace(NARROW, " ")]
    first = f"{question.name}: {_plain(answer).ends} ({sure})"
    return [line.replace(NARROW, " ") for line in (first, f"  {_softly(answer)}")]


def cells(answer: Answer) -> list[Cell]:
    """The plain interval and the soft one; a sum of values has one interval."""
    if not _has_error(answer):
        return [Cell("", "", NO_BAR)]
    plainly = "" if answer.plain is None else _plain(answer).ends
    return [Cell("", plainly, "" if _asked(answer).valued and plainly else _soft(answer).ends)]


def scale(question: Total, who: str = PEOPLE) -> tuple[float, str]:
    """Totals are said as they are."""
    return 1.0, f" {(question.space.value_unit or 'units') if question.valued else who}"


def _view(answer: Answer) -> ValueView:
    question = _asked(answer)
    if not _has_error(answer):
        return ValueView(question.name, "No number", f"{_nothing(answer)}.", "", ())
    sure, soft = f"{percent_words(answer.estimates.confidence)} interval", _soft(answer)
    if question.valued:
        rest = f"is the total {question.of or 'of values'} of {plain(question.number, 12)} {answer.who}"
        ends = _plain(answer).ends if answer.plain is not None else soft.ends
        return ValueView(question.name, soft.figure, rest, f"{sure} {ends}", _notes(answer))
    said = question.query.words(question.name)
    if answer.plain is None:
        said += f", counting {answer.in_part} in part" if answer.in_part else ""
        return ValueView(question.name, soft.figure, said, f"{sure} {soft.ends}", _notes(answer))
    return ValueView(question.name, _plain(answer).ends, said, sure, _notes(answer))


def _notes(answer: Answer) -> tuple[str, ...]:
    question, found = _asked(answer), answer.estimates
    number = f"{plain(question.number, 12)} {answer.who}, a public number that is taken as exact"
    notes = [f"The {'mean' if question.valued else 'share'} of those who report, times {number}."]
    if not question.valued:
        notes.insert(0, _softly(answer))
    if question.low:
        unit = question.space.value_unit
        ends = [f"{plain(low)} to {amount(high, unit)}" for low, high in zip(question.low, question.high, strict=True)]
        notes.append(f"Within the public range, {' and '.join(ends)}: values outside count as its ends.")
    label, small = bias_words(found.bias, float(found.standard_errors), _unit(answer) or "units")
    error = amount(float(f"{float(found.standard_errors):.2g}"), _unit(answer))
    notes += [f"The soft total is {label}." if label else small]
    notes += [f"Standard error {error}, from {counted(found.n, 'report')}."]
    if question.valued:
        notes += sure_notes(answer, _unit(answer))
    told = scale(question, answer.who)
    notes += [made_up_words(answer.leverage, found.n, *told), robust_words(answer, *told)]
    return tuple(note for note in notes if note)


def _soft(answer: Answer) -> Amount:
    found = answer.estimates
    return amount_of(float(found.values), float(found.low), float(found.high), _unit(answer))


def _plain(answer: Answer) -> Amount:
    assert answer.plain is not None
    low, high = float(answer.plain.low), float(answer.plain.high)
    return amount_of((low + high) / 2, low, high, _unit(answer))


def _softly(answer: Answer) -> str:
    """The soft total in a sentence, which says who counts in part."""
    soft = _soft(answer)
    counting = f"Counting {answer.in_part} in part" if answer.in_part else "Counted softly"
    level = f"{percent_words(answer.estimates.confidence)} interval"
    return f"{counting}: {soft.figure} ({level} {soft.ends})."


def _unit(answer: Answer) -> str | None:
    question = _asked(answer)
    return question.space.value_unit if question.valued else answer.who


def _has_error(answer: Answer) -> bool:
    return 0 < float(answer.estimates.standard_errors) < math.inf


def _nothing(answer: Answer) -> str:
    return f"{counted(answer.estimates.n, 'report')} cannot tell: there is no error bar"


def _asked(answer: Answer) -> Total:
    return cast("Total", answer.question)  # only totals come here
