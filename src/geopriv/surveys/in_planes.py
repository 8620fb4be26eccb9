"""Queries about places and several numbers: corners, scores, discs, polygons and maps."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from geopriv.queries import (
    Ball,
    Blurred,
    Orthant,
    Query,
    Score,
)
from geopriv.queries.questions import DensityMap, Question
from geopriv.spaces import LocalPlane, Plane
from geopriv.spaces.checks import FloatArray
from geopriv.surveys import schema
from geopriv.surveys.asking import (
    EDGE_WIDTH,
    Asking,
    holds,
    share,
)
from geopriv.surveys.fences import fence, read_fences
from geopriv.surveys.part import Part
from geopriv.surveys.spaces import require_degrees

# in units of 1/ε
# of borders: linear edges in the plane are dear for a lattice (docs/theory/lattices.md), and a wider blur saves little
# noise but answers for the surroundings too
_BLUR = 1.0
_BANDWIDTH = 2.0  # of maps


def orthants(table: schema.OrthantQuery, part: Part, asking: Asking) -> list[Question]:
    """The share above a value on every axis, for each point."""
    points = [value for value in table.at if isinstance(value, list)]
    found: list[Question] = []
    for value in points or [[value for value in table.at if not isinstance(value, list)]]:
        at = asking.point(part, "at", value)
        query = _bordered(partial(Orthant, at, space=asking.space), table, part, asking)
        found.append(share(table.name, asking.corner(at), query, part, several=bool(points)))
    return found


def score(table: schema.ScoreQuery, part: Part, asking: Asking) -> list[Question]:
    """The share whose weighted sum is at least a value."""
    axes = asking.space.dimension
    if len(table.weights) != axes or not 0 < math.hypot(*table.weights) < math.inf:
        raise part.wrong("weights", f"{axes} numbers, one for each axis and one of them other than 0", table.weights)
    make = partial(Score, tuple(table.weights), table.at, space=asking.space)
    query = _bordered(make, table, part, asking)
    return [share(table.name, f"score above {table.at:,.10g}", query, part)]


def ball(table: schema.BallQuery, part: Part, asking: Asking) -> list[Question]:
    """The share near a place."""
    center = asking.point(part, "center", table.center)
    radius = asking.length(part, "radius", table.radius, 0.0)
    query = _bordered(partial(Ball, center, radius, space=asking.space), table, part, asking, widest=2 * radius)
    reach = f"{radius:,.10g} {asking.space.distance_unit or ''}".strip()
    return [share(table.name, f"within {reach} of {asking.said(*center)}", query, part)]


def fences(table: schema.GeofenceQuery, part: Part, asking: Asking) -> list[Question]:
    """The share inside each polygon of a file."""
    space = asking.space
    assert isinstance(space, Plane | LocalPlane)  # what geofences are asked on
    polygons = read_fences(asking.folder / table.file, table.file, table.name_property, part)
    found: list[Question] = []
    for title, feature in polygons:
        query = _bordered(partial(fence, title, feature, space=space, part=part), table, part, asking)
        found.append(share(table.name, title, query, part, several=len(polygons) > 1))
    return found


def density(table: schema.DensityMapQuery, part: Part, asking: Asking) -> list[Question]:
    """A density map of all of the space or a part of it."""
    space = asking.space
    columns, rows = table.cells if isinstance(table.cells, list) else (table.cells, table.cells)
    bandwidth = asking.length(part, "bandwidth", table.bandwidth, _BANDWIDTH)
    if isinstance(space, LocalPlane):
        if table.range is not None:
            raise part.error("must be left out on a map, where 'region' says what is drawn", "range")
        low, high = space.rectangle if table.region is None else _rectangle(table.region, space, part.inside("region"))
    else:
        if table.region is not None:
            raise part.error("must be left out on a plane, where 'range' says what is drawn", "region")
        low, high = np.transpose(asking.limits if table.range is None else table.range)
        for corner in (low, high):
            asking.point(part, "range", corner.tolist())
        if not (low < high).all():
            raise part.wrong("range", "[lowest, highest] on both axes, the lower value first", table.range)
    with part.explaining(columns="cells", rows="cells"):
        return [DensityMap(table.name or "density", bandwidth, tuple(low), tuple(high), space, columns, rows)]


def _bordered(
    make: Callable[[float], Query],
    table: schema.OrthantQuery | schema.ScoreQuery | schema.BallQuery | schema.GeofenceQuery,
    part: Part,
    asking: Asking,
    widest: float = math.inf,
) -> Query:
    """A query with a soft border: blurred, unless the table asks for a linear edge alone.

    Args:
        make: the query for a width of its linear edge.
        table: with `width` and `blur`.
        part: where the table is.
        asking: what all queries share.
        widest: a default width is no wider.
    """
    blurs = asking.space.dimension == 2 or isinstance(table, schema.ScoreQuery)
    if table.blur is not None and not blurs:
        raise part.error("must be left out with more than two axes, where 'width' says how borders fade", "blur")
    blurred = blurs and (table.blur is not None or table.width is None)
    blur = asking.length(part, "blur", table.blur, _BLUR)
    default = min(blur * asking.rate if blurred else EDGE_WIDTH, widest * asking.rate)
    width = asking.length(part, "width", table.width, default)
    with part.explaining(query="kind", bandwidth="blur"):
        query = make(width)
        return Blurred(query, blur) if blurred else query


def _rectangle(region: schema.Region, space: LocalPlane, part: Part) -> tuple[FloatArray, FloatArray]:
    """The box on the space's map around a region, which must lie in the space's."""
    require_degrees(region, part)
    west, east = region.west, region.east
    turn = (east - west) % 360
    corners = [[latitude, longitude] for latitude in (region.south, region.north) for longitude in (west, east)]
    if not turn or not all(holds(space, corner) for corner in corners):
        raise part.error("must lie in the region of the space, on all sides")
    sides = np.linspace(0.0, 1.0, 33)
    latitudes = region.south + sides * (region.north - region.south)
    longitudes = (west + sides * turn + 180) % 360 - 180
    border = space.project(np.stack(np.meshgrid(latitudes, longitudes), axis=-1).reshape(-1, 2))
    return np.clip(border.min(axis=0), *space.rectangle), np.clip(border.max(axis=0), *space.rectangle)
