"""`kind = "orthant"`: the share above a value on every axis at once."""

from __future__ import annotations

from functools import partial
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from geopriv.queries import Orthant
from geopriv.queries.questions import Question
from geopriv.surveys.asking import Asking, share
from geopriv.surveys.kinds.borders import bordered
from geopriv.surveys.part import Part
from geopriv.surveys.tables import Length, Table, Text, blur_key, border_key, name_key, plain_key


class OrthantQuery(Table):
    """The share of people above a value on every axis."""

    spaces: ClassVar[tuple[str, ...]] = ("plane", "map", "euclidean")

    kind: Literal["orthant"] = Field(description="'orthant': the share of people above a value on every axis at once")
    at: list[float] | Annotated[list[list[float]], Field(min_length=1, max_length=1000)] = Field(
        description="a point with a number for each axis, or a list of such points"
    )
    name: Text | None = name_key()
    width: Length | None = border_key()
    blur: Length | None = blur_key()
    plain: bool | None = plain_key()

    def build(self, part: Part, asking: Asking) -> list[Question]:
        """One share for each point."""
        points = [value for value in self.at if isinstance(value, list)]
        questions: list[Question] = []
        for value in points or [[value for value in self.at if not isinstance(value, list)]]:
            at = asking.point(part, "at", value)
            query = bordered(partial(Orthant, at, space=asking.space), self.width, self.blur, part, asking)
            questions.append(share(self.name, asking.corner(at), query, part, self.plain, several=bool(points)))
        return questions
