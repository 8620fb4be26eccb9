"""One value of an answer with its interval, as text."""

from __future__ import annotations

from typing import Any

import numpy as np

from geopriv.answers.answers import Answer


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
    return f"{100 * answer.estimates.confidence:.6g} % confidence"
