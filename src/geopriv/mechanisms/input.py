"""InputLaplace: noise on the value itself; one report can answer every query (the paper's M0)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from geopriv.checks import FloatArray, invalid
from geopriv.mechanisms.base import Mechanism, Simulated
from geopriv.mechanisms.input_moments import input_means
from geopriv.noise import PlanarLaplace, SphericalLaplace
from geopriv.privacy import Guarantee
from geopriv.queries import Query
from geopriv.spaces import Earth, Space


@dataclass(frozen=True)
class InputLaplace(Mechanism):
    """x + Z with density ∝ exp(−ε·‖z‖), in any dimension; on Earth the density ∝ exp(−ε·distance) on the sphere.

    The report is a noisy point (on a LogLine, a noisy logarithm). The plain estimate f(x + Z) of a query is **biased**
    for every f that is not linear, and stays so however many people report; `bias` says by how much.

    Args:
        space: where values live.
        guarantee: what `calibrate` proved.

    >>> from geopriv import Line, Threshold
    >>> m = InputLaplace.calibrate(Line("USD"), "1 per 8,000 USD")
    >>> m.bias([95_000.0], Threshold(at=100_000, width=16_000, space=Line("USD"))).round(4)
    array([0.1226])
    """

    space: Space
    guarantee: Guarantee

    @classmethod
    def calibrate(cls, space: Space, epsilon: float | str) -> InputLaplace:
        """The mechanism for a space at a rate.

        Guarantee: (ε, 0, ∞)-GP by the triangle inequality: the density depends on y only through dist(x, y), and its
        normaliser is the same for every x (R^d and the sphere look the same from all their points).

        Args:
            space: where values live.
            epsilon: per unit of distance, as a number or a sentence.

        Reference: Andrés et al. 2013; paper, Lemma 2.3.
        """
        rate = space.rate(epsilon)
        return cls(space, Guarantee(rate, unit=space.distance_unit, reference="paper Lemma 2.3"))

    @property
    def unbiased(self) -> bool:
        return False

    def simulate(self, x: Any, rng: np.random.Generator) -> Simulated:
        """One noisy point for each value of x, from a seeded generator."""
        points = self.space.read(x)
        shape = points.shape[: points.ndim - len(self.space.point_shape)]
        rate = self.guarantee.epsilon
        if isinstance(self.space, Earth):
            angle, bearing = SphericalLaplace(rate * self.space.radius).sample(rng, shape)
            return Simulated(self.space.move(points, angle * self.space.radius, bearing))
        noise = PlanarLaplace(self.space.dimension).sample(rng, shape) / rate
        return Simulated(points + noise.reshape(points.shape))

    def log_density(self, points: FloatArray, reports: FloatArray) -> FloatArray:
        """The logarithm of the density of reports (per unit of length, area, …) given true points."""
        rate = self.guarantee.epsilon
        if isinstance(self.space, Earth):
            angle = self.space.between(points, reports) / self.space.radius
            return np.asarray(SphericalLaplace(rate * self.space.radius).log_pdf(angle) - 2 * np.log(self.space.radius))
        d = self.space.dimension
        step = rate * (reports - points)
        step = step if self.space.point_shape else step[..., None]
        return np.asarray(PlanarLaplace(d).log_pdf(step) + d * np.log(rate))

    def bias(self, x: Any, query: Query, tolerance: float | None = None) -> FloatArray:
        """E[f(x + Z)] − f(x) for each value; exact, or to the tolerance where only quadrature is left."""
        mean, _ = self._means(x, query, tolerance)
        return mean - query(x)

    def variance(self, x: Any, query: Query, tolerance: float | None = None) -> FloatArray:
        """Var f(x + Z) for each value; exact, or to the tolerance where only quadrature is left."""
        mean, square = self._means(x, query, tolerance)
        return np.maximum(square - mean**2, 0.0)

    def contributions(self, reports: FloatArray, query: Query | None) -> FloatArray:
        """F at the noisy points: a biased estimate of f at the true ones."""
        if query is None:
            raise invalid("estimate", "query", "given, since an input report can answer any", query)
        self._require_space(query)
        return query.profile(query.geometry(reports))

    def _means(self, x: Any, query: Query, tolerance: float | None) -> tuple[FloatArray, FloatArray]:
        self._require_space(query)
        return input_means(query, self.space.read(x), self.guarantee.epsilon, tolerance)

    def _require_space(self, query: Query) -> None:
        if query.space != self.space:
            raise invalid("InputLaplace", "query", f"on the space of the reports, {self.space}", query.space)
