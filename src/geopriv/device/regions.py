"""Signed distances to polygons of the plane, enclosed at a point that is known between whole numbers.

A sign by counting crossings and a distance to the same edges make a function that is 1-Lipschitz whatever the edges
are: the sign changes only where the distance is 0. Floats only rule out edges that cannot be the nearest, each with an
error of its own size, so that one far corner does not make all others uncertain.

What is left is computed without any error, for a point and corners that are moved to a fine grid of whole numbers. A
distance to an edge changes by no more than its ends and the point move, so that is all that has to be paid. How many
edges are equally near, and in which way, thus costs some multiplications an edge, and one root in all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from math import isqrt
from typing import Any

from geopriv.device.intervals import Interval, exact
from geopriv.device.reading import CORNERS, number, refuse
from geopriv.device.runs import (
    Run,
    crossed_runs,
    near_runs,
    runs_of,
)
from geopriv.device.values import Place, Point

Edge = tuple[Place, Place]
WholeEdge = tuple[int, int, int, int]
Bound = tuple[float, float, int]  # from and to which a number can be, and whose it is

# bits after the point of the grid on which polygons are kept. Cells of a table are no narrower than 2^-40, so that a
# row stays open on it, and a finer grid has to be made, once in 2^60 draws
LEVEL = 160
_MOVED = 2.0**-150  # more than a corner moves on its way to the grid
_ROUND = 2.0**-44  # of the coordinates of an edge and a point: what a distance in floats may be off by
_TINY = 1e-150  # products of numbers below may have lost digits


def read_rings(lists: Any, where: str) -> list[list[Place]]:
    """The rings of a polygon, or of several, each closed."""
    if not isinstance(lists, list) or any(not isinstance(ring, list) for ring in lists):
        raise refuse(where, "a list of lists", type(lists).__name__)
    if sum(map(len, lists)) > CORNERS:
        raise refuse(where, f"made of at most {CORNERS} corners", sum(map(len, lists)))
    rings = [[_corner(corner, where) for corner in ring] for ring in lists]
    if not rings or any(len(ring) < 4 or ring[0] != ring[-1] for ring in rings):
        raise refuse(where, "made of closed rings", f"{len(rings)} ring(s)")
    return rings


def _corner(corner: Any, where: str) -> Place:
    if not isinstance(corner, list) or len(corner) != 2:
        raise refuse(where, "made of pairs of numbers", type(corner).__name__)
    return tuple(number(part, where) for part in corner)


def flat_region(rings: Sequence[Sequence[Place]]) -> FlatRegion:
    """The region of rings; corners that stand twice in a row make no edge.

    Raises:
        InvalidDesign: for one without an edge.
    """
    edges = [(a, b) for ring in rings for a, b in pairwise(ring) if a != b]
    if not edges:
        raise refuse("Region.rings", "a polygon with an area", "a point")
    runs = runs_of(len(edges), edges.__getitem__, edges.__getitem__, lambda k: 0.0)
    return FlatRegion(edges, runs, [_whole(edge, LEVEL) for edge in edges])


@dataclass(frozen=True)
class FlatRegion:
    """A polygon of the plane.

    Args:
        edges: by their ends.
        runs: of edges.
        grid: the edges in whole numbers out of 2^LEVEL.
    """

    edges: list[Edge]
    runs: list[Run]
    grid: list[WholeEdge] = field(repr=False)

    def enclose(self, point: Point) -> Interval:
        """The signed distance, negative inside.

        The point moves by at most half the width of its box and one unit on each axis, every corner by less than one
        unit on each axis: the distance by no more than `off`.
        """
        bits = max(point[0].bits, LEVEL)
        box = [part.to(bits) for part in point]
        place, off = tuple((part.low + part.high) >> 1 for part in box), 4 + sum(part.high - part.low for part in box)
        near = self._on_grid(candidates(self._bounds(point)), bits)
        distance = isqrt(min(_square(place, edge) for edge in near))
        low, high = max(distance - off, 0), distance + 1 + off
        if low <= off:  # on its way to the grid the point may have crossed the border
            return Interval(-high, high, bits).to(point[0].bits)
        # sides are counted on the grid, so a run is ruled out only if no edge of it can cross there
        across, height = (_float(Fraction(part, 1 << bits)) for part in place)
        crossed = crossed_runs(self.runs, across, height, _MOVED)
        edges = self._on_grid([k for run in crossed for k in run.edges], bits)
        inside = sum(_crosses(place, edge) for edge in edges) % 2
        return (Interval(-high, -low, bits) if inside else Interval(low, high, bits)).to(point[0].bits)

    def _bounds(self, point: Point) -> list[Bound]:
        """The edges that may be the nearest, with bounds on their distances."""
        place = tuple(_float(part.middle()) for part in point)
        wide = sum(_float(Fraction(part.high - part.low, 1 << part.bits)) for part in point)
        near = near_runs(self.runs, place, wide)
        return [(*_about(place, self.edges[k], wide), k) for run in near for k in run.edges]

    def _on_grid(self, numbers: Sequence[int], bits: int) -> list[WholeEdge]:
        """Edges in whole numbers out of 2^bits."""
        return [self.grid[k] if bits == LEVEL else _whole(self.edges[k], bits) for k in numbers]


def _whole(edge: Edge, bits: int) -> WholeEdge:
    """An edge in whole numbers out of 2^bits, rounded down."""
    ax, ay, bx, by = (exact(part, bits).low for end in edge for part in end)
    return ax, ay, bx, by


def _square(place: Sequence[int], edge: WholeEdge) -> int:
    """The squared distance to an edge in whole numbers, rounded down."""
    (px, py), (ax, ay, bx, by) = place, edge
    x, y, dx, dy = px - ax, py - ay, bx - ax, by - ay
    along, size = x * dx + y * dy, dx * dx + dy * dy
    if along <= 0:
        return x * x + y * y
    if along >= size:
        return (px - bx) ** 2 + (py - by) ** 2
    return (x * dy - y * dx) ** 2 // size


def _crosses(place: Sequence[int], edge: WholeEdge) -> bool:
    """Whether a ray to the right crosses an edge."""
    (px, py), (ax, ay, bx, by) = place, edge
    up = by > py
    return (ay > py) != up and ((bx - ax) * (py - ay) - (px - ax) * (by - ay) > 0) == up


def candidates(bounds: Sequence[Bound]) -> list[int]:
    """Which of several numbers, each between two bounds, can be the least."""
    limit = min(high for _, high, _ in bounds)
    return [k for low, _, k in bounds if not low > limit]


def _float(exactly: Fraction) -> float:
    try:
        return float(exactly)
    except OverflowError:
        return math.inf if exactly > 0 else -math.inf


def _about(place: Place, edge: Edge, wide: float) -> tuple[float, float]:
    """Bounds on the distance from a place, which may be off by `wide`, to an edge, measured from its nearer end.

    With u = 2^-53, the way from that end is off by u of the place and 2u of itself, the direction by 8u, however far
    the other end is, and so are the lengths along the edge and across it. Taking an end instead of the foot, or the
    other way round, costs no more than the foot is off along the edge: together less than 32u of the place and of the
    way, of which 512u are counted. Where a product vanishes, one of its factors is below 1e-150, and no distance is off
    by more.
    """
    (px, py), ((ax, ay), (bx, by)) = place, edge
    x, y, dx, dy = px - ax, py - ay, bx - ax, by - ay
    away, other = math.hypot(x, y), math.hypot(px - bx, py - by)
    if other < away:
        away, x, y, dx, dy = other, px - bx, py - by, -dx, -dy
    off = _ROUND * (abs(px) + abs(py) + abs(x) + abs(y)) + wide + _TINY
    size = max(abs(dx), abs(dy))
    dx, dy = dx / size, dy / size
    side = math.hypot(dx, dy)
    along = (x * dx + y * dy) / side
    if 0 < along < size * side:
        away = abs(x * dy - y * dx) / side
    clear = math.isfinite(away) and math.isfinite(off) and math.isfinite(along)
    return (away - off, away + off) if clear else (-math.inf, math.inf)
