"""The table [space]: where values live, and where they are found. Each kind of space is a table that builds itself."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from geopriv.queries.priors import Prior
from geopriv.queries.source import Source
from geopriv.spaces import (
    Euclidean,
    Line,
    LocalPlane,
    LogLine,
    Plane,
    Space,
)
from geopriv.surveys.part import Part
from geopriv.surveys.tables import Columns, Pair, Region, Table, Text


def _columns(words: str) -> Any:
    return Field(None, description=f"{words}; left out if only devices report")


def _person() -> Any:
    return Field(None, description="the column that names people, each of whom reports once")


class LineSpace(Table):
    """One number: differences count on a line, ratios on a log space."""

    kind: Literal["line", "log"] = Field(description="'line' for differences or 'log' for ratios")
    range: Pair = Field(description="the pair [lowest, highest] of public values, to which others are clamped")
    columns: Columns | None = _columns("a list of the one column that holds the value")
    unit: Text | None = Field(None, description="what one unit of the value is called, such as 'USD' or 'km'")
    person: Text | None = _person()

    @property
    def limits(self) -> list[list[float]]:
        """Lowest and highest value on each axis."""
        return [self.range]

    def build(self, part: Part) -> Line | LogLine:
        """The space."""
        low, high = self.range
        if not low < high:
            raise part.wrong("range", "[lowest, highest], the lower value first", self.range)
        if self.kind == "line":
            return Line(self.unit)
        if not low > 0:
            raise part.wrong("range", "above 0 on a log space, such as [1, 1_000_000]", self.range)
        return LogLine(floor=low, unit=self.unit)

    def uniform(self, space: Space) -> Prior:
        """Evenly in the space's own distance."""
        low, high = self.range
        if self.kind == "line":
            return Prior.uniform(low, high)
        return Prior.law(lambda u: np.exp(math.log(low) * (1 - u) + math.log(high) * u))

    def source(self, part: Part) -> Source | None:
        """Where values are found in a table, and their range; None if neither is said."""
        return _source(self.columns, self.person, self.limits, part)


class FlatSpace(Table):
    """Several numbers with the Euclidean distance."""

    kind: Literal["plane", "euclidean"] = Field(description="'plane' for two axes or 'euclidean' for any number")
    range: Annotated[list[Pair], Field(min_length=1)] = Field(
        description="a list of a pair [lowest, highest] for each axis, public; other values are clamped"
    )
    columns: Columns | None = _columns("a list of one column for each axis")
    unit: Text | None = Field(None, description="what one unit of every axis is called, such as 'USD' or 'km'")
    person: Text | None = _person()

    @property
    def limits(self) -> list[list[float]]:
        """Lowest and highest value on each axis."""
        return self.range

    def build(self, part: Part) -> Plane | Euclidean:
        """The space."""
        for pair in self.range:
            if not pair[0] < pair[1]:
                raise part.wrong("range", "[lowest, highest] on each axis, the lower value first", self.range)
        if self.kind == "plane":
            if len(self.range) != 2:
                raise part.wrong("range", "two pairs, [[x0, x1], [y0, y1]], on a plane", self.range)
            return Plane(self.unit)
        return Euclidean(len(self.range), self.unit)

    def uniform(self, space: Space) -> Prior:
        """Evenly over the range."""
        return Prior.uniform(*np.transpose(self.range))

    def source(self, part: Part) -> Source | None:
        """Where values are found in a table, and their range; None if neither is said."""
        return _source(self.columns, self.person, self.limits, part)


class MapSpace(Table):
    """Places on Earth, in metres on the ground."""

    kind: Literal["map"] = Field(description="'map'")
    region: Region = Field(description="a table { south, west, north, east } in degrees, public; others are clamped")
    columns: Columns | None = _columns("the list of the columns of latitude and longitude, in this order")
    person: Text | None = _person()

    @property
    def limits(self) -> list[list[float]]:
        """None: a map clamps to its own region."""
        return []

    def build(self, part: Part) -> LocalPlane:
        """The space."""
        region = part.inside("region")
        self.region.require_degrees(region)
        with region.explaining():
            return LocalPlane(**self.region.model_dump())

    def uniform(self, space: Space) -> Prior:
        """Evenly over the map's rectangle."""
        return Prior.sample(space.values(Prior.uniform(*space.limits).values))

    def source(self, part: Part) -> Source | None:
        """Where values are found in a table, and their range; None if neither is said."""
        if self.columns is not None and len(self.columns) == 2:
            first, second = (name.strip().lower() for name in self.columns)
            if first.startswith(("lon", "lng")) and second.startswith("lat"):
                rule = "the latitude and then the longitude, and these look swapped"
                raise part.wrong("columns", rule, self.columns)
        return _source(self.columns, self.person, self.limits, part, axes=2)


SpaceTable = Annotated[LineSpace | FlatSpace | MapSpace, Field(discriminator="kind")]


def _source(
    columns: list[str] | None, person: str | None, limits: list[list[float]], part: Part, axes: int | None = None
) -> Source | None:
    if columns is None and person is not None:
        raise part.error("needs 'columns' beside it", "person")
    if columns is None and not limits:
        return None
    expected = len(limits) if axes is None else axes
    if columns is not None and len(columns) != expected:
        rule = f"a list of {expected} name{'s' if expected > 1 else ''}, one for each axis"
        raise part.wrong("columns", rule, columns)
    with part.explaining():
        return Source(
            tuple(columns or ()), tuple(low for low, _ in limits), tuple(high for _, high in limits), person or ""
        )
