"""What tables of a survey.toml share: types of values, and keys that several tables have.

A description is a noun phrase: the JSON Schema shows it to editors, and an error says that the value "must be" it.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from geopriv.surveys.part import Part

MOST = 1 << 14  # values of one distribution, as in geopriv.queries.questions
LENGTH = "a number in the unit of the space or words like '500 m' (on a log space 'factor 1.5')"

Length = float | str
Pair = Annotated[list[float], Field(min_length=2, max_length=2)]
Text = Annotated[str, Field(min_length=1, max_length=200)]
Columns = Annotated[list[Text], Field(min_length=1)]
Edge = Literal["linear", "smooth"]


class Table(BaseModel):
    """A table of the file: every key is known, and no value is made into another type."""

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False, frozen=True)


class Region(Table):
    """A part of the globe between two parallels and two meridians."""

    south: float = Field(description="the lowest latitude in degrees, between -90 and 90")
    west: float = Field(description="the western longitude in degrees, between -180 and 360")
    north: float = Field(description="the highest latitude in degrees, between -90 and 90")
    east: float = Field(description="the eastern longitude in degrees, between -180 and 360")

    def require_degrees(self, part: Part) -> None:
        """Refuse latitudes that only longitudes could be, with a word where the two look swapped."""
        latitudes, longitudes = (self.south, self.north), (self.west, self.east)
        for key, value in zip(("south", "north"), latitudes, strict=True):
            if abs(value) > 90:
                swapped = max(map(abs, longitudes)) <= 90 and max(map(abs, latitudes)) <= 180
                hint = "; latitudes and longitudes look swapped" if swapped else ""
                raise part.error(f"must be a latitude between -90 and 90, not {value!r}{hint}", key)
        if not self.south < self.north:
            raise part.wrong("north", f"above south = {self.south!r}", self.north)


def name_key() -> Any:
    """`name`, which every query may have."""
    return Field(None, description="what the answer is called, up to 80 letters, digits, spaces and common signs")


def width_key(default: str) -> Any:
    """`width` of an edge on a line."""
    return Field(None, description=f"the distance over which counting fades, {LENGTH}; {default} if left out")


def edge_key() -> Any:
    """`edge` of thresholds and ranges."""
    words = "'linear' or 'smooth'; linear for a survey of one threshold or range, otherwise smooth if left out"
    return Field(None, description=words)


def plain_key() -> Any:
    """`plain`, which every question with a border may have."""
    words = "whether the plain question is answered too, true or false; true if left out"
    return Field(None, description=words)


def line_blur_key() -> Any:
    """`blur` of an edge on a line, where noise walks."""
    words = f"the standard deviation of the Gaussian blur of the edge where noise walks, {LENGTH}; 1.15√rounds/ε"
    return Field(None, description=f"{words} if left out")


def border_key() -> Any:
    """`width` of a border in the plane."""
    words = f"the distance over which counting fades before any blur, {LENGTH}; without 'blur' a linear edge"
    return Field(None, description=words)


def blur_key() -> Any:
    """`blur` of a border in the plane."""
    words = f"the standard deviation of the Gaussian blur of the border, {LENGTH}; 1/ε if 'width' is left out too"
    return Field(None, description=words)
