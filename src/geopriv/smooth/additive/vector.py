"""VectorSmoothCauchy: several queries in one release."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from geopriv.mechanisms.base import Mechanism
from geopriv.mechanisms.guarantee import Guarantee
from geopriv.mechanisms.loss.worst import WorstLoss
from geopriv.mechanisms.reports import Simulated
from geopriv.mechanisms.simulation import simulate
from geopriv.noise import GeneralizedCauchy
from geopriv.noise.plans import Shifted
from geopriv.queries import Query, common_space
from geopriv.smooth.additive.additive import release
from geopriv.smooth.additive.smooth import SmoothScale, cauchy_budget
from geopriv.smooth.sensitivity import ExponentialGrowth, smooth_sensitivity
from geopriv.smooth.vector_loss import worst_of_vector
from geopriv.spaces import Space
from geopriv.spaces.checks import FloatArray, invalid, positive_or_infinite


@dataclass(frozen=True)
class VectorSmoothCauchy(Mechanism):
    """(f_1(x), …, f_m(x)) + B(x)/η·(Z_1, …, Z_m) with independent generalized Cauchy noise and B = Σ B*_j.

    The sum of γ-smooth bounds is γ-smooth, and Σ L_j bounds the Lipschitz constant of the vector under ℓ1.

    Args:
        queries: f_1, …, f_m on one space.
        guarantee: what `calibrate` proved, for the whole vector.
        noise: the law of each Z_j.
        gamma: rate of the growth.
        eta: B(x)/η is the scale.
        radius: Λ.
    """

    queries: tuple[Query, ...]
    guarantee: Guarantee
    noise: GeneralizedCauchy
    gamma: float
    eta: float
    radius: float = math.inf

    @classmethod
    def calibrate(
        cls,
        queries: Sequence[Query],
        epsilon: float | str,
        gamma_share: float = 1 / 3,
        p: float = 4.0,
        theta: float = 1.0,
        radius: float = math.inf,
    ) -> VectorSmoothCauchy:
        """The mechanism for m queries at one rate: ε = m·max(1, pθ − 1)·γ + (p − 1)^((p−1)/p)·θ·η.

        Guarantee: (ε, 0, ∞)-GP for the vector as a whole, on a space in which any two points are joined by a path of
        their distance (a line, R^d, the sphere).

        Args:
            queries: at least one, all on the same space.
            epsilon: per unit of distance, for the whole vector.
            gamma_share: the part of ε spent on the change of the scale.
            p: of the noise, at least 1.
            theta: of the noise, with pθ > 1; a variance needs pθ > 3.
            radius: Λ of the pointwise Lipschitz constants.

        Reference: paper, Corollary 3.2; theory T2's corollary.
        """
        asked, space = common_space("VectorSmoothCauchy", queries)
        rate = space.rate(epsilon)
        noise, gamma, eta = cauchy_budget("VectorSmoothCauchy", rate, gamma_share, p, theta, len(asked))
        promise = Guarantee(rate, unit=space.distance_unit, reference="paper Corollary 3.2, theory T2 (chaining)")
        reach = positive_or_infinite("VectorSmoothCauchy", "radius", radius)
        return cls(asked, promise, noise, gamma, eta, reach)

    @property
    def space(self) -> Space:  # type: ignore[override] # nobody may set it
        """Where values live: the same for all queries."""
        return self.queries[0].space

    @property
    def asked(self) -> tuple[Query, ...]:
        return self.queries

    @property
    def report_shape(self) -> tuple[int, ...]:
        return (len(self.queries),)

    def releases(self) -> list[Shifted]:
        growth = ExponentialGrowth(self.gamma)
        parts = [(query, SmoothScale(query, growth, self.eta, self.radius)) for query in self.queries]
        return [release(query, parts, self.noise, self.guarantee.epsilon) for query in self.queries]

    @property
    def unbiased(self) -> bool:
        return self.noise.moments > 1

    def answers(self, x: Any) -> FloatArray:
        """(f_1(x), …, f_m(x)), shape (..., m)."""
        return self._answers_at(self.space.read(x))

    def scale(self, x: Any) -> FloatArray:
        """B(x)/η for each value."""
        return self._scale_at(self.space.read(x))

    def simulate(self, x: Any, rng: np.random.Generator) -> Simulated:
        """One vector of m releases for each value of x, from a seeded generator."""

        def noisy(points: FloatArray, rng: np.random.Generator) -> FloatArray:
            answers = self._answers_at(points)
            return answers + self._scale_at(points)[..., None] * self.noise.sample(rng, answers.shape)

        return Simulated(simulate(self.space, x, rng, noisy))

    def worst_loss(self) -> WorstLoss:
        return worst_of_vector(self.queries, self.noise, self.guarantee, self.answers, self.scale)

    def bias(self, x: Any) -> FloatArray:
        """Zero for every query, shape (..., m), by symmetry."""
        if not self.noise.moments > 1:
            raise invalid("VectorSmoothCauchy", "noise", "of finite mean where a bias is asked for", self.noise)
        return np.zeros_like(self.answers(x))

    def variance(self, x: Any) -> FloatArray:
        """The variance of each release, shape (..., m), exactly."""
        if not self.noise.moments > 2:
            raise invalid("VectorSmoothCauchy", "noise", "of finite variance where a variance is asked for", self.noise)
        return np.repeat((self.scale(x) ** 2 * self.noise.variance)[..., None], len(self.queries), axis=-1)

    def moments(self, x: Any, query: Query) -> tuple[FloatArray, FloatArray]:
        if query not in self.queries:
            raise invalid("VectorSmoothCauchy", "query", "one that was asked", query)
        column = self.queries.index(query)
        return self.bias(x)[..., column], self.variance(x)[..., column]

    def contributions(self, reports: FloatArray, query: Query | None) -> FloatArray:
        """The reports about one of the queries."""
        if query not in self.queries:
            raise invalid("estimate", "query", "one of those that were asked", query)
        if reports.ndim != 2 or reports.shape[1] != len(self.queries):
            raise invalid("estimate", "reports", f"of shape (n, {len(self.queries)})", reports.shape)
        return reports[:, self.queries.index(query)]

    def _answers_at(self, points: FloatArray) -> FloatArray:
        return np.stack([query.answer(points) for query in self.queries], axis=-1)

    def _scale_at(self, points: FloatArray) -> FloatArray:
        growth = ExponentialGrowth(self.gamma)
        bounds = [smooth_sensitivity(q.profile, growth, q.geometry(points), self.radius) for q in self.queries]
        return np.asarray(np.sum(bounds, axis=0)) / self.eta
