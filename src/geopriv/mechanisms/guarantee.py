"""What is promised: ε per distance, δ, radius, unit, and the theorem behind it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from geopriv.spaces.checks import (
    finite,
    invalid,
    positive,
    positive_or_infinite,
)
from geopriv.spaces.notes import Endless, Note, Positive
from geopriv.spaces.rounding import above
from geopriv.spaces.shown import Shown
from geopriv.spaces.units import ratio_base


@dataclass(frozen=True)
class Guarantee(Shown):
    """(ε, δ, Λ)-GP: P[M(x) ∈ S] ≤ exp(ε·dist(x, x'))·P[M(x') ∈ S] + δ for all S and all x, x' within Λ.

    Args:
        epsilon: privacy loss per unit of distance; with the discrete metric, between any two values.
        delta: 0 for pure privacy.
        radius: Λ, how far apart x and x' may be.
        unit: of distance.
        metric: "distance" (Geo-Privacy), "discrete" (local differential privacy), or "trajectories": of several
            reports together, where the distance is D = |x₁ − x'₁| + Σ |moves of x less moves of x'| (theory T15).
        reference: the theorem that proves it.

    >>> promise = Guarantee(epsilon=0.001, unit="m", reference="T1")
    >>> print(promise)
    0.001 per m: two values 300 m apart look alike up to a factor 1.35
    """

    epsilon: Positive
    delta: float = 0.0
    radius: Endless = math.inf
    unit: str | None = None
    metric: Literal["distance", "discrete", "trajectories"] = "distance"
    reference: str = ""

    def __post_init__(self) -> None:
        positive("Guarantee", "epsilon", self.epsilon)
        positive_or_infinite("Guarantee", "radius", self.radius)
        if not 0 <= finite("Guarantee", "delta", self.delta) < 1:
            raise invalid("Guarantee", "delta", "at least 0 and below 1", self.delta)
        if self.metric not in ("distance", "discrete", "trajectories"):
            raise invalid("Guarantee", "metric", '"distance", "discrete" or "trajectories"', self.metric)

    def log_factor(self, distance: float) -> float:
        """The logarithm of the factor up to which two values at that distance look alike."""
        return self.epsilon * (distance if self.metric != "discrete" else float(distance > 0))

    def factor(self, distance: float) -> float:
        """The factor up to which two values at that distance look alike (besides δ)."""
        return math.exp(min(self.log_factor(distance), 709.0))

    def alike(self, distance: float) -> str:
        """The same to three digits, rounded up: a promise must not look better than it is.

        >>> Guarantee(0.25).factor(1.0), Guarantee(0.25).alike(1.0)
        (1.2840254166877414, '1.29')
        """
        return f"{above(self.factor(distance), 3):.3g}"

    def __str__(self) -> str:
        extra = (f", except with probability {self.delta:g}" if self.delta else "") + (
            f", for values within {self.radius:g} {self.unit or ''}".rstrip() if math.isfinite(self.radius) else ""
        )
        if self.metric == "discrete":
            return f"{self.epsilon:.6g}: any two values look alike up to a factor {self.alike(1)}{extra}"
        example = self.example(0.3)
        if self.metric == "trajectories":
            return (
                f"{self._rate}, of all rounds together: two who stay {self.apart(example)} apart look alike up to a "
                f"factor {self.alike(example)}{extra}, and each move that one makes and the other does not counts as "
                "much again as it is long"
            )
        return (
            f"{self._rate}: two values {self.apart(example)} apart look alike up to a "
            f"factor {self.alike(example)}{extra}"
        )

    @property
    def _rate(self) -> str:
        """ε in words; per ratio that costs 1 where the unit of distance is a factor."""
        base = ratio_base(self.unit)
        if base is None:
            return f"{self.epsilon:.6g} per {self.unit or 'unit'}"
        return f"1 per factor {base ** min(1 / self.epsilon, 700 / math.log(base)):,.6g}"

    def example(self, loss: float) -> float:
        """A distance at about which so much is lost, chosen to be a round number (on a log space a round ratio)."""
        base = ratio_base(self.unit)
        if base is None:
            return float(f"{loss / self.epsilon:.1g}")
        ratio = base ** min(loss / self.epsilon, 700 / math.log(base))
        ratio = max(float(f"{ratio:.{2 if ratio >= 1.1 else 3}g}"), 1.01)
        return math.log(ratio) / math.log(base)

    def apart(self, distance: float) -> str:
        """A distance in words: with its unit, or as a ratio where the unit of distance is a factor.

        >>> Guarantee(1.0, unit="factor 2").apart(3.0), Guarantee(1.0).apart(2.0)
        ('a factor 8', '2 units')
        """
        base = ratio_base(self.unit)
        if base is not None:
            return f"a factor {base**distance:,.4g}"
        return f"{distance:,.6g} {self.unit or ('unit' if distance == 1 else 'units')}"


_PURE = Note(properties={"delta": {"const": 0}, "radius": {"const": "inf"}, "metric": {"const": "distance"}})
Pure = Annotated[Guarantee, _PURE]  # of one report, the only promises that devices take
_WALKED = Note(properties={"delta": {"const": 0}, "radius": {"const": "inf"}, "metric": {"const": "trajectories"}})
Trajectories = Annotated[Guarantee, _WALKED]  # of the reports of a walk together


def compose(*guarantees: Guarantee) -> Guarantee:
    """The promise of answering several questions about the same person: ε and δ add, the smallest radius holds.

    Reference: basic composition; it holds for every metric because exp(ε₁d)·exp(ε₂d) = exp((ε₁+ε₂)d).

    >>> compose(Guarantee(0.1), Guarantee(0.2)).epsilon.__round__(12)
    0.3
    """
    _same_kind(guarantees)
    return replace(
        guarantees[0],
        epsilon=math.fsum(g.epsilon for g in guarantees),
        delta=math.fsum(g.delta for g in guarantees),
        radius=min(g.radius for g in guarantees),
        reference="basic composition of: " + "; ".join(dict.fromkeys(g.reference for g in guarantees)),
    )


def partition(*guarantees: Guarantee) -> Guarantee:
    """The promise when each person answers only one question, assigned before and independently of x: the weakest one.

    >>> partition(Guarantee(0.1), Guarantee(0.2)).epsilon
    0.2
    """
    _same_kind(guarantees)
    return replace(
        guarantees[0],
        epsilon=max(g.epsilon for g in guarantees),
        delta=max(g.delta for g in guarantees),
        radius=min(g.radius for g in guarantees),
        reference="one question a person, the weakest of: " + "; ".join(dict.fromkeys(g.reference for g in guarantees)),
    )


def require_per_distance(owner: str, guarantee: Guarantee, unit: str | None) -> None:
    """Refuse a promise in another metric or another unit of distance."""
    if (guarantee.metric, guarantee.unit) != ("distance", unit):
        raise invalid(owner, "guarantee", f"per distance in the unit of the space, {unit}", str(guarantee))


def _same_kind(guarantees: tuple[Guarantee, ...]) -> None:
    if not guarantees:
        raise invalid("compose", "guarantees", "at least one", guarantees)
    kinds = {(g.unit, g.metric) for g in guarantees}
    if len(kinds) > 1:
        raise invalid("compose", "guarantees", "of one unit and one metric", sorted(map(str, kinds)))
