"""Units of distance, and sentences such as "1 per 10,000 USD" read as rates."""

from __future__ import annotations

import math
import re

from geopriv.spaces.checks import invalid, positive

# Metres in one unit of length (international definitions). Any other unit converts only to itself.
METRES = {
    "mm": 1e-3,
    "cm": 1e-2,
    "m": 1.0,
    "km": 1e3,
    "in": 0.0254,
    "ft": 0.3048,
    "yd": 0.9144,
    "mi": 1609.344,
    "nmi": 1852.0,
}
_SPELLED = {
    "metre": "m", "metres": "m", "meter": "m", "meters": "m",
    "kilometre": "km", "kilometres": "km", "kilometer": "km", "kilometers": "km",
    "foot": "ft", "feet": "ft", "mile": "mi", "miles": "mi",
}  # fmt: skip

# A comma only groups thousands: "0,5" is no number here, since reading it as 5 would cost tenfold privacy.
_NUMBER = r"(?:[0-9]{1,3}(?:[,_][0-9]{3})+|[0-9]+)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
# Whether "8.000 USD" is eight or eight thousand is told by the country alone: the second reading costs a thousandfold.
_EITHER = re.compile(r"(?<![\d.,_])0*[1-9]\d{0,2}\.\d{3}(?![\d.eE])")
_ODD = re.compile(r"\d\s*[.,'’\s]\s*\d")
CLEAR = "written so that thousands and decimals are clear: 8,000 or 8000 for thousands, 8.0 for eight"
_RATE = re.compile(rf"\s*({_NUMBER})\s*(?:per|/)\s*({_NUMBER})?\s*([^\W\d].*?|[€$£¥])\s*")
_LENGTH = re.compile(rf"\s*({_NUMBER})?\s*([^\W\d].*?|[€$£¥])\s*")
_FACTOR = re.compile(rf"\s*(?:a\s+)?factor\s+(?:of\s+)?({_NUMBER})\s*")
_FACTOR_RATE = re.compile(rf"\s*({_NUMBER})\s*(?:per|/)\s*(?:a\s+)?factor\s+(?:of\s+)?({_NUMBER})\s*")


def unclear(words: str) -> bool:
    """Whether an amount in words has three decimals that may be meant as thousands; nobody means those of a ratio so.

    >>> [unclear(words) for words in ("8.000 USD", "08.000 USD", "8,000 USD", "8.0 USD", "0.125 km", "1,500.125 m")]
    [True, True, False, False, False, False]
    """
    return _EITHER.search(words) is not None


def separated(words: str) -> bool:
    """Whether there is a sign or a space between the digits of words, perhaps one that no number has here."""
    return _ODD.search(words) is not None


def ratio_base(unit: str | None) -> float | None:
    """The ratio that one unit of distance is, where it is "factor 2" or the like; None for other units.

    >>> ratio_base("factor 2"), ratio_base("USD")
    (2.0, None)
    """
    match = _FACTOR.fullmatch(unit or "")
    return float(match[1].replace(",", "").replace("_", "")) if match else None


def convert(amount: float, unit: str, to: str) -> float:
    """An amount of one unit in another; units that do not convert are an error.

    >>> convert(1, "km", to="m")
    1000.0
    """
    unit, to = _SPELLED.get(unit, unit), _SPELLED.get(to, to)
    if unit == to:
        return float(amount)
    if unit in METRES and to in METRES:
        return amount * METRES[unit] / METRES[to]
    raise invalid("the space", "unit", f"{to!r} or convertible to it", unit)


def read_rate(sentence: str, unit: str | None) -> float:
    """A rate per `unit` from a sentence.

    >>> read_rate("1 per 10,000 USD", "USD")
    0.0001
    >>> read_rate("1 per 1 km", "m")
    0.001
    """
    _require_clear("epsilon", sentence)
    match = _RATE.fullmatch(sentence)
    if match is None:
        raise invalid("the space", "epsilon", 'a positive number or a sentence like "1 per 10,000 USD"', sentence)
    if unit is None:
        raise invalid("the space", "epsilon", "a plain number, since this space has no unit", sentence)
    loss, amount, named = match.groups()
    return _parse(loss) / positive("the space", "epsilon", convert(_parse(amount or "1"), named, unit))


def read_length(sentence: str, unit: str | None) -> float:
    """A length in `unit` from words; without a number it is one of what is named.

    >>> read_length("1.5 km", "m")
    1500.0
    """
    _require_clear("length", sentence)
    match = _LENGTH.fullmatch(sentence)
    if match is None or unit is None:
        raise invalid("the space", "length", 'words like "8,000 USD" on a space with a unit', sentence)
    amount, named = match.groups()
    return positive("the space", "length", convert(_parse(amount or "1"), named, unit))


def read_factor(sentence: str, base: float) -> float:
    """A ratio as a logarithm of the given base, from words.

    >>> read_factor("factor 8", base=2)
    3.0
    """
    match = _FACTOR.fullmatch(sentence)
    if match is None or not 1 < _parse(match[1]) < math.inf:
        raise invalid("LogLine", "length", 'a ratio above 1 like "factor 2"', sentence)
    return math.log(_parse(match[1])) / math.log(base)


def read_factor_rate(sentence: str, base: float) -> float:
    """A rate per logarithm of the given base from a sentence about ratios.

    >>> read_factor_rate("1 per factor 4", base=2)
    0.5
    """
    match = _FACTOR_RATE.fullmatch(sentence)
    if match is None or _parse(match[2]) <= 1:
        raise invalid("LogLine", "epsilon", 'a positive number or a sentence like "1 per factor 2"', sentence)
    return _parse(match[1]) / (math.log(_parse(match[2])) / math.log(base))


def _require_clear(parameter: str, sentence: str) -> None:
    if unclear(sentence):
        raise invalid("the space", parameter, CLEAR, sentence)


def _parse(number: str) -> float:
    return float(number.replace(",", "").replace("_", ""))
