"""What a design holds of a coordinate: the five kinds that devices know, each with the exact numbers that define s."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from geopriv.spaces.notes import Note

Point = Annotated[list[float], Note(minItems=1)]
Corner = Annotated[list[float], Note(minItems=2, maxItems=2)]
Rings = Annotated[list[Annotated[list[Corner], Note(minItems=4)]], Note(minItems=1)]


class LinearDocument(TypedDict):
    """⟨u, x⟩/‖u‖ + shift."""

    type: Literal["Linear"]
    direction: Point
    shift: float


class RadialDocument(TypedDict):
    """The distance to a centre, a point of the space, less an offset."""

    type: Literal["Radial"]
    center: Point
    offset: float


class QuadrantDocument(TypedDict):
    """The signed distance to {p ≥ corner}."""

    type: Literal["Quadrant"]
    corner: Point


class RegionDocument(TypedDict):
    """The signed distance to a polygon of the plane, whose closed rings are points of the space."""

    type: Literal["Region"]
    rings: Rings


class EarthRegionDocument(TypedDict):
    """The signed distance to a polygon of great-circle arcs, whose closed rings are (longitude, latitude)."""

    type: Literal["EarthRegion"]
    rings: Rings


CoordinateDocument = LinearDocument | RadialDocument | QuadrantDocument | RegionDocument | EarthRegionDocument
