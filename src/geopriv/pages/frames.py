"""Where a map lies: its frame, marks along its sides, a scale bar, and outlines drawn on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
import shapely

from geopriv.pages.numbers import Axis, Tick, linear_axis, round_numbers
from geopriv.queries.outlines import lines_of
from geopriv.queries.questions import DensityMap
from geopriv.spaces import LocalPlane, Space
from geopriv.spaces.checks import FloatArray, invalid
from geopriv.spaces.units import METRES
from geopriv.spaces.words import NARROW, degrees, plain

WIDE = 1000  # of the picture, in its own units
_BARS = (("km", METRES["km"]), ("m", METRES["m"])), (("mi", METRES["mi"]), ("ft", METRES["ft"]))


@dataclass(frozen=True)
class Frame:
    """The rectangle of a map on its picture, WIDE units wide; y goes down.

    Args:
        low: the lowest corner, as a point of the space.
        high: the highest corner.
        space: of the map.
    """

    low: FloatArray
    high: FloatArray
    space: Space

    @classmethod
    def of(cls, question: DensityMap) -> Frame:
        """The frame that holds the grid."""
        return cls(np.asarray(question.low), np.asarray(question.high), question.space)

    @property
    def size(self) -> FloatArray:
        """In the unit of distance."""
        return np.asarray(self.high - self.low)

    @property
    def tall(self) -> float:
        """Of the picture."""
        return float(round(WIDE * self.size[1] / self.size[0], 1))

    def __call__(self, points: FloatArray) -> FloatArray:
        """Points of the space on the picture, shape (n, 2)."""
        x, y = ((points - self.low) / self.size).T
        return np.stack([WIDE * x, self.tall * (1 - y)], axis=-1)

    def path(self, lines: shapely.Geometry) -> str:
        """Lines of the space as a path: what is outside of the frame is cut off, what is finer than a dot smoothed."""
        inside = shapely.intersection(lines, shapely.box(*self.low, *self.high))
        if inside.is_empty:
            return ""
        inside = shapely.simplify(inside, float(self.size[0]) / (2 * WIDE))
        parts = [part for part in shapely.get_parts(inside) if part.geom_type in ("LineString", "LinearRing")]
        return "".join(self.segment(shapely.get_coordinates(part)) for part in parts)

    def segment(self, points: FloatArray) -> str:
        """Points of the space as one line of a path."""
        return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in self(points).tolist())

    @property
    def outside(self) -> str:
        """Path of what lies outside the region of the survey on a map; empty where nothing does."""
        if not self.space.geographic:
            return ""
        low, high = cast("LocalPlane", self.space).rectangle  # the one that is geographic and flat
        frame = shapely.box(*self.low, *self.high)
        left = shapely.difference(frame, shapely.box(*low, *high))
        # lines of a width of nothing are differences of rounding
        if left.area < 1e-4 * frame.area:
            return ""
        rings = [ring for part in shapely.get_parts(left) for ring in (part.exterior, *part.interiors)]
        return "".join(f"{self.segment(shapely.get_coordinates(ring))}Z" for ring in rings)

    @property
    def axes(self) -> tuple[Axis, Axis]:
        """Marks along the bottom and along the left side, from the lowest corner on."""
        if not self.space.geographic:
            unit = self.space.distance_unit
            bottom, left = (linear_axis(low, high, unit, 5) for low, high in zip(self.low, self.high, strict=True))
            return bottom, left
        along = np.linspace(0, 1, 513)
        sides = []
        for axis, letters in ((0, "EW"), (1, "NS")):
            points = np.repeat(self.low[None], along.size, axis=0)
            points[:, axis] += along * self.size[axis]
            angles = self.space.values(points)[:, 1 - axis]
            # longitudes may pass 180° on the way
            angles = np.degrees(np.unwrap(np.radians(angles)))
            marks = round_numbers(float(angles[0]), float(angles[-1]), 4)
            decimals = max((len(f"{mark:.6f}".rstrip("0").partition(".")[2]) for mark in marks), default=0)
            sides.append(
                Axis(
                    tuple(
                        Tick(
                            round(100 * float(np.interp(mark, angles, along)), 2),
                            degrees((mark + 180) % 360 - 180, letters, decimals),
                        )
                        for mark in marks
                    ),
                    "",
                )
            )
        return sides[0], sides[1]

    @property
    def scale_bars(self) -> tuple[Tick, ...]:
        """Round lengths in km (or m) and miles (or feet), at most 30 % of the width; none without metres."""
        metres = METRES.get(self.space.distance_unit or "")
        if metres is None:
            return ()
        wide = float(self.size[0]) * metres
        return tuple(_scale_bar(wide, units) for units in _BARS)


def _scale_bar(wide: float, units: tuple[tuple[str, float], ...]) -> Tick:
    """A round length of the first unit of which one is not too long, and how much of the width it takes."""
    unit, size = next(((unit, size) for unit, size in units if size <= 0.3 * wide), units[-1])
    power = 10.0 ** np.floor(np.log10(0.3 * wide / size))
    length = float(power * max(lead for lead in (1, 2, 5) if lead * power * size <= 0.3 * wide))
    return Tick(round(100 * length * size / wide, 2), f"{plain(length)}{NARROW}{unit}")


def on_map(outline: shapely.Geometry, space: Space) -> shapely.Geometry:
    """The lines of an outline as points of the space; on a LocalPlane it is in degrees (longitude, latitude).

    Raises:
        InvalidParameter: for what is no outline, or lies on another side of the globe.
    """
    if not isinstance(outline, shapely.Geometry) or outline.is_empty:
        raise invalid("write_page", "outline", "a shapely geometry that is not empty", type(outline).__name__)
    lines = lines_of(outline)
    if lines.is_empty:
        raise invalid("write_page", "outline", "made of polygons or lines", outline.geom_type)
    corners = shapely.get_coordinates(lines)
    if space.geographic and ((np.abs(corners[:, 1]) > 90).any() or (np.abs(corners[:, 0]) > 360).any()):
        raise invalid("write_page", "outline", "in degrees (longitude, latitude)", outline.geom_type)
    points = space.on_map(lines)
    if points is None:
        rule = f"within {LocalPlane.REACH:g}° of the middle of the map"
        raise invalid("write_page", "outline", rule, outline.geom_type)
    return points
