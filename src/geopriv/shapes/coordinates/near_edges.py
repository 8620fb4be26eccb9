"""Which edges of a polygon can be the nearest to a point: floats rule out the others.

Each distance in floats has a bound of its own on its error, in the size of that edge: a corner that is far away or an
edge that is very short makes no other edge uncertain. An edge whose lower bound is above another's upper bound cannot
be the nearest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from geopriv.spaces.checks import FloatArray

PLANE_MARGIN = 2.0**-45  # of the coordinates of a point and an edge
EARTH_MARGIN = 1e-8  # radians: beyond what floats are off by for arcs that are not short
SHORT_ARC = 1e-5  # radians: the normal of a shorter arc is not known well
SIDE_MARGIN = 1e-9  # radians from the border beyond which floats know the side
TINY = 1e-150  # products of numbers below may have lost digits
HUGE = 1e150  # products of numbers above may be infinite: nothing is claimed of them


def in_plane(starts: FloatArray, ends: FloatArray, row: Sequence[float], off: float) -> list[int]:
    """Candidates among segments of shape (edges, 2); each number of the row may be `off`.

    With u = 2^-53 the foot of the perpendicular is off by less than 32u of the coordinates, of which 256u are counted.
    Where a product vanishes one of its factors is below 1e-150, and no distance is off by more. Of an edge with numbers
    so large that a product could be infinite nothing is known: it stays, and rules out no other.
    """
    place = np.asarray(row)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore", under="ignore"):
        along = ends - starts
        share = ((place - starts) * along).sum(axis=1) / (along**2).sum(axis=1)
        away = place - starts - np.clip(share, 0.0, 1.0)[:, None] * along
        distance = np.hypot(away[:, 0], away[:, 1])
        size = np.abs(place).sum() + np.abs(starts).sum(axis=1) + np.abs(ends).sum(axis=1)
        reach = np.where(size < HUGE, PLANE_MARGIN * size + 2 * off + TINY, np.inf)
        distance = np.where(size < HUGE, distance, 0.0)
        return _candidates(distance - reach, distance + reach)


@dataclass(frozen=True, eq=False)
class Arcs:
    """Arcs of great circles: ends, unit normals, directions of leaving and of arriving, each of shape (edges, 3)."""

    starts: FloatArray
    ends: FloatArray
    normals: FloatArray
    leaving: FloatArray
    arriving: FloatArray
    lengths: FloatArray

    @classmethod
    def between(cls, starts: FloatArray, ends: FloatArray) -> Arcs:
        """The arcs between unit vectors."""
        normal = np.cross(starts, ends - starts)
        length = np.linalg.norm(normal, axis=1, keepdims=True)
        normal = normal / np.where(length > 0, length, 1.0)
        lengths = 2 * np.arctan2(np.linalg.norm(ends - starts, axis=1), np.linalg.norm(ends + starts, axis=1))
        return cls(starts, ends, normal, np.cross(normal, starts), np.cross(ends, normal), lengths)


def on_earth(arcs: Arcs, place: FloatArray) -> list[int]:
    """Candidates among arcs for a unit vector.

    An arc is no farther than its nearer end, and nearer by no more than its length, which is all that is used of short
    ones. Of others the normal is turned by less than 1e-10, so feet and the sides of the ends are off by far less than
    the margin.
    """
    corner = np.minimum(_angles(place, arcs.starts), _angles(place, arcs.ends))
    ahead, behind, height = arcs.leaving @ place, arcs.arriving @ place, np.abs(arcs.normals @ place)
    foot = np.arctan2(height, np.hypot(arcs.starts @ place, ahead))
    inner = np.minimum(ahead, behind)  # the foot is on the arc where it is positive
    low = np.where(inner > -EARTH_MARGIN, np.minimum(corner, foot), corner)
    high = np.where(inner > EARTH_MARGIN, foot, corner)
    short = arcs.lengths < SHORT_ARC
    low, high = np.where(short, corner - arcs.lengths, low), np.where(short, corner, high)
    return _candidates(low - EARTH_MARGIN, high + EARTH_MARGIN)


def _angles(place: FloatArray, others: FloatArray) -> FloatArray:
    apart, together = others - place, others + place
    squares = (np.einsum("ij,ij->i", v, v) for v in (apart, together))
    return np.asarray(2 * np.arctan2(*map(np.sqrt, squares)))


def _candidates(low: FloatArray, high: FloatArray) -> list[int]:
    # written so that a bound that is not a number rules nothing out
    limit = np.where(np.isfinite(high), high, np.inf).min()
    found: list[int] = np.flatnonzero(~(low > limit)).tolist()
    return found
