"""How many people, or how much in all: a share or a mean times a public number of people."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from geopriv.queries.base import Query
from geopriv.queries.questions import Name, Question, require_name, require_reach
from geopriv.queries.value_questions import Words, require_range, require_words
from geopriv.spaces import Space
from geopriv.spaces.checks import invalid, numbers, positive
from geopriv.spaces.notes import NotNegative, Positive


@dataclass(frozen=True)
class Total(Question):
    """The mean of a query times a public number of people: of a share how many, of a `Value` how much in all.

    Answers are totals. The number is taken as exact, and those who report to be like all of them.

    Args:
        name: what it is called in tables and pages.
        number: of people in all, public.
        query: a share such as a `Threshold`, or a `Value`.
        of: what is added up, in words ("income"); empty where people are counted.
        low: the least value on each axis, public; none where people are counted.
        high: the largest value on each axis.
        plain: whether the plain question behind a share is answered too.
        reach: over which two questions fade that hold the plain one between them; a plan chooses it.

    >>> from geopriv import Threshold
    >>> Total("above 100,000 USD", 13_550_000, Threshold(at=100_000, width=16_000)).valued
    False
    """

    form: ClassVar[str] = "total"

    name: Name
    number: Positive
    query: Query
    of: Words = ""
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    plain: bool = True
    reach: NotNegative = 0.0

    def __post_init__(self) -> None:
        require_name(self)
        positive("Total", "number", self.number)
        if not hasattr(self.query, "is_share"):
            raise invalid("Total", "query", "a query", type(self.query).__name__)
        if self.valued and self.space.ratios:
            raise invalid("Total", "query", "a share on a LogLine, where a mean is that of logarithms", self.query)
        require_words(self, "of", self.of)
        require_reach(self)
        for name in ("low", "high"):
            object.__setattr__(self, name, numbers("Total", name, getattr(self, name), least=0))
        require_range(self, self.low, self.high)

    @property
    def space(self) -> Space:  # type: ignore[override] # the space of the query
        return self.query.space

    @property
    def valued(self) -> bool:
        return not self.query.is_share

    @property
    def limits(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        return self.low, self.high

    @property
    def times(self) -> float:
        return self.number

    @property
    def queries(self) -> tuple[Query, ...]:
        return (self.query,)

    @property
    def shape(self) -> tuple[int, ...]:
        return ()

    def of_group(self, share: float | None) -> Total | None:
        """The total of the group, whose number of people is known where its share is."""
        return None if share is None else replace(self, number=share * self.number)

    @property
    def in_part(self) -> str:
        return self.query.in_part
