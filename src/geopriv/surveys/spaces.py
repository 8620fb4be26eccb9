"""The tables [space] and [prior]: where values live, where they are found, and what is known of them."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

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
from geopriv.spaces.checks import FloatArray
from geopriv.surveys import schema
from geopriv.surveys.lengths import RATES, plain_length
from geopriv.surveys.part import Part


def build_space(tables: schema.SurveyTable, whole: Part) -> tuple[Space, float]:
    """The space, and ε per unit of its distance."""
    part, table = whole.inside("space"), tables.space
    if isinstance(table, schema.MapSpace):
        space: Space = _map(table, part)
    else:
        space = _line(table, part) if isinstance(table, schema.LineSpace) else _flat(table, part)
    return space, _rate(tables, whole, space)


def build_source(table: schema.LineSpace | schema.FlatSpace | schema.MapSpace, part: Part) -> Source | None:
    """Where values are found in a table; None if no columns are named."""
    if table.columns is None:
        if table.person is not None:
            raise part.error("needs 'columns' beside it", "person")
        return None
    axes = len(table.range) if isinstance(table, schema.FlatSpace) else 1 + isinstance(table, schema.MapSpace)
    if len(table.columns) != axes:
        raise part.wrong("columns", f"a list of {axes} name{'s' if axes > 1 else ''}, one for each axis", table.columns)
    ends: list[list[float]] = [[], []]
    if isinstance(table, schema.MapSpace):
        first, second = (name.strip().lower() for name in table.columns)
        if first.startswith(("lon", "lng")) and second.startswith("lat"):
            raise part.wrong("columns", "the latitude and then the longitude, and these look swapped", table.columns)
    else:
        ends = np.reshape(table.range, (-1, 2)).T.tolist()
    with part.explaining():
        return Source(tuple(table.columns), tuple(ends[0]), tuple(ends[1]), table.person or "")


def build_prior(tables: schema.SurveyTable, whole: Part, space: Space, folder: Path) -> Prior | None:
    """Public knowledge of where people are, clamped as they are; None if nothing is said."""
    part, table = whole.inside("prior"), tables.prior
    if table is None:
        return None
    if isinstance(table, schema.UniformPrior):
        return _uniform(tables.space, space)
    if not isinstance(tables.space, schema.LineSpace):
        raise part.wrong("kind", f"'uniform' on a {tables.space.kind}", table.kind)
    low, high = tables.space.range
    if not isinstance(table, schema.BracketsPrior):
        return _law(table, low, high)
    with part.explaining(path="file", edges="file"), part.reading("file", "a CSV file of brackets", table.file):
        prior = Prior.brackets(folder / table.file, table.shares, table.end, table.low, table.high)
        return Prior(np.clip(prior.values, low, high), prior.weights)


def _rate(tables: schema.SurveyTable, whole: Part, space: Space) -> float:
    rate = tables.epsilon / plain_length(whole, "per", tables.per, space)
    if not RATES[0] < rate < RATES[1]:
        raise whole.wrong("epsilon", f"such that epsilon over per is between {RATES[0]:g} and {RATES[1]:g}", rate)
    return rate


def _line(table: schema.LineSpace, part: Part) -> Line | LogLine:
    low, high = table.range
    if not low < high:
        raise part.wrong("range", "[lowest, highest], the lower value first", table.range)
    if table.kind == "line":
        return Line(table.unit)
    if not low > 0:
        raise part.wrong("range", "above 0 on a log space, such as [1, 1_000_000]", table.range)
    return LogLine(floor=low, unit=table.unit)


def _flat(table: schema.FlatSpace, part: Part) -> Plane | Euclidean:
    for pair in table.range:
        if not pair[0] < pair[1]:
            raise part.wrong("range", "[lowest, highest] on each axis, the lower value first", table.range)
    if table.kind == "plane":
        if len(table.range) != 2:
            raise part.wrong("range", "two pairs, [[x0, x1], [y0, y1]], on a plane", table.range)
        return Plane(table.unit)
    return Euclidean(len(table.range), table.unit)


def _map(table: schema.MapSpace, part: Part) -> LocalPlane:
    region = part.inside("region")
    require_degrees(table.region, region)
    with region.explaining():
        return LocalPlane(**table.region.model_dump())


def require_degrees(region: schema.Region, part: Part) -> None:
    """Refuse latitudes that only longitudes could be, with a word where the two look swapped."""
    latitudes, longitudes = (region.south, region.north), (region.west, region.east)
    for key in ("south", "north"):
        value = getattr(region, key)
        if abs(value) > 90:
            swapped = max(map(abs, longitudes)) <= 90 and max(map(abs, latitudes)) <= 180
            hint = "; latitudes and longitudes look swapped" if swapped else ""
            raise part.error(f"must be a latitude between -90 and 90, not {value!r}{hint}", key)
    if not region.south < region.north:
        raise part.wrong("north", f"above south = {region.south!r}", region.north)


def _uniform(table: schema.LineSpace | schema.FlatSpace | schema.MapSpace, space: Space) -> Prior:
    """Evenly in the space's own distance."""
    if isinstance(space, LocalPlane):
        return Prior.sample(space.values(Prior.uniform(*space.rectangle).values))
    assert not isinstance(table, schema.MapSpace)  # which has a LocalPlane
    if isinstance(table, schema.FlatSpace):
        return Prior.uniform(*np.transpose(table.range))
    low, high = table.range
    if isinstance(space, LogLine):
        return Prior.law(lambda u: np.exp(math.log(low) * (1 - u) + math.log(high) * u))
    return Prior.uniform(low, high)


def _law(table: schema.LogNormalPrior | schema.NormalPrior, low: float, high: float) -> Prior:
    from scipy import special

    def quantile(u: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):  # what is out of range is clamped
            value: FloatArray = special.ndtri(u)
            if isinstance(table, schema.LogNormalPrior):
                value = table.median * np.exp(table.sigma * value)
            else:
                value = table.mean + table.sd * value
        return np.clip(value, low, high)

    return Prior.law(quantile)
