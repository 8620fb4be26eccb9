"""Quantiles as sentences: between which values they lie, of the plain distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from geopriv.answers.answers import Answer, Band
from geopriv.device.designs import PEOPLE
from geopriv.pages import drawings
from geopriv.pages.amounts import Amount, Cell, ValueView, amount_of
from geopriv.pages.regions import Page
from geopriv.pages.values import confidence_words, percent_words
from geopriv.pages.words import counted
from geopriv.queries.value_questions import Quantile
from geopriv.spaces.words import NARROW, amount, plain

draw = drawings.interval
is_map = False
_NAMES = {0.25: "lower quartile", 0.5: "median", 0.75: "upper quartile"}
_LINES = 12  # of text


def views(answers: Sequence[Answer], page: Page) -> tuple[ValueView, ...]:
    """One for each quantile."""
    return tuple(_view(answer, k) for answer in answers for k in range(len(_asked(answer).levels)))


def lines(answer: Answer) -> list[str]:
    """Between which values each quantile lies, and the soft estimate."""
    question = _asked(answer)
    size = len(question.levels)
    if size == 1:
        return [f"{question.name}: {_short(answer, 0)}, {confidence_words(answer)}".replace(NARROW, " ")]
    picked = _picked(size)
    told = [f"{question.name}: {confidence_words(answer)}, each for itself"]
    for k in picked:
        told.append(f"  {quantile_words(question.levels[k])}: {_short(answer, k)}".replace(NARROW, " "))
    if len(picked) < size:
        told.append(f"  … and {size - len(picked)} between these, in the estimates and on the page")
    return told


def cells(answer: Answer) -> list[Cell]:
    """Between which values each quantile lies; of very many some."""
    levels = _asked(answer).levels
    named = [quantile_words(level) if len(levels) > 1 else "" for level in levels]
    return [Cell(named[k], _held(answer, k), "") for k in _picked(len(levels))]


def scale(question: Quantile, who: str = PEOPLE) -> tuple[float, str]:
    """Quantiles are said in the unit of values."""
    return 1.0, f" {question.space.value_unit or 'units'}"


def quantile_words(level: float) -> str:
    """What a quantile is called.

    >>> quantile_words(0.5), quantile_words(0.9)
    ('median', '90 % quantile')
    """
    return _NAMES.get(level, f"{plain(100 * level)} % quantile")


def _view(answer: Answer, k: int) -> ValueView:
    question, estimates = _asked(answer), answer.estimates
    level = question.levels[k]
    title = question.name if len(question.levels) == 1 else f"{question.name}: {quantile_words(level)}"
    said, (below, above) = _said(answer, k), _open(answer, k)
    of = _of(question, level)
    sure = f"{percent_words(estimates.confidence)} confidence"
    if below and above:
        return ValueView(title, "No number", f"These reports cannot tell the {of}.", "", _notes(answer, k))
    if below or above:
        figure = f"At most {said.high}{said.unit}" if below else f"At least {said.low}{said.unit}"
        return ValueView(title, figure, f"is the {of}", sure, _notes(answer, k))
    return ValueView(title, said.ends, f"The {of} is between these two values", sure, _notes(answer, k))


def _of(question: Quantile, level: float) -> str:
    """What is asked, in words: "median income", "lower quartile of income"."""
    words = quantile_words(level)
    if not question.of:
        return words
    return f"{words} {question.of}" if words == "median" else f"{words} of {question.of}"


def _notes(answer: Answer, k: int) -> tuple[str, ...]:
    question, estimates = _asked(answer), answer.estimates
    share = f"{plain(100 * question.levels[k])}{NARROW}%"
    soft = f"Counting {answer.in_part} in part, the estimate is {_said(answer, k).figure}"
    ends = f"{plain(question.low)} to {amount(question.high, question.space.value_unit)}"
    notes = [
        f"It is the least value that at least {share} of {answer.who} are at or below. The interval holds for every "
        "distribution, heaps included.",
        f"{soft}; from {counted(estimates.n, 'report')}.",
        f"Within the public range, {ends}: values outside count as its ends.",
    ]
    if answer.finite is not None:
        held = amount_of(float(estimates.values[k]), float(answer.finite.low[k]), float(answer.finite.high[k]), None)
        unit = _said(answer, k).unit
        notes.append(f"An interval that holds for any number of reports: {held.low} to {held.high}{unit}.")
    if len(question.levels) > 1:
        notes.append("Each interval is for itself.")
    return tuple(notes)


def _picked(size: int) -> list[int]:
    """Which of very many are shown as text."""
    return list(np.unique(np.linspace(0, size - 1, min(size, _LINES)).round().astype(int)).tolist())


def _short(answer: Answer, k: int) -> str:
    held = _held(answer, k)
    return held if all(_open(answer, k)) else f"{held} (soft estimate {_said(answer, k).value})"


def _held(answer: Answer, k: int) -> str:
    """Between which values one lies."""
    said, (below, above) = _said(answer, k), _open(answer, k)
    if below and above:
        return "cannot be told from these reports"
    ends = f"at most {said.high}{said.unit}" if below else f"at least {said.low}{said.unit}"
    return ends if below or above else said.ends


def _said(answer: Answer, k: int) -> Amount:
    band = _plain(answer)
    value, low, high = (float(numbers[k]) for numbers in (answer.estimates.values, band.low, band.high))
    return amount_of(value, low, high, _asked(answer).space.value_unit)


def _open(answer: Answer, k: int) -> tuple[bool, bool]:
    """Whether the interval reaches to the ends of the public range, beyond which people may be."""
    question, band = _asked(answer), _plain(answer)
    return float(band.low[k]) <= question.low, float(band.high[k]) >= question.high


def _plain(answer: Answer) -> Band:
    return answer.plain or Band(answer.estimates.low, answer.estimates.high)


def _asked(answer: Answer) -> Quantile:
    return cast("Quantile", answer.question)  # only quantiles come here
