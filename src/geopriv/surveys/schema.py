"""What may stand in a survey.toml.

A description is a noun phrase: the JSON Schema shows it to editors, and an error says that the value "must be" it.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

MOST = 1 << 14  # queries of one question, as in geopriv.queries.questions

Length = float | str
Pair = Annotated[list[float], Field(min_length=2, max_length=2)]
Text = Annotated[str, Field(min_length=1, max_length=200)]
Columns = Annotated[list[Text], Field(min_length=1)]
Edge = Literal["linear", "smooth"]

_LENGTH = "a number in the unit of the space or words like '500 m' (on a log space 'factor 1.5')"


class Table(BaseModel):
    """A table of the file: every key is known, and no value is made into another type."""

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False, frozen=True)


def _name() -> Any:
    return Field(None, description="what the answer is called, up to 80 letters, digits, spaces and common signs")


def _width(default: str) -> Any:
    return Field(None, description=f"the distance over which counting fades, {_LENGTH}; {default} if left out")


def _border() -> Any:
    words = f"the distance over which counting fades before any blur, {_LENGTH}; without 'blur' a linear edge"
    return Field(None, description=words)


def _blur() -> Any:
    words = f"the standard deviation of the Gaussian blur of the border, {_LENGTH}; 1/ε if 'width' is left out too"
    return Field(None, description=words)


def _edge() -> Any:
    words = "'linear' or 'smooth'; linear for a survey of one threshold or range, otherwise smooth if left out"
    return Field(None, description=words)


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


class FlatSpace(Table):
    """Several numbers with the Euclidean distance."""

    kind: Literal["plane", "euclidean"] = Field(description="'plane' for two axes or 'euclidean' for any number")
    range: Annotated[list[Pair], Field(min_length=1)] = Field(
        description="a list of a pair [lowest, highest] for each axis, public; other values are clamped"
    )
    columns: Columns | None = _columns("a list of one column for each axis")
    unit: Text | None = Field(None, description="what one unit of every axis is called, such as 'USD' or 'km'")
    person: Text | None = _person()


class Region(Table):
    """A part of the globe between two parallels and two meridians."""

    south: float = Field(description="the lowest latitude in degrees, between -90 and 90")
    west: float = Field(description="the western longitude in degrees, between -180 and 360")
    north: float = Field(description="the highest latitude in degrees, between -90 and 90")
    east: float = Field(description="the eastern longitude in degrees, between -180 and 360")


class MapSpace(Table):
    """Places on Earth, in metres on the ground."""

    kind: Literal["map"] = Field(description="'map'")
    region: Region = Field(description="a table { south, west, north, east } in degrees, public; others are clamped")
    columns: Columns | None = _columns("the list of the columns of latitude and longitude, in this order")
    person: Text | None = _person()


class UniformPrior(Table):
    """People are everywhere alike."""

    kind: Literal["uniform"] = Field(description="'uniform': evenly over the range or region")


class BracketsPrior(Table):
    """A published table of brackets."""

    kind: Literal["brackets"] = Field(description="'brackets': a published table")
    file: Text = Field(description="the path of a CSV file with a header, relative to the survey")
    shares: Text = Field(description="the column of counts or shares")
    low: Text = Field("bracket_min", description="the column of the brackets' lower ends")
    high: Text = Field("bracket_max", description="the column of the brackets' upper ends")
    end: float | None = Field(None, description="the number where an open-ended last bracket is taken to end")


class LogNormalPrior(Table):
    """A log-normal law."""

    kind: Literal["lognormal"] = Field(description="'lognormal': a law of positive numbers")
    median: float = Field(gt=0, description="the median of the law, a number above 0")
    sigma: float = Field(gt=0, le=20, description="the standard deviation of the logarithm, above 0, at most 20")


class NormalPrior(Table):
    """A normal law."""

    kind: Literal["normal"] = Field(description="'normal': the bell curve")
    mean: float = Field(description="the mean of the law, a number")
    sd: float = Field(gt=0, description="the standard deviation of the law, a number above 0")


class ThresholdQuery(Table):
    """The share of people at or above a value."""

    kind: Literal["threshold"] = Field(description="'threshold': the share of people at or above a value")
    at: float | Annotated[list[float], Field(min_length=1, max_length=1000)] = Field(
        description="a number in the unit of the space, or a list of numbers"
    )
    name: Text | None = _name()
    width: Length | None = _width("4/ε")
    edge: Edge | None = _edge()


class DistributionQuery(Table):
    """The share of people at or above each of many values."""

    kind: Literal["distribution"] = Field(
        description="'distribution': the share at or above each of many values, as one answer"
    )
    start: float = Field(alias="from", description="the lowest value that is asked about, a number")
    to: float = Field(description="the highest value that is asked about, a number")
    count: int | None = Field(
        None, ge=2, le=MOST, description=f"a whole number of values from 2 to {MOST:,}; 41 if 'step' is left out too"
    )
    step: Length | None = Field(None, description=f"the distance between neighbouring values, {_LENGTH}")
    name: Text | None = _name()
    width: Length | None = _width("4/ε")
    edge: Edge | None = Field(None, description="'smooth' or 'linear'; smooth if left out")


class RangeQuery(Table):
    """The share of people between two values."""

    kind: Literal["range"] = Field(description="'range': the share of people between two values")
    low: float = Field(description="the lower end, a number in the unit of the space")
    high: float = Field(description="the upper end, a number in the unit of the space")
    name: Text | None = _name()
    width: Length | None = _width("4/ε, or less in a narrow range,")
    edge: Edge | None = _edge()


class OrthantQuery(Table):
    """The share of people above a value on every axis."""

    kind: Literal["orthant"] = Field(description="'orthant': the share of people above a value on every axis at once")
    at: list[float] | Annotated[list[list[float]], Field(min_length=1, max_length=1000)] = Field(
        description="a point with a number for each axis, or a list of such points"
    )
    name: Text | None = _name()
    width: Length | None = _border()
    blur: Length | None = _blur()


class ScoreQuery(Table):
    """The share of people whose weighted sum is at least a value."""

    kind: Literal["score"] = Field(description="'score': the share of people whose weighted sum is at least a value")
    weights: Annotated[list[float], Field(min_length=1)] = Field(description="a list of one number for each axis")
    at: float = Field(description="the number that the sum of weights times values is compared with")
    name: Text | None = _name()
    width: Length | None = _border()
    blur: Length | None = _blur()


class BallQuery(Table):
    """The share of people near a place."""

    kind: Literal["ball"] = Field(description="'ball': the share of people within a distance of a place")
    center: list[float] = Field(description="a point with a number for each axis, on a map [latitude, longitude]")
    radius: Length = Field(description=f"the distance from the center to the border, {_LENGTH}")
    name: Text | None = _name()
    width: Length | None = _border()
    blur: Length | None = _blur()


class GeofenceQuery(Table):
    """The share of people inside a polygon, or inside each of several."""

    kind: Literal["geofence"] = Field(description="'geofence': the share of people inside polygons")
    file: Text = Field(description="the path of a GeoJSON file, relative to the survey")
    name: Text | None = _name()
    name_property: Text | None = Field(
        None, description="the property of the file's features that names each; 'name' if left out"
    )
    width: Length | None = _border()
    blur: Length | None = _blur()


class DensityMapQuery(Table):
    """A density map."""

    kind: Literal["density map"] = Field(description="'density map': the Gaussian kernel at each point of a grid")
    bandwidth: Length | None = Field(
        None, description=f"the standard deviation of the kernel, {_LENGTH}; 2/ε if left out"
    )
    cells: int | Annotated[list[int], Field(min_length=2, max_length=2)] = Field(
        61, description="the number of grid points on each side, or [columns, rows], at least 2 each"
    )
    region: Region | None = Field(
        None, description="the part of a map that is drawn, { south, west, north, east } in degrees; all if left out"
    )
    range: Annotated[list[Pair], Field(min_length=2, max_length=2)] | None = Field(
        None, description="the part of a plane that is drawn, [[x0, x1], [y0, y1]]; all if left out"
    )
    name: Text | None = _name()


SpaceTable = Annotated[LineSpace | FlatSpace | MapSpace, Field(discriminator="kind")]
PriorTable = Annotated[UniformPrior | BracketsPrior | LogNormalPrior | NormalPrior, Field(discriminator="kind")]
QueryTable = Annotated[
    ThresholdQuery
    | DistributionQuery
    | RangeQuery
    | OrthantQuery
    | ScoreQuery
    | BallQuery
    | GeofenceQuery
    | DensityMapQuery,
    Field(discriminator="kind"),
]


class SurveyTable(Table):
    """A survey: what is asked, of whom, and with which promise."""

    name: Text = Field(description="the name of the survey, a text; a person answers a survey once")
    epsilon: float = Field(gt=0, description="the privacy loss of a person per distance 'per', a number above 0")
    per: Length = Field(description=f"the distance over which epsilon is lost, {_LENGTH}")
    people: int = Field(
        ge=1, le=10**11, description="the whole number of people expected to report, at least 1, written like 200_000"
    )
    space: SpaceTable = Field(description="the table [space]: where values live")
    prior: PriorTable | None = Field(
        None, description="the table [prior]: public knowledge of where people are, never from the data collected"
    )
    query: Annotated[list[QueryTable], Field(min_length=1, max_length=1000)] = Field(
        description="one or more tables [[query]], each with a kind and what it needs"
    )


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a survey, for editors of TOML and for tests."""
    schema = SurveyTable.model_json_schema(by_alias=True)
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A geopriv survey (survey.toml)"}
    return head | {key: value for key, value in schema.items() if key != "title"}
