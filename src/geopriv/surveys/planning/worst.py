"""The largest standard error that a question can have, wherever people are.

A report adds g to an estimate, of mean m(x) and mean square q(x) for a person at x. For people with the law P one
report has the variance E_P[q] − (E_P[m])²: noise, and that people are a sample. Its largest value over all P is

    min over λ of max over x of q(x) − 2λ·m(x) + λ²,

since −μ² = min over λ of λ² − 2λμ and the two may be exchanged (P is a convex set, the function is linear in P and
convex in λ). It is reached by people in one or two places; λ is then the mean. Every λ gives an upper bound, so a
search for λ errs on the safe side.

Places are looked at every twentieth of 1/ε on a line and every tenth in the plane, as far as 4/ε around what is asked.
Between neighbouring cells of a Lattice and rows of a Table m and q are mixtures, so that little lies between places.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import optimize

from geopriv.errors import InvalidParameter
from geopriv.mechanisms.sendable import Sendable
from geopriv.queries import Query
from geopriv.queries.priors import even_points
from geopriv.spaces.checks import FloatArray
from geopriv.surveys.planning.around import Box

REACH = 4.0  # in units of 1/ε, around what a query looks at
FINEST = 0.1  # in units of 1/ε, between places on a line
_IN_PLANES = 0.2  # likewise in the plane
_PLACES = 1 << 18  # at most


def worst_variance(mechanism: Sendable, query: Query, ends: Box | None = None) -> float:
    """The largest variance of one person's part of an estimate, over all populations.

    Args:
        mechanism: that answers the query.
        query: what is asked.
        ends: between which people can be, as points; None for everywhere.
    """
    values = mechanism.space.values(places(query, mechanism.guarantee.epsilon, ends))
    bias, variance = mechanism.moments(values, query)
    mean = query(values) + bias
    return largest_spread(mean, variance + mean**2)


def largest_spread(mean: FloatArray, square: FloatArray) -> float:
    """The largest variance of a mixture of laws with these means and mean squares, to about a thousandth above.

    >>> largest_spread(np.array([0.0, 1.0]), np.array([0.0, 1.0]))  # half of the people on either side
    0.25
    >>> largest_spread(np.array([0.0, 0.5]), np.array([0.1, 1.25]))  # all in one place
    1.0
    """

    def bound(level: float) -> float:
        return float((square - 2 * level * mean).max() + level**2)

    low, high = float(mean.min()), float(mean.max())
    best = optimize.minimize_scalar(bound, bounds=(low, high), method="bounded", options={"xatol": 1e-6})
    return max(0.0, min(bound(low), bound(high), round(float(best.fun), 12)))


def places(query: Query, rate: float, ends: Box | None = None) -> FloatArray:
    """Points of the space around what a query looks at, every tenth or fifth of 1/ε where that is not too many."""
    space, reach = query.space, REACH / rate
    low, high = (np.ravel(corner) for corner in query.box(reach))
    if ends is not None and (np.maximum(low, ends[0]) < np.minimum(high, ends[1])).all():
        low, high = np.maximum(low, ends[0]), np.minimum(high, ends[1])
    try:
        marks = space.dimension == 1 and query.geometry.points_at(np.asarray(query.profile.landmarks))
    except InvalidParameter:  # a blurred region has no coordinate
        marks = None
    if space.dimension == 1 and marks:
        near = np.concatenate([np.ravel(side) for side in marks])
        around = near[:, None] + np.arange(-reach, reach, FINEST / rate / 2)
        points = np.unique(np.clip(np.concatenate([np.ravel(around), low, high]), low[0], high[0]))
        return points.reshape(-1, *space.point_shape)
    if space.dimension > 2:
        return np.asarray(low + (high - low) * even_points(space.dimension, 1 << 12))
    step = max(_IN_PLANES / rate, math.sqrt(float(np.prod(high - low)) / _PLACES))
    axes = [np.arange(a, b + step / 2, step) for a, b in zip(low, high, strict=True)]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, *space.point_shape)
