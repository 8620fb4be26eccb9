"""Signed distances to polygons in ball arithmetic: what the plane and the globe share.

Floats find the few edges that can be the nearest; balls measure them. Away from the border floats also know the side.
Near it winding numbers decide: for each ring, the sum of the angles under which its edges are seen. The angle of an
edge is uncertain only when the point lies on that edge, and then the distance is 0 and its sign does not matter. So
the enclosure narrows to a point everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np
import shapely

from geopriv.spaces.balls import arb, dot, length
from geopriv.spaces.checks import FloatArray

Vector = Sequence[arb]
Corner = tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Rings:
    """The rings of a polygon as corners, the first again at the end; repeated corners make no edge."""

    corners: tuple[tuple[Corner, ...], ...]

    @classmethod
    def of(cls, region: shapely.Geometry) -> Rings:
        """The rings of a region, holes included."""
        rings = [shapely.get_coordinates(ring) for ring in rings_of(region)]
        kept = [ring[np.concatenate([[True], (ring[1:] != ring[:-1]).any(axis=1)])] for ring in rings]
        return cls(tuple(tuple(tuple(corner) for corner in ring.tolist()) for ring in kept))

    @cached_property
    def pairs(self) -> list[tuple[Corner, Corner]]:
        """Both ends of every edge, ring by ring."""
        return [pair for ring in self.corners for pair in pairwise(ring)]

    @cached_property
    def edges(self) -> tuple[FloatArray, FloatArray]:
        """Where edges start and end, each of shape (edges, 2)."""
        return np.asarray([a for a, _ in self.pairs]), np.asarray([b for _, b in self.pairs])


def rings_of(region: shapely.Geometry) -> list[shapely.Geometry]:
    """The borders of every part of a region and of its holes."""
    return [ring for polygon in shapely.get_parts(region) for ring in (polygon.exterior, *polygon.interiors)]


def signed(distance: arb, rings: Sequence[Sequence[Vector]]) -> arb:
    """The distance, negative where the origin is in an odd number of rings; both signs where that is not certain."""
    windings = [_winding(ring) for ring in rings]
    if None in windings:
        return distance.union(-distance)
    inside = sum(1 for winding in windings if winding) % 2 == 1
    return -distance if inside else distance


def _winding(ring: Sequence[Vector]) -> int | None:
    """How often a ring goes around the origin; None where that is not certain."""
    turned = arb(0)
    for (a, b), (c, d) in pairwise(ring):
        sine, cosine = a * d - b * c, a * c + b * d
        if not (sine > 0 or sine < 0 or cosine > 0):  # the edge may pass through the origin
            return None
        turned += arb.atan2(sine, cosine)
    whole = (turned / (2 * arb.pi()) + 0.5).floor().unique_fmpz()
    return None if whole is None else int(whole)


def to_segment(a: Vector, b: Vector) -> arb:
    """The distance of the origin to the segment from a to b."""
    along = [q - p for p, q in zip(a, b, strict=True)]
    share = (-dot(a, along) / dot(along, along)).max(0).min(1)
    return length([p + share * v for p, v in zip(a, along, strict=True)])


def least(distances: Iterable[arb]) -> arb:
    """The smallest of several numbers."""
    best, *others = distances
    for distance in others:
        best = best.min(distance)
    return best


def inside(place: Sequence[float], edges: Iterable[tuple[Sequence[float], Sequence[float]]]) -> bool:
    """Whether a ray to the right crosses the edges an odd number of times, exactly."""
    odd = False
    for a, b in edges:
        up = b[1] > place[1]
        if (a[1] > place[1]) != up:
            odd ^= (_side(place, a, b) > 0) == up
    return odd


def _side(place: Sequence[float], a: Sequence[float], b: Sequence[float]) -> float | Fraction:
    """(b − a) × (p − a), as to its sign: floats where they are certain, fractions elsewhere."""
    (px, py), (ax, ay), (bx, by) = place, a, b
    turned = (bx - ax) * (py - ay) - (px - ax) * (by - ay)
    size = max(map(abs, (px, py, ax, ay, bx, by)))
    # each difference is off by 4u of the size and at most twice it
    if size > 1e-150 and abs(turned) > 2.0**-47 * size * size:
        return turned
    p, q, c, d, e, f = map(Fraction, (px, py, ax, ay, bx, by))
    return (e - c) * (q - d) - (p - c) * (f - d)
