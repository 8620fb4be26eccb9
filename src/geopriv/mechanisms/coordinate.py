"""CoordinateLaplace: noise on the coordinate before the profile (the paper's M1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from geopriv.checks import FloatArray, invalid
from geopriv.mechanisms.base import Mechanism, Simulated
from geopriv.mechanisms.input_moments import coordinate_means
from geopriv.privacy import Guarantee
from geopriv.queries import Query


@dataclass(frozen=True)
class CoordinateLaplace(Mechanism):
    """s(x) + Z with Laplace noise of scale 1/ε on the coordinate; the analyst applies the profile.

    The paper has it for the Gaussian kernel (noise on the distance to t). The estimate f0(s + Z) is **biased** for
    every profile that is not a line; `bias` says by how much.

    Args:
        query: f = f0 ∘ s.
        guarantee: what `calibrate` proved.
    """

    query: Query
    guarantee: Guarantee

    @classmethod
    def calibrate(cls, query: Query, epsilon: float | str) -> CoordinateLaplace:
        """The mechanism for a query at a rate.

        Guarantee: (ε, 0, ∞)-GP: Laplace noise on a 1-Lipschitz coordinate; the profile is post-processing.

        Args:
            query: what is asked.
            epsilon: per unit of distance, as a number or a sentence.

        Reference: paper, section 5 (M1) and Lemma 2.3; theory T1.
        """
        rate = query.space.rate(epsilon)
        promise = Guarantee(rate, unit=query.space.distance_unit, reference="paper Lemma 2.3, theory T1")
        return cls(query, promise)

    @property
    def unbiased(self) -> bool:
        return False

    def simulate(self, x: Any, rng: np.random.Generator) -> Simulated:
        """One noisy coordinate for each value of x, from a seeded generator."""
        s = self.query.coordinate(x)
        return Simulated(s + rng.laplace(size=s.shape) / self.guarantee.epsilon)

    def bias(self, x: Any, tolerance: float | None = None) -> FloatArray:
        """E[f0(s + Z)] − f(x) for each value; exact, or to the tolerance for Custom profiles."""
        mean, _ = self._means(x, tolerance)
        return mean - self.query(x)

    def variance(self, x: Any, tolerance: float | None = None) -> FloatArray:
        """Var f0(s + Z) for each value; exact, or to the tolerance for Custom profiles."""
        mean, square = self._means(x, tolerance)
        return np.maximum(square - mean**2, 0.0)

    def contributions(self, reports: FloatArray, query: Query | None) -> FloatArray:
        """f0 at the noisy coordinates: a biased estimate of f."""
        if query is not None and query != self.query:
            raise invalid("estimate", "query", f"the one that was asked, {self.query}", query)
        return self.query.profile(reports)

    def _means(self, x: Any, tolerance: float | None) -> tuple[FloatArray, FloatArray]:
        return coordinate_means(self.query.profile, self.query.coordinate(x), self.guarantee.epsilon, tolerance)
