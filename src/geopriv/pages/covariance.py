"""A covariance as a sentence with its interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

from geopriv.answers.answers import Answer
from geopriv.device.designs import PEOPLE
from geopriv.pages import drawings
from geopriv.pages.amounts import NO_BAR, Amount, Cell, ValueView, amount_of
from geopriv.pages.regions import Page
from geopriv.pages.values import confidence_words, percent_words
from geopriv.pages.words import counted
from geopriv.queries.covariance import Covariance
from geopriv.spaces.words import NARROW

draw = drawings.interval
is_map = False


def views(answers: Sequence[Answer], page: Page) -> tuple[ValueView, ...]:
    """Of all covariances, each by itself."""
    return tuple(_view(answer) for answer in answers)


def lines(answer: Answer) -> list[str]:
    """The covariance and its interval."""
    said = _said(answer)
    return [f"{answer.question.name}: {said.figure} ({confidence_words(answer)}, {said.ends})".replace(NARROW, " ")]


def cells(answer: Answer) -> list[Cell]:
    """The interval: no edge is soft."""
    return [Cell("", _said(answer).ends if _has_error(answer) else NO_BAR, "")]


def scale(question: Covariance, who: str = PEOPLE) -> tuple[float, str]:
    """Covariances are said in the square of the unit."""
    return 1.0, f" {_unit(question) or 'units²'}"


def _view(answer: Answer) -> ValueView:
    question, found = _asked(answer), answer.estimates
    first, second = (name or f"axis {axis}" for name, axis in zip(question.of, question.axes, strict=True))
    if not _has_error(answer):
        rest = f"{counted(found.n, 'report')} cannot tell: they are all the same, so there is no error bar."
        return ValueView(question.name, "No number", rest, "", ())
    said = _said(answer)
    rest = f"is the covariance of {first} and {second}"
    if float(found.low) <= 0 <= float(found.high):
        rest += ". That cannot be told from zero with these reports"
    notes = (
        "Positive where people who have more of one have more of the other."
        + (" Values outside the public range count as its ends." if question.low else ""),
        f"Unbiased, from {counted(found.n, 'report')}; the interval rests on the normal law, and a few very large "
        "values among few reports can defeat it.",
    )
    level = f"{percent_words(found.confidence)} interval"
    return ValueView(question.name, said.figure, rest, f"{level} {said.ends}", notes)


def _has_error(answer: Answer) -> bool:
    return 0 < float(answer.estimates.standard_errors) < math.inf


def _said(answer: Answer) -> Amount:
    found = answer.estimates
    return amount_of(float(found.values), float(found.low), float(found.high), _unit(_asked(answer)))


def _unit(question: Covariance) -> str | None:
    unit = question.space.value_unit
    return f"{unit}²" if unit else None


def _asked(answer: Answer) -> Covariance:
    return cast("Covariance", answer.question)  # only covariances come here
