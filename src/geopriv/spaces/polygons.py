"""Polygons from shapely or GeoJSON, checked once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import shapely
import shapely.geometry

from geopriv.spaces.checks import invalid


def read_polygon(source: Any, on_earth: bool) -> shapely.Geometry:
    """A valid Polygon or MultiPolygon without heights.

    Args:
        source: a shapely geometry, or GeoJSON as a mapping or text (Polygon, MultiPolygon, or a Feature of one).
        on_earth: whether coordinates are (longitude, latitude) in degrees.

    Raises:
        InvalidParameter: naming what is wrong and where.
    """
    with np.errstate(invalid="ignore"):  # NaN among the coordinates is reported below
        geometry = shapely.force_2d(_geometry(source))
    if geometry.geom_type not in ("Polygon", "MultiPolygon") or geometry.is_empty:
        raise invalid("Geofence", "polygon", "a Polygon or MultiPolygon that is not empty", geometry.geom_type)
    corners = shapely.get_coordinates(geometry)
    if not np.isfinite(corners).all():
        raise invalid("Geofence", "polygon", "made of finite coordinates", geometry.geom_type)
    if on_earth and ((np.abs(corners[:, 1]) > 90).any() or (np.abs(corners[:, 0]) > 360).any()):
        raise invalid("Geofence", "polygon", "in degrees (longitude, latitude) on Earth", geometry.geom_type)
    try:
        with np.errstate(all="ignore"):  # coordinates near the largest floats are finite, and their products are not
            if not geometry.is_valid:
                raise invalid("Geofence", "polygon", "a simple polygon", shapely.is_valid_reason(geometry))
            return _without_seam(geometry) if on_earth else geometry
    except shapely.errors.GEOSException:  # corners closer than it can tell apart
        raise invalid("Geofence", "polygon", "a polygon that floats can compute with", geometry.geom_type) from None


def _without_seam(geometry: shapely.Geometry) -> shapely.Geometry:
    """A region that GeoJSON cuts at the antimeridian (RFC 7946, 3.1.9) in one piece again."""
    parts = shapely.get_parts(geometry)
    west, _, east, _ = shapely.bounds(parts).T
    if not ((west == -180).any() and (east == 180).any()):
        return geometry
    turn = np.where((east <= 0)[:, None], [360.0, 0.0], 0.0)
    moved = [shapely.transform(part, lambda xy, by=by: xy + by) for part, by in zip(parts, turn, strict=True)]
    return shapely.union_all(moved)


def _geometry(source: Any) -> shapely.Geometry:
    if isinstance(source, shapely.Geometry):
        return source
    try:
        tree = json.loads(source) if isinstance(source, str | bytes) else source
        if isinstance(tree, Mapping):
            return shapely.geometry.shape(tree["geometry"] if tree.get("type") == "Feature" else tree)
    except (ValueError, TypeError, KeyError, AttributeError, shapely.errors.ShapelyError) as error:
        raise invalid("Geofence", "polygon", f"readable GeoJSON ({error})", type(source).__name__) from None
    raise invalid("Geofence", "polygon", "a shapely geometry or GeoJSON", type(source).__name__)


def on_one_turn(shape: shapely.Geometry) -> shapely.Geometry:
    """A shape in degrees whose longitudes may pass ±180°, cut there, all of it between them (RFC 7946, 3.1.9).

    >>> on_one_turn(shapely.box(179, 0, 182, 1)).bounds, on_one_turn(shapely.box(10, 0, 11, 1)).bounds
    ((-180.0, 0.0, 180.0, 1.0), (10.0, 0.0, 11.0, 1.0))
    """
    west, _, east, _ = shapely.bounds(shape)
    if west >= -180 and east <= 180:
        return shape
    turns = [
        (turn, shapely.intersection(shape, shapely.box(turn - 180, -90, turn + 180, 90))) for turn in (-360, 0, 360)
    ]
    moved = [shapely.transform(part, lambda xy, by=by: xy - [by, 0.0]) for by, part in turns if not part.is_empty]
    return shapely.union_all(moved)
