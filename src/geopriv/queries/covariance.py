"""How two numbers of a value go together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, ClassVar

from geopriv.queries.base import Query
from geopriv.queries.questions import Name, Question, require_name
from geopriv.queries.value import Value
from geopriv.queries.value_questions import Words, require_range, require_words
from geopriv.spaces import Space
from geopriv.spaces.checks import invalid, numbers
from geopriv.spaces.notes import Note

_TWO = Note(minItems=2, maxItems=2)


@dataclass(frozen=True)
class Covariance(Question):
    """The covariance of two axes of a plane or a Euclidean space, E[xy] − E[x]·E[y], within the public range.

    x·y is linear along each axis, so its interpolant on a grid is x·y itself, and noise on the two axes is independent:
    the covariance of what is reported is that of the values, without bias.

    Args:
        name: what it is called in tables and pages.
        space: a Plane or Euclidean space.
        axes: two of its axes, from 0 on.
        of: what they are called; both may be empty.
        low: the least value on each axis, public; none where no range is known.
        high: the largest value on each axis.
    """

    form: ClassVar[str] = "covariance"

    name: Name
    space: Space
    axes: Annotated[tuple[int, ...], _TWO] = (0, 1)
    of: Annotated[tuple[Words, ...], _TWO] = ("", "")
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        require_name(self)
        for name in ("axes", "of"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        axes = getattr(self.space, "dimension", 0)
        if len(self.axes) != 2 or not 0 <= self.axes[0] < self.axes[1] < axes:
            raise invalid("Covariance", "axes", f"two increasing numbers of axes below {axes}", self.axes)
        if len(self.of) != 2:
            raise invalid("Covariance", "of", "two texts", self.of)
        for words in self.of:
            require_words(self, "of", words)
        for name in ("low", "high"):
            object.__setattr__(self, name, numbers("Covariance", name, getattr(self, name), least=0))
        require_range(self, self.low, self.high)
        assert len(self.queries) == 2  # checks the space

    @property
    def valued(self) -> bool:
        return True

    @property
    def limits(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        return self.low, self.high

    @cached_property
    def queries(self) -> tuple[Query, ...]:
        """The values along the two axes."""
        size = range(self.space.dimension)
        return tuple(Value(tuple(float(k == axis) for k in size), self.space) for axis in self.axes)

    @property
    def shape(self) -> tuple[int, ...]:
        return ()
