"""How numbers become colours: evenly, or so that a city does not hide a country."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from geopriv.pages.numbers import Tick, round_numbers, round_ratios
from geopriv.spaces.checks import FloatArray
from geopriv.spaces.words import plain

LINEAR, ROOT, LOGARITHMIC = "linear", "square root", "logarithmic"
_MARKS = 5
_DEEP = 1e-4  # of the top: the least beginning of a logarithmic scale
_HIDDEN = 20  # times the usual value: where the top is more, a linear scale hides what is usual


@dataclass(frozen=True)
class Scale:
    """From a bottom to a top.

    Args:
        name: "linear", "square root" or "logarithmic".
        bottom: the number at its beginning.
        top: the number at its end.
    """

    name: str
    bottom: float
    top: float

    def __call__(self, values: FloatArray) -> FloatArray:
        """How far along numbers are, from 0 to 1; those outside are at its ends."""
        if self.name == LOGARITHMIC:
            held = np.clip(values, self.bottom, self.top)
            return np.asarray(np.log(held / self.bottom) / math.log(self.top / self.bottom))
        along = np.clip((values - self.bottom) / (self.top - self.bottom), 0.0, 1.0)
        return np.asarray(np.sqrt(along) if self.name == ROOT else along)

    @property
    def marks(self) -> list[float]:
        """Round numbers on it."""
        if self.name == LOGARITHMIC:
            return round_ratios(self.bottom, self.top, _MARKS)
        if self.name == ROOT:
            shares = (np.arange(1, _MARKS) / (_MARKS - 1)) ** 2
            return [self.bottom, *sorted({_round(self.bottom + share * (self.top - self.bottom)) for share in shares})]
        return round_numbers(self.bottom, self.top, _MARKS)

    @property
    def ticks(self) -> tuple[Tick, ...]:
        """The marks with their numbers; places in percent."""
        marks = self.marks
        return tuple(Tick(round(100 * float(self(np.asarray(mark))), 2), plain(mark, 3)) for mark in marks)


def scales(top: float, least: float) -> tuple[Scale, ...]:
    """All of them, from 0 (the logarithmic one from the least number that says something) to the top."""
    bottom = min(max(least, _DEEP * top), top / 2)
    return Scale(LINEAR, 0.0, top), Scale(ROOT, 0.0, top), Scale(LOGARITHMIC, bottom, top)


def fitting(values: FloatArray, choices: tuple[Scale, ...]) -> Scale:
    """Linear unless that would leave most of the values at its beginning; then logarithmic."""
    linear, *_, logarithmic = choices
    hidden = values.size > 0 and float(np.median(values)) * _HIDDEN < linear.top
    return logarithmic if hidden else linear


def _round(number: float) -> float:
    """1, 2 or 5 times a power of ten, the next one below."""
    power = 10.0 ** math.floor(math.log10(number))
    return power * max(lead for lead in (1, 2, 5) if lead * power <= number * (1 + 1e-9))
