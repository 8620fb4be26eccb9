"""Signed distances to polygons of the plane, enclosed at a point that is known between whole numbers.

A sign by counting crossings and a distance to the same edges make a function that is 1-Lipschitz whatever the edges
are: the sign changes only where the distance is 0.

Both are computed without any error, for a point and corners that are moved to a fine grid of whole numbers. A distance
to an edge changes by no more than its ends and the point move, so that is all that has to be paid. Every edge is looked
at, in all ways in which it could be the nearest, by the same steps wherever the point is: how long that takes must not
tell where somebody lives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import isqrt
from typing import Any

from geopriv.device.intervals import Interval, exact
from geopriv.device.reading import CORNERS, number, refuse
from geopriv.device.values import Place, Point

Edge = tuple[Place, Place]
# of an edge in whole numbers: its first end; its direction, the inner and the outer product of both, the square of its
# length; the height of its last end
WholeEdge = tuple[int, int, int, int, int, int, int, int]

# bits after the point of the grid on which polygons are kept. Cells of a table are no narrower than 2^-40, so that a
# row stays open on it, and a finer grid has to be made, once in 2^60 draws
LEVEL = 160
# bits of distances beyond those of a unit with which numbers are filled up before they are divided, so that a division
# takes as long at a point on an edge as elsewhere
FILLED = 32


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
    return FlatRegion(edges, [_whole(edge, LEVEL) for edge in edges])


@dataclass(frozen=True)
class FlatRegion:
    """A polygon of the plane.

    Args:
        edges: by their ends.
        grid: the edges in whole numbers out of 2^LEVEL.
    """

    edges: list[Edge]
    grid: list[WholeEdge] = field(repr=False)

    def enclose(self, point: Point) -> Interval:
        """The signed distance, negative inside.

        The point moves by at most half the width of its box and one unit on each axis, every corner by less than one
        unit on each axis: the distance by no more than `off`.
        """
        bits = max(point[0].bits, LEVEL)
        box = [part.to(bits) for part in point]
        place, off = tuple((part.low + part.high) >> 1 for part in box), 4 + sum(part.high - part.low for part in box)
        square, inside = _look(place, self.grid if bits == LEVEL else [_whole(edge, bits) for edge in self.edges], bits)
        distance = isqrt(square)
        low, high = max(distance - off, 0), distance + 1 + off
        if low <= off:  # on its way to the grid the point may have crossed the border
            return Interval(-high, high, bits).to(point[0].bits)
        return (Interval(-high, -low, bits) if inside else Interval(low, high, bits)).to(point[0].bits)


def _look(place: Sequence[int], edges: Sequence[WholeEdge], bits: int) -> tuple[int, bool]:
    """The squared distance to the nearest edge, rounded down, and whether a ray to the right crosses an odd number.

    With h the outer product of the way from an end and the direction, the line of an edge is at h²/size; the edge
    itself is so if the foot lies on it, and else at one of its ends, which are the first ends of other edges.
    """
    px, py = place
    full = 2 * (bits + FILLED)
    nearest = min([(px - ax) ** 2 + (py - ay) ** 2 for ax, ay, *_ in edges])
    beyond, odd = nearest + (1 << full), False
    foot = beyond
    for _, ay, dx, dy, inner, outer, size, by in edges:
        along, h = px * dx + py * dy - inner, px * dy - py * dx - outer
        foot = min(foot, (beyond, (h * h + (size << full)) // size)[(along > 0) & (along < size)])
        odd ^= ((ay > py) ^ (by > py)) & ((h < 0) ^ (by <= py))
    return min(nearest, foot - (1 << full)), odd


def _whole(edge: Edge, bits: int) -> WholeEdge:
    """An edge in whole numbers out of 2^bits, its ends rounded down; one that is a point there has a size too."""
    ax, ay, bx, by = (exact(part, bits).low for end in edge for part in end)
    dx, dy = bx - ax, by - ay
    return ax, ay, dx, dy, ax * dx + ay * dy, ax * dy - ay * dx, max(dx * dx + dy * dy, 1), by
