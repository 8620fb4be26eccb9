"""Runs of neighbouring edges with a ball around each, so that most edges of a large polygon are never looked at.

Runs only rule out edges: one that is kept without need costs time, and nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

RUN = 32  # edges
_ROUND = 2.0**-44  # of coordinates: what a distance in floats may be off by
_TINY = 1e-150  # squares of numbers below may have vanished
_LEVEL = 2.0**-50  # of heights: what their comparison in floats may be off by


@dataclass(frozen=True)
class Run:
    """Some edges in a row.

    Args:
        edges: their numbers.
        centre: of a ball that holds them all.
        reach: of the ball, at least.
        size: of its coordinates.
        low: the least height of a corner, and
        high: the greatest;
        right: no corner is farther to the right.
    """

    edges: range
    centre: tuple[float, ...]
    reach: float
    size: float
    low: float
    high: float
    right: float


Corners = Callable[[int], tuple[Sequence[float], Sequence[float]]]


def runs_of(count: int, corners: Corners, seen: Corners, bulge: Callable[[int], float]) -> list[Run]:
    """The runs of so many edges.

    Args:
        count: of edges.
        corners: of an edge, in the coordinates of distances.
        seen: the same on the plane where sides are counted: across and up.
        bulge: how far an edge leaves the ball that holds its corners, at most.
    """
    found = []
    for start in range(0, count, RUN):
        part = range(start, min(start + RUN, count))
        ends = [end for k in part for end in corners(k)]
        middle = tuple(sum(axis) / len(ends) for axis in zip(*ends, strict=True))
        size = max(sum(map(abs, end)) for end in ends)
        reach = max(math.dist(end, middle) for end in ends) + max(map(bulge, part)) + _ROUND * size + _TINY
        flat = [end for k in part for end in seen(k)]
        heights = [end[1] for end in flat]
        found.append(Run(part, middle, reach, size, min(heights), max(heights), max(end[0] for end in flat)))
    return found


def near_runs(runs: Sequence[Run], place: Sequence[float], wide: float) -> list[Run]:
    """The runs that can hold the nearest edge of a place that may be off by `wide`."""
    if len(runs) == 1:
        return list(runs)
    own = sum(map(abs, place))
    bounds = []
    limit = math.inf
    for run in runs:
        away, off = math.dist(place, run.centre), run.reach + wide + _ROUND * (own + run.size) + _TINY
        limit = min(limit, away + off)  # the first where the second is not a number
        bounds.append(away - off if away < math.inf else -math.inf)
    return [run for run, low in zip(runs, bounds, strict=True) if not low > limit]


def crossed_runs(runs: Sequence[Run], across: float, height: float, off: float = 0.0) -> list[Run]:
    """The runs that a ray to the right can cross, where corners on the plane of sides may be `off`."""
    found = []
    for run in runs:
        slack = off + _LEVEL * (abs(height) + max(abs(run.low), abs(run.high)))
        if run.low - height > slack or height - run.high > slack:
            continue
        if not across - run.right > off + _LEVEL * (abs(across) + abs(run.right)):
            found.append(run)
    return found
