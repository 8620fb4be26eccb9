"""What is asked, of whom, and means of functions of the coordinate over the people expected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from geopriv.checks import FloatArray, count, invalid
from geopriv.coordinates import Linear, Radial
from geopriv.priors import Prior
from geopriv.queries import Blurred, Query, common_space
from geopriv.spaces import Space

Curve = Callable[[FloatArray], FloatArray]

_POINTS = 2048  # of the prior
_NODES = 1500  # of a curve that is shared by many queries, besides those near landmarks


@dataclass(frozen=True, eq=False)
class Workload:
    """Queries on one space, a rate, a number of people, and public points that stand for where they are.

    Args:
        queries: what is asked.
        space: of all of them.
        rate: ε of one person, for everything that is asked of them.
        people: how many will report.
        points: of the space, standing for the prior.
        weights: of the points.
    """

    queries: tuple[Query, ...]
    space: Space
    rate: float
    people: int
    points: FloatArray
    weights: FloatArray

    @classmethod
    def of(cls, queries: Sequence[Query] | Query, epsilon: float | str, people: int, prior: Any) -> Workload:
        """Checked, and with a prior thinned to some two thousand points."""
        asked, space = common_space("plan", [queries] if isinstance(queries, Query) else queries)
        rate, n = space.rate(epsilon), count("plan", "people", people)
        if prior is None:
            points, weights = _everywhere(asked, space, rate)
        else:
            values, weights = _thinned(prior if isinstance(prior, Prior) else Prior.sample(prior))
            if values.shape[1:] != space.point_shape:
                raise invalid("plan", "prior", f"made of values of {space}", f"an array of shape {values.shape}")
            points = space.read(values)
        return cls(asked, space, rate, n, points, weights)

    @property
    def size(self) -> int:
        """K, how many queries."""
        return len(self.queries)

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
        mean = np.array([self.weights @ query.answer(self.points) for query in self.queries])
        square = np.array([self.weights @ query.answer(self.points) ** 2 for query in self.queries])
        return mean, np.maximum(square - mean**2, 0.0)

    def mean(self, curve_of: Callable[[Query], Curve]) -> FloatArray:
        """For every query the mean over people of a function of its coordinate, one function for each kind of query.

        The function is taken between nodes that are dense around the landmarks as a straight line, so it is evaluated
        once for all queries of a kind, and how people lie between the nodes is counted once for all functions.
        """
        means = np.empty(self.size)
        for key, members in self.kinds.items():
            nodes, shares = self._spread[key]
            means[members] = shares @ curve_of(self.queries[members[0]])(nodes)
        return means

    @cached_property
    def _spread(self) -> dict[object, tuple[FloatArray, FloatArray]]:
        """For each kind of query its nodes, and the weight of each node for each query, shape (members, nodes)."""
        return {key: self._counted([self.queries[k] for k in members]) for key, members in self.kinds.items()}

    def _counted(self, members: list[Query]) -> tuple[FloatArray, FloatArray]:
        coordinates = [np.asarray(query.geometry(self.points)).reshape(-1) for query in members]
        if len(members) * len(self.points) <= 2 * _NODES:
            nodes, place = np.unique(np.concatenate(coordinates), return_inverse=True)
            rows = np.repeat(np.arange(len(members)), len(self.points))
            shares = np.zeros((len(members), nodes.size))
            np.add.at(shares, (rows, place), np.tile(self.weights, len(members)))
            return nodes, shares
        nodes = self._nodes(members[0], coordinates)
        shares = np.empty((len(members), nodes.size))
        for row, s in zip(shares, coordinates, strict=True):
            cell = np.clip(np.searchsorted(nodes, s) - 1, 0, nodes.size - 2)
            part = (s - nodes[cell]) / (nodes[cell + 1] - nodes[cell]) * self.weights
            row[:] = np.bincount(cell, self.weights - part, nodes.size) + np.bincount(cell + 1, part, nodes.size)
        return nodes, shares

    def _nodes(self, query: Query, coordinates: list[FloatArray]) -> FloatArray:
        low, high = min(float(s.min()) for s in coordinates), max(float(s.max()) for s in coordinates)
        marks = np.asarray(query.profile.landmarks)
        around = np.geomspace(1e-2, 8.0, 60) / self.rate
        near = (marks[:, None] + np.concatenate([-around, [0.0], around])).ravel()
        within = np.linspace(marks[0], marks[-1], 200)
        nodes = np.concatenate([np.linspace(low, high, _NODES), near, within])
        return np.unique(nodes[(nodes >= low) & (nodes <= high)])


def kind(query: Query) -> object | None:
    """What decides f as a function of the coordinate, and how noise on the input moves it; None for other shapes."""
    if isinstance(query, Blurred) and not query.along_line:
        return None
    match query.geometry:
        case Linear():
            return "linear", query.profile
        case Radial():
            return "radial", query.geometry.offset, query.profile
    return type(query.geometry).__name__, query.profile


def _thinned(prior: Prior) -> tuple[FloatArray, FloatArray]:
    """At most a few thousand values: means of equal shares on a line, an even choice elsewhere."""
    values, weights = prior.values, prior.weights
    if len(values) <= _POINTS:
        return values, weights
    if values.ndim == 1:
        order = np.argsort(values)
        values, weights = values[order], weights[order]
        part = np.minimum((np.cumsum(weights) - weights / 2) * _POINTS, _POINTS - 1).astype(np.int64)
        mass, place = (np.asarray(np.bincount(part, w, _POINTS), dtype=np.float64) for w in (weights, weights * values))
        return place[mass > 0] / mass[mass > 0], mass[mass > 0]
    # systematic sampling: every value is taken as often as its weight says
    at = (np.arange(_POINTS) + 0.5) / _POINTS
    order = np.lexsort(values.T)
    chosen = order[np.minimum(np.searchsorted(np.cumsum(weights[order]), at), len(values) - 1)]
    return values[chosen], np.full(_POINTS, 1 / _POINTS)


def _everywhere(asked: tuple[Query, ...], space: Space, rate: float) -> tuple[FloatArray, FloatArray]:
    """Even points over a box around what all queries look at."""
    corners = []
    for query in asked:
        inner = query.query if isinstance(query, Blurred) else query
        anchor = np.atleast_1d(np.asarray(inner.geometry.anchor, dtype=np.float64))
        here = float(np.ravel(inner.geometry(np.reshape(anchor, space.point_shape)))[0])
        reach = max(abs(mark - here) for mark in inner.profile.landmarks) + 3 / rate
        corners += [anchor - reach, anchor + reach]
    low, high = np.min(corners, axis=0), np.max(corners, axis=0)
    even = Prior.uniform(low[0], high[0]) if low.size == 1 else Prior.uniform(low, high)
    values, weights = _thinned(even)
    return values.reshape(-1, *space.point_shape), weights
