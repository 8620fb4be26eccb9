"""One share as a sentence with its interval, and a small picture of the interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from geopriv.answers.answers import Answer
from geopriv.answers.estimates import Estimate
from geopriv.device.designs import PEOPLE
from geopriv.pages import drawings
from geopriv.pages.amounts import NO_BAR, Cell, amount_of
from geopriv.pages.made_up import made_up_words, robust_words
from geopriv.pages.numbers import decimals_for, fixed, outward
from geopriv.pages.regions import Page
from geopriv.pages.values import confidence_words, percent_words, value_text
from geopriv.pages.words import bias_words, counted, place_notes
from geopriv.queries.questions import Share
from geopriv.spaces.words import NARROW, plain

draw = drawings.interval
is_map = False


@dataclass(frozen=True)
class Bar:
    """An interval on an axis from 0 to `top` percent; places in percent of its length."""

    low: float
    high: float
    value: float
    top: str


@dataclass(frozen=True)
class ShareView:
    """What the page shows of one share.

    Args:
        name: of the question.
        figure: the number or numbers, in large type.
        rest: the sentence that they begin.
        interval: that belongs to it; empty where there is none, and then there is no number.
        soft: the soft answer in a sentence, where the plain one is above it; else empty.
        bias: how biased the soft estimate is; empty if it is not.
        notes: small print.
        bar: a picture of the interval, of shares only.
        mark: the letter under which a map shows the place; may be empty.
    """

    name: str
    figure: str
    rest: str
    interval: str
    soft: str
    bias: str
    notes: tuple[str, ...]
    bar: Bar | None
    mark: str = ""


def views(answers: Sequence[Answer], page: Page) -> tuple[ShareView, ...]:
    """Of all shares, on one axis."""
    highs = [one.high for one in map(_estimate, answers) if math.isfinite(one.standard_error)]
    plain = [float(answer.plain.high) for answer in answers if answer.plain is not None]
    top = axis_top(max([0.0, *highs, *plain]))
    return tuple(_view(answer, top, page.mark(answer.question.name)) for answer in answers)


def lines(answer: Answer) -> list[str]:
    """The plain answer, and the soft one, each with its interval."""
    if not _asked(answer).query.is_share:
        return [f"{answer.question.name}: {value_text(answer, ())}"]
    soft = softly(answer)
    if answer.plain is None:
        return [f"{answer.question.name}: {_small(soft)}"]
    low, high = float(answer.plain.low), float(answer.plain.high)
    figure = _small(_between(low, high, plain_decimals(low, high), "")[0])
    # "between 1 and 2 USD: between 3 and 4 %" stumbles
    if low > 0 and high < 1 and not answer.question.name.lower().startswith("between"):
        figure = f"between {figure.replace(' to ', ' and ')}"
    first = f"{answer.question.name}: {figure} ({confidence_words(answer)})"
    small = _untold(answer)
    return [first, f"  {soft}", *([f"  cannot be told from its surroundings at this ε; {small}"] if small else [])]


def cells(answer: Answer) -> list[Cell]:
    """The plain interval, and the soft one."""
    if not _asked(answer).query.is_share:
        one = _estimate(answer)
        return [Cell("", "", amount_of(one.value, one.low, one.high, None).ends if _has_error(one) else NO_BAR)]
    ends, held = soft_ends(answer), answer.plain
    soft = NO_BAR if ends is None else percents(ends[0], ends[1], plain_decimals(ends[0], ends[1]))
    if held is None:
        return [Cell("", "", soft)]
    low, high = float(held.low), float(held.high)
    return [Cell("", percents(low, high, plain_decimals(low, high)), soft)]


def scale(question: Share, who: str = PEOPLE) -> tuple[float, str]:
    """Shares are said in percent, other means as they are."""
    return (100.0, " points") if question.query.is_share else (1.0, "")


def axis_top(highest: float) -> float:
    """The end of an axis of shares that begins at 0: everyone, or a round share above the highest."""
    if highest > 0.4:
        return 1.0
    step = 10.0 ** math.floor(math.log10(max(highest, 1e-6)))
    return min(step * next(lead for lead in (1, 2, 5, 10) if lead * step >= highest * (1 - 1e-9)), 1.0)


def percent(value: float, decimals: int) -> str:
    """A share in percent."""
    return f"{fixed(100 * value, decimals)}{NARROW}%"


def percents(low: float, high: float, decimals: int) -> str:
    """An interval of shares, held between 0 and 100 %, its ends rounded away from its middle."""
    least, most = _ends(low, high, decimals)
    return f"{least} to {most}{NARROW}%"


def _ends(low: float, high: float, decimals: int) -> tuple[str, str]:
    return outward(100 * min(max(low, 0.0), 1.0), 100 * max(min(high, 1.0), 0.0), decimals)


def _asked(answer: Answer) -> Share:
    return cast("Share", answer.question)  # only shares come here


def _estimate(answer: Answer) -> Estimate:
    return answer.estimates[()]


def _view(answer: Answer, top: float, mark: str) -> ShareView:
    question, one = _asked(answer), _estimate(answer)
    level, said = (
        f"{percent_words(one.confidence)} interval",
        f"{answer.who} {question.query.words(question.name)}",
    )
    if not question.query.is_share:
        known = _has_error(one)
        about = f"how large “{question.name}” is"
        return _score(answer, one, level, mark) if known else _nothing(answer, about, mark)
    if answer.plain is not None:
        return _plain_view(answer, top, mark, said)
    ends = soft_ends(answer)
    if ends is None:
        return _nothing(answer, f"what share of {said}", mark)
    low, high, kind = ends
    decimals = _soft_decimals(answer, low, high)
    # without a plain answer the sentence itself says that it is about a softer question
    said += f", counting {answer.in_part} in part" if answer.in_part else ""
    figure, rest = _below_noise(low, high, decimals, said)
    if _is_clear(one):
        figure = percent(one.value, decimals)
    label, _ = bias_words(one.bias, one.standard_error, "points", 100.0)
    interval, bar = f"{level}{kind} {percents(low, high, decimals)}", _bar(one.value, low, high, top)
    return ShareView(question.name, figure, rest, interval, "", label, _notes(answer, one), bar, mark)


def _plain_view(answer: Answer, top: float, mark: str, said: str) -> ShareView:
    """The plain answer in large type, and the soft one in a sentence below it."""
    question, one = _asked(answer), _estimate(answer)
    assert answer.plain is not None  # who comes here
    low, high = float(answer.plain.low), float(answer.plain.high)
    decimals = plain_decimals(low, high)
    figure, rest = _between(low, high, decimals, said)
    if small := _untold(answer):
        figure = "Cannot be told"
        rest = f"from its surroundings at this ε: {small}. {_at_most(high, decimals, said)}"
    label, _ = bias_words(one.bias, one.standard_error, "points", 100.0)
    bar = _bar(low, low, high, top)
    level = f"{percent_words(one.confidence)} confidence"
    return ShareView(question.name, figure, rest, level, softly(answer), label, _notes(answer, one), bar, mark)


def _untold(answer: Answer) -> str:
    """What to ask instead of an area that cannot be told from its surroundings; one with surely somebody in it can."""
    surely = answer.plain is not None and float(answer.plain.low) > 0
    return "" if surely else _asked(answer).query.small_region


def softly(answer: Answer) -> str:
    """The soft answer in a sentence, which says who counts in part."""
    one = _estimate(answer)
    counting = f"Counting {answer.in_part} in part: " if answer.in_part else "Counted softly: "
    ends = soft_ends(answer)
    if ends is None:
        return f"{counting}no number, since there is no error bar."
    low, high, kind = ends
    decimals = _soft_decimals(answer, low, high)
    figure = percent(one.value, decimals) if _is_clear(one) else _small(_below_noise(low, high, decimals, "")[0])
    level = f"{percent_words(one.confidence)} interval"
    return f"{counting}{figure} ({level}{kind} {percents(low, high, decimals)})."


def soft_ends(answer: Answer) -> tuple[float, float, str] | None:
    """The ends of a soft share's interval, and what kind it is in words; None where there is no error bar.

    That there is nobody, or everybody, must hold whatever the bias is.
    """
    one = _estimate(answer)
    if _is_clear(one):
        return one.low, one.high, ""
    ends, bias = _careful(answer, one), one.bias if one.bias > 1e-6 else 0.0
    if ends is None:
        return None
    return ends[0] - bias, ends[1] + bias, " for any number of reports" if _has_finite(answer) else ""


def plain_decimals(low: float, high: float) -> int:
    """Digits after the point of a plain answer in percent: some tens of its length."""
    return decimals_for(100 * (high - low) / 8)


def _soft_decimals(answer: Answer, low: float, high: float) -> int:
    one = _estimate(answer)
    clear = 100 * one.standard_error if _is_clear(one) else 25 * (min(high, 1.0) - max(low, 0.0))
    return decimals_for(clear)


def _between(low: float, high: float, decimals: int, said: str) -> tuple[str, str]:
    """A figure and a sentence for a plain answer."""
    if low > 0 and high < 1:
        least, most = _ends(low, high, decimals)
        return f"{least} to {most}{NARROW}%", f"of {said}"
    return _below_noise(low, high, decimals, said)


def _small(sentence: str) -> str:
    """With a small first letter."""
    return f"{sentence[0].lower()}{sentence[1:]}"


def _at_most(high: float, decimals: int, said: str) -> str:
    return f"At most {_ends(0.0, high, decimals)[1]}{NARROW}% of {said}"


def _is_clear(one: Estimate) -> bool:
    """Whether the share is surely neither nobody nor everybody, whatever the bias is."""
    bias = one.bias if one.bias > 1e-6 else 0.0
    return _has_error(one) and one.low - bias > 0 and one.high + bias < 1


def _has_error(one: Estimate) -> bool:
    """Whether there is an error bar: one report has none, and reports that are all the same seem to have none."""
    return 0 < one.standard_error < math.inf and math.isfinite(one.value)


def _has_finite(answer: Answer) -> bool:
    """Whether there is an interval that holds for any number of reports."""
    return answer.finite is not None and bool(np.isfinite([answer.finite.low, answer.finite.high]).all())


def _careful(answer: Answer, one: Estimate) -> tuple[float, float] | None:
    """An interval for shares near 0 or 1, where few reports matter: one that holds for any number, if there is one."""
    if answer.finite is not None and _has_finite(answer):
        return float(answer.finite.low), float(answer.finite.high)
    if not _has_error(one):
        return None
    # an estimate that the noise took below 0 is no sign that there are even fewer people than that
    shift = min(max(one.value, 0.0), 1.0) - one.value
    return one.low + shift, one.high + shift


def _nothing(answer: Answer, what: str, mark: str) -> ShareView:
    question, n = _asked(answer), answer.estimates.n
    why = "There is no error bar yet" if n < 2 else "They are all the same, so there is no error bar"
    rest = f"{counted(n, 'report')} cannot tell {what}. {why}."
    return ShareView(question.name, "No number", rest, "", "", "", (), None, mark)


def _below_noise(low: float, high: float, decimals: int, said: str) -> tuple[str, str]:
    """A figure and a sentence for an interval that reaches to nobody, to everybody, or to both."""
    least, most = _ends(low, high, decimals)
    if low <= 0 and high >= 1:
        return "No number", f"These reports cannot tell what share of {said}"
    if low <= 0:
        return f"At most {most}{NARROW}%", f"of {said}. That cannot be told from zero with these reports"
    if high >= 1:
        return f"At least {least}{NARROW}%", f"of {said}. That cannot be told from everyone with these reports"
    return f"{least} to {most}{NARROW}%", f"of {said}"


def _notes(answer: Answer, one: Estimate) -> tuple[str, ...]:
    decimals = decimals_for(100 * one.standard_error) if _has_error(one) else 1
    notes = []
    if _has_error(one):
        error = plain(100 * one.standard_error, 2) if one.standard_error >= 1e-6 else "below 0.0001"
        softly = "Soft estimate" if answer.plain is not None else "Estimate"
        notes.append(
            f"{softly} {percent(one.value, decimals)}, standard error {error} points, from {counted(one.n, 'report')}."
        )
    notes.append(bias_words(one.bias, one.standard_error, "points", 100.0)[1])
    notes += place_notes(answer.question.space, answer.who)
    if answer.plain is None and (small := _untold(answer)):
        notes.append(f"This area cannot be told from its surroundings at this ε; {small}.")
    if _is_clear(one):
        notes += _finite(answer, decimals)  # else it is in the sentence
    notes += [made_up_words(answer.leverage, one.n, 100.0, " points", 1.0), robust_words(answer, 100.0, " points")]
    if answer.consistent is not None and float(answer.consistent) != one.value:
        notes.append(f"Made consistent, and biased by that: {percent(float(answer.consistent), decimals)}.")
    return tuple(note for note in notes if note)


def _finite(answer: Answer, decimals: int) -> tuple[str, ...]:
    """What is said of intervals that hold for any number of reports, where there are some."""
    if answer.finite is None or not _has_finite(answer):
        return ()
    low, high = float(answer.finite.low), float(answer.finite.high)
    share = _asked(answer).query.is_share
    ends = percents(low, high, decimals) if share else " to ".join(outward(low, high, decimals))
    whose = "of the soft share " if answer.plain is not None else ""
    return (f"An interval {whose}that holds for any number of reports (empirical Bernstein): {ends}.",)


def _score(answer: Answer, one: Estimate, level: str, mark: str) -> ShareView:
    """A mean of something that is no share."""
    decimals = decimals_for(one.standard_error)
    low, high = outward(one.low, one.high, decimals)
    rest = f"is the mean of “{answer.question.name}” over all {answer.who}"
    if one.low <= 0 <= one.high:
        rest += ". That cannot be told from zero with these reports"
    notes: tuple[str, ...] = (
        f"Standard error {plain(one.standard_error, 2)}, from {counted(one.n, 'report')}.",
        *_finite(answer, decimals),
        made_up_words(answer.leverage, one.n),
        robust_words(answer),
    )
    label, bias = bias_words(one.bias, one.standard_error, "units")
    notes += (bias,) if bias else ()
    interval = f"{level} {low} to {high}"
    return ShareView(answer.question.name, fixed(one.value, decimals), rest, interval, "", label, notes, None, mark)


def _bar(value: float, low: float, high: float, top: float) -> Bar:
    left, right, at = (round(100 * min(max(share / top, 0.0), 1.0), 3) for share in (low, high, value))
    return Bar(left, right, at, f"{plain(100 * top)}{NARROW}%")
