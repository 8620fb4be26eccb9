"""Where a design is most likely to break its promise: places found from the design alone, in groups of four.

A sampler goes wrong where something changes: at lattice points and cell borders, at the ends of a table, where values
are clamped, at poles and the antimeridian, at the corners of a polygon. On both sides of each such mark there are two
places a millionth of 1/ε from it, whose reports must be all but alike, and two places 1/ε from it, between which a loss
is large enough to be measured.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, permutations, zip_longest
from typing import Any

import numpy as np
import shapely

from geopriv.mechanisms import Lattice, Table
from geopriv.mechanisms.lattice.cells import FARTHEST
from geopriv.queries import Geofence, Query
from geopriv.reports.audits.laws import Value
from geopriv.spaces import (
    Space,
)
from geopriv.spaces.checks import FloatArray
from geopriv.surveys.design import Design

_MOST = 20  # marks a design; more are not visited
_CLOSE, _WIDE = 5e-7, 1.0  # from the mark, in 1/ε
_CORNERS = 3  # of each polygon
_SEARCH = 400  # points along a ray on each side, between which a coordinate is looked for


@dataclass(frozen=True)
class Mark:
    """A few neighbouring places around something that could go wrong.

    Args:
        words: what it is.
        values: of people there, all different: far and near on one side, near and far on the other.
        distances: between every two of them, in units of the space.
    """

    words: str
    values: tuple[Value, ...]
    distances: FloatArray

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Every ordered pair of places."""
        return list(permutations(range(len(self.values)), 2))


def worst_marks(design: Design, most: int = _MOST) -> list[Mark]:
    """The marks of a design: some of each mechanism, of the space and of the range of values, at most so many."""
    groups: list[Iterator[tuple[str, Any]]] = [iter(design.space.marks), _range_marks(design)]
    for index, mechanism in enumerate(design.mechanisms):
        where = f"of mechanism {index}"
        if isinstance(mechanism, Table):
            groups += [_table_marks(mechanism, where), _corner_marks(mechanism.query, where)]
        elif isinstance(mechanism, Lattice):
            groups.append(_lattice_marks(mechanism, where))
    in_turn = (mark for row in zip_longest(*groups) for mark in row if mark is not None)
    made = (_mark(design, words, value, turn) for turn, (words, value) in enumerate(in_turn))
    distinct = {mark.values: mark for mark in made if mark is not None}
    return list(islice(distinct.values(), most))


def _mark(design: Design, words: str, value: Any, turn: int) -> Mark | None:
    """The places around a value, in a direction that changes from mark to mark; None where there is no number."""
    space, length = design.space, 1 / design.guarantee.epsilon
    with np.errstate(all="ignore"):
        near = max(_CLOSE * length, 4 * float(np.spacing(np.abs(value).max())))
        away = np.array([-_WIDE * length, -near, near, max(_WIDE * length, 2 * near)])
        values = _around(space, np.asarray(value, dtype=np.float64), away, turn)
    if not np.isfinite(values).all():
        return None
    plain = list(dict.fromkeys(_plain(one) for one in values))
    with np.errstate(all="ignore"):
        distances = np.stack([space.ground.distance(plain, one) for one in plain])
    return Mark(words, tuple(plain), distances) if len(plain) > 1 and np.isfinite(distances).all() else None


def _around(space: Space, value: FloatArray, away: FloatArray, turn: int) -> FloatArray:
    """Values at signed distances from one, along a line or a great circle."""
    ground, axes = space.ground, space.dimension
    if space.geographic:
        direction = np.asarray((1 + turn) * 2.4)  # the golden angle, about: no direction comes twice
    else:
        direction = np.ones(axes) / np.sqrt(axes) if turn % 3 else np.eye(axes)[turn % axes]  # diagonals lose the most
    return ground.values(ground.walk(ground.read(value), away, direction))


def _plain(value: FloatArray) -> Value:
    return tuple(value.tolist()) if np.ndim(value) else float(value)


