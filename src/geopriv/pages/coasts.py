"""Coasts and borders of countries behind a map: Natural Earth's, public domain, at two scales."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from functools import cache, partial
from importlib import resources
from typing import cast

import numpy as np
import shapely

from geopriv.queries.questions import DensityMap
from geopriv.spaces import Earth, LocalPlane
from geopriv.spaces.checks import FloatArray

# The longest side in metres from which on each scale is drawn: on smaller maps its lines are too coarse.
_SCALES = ((3e6, "110m"), (1.5e5, "50m"))
DOTS = 1000  # of a map's longest side, finer than which lines are not drawn
_MARGIN = 0.02  # of degrees, as a share of those of the map
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Coasts:
    """Lines on a map.

    Args:
        lines: as points of a space, or in degrees.
        source: whose they are, for the page.
    """

    lines: shapely.Geometry
    source: str


def coasts(question: DensityMap) -> Coasts | None:
    """The coasts and borders within a map; None where there are none, the map is small, or not one of the Earth."""
    if not question.space.geographic:
        return None
    space = cast("LocalPlane", question.space)  # the one that is geographic and flat
    if abs(space.radius / Earth().radius - 1) > 0.01:
        return None
    longest = float((np.asarray(question.high) - np.asarray(question.low)).max())
    found = coasts_within(_around(question, space), longest)
    points = None if found is None else space.on_map(found.lines)
    return None if found is None or points is None else Coasts(points, found.source)


def coasts_within(box: Box, longest: float, dots: int = DOTS) -> Coasts | None:
    """The coasts and borders in a box of degrees, in degrees (longitude, latitude); longitudes go on past 180°.

    Args:
        box: south, west, north and east of it.
        longest: its longest side in metres; where it is short there are none.
        dots: of that side, finer than which lines are not drawn.
    """
    name = next((name for least, name in _SCALES if longest >= least), None)
    if name is None:
        return None
    scale, lines = _world(name)
    inside = _clipped(lines, box, np.degrees(longest / Earth().radius) / dots)
    if inside.is_empty:
        return None
    return Coasts(inside, f"Coasts and borders: Natural Earth, {scale} (public domain).")


def _around(question: DensityMap, space: LocalPlane) -> Box:
    """A box of degrees around a map."""
    corners = np.stack(np.meshgrid(*(np.linspace(a, b, 33) for a, b in zip(question.low, question.high, strict=True))))
    places = space.values(corners.reshape(2, -1).T)
    middle = space.middle[1]
    turns = (places[:, 1] - middle + 180) % 360 - 180
    south, west = places[:, 0].min(), turns.min() + middle
    north, east = places[:, 0].max(), turns.max() + middle
    up, out = _MARGIN * (north - south), _MARGIN * (east - west)
    return south - up, west - out, north + up, east + out


def _clipped(lines: shapely.Geometry, box: Box, dot: float) -> shapely.Geometry:
    """The lines in a box of degrees, across the antimeridian too."""
    south, west, north, east = box
    found = []
    for turn in (-360.0, 0.0, 360.0):
        part = shapely.clip_by_rect(lines, west - turn, south, east - turn, north)
        found.append(shapely.transform(part, partial(np.add, (turn, 0.0))))
    return shapely.simplify(shapely.union_all(found), dot)


@cache
def _world(name: str) -> tuple[str, shapely.Geometry]:
    """The words of a scale, and its lines in degrees (longitude, latitude)."""
    packed = resources.files("geopriv.pages").joinpath("world", f"{name}.json.gz").read_bytes()
    found = json.loads(gzip.decompress(packed))
    scale, shift = (np.asarray(found["transform"][key]) for key in ("scale", "translate"))
    lines: list[FloatArray] = [np.cumsum(arc, axis=0) * scale + shift for arc in found["arcs"]]
    return found["scale"], shapely.MultiLineString([line for line in lines if len(line) > 1])
