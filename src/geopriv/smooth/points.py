"""The worst loss of noise on a function of R^d, from its answers, its scales and the density of the noise alone."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from geopriv.mechanisms.guarantee import Guarantee
from geopriv.mechanisms.loss.line import rounding
from geopriv.mechanisms.loss.pairs import Pairs, largest_loss
from geopriv.mechanisms.loss.worst import WorstLoss, plain, worst
from geopriv.noise import Noise, StudentT
from geopriv.queries import Query
from geopriv.spaces.checks import FloatArray

_EXACT, _SEARCHED = 20_000, 4_000  # pairs of each kind: with the exact loss (theory G1), and with a search
_CLOSE = 1e-3  # of 1/ε, at which the direction of the fastest change is measured


def worst_of_points(
    query: Query, scale: Callable[[FloatArray], FloatArray], noise: Noise, guarantee: Guarantee
) -> WorstLoss:
    """Of f(x) + σ(x)·Z over pairs in and around the box of f: far, near, and along the fastest change of f and of σ.

    The first search is everywhere; the second is around the pairs that lost most in the first.
    """
    rng, length = np.random.default_rng(0), 1 / guarantee.epsilon
    exact = isinstance(noise, StudentT) and noise.df >= 1
    count, axes = _EXACT if exact else _SEARCHED, query.space.dimension
    if guarantee.metric != "distance":
        length = 1.0
    low, high = query.box(2 * length)
    reach = min(guarantee.radius, float(np.linalg.norm(high - low)))

    def ways(places: FloatArray) -> FloatArray:
        turns = rng.standard_normal(places.shape)
        return np.asarray(turns / np.linalg.norm(turns, axis=1, keepdims=True))

    def steepest(places: FloatArray, of: Callable[[FloatArray], FloatArray]) -> FloatArray:
        step = _CLOSE * length * np.eye(axes)
        slope = np.stack([of(places + step[axis]) - of(places - step[axis]) for axis in range(axes)], axis=1)
        size = np.linalg.norm(slope, axis=1, keepdims=True)
        return np.where(size > 0, slope / np.maximum(size, 1e-300), ways(places))

    def answers(places: FloatArray) -> FloatArray:
        return query.answer(places.reshape(-1, *query.space.point_shape))

    def log_scale(places: FloatArray) -> FloatArray:
        return np.log(scale(places))

    def compared(
        first: FloatArray, way: FloatArray, far: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, Pairs]:
        second = first + far[:, None] * way
        distance = np.linalg.norm(first - second, axis=1)
        kept = (distance > 0) & (distance <= reach)
        first, second, distance = first[kept], second[kept], distance[kept]
        parts = answers(first), scale(first), answers(second), scale(second)
        pairs = Pairs(first, second, distance, *parts)
        allowed = guarantee.epsilon * (distance if guarantee.metric == "distance" else 1.0)
        loss = noise.largest_loss(*parts) if isinstance(noise, StudentT) and exact else largest_loss(noise, pairs)[0]
        return first, second, np.maximum(loss - rounding(pairs), 0.0) / allowed, pairs

    def lengths(least: float, most: float, size: int) -> FloatArray:
        return np.asarray(np.exp(rng.uniform(np.log(least), np.log(most), size)))

    everywhere = rng.uniform(low, high, (count, axes))
    near = lengths(1e-3 * length, min(2 * length, reach), count)
    far = lengths(min(length, reach / 2), reach, count)
    close = np.full(count, min(_CLOSE * length, reach))
    found = [
        compared(everywhere, ways(everywhere), near),
        compared(everywhere, ways(everywhere), far),
        compared(everywhere, steepest(everywhere, answers), close),
        compared(everywhere, steepest(everywhere, log_scale), close),
    ]
    first, second, ratios = (np.concatenate([part[k] for part in found]) for k in range(3))
    best = np.argsort(ratios)[-max(1, count // 40) :]
    around = np.repeat(first[best], 20, axis=0)
    around = around + 0.05 * length * rng.standard_normal(around.shape)
    for way in (steepest(around, answers), steepest(around, log_scale), ways(around)):
        more = compared(around, way, lengths(1e-3 * length, 0.3 * min(length, reach), len(around)))
        first, second, ratios = (
            np.concatenate([old, new]) for old, new in zip((first, second, ratios), more, strict=False)
        )
    return worst(ratios, lambda k: (plain(first[k]), plain(second[k]), None))
