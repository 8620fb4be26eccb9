"""`kind = "distribution"`: the share at or above each of many values, as one answer."""

from __future__ import annotations

import math
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from geopriv.queries.questions import Distribution, Question
from geopriv.spaces import LogLine
from geopriv.surveys.asking import EDGE_WIDTH, Asking, title_of
from geopriv.surveys.kinds.base import ON_LINES
from geopriv.surveys.part import Part
from geopriv.surveys.tables import LENGTH, MOST, Edge, Length, Table, Text, name_key, plain_key, width_key

_VALUES = 41  # if nothing is said


class DistributionQuery(Table):
    """The share of people at or above each of many values."""

    spaces: ClassVar[tuple[str, ...]] = ON_LINES

    kind: Literal["distribution"] = Field(
        description="'distribution': the share at or above each of many values, as one answer"
    )
    start: float = Field(alias="from", description="the lowest value that is asked about, a number")
    to: float = Field(description="the highest value that is asked about, a number")
    count: int | None = Field(
        None, ge=2, le=MOST, description=f"a whole number of values from 2 to {MOST:,}; 41 if 'step' is left out too"
    )
    step: Length | None = Field(None, description=f"the distance between neighbouring values, {LENGTH}")
    name: Text | None = name_key()
    width: Length | None = width_key("4/ε")
    edge: Edge | None = Field(None, description="'smooth' or 'linear'; smooth if left out")
    plain: bool | None = plain_key()

    def build(self, part: Part, asking: Asking) -> list[Question]:
        """One distribution."""
        low, high = asking.value(part, "from", self.start), asking.value(part, "to", self.to)
        if not low < high:
            raise part.wrong("to", f"above from = {low:,.10g}", high)
        if self.count is not None and self.step is not None:
            raise part.error("must be left out where 'count' is given", "step")
        width = asking.length(part, "width", self.width, EDGE_WIDTH)
        name = self.name or title_of(f"distribution from {low:,.10g} to {asking.said(high)}")
        with part.explaining(at="count"):
            at = self._values(low, high, part, asking)
            return [Distribution(name, at, width, asking.space, self.edge or "smooth", self.plain is not False)]

    def _values(self, low: float, high: float, part: Part, asking: Asking) -> tuple[float, ...]:
        """Values at equal distances: differences on a line, ratios on a log space."""
        space = asking.space
        if self.step is None:
            spread = np.geomspace if asking.kind == "log" else np.linspace
            return tuple(spread(low, high, self.count or _VALUES).tolist())
        step = asking.length(part, "step", self.step, 0.0)
        steps = float(space.distance(low, high)) / step * (1 + 1e-12)
        if not 1 <= steps < MOST:
            raise part.wrong("step", f"such that there are 2 to {MOST:,} values", self.step)
        along = step * np.arange(math.floor(steps) + 1)
        values = low * space.base**along if isinstance(space, LogLine) else low + along
        return tuple(np.minimum(values, high).tolist())
