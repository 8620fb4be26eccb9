"""What mechanisms have in common: the result of a simulation, and additive noise."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from geopriv.mechanisms.guarantee import Guarantee
from geopriv.mechanisms.simulation import simulate
from geopriv.noise import Noise
from geopriv.queries import Query
from geopriv.spaces.checks import FloatArray, invalid

if TYPE_CHECKING:
    from geopriv.mechanisms.reports import Reports


@dataclass(frozen=True, eq=False)
class Simulated:
    """Releases drawn with fast floats from a seeded generator: for studies only.

    This is deliberately not the type of a report. A seeded generator can be replayed and float noise leaves traces
    (theory E12), so nothing that a person sends is made this way.
    """

    values: FloatArray

    def __len__(self) -> int:
        return len(self.values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.asarray(self.values, dtype=dtype)


class Mechanism(ABC):
    """A randomised release of one person's value with a guarantee."""

    guarantee: Guarantee

    @property
    @abstractmethod
    def unbiased(self) -> bool:
        """Whether the estimate from its reports is unbiased."""

    def largest_bias(self, query: Query | None = None) -> float:
        """A bound on the bias of the estimate over all values, or the largest found; not-a-number where unknown."""
        return 0.0 if self.unbiased else math.nan

    @abstractmethod
    def simulate(self, x: Any, rng: np.random.Generator) -> Simulated:
        """One release for each value of x, from a seeded generator: the same on any number of cores."""

    def report(self, x: Any) -> Reports:
        """What each person sends: exact, from a cryptographic generator, on a public grid.

        Guarantee: `guarantee`, for every float x: a report is the exact rounding of the ideal release.

        Raises:
            InvalidParameter: for a query whose answer or noise scale has no enclosure.

        Reference: docs/exactness.md.
        """
        from geopriv.mechanisms.reports import report

        return report(self, x)

    @abstractmethod
    def contributions(self, reports: FloatArray, query: Query | None) -> FloatArray:
        """What each report adds to the mean that estimates the query."""

    def distinct(self, reports: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The same reports with how often each came, where many are alike; else all of them, each once."""
        return reports, np.ones(1)


@dataclass(frozen=True)
class ConstantScale:
    """The same σ at every coordinate."""

    value: float

    def __call__(self, s: FloatArray) -> FloatArray:
        return np.full_like(s, self.value)


@dataclass(frozen=True)
class Additive(Mechanism):
    """f(x) + σ(s(x))·Z: the answer, plus symmetric noise whose scale depends on the coordinate alone.

    Unbiased, with variance σ²·Var(Z).

    Args:
        query: f = f0 ∘ s.
        guarantee: what `calibrate` proved.
        noise: the law of Z.
        scale: σ, a function of coordinates.
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

        def release(points: FloatArray, rng: np.random.Generator) -> FloatArray:
            s = self.query.geometry(points)
            return self.query.profile(s) + self.scale(s) * self.noise.sample(rng, s.shape)

        return Simulated(simulate(self.query.space, x, rng, release))

    def bias(self, x: Any) -> FloatArray:
        """E[release] − f(x) for each value: zero, by symmetry.

        Raises:
            InvalidParameter: where the noise has no mean.
        """
        if not self.noise.moments > 1:
            raise invalid(type(self).__name__, "noise", "of finite mean where a bias is asked for", self.noise)
        return np.zeros(self.query.coordinate(x).shape)

    def variance(self, x: Any) -> FloatArray:
        """The variance of the release for each value: σ(s(x))²·Var(Z), exactly.

        Raises:
            InvalidParameter: where the noise has no variance.
        """
        return self.variance_at(self.query.coordinate(x))

    def variance_at(self, s: FloatArray) -> FloatArray:
        """The variance at coordinates."""
        if not self.noise.moments > 2:
            raise invalid(type(self).__name__, "noise", "of finite variance where a variance is asked for", self.noise)
        return np.asarray(self.scale(s) ** 2 * self.noise.variance)

    def contributions(self, reports: FloatArray, query: Query | None) -> FloatArray:
        """The reports themselves: each is an unbiased estimate of its person's f(x)."""
        if query is not None and query != self.query:
            raise invalid("estimate", "query", f"the one that was asked, {self.query}", query)
        return reports


def spend(owner: str, budget: Callable[[float], float], eta: float, epsilon: float) -> float:
    """η, lowered by rounding errors until what it spends is at most ε in floating point too."""
    step = 1e-16
    while budget(eta) > epsilon:
        eta, step = eta - step * epsilon, 2 * step
        if not eta > 0:
            raise invalid(owner, "gamma_share", "so far below 1 that something is left for η", "a larger one")
    return eta
