"""Lengths of a survey file: numbers in the unit of the space, or words with a unit."""

from __future__ import annotations

import math
import re

from geopriv.errors import InvalidParameter
from geopriv.spaces import Space
from geopriv.spaces.units import CLEAR, METRES, convert, separated, unclear
from geopriv.surveys.part import Part

_LEAST, _MOST = 1e-9, 1e9  # of 1/ε: what is shorter or longer is a slip, and floats would not bear it
RATES = 1e-100, 1e100


def length(part: Part, key: str, value: float | str, space: Space, rate: float) -> float:
    """A length in the unit of distance, checked to be of the order of 1/ε.

    Args:
        part: the table it is from.
        key: of the table.
        value: as it is written.
        space: whose unit it is in.
        rate: ε per unit of distance.
    """
    found = plain_length(part, key, value, space)
    if not _LEAST <= found * rate <= _MOST:
        raise part.wrong(key, f"between {_LEAST / rate:.3g} and {_MOST / rate:.3g}, since 1/ε is {1 / rate:.6g}", value)
    return found


def plain_length(part: Part, key: str, value: float | str, space: Space) -> float:
    """A length in the unit of distance, whatever ε is."""
    if isinstance(value, str) and not space.ratios and unclear(value):
        raise part.wrong(key, CLEAR, value)
    try:
        if isinstance(value, str):
            return space.read_length(value)
        if not space.ratios and 0 < value < math.inf:
            return value
    except InvalidParameter:
        pass  # units do not know the file
    forgotten = space.distance_unit is not None and not space.ratios and _is_number(value)
    hint = f"; with its unit: '{value} {space.distance_unit}'" if forgotten else ""
    if not forgotten and isinstance(value, str) and separated(value):
        hint = f", {CLEAR}"
    raise part.wrong(key, f"{_rule(space)}{hint}", value)


def _is_number(words: object) -> bool:
    """Whether a text is a number above 0 that stands alone."""
    return isinstance(words, str) and re.fullmatch(r"[\d,_]*\.?\d+", words.strip()) is not None


def _rule(space: Space) -> str:
    """What a length on the space looks like."""
    unit = space.distance_unit
    if space.ratios:
        return "a ratio above 1 on a log space, such as 'factor 1.5'"
    if unit is None:
        return "a number above 0, and no words, since the space has no unit"
    if _is_length(unit):
        return f"above 0, as a number of {unit} or words like '5 {unit}' in {', '.join(METRES)}"
    return f"above 0, as a number of {unit} or words like '5 {unit}' ({unit} converts to no other unit)"


def _is_length(unit: str) -> bool:
    try:
        return convert(1.0, unit, "m") > 0
    except InvalidParameter:
        return False
