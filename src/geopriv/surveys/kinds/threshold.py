"""`kind = "threshold"`: the share at or above a value, or each of several."""

from __future__ import annotations

from functools import partial
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from geopriv.queries import Threshold
from geopriv.queries.questions import Question
from geopriv.spaces import Space
from geopriv.surveys.asking import Asking, share
from geopriv.surveys.kinds.base import ON_LINES
from geopriv.surveys.kinds.borders import edged
from geopriv.surveys.part import Part
from geopriv.surveys.tables import Edge, Length, Table, Text, edge_key, line_blur_key, name_key, plain_key, width_key


class ThresholdQuery(Table):
    """The share of people at or above a value."""

    spaces: ClassVar[tuple[str, ...]] = ON_LINES

    kind: Literal["threshold"] = Field(description="'threshold': the share of people at or above a value")
    at: float | Annotated[list[float], Field(min_length=1, max_length=1000)] = Field(
        description="a number in the unit of the space, or a list of numbers"
    )
    name: Text | None = name_key()
    width: Length | None = width_key("4/ε")
    edge: Edge | None = edge_key()
    blur: Length | None = line_blur_key()
    plain: bool | None = plain_key()

    def build(self, part: Part, asking: Asking) -> list[Question]:
        """One share for each value."""
        several = isinstance(self.at, list)
        values = self.at if isinstance(self.at, list) else [self.at]
        questions: list[Question] = []
        for value in values:
            place = asking.value(part, "at", value)
            make = partial(_threshold, place, asking.space)
            query, plain = edged(make, self, part, asking, asking.alone and len(values) == 1)
            questions.append(share(self.name, f"above {asking.said(value)}", query, part, plain, several))
        return questions


def _threshold(at: float, space: Space, width: float, edge: Edge) -> Threshold:
    return Threshold(at, width, space, edge)
