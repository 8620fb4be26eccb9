"""`kind = "threshold"`: the share at or above a value, or each of several."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from geopriv.queries import Threshold
from geopriv.queries.questions import Question
from geopriv.surveys.asking import EDGE_WIDTH, Asking, share
from geopriv.surveys.kinds.base import ON_LINES
from geopriv.surveys.part import Part
from geopriv.surveys.tables import Edge, Length, Table, Text, edge_key, name_key, plain_key, width_key


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
    plain: bool | None = plain_key()

    def build(self, part: Part, asking: Asking) -> list[Question]:
        """One share for each value."""
        several = isinstance(self.at, list)
        values = self.at if isinstance(self.at, list) else [self.at]
        edge = self.edge or ("linear" if asking.alone and len(values) == 1 else "smooth")
        width = asking.length(part, "width", self.width, EDGE_WIDTH)
        questions: list[Question] = []
        for value in values:
            query = Threshold(asking.value(part, "at", value), width, asking.space, edge)
            questions.append(share(self.name, f"above {asking.said(value)}", query, part, self.plain, several))
        return questions
