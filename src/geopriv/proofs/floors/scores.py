"""How much of what is possible a mechanism reaches."""

from __future__ import annotations

from typing import Any

import numpy as np

from geopriv.mechanisms import (
    Mechanism,
)
from geopriv.proofs.floors.least import crowd_floor
from geopriv.proofs.floors.many import lower_bound_many
from geopriv.proofs.floors.single import lower_bound, require_known_shape
from geopriv.queries import Query
from geopriv.spaces.checks import FloatArray, invalid


def efficiency(mechanism: Mechanism, x: Any, query: Query | None = None, weights: Any = None) -> float:
    """Mean floor over mean variance, between 0 and 1: what share of the noise no unbiased report could avoid.

    For a mechanism of several queries, without `query`, the floor is that of Σ_q Var_q (theory T10); otherwise it is
    that of one query: at each value by itself (theory T7), or, on a line, for all of these values at once (theory T12),
    whichever is higher. A Table estimates its target without bias, so its floor is the target's; a Lattice its
    interpolant on the grid, which is taken for f. T12 is within some 3 % of what can be reached where people are many
    along a line; the others need not be within reach. Of a whole map or distribution `whole_efficiency` tells more.

    Args:
        mechanism: unbiased (or a Table or Lattice), with a promise per distance and δ = 0: floors hold for no other.
        x: values of the space over which both means are taken.
        query: which one, where a report can answer several.
        weights: of the values, by default all the same.

    Raises:
        InvalidParameter: for a mechanism to which the floors do not apply.

    >>> from geopriv import LipschitzLaplace, SmoothT, Table, Threshold
    >>> query, x = Threshold(at=0.0, width=2.0), np.linspace(-5, 5, 101)
    >>> [round(efficiency(kind.calibrate(query, 1.0), x), 1) for kind in (LipschitzLaplace, SmoothT)]
    [0.3, 0.1]
    >>> bool(0.9 < efficiency(Table.calibrate(query, 1.0), x) < 1)
    True
    """
    if not has_floor(mechanism):
        rule = "unbiased, with a promise per distance and δ = 0"
        raise invalid("efficiency", "mechanism", rule, type(mechanism).__name__)
    promise = mechanism.guarantee
    asked = mechanism.asked if query is None else (query,)
    if not asked:
        raise invalid("efficiency", "query", "given, since a report can answer any", query)
    variance = np.sum([mechanism.moments(x, one)[1] for one in asked], axis=0)
    share = _shares(weights, variance.shape)
    if len(asked) > 1:
        least = float((share * lower_bound_many(asked, promise.epsilon, x)).sum())
    elif asked[0].space.finite and not asked[0].has_profile:
        least = float((share * lower_bound(asked[0], promise.epsilon, x)).sum())
    else:
        require_known_shape("efficiency", "query", asked[0])
        space = asked[0].space
        points = space.read(x).reshape(-1, *space.point_shape)
        least = crowd_floor(asked[0], mechanism.target_of(asked[0]), promise.epsilon, points, share.ravel())
    reached = float((share * variance).sum())
    return least / reached if reached > 0 else 1.0


def has_floor(mechanism: Mechanism) -> bool:
    """Whether the floors apply: to reports unbiased for f or its interpolant, with a pure promise per distance."""
    promise = mechanism.guarantee
    pure = promise.delta == 0 and promise.metric == "distance"
    return pure and mechanism.has_target


def _shares(weights: Any, shape: tuple[int, ...]) -> FloatArray:
    given = np.ones(shape) if weights is None else np.asarray(weights, dtype=np.float64)
    if given.shape != shape or not (np.isfinite(given).all() and (given >= 0).all() and given.sum() > 0):
        raise invalid("efficiency", "weights", f"of shape {shape}, at least 0 and not all 0", given.shape)
    return np.asarray(given / given.sum())
