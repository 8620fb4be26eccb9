"""A floor for one report that answers many queries (theory T10)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from geopriv.proofs.floors.rooms import Box, Rooms, beside_inside, box_within, clamped, rooms
from geopriv.proofs.floors.single import Floor, floor_along, require_known_shape
from geopriv.queries import Query, common_space
from geopriv.spaces.checks import FloatArray

_POINTS = 2048  # at a time
_NUDGE = 1e-6  # in units of 1/ε
_STEP = 0.01  # of a tabulated floor, in units of 1/ε
_MOST = 20_000  # cells of a tabulated floor
_FEW = 100  # points take as long as one, for one query
_FAR = 20.0  # in units of 1/ε: farther from a query its own floor is taken as zero


def lower_bound_many(queries: Sequence[Query], epsilon: float | str, x: Any, within: Box | None = None) -> FloatArray:
    """A floor on Σ_q Var_q(x) of any ε-GP report from which every query can be estimated without bias.

    The larger of two: (tr √G)²/ε² with G = Σ_q ∇f_q·∇f_qᵀ, because the Fisher information of the report has a trace of
    at most ε² to share among all directions; and the sum of the queries' own floors (theory T7).

    Gradients exist almost everywhere. They are all taken at one point beside x, and the floor there, times e^(−ε·way),
    is a floor at x, so it does not matter which side of a kink that point is on. Own floors of many queries of one
    shape are read from a table that is never above them, and at most 1 % below for queries wider than 0.2/ε.

    Args:
        queries: on one space; no LipschitzQuery, of whose steepness nothing is known but a bound.
        epsilon: per unit of distance, as a number or a sentence; of the one report.
        x: values of the space.
        within: two corners of a box, as points, in which values are, as they are clamped: reports need to be unbiased
            there only. By default the ends of the space.

    Reference: theory T10.

    >>> from geopriv import LinearQuery

    >>> from geopriv.shapes import Identity
    >>> east, north = LinearQuery((1.0, 0.0), Identity()), LinearQuery((0.0, 1.0), Identity())
    >>> lower_bound_many([east, north], 1.0, [(3.0, 4.0)]).round(4)     # the two floors alone add up to 2
    array([4.])
    """
    asked, space = common_space("lower_bound_many", queries)
    for query in asked:
        require_known_shape("lower_bound_many", "queries", query)
    rate, points = space.rate(epsilon), space.read(x)
    shape = points.shape[: points.ndim - len(space.point_shape)]
    box = box_within(space, within)
    flat = clamped(points.reshape(-1, *space.point_shape), box)
    floors = _own_floors(asked, rate, len(flat))
    parts = [_floor(asked, floors, rate, flat[i : i + _POINTS], box) for i in range(0, len(flat), _POINTS)]
    return np.concatenate([*parts, np.empty(0)]).reshape(shape)


def _floor(
    asked: tuple[Query, ...], floors: list[Floor], rate: float, points: FloatArray, box: Box | None
) -> FloatArray:
    space = asked[0].space
    beside = beside_inside(points, space.beside(points, _NUDGE / rate), box)
    gram = np.zeros((space.dimension, space.dimension, len(points)))
    alone = np.zeros(len(points))
    for query, own in zip(asked, floors, strict=True):
        s = query.geometry(beside).reshape(len(points))
        way = query.geometry.gradient(beside)
        gradient = query.profile.steepness(s) * np.ascontiguousarray(way.T)
        gram += gradient[:, None] * gradient
        alone += own(s, rooms(beside, way, box))
    moved = space.between(points, beside).reshape(len(points))
    return np.asarray(np.exp(-rate * moved) * np.maximum(_squared_trace_of_root(gram, len(asked)) / rate**2, alone))


def _squared_trace_of_root(gram: FloatArray, terms: int) -> FloatArray:
    """(tr √G)² for G of shape (d, d, n), rounded down by what summing `terms` products can be off."""
    slack = (terms + 8) * len(gram) * np.finfo(float).eps
    trace = np.asarray(np.trace(gram))
    match len(gram):
        case 1:
            return np.asarray(trace * (1 - slack))
        case 2:
            product = gram[0, 0] * gram[1, 1]
            determinant = np.maximum(product - gram[0, 1] ** 2 - slack * product, 0.0)
            return np.asarray((trace + 2 * np.sqrt(determinant)) * (1 - slack))
    spectrum = np.linalg.eigvalsh(np.moveaxis(gram, -1, 0))
    roots = np.sqrt(np.maximum(spectrum - slack * trace[:, None], 0.0))
    return np.asarray(roots.sum(axis=-1) ** 2)


def _own_floors(asked: tuple[Query, ...], rate: float, count: int) -> list[Floor]:
    """For each query its floor T7 as a function of the coordinate; queries of one shape share a table."""
    kinds = [_kind(query) for query in asked]
    tables = {
        kind: _tabulated(asked[kinds.index(kind)], rate)
        for kind in set(kinds)
        if kind is not None and kinds.count(kind) * max(count, _FEW) > _MOST
    }
    return [
        tables[kind] if kind in tables else floor_along(query, rate) for kind, query in zip(kinds, asked, strict=True)
    ]


def _kind(query: Query) -> tuple[object, ...] | None:
    """What a query's floor depends on besides s; None where not every step of s is a step of the same length."""
    reach = query.geometry.reach
    return None if reach is None else (query.profile, reach)


