"""Queries about one number: thresholds, the whole distribution, ranges."""

from __future__ import annotations

import math

import numpy as np

from geopriv.queries import Range, Threshold
from geopriv.queries.questions import Distribution, Question
from geopriv.spaces import LogLine
from geopriv.surveys import schema
from geopriv.surveys.asking import (
    EDGE_WIDTH,
    Asking,
    share,
    title_of,
)
from geopriv.surveys.part import Part

_VALUES = 41  # of a distribution, if nothing is said


def thresholds(table: schema.ThresholdQuery, part: Part, asking: Asking) -> list[Question]:
    """The share at or above each value."""
    values = table.at if isinstance(table.at, list) else [table.at]
    edge = table.edge or ("linear" if asking.alone and len(values) == 1 else "smooth")
    width = asking.length(part, "width", table.width, EDGE_WIDTH)
    found: list[Question] = []
    for value in values:
        query = Threshold(asking.value(part, "at", value), width, asking.space, edge)
        found.append(share(table.name, f"above {asking.said(value)}", query, part, several=isinstance(table.at, list)))
    return found


def curve(table: schema.DistributionQuery, part: Part, asking: Asking) -> list[Question]:
    """The share at or above each of many values, as one answer."""
    low, high = asking.value(part, "from", table.start), asking.value(part, "to", table.to)
    if not low < high:
        raise part.wrong("to", f"above from = {low:,.10g}", high)
    if table.count is not None and table.step is not None:
        raise part.error("must be left out where 'count' is given", "step")
    width = asking.length(part, "width", table.width, EDGE_WIDTH)
    name = table.name or title_of(f"distribution from {low:,.10g} to {asking.said(high)}")
    with part.explaining(at="count"):
        at = _values(table, low, high, part, asking)
        return [Distribution(name, at, width, asking.space, table.edge or "smooth")]


def _values(table: schema.DistributionQuery, low: float, high: float, part: Part, asking: Asking) -> tuple[float, ...]:
    """Values at equal distances: differences on a line, ratios on a log space."""
    space = asking.space
    if table.step is None:
        spread = np.geomspace if isinstance(space, LogLine) else np.linspace
        return tuple(spread(low, high, table.count or _VALUES).tolist())
    step = asking.length(part, "step", table.step, 0.0)
    steps = float(space.distance(low, high)) / step * (1 + 1e-12)
    if not 1 <= steps < schema.MOST:
        raise part.wrong("step", f"such that there are 2 to {schema.MOST:,} values", table.step)
    along = step * np.arange(math.floor(steps) + 1)
    values = low * space.base**along if isinstance(space, LogLine) else low + along
    return tuple(np.minimum(values, high).tolist())


def range_(table: schema.RangeQuery, part: Part, asking: Asking) -> list[Question]:
    """The share between two values."""
    low, high = asking.value(part, "low", table.low), asking.value(part, "high", table.high)
    if not low < high:
        raise part.wrong("high", f"above low = {low:,.10g}", high)
    edge = table.edge or ("linear" if asking.alone else "smooth")
    widest = float(asking.space.distance(low, high)) * asking.rate
    width = asking.length(part, "width", table.width, min(EDGE_WIDTH, widest))
    with part.explaining():
        query = Range(low, high, width, space=asking.space, edge=edge)
    return [share(table.name, f"between {low:,.10g} and {asking.said(high)}", query, part)]
