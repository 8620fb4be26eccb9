"""Signed distances to polygons in ball arithmetic, in the plane and on the globe.

The inside is decided by winding numbers: for each ring, the sum of the angles under which its edges are seen. The
angle of an edge is uncertain only when the point lies on that edge, and then the distance is 0 and its sign does not
matter. So the enclosure narrows to a point everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
import shapely
from flint import arb, ctx

from geopriv.coordinates import EarthRegionDistance, RegionDistance

Vector = Sequence[arb]
Corner = tuple[float, ...]


def plane_distance(geometry: RegionDistance, row: Sequence[float]) -> arb:
    """Signed distance to a polygon in the plane, negative inside."""
    x = [arb(number) for number in row]
    rings = [[[arb(c) - p for c, p in zip(corner, x, strict=True)] for corner in ring] for ring in _rings(geometry)]
    distance = _least(_to_segment(a, b) for ring in rings for a, b in pairwise(ring))
    return _signed(distance, rings)


def earth_distance(geometry: EarthRegionDistance, row: Sequence[float]) -> arb:
    """Signed great-circle distance to a polygon of arcs on the globe, negative inside."""
    x = unit_vector(row)
    corners = _vectors(geometry, ctx.prec)
    distance = geometry.space.radius * _least(_to_arc(x, a, b) for ring in corners for a, b in pairwise(ring))
    # any linear map turns great circles into straight lines of the tangent plane; the region is within 80° of its
    # middle, so what is not well ahead of the middle is outside
    frame = [[arb(float(number)) for number in axis] for axis in geometry._frame]
    ahead = dot(x, frame[2])
    if ahead < 0.1:
        return distance
    here = [dot(x, axis) / ahead for axis in frame[:2]]
    rings = [
        [[dot(c, axis) / dot(c, frame[2]) - at for axis, at in zip(frame[:2], here, strict=True)] for c in ring]
        for ring in corners
    ]
    return _signed(distance, rings)


@lru_cache(maxsize=64)
def _vectors(geometry: EarthRegionDistance, bits: int) -> list[list[list[arb]]]:
    """The corners of every ring as unit vectors at a precision; with fewer bits than it was asked for, still right."""
    return [[unit_vector(corner[::-1]) for corner in ring] for ring in _rings(geometry)]


def unit_vector(place: Sequence[float]) -> list[arb]:
    """(latitude, longitude) in degrees as a unit vector of R³."""
    (up, out), (sine, cosine) = ((arb(degrees) / 180).sin_cos_pi() for degrees in place)
    return [out * cosine, out * sine, up]


def angle(a: Vector, b: Vector) -> arb:
    """The angle between two unit vectors, by Kahan's formula."""
    apart = _norm([p - q for p, q in zip(a, b, strict=True)])
    together = _norm([p + q for p, q in zip(a, b, strict=True)])
    return 2 * _turn(apart, together)


def dot(a: Vector, b: Vector) -> arb:
    """The inner product."""
    return sum((p * q for p, q in zip(a, b, strict=True)), arb(0))


def _signed(distance: arb, rings: Sequence[Sequence[Vector]]) -> arb:
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


def _to_segment(a: Vector, b: Vector) -> arb:
    """The distance of the origin to the segment from a to b."""
    along = [q - p for p, q in zip(a, b, strict=True)]
    share = (-dot(a, along) / dot(along, along)).max(arb(0)).min(arb(1))
    return _norm([p + share * v for p, v in zip(a, along, strict=True)])


def _to_arc(x: Vector, a: Vector, b: Vector) -> arb:
    """The angle between a unit vector and the arc from a to b."""
    ends = angle(x, a).min(angle(x, b))
    normal = cross(a, b)
    before, after = dot(x, cross(normal, a)), dot(x, cross(b, normal))
    if before < 0 or after < 0:
        return ends
    size = _norm(normal)
    height = abs(dot(x, normal))
    foot = _turn(height, (dot(x, x) * size**2 - height**2).nonnegative_part().sqrt())
    if before > 0 and after > 0:
        return foot
    return foot.min(ends).union(ends)


def cross(a: Vector, b: Vector) -> list[arb]:
    """The vector product."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def _turn(opposite: arb, adjacent: arb) -> arb:
    """arctan(opposite/adjacent) for two lengths that are not both 0, in [0, π/2]."""
    return arb.atan2(opposite, adjacent).max(arb(0)).min(arb.pi() / 2)


def _norm(vector: Vector) -> arb:
    return dot(vector, vector).nonnegative_part().sqrt()


def _least(distances: Iterable[arb]) -> arb:
    found = list(distances)
    best = found[0]
    for distance in found[1:]:
        best = best.min(distance)
    return best


@lru_cache(maxsize=64)
def _rings(geometry: RegionDistance | EarthRegionDistance) -> tuple[tuple[Corner, ...], ...]:
    """The rings of a region as corners, the first again at the end; repeated corners make no edge."""
    polygons = shapely.get_parts(geometry.region)
    rings = [ring for polygon in polygons for ring in (polygon.exterior, *polygon.interiors)]
    corners = [shapely.get_coordinates(ring) for ring in rings]
    kept = [ring[np.concatenate([[True], (np.diff(ring, axis=0) != 0).any(axis=1)])] for ring in corners]
    return tuple(tuple(tuple(corner) for corner in ring.tolist()) for ring in kept)