def _table_marks(table: Table, where: str) -> Iterator[tuple[str, Any]]:
    """Places at the ends of the lattice, around its worst cell, and in its middle."""
    _, cell, _ = table.worst_step
    lattice = table.lattice
    targets = {
        f"the border of the worst cell {where}": cell + 1,
        f"the first lattice point {where}": 0,
        f"the last lattice point {where}": lattice.size - 1,
        f"the other border of the worst cell {where}": cell,
        f"the middle lattice point {where}": lattice.size // 2,
        f"a lattice point at a quarter {where}": lattice.size // 4,
        f"a lattice point at three quarters {where}": 3 * lattice.size // 4,
    }
    for words, k in targets.items():
        value = _with_coordinate(table.query, float(lattice[k]), lattice)
        if value is not None:
            yield words, value


def _with_coordinate(query: Query, target: float, lattice: FloatArray) -> Any:
    """A value whose coordinate is the target up to rounding, on a ray through the query's anchor; None if none is."""
    geometry, space = query.geometry, query.space
    start = np.asarray(geometry.anchor, dtype=np.float64)
    with np.errstate(all="ignore"):
        here = float(geometry(start[None])[0])
        reach = float(np.abs(lattice - here).max())
        steps = np.geomspace(1e-6 * reach, 30 * reach, _SEARCH)
        t = np.concatenate([-steps[::-1], [0.0], steps])
        t = t[np.abs(t) < 3 / np.pi * space.farthest]
        above = _coordinates(query, start, t) >= target
        crossings = np.flatnonzero(above[1:] != above[:-1])
        if not crossings.size:
            return None
        k = int(crossings[np.abs(t[crossings]).argmin()])
        low, high = float(t[k]), float(t[k + 1])
        for _ in range(80):
            middle = (low + high) / 2
            same = bool((_coordinates(query, start, np.array([middle])) >= target)[0]) == bool(above[k])
            low, high = (middle, high) if same else (low, middle)
        return _plain(space.values(_walk(space, start, np.array([high])))[0])


def _coordinates(query: Query, start: FloatArray, t: FloatArray) -> FloatArray:
    return np.asarray(query.geometry(_walk(query.space, start, t)))


def _walk(space: Space, start: FloatArray, t: FloatArray) -> FloatArray:
    """Points on a line or great circle through a point, in a direction that belongs to no axis."""
    odd = 1 / np.sqrt(np.arange(2.0, 2.0 + space.dimension))
    return space.walk(start, t, odd / np.linalg.norm(odd) if space.flat else np.asarray(0.7))


def _lattice_marks(lattice: Lattice, where: str) -> Iterator[tuple[str, Any]]:
    """Cells near the origin and far from it, middles of cells, and where positions are clamped."""
    cells = {f"a cell {where}": 1.0, f"the middle of a cell {where}": 0.5}
    if not lattice.space.geographic:
        cells |= {f"a far cell {where}": 2.0**20, f"the end of the grid {where}": FARTHEST}
    for words, k in cells.items():
        point = np.asarray(lattice.origin) + lattice.step * k
        with np.errstate(all="ignore"):
            value = lattice.space.values(point.reshape(lattice.space.point_shape))
        if np.isfinite(value).all():
            yield words, _plain(value)


def _range_marks(design: Design) -> Iterator[tuple[str, Any]]:
    """The ends of the range to which `privatize` clamps."""
    if design.source is not None and design.source.low:
        for words, end in (("the least value", design.source.low), ("the largest value", design.source.high)):
            yield words, _plain(np.reshape(end, design.space.point_shape))


def _corner_marks(query: Query, where: str) -> Iterator[tuple[str, Any]]:
    """Some corners of a polygon, as values."""
    if isinstance(query, Geofence):
        corners = shapely.get_coordinates(query.polygon)
        chosen: Sequence[int] = sorted({k * len(corners) // _CORNERS for k in range(_CORNERS)})
        ordered = corners[:, ::-1] if query.space.geographic else corners
        yield from chain((f"corner {k} of the polygon {where}", _plain(ordered[k])) for k in chosen)
