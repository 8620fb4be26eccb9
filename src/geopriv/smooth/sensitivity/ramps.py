"""Ramp, trapezoid, triangle: closed forms in the distance to the nearest ramp.

A trapezoid's L_Λ is the larger of its two ramps' (a chord across both rises no more and is longer), and a supremum of
maxima is a maximum of suprema, so the nearest ramp alone decides.

Reference: paper, Lemma 4.1 and its appendix on range queries; docs/theory/smooth-sensitivity.md for finite Λ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from geopriv.shapes.profiles import Ramps
from geopriv.smooth.sensitivity.base import Sensitivity
from geopriv.smooth.sensitivity.growth import Growth
from geopriv.spaces.balls import arb, greatest
from geopriv.spaces.bounded import ROUNDING, Bounded
from geopriv.spaces.checks import FloatArray


@dataclass(frozen=True)
class OfRamps(Sensitivity):
    """Ramps of one width τ."""

    profile: Ramps
    radius: float

    def pointwise(self, s: FloatArray) -> FloatArray:
        """L_Λ: with gap the distance to the nearest ramp and τ its width.

        1/τ on a ramp, 1/(gap + τ) where the far end is within Λ, (1 − gap/Λ)/τ where only a part is, 0 beyond.
        """
        return _pointwise(self.profile.gap(s), self.profile.width, self.radius)

    def smooth(self, growth: Growth, s: FloatArray) -> FloatArray:
        """B*: the largest of L_Λ(z)/g(|s − z|) over the few z where it can be largest.

        Between s and the ramp these are: s itself; the ramp's end; where Λ just reaches the far end; and, for g_E, the
        stationary point gap = Λ − 1/γ of (1 − gap/Λ)·exp(γ·gap).
        """
        way, width, radius = self.profile.gap(s), self.profile.width, self.radius
        places = [np.zeros_like(way), way]
        if np.isfinite(radius):
            places += [np.clip(radius - width, 0.0, way), np.clip(radius - 1 / growth.gamma, 0.0, way)]
        values = [_pointwise(z, width, radius) * np.exp(-growth.log(way - z)) for z in places]
        return np.asarray(np.maximum.reduce(values))

    def enclose(self, growth: Growth, s: arb) -> arb:
        """The closed form of `smooth`."""
        way, width, radius = self.profile.enclose_gap(s), arb(self.profile.width), self.radius
        places = [arb(0), way]
        if np.isfinite(radius):
            places += [(radius - width).max(arb(0)).min(way), (radius - 1 / arb(growth.gamma)).max(arb(0)).min(way)]

        def pointwise(z: arb) -> arb:
            # 1/(z + τ) where Λ reaches the far end, (1 − z/Λ)/τ where it does not: the smaller one, always
            chord = 1 / (z + width)
            return chord.min((1 - z / radius).max(arb(0)) / width) if np.isfinite(radius) else chord

        return greatest([pointwise(z) / growth.enclose((way - z).max(arb(0))) for z in places])

    def bounded(self, growth: Growth, s: Bounded, rate: float) -> Bounded | None:
        """What is taken for the largest candidate moves at most at the rates ε, 1/τ and 1/Λ."""
        # with a finite Λ a candidate is a difference, (1 − gap/Λ)/τ, while B* is at least e^(−γΛ)/τ where that counts
        exponent = growth.gamma * self.radius if math.isfinite(self.radius) else 0.0
        if exponent > 16:
            return None
        steepest = rate + self.profile.lipschitz + 1 / self.radius
        extent = float(np.abs(self.profile.knots).max()) + self.profile.width
        place = ROUNDING * (np.abs(s.value) + extent)
        off = np.asarray(2 * math.exp(exponent) * (steepest * (s.off + place) + 2.0**-41))
        return Bounded(self.smooth(growth, s.value), off)


def _pointwise(gap: FloatArray, width: float, radius: float) -> FloatArray:
    reached = gap + width <= radius
    partly = np.maximum(1.0 - gap / radius, 0.0) / width
    return np.where((gap == 0) | reached, 1.0 / (gap + width), partly)