def _tabulated(query: Query, rate: float) -> Floor:
    """A step function of s below the query's floor, of whom one may compare with below, above, or on either side.

    Var(x) ≥ e^(−ε·dist(x, x'))·Var(x') for every ε-GP report, so the larger of e^(−ε|s − s_k|)·floor(s_k) at both ends
    of a cell is a floor too. It is least where both are equal: √(floor_k·floor_(k+1))·e^(−ε·cell/2). Who is nearer
    than a cell to where people end is likewise compared with who is a cell farther in.
    """
    marks = query.profile.landmarks
    ends = np.array([marks[0] - _FAR / rate, marks[-1] + _FAR / rate])
    low, high = (float(end[0]) for end in query.geometry.reachable(ends[:1]))
    start, stop = max(ends[0], low), min(ends[1], high)
    if not start < stop:
        return lambda s, rooms=None: np.zeros_like(s)
    fine = min(_STEP / rate, (marks[-1] - marks[0]) / 20 or np.inf)
    cells = int(min(np.ceil((stop - start) / fine), _MOST))
    wide, nodes, floor = (stop - start) / cells, np.linspace(start, stop, cells + 1), floor_along(query, rate)
    keep, none = np.exp(-rate * wide) * (1 - 1e-12), np.zeros_like(nodes)

    def ways(s: FloatArray) -> Rooms:
        """How far below and above is compared with: a little beyond where the query changes its shape."""
        return np.maximum(s - marks[0], 0.0) + 1 / rate, np.maximum(marks[-1] - s, 0.0) + 1 / rate

    def stepped(free: Rooms) -> FloatArray:
        own = floor(nodes, free)
        return np.concatenate([[0.0], np.sqrt(own[:-1] * own[1:] * keep), [0.0]])

    fall, rise = ways(nodes)
    falls, rises = stepped((fall, none)), stepped((none, rise))

    def below(s: FloatArray, rooms: Rooms | None = None) -> FloatArray:
        down, up = rooms or (np.inf, np.inf)
        inward = np.where(down < wide, wide, np.where(up < wide, -wide, 0.0))
        s, down, up = s + inward, down + inward, up - inward
        cell = np.floor(np.clip((s - start) / wide, -1.0, cells)).astype(np.intp) + 1
        fall, rise = (way + 2 * wide for way in ways(s))  # from either end of the cell
        found = np.maximum(np.where(down >= fall, falls[cell], 0.0), np.where(up >= rise, rises[cell], 0.0))
        return np.asarray(np.where(np.minimum(down, up) >= wide, found * np.where(inward == 0, 1.0, keep), 0.0))

    return below
