"""Those inside a polygon."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import shapely

from geopriv.queries.base import Edged
from geopriv.shapes.coordinates import Coordinate, EarthRegion, Region
from geopriv.shapes.profiles import Profile, Ramp
from geopriv.spaces import Earth, LocalPlane, Plane, Space
from geopriv.spaces.checks import invalid, positive
from geopriv.spaces.notes import Positive
from geopriv.spaces.polygons import read_polygon


@dataclass(frozen=True)
class Geofence(Edged):
    """The share of people inside a polygon: 1/2 on its border, linear over `width` across it.

    On Earth the polygon is in GeoJSON order (longitude, latitude), its edges are great-circle arcs, and it must fit
    within 80° of its middle. (Edges that are straight in longitude and latitude, as RFC 7946 means them, bulge away
    from the arc by about L²·tan φ/8R: 2 m for a 10 km edge at mid-latitudes. Add vertices where that matters.)
    On a LocalPlane it is in the same order, and its edges are straight on the map.

    Args:
        polygon: a shapely Polygon or MultiPolygon, with or without holes, or GeoJSON (a dict or text: Polygon,
            MultiPolygon or a Feature of one).
        width: over which counting fades, in the unit of distance.
        space: a Plane, a LocalPlane or the Earth.

    Raises:
        InvalidParameter: for a self-intersecting or empty polygon, with the reason and the place.

    >>> square = {"type": "Polygon", "coordinates": [[[0, 0], [10, 0], [10, 10], [0, 10], [0, 0]]]}
    >>> Geofence(square, width=2)([(5, 5), (10, 5), (10.5, 5), (20, 5)])
    array([1.  , 0.5 , 0.25, 0.  ])
    """

    polygon: shapely.Geometry
    width: Positive
    space: Space = Plane()

    def __post_init__(self) -> None:
        if not isinstance(self.space, Plane | LocalPlane | Earth):
            raise invalid("Geofence", "space", "a Plane, a LocalPlane or the Earth", self.space)
        object.__setattr__(self, "polygon", read_polygon(self.polygon, on_earth=self.space.geographic))
        positive("Geofence", "width", self.width)
        assert self.geometry.space == self.space  # the coordinate checks the polygon, and is kept

    def words(self, name: str) -> str:
        return f"are inside “{name}”"

    @cached_property
    def geometry(self) -> Coordinate:
        return _on_earth(self.space, self.polygon) if isinstance(self.space, Earth) else Region(self.space, self.region)

    @cached_property
    def region(self) -> shapely.Geometry | None:
        if not self.space.flat:
            return None
        region = self.space.on_map(self.polygon)
        if region is None:
            rule = f"within {LocalPlane.REACH:g}° of the middle of {self.space}"
            raise invalid("Geofence", "polygon", rule, "a larger one")
        if not region.is_valid:
            reason = shapely.is_valid_reason(region).split("[")[0]
            raise invalid("Geofence", "polygon", "a simple polygon of straight edges on the map", reason)
        return region

    @property
    def plain_set(self) -> Coordinate:
        return self.geometry

    @cached_property
    def profile(self) -> Profile:
        return Ramp(self.width, rising=False)


def _on_earth(space: Earth, polygon: shapely.Geometry) -> EarthRegion:
    coordinate = EarthRegion(space, polygon)
    if not coordinate.fits:
        raise invalid("Geofence", "polygon", "within 80° of its middle on Earth", "a larger one")
    if not coordinate.gnomonic.is_valid:
        reason = shapely.is_valid_reason(coordinate.gnomonic).split("[")[0]
        raise invalid("Geofence", "polygon", "a simple polygon of great-circle arcs", reason)
    return coordinate
