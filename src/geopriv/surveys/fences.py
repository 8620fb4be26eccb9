"""Polygons of a GeoJSON file, and whether they lie where the survey asks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import shapely

from geopriv.errors import InvalidParameter
from geopriv.queries import Geofence
from geopriv.spaces import LocalPlane, Plane
from geopriv.spaces.polygons import read_polygon
from geopriv.surveys.part import Part, half_a_sentence, shown


def read_fences(path: Path, name: str, name_property: str | None, part: Part) -> list[tuple[str, Any]]:
    """Names and GeoJSON objects of the polygons in a file.

    Args:
        path: of the file.
        name: of the file, as the survey writes it.
        name_property: of features, if the survey says which.
        part: the query.
    """
    with part.reading("file", "a GeoJSON file", name):
        tree = json.loads(path.read_text(encoding="utf-8-sig"))
    if not isinstance(tree, dict) or not isinstance(tree.get("features", []), list):
        raise part.error(f"must be a GeoJSON file, not {shown(name)}, which holds no GeoJSON object", "file")
    several = tree.get("type") == "FeatureCollection"
    features = tree.get("features", []) if several else [tree]
    if not features:
        raise part.error(f"must be a GeoJSON file of at least one polygon; {shown(name)} is empty", "file")
    found = []
    for number, feature in enumerate(features, 1):
        properties = feature.get("properties") if isinstance(feature, dict) else None
        title = properties.get(name_property or "name") if isinstance(properties, dict) else None
        if title is None and name_property is not None:
            raise part.error(f"must be a property of every feature, and feature {number} has none", "name_property")
        title = title if isinstance(title, str | int | float) and title != "" else None
        found.append((str(title) if title is not None else f"{path.stem} {number}" if several else path.stem, feature))
    return found


def fence(title: str, feature: Any, width: float, space: LocalPlane | Plane, part: Part) -> Geofence:
    """The query of one polygon, which must reach into the survey's region."""
    try:
        polygon = read_polygon(feature, on_earth=isinstance(space, LocalPlane))
    except InvalidParameter as error:
        raise part.error(f"holds {shown(title)}, which {half_a_sentence(error)}", "file") from None
    if isinstance(space, LocalPlane) and not _reaches(polygon, space):
        flipped = shapely.transform(polygon, lambda corners: corners[:, ::-1])
        swapped = "; it would lie there if they were swapped: GeoJSON puts the longitude before the latitude"
        hint = swapped if _reaches(flipped, space) else ""
        raise part.error(f"must hold polygons in the region of the space, unlike {shown(title)}{hint}", "file")
    with part.explaining(polygon="file"):
        return Geofence(polygon, width, space)


def _reaches(polygon: shapely.Geometry, space: LocalPlane) -> bool:
    """Whether a polygon in longitude and latitude touches the region, in degrees around its western end."""
    west, width = space.west, (space.east - space.west) % 360
    region = shapely.box(0.0, space.south, width, space.north)
    start = float(np.floor((shapely.bounds(polygon)[0] - west) / 360) * 360)
    moved = [shapely.transform(polygon, lambda p, by=by: p - [west + start + by, 0.0]) for by in (0.0, 360.0)]
    return any(bool(shapely.intersects(region, part)) for part in moved)
