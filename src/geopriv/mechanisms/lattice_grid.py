"""The grid of a Lattice, chosen from ε and the queries: never from what people hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from geopriv.checks import FloatArray, invalid
from geopriv.mechanisms.lattice_bias import knots_on_line
from geopriv.queries import Query
from geopriv.spaces import Space

if TYPE_CHECKING:
    from geopriv.mechanisms.lattice import Lattice

# all in units of 1/ε
_USUAL = 0.1  # theory §6
_FINEST = _USUAL / 16
_COARSEST, _FINEST_ALIGNED = 1.0, 0.025  # where kinks lie on cells: a finer grid only pays more for them


def choose_grid(
    kind: type[Lattice], space: Space, rate: float, queries: tuple[Query, ...], largest_bias: float
) -> Lattice:
    """The mechanism on the first grid that follows all queries, or on the best of those that hit all their kinks.

    Raises:
        InvalidParameter: when even a step of 1/160ε leaves more bias.
    """
    for query in queries:
        if getattr(query, "space", None) != space:
            raise invalid("Lattice", "queries", f"queries on {space}", query)

    def follows(mechanism: Lattice) -> bool:
        return all(mechanism.largest_bias(query) <= largest_bias for query in queries)

    aligned = [mechanism for mechanism in _aligned(kind, space, rate, queries) if follows(mechanism)]
    if aligned:
        return min(aligned, key=lambda mechanism: _cost(mechanism, queries))
    relative = _USUAL
    while relative >= _FINEST:
        mechanism = kind.on_grid(space, rate, relative / rate)
        if follows(mechanism):
            return mechanism
        relative /= 2
    worst = max(queries, key=mechanism.largest_bias)
    rule = f"smooth enough for a grid with a bias of {largest_bias:g} (allow more bias, or give a step)"
    raise invalid("Lattice", "queries", rule, worst)


def _aligned(kind: type[Lattice], space: Space, rate: float, queries: tuple[Query, ...]) -> Iterator[Lattice]:
    """Mechanisms on grids that have a cell on every kink, if there are any on a line."""
    if space.dimension > 1:
        return
    found = [np.ravel(knots) for knots in map(knots_on_line, queries) if knots is not None]
    knots = np.sort(np.concatenate([*found, np.empty(0)]))
    if knots.size < 2:
        return
    unit = _common_measure(np.diff(knots))
    most, fewest = rate * unit / _FINEST_ALIGNED, max(rate * unit / _COARSEST, 1.0)
    if most >= fewest:
        for parts in np.unique(np.ceil(np.geomspace(fewest, most, 24))).tolist():
            yield kind.on_grid(space, rate, unit / parts, (float(knots[0]),))


def _common_measure(gaps: FloatArray) -> float:
    """The largest length of which all gaps are multiples, up to rounding: Euclid's algorithm."""
    rounding = 1e-9 * float(gaps.sum())
    measure = 0.0
    for gap in gaps.tolist():
        rest = gap
        while rest > rounding:
            measure, rest = rest, measure % rest
            rest = 0.0 if measure - rest <= rounding else rest
    return measure


def _cost(mechanism: Lattice, queries: tuple[Query, ...]) -> float:
    """The sum of the queries' variances, on average from 3/ε before their landmarks to 3/ε after them."""
    total = 0.0
    for query in queries:
        marks = np.asarray(query.profile.landmarks) - float(query.geometry(query.geometry.anchor))
        s = np.linspace(marks[0] - 3 / mechanism.guarantee.epsilon, marks[-1] + 3 / mechanism.guarantee.epsilon, 101)
        points = np.ravel(query.geometry.anchor)[0] + s.reshape(-1, *query.space.point_shape)
        total += float(mechanism.variance(query.space.values(points), query).mean())
    return total
