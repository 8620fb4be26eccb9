"""Answers as lines of text: each value with its interval, then what was rejected and what is promised."""

from __future__ import annotations

from typing import Any

import numpy as np

from geopriv.answers.answers import Answer, Answers
from geopriv.pages.density import per_square
from geopriv.pages.shares import interval_of
from geopriv.queries.questions import DensityMap, Distribution, Share

_ROWS = 12  # of a curve


def text_of(answers: Answers) -> str:
    """All answers, one after the other."""
    lines = [line for answer in answers.answers for line in _answer_lines(answer)]
    lines.append(f"{answers.n:,} reports counted{_rejected(answers.rejected)}")
    lines.append(f"promise: {answers.guarantee}")
    lines.append(f"survey {answers.survey!r}, design {answers.design}")
    return "\n".join(lines)


def _answer_lines(answer: Answer) -> list[str]:
    question, found = answer.question, answer.estimates
    if isinstance(question, Distribution):
        lines = _curve_lines(answer, question)
    elif isinstance(question, DensityMap):
        lines = _map_lines(answer, question)
    else:
        lines = [f"{question.name}: {_share(answer)}"]
    if not found.unbiased:
        scale, square = per_square(question) if isinstance(question, DensityMap) else (1.0, "")
        unit = f" % per {square}" if square else ""
        limit = f"off by at most {scale * found.bias:.1g}{unit} on average" if np.isfinite(found.bias) else "biased"
        lines[0] += f"  ({limit})"
    if answer.consistent is not None and not np.array_equal(answer.consistent, found.values):
        nicer = f"{float(answer.consistent):.6g}" if question.shape == () else "in estimates.json and on the page"
        lines.append(f"  made consistent, and biased by that: {nicer}")
    return lines


def _curve_lines(answer: Answer, question: Distribution) -> list[str]:
    size = len(question.at)
    picked = np.unique(np.linspace(0, size - 1, min(size, _ROWS)).round().astype(int)).tolist()
    unit = getattr(question.space, "unit", None) or ""
    places = [f"{question.at[k]:,.10g} {unit}".rstrip() for k in picked]
    width = max(map(len, places))
    lines = [f"{question.name}: share at or above, {_confidence(answer)} for each and [for all at once]"]
    for k, place in zip(picked, places, strict=True):
        lines.append(f"  {place:>{width}}  {_value(answer, k, named=False)}")
    if len(picked) < size:
        lines.append(f"  … {size - len(picked)} more values")
    return lines


def _map_lines(answer: Answer, question: DensityMap) -> list[str]:
    found = answer.estimates
    above = int((found.low > 0).sum()) if answer.band is None else int((answer.band.low > 0).sum())
    peak = np.unravel_index(int(found.values.argmax()), question.shape)
    query: Any = question.queries[int(found.values.argmax())]
    place = ", ".join(f"{part:.10g}" for part in query.center)
    scale, square = per_square(question)
    return [
        f"{question.name}: {question.columns} × {question.rows} places, {above:,} of them surely above 0 at once",
        f"  highest at ({place}), in % of people per {square}: {_value(answer, peak, scale=scale)}",
    ]


def _share(answer: Answer) -> str:
    """Its value, and the interval that means something where the share may be nobody or everybody."""
    if not isinstance(answer.question, Share):
        return _value(answer, ())
    low, high, kind = interval_of(answer)
    if not kind:
        return _value(answer, ())
    places = _places((high - low) / 4)
    value = f"{float(answer.estimates.values):z.{places}f}"
    return f"{value} ({_confidence(answer)}{kind}, {low:.{places}f} to {high:.{places}f})"


def _value(answer: Answer, index: Any, named: bool = True, scale: float = 1.0) -> str:
    """One value, its interval, and the end points of the band around all of them."""
    found, band, error = answer.estimates[index], answer.band, scale * answer.estimates[index].standard_error
    places = _places(error)
    name = f"{_confidence(answer)}, " if named else ""
    wide = "" if band is None else f"  [{scale * band.low[index]:.{places}f}, {scale * band.high[index]:.{places}f}]"
    interval = f"{scale * found.low:.{places}f} to {scale * found.high:.{places}f}"
    return f"{scale * found.value:.{places}f} ({name}{interval}){wide}"


def _places(error: float) -> int:
    """Digits after the point: two of the standard error, and no more than mean something."""
    return min(max(0, 1 - int(np.floor(np.log10(error)))), 8) if 0 < error < np.inf else 6


def _confidence(answer: Answer) -> str:
    return f"{100 * answer.estimates.confidence:.10g} % confidence"


def _rejected(rejected: dict[str, int]) -> str:
    if not rejected:
        return ", none rejected"
    reasons = ", ".join(f"{times:,} {reason}" for reason, times in sorted(rejected.items()))
    return f", {sum(rejected.values()):,} rejected ({reasons})"
