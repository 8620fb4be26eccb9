"""f(x) + σ(s(x))·Z: the answer plus noise whose scale depends on the coordinate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from geopriv.mechanisms.base import OfOneQuery
from geopriv.mechanisms.guarantee import Guarantee
from geopriv.mechanisms.loss.line import worst_on_line
from geopriv.mechanisms.loss.worst import WorstLoss
from geopriv.mechanisms.reports import Simulated
from geopriv.mechanisms.simulation import simulate
from geopriv.noise import Noise
from geopriv.noise.plans import Shifted, grid
from geopriv.queries import Query
from geopriv.smooth.finite import on_labels, worst_of_labels
from geopriv.smooth.points import worst_of_points
from geopriv.smooth.scale import PlaceScale, Scale
from geopriv.spaces.balls import arb, total
from geopriv.spaces.bounded import Bounded
from geopriv.spaces.checks import FloatArray, invalid


@dataclass(frozen=True)
class Additive(OfOneQuery):
    """f(x) + σ(x)·Z: the answer, plus symmetric noise whose scale depends on the value.

    Unbiased, with variance σ²·Var(Z).

    Args:
        query: f = f0 ∘ s, any function of R^d, or any on finitely many labels.
        guarantee: what `calibrate` proved.
        noise: the law of Z.
        scale: σ, a function of coordinates; of points (n, d) where the query has no coordinate.
    """

    query: Query
    guarantee: Guarantee
    noise: Noise
    scale: Callable[[FloatArray], FloatArray] = field(repr=False)

    @property
    def unbiased(self) -> bool:
        return self.noise.moments > 1

    def simulate(self, x: Any, rng: np.random.Generator) -> Simulated:
        """One release for each value of x, from a seeded generator."""

        def noisy(points: FloatArray, rng: np.random.Generator) -> FloatArray:
            where = self._where(points)
            sigma = self.scale(where)
            answer = self.query.profile(where) if self.query.has_profile else self.query.answer(points)
            return answer + sigma.reshape(answer.shape) * self.noise.sample(rng, answer.shape)

        return Simulated(simulate(self.query.space, x, rng, noisy))

    def _where(self, points: FloatArray) -> FloatArray:
        """What the scale is a function of: coordinates, or the points themselves as rows."""
        return self.query.geometry(points) if self.query.has_profile else points.reshape(-1, self.query.space.dimension)

    def releases(self) -> list[Shifted]:
        if not self.query.has_profile:
            return [release_at_points(self.query, self.scale, self.noise, self.guarantee)]
        if not isinstance(self.scale, Scale):  # a function of one's own
            rule = "one whose noise scale has an enclosure"
            raise invalid("report", "query", rule, type(self.scale).__name__)
        return [release(self.query, [(self.query, self.scale)], self.noise, self.guarantee.epsilon)]

    def worst_loss(self) -> WorstLoss:
        if on_labels(self.query):
            return worst_of_labels(self.query, self.scale, self.noise, self.guarantee)
        if not self.query.has_profile:
            return worst_of_points(self.query, self.scale, self.noise, self.guarantee)
        return worst_on_line(self.query.profile, self.scale, self.noise, self.guarantee)

    def bias(self, x: Any) -> FloatArray:
        """E[release] − f(x) for each value: zero, by symmetry.

        Raises:
            InvalidParameter: where the noise has no mean.
        """
        if not self.noise.moments > 1:
            raise invalid(type(self).__name__, "noise", "of finite mean where a bias is asked for", self.noise)
        return np.zeros(self.query(x).shape)

    def variance(self, x: Any) -> FloatArray:
        """The variance of the release for each value: σ(s(x))²·Var(Z), exactly.

        Raises:
            InvalidParameter: where the noise has no variance.
        """
        points = self.query.space.read(x)
        found = self.variance_at(self._where(points))
        return found.reshape(points.shape[: points.ndim - len(self.query.space.point_shape)])

    def variance_at(self, s: FloatArray) -> FloatArray:
        """The variance at coordinates; at points (n, d) where the query has none."""
        if not self.noise.moments > 2:
            raise invalid(type(self).__name__, "noise", "of finite variance where a variance is asked for", self.noise)
        return np.asarray(self.scale(s) ** 2 * self.noise.variance)

    def contributions(self, reports: FloatArray, query: Query | None) -> FloatArray:
        """The reports themselves: each is an unbiased estimate of its person's f(x)."""
        self._require(query)
        return reports


def release_at_points(
    query: Query, scale: Callable[[FloatArray], FloatArray], noise: Noise, guarantee: Guarantee
) -> Shifted:
    """F(x) + σ(x)·Z of a query without a coordinate: all of it in balls.

    Raises:
        InvalidParameter: for a function or a scale that has no enclosure.
    """
    low, high = query.bounds
    if not isinstance(scale, PlaceScale):
        raise invalid("report", "query", "one whose noise scale has an enclosure", type(scale).__name__)
    unit = min(scale.steepest / guarantee.epsilon, high - low)
    query.enclose_answer(np.zeros(query.space.dimension).tolist())  # refuses now what has none

    def enclose(row: Sequence[float]) -> tuple[list[arb], arb]:
        return [query.enclose_answer(row)], scale.enclose_at(query.space.enclose(row))

    return Shifted(noise.law(), (grid(unit),), enclose, scale.bounded_at)


def release(query: Query, parts: Sequence[tuple[Query, Scale]], noise: Noise, rate: float) -> Shifted:
    """F(x) + Z times the sum of scales, each of which belongs to a query.

    Raises:
        InvalidParameter: for scales whose margin does not cover rounding errors.
    """

    def enclose(row: Sequence[float]) -> tuple[list[arb], arb]:
        places = [q.geometry.enclose(row) for q, _ in parts]
        spread = total(sigma.enclose(s) for s, (_, sigma) in zip(places, parts, strict=True))
        return [query.profile.enclose(places[mine])], spread

    def bound(rows: FloatArray) -> tuple[Bounded, Bounded] | None:
        places = [q.geometry.bounded(rows) for q, _ in parts]
        pairs = zip(places, parts, strict=True)
        found = [None if s is None else sigma.bounded(s, rate) for s, (_, sigma) in pairs]
        spreads = [spread for spread in found if spread is not None]
        s = places[mine]
        answer = None if s is None else query.profile.bounded(s)
        if answer is None or len(spreads) < len(parts):
            return None
        off = np.max([sigma.off for sigma in spreads], axis=0) + 2.0**-50  # of a sum of positive numbers
        spread = Bounded(np.sum([sigma.value for sigma in spreads], axis=0), off)
        return Bounded(answer.value[:, None], answer.off[:, None]), spread

    mine = [q for q, _ in parts].index(query)
    if not all(sigma.covered(noise, rate) for _, sigma in parts):
        raise invalid("report", "gamma_share", "so small that a 64th of ε is left for η", "a larger one")
    return Shifted(noise.law(), (grid(parts[0][1].unit(query.profile, rate)),), enclose, bound)


def spend(owner: str, budget: Callable[[float], float], eta: float, epsilon: float) -> float:
    """η, lowered by rounding errors until what it spends is at most ε in floating point too."""
    step = 1e-16
    while budget(eta) > epsilon:
        eta, step = eta - step * epsilon, 2 * step
        if not eta > 0:
            raise invalid(owner, "gamma_share", "so far below 1 that something is left for η", "a larger one")
    return eta
