"""LocalLaplace: local differential privacy, for comparison (the paper's LDP)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from geopriv.mechanisms.guarantee import Guarantee
from geopriv.noise import Laplace
from geopriv.queries import Query
from geopriv.smooth.additive.additive import Additive
from geopriv.smooth.finite import even_labels, on_labels
from geopriv.smooth.scale import ConstantScale, EvenScale
from geopriv.spaces.checks import invalid, positive


@dataclass(frozen=True)
class LocalLaplace(Additive):
    """f(x) + Δ/ε'·Z with Laplace noise, Δ the range of f, and ε' = ε·C.

    Its promise is another one: any two values, however far apart, are ε'-indistinguishable. It is stronger than
    Geo-Privacy at rate ε beyond the distance C and weaker within it.
    """

    @classmethod
    def calibrate(cls, query: Query, epsilon: float | str, distance: float) -> LocalLaplace:
        """The mechanism for a query, with ε' = ε·C.

        Guarantee: ε'-LDP (Geo-Privacy with the discrete metric).

        Args:
            query: what is asked; it must be bounded.
            epsilon: per unit of distance, as a number or a sentence.
            distance: C, where the two promises meet.

        Reference: paper, Lemma 2.1 and section 5.
        """
        low, high = query.bounds
        if not math.isfinite(high - low):
            raise invalid("LocalLaplace", "query", "a query with bounded answers", query)
        budget = query.space.rate(epsilon) * positive("LocalLaplace", "distance", distance)
        scale = (high - low) / budget
        promise = Guarantee(budget, metric="discrete", reference="paper Lemma 2.1")
        if on_labels(query):
            return cls(query, promise, Laplace(), even_labels(query, scale))
        even = ConstantScale(scale) if query.has_profile else EvenScale(scale, query.lipschitz)
        return cls(query, promise, Laplace(), even)
