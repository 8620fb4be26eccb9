"""Numbers as people read them: with their unit, with as many digits as their error allows."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from geopriv.spaces.units import METRES
from geopriv.spaces.words import plain

_LARGE = ((1e9, "billion"), (1e6, "million"), (1e3, "thousand"))


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
    """Round numbers along logarithms of positive ones."""
    size, word = scale_for(high, unit)
    ends = math.log(low), math.log(high)
    marks = round_ratios(low / size, high / size, most)
    return Axis(tuple(Tick(_along(math.log(mark * size), *ends), plain(mark)) for mark in marks), word)


def round_ratios(low: float, high: float, most: int = 6) -> list[float]:
    """1, 2 and 5 times powers of ten between two positive numbers, or fewer of them; at most so many.

    >>> round_ratios(0.8, 60.0), round_ratios(1.0, 2e6, 4)
    ([1.0, 2.0, 5.0, 10.0, 20.0, 50.0], [1.0, 100.0, 10000.0, 1000000.0])
    """
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (((1, 2, 5), 1), ((1, 3), 1), *(((1,), step) for step in range(1, len(powers) + 1)))
    marks: list[float] = []
    for leads, step in steps:
        every = [lead * 10.0**power for power in powers[::step] for lead in leads]
        marks = [mark for mark in every if low <= mark * (1 + 1e-12) and mark <= high * (1 + 1e-9)]
        if len(marks) <= most:
            break
    return marks


def _along(mark: float, low: float, high: float) -> float:
    return round(100 * (mark - low) / (high - low), 3)


def picked(size: int, most: int) -> list[int]:
    """Which of so many values are shown where there are more than can be: evenly spaced, the ends with them."""
    chosen: list[int] = np.unique(np.linspace(0, size - 1, min(most, size)).round().astype(int)).tolist()
    return chosen
