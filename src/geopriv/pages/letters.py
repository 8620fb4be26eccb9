"""Letters of regions on a map: beside what they mark, never on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely

from geopriv.pages.frames import WIDE, Frame
from geopriv.pages.regions import Region
from geopriv.spaces.checks import FloatArray

_ROOM = 40.0  # of the picture's units, that a letter takes from its middle
_GAPS = (1.3, 1.8, 2.6, 4.0)  # of that, from the region to the middle of its letter
_TURNS = 48  # places that are tried at each


@dataclass(frozen=True)
class Fence:
    """A region of another question, drawn on the map.

    Args:
        mark: its letter.
        name: of the question.
        path: of its border.
        leader: from the letter to the border.
        x: of the letter, percent from the left.
        y: percent from the top.
    """

    mark: str
    name: str
    path: str
    leader: str
    x: float
    y: float


def fences(regions: Sequence[Region], frame: Frame) -> tuple[Fence, ...]:
    """Those that are seen in the frame, each with its letter where it hides least."""
    on_picture = [_on_picture(region.shape, frame) for region in regions]
    seen = [shape for shape in on_picture if not shape.is_empty]
    found: list[Fence] = []
    taken: list[FloatArray] = []
    for region, shape in zip(regions, on_picture, strict=True):
        path = frame.path(region.shape.boundary)
        if not path or shape.is_empty:
            continue
        place, end = _beside(shape, seen, taken, frame)
        taken.append(place)
        leader = f"M{place[0]:.1f} {place[1]:.1f}L{end[0]:.1f} {end[1]:.1f}"
        x, y = round(float(place[0]) / WIDE * 100, 1), round(100 * float(place[1]) / frame.tall, 1)
        found.append(Fence(region.mark, region.name, path, leader, x, y))
    return tuple(found)


def _on_picture(shape: shapely.Geometry, frame: Frame) -> shapely.Geometry:
    """A region in units of the picture, as far as it is in the frame."""
    inside = shapely.intersection(shape, shapely.box(*frame.low, *frame.high))
    return shapely.transform(inside, frame)


def _beside(
    shape: shapely.Geometry, all_shapes: list[shapely.Geometry], taken: list[FloatArray], frame: Frame
) -> tuple[FloatArray, FloatArray]:
    """Where a letter stands and where its leader ends: near its region, off every region, letter and side."""
    best, least = None, np.inf
    for gap in _GAPS:
        ring = shapely.buffer(shape, gap * _ROOM).boundary
        for along in np.arange(_TURNS) / _TURNS:
            place = shapely.line_interpolate_point(ring, along, normalized=True)
            cost = gap + _cost(place, shape, all_shapes, taken, frame)
            if cost < least:
                best, least = place, cost
    assert best is not None
    end = shapely.get_point(shapely.shortest_line(best, shape), 1)
    return shapely.get_coordinates(best)[0], shapely.get_coordinates(end)[0]


def _cost(
    place: shapely.Point,
    shape: shapely.Geometry,
    all_shapes: list[shapely.Geometry],
    taken: list[FloatArray],
    frame: Frame,
) -> float:
    """How much a letter there would hide; the upper right is taken first, as on maps of cities."""
    x, y = place.x, place.y
    room = shapely.buffer(place, _ROOM, quad_segs=4)
    out = max(_ROOM - x, x - WIDE + _ROOM, _ROOM - y, y - frame.tall + _ROOM, 0.0) / _ROOM
    hidden = sum(float(shapely.intersection(room, other).area) for other in all_shapes) / float(room.area)
    crowded = sum(float(np.hypot(*(taken_at - (x, y)))) < 2 * _ROOM for taken_at in taken)
    middle = shape.centroid
    aside = float(np.hypot(x - middle.x, y - middle.y)) or 1.0
    direction = ((middle.x - x) + (y - middle.y)) / aside
    return float(20 * (out + hidden + crowded) + 0.1 * direction)
