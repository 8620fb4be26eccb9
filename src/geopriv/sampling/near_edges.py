"""Which edges of a polygon can be the nearest to a point: floats rule out the others.

A distance in floats is wrong by less than the margin, which is what charges.py charges for it. So an edge that is
farther than the nearest by two margins cannot be the nearest, and a point that is farther from the border than the
margin is on the side on which floats see it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from geopriv.checks import FloatArray

PLANE_MARGIN = 2.0**-45  # of the largest coordinate
EARTH_MARGIN = 2.0**-45  # radians


def in_plane(starts: FloatArray, ends: FloatArray, row: Sequence[float], off: float) -> tuple[list[int], float]:
    """Candidates among segments of shape (edges, 2), and the margin; each number of the row may be `off`."""
    place = np.asarray(row)
    with np.errstate(over="ignore", invalid="ignore"):
        along = ends - starts
        share = ((place - starts) * along).sum(axis=1) / (along**2).sum(axis=1)
        away = place - starts - np.clip(share, 0.0, 1.0)[:, None] * along
        distance = np.hypot(away[:, 0], away[:, 1])
        margin = PLANE_MARGIN * float(np.abs(place).max() + np.abs(starts).max()) + 2 * off
    return _candidates(distance, margin), margin


@dataclass(frozen=True, eq=False)
class Arcs:
    """Arcs of great circles: ends, unit normals, directions of leaving and of arriving, each of shape (edges, 3)."""

    starts: FloatArray
    ends: FloatArray
    normals: FloatArray
    leaving: FloatArray
    arriving: FloatArray

    @classmethod
    def between(cls, starts: FloatArray, ends: FloatArray) -> Arcs:
        """The arcs between unit vectors."""
        normal = np.cross(starts, ends - starts)
        length = np.linalg.norm(normal, axis=1, keepdims=True)
        normal = normal / np.where(length > 0, length, 1.0)  # 0 for an arc of length 0, whose ends count alone
        return cls(starts, ends, normal, np.cross(normal, starts), np.cross(ends, normal))


def on_earth(arcs: Arcs, place: FloatArray) -> tuple[list[int], float]:
    """Candidates among arcs for a unit vector, and the margin in radians."""
    corner = np.minimum(_angles(place, arcs.starts), _angles(place, arcs.ends))
    ahead, height = arcs.leaving @ place, np.abs(arcs.normals @ place)
    within = (ahead > 0) & (arcs.arriving @ place > 0)
    foot = np.arctan2(height, np.hypot(arcs.starts @ place, ahead))
    return _candidates(np.where(within, np.minimum(corner, foot), corner), EARTH_MARGIN), EARTH_MARGIN


def _angles(place: FloatArray, others: FloatArray) -> FloatArray:
    apart, together = others - place, others + place
    squares = (np.einsum("ij,ij->i", v, v) for v in (apart, together))
    return np.asarray(2 * np.arctan2(*map(np.sqrt, squares)))


def _candidates(distance: FloatArray, margin: float) -> list[int]:
    # written so that a distance that is not a number stays a candidate
    found: list[int] = np.flatnonzero(~(distance > np.nanmin(distance) + 2 * margin)).tolist()
    return found
