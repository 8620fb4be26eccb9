"""The grid of a Lattice, chosen from ε and the queries: never from what people hold."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, Protocol, TypeVar

import numpy as np

from geopriv.errors import InvalidParameter
from geopriv.mechanisms.guarantee import Guarantee
from geopriv.mechanisms.input.deconvolution import RoundSpectrum
from geopriv.mechanisms.lattice.bias import interpolation_bias
from geopriv.queries import Query
from geopriv.spaces import Space
from geopriv.spaces.checks import FloatArray, invalid

_AXES = 6  # the stencil has 3^d points

# all in units of 1/ε
_USUAL = 0.1  # theory §6
_COARSER = (0.8, 0.4, 0.2, _USUAL)
_FINEST = _USUAL / 16
_COARSEST, _FINEST_ALIGNED = 1.0, 0.025  # where kinks lie on cells: a finer grid only pays more for them
_WEIGHED, _PROBES = 16, 200  # queries and points at which grids are compared
_ROUND = (0.1, 0.05, 0.02, 0.01)  # steps under round noise
_USUAL_ROUND = 0.02
_WAVES = 6.0  # in units of 1/h: e^(−36) is left of a Gaussian's square
_WORTH = 1.03  # of the variance of the finest step: a report takes d bits fewer for each step twice as wide


class OnGrid(Protocol):
    """A mechanism on a grid, as far as grids are compared by it."""

    @property
    def guarantee(self) -> Guarantee:
        """What it promises."""

    def likely_bias(self, query: Query) -> float:
        """About the largest bias of a query."""

    def variance(self, x: Any, query: Query) -> FloatArray:
        """The variance of what a report adds."""


_Made = TypeVar("_Made", bound=OnGrid)
Make = Callable[[float, tuple[float, ...]], _Made]
"""A mechanism on the grid of a step and an origin."""


def require_flat_space(space: Space) -> None:
    """Refuse spaces without axes, and those of too many."""
    if not getattr(space, "flat", False):  # whatever was given
        rule = "flat: on Earth take a LocalPlane around the survey's region"
        raise invalid("Lattice", "space", rule, space)
    if space.dimension > _AXES:
        raise invalid("Lattice", "space", f"of at most {_AXES} axes, since the stencil has 3^d points", space)


def require_queries(space: Space, queries: tuple[Query, ...]) -> None:
    """Refuse queries on other spaces."""
    for query in queries:
        if getattr(query, "space", None) != space:
            raise invalid("Lattice", "queries", f"queries on {space}", query)


def choose_grid(make: Make[_Made], space: Space, rate: float, queries: tuple[Query, ...], largest_bias: float) -> _Made:
    """The mechanism on the best grid that follows all queries: one that hits all their kinks, or else 0.8/ε to 0.1/ε.

    Only where none of these follows the queries closely enough is the grid finer than 0.1/ε.

    Raises:
        InvalidParameter: when even a step of 1/160ε leaves more bias.
    """
    if not queries:
        return make(_USUAL / rate, ())
    fit = grids_that_follow(make, space, rate, queries, largest_bias)
    return min(fit, key=lambda mechanism: _cost(mechanism, queries)) if len(fit) > 1 else fit[0]


def choose_round_step(space: Space, rate: float, queries: tuple[Query, ...], largest_bias: float) -> float | None:
    """The widest step under round noise that costs little more than the finest; None where none follows the queries.

    The cost is that of a whole map of Gaussians as narrow as the narrowest query, Σ over waves of the square of what
    undoes the noise: finer steps are rounder, and need a smaller core.

    Args:
        space: of two and more axes.
        rate: ε.
        queries: that are to be followed.
        largest_bias: that interpolation may leave.
    """
    if not queries:
        return _USUAL_ROUND / rate
    d = space.dimension
    narrow = min(smoothness(query) for query in queries)
    costs = {step: _whole(RoundSpectrum.least(step, d), narrow * rate) for step in _ROUND}
    for step in _ROUND:
        follows = all(interpolation_bias(query, step / rate) <= largest_bias for query in queries)
        if follows and costs[step] <= _WORTH * costs[_ROUND[-1]]:
            return step / rate
    return None


def smoothness(query: Query) -> float:
    """The bandwidth of the Gaussian that a query is seen through; infinite where it is a straight line."""
    bell = query.bell
    if bell is not None:
        return bell.bandwidth
    return float(getattr(query if not query.has_profile else query.profile, "bandwidth", math.inf))


def _whole(spectrum: RoundSpectrum, bandwidth: float) -> float:
    """∫ e^(−h²ω²)·(1/n(ω)² − 1)·ω^(d−1) dω, in units of 1/ε: the noise of a map, without the chance of who reports."""
    if not math.isfinite(bandwidth):
        return 1.0
    length = np.linspace(0.0, _WAVES / bandwidth, _PROBES)[1:]
    with np.errstate(over="ignore"):
        noise = spectrum(length) ** -2.0 - 1
        waves = np.exp(-((bandwidth * length) ** 2)) * noise * length ** (spectrum.dimension - 1)
    return float(waves.sum())


def grids_that_follow(
    make: Make[_Made],
    space: Space,
    rate: float,
    queries: tuple[Query, ...],
    largest_bias: float,
    marks: tuple[float, ...] = (),
) -> list[_Made]:
    """The mechanisms on grids that follow all queries closely enough, one at least.

    Args:
        make: a mechanism on a grid.
        space: of the grid.
        rate: ε.
        queries: at least one.
        largest_bias: that each may have.
        marks: points of a line that are to lie on cells, besides the queries' kinks: borders of plain questions.

    Raises:
        InvalidParameter: when even a step of 1/160ε leaves more bias.
    """
    require_queries(space, queries)

    def follows(mechanism: OnGrid) -> bool:
        return all(mechanism.likely_bias(query) <= largest_bias for query in queries)

    if space.dimension > 1 and not follows(make(_FINEST / rate, ())):
        raise _too_rough(queries, make(_FINEST / rate, ()), largest_bias)  # no other grid does better
    plain = [make(relative / rate, ()) for relative in _COARSER]
    for candidates in (_aligned(make, space, rate, queries, marks), plain):
        fit = [mechanism for mechanism in candidates if follows(mechanism)]
        if fit:
            return fit
    relative = _USUAL / 2
    while relative >= _FINEST:
        mechanism = make(relative / rate, ())
        if follows(mechanism):
            return [mechanism]
        relative /= 2
    raise _too_rough(queries, mechanism, largest_bias)


def _too_rough(queries: tuple[Query, ...], finest: OnGrid, largest_bias: float) -> InvalidParameter:
    worst = max(queries, key=finest.likely_bias)
    rule = f"smooth enough for a grid with a bias of {largest_bias:g} (allow more bias, or give a step)"
    return invalid("Lattice", "queries", rule, worst)


def _aligned(
    make: Make[_Made], space: Space, rate: float, queries: tuple[Query, ...], marks: tuple[float, ...]
) -> Iterator[_Made]:
    """Mechanisms on grids that have a cell on every kink and mark, if there are any on a line."""
    if space.dimension > 1:
        return
    found = [np.ravel(knots) for query in queries if (knots := query.knots) is not None]
    knots = np.sort(np.concatenate([*found, marks]))
    if knots.size < (1 if marks else 2):
        return
    unit = _common_measure(np.diff(knots)) or 1 / rate
    most, fewest = rate * unit / _FINEST_ALIGNED, max(rate * unit / _COARSEST, 1.0)
    if most >= fewest:
        for parts in np.unique(np.ceil(np.geomspace(fewest, most, 24))).tolist():
            yield make(unit / parts, (float(knots[0]),))


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


def _cost(mechanism: OnGrid, queries: tuple[Query, ...]) -> float:
    """The sum of the queries' variances, on average within 3/ε of where they change; infinite if it is unknown."""
    total = 0.0
    for query in queries[:: math.ceil(len(queries) / _WEIGHED)]:
        corners = query.box(3 / mechanism.guarantee.epsilon)
        points = np.random.default_rng(0).uniform(*corners, (_PROBES, query.space.dimension))
        x = query.space.values(points.reshape(-1, *query.space.point_shape))
        try:
            total += float(mechanism.variance(x, query).mean())
        except InvalidParameter:  # in space, on a fine grid
            return math.inf
    return total
