"""`kind = "total"`: how many people, or how much in all, where the number of people is public."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from geopriv.queries import Threshold
from geopriv.queries.questions import Question
from geopriv.queries.total import Total
from geopriv.queries.value import Value
from geopriv.surveys.asking import Asking, title_of
from geopriv.surveys.kinds.borders import edged
from geopriv.surveys.kinds.mean import axis_of, words_of
from geopriv.surveys.part import Part
from geopriv.surveys.tables import Edge, Length, Table, Text, edge_key, line_blur_key, name_key, plain_key, width_key


class TotalQuery(Table):
    """How many people are at or above a value, or the sum of all values."""

    spaces: ClassVar[tuple[str, ...]] = ("line", "log", "plane", "euclidean")

    kind: Literal["total"] = Field(description="'total': how many people, or how much in all")
    number: float = Field(gt=0, description="the number of people in all, public and above 0")
    at: float | None = Field(
        None, description="a value, to count people at or above it; the sum of values is asked if left out"
    )
    axis: Text | int | None = Field(
        None, description="the name of a column, or the number of an axis from 0 on, whose values are added up"
    )
    name: Text | None = name_key()
    width: Length | None = width_key("4/ε")
    edge: Edge | None = edge_key()
    blur: Length | None = line_blur_key()
    plain: bool | None = plain_key()

    def build(self, part: Part, asking: Asking) -> list[Question]:
        """One total; of the values of several axes one for each."""
        if self.at is not None:
            return [self._people(self.at, part, asking)]
        for key in ("width", "edge", "blur", "plain"):
            if getattr(self, key) is not None:
                raise part.error("must be left out without 'at': a sum of values has no edge", key)
        if asking.space.ratios:
            raise part.error("must be given on a log space, where values are multiplied and not added up", "at")
        dimension = asking.space.dimension
        axes = list(range(dimension)) if self.axis is None else [axis_of(self.axis, part, asking)]
        low, high = zip(*asking.limits, strict=True)
        questions: list[Question] = []
        for axis in axes:
            of = words_of(axis, asking)
            name = f"total {of or 'of values'}" if self.name is None else self.name
            if self.name is not None and len(axes) > 1:
                name = f"{self.name}, {of}"
            query = Value(tuple(float(k == axis) for k in range(dimension)), asking.space)
            with part.explaining():
                questions.append(Total(title_of(name), self.number, query, of, low, high))
        return questions

    def _people(self, at: float, part: Part, asking: Asking) -> Total:
        if asking.space.dimension > 1 or self.axis is not None:
            raise part.error("must be left out with 'axis' or several axes, of which values are added up", "at")
        place = asking.value(part, "at", at)
        query, plain = edged(
            lambda width, edge: Threshold(place, width, asking.space, edge), self, part, asking, asking.alone
        )
        name = self.name or title_of(f"how many above {asking.said(at)}")
        with part.explaining():
            return Total(name, self.number, query, plain=plain)
