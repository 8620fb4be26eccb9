"""`kind = "mean"`: the mean of the values, of each axis, or of a weighted sum of them."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from geopriv.queries.covariance import Covariance
from geopriv.queries.questions import Question
from geopriv.queries.value_questions import Mean
from geopriv.surveys.asking import Asking, title_of
from geopriv.surveys.part import Part
from geopriv.surveys.tables import Table, Text, name_key


class MeanQuery(Table):
    """The mean of the people's values within the public range."""

    spaces: ClassVar[tuple[str, ...]] = ("line", "log", "plane", "euclidean")

    kind: Literal["mean"] = Field(description="'mean': the mean of the values within the public range")
    name: Text | None = name_key()
    axis: Text | int | None = Field(
        None, description="the name of a column, or the number of an axis from 0 on; every axis if left out"
    )
    weights: Annotated[list[float], Field(min_length=1)] | None = Field(
        None, description="a list of one number for each axis, for the mean of a weighted sum"
    )
    covariance: bool = Field(False, description="whether to ask for the covariance of every two axes too")

    def build(self, part: Part, asking: Asking) -> list[Question]:
        """One mean, or one for each axis."""
        if self.covariance and (asking.space.dimension < 2 or self.axis is not None or self.weights is not None):
            raise part.error("must be left out with one axis, or with 'axis' or 'weights'", "covariance")
        if self.weights is not None:
            return [self._weighted(self.weights, part, asking)]
        axes = list(range(asking.space.dimension)) if self.axis is None else [axis_of(self.axis, part, asking)]
        questions: list[Question] = []
        for axis in axes:
            of = words_of(axis, asking)
            name = f"mean {of or 'value'}" if self.name is None else self.name
            if self.name is not None and len(axes) > 1:
                name = f"{self.name}, {of}"
            weights = [float(k == axis) for k in range(asking.space.dimension)]
            questions.append(_mean(title_of(name), weights, of, part, asking))
        return questions + (self._covariances(part, asking) if self.covariance else [])

    def _covariances(self, part: Part, asking: Asking) -> list[Question]:
        low, high = zip(*asking.limits, strict=True)
        questions: list[Question] = []
        for axes in combinations(range(asking.space.dimension), 2):
            first, second = (words_of(axis, asking) for axis in axes)
            made = f"covariance of {first} and {second}"
            name = title_of(made if self.name is None else f"{self.name}, {made}")
            with part.explaining():
                questions.append(Covariance(name, asking.space, axes, (first, second), low, high))
        return questions

    def _weighted(self, weights: list[float], part: Part, asking: Asking) -> Mean:
        axes = asking.space.dimension
        if self.axis is not None:
            raise part.error("must be left out where 'weights' are given", "axis")
        if asking.space.ratios or axes == 1:
            raise part.error("must be left out with one axis, whose value is averaged as it is", "weights")
        if len(weights) != axes or not 0 < math.hypot(*weights) < math.inf:
            rule = f"{axes} numbers, one for each axis and one of them other than 0"
            raise part.wrong("weights", rule, weights)
        return _mean(self.name or "mean score", weights, "score", part, asking)


def _mean(name: str, weights: list[float], of: str, part: Part, asking: Asking) -> Mean:
    low, high = zip(*asking.limits, strict=True)
    with part.explaining():
        return Mean(name, asking.space, tuple(weights), of, low, high)


def axis_of(axis: str | int, part: Part, asking: Asking) -> int:
    """The number of an axis that is given as such, or as the name of a column."""
    known = list(asking.columns)
    if isinstance(axis, int) and 0 <= axis < asking.space.dimension:
        return axis
    if axis in known:
        return known.index(str(axis))
    rule = f"one of the columns {', '.join(known)}" if known else "the number of an axis"
    raise part.wrong("axis", f"{rule}, or a number from 0 to {asking.space.dimension - 1}", axis)


def words_of(axis: int, asking: Asking) -> str:
    """What the values of an axis are called: the column, or the number where there are several axes."""
    if axis < len(asking.columns):
        return title_of(asking.columns[axis].replace("_", " "))
    return f"value of axis {axis}" if asking.space.dimension > 1 else ""
