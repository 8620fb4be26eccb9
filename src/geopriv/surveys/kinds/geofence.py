"""`kind = "geofence"`: the share inside each polygon of a GeoJSON file, if they lie where the survey asks."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import shapely
from pydantic import Field

from geopriv.errors import InvalidParameter
from geopriv.queries import Geofence
from geopriv.queries.questions import Question
from geopriv.spaces import LocalPlane, Space
from geopriv.spaces.polygons import read_polygon
from geopriv.surveys.asking import Asking, share
from geopriv.surveys.geojson import property_of, read_features
from geopriv.surveys.kinds.borders import bordered
from geopriv.surveys.part import Part, half_a_sentence, shown
from geopriv.surveys.tables import Length, Table, Text, blur_key, border_key, name_key, plain_key


class GeofenceQuery(Table):
    """The share of people inside a polygon, or inside each of several."""

    spaces: ClassVar[tuple[str, ...]] = ("plane", "map")

    kind: Literal["geofence"] = Field(description="'geofence': the share of people inside polygons")
    file: Text = Field(description="the path of a GeoJSON file, relative to the survey")
    name: Text | None = name_key()
    name_property: Text | None = Field(
        None, description="the property of the file's features that names each; 'name' if left out"
    )
    width: Length | None = border_key()
    blur: Length | None = blur_key()
    plain: bool | None = plain_key()

    def build(self, part: Part, asking: Asking) -> list[Question]:
        """One share for each polygon."""
        polygons = _read(asking.folder / self.file, self.file, self.name_property, part)
        questions: list[Question] = []
        for title, feature in polygons:
            make = partial(_fence, title, feature, space=asking.space, part=part)
            query = bordered(make, self.width, self.blur, part, asking)
            questions.append(share(self.name, title, query, part, self.plain, several=len(polygons) > 1))
        return questions


def _read(path: Path, name: str, name_property: str | None, part: Part) -> list[tuple[str, Any]]:
    """Names and GeoJSON objects of the polygons in a file.

    Args:
        path: of the file.
        name: of the file, as the survey writes it.
        name_property: of features, if the survey says which.
        part: the query.
    """
    features, several = read_features(path, name, part)
    found = []
    for number, feature in enumerate(features, 1):
        title = property_of(feature, name_property or "name")
        if title is None and name_property is not None:
            raise part.error(f"must be a property of every feature, and feature {number} has none", "name_property")
        title = title if isinstance(title, str | int | float) and title != "" else None
        found.append((str(title) if title is not None else f"{path.stem} {number}" if several else path.stem, feature))
    return found


def _fence(title: str, feature: Any, width: float, space: Space, part: Part) -> Geofence:
    """The query of one polygon, which must reach into the survey's region."""
    try:
        polygon = read_polygon(feature, on_earth=space.geographic)
    except InvalidParameter as error:
        raise part.error(f"holds {shown(title)}, which {half_a_sentence(error)}", "file") from None
    if not _reaches(polygon, space):
        flipped = shapely.transform(polygon, lambda corners: corners[:, ::-1])
        swapped = "; it would lie there if they were swapped: GeoJSON puts the longitude before the latitude"
        hint = swapped if _reaches(flipped, space) else ""
        raise part.error(f"must hold polygons in the region of the space, unlike {shown(title)}{hint}", "file")
    with part.explaining(polygon="file"):
        return Geofence(polygon, width, space)


def _reaches(polygon: shapely.Geometry, space: Space) -> bool:
    """Whether a polygon in longitude and latitude touches the region of a map, in degrees around its western end."""
    if not isinstance(space, LocalPlane):
        return True
    west, width = space.west, (space.east - space.west) % 360
    region = shapely.box(0.0, space.south, width, space.north)
    start = float(np.floor((shapely.bounds(polygon)[0] - west) / 360) * 360)
    moved = [shapely.transform(polygon, lambda p, by=by: p - [west + start + by, 0.0]) for by in (0.0, 360.0)]
    return any(bool(shapely.intersects(region, part)) for part in moved)
