"""Those inside a polygon."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import shapely

from geopriv.queries.base import Edged
from geopriv.shapes.coordinates import Coordinate, EarthRegion, Region
from geopriv.shapes.profiles import Profile, Ramp
from geopriv.spaces import Earth, LocalPlane, Plane, Space
from geopriv.spaces.checks import FloatArray, invalid, positive
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
    width: float
    space: Space = Plane()

    def __post_init__(self) -> None:
        if not isinstance(self.space, Plane | LocalPlane | Earth):
            raise invalid("Geofence", "space", "a Plane, a LocalPlane or the Earth", self.space)
        degrees = not isinstance(self.space, Plane)
        object.__setattr__(self, "polygon", read_polygon(self.polygon, on_earth=degrees))
        positive("Geofence", "width", self.width)
        if isinstance(self.geometry, EarthRegion):
            if not self.geometry.fits:
                raise invalid("Geofence", "polygon", "within 80° of its middle on Earth", "a larger one")
            if not self.geometry.gnomonic.is_valid:
                reason = shapely.is_valid_reason(self.geometry.gnomonic).split("[")[0]
                raise invalid("Geofence", "polygon", "a simple polygon of great-circle arcs", reason)

    def words(self, name: str) -> str:
        return f"are inside “{name}”"

    @cached_property
    def geometry(self) -> Coordinate:
        if isinstance(self.space, Earth):
            return EarthRegion(self.space, self.polygon)
        return Region(self.space, self.region)

    @cached_property
    def region(self) -> shapely.Geometry | None:
        if isinstance(self.space, Earth):
            return None
        return self._on_the_map(self.space) if isinstance(self.space, LocalPlane) else self.polygon

    def _on_the_map(self, space: LocalPlane) -> shapely.Geometry:
        def places(lonlat: FloatArray) -> FloatArray:
            return np.stack([lonlat[:, 1], (lonlat[:, 0] + 180) % 360 - 180], axis=-1)

        if not space.in_front(places(shapely.get_coordinates(self.polygon))):
            raise invalid("Geofence", "polygon", f"within {space.REACH:g}° of the middle of {space}", "a larger one")
        projected = shapely.transform(self.polygon, lambda lonlat: space.project(places(lonlat)))
        if not projected.is_valid:
            reason = shapely.is_valid_reason(projected).split("[")[0]
            raise invalid("Geofence", "polygon", "a simple polygon of straight edges on the map", reason)
        return projected

    @cached_property
    def profile(self) -> Profile:
        return Ramp(self.width, rising=False)
