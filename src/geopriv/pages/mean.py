"""A mean as a sentence with its interval, in the unit of values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

from geopriv.answers.answers import Answer, Band
from geopriv.device.designs import PEOPLE
from geopriv.pages import drawings
from geopriv.pages.amounts import NO_BAR, Amount, Cell, ValueView, amount_of
from geopriv.pages.made_up import made_up_words
from geopriv.pages.regions import Page
from geopriv.pages.values import confidence_words, percent_words
from geopriv.pages.words import counted
from geopriv.queries.value_questions import Mean
from geopriv.spaces.words import NARROW, amount, plain

draw = drawings.interval
is_map = False


def views(answers: Sequence[Answer], page: Page) -> tuple[ValueView, ...]:
    """Of all means, each by itself."""
    return tuple(_view(answer) for answer in answers)


def lines(answer: Answer) -> list[str]:
    """The mean and its interval."""
    question = _asked(answer)
    if not _has_error(answer):
        return [f"{_title(question)}: {_nothing(answer)}"]
    said = _said(answer)
    told = f"{_title(question)}: {said.figure} ({confidence_words(answer)}, {said.ends})".replace(NARROW, " ")
    return [told, *(f"  {_note}" for _note in (_impossible(answer).replace(NARROW, " "), _what(question)) if _note)]


def cells(answer: Answer) -> list[Cell]:
    """The interval: no edge is soft."""
    said = NO_BAR if not _has_error(answer) else "no possible mean" if _impossible(answer) else _said(answer).ends
    return [Cell(_kind(_asked(answer)) if _asked(answer).space.ratios else "", said, "")]


def scale(question: Mean, who: str = PEOPLE) -> tuple[float, str]:
    """Means are said in the unit of values."""
    return 1.0, f" {question.space.value_unit or 'units'}"


def clamped(question: Mean) -> str:
    """That values outside the public range count as its ends; empty where there is no range."""
    if not question.low:
        return ""
    unit = question.space.value_unit
    parts = [f"{plain(low)} to {amount(high, unit)}" for low, high in zip(question.low, question.high, strict=True)]
    ends = "its ends" if len(parts) == 1 else "the ends of theirs"
    return f"Within the public range, {' and '.join(parts)}: values outside count as {ends}."


def sure_notes(answer: Answer, unit: str | None) -> tuple[str, str]:
    """What the interval of a mean of values rests on, and the interval that holds for any number of reports."""
    first = (
        "The interval rests on the normal law, and is longer where a few values are far from the others. A few very "
        "large values among few reports can defeat it."
    )
    if answer.finite is None:
        return first, "Without a public range of the values there is none that holds for any number of reports."
    held = amount_of(float(answer.estimates.values), float(answer.finite.low), float(answer.finite.high), unit)
    return first, f"An interval that holds for any number of reports (empirical Bernstein): {held.ends}."


def _view(answer: Answer) -> ValueView:
    question = _asked(answer)
    if not _has_error(answer):
        return ValueView(_title(question), "No number", f"{_nothing(answer)}.", "", (clamped(question),))
    said, error = _said(answer), float(answer.estimates.standard_errors)
    level = f"{percent_words(answer.estimates.confidence)} interval"
    if wrong := _impossible(answer):
        made_up = made_up_words(answer.leverage, answer.estimates.n, *scale(question))
        rest = f"The reports give {said.figure} ({level} {said.ends}). {wrong}"
        return ValueView(_title(question), "No possible mean", rest, "", (clamped(question), made_up))
    spread = amount(float(f"{error:.2g}"), question.space.value_unit)
    sure = "no edge is soft" if question.space.ratios else "unbiased, and no edge is soft"
    notes = [
        _what(question),
        clamped(question),
        f"Standard error {spread}, from {counted(answer.estimates.n, 'report')}; {sure}.",
        *sure_notes(answer, question.space.value_unit),
        made_up_words(answer.leverage, answer.estimates.n, *scale(question)),
    ]
    if answer.consistent is not None and float(answer.consistent) != float(answer.estimates.values):
        nearest = amount(float(answer.consistent), question.space.value_unit)
        notes.append(f"Made consistent, and biased by that: {nearest}.")
    rest = f"is the {_kind(question)} {question.of or 'value'}"
    return ValueView(_title(question), said.figure, rest, f"{level} {said.ends}", tuple(note for note in notes if note))


def _said(answer: Answer) -> Amount:
    question, found = _asked(answer), answer.estimates
    band = answer.plain or Band(found.low, found.high)
    return amount_of(float(found.values), float(band.low), float(band.high), question.space.value_unit)


def _impossible(answer: Answer) -> str:
    """That no values within the public range have this mean; empty where some may have it."""
    question = _asked(answer)
    if not question.low:
        return ""
    least, most = (question.low[0], question.high[0]) if question.space.ratios else question.ends
    band = answer.plain or Band(answer.estimates.low, answer.estimates.high)
    if float(band.low) <= most and float(band.high) >= least:
        return ""
    level = percent_words(answer.estimates.confidence)
    return (
        f"No values within the public range have such a mean: some of these reports were made up, or not made by this "
        f"design ({level} confidence)."
    )


def _title(question: Mean) -> str:
    """The name, and that the mean is a geometric one."""
    return f"{question.name}, geometric mean" if question.space.ratios else question.name


def _kind(question: Mean) -> str:
    return "geometric mean" if question.space.ratios else "mean"


def _what(question: Mean) -> str:
    """What a geometric mean is."""
    if not question.space.ratios:
        return ""
    return "The geometric mean: the value whose logarithm is the mean of all logarithms. The plain mean is larger."


def _has_error(answer: Answer) -> bool:
    return 0 < float(answer.estimates.standard_errors) < math.inf


def _nothing(answer: Answer) -> str:
    n = answer.estimates.n
    why = "there is no error bar yet" if n < 2 else "they are all the same, so there is no error bar"
    return f"{counted(n, 'report')} cannot tell: {why}"


def _asked(answer: Answer) -> Mean:
    return cast("Mean", answer.question)  # only means come here
