"""`kind = "function"`: the mean of a formula that lies between 0 and 1."""

from __future__ import annotations

import math
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from geopriv.queries import Formula
from geopriv.queries.questions import Question
from geopriv.surveys.asking import Asking, share
from geopriv.surveys.part import Part
from geopriv.surveys.tables import Table, Text, name_key

_AXES = ("x", "y", "z")
_SHARP = 4.0  # the steepest that a formula may be, in units of ε: from 0 to 1 within a quarter of 1/ε


class FunctionQuery(Table):
    """The share of people, each counted by what a formula says of their value."""

    spaces: ClassVar[tuple[str, ...]] = ("line", "plane", "map", "euclidean")

    kind: Literal["function"] = Field(description="'function': how much people count by a formula, between 0 and 1")
    formula: Text = Field(
        description="in the names of the columns (x, y, z if they are no names; on a map metres east and north of its "
        "middle), with + - * / **, exp, log, sqrt, tanh, sin, cos, abs, hypot, minimum, maximum, clip",
    )
    name: Text | None = name_key()

    def build(self, part: Part, asking: Asking) -> list[Question]:
        """One share, with a soft answer only."""
        space = asking.space
        if space.dimension > len(_AXES):
            raise part.wrong("kind", f"asked on at most {len(_AXES)} axes", self.kind)
        named = len(asking.columns) == space.dimension and all(name.isidentifier() for name in asking.columns)
        axes = asking.columns if named else _AXES[: space.dimension]
        ends = np.array(space.limits if space.geographic else np.transpose(asking.limits))
        if space.geographic:
            axes = ("east", "north")
        if not np.isfinite(ends).all():
            raise part.error("needs a range of the space, beyond which nobody is", "formula")
        low, high = (tuple(end.tolist()) for end in ends)
        with part.explaining(text="formula", function="formula"):
            asked = Formula(self.formula, axes, space, low, high)
        least, most = asked.bounds
        if not asked.is_share:
            said = f"{least:.4g} and {most:.4g}" if math.isfinite(most - least) else "no bounds that can be proven"
            raise part.error(f"must lie between 0 and 1 wherever people can be, not between {said}", "formula")
        if asked.lipschitz > _SHARP * asking.rate:
            near = space.distance_words(1 / asking.rate)
            raise part.error(f"is too steep: it must change by less than {_SHARP:g} within 1/ε = {near}", "formula")
        return [share(self.name, self.formula, asked, part, plain=False)]
