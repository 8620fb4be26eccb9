"""The outline of a map that a survey names: a GeoJSON file, as coarse as a page can show it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import shapely

from geopriv.queries.outlines import MOST, Line, lines_of
from geopriv.spaces import Space
from geopriv.spaces.checks import FloatArray
from geopriv.surveys.part import Part, shown

_DOTS = 2000  # of the longer side, finer than which nothing is drawn
_DIGITS = 7  # significant ones, of corners: less than such a dot, on a city's map too


def read_outline(
    path: Path, name: str, space: Space, low: FloatArray, high: FloatArray, part: Part
) -> tuple[Line, ...]:
    """The lines of a file within what is drawn, in degrees (longitude, latitude) or in the unit of a plane.

    Args:
        path: of the file.
        name: of it, as the survey writes it.
        space: of the map.
        low: the lowest corner of what is drawn, as a point of the space.
        high: the highest.
        part: the table whose key `outline` names the file.
    """
    with part.reading("outline", "a GeoJSON file", name):
        text = path.read_text(encoding="utf-8-sig")
    try:
        lines = lines_of(shapely.from_geojson(text))
    except (shapely.errors.ShapelyError, AttributeError):
        raise part.error(f"must be a GeoJSON file, not {shown(name)}", "outline") from None
    points = None if lines.is_empty else space.on_map(lines)
    if points is None:
        raise part.error(f"must hold polygons or lines near the map, unlike {shown(name)}", "outline")
    inside = shapely.intersection(points, shapely.box(*low, *high))
    dot = float((high - low).max()) / _DOTS
    found = [_corners(line, space) for line in shapely.get_parts(shapely.simplify(inside, dot)) if line.length > dot]
    if not found:
        raise part.error(f"must hold polygons or lines that cross the map, unlike {shown(name)}", "outline")
    if sum(map(len, found)) > MOST:
        raise part.error(f"must hold at most {MOST:,} corners within the map, unlike {shown(name)}", "outline")
    return tuple(found)


def _corners(line: shapely.Geometry, space: Space) -> Line:
    """Of a line of the space."""
    places = space.values(shapely.get_coordinates(line))
    order = places[:, ::-1] if space.geographic else places
    return tuple((float(f"{x:.{_DIGITS}g}"), float(f"{y:.{_DIGITS}g}")) for x, y in np.asarray(order).tolist())
