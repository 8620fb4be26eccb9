"""In which unit values are told: what forms of answers share."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from geopriv.queries import Query
from geopriv.queries.questions import DensityMap, Question
from geopriv.spaces.checks import FloatArray
from geopriv.spaces.units import METRES
from geopriv.spaces.words import NARROW, amount

# The side in metres of the square that a density is stated for, the square's name, and how long a map is from then on.
_SQUARES = ((1e5, "10,000 km²", 2e6), (1e4, "100 km²", 3e5), (1e3, "km²", 2e3), (1e2, "hectare", 0.0))


def per_square(question: DensityMap) -> tuple[float, str]:
    """What a mean kernel is multiplied with to be percent of people per square, and the name of that square."""
    side, name = _square(question)
    return 100 * side**2 / question.area, name


def density_unit(question: Any, who: str) -> tuple[float, str]:
    """What a mean kernel of a map is multiplied with to be told, and the unit of that density."""
    percent, square = per_square(question)
    return percent, f"% of {who} per {square}"


def _square(question: DensityMap) -> tuple[float, str]:
    """The side of the square that densities are per, in the unit of the space, and its name."""
    unit = question.space.distance_unit
    longest = float((np.asarray(question.high) - np.asarray(question.low)).max())
    if unit in METRES:
        side, name, _ = next(square for square in _SQUARES if longest * METRES[unit] >= square[2])
        return side / METRES[unit], name
    side = 10.0 ** math.floor(math.log10(question.bandwidth))
    return side, f"square of {amount(side, unit)} by {amount(side, unit)}".replace(NARROW, " ")


def of_values(question: Question) -> str:
    """The unit of values, as pages say it."""
    return question.space.value_unit or "units"


def threshold_of(query: Query) -> dict[str, FloatArray]:
    """The value of a threshold on a line, in the unit of values; nothing of other queries."""
    at = getattr(getattr(query, "query", query), "at", None)  # also of a blurred one
    return {"threshold": np.asarray(at)} if isinstance(at, float | int) else {}
