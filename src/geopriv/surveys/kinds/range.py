"""`kind = "range"`: the share between two values."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from geopriv.queries import Range
from geopriv.queries.questions import Question
from geopriv.surveys.asking import EDGE_WIDTH, Asking, share
from geopriv.surveys.kinds.base import ON_LINES
from geopriv.surveys.part import Part
from geopriv.surveys.tables import Edge, Length, Table, Text, edge_key, name_key, plain_key, width_key


class RangeQuery(Table):
    """The share of people between two values."""

    spaces: ClassVar[tuple[str, ...]] = ON_LINES

    kind: Literal["range"] = Field(description="'range': the share of people between two values")
    low: float = Field(description="the lower end, a number in the unit of the space")
    high: float = Field(description="the upper end, a number in the unit of the space")
    name: Text | None = name_key()
    width: Length | None = width_key("4/ε, or less in a narrow range,")
    edge: Edge | None = edge_key()
    plain: bool | None = plain_key()

    def build(self, part: Part, asking: Asking) -> list[Question]:
        """One share."""
        low, high = asking.value(part, "low", self.low), asking.value(part, "high", self.high)
        if not low < high:
            raise part.wrong("high", f"above low = {low:,.10g}", high)
        edge = self.edge or ("linear" if asking.alone else "smooth")
        widest = float(asking.space.distance(low, high)) * asking.rate
        width = asking.length(part, "width", self.width, min(EDGE_WIDTH, widest))
        with part.explaining():
            query = Range(low, high, width, space=asking.space, edge=edge)
        return [share(self.name, f"between {low:,.10g} and {asking.said(high)}", query, part, self.plain)]
