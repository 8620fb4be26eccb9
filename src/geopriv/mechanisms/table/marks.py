"""Where a sampler of a table is most likely to go wrong: at lattice points, and at the corners of a polygon."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import shapely

from geopriv.mechanisms.kinds import Value
from geopriv.mechanisms.loss.worst import plain
from geopriv.mechanisms.table.rows import Rows
from geopriv.queries import Query
from geopriv.spaces.checks import FloatArray

_CORNERS = 3  # of each polygon
_SEARCH = 400  # points along a ray on each side, between which a coordinate is looked for


def lattice_marks(table: Rows) -> Iterator[tuple[str, Value]]:
    """Places at the ends of the lattice, around its worst cell, and in its middle."""
    _, cell, _ = table.worst_step
    lattice = table.lattice
    targets = {
        "the border of the worst cell": cell + 1,
        "the first lattice point": 0,
        "the last lattice point": lattice.size - 1,
        "the other border of the worst cell": cell,
        "the middle lattice point": lattice.size // 2,
        "a lattice point at a quarter": lattice.size // 4,
        "a lattice point at three quarters": 3 * lattice.size // 4,
    }
    for words, k in targets.items():
        value = _with_coordinate(table.query, float(lattice[k]), lattice)
        if value is not None:
            yield words, value


def corner_marks(query: Query) -> Iterator[tuple[str, Value]]:
    """Some corners of a polygon, as values; none of a query that has no polygon."""
    polygon = getattr(query, "polygon", None)
    if polygon is None:
        return
    corners = shapely.get_coordinates(polygon)
    ordered = corners[:, ::-1] if query.space.geographic else corners
    for k in sorted({k * len(corners) // _CORNERS for k in range(_CORNERS)}):
        yield f"corner {k} of the polygon", plain(ordered[k])


def _with_coordinate(query: Query, target: float, lattice: FloatArray) -> Value | None:
    """A value whose coordinate is the target up to rounding, on a ray through the query's anchor; None if none is."""
    geometry, space = query.geometry, query.space
    start = np.asarray(geometry.anchor, dtype=np.float64)

    odd = 1 / np.sqrt(np.arange(2.0, 2.0 + space.dimension))
    direction = odd / np.linalg.norm(odd) if space.flat else np.asarray(0.7)  # belongs to no axis

    def above(t: FloatArray) -> FloatArray:
        return np.asarray(geometry(space.walk(start, t, direction)) >= target)

    with np.errstate(all="ignore"):
        here = float(geometry(start[None])[0])
        reach = float(np.abs(lattice - here).max())
        steps = np.geomspace(1e-6 * reach, 30 * reach, _SEARCH)
        t = np.concatenate([-steps[::-1], [0.0], steps])
        t = t[np.abs(t) < 3 / np.pi * space.farthest]
        side = above(t)
        crossings = np.flatnonzero(side[1:] != side[:-1])
        if not crossings.size:
            return None
        k = int(crossings[np.abs(t[crossings]).argmin()])
        low, high = float(t[k]), float(t[k + 1])
        for _ in range(80):
            middle = (low + high) / 2
            low, high = (middle, high) if above(np.array([middle]))[0] == side[k] else (low, middle)
        place: Value = plain(space.values(space.walk(start, np.array([high]), direction))[0])
        return place
