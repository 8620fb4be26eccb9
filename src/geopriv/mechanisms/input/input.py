"""InputLaplace: noise on the value itself; one report answers every query (the paper's M0, without its bias)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from geopriv.mechanisms.base import Mechanism
from geopriv.mechanisms.guarantee import Guarantee
from geopriv.mechanisms.input.deconvolution import Inverse, undo
from geopriv.mechanisms.input.moments import input_means
from geopriv.mechanisms.input.noises import InputNoise, input_noise
from geopriv.mechanisms.loss.worst import WorstLoss
from geopriv.mechanisms.reports import Simulated
from geopriv.mechanisms.simulation import simulate
from geopriv.noise.plans import Plan
from geopriv.queries import Query
from geopriv.spaces import Space
from geopriv.spaces.checks import FloatArray, invalid

Estimator = Literal["unbiased", "plain"]


@dataclass(frozen=True)
class InputLaplace(Mechanism):
    """x + Z with density ∝ exp(−ε·‖z‖), in any dimension; on Earth the density ∝ exp(−ε·distance) on the sphere.

    The report is a noisy point (on a LogLine, a noisy logarithm), and one report answers every query. The estimate of a
    smooth query f is the mean of g(x + Z), where g undoes the noise: E g(x + Z) = f(x). The paper's plain estimate
    f(x + Z) is **biased** for every f that is not linear, and stays so however many people report; `bias` says by how
    much.

    Args:
        space: where values live.
        guarantee: what `calibrate` proved.
        estimator: "unbiased" (for smooth queries on flat spaces) or "plain" (biased, for comparison).

    >>> from geopriv import Line, Threshold
    >>> m = InputLaplace.calibrate(Line("USD"), "1 per 8,000 USD")
    >>> q = Threshold(at=100_000, width=32_000, space=Line("USD"), edge="smooth")
    >>> m.bias([95_000.0], q), m.variance([95_000.0], q).round(3)
    (array([0.]), array([0.23]))
    >>> plain = InputLaplace.calibrate(Line("USD"), "1 per 8,000 USD", estimator="plain")
    >>> plain.bias([95_000.0], Threshold(at=100_000, width=32_000, space=Line("USD"))).round(3)
    array([0.023])
    """

    space: Space
    guarantee: Guarantee
    estimator: Estimator = "unbiased"

    def __post_init__(self) -> None:
        if self.estimator not in ("unbiased", "plain"):
            raise invalid("InputLaplace", "estimator", '"unbiased" or "plain"', self.estimator)
        if self.space.finite:
            raise invalid("InputLaplace", "space", "one with places between any two, which noise can reach", self.space)

    @classmethod
    def calibrate(cls, space: Space, epsilon: float | str, estimator: Estimator = "unbiased") -> InputLaplace:
        """The mechanism for a space at a rate.

        Guarantee: (ε, 0, ∞)-GP by the triangle inequality: the density depends on y only through dist(x, y), and its
        normaliser is the same for every x (R^d and the sphere look the same from all their points). The estimator is
        post-processing.

        Args:
            space: where values live.
            epsilon: per unit of distance, as a number or a sentence.
            estimator: "unbiased" or "plain".

        Reference: Andrés et al. 2013; paper, Lemma 2.3; theory T6.
        """
        rate = space.rate(epsilon)
        return cls(space, Guarantee(rate, unit=space.distance_unit, reference="paper Lemma 2.3"), estimator)

    @property
    def unbiased(self) -> bool:
        return self.estimator == "unbiased"

    def simulate(self, x: Any, rng: np.random.Generator) -> Simulated:
        """One noisy point for each value of x, from a seeded generator."""
        return Simulated(simulate(self.space, x, rng, self._noise.move))

    @property
    def report_shape(self) -> tuple[int, ...]:
        return self.space.point_shape

    def releases(self) -> list[Plan]:
        return [self._noise.release()]

    def worst_loss(self) -> WorstLoss:
        return self._noise.worst_loss()

    def log_density(self, points: FloatArray, reports: FloatArray) -> FloatArray:
        """The logarithm of the density of reports (per unit of length, area, …) given true points."""
        return self._noise.log_density(points, reports)

    def moments(self, x: Any, query: Query) -> tuple[FloatArray, FloatArray]:
        return self.bias(x, query), self.variance(x, query)

    def bias(self, x: Any, query: Query) -> FloatArray:
        """E[estimate] − f(x) for each value: 0, or of the plain estimate exact.

        Raises:
            InvalidParameter: for a query without an inverse, or whose plain estimate has no closed form.
        """
        if self.unbiased:
            self._inverse(query)
            return np.zeros(self._shape(self.space.read(x)))
        mean, _ = self._means(x, query)
        return mean - query(x)

    def variance(self, x: Any, query: Query) -> FloatArray:
        """The variance of what a report adds, for each value; exact.

        Raises:
            InvalidParameter: for a query without an inverse, or whose plain estimate has no closed form.
        """
        if self.unbiased:
            points = self.space.read(x)
            square = self._inverse(query).second_moment(points)
            return np.maximum(square - query.answer(points) ** 2, 0.0)
        mean, square = self._means(x, query)
        return np.maximum(square - mean**2, 0.0)

    def largest_bias(self, query: Query | None = None) -> float:
        """What tables and splines may leave of a bias, at most; not known for the plain estimate, or for no query."""
        return self._inverse(query).error if self.unbiased and query is not None else math.nan

    def contributions(self, reports: FloatArray, query: Query | None) -> FloatArray:
        """What undoes the noise, at the noisy points; for the plain estimate f there, which is biased."""
        if query is None:
            raise invalid("estimate", "query", "given, since an input report can answer any", query)
        self._require_space(query)
        return self._inverse(query)(reports) if self.unbiased else query.answer(reports)

    @property
    def _noise(self) -> InputNoise:
        return input_noise(self.space, self.guarantee.epsilon)

    def _inverse(self, query: Query) -> Inverse:
        self._require_space(query)
        return undo(query, self.guarantee.epsilon)

    def _means(self, x: Any, query: Query) -> tuple[FloatArray, FloatArray]:
        self._require_space(query)
        return input_means(query, self.space.read(x), self.guarantee.epsilon)

    def _require_space(self, query: Query) -> None:
        if query.space != self.space:
            raise invalid("InputLaplace", "query", f"on the space of the reports, {self.space}", query.space)

    def _shape(self, points: FloatArray) -> tuple[int, ...]:
        return points.shape[: points.ndim - len(self.space.point_shape)]
