"""The map on which a participant points: a region in degrees, with the outlines that are known of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import cast

import numpy as np
import shapely

from geopriv.pages.coasts import Box, coasts_within
from geopriv.queries.outlines import lines_of
from geopriv.spaces import LocalPlane
from geopriv.spaces.checks import FloatArray
from geopriv.surveys.design import Design

WIDE = 1000  # of the longer side of the picture, in its own units
_FINE = 0.05  # of these units, finer than which lines are not drawn: they are enlarged
_NONE = "No outline is known here: the lines are degrees."


@dataclass(frozen=True)
class Area:
    """About which the survey asks.

    Args:
        name: of the question.
        path: its border.
        x: of its middle.
        y: of its upper end; it goes down.
    """

    name: str
    path: str
    x: float
    y: float


@dataclass(frozen=True)
class Chart:
    """A region, with latitudes up and longitudes to the right, each as long as it is in the middle of the region.

    Args:
        south: in degrees.
        west: in degrees.
        north: in degrees.
        east: in degrees, more than `west`, past 180° if need be.
        outline: path of what is known of the region; may be empty.
        asked: the areas about which the survey asks.
        source: whose the outline is; in words.
    """

    south: float
    west: float
    north: float
    east: float
    outline: str
    asked: tuple[Area, ...]
    source: str


def chart_of(design: Design) -> Chart | None:
    """The map of a design; None where values are no places of a region."""
    if not (design.space.geographic and design.space.flat):
        return None
    space = cast("LocalPlane", design.space)  # the one that is geographic and flat
    east = space.west + (space.east - space.west) % 360
    box = space.south, space.west, space.north, east
    lines, source = _outline(design, box, space)
    asked = [(question.name, query.region) for question in design.questions for query in question.unlike]
    areas = [_area(name, region, box, space) for name, region in asked if region is not None]
    return Chart(*box, _path(_drawn(lines, box)), tuple(area for area in areas if area is not None), source)


def _area(name: str, region: shapely.Geometry, box: Box, space: LocalPlane) -> Area | None:
    """An area of the space, whose name stands above it; None where none of its border is in the picture."""
    border = shapely.transform(lines_of(region), lambda points: space.values(points)[:, ::-1])
    drawn = _drawn(_turned(border, box), box)
    if drawn.is_empty:
        return None
    left, top, right, _ = shapely.bounds(drawn).tolist()
    return Area(name, _path(drawn), round((left + right) / 2, 2), round(top, 2))


def _outline(design: Design, box: Box, space: LocalPlane) -> tuple[shapely.Geometry, str]:
    """The survey's own lines, or else coasts and borders, in degrees; and whose they are."""
    own = [line for question in design.questions for line in getattr(question, "outline", ())]
    if own:
        return _turned(shapely.MultiLineString(own), box), "The outline is the survey's own."
    low, high = space.rectangle
    found = coasts_within(box, float((high - low).max()), round(WIDE / _FINE))
    return (shapely.MultiLineString(), _NONE) if found is None else (found.lines, found.source)


def _turned(lines: shapely.Geometry, box: Box) -> shapely.Geometry:
    """Lines in degrees, each corner by whole turns to within half a turn of the middle of a box."""
    _, west, _, east = box
    start = (west + east) / 2 - 180

    def turned(points: FloatArray) -> FloatArray:
        return np.stack([(points[:, 0] - start) % 360 + start, points[:, 1]], axis=-1)

    return shapely.transform(lines, turned)


def _drawn(lines: shapely.Geometry, box: Box) -> shapely.Geometry:
    """Lines in degrees as lines of the picture."""
    south, west, north, east = box
    narrow = math.cos(math.radians((south + north) / 2))
    unit = WIDE / max((east - west) * narrow, north - south)
    scaled = shapely.transform(
        shapely.clip_by_rect(lines, west, south, east, north),
        lambda points: (points - (west, north)) * np.array((narrow * unit, -unit)),
    )
    return shapely.simplify(scaled, _FINE)


def _path(drawn: shapely.Geometry) -> str:
    parts = [part for part in shapely.get_parts(drawn) if len(part.coords) > 1]
    return "".join("M" + "L".join(f"{x:.2f} {y:.2f}" for x, y in part.coords) for part in parts)
