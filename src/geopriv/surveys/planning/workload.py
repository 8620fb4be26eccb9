"""What is asked, of whom, and means of functions of the coordinate over the people expected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from geopriv.queries import Query, common_space
from geopriv.queries.priors import points_under
from geopriv.spaces import Space
from geopriv.spaces.checks import FloatArray, count, invalid
from geopriv.surveys.planning.around import POINTS, Box, Crowd, even_crowd

Curve = Callable[[FloatArray], FloatArray]
_NODES = 1000  # of a curve that is shared by many queries, besides those around landmarks


@dataclass(frozen=True, eq=False)
class Workload:
    """Queries on one space, a rate, a number of people, and public points that stand for where they are.

    Where nothing is known of people, each question has a crowd of its own: the people whom it concerns.

    Args:
        queries: what is asked.
        space: of all of them.
        rate: ε of one person, for everything that is asked of them.
        people: how many will report.
        points: of the space, standing for the prior.
        weights: of the points.
        prior: that they stand for; None for even points around the queries, see `planning.around`.
        sizes: without a prior, how many queries each question has, one question after the other; () for one crowd.
        crowds: the points and weights of each question's people; () for the same people in all.
        asked: estimates in all, where the queries are only some of them that stand for the others; 0 otherwise.
        ends: of the public range, to which values are clamped, as points; None for those of the space.
        known: what was counted for a kind of query, kept for other parts of the same work.
    """

    queries: tuple[Query, ...]
    space: Space
    rate: float
    people: int
    points: FloatArray
    weights: FloatArray
    prior: Any = None
    sizes: tuple[int, ...] = ()
    crowds: tuple[Crowd, ...] = ()
    asked: int = 0
    ends: Box | None = None
    known: dict[object, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        queries: Any,
        epsilon: float | str,
        people: int,
        prior: Any,
        sizes: tuple[int, ...] = (),
        ends: Box | None = None,
    ) -> Workload:
        """Checked, and with a prior thinned to some two thousand points."""
        if not isinstance(queries, Query | Sequence) or isinstance(queries, str):
            raise invalid("plan", "queries", "one query or several", type(queries).__name__)
        asked, space = common_space("plan", [queries] if isinstance(queries, Query) else queries)
        rate, n = space.rate(epsilon), count("plan", "people", people)
        if prior is not None:
            return cls(asked, space, rate, n, *_thinned(*points_under("plan", space, prior)), prior, ends=ends)
        limits = space.limits if ends is None else ends
        starts = np.cumsum([0, *(sizes or (len(asked),))]).tolist()
        crowds = tuple(even_crowd(asked[a:b], rate, limits) for a, b in pairwise(starts))
        points, weights = (np.concatenate(parts) for parts in zip(*crowds, strict=True))
        many = crowds if len(crowds) > 1 else ()
        return cls(asked, space, rate, n, points, weights / len(crowds), prior, sizes, many, ends=ends)

    def at(self, rate: float) -> Workload:
        """The same, of the same people, with another ε."""
        return replace(self, rate=rate, known={})

    @cached_property
    def whose(self) -> tuple[int, ...]:
        """The number of each query's crowd."""
        return tuple(np.repeat(np.arange(len(self.sizes)), self.sizes).tolist()) if self.crowds else (0,) * self.size

    def crowd(self, k: int) -> Crowd:
        """The points and weights of the people whom a query concerns."""
        return self.crowds[self.whose[k]] if self.crowds else (self.points, self.weights)

    def by_crowd(self, members: Sequence[int]) -> list[list[int]]:
        """Queries, those of one crowd together."""
        together: dict[int, list[int]] = {}
        for k in members:
            together.setdefault(self.whose[k], []).append(k)
        return list(together.values())

    def part(self, members: Sequence[int], points: int | None = None) -> Workload:
        """The same for some of the queries, all of one crowd, with at most so many points standing for it."""
        queries = tuple(self.queries[k] for k in members)
        if self.crowds:
            own, weights = self.crowd(members[0])
            alone = replace(self, points=own, weights=weights, crowds=(), sizes=(), asked=0)
            return alone.part(members, points)
        if points is None or points >= len(self.points):
            return replace(self, queries=queries, asked=0)
        every = -(-len(self.points) // points)
        weights = self.weights[::every]
        return replace(self, queries=queries, points=self.points[::every], weights=weights / weights.sum(), asked=0)

    @property
    def size(self) -> int:
        """How many queries."""
        return len(self.queries)

    @property
    def estimates(self) -> int:
        """K, among which ε or people are split: all that is asked."""
        return max(self.asked, self.size)

    @property
    def extent(self) -> tuple[float, ...]:
        """How far people are apart along each axis."""
        points = self.points.reshape(len(self.points), -1)
        return tuple((points.max(axis=0) - points.min(axis=0)).tolist())

    @cached_property
    def kinds(self) -> dict[object, list[int]]:
        """Queries that are one function of their coordinate."""
        found: dict[object, list[int]] = {}
        for k, query in enumerate(self.queries):
            found.setdefault(kind(query) or ("alone", k), []).append(k)
        return found

    @cached_property
    def answers(self) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of f over the people, for every query."""
        means, squares = [], []
        for k, query in enumerate(self.queries):
            points, weights = self.crowd(k)
            answers = query.answer(points)
            means.append(weights @ answers)
            squares.append(weights @ answers**2)
        mean = np.array(means)
        return mean, np.maximum(np.array(squares) - mean**2, 0.0)

    def mean(self, curve_of: Callable[[Query], Curve], apart: Callable[[Query], object] | None = None) -> FloatArray:
        """For every query the mean over people of a function of its coordinate, one function for each kind of query.

        The function is taken between nodes that are dense around the landmarks as a straight line, so it is evaluated
        once for all queries of a kind, and how people lie between the nodes is counted once for all functions.

        Args:
            curve_of: the function of a query's coordinate.
            apart: what else, besides the kind, queries must agree in to share a function.
        """
        groups: dict[tuple[object, object], list[int]] = {}
        for key, members in self.kinds.items():
            for row, k in enumerate(members):
                groups.setdefault((key, apart(self.queries[k]) if apart else None), []).append(row)
        # all functions first, of what is like nothing else before: where there is none, nothing else is worth a look
        curves = dict[tuple[object, object], Curve]()
        for group, rows in sorted(groups.items(), key=lambda item: len(item[1])):
            curves[group] = curve_of(self.queries[self.kinds[group[0]][rows[0]]])
        means = np.empty(self.size)
        for group, rows in groups.items():
            nodes, shares = self._spread[group[0]]
            means[[self.kinds[group[0]][row] for row in rows]] = shares[rows] @ curves[group](nodes)
        return means

    @cached_property
    def _spread(self) -> dict[object, tuple[FloatArray, FloatArray]]:
        """For each kind of query its nodes, and the weight of each node for each query, shape (members, nodes)."""
        return {key: self._counted(members) for key, members in self.kinds.items()}

    def _counted(self, members: list[int]) -> tuple[FloatArray, FloatArray]:
        """Nodes and shares; of the same people and queries they are counted once, in whatever part of the work."""
        people = [part for k in members for part in self.crowd(k)]
        held = [self.queries[k] for k in members], people  # as long as these are held, their names are theirs
        key = tuple(map(id, held[0])), tuple(dict.fromkeys(map(id, people)))
        if key not in self.known:
            self.known[key] = held, self._count(members)
        nodes, shares = self.known[key][1]
        return nodes, shares

    def _count(self, members: list[int]) -> tuple[FloatArray, FloatArray]:
        points, masses = zip(*(self.crowd(k) for k in members), strict=True)
        coordinates = [
            np.asarray(self.queries[k].geometry(own)).reshape(-1) for k, own in zip(members, points, strict=True)
        ]
        if sum(map(len, masses)) <= 2 * _NODES:
            nodes, place = np.unique(np.concatenate(coordinates), return_inverse=True)
            rows = np.repeat(np.arange(len(members)), [len(mass) for mass in masses])
            shares = np.zeros((len(members), nodes.size))
            np.add.at(shares, (rows, place), np.concatenate(masses))
            return nodes, shares
        nodes = self._nodes(self.queries[members[0]], coordinates)
        shares = np.empty((len(members), nodes.size))
        for row, s, mass in zip(shares, coordinates, masses, strict=True):
            cell = np.clip(np.searchsorted(nodes, s) - 1, 0, nodes.size - 2)
            part = (s - nodes[cell]) / (nodes[cell + 1] - nodes[cell]) * mass
            row[:] = np.bincount(cell, mass - part, nodes.size) + np.bincount(cell + 1, part, nodes.size)
        return nodes, shares

    def _nodes(self, query: Query, coordinates: list[FloatArray]) -> FloatArray:
        low, high = min(float(s.min()) for s in coordinates), max(float(s.max()) for s in coordinates)
        marks = np.asarray(query.profile.landmarks)
        far = max(16.0, 2 * self.rate * max(abs(low), abs(high), *np.abs(marks)))
        around = np.concatenate([[0.01, 0.03], np.linspace(0.08, 12.0, 150), np.geomspace(12.1, far, 80)]) / self.rate
        near = (marks[:, None] + np.concatenate([-around, [0.0], around])).ravel()
        within = np.linspace(marks[0], marks[-1], 200)
        nodes = np.concatenate([np.linspace(low, high, _NODES), near, within])
        return np.unique(nodes[(nodes >= low) & (nodes <= high)])


def kind(query: Query) -> object | None:
    """What decides f as a function of the coordinate, and how noise on the input moves it; None for other shapes."""
    return (query.geometry.alike, query.profile) if query.has_profile else None


def _thinned(points: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """At most a few thousand points: means of equal shares on a line, an even choice elsewhere."""
    if len(points) <= POINTS:
        return points, weights
    if points.size == len(points):
        flat = points.reshape(-1)
        order = np.argsort(flat)
        flat, weights = flat[order], weights[order]
        part = np.minimum((np.cumsum(weights) - weights / 2) * POINTS, POINTS - 1).astype(np.int64)
        mass, place = (np.asarray(np.bincount(part, w, POINTS), dtype=np.float64) for w in (weights, weights * flat))
        return (place[mass > 0] / mass[mass > 0]).reshape(-1, *points.shape[1:]), mass[mass > 0]
    # systematic sampling: every point is taken as often as its weight says
    at = (np.arange(POINTS) + 0.5) / POINTS
    order = _neighbours_together(points)
    chosen = order[np.minimum(np.searchsorted(np.cumsum(weights[order]), at), len(points) - 1)]
    return points[chosen], np.full(POINTS, 1 / POINTS)


def _neighbours_together(points: FloatArray) -> Any:
    """An order in which what is close in the order is close in space: by the interleaved bits of the ranks."""
    bits = min(10, 60 // points.shape[1])
    ranks = np.argsort(np.argsort(points, axis=0), axis=0) * (1 << bits) // len(points)
    code = np.zeros(len(points), dtype=np.int64)
    for bit in range(bits):
        for axis in range(points.shape[1]):
            code |= ((ranks[:, axis] >> bit) & 1) << (bit * points.shape[1] + axis)
    return np.argsort(code, kind="stable")
