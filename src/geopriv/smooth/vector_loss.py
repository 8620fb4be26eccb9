"""The worst loss of several answers in one report."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from geopriv.mechanisms.guarantee import Guarantee
from geopriv.mechanisms.loss.line import CLOSEST, pairs_along, probe_line, rounding, shortest
from geopriv.mechanisms.loss.pairs import signed_losses
from geopriv.mechanisms.loss.worst import WorstLoss, plain, worst
from geopriv.noise import Noise
from geopriv.queries import Query
from geopriv.spaces.checks import FloatArray

Function = Callable[[FloatArray], FloatArray]


def worst_of_vector(
    queries: Sequence[Query], noise: Noise, guarantee: Guarantee, answers: Function, scale: Function
) -> WorstLoss:
    """Of m queries with one scale, along geodesics through their anchors; noises are independent, so losses add.

    Args:
        queries: on one space.
        noise: of each answer.
        guarantee: for all of them together.
        answers: at values, shape (n, m).
        scale: at values, shape (n,).
    """
    space, length = queries[0].space, 1 / guarantee.epsilon
    rng = np.random.default_rng(0)
    ratios: list[FloatArray] = []
    places: list[tuple[FloatArray, FloatArray]] = []
    for query in queries:
        t = probe_line(query.profile, length)
        # on Earth less than half way around, so that the way along the geodesic is the distance
        half = space.farthest / np.pi * 1.5
        t = t[np.abs(t) < (half if np.isfinite(half) else 1e3 * length + np.abs(t).min())]
        points = space.walk(query.geometry.anchor, t, space.random_direction(rng))
        values = space.values(points)
        spread, given = scale(values), answers(values)
        closest = CLOSEST * shortest(query.profile, length)
        sides = [pairs_along(t, column, spread, closest, strides=(1, 13, 307)) for column in given.T]
        losses = [signed_losses(noise, pairs) for pairs in sides]
        high, low = (np.sum(side, axis=0) for side in zip(*losses, strict=True))
        loss = np.maximum(high, -low) - sum(rounding(pairs) for pairs in sides)
        ratios.append(np.maximum(loss, 0.0) / (guarantee.epsilon * sides[0].distance))
        places += zip(*(points[np.searchsorted(t, end)] for end in (sides[0].first, sides[0].second)), strict=True)
    return worst(np.concatenate(ratios), lambda k: (plain(places[k][0]), plain(places[k][1]), None))
