"""Values with their intervals: in the unit, with as many digits as the interval allows, ends rounded outward."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from geopriv.pages.numbers import fixed
from geopriv.spaces.words import NARROW

_MOST = 8  # digits after the point
_HAIR = Fraction(1, 10**9)
NO_BAR = "no error bar"


@dataclass(frozen=True)
class ValueView:
    """What the page shows of one value.

    Args:
        name: of the question.
        figure: the number, in large type.
        rest: the sentence that it begins.
        interval: that belongs to it; empty where there is none, and then there is no number.
        notes: small print.
    """

    name: str
    figure: str
    rest: str
    interval: str
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Cell:
    """One number of an answer in a table of groups.

    Args:
        of: which of several numbers it is, "median"; empty where there is one.
        plain: the interval that answers the plain question; empty where none does.
        soft: that of the soft question; empty where nothing is soft.
    """

    of: str
    plain: str
    soft: str


@dataclass(frozen=True)
class Amount:
    """A value and its interval as texts without the unit, and the unit with a space before it, if there is one."""

    value: str
    low: str
    high: str
    unit: str

    @property
    def figure(self) -> str:
        """The value with its unit."""
        return f"{self.value}{self.unit}"

    @property
    def ends(self) -> str:
        """The interval with its unit."""
        return f"{self.low} to {self.high}{self.unit}"


def amount_of(value: float, low: float, high: float, unit: str | None) -> Amount:
    """A value and its interval, to two digits of a quarter of the interval's length.

    >>> amount_of(131_237.2, 130_897.0, 131_577.4, "USD").ends.replace(NARROW, " ")
    '130,890 to 131,580 USD'
    """
    quarter = (high - low) / 4
    places = min(1 - math.floor(math.log10(quarter)), _MOST) if 0 < quarter < math.inf else 2
    size = Fraction(10) ** -places
    nearest, least, most = (
        fixed(float(rounded(Fraction(number) / size + hair) * size), max(places, 0)) if math.isfinite(number) else "∞"
        # a hair of slack, so that an end that is a round number stays it
        for number, rounded, hair in ((value, round, 0), (low, math.floor, _HAIR), (high, math.ceil, -_HAIR))
    )
    return Amount(nearest, least, most, f"{NARROW}{unit}" if unit else "")
