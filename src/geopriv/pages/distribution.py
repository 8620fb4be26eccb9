"""The curve of a distribution with its bands, as paths of an SVG, and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np

from geopriv.answers.answers import Answer, Band
from geopriv.answers.estimates import Estimates
from geopriv.device.designs import PEOPLE
from geopriv.pages import drawings
from geopriv.pages.amounts import Cell
from geopriv.pages.live_curves import Row, curve_data
from geopriv.pages.made_up import made_up_words, robust_words
from geopriv.pages.numbers import Axis, Tick, decimals_for, linear_axis, log_axis, outward, picked, round_numbers
from geopriv.pages.regions import Page
from geopriv.pages.share import axis_top, percent, percents, plain_decimals
from geopriv.pages.values import confidence_words, percent_words, value_text
from geopriv.pages.words import bias_words, counted
from geopriv.queries.questions import Distribution
from geopriv.spaces.checks import FloatArray
from geopriv.spaces.rounding import above, below
from geopriv.spaces.words import NARROW, amount, plain

WIDE, HIGH = 1000, 500  # of the picture, in its own units
_ROWS = 101  # of the table
_TOLD = 1001  # values of which the script tells
_ALL, _LINES = 25, 12  # rows of text: of a curve all, or of a longer one some
draw = drawings.curve
is_map = False


@dataclass(frozen=True)
class Plot:
    """A picture of estimates with their intervals, as paths.

    Args:
        x: the horizontal axis.
        y: the vertical axis.
        line: the estimates.
        each: the intervals, each for itself.
        together: the band that holds all of the curve at once; empty where there is none.
        consistent: the values that were made monotone; empty unless asked for.
        plain: the lower and the upper ends between which the plain answers lie; empty where there are none.
    """

    x: Axis
    y: Axis
    line: str
    each: str
    together: str
    consistent: str
    plain: str = ""


@dataclass(frozen=True)
class CurveView:
    """What the page shows of one curve.

    Args:
        name: of the question.
        about: what the picture shows.
        findings: sentences, the answer first.
        bias: how biased the estimates are; empty if they are not.
        notes: small print.
        level: the confidence, in words.
        plot: the picture, in percent of people; None where there is no error bar.
        description: the picture in words.
        rows: the table.
        skipped: whether the table leaves some values out.
        data: what the script tells of each value; None where nothing is drawn.
    """

    kind: ClassVar[str] = "curves"

    name: str
    about: str
    findings: tuple[str, ...]
    bias: str
    notes: tuple[str, ...]
    level: str
    plot: Plot | None
    description: str
    rows: tuple[Row, ...]
    skipped: bool
    data: Any


def _view(answer: Answer) -> CurveView:
    """The view of an answer to a Distribution."""
    question, estimates = _asked(answer), answer.estimates
    at, unit = np.asarray(question.at), question.space.value_unit
    known = has_errors(estimates)
    level = f"{percent_words(estimates.confidence)}"
    band = answer.band or Band(estimates.low, estimates.high)
    findings = _findings(answer, band, level) if known else (_nothing(answer),)
    top = max(float(band.high.max()), 0.0 if answer.plain is None else float(answer.plain.high.max()))
    about = f"Share of {answer.who} at or above each value"
    reach = f"{about}, from {amount(at[0], unit)} to {amount(at[-1], unit)}."
    return CurveView(
        question.name,
        about,
        findings,
        _bias(answer)[0] if known else "",
        _notes(answer),
        level,
        _plot(answer, axis_top(top)) if known else None,
        " ".join((reach, *findings)),
        _rows(answer) if known else (),
        at.size > _ROWS,
        curve_data(answer, at, _rows(answer, _TOLD), level) if known else None,
    )


def _plot(answer: Answer, top: float) -> Plot:
    question = _asked(answer)
    at, logs = np.asarray(question.at), question.space.ratios
    axis = (log_axis if logs else linear_axis)(at[0], at[-1], question.space.value_unit, 7)
    x, y = (np.log(at) if logs else at, axis), (0.0, top, share_axis(top))
    return plot(x, y, answer.estimates, answer.band, answer.consistent, answer.plain)


def has_errors(estimates: Estimates) -> bool:
    """Whether each of them has an error bar."""
    return bool(np.isfinite(estimates.standard_errors).all() and np.isfinite(estimates.values).all())


def views(answers: Sequence[Answer], page: Page) -> tuple[CurveView, ...]:
    """Of all curves, each by itself."""
    return tuple(_view(answer) for answer in answers)


def lines(answer: Answer) -> list[str]:
    """Some of its values, each with its interval and the band."""
    question = _asked(answer)
    size = len(question.at)
    rows = size if size <= _ALL else _LINES
    shown, named = picked(size, rows), labels(question)
    places = [named[k].replace(NARROW, " ") for k in shown]
    width = max(map(len, places))
    told = [_headline(answer)]
    for k, place in zip(shown, places, strict=True):
        told.append(f"  {place:>{width}}  {_plain_text(answer, k)}{value_text(answer, k, named=False, scale=100)}")
    if len(shown) < size:
        told.append(f"  {len(shown)} of {size} rows shown; all are in the estimates and on the page")
    return told


def labels(question: Distribution) -> list[str]:
    """The values of a curve with their unit: four digits, or as many as it takes to tell them apart."""
    found: list[str] = []
    for digits in (4, 6, 10, 15):
        found = [amount(at, question.space.value_unit, digits) for at in question.at]
        if len(set(found)) == len(found):
            break
    return found


def _headline(answer: Answer) -> str:
    """What the columns of the text are."""
    soft = f"counting {answer.in_part} in part"
    each = f"{confidence_words(answer)} for each and [for all at once]"
    if answer.plain is None:
        return f"{answer.question.name}: % at or above, {soft}, {each}"
    return f"{answer.question.name}: % at or above, between; then {soft}, {each}"


def _plain_text(answer: Answer, k: int) -> str:
    if answer.plain is None:
        return ""
    low, high = float(answer.plain.low[k]), float(answer.plain.high[k])
    least, most = outward(100 * low, 100 * high, plain_decimals(low, high))
    return f"{f'{least} to {most}':>14}   "


def cells(answer: Answer) -> list[Cell]:
    """None: it is a picture."""
    return []


def scale(question: Distribution, who: str = PEOPLE) -> tuple[float, str]:
    """Shares are said in percent."""
    return 100.0, " points"


def _asked(answer: Answer) -> Distribution:
    return cast("Distribution", answer.question)  # only distributions come here


def share_axis(top: float) -> Axis:
    """From nobody to the top."""
    marks = round_numbers(0.0, 100 * top, 6)
    return Axis(tuple(Tick(round(mark / top, 3), f"{plain(mark)}{NARROW}%") for mark in marks), "")


def _findings(answer: Answer, band: Band, level: str) -> tuple[str, ...]:
    """Between which values the quartiles are: of the people themselves, or else of people counted softly.

    The true curve falls. Where a low end is above a share, the curve is too, so the quantile lies above that value;
    where a high end is below, it lies below. Of the plain curve each interval holds for itself. Going in from both ends
    up to the first value that is not surely above (below), a quartile is missed only where the interval at the one
    value next to it fails.
    """
    question = _asked(answer)
    at, unit = np.asarray(question.at), question.space.value_unit
    bias = answer.estimates.bias if answer.estimates.bias > 1e-6 else 0.0
    low, high = (band.low - bias, band.high + bias) if answer.plain is None else (answer.plain.low, answer.plain.high)
    found = []
    for share, words in (
        (0.5, f"Half of all {answer.who} are"),
        (0.75, "Three quarters are"),
        (0.25, "One quarter is"),
    ):
        surely_above, surely_below = np.cumprod(low > share), np.cumprod((high < share)[::-1])[::-1]
        if surely_above.any() and surely_below.any():
            ends = at[surely_above > 0].max(), at[surely_below > 0].min()
            found.append(
                f"{words} above a value between {plain(below(ends[0], 4))} and {amount(above(ends[1], 4), unit)}."
            )
    if not found:
        return ()
    if answer.plain is not None:
        return found[0], " ".join((*found[1:], f"({level} confidence, each for itself.)"))
    confidence = f"{level} confidence, for all at once" if answer.band else f"{level} confidence, each for itself"
    # a quartile of the people themselves may lie up to half a width farther out
    return found[0], " ".join((*found[1:], f"({confidence}; counting {answer.in_part} in part.)"))


def _bias(answer: Answer) -> tuple[str, str]:
    """Beside the error in the middle of the curve."""
    estimates = answer.estimates
    whose = "the median standard error of the curve"
    return bias_words(estimates.bias, float(np.median(estimates.standard_errors)), "points", 100.0, whose)


def _nothing(answer: Answer) -> str:
    return f"{counted(answer.estimates.n, 'report')} cannot tell. There is no error bar yet, so no curve is drawn."


def _notes(answer: Answer) -> tuple[str, ...]:
    estimates = answer.estimates
    notes = [f"The curve is soft: {answer.edge_words}."]
    if answer.plain is not None:
        widest = 50 * float((answer.plain.high - answer.plain.low).max())
        notes.append(f"The plain shares lie between the two outer lines, which are at most {_apart(widest)} apart.")
    widest = 50 * float((estimates.high - estimates.low).max())
    if np.isfinite(widest):
        text = f"The widest interval of the soft curve is ±{plain(widest, 2)} percentage points"
        if answer.band:
            text += f", the band at its widest ±{plain(50 * float((answer.band.high - answer.band.low).max()), 2)}"
        notes.append(f"{text}; from {counted(estimates.n, 'report')}.")
        notes += [note for note in _bias(answer)[1:] if note]
    if answer.consistent is not None:
        notes.append("The dashed line was made to fall and to stay between 0 and 100 %; that makes it biased.")
    notes += [
        made_up_words(answer.leverage, estimates.n, 100.0, " points", 1.0),
        robust_words(answer, 100.0, " points"),
    ]
    return tuple(note for note in notes if note)


def _apart(half: float) -> str:
    return f"{plain(above(2 * half, 2))} percentage points"


def _rows(answer: Answer, most: int = _ROWS) -> tuple[Row, ...]:
    question, estimates = _asked(answer), answer.estimates
    named = labels(question)
    rows = []
    for k in picked(len(question.at), most):
        one = estimates[k]
        decimals = decimals_for(100 * one.standard_error)
        together = percents(float(answer.band.low[k]), float(answer.band.high[k]), decimals) if answer.band else ""
        rows.append(
            Row(
                named[k],
                _between(answer, k),
                percent(one.value, decimals),
                percents(one.low, one.high, decimals),
                together,
            )
        )
    return tuple(rows)


def _between(answer: Answer, k: int) -> str:
    if answer.plain is None:
        return ""
    low, high = float(answer.plain.low[k]), float(answer.plain.high[k])
    return percents(low, high, plain_decimals(low, high))


def plot(
    x: tuple[FloatArray, Axis],
    y: tuple[float, float, Axis],
    estimates: Estimates,
    band: Band | None = None,
    consistent: FloatArray | None = None,
    plain: Band | None = None,
) -> Plot:
    """Estimates one beside the other.

    Args:
        x: increasing places, and the axis.
        y: what is at the bottom and at the top of the picture, and the axis.
        estimates: of shape (k,), with error bars.
        band: of all of them at once.
        consistent: other values.
        plain: between which the plain answers lie.
    """
    (along, axis), (bottom, top, upright) = x, y
    across = (WIDE * (along - along[0]) / (along[-1] - along[0])).round(1)

    def points(values: FloatArray) -> list[str]:
        # what is far outside of the picture is held near it
        down = HIGH * (1 - np.clip((values - bottom) / (top - bottom), -0.5, 1.5))
        return [f"{a:.4g} {b:.1f}" for a, b in zip(across, down, strict=True)]

    def line(values: FloatArray | None) -> str:
        return "" if values is None else f"M{'L'.join(points(values))}"

    def area(band: Band | None) -> str:
        return "" if band is None else f"M{'L'.join(points(band.high) + points(band.low)[::-1])}Z"

    each = Band(estimates.low, estimates.high)
    lines = "" if plain is None else line(plain.low) + line(plain.high)
    return Plot(axis, upright, line(estimates.values), area(each), area(band), line(consistent), lines)
