"""Lines that are drawn behind a map: a coast, a border, a river. They change nothing of what is asked or sent."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import shapely

from geopriv.spaces.checks import invalid
from geopriv.spaces.notes import Spare

MOST = 20_000  # corners of an outline
_WORDS = "Lines behind the map: corners [longitude, latitude], on a plane in its unit; left out for none."
Line = tuple[tuple[float, float], ...]
Outline = Annotated[tuple[Line, ...], Spare(description=_WORDS)]


def outline(owner: str, lines: Sequence[Any]) -> tuple[Line, ...]:
    """Lines as a document holds them.

    Raises:
        InvalidParameter: for what is no list of lines of finite numbers, or too much of it.
    """
    made = tuple(tuple((float(x), float(y)) for x, y in line) for line in lines)
    corners = [corner for line in made for corner in line]
    if any(len(line) < 2 for line in made) or not all(math.isfinite(at) for corner in corners for at in corner):
        raise invalid(owner, "outline", "lines of two or more corners of finite numbers", f"{len(made)} lines")
    if len(corners) > MOST:
        raise invalid(owner, "outline", f"lines of at most {MOST:,} corners in all", len(corners))
    return made


def lines_of(shape: shapely.Geometry) -> shapely.Geometry:
    """The lines of a shape, and the borders of its polygons; empty where it has neither."""
    return shapely.union_all(list(_lines(shapely.get_parts(shapely.force_2d(shape)))))


def _lines(parts: Iterable[shapely.Geometry]) -> Iterable[shapely.Geometry]:
    for part in parts:
        if part.geom_type == "GeometryCollection":
            yield from _lines(shapely.get_parts(part))
        elif part.geom_type in ("Polygon", "MultiPolygon"):
            yield part.boundary
        elif part.geom_type in ("LineString", "LinearRing", "MultiLineString"):
            yield part
