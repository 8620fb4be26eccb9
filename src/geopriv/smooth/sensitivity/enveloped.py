"""Profiles without a closed form: what the step function above their L_Λ gives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from geopriv.shapes.profiles import Curved, Gaussian, PiecewiseLinear
from geopriv.smooth.sensitivity import gaussian
from geopriv.smooth.sensitivity.base import Sensitivity
from geopriv.smooth.sensitivity.envelope import Envelope, envelope
from geopriv.smooth.sensitivity.gaussian_envelope import gaussian_envelope
from geopriv.smooth.sensitivity.growth import Growth
from geopriv.spaces.balls import arb, greatest
from geopriv.spaces.bounded import ROUNDING, Bounded
from geopriv.spaces.checks import FloatArray, invalid


@dataclass(frozen=True)
class OfPieces(Sensitivity):
    """Straight pieces, and curves of known curvature.

    Args:
        profile: f0.
        radius: Λ.
        cells: resolution of the generic procedure.
    """

    profile: PiecewiseLinear | Curved
    radius: float
    cells: int

    def pointwise(self, s: FloatArray) -> FloatArray:
        return self._envelope.pointwise(s)

    def smooth(self, growth: Growth, s: FloatArray) -> FloatArray:
        return self._envelope.smooth(growth, s)

    def enclose(self, growth: Growth, s: arb) -> arb:
        return enclose_supremum(self._envelope, growth, s)

    def bounded(self, growth: Growth, s: Bounded, rate: float) -> Bounded | None:
        return bounded_supremum(self._envelope, growth, s, np.abs(s.value), rate)

    @property
    def _envelope(self) -> Envelope:
        return envelope(self.profile, self.radius, self.cells)


@dataclass(frozen=True)
class OfFunction(Sensitivity):
    """A function that is known through its computed values only: nothing of it can be enclosed."""

    profile: Curved
    radius: float
    cells: int

    def pointwise(self, s: FloatArray) -> FloatArray:
        return envelope(self.profile, self.radius, self.cells).pointwise(s)

    def smooth(self, growth: Growth, s: FloatArray) -> FloatArray:
        return envelope(self.profile, self.radius, self.cells).smooth(growth, s)

    def enclose(self, growth: Growth, s: arb) -> arb:
        rule = (
            "one whose smooth sensitivity has an enclosure (LeastScaleT and Table answer it exactly, with less noise)"
        )
        raise invalid("report", "query", rule, type(self.profile).__name__)

    def bounded(self, growth: Growth, s: Bounded, rate: float) -> None:
        """None: there is nothing to enclose."""


@dataclass(frozen=True)
class OfGaussian(Sensitivity):
    """A Gaussian: L_Λ and B* to rounding errors; what is enclosed is a step function above."""

    profile: Gaussian
    radius: float

    def pointwise(self, s: FloatArray) -> FloatArray:
        return gaussian.pointwise(self.profile, s, self.radius)

    def smooth(self, growth: Growth, s: FloatArray) -> FloatArray:
        return gaussian.smooth(self.profile, growth, s, self.radius)

    def enclose(self, growth: Growth, s: arb) -> arb:
        return enclose_supremum(gaussian_envelope(self.profile, self.radius), growth, abs(s - self.profile.center))

    def bounded(self, growth: Growth, s: Bounded, rate: float) -> Bounded | None:
        bound, center = gaussian_envelope(self.profile, self.radius), self.profile.center
        away = Bounded(np.abs(s.value - center), s.off)
        return bounded_supremum(bound, growth, away, np.abs(s.value) + abs(center), rate)


def bounded_supremum(bound: Envelope, growth: Growth, s: Bounded, size: FloatArray, rate: float) -> Bounded | None:
    """`Envelope.smooth` with a relative error; None where a supremum depends on where it is looked at.

    Args:
        bound: the step function.
        growth: g.
        s: where, and how wrong that is but for the last rounding.
        size: of the numbers from which s was computed.
        rate: ε.
    """
    if not growth.multiplicative:
        return None
    tails = ((bound.left, float(bound.edges[0])), (bound.right, float(bound.edges[-1])))
    feet = [abs(1 / (edge - foot)) for (_, where), edge in tails for foot in where.tolist()]
    steepest = rate + max(feet, default=0.0)
    place = size + float(np.abs(bound.edges[[0, -2]]).max())
    off = steepest * (s.off + ROUNDING * place) + ROUNDING * (700 + 4 * growth.gamma * place)
    return Bounded(bound.smooth(growth, s.value), off)


def enclose_supremum(bound: Envelope, growth: Growth, s: arb) -> arb:
    """Sup over z of L̄(z)/g(|s − z|) for the step function L̄ with hyperbolic tails.

    Floats find the cells that can attain the supremum (they are right to 1e-9, and everything within 1e-6 of the best
    is kept); balls evaluate them.
    """
    middle = float(s.mid())
    if not (s.rad() < 1e-9 * (1 + abs(middle))):
        return arb(0, 1).log()  # nothing is known yet: not a number
    lows, highs = bound.edges[:-1], bound.edges[1:]
    away = np.maximum(np.maximum(lows - middle, middle - highs), 0.0)
    logs = np.log(np.maximum(bound.bounds, 1e-300)) - growth.log(away)
    slack = 1e-6 + 4e-9 * growth.gamma * (1 + abs(middle))
    near = np.flatnonzero(logs >= logs.max() - slack)
    found = []
    for i in near.tolist():
        low, high = arb(float(lows[i])), arb(float(highs[i]))
        distance = (low - s).max(s - high).max(arb(0))
        found.append(arb(float(bound.bounds[i])) / growth.enclose(distance))
    best = greatest(found)
    for (rise, foot), beyond in ((bound.left, bound.edges[0] - s), (bound.right, s - bound.edges[-1])):
        if not beyond < 0:
            tail = greatest([arb(0), *(a / abs(s - b) for a, b in _highest(rise, foot, middle))])
            best = best.max(tail) if beyond > 0 else best.union(best.max(tail))
    return best


def _highest(rise: FloatArray, foot: FloatArray, middle: float) -> list[tuple[arb, arb]]:
    """The hyperbolas that can be the highest at a place that is known to 1e-9 of 1 + its size."""
    if not rise.size:
        return []
    away = np.maximum(np.abs(middle - foot), 1e-300)
    heights, unsure = rise / away, np.minimum(4e-9 * (1 + abs(middle)) / away, 1.0)
    near = heights * (1 + unsure) >= (heights * (1 - unsure)).max() * (1 - 1e-6)
    return [(arb(a), arb(b)) for a, b in zip(rise[near].tolist(), foot[near].tolist(), strict=True)]
