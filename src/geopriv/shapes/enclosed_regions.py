"""Signed distances to polygons in ball arithmetic, in the plane and on the globe.

Floats find the few edges that can be the nearest; balls measure them. Away from the border floats also know the side.
Near it winding numbers decide: for each ring, the sum of the angles under which its edges are seen. The angle of an
edge is uncertain only when the point lies on that edge, and then the distance is 0 and its sign does not matter. So
the enclosure narrows to a point everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

import numpy as np
import shapely
from flint import arb, ctx

from geopriv.shapes import near_edges
from geopriv.shapes.coordinates import EarthRegionDistance, RegionDistance
from geopriv.spaces import unit_vectors
from geopriv.spaces.checks import FloatArray

Vector = Sequence[arb]
Corner = tuple[float, ...]


def plane_distance(geometry: RegionDistance, x: Vector, place: Sequence[float], off: float) -> arb:
    """Signed distance to a polygon in the plane, negative inside.

    Args:
        geometry: of the polygon.
        x: the point.
        place: the same in floats.
        off: how far each float may be off.
    """
    edges = _edges(geometry)
    near = near_edges.in_plane(*edges, place, off)
    distance = _least(_to_segment(_seen(edges[0][i], x), _seen(edges[1][i], x)) for i in near)
    if distance > 2 * off:  # then the float place, off by less along each axis, is on the same side
        return -distance if _inside(place, _pairs(geometry)) else distance
    return _signed(distance, [[_seen(corner, x) for corner in ring] for ring in _rings(geometry)])


def earth_distance(geometry: EarthRegionDistance, row: Sequence[float]) -> arb:
    """Signed great-circle distance to a polygon of arcs on the globe, negative inside."""
    x, corners = unit_vector(row), _vectors(geometry, ctx.prec)
    place = unit_vectors(np.asarray(row))
    near = near_edges.on_earth(_arcs(geometry), place)
    arcs = [edge for ring in corners for edge in pairwise(ring)]
    angle_to = _least(_to_arc(x, *arcs[i]) for i in near)
    distance = geometry.space.radius * angle_to
    if angle_to > near_edges.SIDE_MARGIN:
        return -distance if _floats_inside(geometry, place) else distance
    # any linear map turns great circles into straight lines of the tangent plane
    frame = [[arb(float(number)) for number in axis] for axis in geometry._frame]
    here = [dot(x, axis) / dot(x, frame[2]) for axis in frame[:2]]
    rings = [
        [[dot(c, axis) / dot(c, frame[2]) - at for axis, at in zip(frame[:2], here, strict=True)] for c in ring]
        for ring in corners
    ]
    return _signed(distance, rings)


def _floats_inside(geometry: EarthRegionDistance, place: FloatArray) -> bool:
    """Whether a unit vector is inside, seen on the tangent plane; what is not well ahead of the middle is outside."""
    first, second, ahead = (geometry._frame @ place).tolist()
    return ahead > 0.1 and bool(shapely.contains_xy(geometry.gnomonic, first / ahead, second / ahead))


def _seen(corner: Sequence[float], x: Vector) -> list[arb]:
    return [arb(float(c)) - p for c, p in zip(corner, x, strict=True)]


@lru_cache(maxsize=64)
def _pairs(geometry: RegionDistance | EarthRegionDistance) -> list[tuple[Corner, Corner]]:
    """Both ends of every edge, ring by ring."""
    return [pair for ring in _rings(geometry) for pair in pairwise(ring)]


@lru_cache(maxsize=64)
def _edges(geometry: RegionDistance | EarthRegionDistance) -> tuple[FloatArray, FloatArray]:
    """Where edges start and end."""
    pairs = _pairs(geometry)
    return np.asarray([a for a, _ in pairs]), np.asarray([b for _, b in pairs])


@lru_cache(maxsize=64)
def _arcs(geometry: EarthRegionDistance) -> near_edges.Arcs:
    starts, ends = _edges(geometry)
    return near_edges.Arcs.between(unit_vectors(starts[:, ::-1]), unit_vectors(ends[:, ::-1]))


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
    height = abs(dot(x, normal))
    # products, since the power of a ball around 0 is not a number
    foot = _turn(height, (dot(x, x) * dot(normal, normal) - height * height).nonnegative_part().sqrt())
    if before > 0 and after > 0:
        return foot
    # either way an arc is no nearer than its ends by more than its length, which may be 0
    return foot.min(ends).max(ends - angle(a, b)).union(ends)


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


def _inside(place: Sequence[float], edges: Iterable[tuple[Corner, Corner]]) -> bool:
    """Whether a ray to the right crosses the edges an odd number of times, exactly."""
    odd = False
    for a, b in edges:
        up = b[1] > place[1]
        if (a[1] > place[1]) != up:
            odd ^= (_side(place, a, b) > 0) == up
    return odd


def _side(place: Sequence[float], a: Corner, b: Corner) -> float | Fraction:
    """(b − a) × (p − a), as to its sign: floats where they are certain, fractions elsewhere."""
    (px, py), (ax, ay), (bx, by) = place, a, b
    turned = (bx - ax) * (py - ay) - (px - ax) * (by - ay)
    size = max(map(abs, (px, py, ax, ay, bx, by)))
    # each difference is off by 4u of the size and at most twice it
    if size > 1e-150 and abs(turned) > 2.0**-47 * size * size:
        return turned
    p, q, c, d, e, f = map(Fraction, (px, py, ax, ay, bx, by))
    return (e - c) * (q - d) - (p - c) * (f - d)
