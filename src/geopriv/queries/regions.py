"""Queries about places: corners, scores, discs and polygons."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import shapely

from geopriv.queries.base import Centered, Query
from geopriv.queries.parameters import (
    UNSET,
    direction,
    fill_space,
    linear,
    public_place,
    radial,
    require_flat,
    set_center,
)
from geopriv.shapes.coordinates import (
    Coordinate,
    EarthRegionDistance,
    QuadrantDistance,
    RegionDistance,
)
from geopriv.shapes.profiles import Profile, Ramp
from geopriv.spaces import (
    Earth,
    LocalPlane,
    Plane,
    Space,
)
from geopriv.spaces.checks import (
    FloatArray,
    finite,
    invalid,
    numbers,
    positive,
)
from geopriv.spaces.polygons import read_polygon


@dataclass(frozen=True)
class Orthant(Query):
    """The share of people above a threshold on every axis at once (the paper's two-way threshold, in any dimension).

    The band of width τ has round corners: with R1 = τ/√2 and corner c0 = at + τ/2 + R1, counting falls from 1 to 0 as
    the signed distance to {p ≥ c0} goes from R1 to R1 + τ. One formula replaces the paper's ten regions.

    Args:
        at: one threshold per axis; on a LocalPlane a place (latitude, longitude), and "above" is east and north of it.
        width: of the band.
        space: of as many axes.

    Reference: paper, section 4.2; docs/theory/coordinates.md.
    """

    at: tuple[float, ...]
    width: float
    space: Space = UNSET

    def __post_init__(self) -> None:
        object.__setattr__(self, "at", numbers("Orthant", "at", self.at))
        fill_space(self, len(self.at))
        require_flat(self)
        public_place(self, "at", self.at)
        positive("Orthant", "width", self.width)

    @property
    def _round(self) -> float:
        return self.width / math.sqrt(2.0)

    @cached_property
    def geometry(self) -> Coordinate:
        corner = public_place(self, "at", self.at) + self.width / 2 + self._round
        return QuadrantDistance(tuple(corner.tolist()))

    @cached_property
    def profile(self) -> Profile:
        return Ramp(self.width, center=self._round + self.width / 2, rising=False)


@dataclass(frozen=True)
class Score(Query):
    """The share of people whose weighted sum is at least a value, {x : ⟨weights, x⟩ ≥ at}.

    Args:
        weights: any vector but zero; its length does not matter.
        at: in the units of ⟨weights, x⟩. (On a LocalPlane x is in metres east and north of the middle.)
        width: over which counting fades, as a distance.
        space: of as many axes.
    """

    weights: tuple[float, ...]
    at: float
    width: float
    space: Space = UNSET

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", direction("Score", "weights", self.weights))
        fill_space(self, len(self.weights))
        require_flat(self, len(self.weights))
        finite("Score", "at", self.at)
        positive("Score", "width", self.width)

    @cached_property
    def geometry(self) -> Coordinate:
        return linear(self.weights, -self.at, self.space)

    @cached_property
    def profile(self) -> Profile:
        return Ramp(self.width)


@dataclass(frozen=True)
class Ball(Centered):
    """The share of people within `radius` of a place: 1/2 on the circle, linear over `width` across it.

    Args:
        center: a point; (latitude, longitude) on Earth and on a LocalPlane.
        radius: in the unit of distance.
        width: over which counting fades; at most 2·radius.
        space: where the centre lives.

    >>> Ball(center=(40.7, -74.0), radius=1000, width=200, space=Earth())([(40.7, -74.0), (40.8, -74.0)])
    array([1., 0.])
    """

    center: tuple[float, ...] | float
    radius: float
    width: float
    space: Space = UNSET

    def __post_init__(self) -> None:
        set_center(self)
        positive("Ball", "radius", self.radius)
        if positive("Ball", "width", self.width) > 2 * self.radius:
            raise invalid("Ball", "width", f"at most 2·radius = {2 * self.radius!r}", self.width)

    @cached_property
    def geometry(self) -> Coordinate:
        return radial(self, offset=self.radius)

    @cached_property
    def profile(self) -> Profile:
        return Ramp(self.width, rising=False)


@dataclass(frozen=True)
class Geofence(Query):
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
        if isinstance(self.geometry, EarthRegionDistance):
            if not self.geometry.fits:
                raise invalid("Geofence", "polygon", "within 80° of its middle on Earth", "a larger one")
            if not self.geometry.gnomonic.is_valid:
                reason = shapely.is_valid_reason(self.geometry.gnomonic).split("[")[0]
                raise invalid("Geofence", "polygon", "a simple polygon of great-circle arcs", reason)

    @cached_property
    def geometry(self) -> Coordinate:
        if isinstance(self.space, Earth):
            return EarthRegionDistance(self.space, self.polygon)
        if isinstance(self.space, LocalPlane):
            return RegionDistance(self._on_the_map(self.space))
        return RegionDistance(self.polygon)

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
