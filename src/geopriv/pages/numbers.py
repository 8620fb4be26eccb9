"""Numbers as people read them: with their unit, with as many digits as their error allows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from geopriv.spaces import LogLine, Plane, Space
from geopriv.spaces.units import METRES

NARROW = "\u202f"  # a narrow space at which no line breaks
_LARGE = ((1e9, "billion"), (1e6, "million"), (1e3, "thousand"))


def plain(number: float, digits: int = 6) -> str:
    """A number with thousands in groups and at most so many significant digits.

    >>> plain(100_000.0), plain(-0.31254, 3), plain(1e-9, 3)
    ('100,000', '−0.313', '1e-09')
    """
    if number == 0 or not math.isfinite(number):
        return "0" if number == 0 else str(number)
    if not 1e-4 <= abs(number) < 1e15:
        return f"{number:.{digits}g}".replace("-", "−", number < 0)
    after = max(digits - 1 - math.floor(math.log10(abs(number))), 0)
    text = f"{number:,.{after}f}"
    return (text.rstrip("0").rstrip(".") if after else text).replace("-", "−")


def fixed(number: float, decimals: int) -> str:
    """A number with so many digits after the point.

    >>> fixed(-1234.56, 1)
    '−1,234.6'
    """
    text = f"{number:,.{decimals}f}"
    return text.removeprefix("-") if float(text.replace(",", "")) == 0 else text.replace("-", "−")


def decimals_for(error: float, most: int = 4) -> int:
    """Digits after the point at which an error is 1 to 10 units of the last one.

    >>> decimals_for(0.23), decimals_for(12.0)
    (1, 0)
    """
    return int(np.clip(math.ceil(-math.log10(error)), 0, most)) if error > 0 else 1


def outward(low: float, high: float, decimals: int) -> tuple[str, str]:
    """The ends of an interval, rounded away from its middle, so that the interval still holds what it held.

    >>> outward(48.239, 49.111, 1)
    ('48.2', '49.2')
    """
    unit = 10.0**decimals
    # a hair of slack, so that an end that is a round number stays it
    ends = math.floor(low * unit + 1e-9) / unit, math.ceil(high * unit - 1e-9) / unit
    return fixed(ends[0], decimals), fixed(ends[1], decimals)


def amount(number: float, unit: str | None, digits: int = 6) -> str:
    """A number with its unit; metres become kilometres from 1,000 on.

    >>> amount(1500.0, "m").replace(NARROW, " "), amount(3.0, None)
    ('1.5 km', '3')
    """
    if unit == "m" and abs(number) >= 1000:
        number, unit = number / 1000, "km"
    return f"{plain(number, digits)}{NARROW}{unit}" if unit else plain(number, digits)


def distance(number: float, space: Space) -> str:
    """A distance of a space, in words; on a LogLine it is a ratio.

    >>> distance(2.0, LogLine(base=2)), distance(2.0, Plane(None))
    ('a factor of 4', '2 units')
    """
    if isinstance(space, LogLine):
        return f"a factor of {plain(space.base**number, 3)}"
    return amount(number, space.distance_unit or "units").replace(NARROW, NARROW if space.distance_unit else " ")


def place(position: Sequence[float], space: Space) -> str:
    r"""A position: latitude and longitude, or numbers with their unit.

    >>> from geopriv import Earth
    >>> place((40.7, -74.0), Earth()).replace("\N{NO-BREAK SPACE}", " ")
    '40.700° N, 74.000° W'
    """
    if isinstance(space, Plane):
        return ", ".join(amount(axis, space.unit, 4) for axis in position)
    latitude, longitude = position
    return f"{degrees(latitude, 'NS', 3)}, {degrees(longitude, 'EW', 3)}"


def degrees(angle: float, sides: str, decimals: int) -> str:
    r"""An angle with its side of the equator or of Greenwich.

    >>> degrees(-74.3, "EW", 1).replace("\N{NO-BREAK SPACE}", " ")
    '74.3° W'
    """
    return f"{abs(angle):.{decimals}f}°\u00a0{sides[angle < 0]}"


@dataclass(frozen=True)
class Tick:
    """A mark on an axis.

    Args:
        at: how far along, in percent.
        label: what is written there.
    """

    at: float
    label: str


@dataclass(frozen=True)
class Axis:
    """Marks and the unit of their numbers.

    Args:
        ticks: from low to high.
        unit: what the numbers count, such as "thousand USD"; may be empty.
    """

    ticks: tuple[Tick, ...]
    unit: str


def round_numbers(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers between two ends, evenly spaced, at most so many."""
    from matplotlib.ticker import MaxNLocator

    marks = MaxNLocator(nbins=max(most - 1, 1), steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
    slack = 1e-9 * (high - low)
    return [float(mark) for mark in marks if low - slack <= mark <= high + slack]


def scale_for(largest: float, unit: str | None) -> tuple[float, str]:
    """What to divide numbers on an axis by, and what they then count.

    >>> scale_for(300_000, "USD"), scale_for(44_000, "m"), scale_for(70, None)
    ((1000.0, 'thousand USD'), (1000.0, 'km'), (1.0, ''))
    """
    if unit in METRES:
        return (METRES["km"] / METRES[unit], "km") if largest * METRES[unit] >= 2000 else (1.0, unit)
    for size, word in _LARGE:
        if largest >= 10 * size:
            return size, f"{word} {unit or ''}".strip()
    return 1.0, unit or ""


def linear_axis(low: float, high: float, unit: str | None, most: int = 6) -> Axis:
    """Round numbers on an axis with a unit."""
    size, word = scale_for(max(abs(low), abs(high)), unit)
    marks = round_numbers(low / size, high / size, most)
    return Axis(tuple(Tick(_along(mark * size, low, high), plain(mark)) for mark in marks), word)


def log_axis(low: float, high: float, unit: str | None, most: int = 6) -> Axis:
    """1, 2 and 5 times powers of ten, or fewer of them, along logarithms of positive numbers."""
    size, word = scale_for(high, unit)
    for leads in ((1, 2, 5), (1, 3), (1,)):
        marks = [
            lead * 10.0**power
            for power in range(math.floor(math.log10(low / size)), math.ceil(math.log10(high / size)) + 1)
            for lead in leads
            if low <= lead * 10.0**power * size * (1 + 1e-12) <= high * (1 + 1e-9)
        ]
        if len(marks) <= most:
            break
    ends = math.log(low), math.log(high)
    return Axis(tuple(Tick(_along(math.log(mark * size), *ends), plain(mark)) for mark in marks), word)


def _along(mark: float, low: float, high: float) -> float:
    return round(100 * (mark - low) / (high - low), 3)
