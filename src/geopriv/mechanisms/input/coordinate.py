"""CoordinateLaplace: noise on the coordinate before the profile (the paper's M1)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from geopriv.mechanisms.base import OfOneQuery
from geopriv.mechanisms.guarantee import Guarantee
from geopriv.mechanisms.input.deconvolution import OfCoordinate, undo_coordinate
from geopriv.mechanisms.input.input import Estimator
from geopriv.mechanisms.input.moments import coordinate_means
from geopriv.mechanisms.input.noises import constant
from geopriv.mechanisms.loss.line import worst_of_coordinate
from geopriv.mechanisms.loss.worst import WorstLoss
from geopriv.mechanisms.reports import Simulated
from geopriv.mechanisms.simulation import simulate
from geopriv.noise import Laplace
from geopriv.noise.plans import Shifted, grid
from geopriv.queries import Query
from geopriv.spaces.balls import arb
from geopriv.spaces.bounded import Bounded
from geopriv.spaces.checks import FloatArray, invalid


@dataclass(frozen=True)
class CoordinateLaplace(OfOneQuery):
    """s(x) + Z with Laplace noise of scale 1/ε on the coordinate; the analyst does the rest.

    For a profile with a continuous slope the estimate is the mean of g0(s + Z), g0 = f0 − f0''/ε²: unbiased. The
    paper's plain estimate f0(s + Z) (it has it for the Gaussian kernel) is **biased** for every profile that is not a
    line; `bias` says by how much.

    Args:
        query: f = f0 ∘ s.
        guarantee: what `calibrate` proved.
        estimator: "unbiased" (for smooth profiles) or "plain" (biased, for comparison).

    >>> from geopriv import GaussianKernel
    >>> q = GaussianKernel(center=(0.0, 0.0), bandwidth=2.0)
    >>> CoordinateLaplace.calibrate(q, epsilon=1.0).variance([(0.0, 0.0), (6.0, 0.0)]).round(3)
    array([0.105, 0.011])
    """

    query: Query
    guarantee: Guarantee
    estimator: Estimator = "unbiased"

    def __post_init__(self) -> None:
        if self.estimator not in ("unbiased", "plain"):
            raise invalid("CoordinateLaplace", "estimator", '"unbiased" or "plain"', self.estimator)
        if self.estimator == "unbiased":
            self._inverse  # noqa: B018 # refuses a profile that is too rough

    @classmethod
    def calibrate(cls, query: Query, epsilon: float | str, estimator: Estimator = "unbiased") -> CoordinateLaplace:
        """The mechanism for a query at a rate.

        Guarantee: (ε, 0, ∞)-GP: Laplace noise on a 1-Lipschitz coordinate; the rest is post-processing.

        Args:
            query: what is asked.
            epsilon: per unit of distance, as a number or a sentence.
            estimator: "unbiased" or "plain".

        Raises:
            InvalidParameter: for the unbiased estimate of a profile that has kinks.

        Reference: paper, section 5 (M1) and Lemma 2.3; theory T1 and T6.
        """
        rate = query.space.rate(epsilon)
        promise = Guarantee(rate, unit=query.space.distance_unit, reference="paper Lemma 2.3, theory T1")
        return cls(query, promise, estimator)

    @property
    def unbiased(self) -> bool:
        return self.estimator == "unbiased"

    def simulate(self, x: Any, rng: np.random.Generator) -> Simulated:
        """One noisy coordinate for each value of x, from a seeded generator."""

        def release(points: FloatArray, rng: np.random.Generator) -> FloatArray:
            s = self.query.geometry(points)
            return s + rng.laplace(size=s.shape) / self.guarantee.epsilon

        return Simulated(simulate(self.query.space, x, rng, release))

    def releases(self) -> list[Shifted]:
        query, rate = self.query, self.guarantee.epsilon

        def bound(rows: FloatArray) -> tuple[Bounded, Bounded] | None:
            s = query.geometry.bounded(rows)
            return None if s is None else (Bounded(s.value[:, None], s.off[:, None]), constant(1 / rate, len(rows)))

        def enclose(row: Sequence[float]) -> tuple[list[arb], arb]:
            return [query.geometry.enclose(row)], 1 / arb(rate)

        return [Shifted(Laplace().law(), (grid(1 / rate),), enclose, bound)]

    def worst_loss(self) -> WorstLoss:
        return worst_of_coordinate(self.query.profile, Laplace(), self.guarantee)

    def bias(self, x: Any) -> FloatArray:
        """E[estimate] − f(x) for each value: 0, or of the plain estimate exact.

        Raises:
            InvalidParameter: for a profile whose plain estimate has no closed form.
        """
        if self.unbiased:
            return np.zeros(self.query.coordinate(x).shape)
        s = self.query.coordinate(x)
        mean, _ = coordinate_means(self.query.profile, s, self.guarantee.epsilon)
        return mean - self.query.profile(s)

    def variance(self, x: Any) -> FloatArray:
        """The variance of what a report adds, for each value; exact.

        Raises:
            InvalidParameter: for a profile whose plain estimate has no closed form.
        """
        s = self.query.coordinate(x)
        if self.unbiased:
            return self.variance_at(s)
        mean, square = coordinate_means(self.query.profile, s, self.guarantee.epsilon)
        return np.maximum(square - mean**2, 0.0)

    def variance_at(self, s: FloatArray) -> FloatArray:
        """The variance of the unbiased estimate at coordinates."""
        return np.asarray(np.maximum(self._inverse.moment(s) - self.query.profile(s) ** 2, 0.0))

    def largest_bias(self, query: Query | None = None) -> float:
        """What a spline may leave of a bias, at most; not known for the plain estimate."""
        self._require(query)
        return self._inverse.error if self.unbiased else math.nan

    def contributions(self, reports: FloatArray, query: Query | None) -> FloatArray:
        """What undoes the noise, at the noisy coordinates; for the plain estimate f0 there, which is biased."""
        self._require(query)
        return self._inverse.function(reports) if self.unbiased else self.query.profile(reports)

    @property
    def _inverse(self) -> OfCoordinate:
        return undo_coordinate(self.query, self.guarantee.epsilon)
