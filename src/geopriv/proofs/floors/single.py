"""A floor for one query (theory T7)."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from geopriv.proofs.floors.rooms import Box, Rooms, box_within, clamped, rooms
from geopriv.queries import Query
from geopriv.shapes.profiles import Profile
from geopriv.spaces.checks import FloatArray, invalid

_CHUNK = 1 << 21
_PLACES, _WAYS = 4096, 16  # with which a Function is compared: all over its box, and directions from each point
_GRID = 160  # places tried on each side; each side's best is then refined


def lower_bound(query: Query, epsilon: float | str, x: Any) -> FloatArray:
    """A floor on the variance at x of any unbiased ε-GP report of the query.

    Var(x) ≥ sup over x' of (f(x') − f(x))²/(4·sinh²(ε·dist(x, x')/2)): Hammersley–Chapman–Robbins with likelihood
    ratios between e^(−εd) and e^(εd). The supremum is taken over those x' that lie at distance exactly |s(x) − s(x')|
    (for regions only on the way to the border, so their floor is weaker). Whatever is tried gives a valid floor: the
    search can only err on the low side.

    Args:
        query: what is asked; not a LipschitzQuery, of whose steepness nothing is known but a bound.
        epsilon: per unit of distance, as a number or a sentence.
        x: values of the space.

    Reference: theory T7.

    >>> from geopriv import Threshold
    >>> lower_bound(Threshold(at=0.0, width=2.0), 1.0, [0.0, 3.0]).round(4)
    array([0.25 , 0.019])
    """
    points = query.space.read(x)
    flat = points.reshape(-1, *query.space.point_shape)
    if query.space.finite and not query.has_profile:
        found = _floor_at_labels(query, query.space.rate(epsilon), flat)
    elif not query.has_profile:
        found = _floor_at_points(query, query.space.rate(epsilon), flat.reshape(-1, query.space.dimension))
    else:
        require_known_shape("lower_bound", "query", query)
        found = floor_at(query, query.space.rate(epsilon), flat)
    return found.reshape(points.shape[: points.ndim - len(query.space.point_shape)])


def _floor_at_labels(query: Query, rate: float, points: FloatArray) -> FloatArray:
    """The supremum over all labels."""
    others = np.arange(query.space.limits[1][0] + 1)[:, None]
    way = query.space.between(points[:, None], others[None])
    far = np.where(way > 0, 4 * np.sinh(np.minimum(rate * way / 2, 300.0)) ** 2, np.inf)
    return np.asarray(((query.answer(others) - query.answer(points)[:, None]) ** 2 / far).max(axis=1))


def _floor_at_points(query: Query, rate: float, points: FloatArray) -> FloatArray:
    """The supremum over places all over the box, and over some in every direction from each point."""
    (low, high), d = query.corners, query.space.dimension
    axes = [np.linspace(a, b, round(_PLACES ** (1 / d))) for a, b in zip(low, high, strict=True)]
    places = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, d)
    turns = np.random.default_rng(0).standard_normal((_WAYS, d))
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    steps = (np.geomspace(1e-3, 4.0, 24)[:, None, None] / rate * turns).reshape(-1, d)
    answer, other = (query.answer(each.reshape(-1, *query.space.point_shape)) for each in (points, places))
    floor = np.zeros(len(points))
    rows = max(1, _CHUNK // len(places))
    for first in range(0, len(points), rows):
        part = slice(first, first + rows)
        here = points[part]
        beside = (here[:, None] + steps).reshape(-1, *query.space.point_shape)
        near = query.answer(beside).reshape(len(here), -1)
        for values, way in (
            (other[None], np.linalg.norm(here[:, None] - places, axis=2)),
            (near, np.broadcast_to(np.linalg.norm(steps, axis=1), near.shape)),
        ):
            far = np.where(way > 0, 4 * np.sinh(np.minimum(rate * way / 2, 300.0)) ** 2, np.inf)
            floor[part] = np.maximum(floor[part], ((values - answer[part, None]) ** 2 / far).max(axis=1))
    return floor


def require_known_shape(owner: str, parameter: str, query: Query) -> None:
    """Refuse a function of which only a Lipschitz constant is known."""
    if not query.geometry.known:
        raise invalid(owner, parameter, "of known shape, not a LipschitzQuery", query)


class Floor(Protocol):
    """A floor as a function of the query's coordinate, and of how far it can fall and rise from there."""

    def __call__(self, s: FloatArray, rooms: Rooms | None = None) -> FloatArray:
        """At coordinates; where there are rooms, places beyond them are not compared with."""


def floor_along(query: Query, rate: float) -> Floor:
    """The floor as a function of the query's coordinate."""
    step = max(1, _CHUNK // (8 * (_GRID + 3 * len(query.profile.landmarks))))

    def floor(s: FloatArray, rooms: Rooms | None = None) -> FloatArray:
        flat = s.ravel()
        free = (np.full(flat.size, np.inf),) * 2 if rooms is None else rooms
        chunks = [slice(i, i + step) for i in range(0, flat.size, step)]
        parts = [_floor(query, rate, flat[part], (free[0][part], free[1][part])) for part in chunks]
        return np.concatenate([*parts, np.empty(0)]).reshape(s.shape)

    return floor


def floor_at(query: Query, rate: float, points: FloatArray, within: Box | None = None) -> FloatArray:
    """The floor at points of the space, shape (n,), of reports that are unbiased in a box.

    Args:
        query: what is asked.
        rate: ε.
        points: of the space, of shape (n, ...).
        within: the box where values are, as they are clamped; by default the ends of the space.
    """
    box = box_within(query.space, within)
    held = clamped(points, box)
    free = None if box is None else rooms(held, query.geometry.gradient(held), box)
    return floor_along(query, rate)(np.asarray(query.geometry(held)).reshape(len(points)), free)


def _floor(query: Query, rate: float, s: FloatArray, free: Rooms) -> FloatArray:
    profile, marks = query.profile, np.asarray(query.profile.landmarks)
    low_end, high_end = query.geometry.reachable(s)
    best = np.zeros_like(s)
    for side, limit in ((-1.0, np.minimum(s - low_end, free[0])), (1.0, np.minimum(high_end - s, free[1]))):
        # distances from far below 1/ε up to beyond the last landmark, denser near the landmarks themselves
        reach = np.maximum(np.abs(marks[:, None] - s).max(axis=0), 1 / rate) + 1 / rate
        spread = np.geomspace(1e-6, 1.0, _GRID) * reach[:, None]
        exact = np.abs(marks - s[:, None])
        distance = np.sort(np.concatenate([spread, exact, 0.999 * exact, 1.001 * exact], axis=1), axis=1)
        value = _ratio(profile, rate, s[:, None], distance, side, limit[:, None])
        k = np.clip(value.argmax(axis=1), 1, distance.shape[1] - 2)
        rows = np.arange(s.size)
        low, high = distance[rows, k - 1], distance[rows, k + 1]
        best = np.maximum(best, value.max(axis=1))
        for _ in range(40):  # golden section towards the best place between its neighbours
            a, b = high - 0.618 * (high - low), low + 0.618 * (high - low)
            at_a, at_b = (_ratio(profile, rate, s, d, side, limit) for d in (a, b))
            best = np.maximum(best, np.maximum(at_a, at_b))
            low, high = np.where(at_a > at_b, low, a), np.where(at_a > at_b, b, high)
    return best


def _ratio(profile: Profile, rate: float, s: FloatArray, d: FloatArray, side: float, limit: FloatArray) -> FloatArray:
    """(f0(s') − f0(s))²/(4·sinh²(ε·d/2)) at s' = s ± d, zero where no such point is known."""
    here, there = profile(s), profile(s + side * d)
    d = np.abs((s + side * d) - s)  # the distance that was really gone, after rounding
    rise = np.maximum(np.abs(there - here) - 1e-15 * (np.abs(there) + np.abs(here)), 0.0)
    spread = 2 * np.sinh(np.minimum(rate * d / 2, 300.0))
    usable = (d <= limit) & (d > 0) & (rate * d < 600)
    return np.asarray(np.where(usable, (rise / np.where(usable, spread, 1.0)) ** 2, 0.0))
