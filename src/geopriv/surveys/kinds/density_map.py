"""`kind = "density map"`: the Gaussian kernel at each point of a grid."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from geopriv.queries.outlines import Line
from geopriv.queries.questions import DensityMap, Question
from geopriv.spaces import LocalPlane
from geopriv.spaces.checks import FloatArray
from geopriv.surveys.asking import Asking
from geopriv.surveys.outlines import read_outline
from geopriv.surveys.part import Part
from geopriv.surveys.tables import LENGTH, Length, Pair, Region, Table, Text, name_key

_BANDWIDTH = 2.0  # in units of 1/ε


class DensityMapQuery(Table):
    """A density map."""

    spaces: ClassVar[tuple[str, ...]] = ("plane", "map")

    kind: Literal["density map"] = Field(description="'density map': the Gaussian kernel at each point of a grid")
    bandwidth: Length | None = Field(
        None, description=f"the standard deviation of the kernel, {LENGTH}; 2/ε if left out"
    )
    cells: int | Annotated[list[int], Field(min_length=2, max_length=2)] | None = Field(
        None,
        description="the number of grid points on each side, or [columns, rows], at least 2 each and at most 512 × 512 "
        "in all; if left out points are two fifths of the bandwidth apart, 41 to 512 along the longer side",
    )
    region: Region | None = Field(
        None, description="the part of a map that is drawn, { south, west, north, east } in degrees; all if left out"
    )
    range: Annotated[list[Pair], Field(min_length=2, max_length=2)] | None = Field(
        None, description="the part of a plane that is drawn, [[x0, x1], [y0, y1]]; all if left out"
    )
    outline: Text | None = Field(
        None,
        description="the path of a GeoJSON file of lines or polygons that pages draw behind the map, relative to the "
        "survey; on a large map coasts and borders of countries if left out",
    )
    name: Text | None = name_key()

    def build(self, part: Part, asking: Asking) -> list[Question]:
        """One map of all of the space or a part of it."""
        cells = self.cells if isinstance(self.cells, list) else [self.cells] * 2
        bandwidth = asking.length(part, "bandwidth", self.bandwidth, _BANDWIDTH)
        low, high = self._on_map(part, asking) if asking.space.geographic else self._on_plane(part, asking)
        lines: tuple[Line, ...] = ()
        if self.outline is not None:
            lines = read_outline(asking.folder / self.outline, self.outline, asking.space, low, high, part)
        with part.explaining(columns="cells", rows="cells"):
            name = self.name or "density"
            drawn = DensityMap(name, bandwidth, tuple(low), tuple(high), asking.space, *cells)
            return [replace(drawn, outline=lines)]

    def _on_plane(self, part: Part, asking: Asking) -> tuple[FloatArray, FloatArray]:
        """The corners of what is drawn."""
        if self.region is not None:
            raise part.error("must be left out on a plane, where 'range' says what is drawn", "region")
        low, high = np.transpose(asking.limits if self.range is None else self.range)
        for corner in (low, high):
            asking.point(part, "range", corner.tolist())
        if not (low < high).all():
            raise part.wrong("range", "[lowest, highest] on both axes, the lower value first", self.range)
        return low, high

    def _on_map(self, part: Part, asking: Asking) -> tuple[FloatArray, FloatArray]:
        """The corners of the box on the space's map around what is drawn, which must lie in the space's region."""
        if self.range is not None:
            raise part.error("must be left out on a map, where 'region' says what is drawn", "range")
        space, region, inside = asking.space, self.region, part.inside("region")
        assert isinstance(space, LocalPlane)  # what it is asked on
        if region is None:
            return space.rectangle
        region.require_degrees(inside)
        west, east = region.west, region.east
        turn = (east - west) % 360
        corners = [[latitude, longitude] for latitude in (region.south, region.north) for longitude in (west, east)]
        if not turn or not all(map(asking.holds, corners)):
            raise inside.error("must lie in the region of the space, on all sides")
        sides = np.linspace(0.0, 1.0, 33)
        latitudes = region.south + sides * (region.north - region.south)
        longitudes = (west + sides * turn + 180) % 360 - 180
        border = space.project(np.stack(np.meshgrid(latitudes, longitudes), axis=-1).reshape(-1, 2))
        return np.clip(border.min(axis=0), *space.rectangle), np.clip(border.max(axis=0), *space.rectangle)
