"""One number: differences and ratios."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, ClassVar

import numpy as np

from geopriv.device.functions import nearest_float
from geopriv.device.spaces import Ratios, factor_unit
from geopriv.spaces.balls import arb
from geopriv.spaces.base import Axes
from geopriv.spaces.bounded import Bounded
from geopriv.spaces.checks import (
    FloatArray,
    finite,
    invalid,
    positive,
)
from geopriv.spaces.notes import Note, Positive
from geopriv.spaces.reading import read_floats, require_unit
from geopriv.spaces.units import read_factor, read_factor_rate, read_rate
from geopriv.spaces.words import plain


class _Scalars(Axes):
    """Points that are plain numbers with |x − x'|; what Line and LogLine share."""

    exact_as_given: ClassVar[bool] = True

    @property
    def dimension(self) -> int:
        return 1

    @property
    def point_shape(self) -> tuple[int, ...]:
        return ()

    def between(self, first: FloatArray, second: FloatArray) -> FloatArray:
        return np.abs(first - second)


@dataclass(frozen=True)
class Line(_Scalars):
    """The real line with |x − x'|.

    Args:
        unit: what one unit of x is called ("USD", "years", "m"), so that rates can be stated in words.

    >>> Line("USD").distance(52_000, [51_000, 52_001])
    array([1000.,    1.])
    """

    unit: str | None = None

    word: ClassVar[str] = "line"

    def __post_init__(self) -> None:
        require_unit(self)

    @property
    def distance_unit(self) -> str | None:
        return self.unit

    def read(self, values: Any) -> FloatArray:
        return read_floats(self, values)

    def values(self, points: FloatArray) -> FloatArray:
        return points

    def read_rate(self, sentence: str) -> float:
        return read_rate(sentence, self.unit)


@dataclass(frozen=True)
class LogLine(_Scalars):
    """Positive numbers with |log x − log x'|: privacy for ratios instead of differences (the paper's footnote).

    Values below the public `floor` (zero and negative ones too) are read as the floor: dropping or flagging them would
    leak. The guarantee is therefore stated in the clamped metric, in which they are all the same point.

    Args:
        base: one unit of distance is a factor of `base`.
        floor: the smallest value that is told apart, public.
        unit: what one unit of x is called.

    >>> space = LogLine(base=2)
    >>> space.distance(1000, 4000), space.rate("1 per factor 2")
    (np.float64(2.0), 1.0)
    """

    base: Annotated[float, Note(exclusiveMinimum=1)] = 2.0
    floor: Positive = 1.0
    unit: str | None = None

    irrational: ClassVar[bool] = True
    ratios: ClassVar[bool] = True

    word: ClassVar[str] = "log"

    def __post_init__(self) -> None:
        if not (finite("LogLine", "base", self.base) > 1):
            raise invalid("LogLine", "base", "greater than 1", self.base)
        positive("LogLine", "floor", self.floor)

    @property
    def distance_unit(self) -> str:
        return factor_unit(self.base)

    @property
    def value_unit(self) -> str | None:
        return self.unit

    def distance_words(self, distance: float) -> str:
        return f"a factor of {plain(self.base**distance, 3)}"

    @property
    def limits(self) -> tuple[FloatArray, FloatArray]:
        return np.atleast_1d(self.read(self.floor)), np.array([np.inf])

    def read(self, values: Any) -> FloatArray:
        clamped: FloatArray = np.maximum(read_floats(self, values), self.floor)
        return np.asarray(np.log(clamped) / math.log(self.base))

    def read_public(self, value: Any) -> FloatArray:
        values = read_floats(self, value)
        if values.ndim > 0:
            return values
        exactly = (max(Fraction(float(values)), Fraction(self.floor)),)
        return np.array(nearest_float(lambda bits: Ratios(self.base, self.floor).point(exactly, bits)[0]))

    def _read_exactly(self, values: Any) -> FloatArray:
        return read_floats(self, values)  # the values: float logarithms are no longer exact

    def enclose(self, row: Sequence[float]) -> list[arb]:
        return [arb(max(row[0], self.floor)).log() / arb(self.base).log()]

    def bounded(self, rows: FloatArray) -> Bounded:
        points = self.read(rows)
        return Bounded(points, 2.0**-46 * np.abs(points))  # two logarithms, each right to 32 roundings, and a quotient

    def holds(self, value: Any) -> bool:
        return bool(value > self.floor)

    @property
    def inside(self) -> str:
        return f"above the floor {self.floor!r} of the LogLine"

    def values(self, points: FloatArray) -> FloatArray:
        return np.exp(points * math.log(self.base))

    @property
    def marks(self) -> tuple[tuple[str, Any], ...]:
        return (("the floor", self.floor),)

    def read_length(self, sentence: str) -> float:
        return read_factor(sentence, self.base)

    def read_rate(self, sentence: str) -> float:
        return read_factor_rate(sentence, self.base)
