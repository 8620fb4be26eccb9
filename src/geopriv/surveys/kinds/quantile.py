"""`kind = "quantile"`: the median, or any other quantiles, of the plain distribution."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from geopriv.queries.questions import Question
from geopriv.queries.value_questions import LEVELS, Quantile
from geopriv.surveys.asking import Asking, title_of
from geopriv.surveys.kinds.base import ON_LINES
from geopriv.surveys.part import Part
from geopriv.surveys.tables import LENGTH, Length, Table, Text, name_key

Level = Annotated[float, Field(gt=0, lt=1)]


class QuantileQuery(Table):
    """The values below which given shares of the people are."""

    spaces: ClassVar[tuple[str, ...]] = ON_LINES

    kind: Literal["quantile"] = Field(description="'quantile': the values below which given shares of people are")
    level: Level | None = Field(None, description="a share between 0 and 1; 0.5, the median, if left out")
    levels: Annotated[list[Level], Field(min_length=1, max_length=LEVELS)] | None = Field(
        None, description="a list of increasing shares between 0 and 1, in place of 'level'"
    )
    name: Text | None = name_key()
    reach: Length | None = Field(
        None, description=f"the width of the edges that hold the share above a value, {LENGTH}; chosen if left out"
    )

    def build(self, part: Part, asking: Asking) -> list[Question]:
        """One question, of one or several quantiles."""
        if self.level is not None and self.levels is not None:
            raise part.error("must be left out where 'levels' are given", "level")
        levels = self.levels or [0.5 if self.level is None else self.level]
        of = title_of(asking.columns[0].replace("_", " ")) if asking.columns else ""
        shares = ", ".join(f"{level:.10g}" for level in levels)
        words = f"quantile{'s' if len(levels) > 1 else ''} {shares} of {of or 'values'}"
        name = self.name or title_of(f"median {of or 'value'}" if levels == [0.5] else words)
        reach = 0.0 if self.reach is None else asking.length(part, "reach", self.reach, 0.0)
        low, high = asking.limits[0]
        with part.explaining(levels="level" if self.levels is None else "levels"):
            return [Quantile(name, tuple(levels), asking.space, low, high, reach, of)]
