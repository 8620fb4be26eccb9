"""`kind = "score"`: the share whose weighted sum is at least a value."""

from __future__ import annotations

import math
from functools import partial
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from geopriv.queries import Score
from geopriv.queries.questions import Question
from geopriv.surveys.asking import Asking, share
from geopriv.surveys.kinds.borders import bordered
from geopriv.surveys.part import Part
from geopriv.surveys.tables import Length, Table, Text, blur_key, border_key, name_key, plain_key


class ScoreQuery(Table):
    """The share of people whose weighted sum is at least a value."""

    spaces: ClassVar[tuple[str, ...]] = ("plane", "euclidean")

    kind: Literal["score"] = Field(description="'score': the share of people whose weighted sum is at least a value")
    weights: Annotated[list[float], Field(min_length=1)] = Field(description="a list of one number for each axis")
    at: float = Field(description="the number that the sum of weights times values is compared with")
    name: Text | None = name_key()
    width: Length | None = border_key()
    blur: Length | None = blur_key()
    plain: bool | None = plain_key()

    def build(self, part: Part, asking: Asking) -> list[Question]:
        """One share."""
        axes = asking.space.dimension
        if len(self.weights) != axes or not 0 < math.hypot(*self.weights) < math.inf:
            rule = f"{axes} numbers, one for each axis and one of them other than 0"
            raise part.wrong("weights", rule, self.weights)
        make = partial(Score, tuple(self.weights), self.at, space=asking.space)
        query = bordered(make, self.width, self.blur, part, asking, straight=True)
        return [share(self.name, f"score above {self.at:,.10g}", query, part, self.plain)]
