"""`kind = "ball"`: the share within a distance of a place."""

from __future__ import annotations

from functools import partial
from typing import ClassVar, Literal

from pydantic import Field

from geopriv.queries import Ball
from geopriv.queries.questions import Question
from geopriv.surveys.asking import Asking, share
from geopriv.surveys.kinds.borders import bordered
from geopriv.surveys.part import Part
from geopriv.surveys.tables import LENGTH, Length, Table, Text, blur_key, border_key, name_key, plain_key


class BallQuery(Table):
    """The share of people near a place."""

    spaces: ClassVar[tuple[str, ...]] = ("plane", "map", "euclidean")

    kind: Literal["ball"] = Field(description="'ball': the share of people within a distance of a place")
    center: list[float] = Field(description="a point with a number for each axis, on a map [latitude, longitude]")
    radius: Length = Field(description=f"the distance from the center to the border, {LENGTH}")
    name: Text | None = name_key()
    width: Length | None = border_key()
    blur: Length | None = blur_key()
    plain: bool | None = plain_key()

    def build(self, part: Part, asking: Asking) -> list[Question]:
        """One share."""
        center = asking.point(part, "center", self.center)
        radius = asking.length(part, "radius", self.radius, 0.0)
        make = partial(Ball, center, radius, space=asking.space)
        query = bordered(make, self.width, self.blur, part, asking, widest=2 * radius)
        reach = f"{radius:,.10g} {asking.space.distance_unit or ''}".strip()
        return [share(self.name, f"within {reach} of {asking.said(*center)}", query, part, self.plain)]
