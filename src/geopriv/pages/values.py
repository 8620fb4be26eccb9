"""One value of an answer with its interval, as text."""

from __future__ import annotations

from typing import Any

import numpy as np

from geopriv.answers.answers import Answer
from geopriv.spaces.words import NARROW


def value_text(answer: Answer, index: Any, named: bool = True, scale: float = 1.0) -> str:
    """One value, its interval, and the end points of the band around all of them."""
    found, band, error = answer.estimates[index], answer.band, scale * answer.estimates[index].standard_error
    places = places_of(error)
    name = f"{confidence_words(answer)}, " if named else ""
    wide = "" if band is None else f"  [{scale * band.low[index]:.{places}f}, {scale * band.high[index]:.{places}f}]"
    interval = f"{scale * found.low:.{places}f} to {scale * found.high:.{places}f}"
    return f"{scale * found.value:.{places}f} ({name}{interval}){wide}"


def places_of(error: float) -> int:
    """Digits after the point: two of the standard error, and no more than mean something."""
    return min(max(0, 1 - int(np.floor(np.log10(error)))), 8) if 0 < error < np.inf else 6


def confidence_words(answer: Answer) -> str:
    """How sure an interval is."""
    return f"{percent_words(answer.estimates.confidence)} confidence".replace(NARROW, " ")


def percent_words(confidence: float) -> str:
    """A confidence in percent, with one digit after the point unless it would then be certain.

    >>> percent_words(0.95).replace(NARROW, " "), percent_words(0.983048).replace(NARROW, " ")
    ('95 %', '98.3 %')
    """
    short = round(100 * confidence, 1)
    return f"{short if short < 100 else 100 * confidence:.6g}{NARROW}%"
