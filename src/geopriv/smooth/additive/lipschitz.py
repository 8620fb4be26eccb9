"""LipschitzLaplace: the same Laplace noise for everyone (the paper's M2)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from geopriv.mechanisms.guarantee import Guarantee
from geopriv.noise import Laplace
from geopriv.queries import Query
from geopriv.smooth.additive.additive import Additive
from geopriv.smooth.cells import CELLS, cells_of
from geopriv.smooth.finite import even_labels, on_labels
from geopriv.smooth.scale import ConstantScale, EvenScale


@dataclass(frozen=True)
class LipschitzLaplace(Additive):
    """f(x) + K/ε·Z with Laplace noise Z and K the Lipschitz constant of f.

    >>> from geopriv import Threshold
    >>> m = LipschitzLaplace.calibrate(Threshold(at=100_000, width=16_000), epsilon=1 / 8000)
    >>> m.variance([0.0, 100_000.0])
    array([0.5, 0.5])
    """

    @classmethod
    def calibrate(cls, query: Query, epsilon: float | str, cells: float = CELLS) -> LipschitzLaplace:
        """The mechanism for a query at a rate.

        Guarantee: (ε, 0, ∞)-GP. |f(x) − f(x')| ≤ K·dist(x, x'), so the exponent of the
        Laplace density moves by at most ε·dist.

        Args:
            query: what is asked.
            epsilon: per unit of distance, as a number or a sentence such as "1 per 10,000 USD".
            cells: in units of 1/ε, on which the slope of a Function is bounded (theory G8).

        Reference: paper, Lemma 2.3; theory T1, E1.
        """
        rate = query.space.rate(epsilon)
        promise = Guarantee(rate, unit=query.space.distance_unit, reference="paper Lemma 2.3, theory T1")
        if on_labels(query):
            promise = replace(promise, reference="paper Lemma 2.3")
            return cls(query, promise, Laplace(), even_labels(query, query.lipschitz / rate))
        if not query.has_profile:
            steepest = cells_of(query, cells / rate).top
            return cls(
                query,
                replace(promise, reference="paper Lemma 2.3, theory G8"),
                Laplace(),
                EvenScale(steepest / rate, steepest),
            )
        return cls(query, promise, Laplace(), ConstantScale(query.profile.lipschitz / rate))
