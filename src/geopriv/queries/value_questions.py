"""Questions whose answers are values, in the unit of values, and no shares of people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, ClassVar

import numpy as np

from geopriv.queries.base import Query
from geopriv.queries.questions import NAME, Name, Question, require_name
from geopriv.queries.value import Value
from geopriv.spaces import Space
from geopriv.spaces.checks import finite, invalid, numbers
from geopriv.spaces.notes import Note, NotNegative

LEVELS = 100  # quantiles of one question, each of which is looked for among all cells
Words = Annotated[str, Note(maxLength=80)]
Level = Annotated[float, Note(exclusiveMinimum=0, exclusiveMaximum=1)]


@dataclass(frozen=True)
class Mean(Question):
    """The mean of the people's values, each within the public range; of a weighted sum where there are several axes.

    f(x) = ⟨weights, x⟩ is linear, so there is no edge and no bias. On a LogLine it is the mean of the logarithms, which
    is shown as the geometric mean.

    Args:
        name: what it is called in tables and pages.
        space: a Line, LogLine, Plane or Euclidean space.
        weights: one number for each axis; left out on a line, where the value itself is averaged.
        of: what is averaged, in words ("income"); may be empty.
        low: the least value on each axis, public; none where no range is known.
        high: the largest value on each axis.

    >>> from geopriv import Line
    >>> Mean("mean income", Line("USD"), of="income", low=(0.0,), high=(2e6,)).ends
    (0.0, 2000000.0)
    """

    form: ClassVar[str] = "mean"

    name: Name
    space: Space
    weights: tuple[float, ...] = ()
    of: Words = ""
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        require_name(self)
        object.__setattr__(self, "weights", tuple(self.weights) or (1.0,))
        object.__setattr__(self, "weights", self.query.weights)
        require_words(self, "of", self.of)
        for name in ("low", "high"):
            object.__setattr__(self, name, numbers("Mean", name, getattr(self, name), least=0))
        require_range(self, self.low, self.high)

    @property
    def valued(self) -> bool:
        return True

    @cached_property
    def query(self) -> Value:
        """What is averaged."""
        return Value(self.weights, self.space)

    @property
    def queries(self) -> tuple[Query, ...]:
        return (self.query,)

    @property
    def shape(self) -> tuple[int, ...]:
        return ()

    @property
    def limits(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        return self.low, self.high

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the largest value that a person within the range can have, as points of the space."""
        return self.query.within(self.low, self.high)


@dataclass(frozen=True)
class Quantile(Question):
    """Values below which given shares of the people are: the median, quartiles, or any others.

    The q-quantile is the least t with P(x ≤ t) ≥ q, of values within the public range. It is asked of the plain
    distribution: its interval is where the share above t may be 1 − q, whatever the population (theory T14).

    Args:
        name: what it is called in tables and pages.
        levels: q, increasing, each between 0 and 1.
        space: a Line or LogLine.
        low: the least value, public.
        high: the largest value.
        reach: over which the two edges rise that hold the share above a value, in the unit of distance; public, and
            fixed before anybody reports. 0 leaves it to `plan`.
        of: what is asked about, in words ("income"); may be empty.

    >>> from geopriv import Line
    >>> Quantile("quartiles", (0.25, 0.5, 0.75), Line("USD"), 0.0, 2e6).shape
    (3,)
    """

    form: ClassVar[str] = "quantile"

    name: Name
    levels: Annotated[tuple[Level, ...], Note(minItems=1, maxItems=LEVELS)]
    space: Space
    low: float
    high: float
    reach: NotNegative = 0.0
    of: Words = ""

    def __post_init__(self) -> None:
        require_name(self)
        require_words(self, "of", self.of)
        levels = np.asarray(numbers("Quantile", "levels", self.levels))
        if not (len(levels) <= LEVELS and (np.diff(levels) > 0).all() and levels[0] > 0 and levels[-1] < 1):
            raise invalid("Quantile", "levels", f"at most {LEVELS} increasing numbers between 0 and 1", self.levels)
        object.__setattr__(self, "levels", tuple(levels.tolist()))
        if getattr(self.space, "point_shape", None) != ():
            raise invalid("Quantile", "space", "a Line or a LogLine", self.space)
        for name in ("low", "high", "reach"):
            finite("Quantile", name, getattr(self, name))
        if self.reach < 0:
            raise invalid("Quantile", "reach", "at least 0", self.reach)
        require_range(self, (self.low,), (self.high,))

    @property
    def valued(self) -> bool:
        return True

    @cached_property
    def queries(self) -> tuple[Query, ...]:
        """The value itself, once for each level: what the quantiles are of."""
        return (Value((1.0,), self.space),) * len(self.levels)

    @property
    def shape(self) -> tuple[int, ...]:
        return (len(self.levels),)

    @property
    def limits(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        return (self.low,), (self.high,)

    @property
    def in_part(self) -> str:
        return f"within {self.space.distance_words(self.reach)} of a value" if self.reach else ""

    @property
    def points(self) -> tuple[float, float]:
        """The ends of the range, as points of the space."""
        return float(self.space.read(self.low)), float(self.space.read(self.high))


def require_words(question: Question, parameter: str, words: str) -> None:
    """Refuse words that could not be shown in a sentence."""
    if words and not NAME.fullmatch(words):
        rule = "empty, or up to 80 letters, digits, spaces and common signs"
        raise invalid(type(question).__name__, parameter, rule, words)


def require_range(question: Question, low: Sequence[float], high: Sequence[float]) -> None:
    """Refuse a range of other axes than the space, or that has no inside; none at all is one."""
    owner, axes = type(question).__name__, question.space.dimension
    if len(low) not in (0, axes):
        raise invalid(owner, "low", f"one number for each of {axes} axes, or none", tuple(low))
    if len(low) != len(high) or not (np.asarray(low) < np.asarray(high)).all():
        raise invalid(owner, "high", f"above low = {tuple(low)}", tuple(high))
