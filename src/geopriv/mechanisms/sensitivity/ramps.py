"""Ramp, trapezoid, triangle: closed forms in the distance to the nearest ramp.

A trapezoid's L_Λ is the larger of its two ramps' (a chord across both rises no more and is longer), and a supremum of
maxima is a maximum of suprema, so the nearest ramp alone decides.

Reference: paper, Lemma 4.1 and its appendix on range queries; docs/theory/smooth-sensitivity.md for finite Λ.
"""

from __future__ import annotations

import numpy as np

from geopriv.mechanisms.sensitivity.growth import Growth
from geopriv.shapes.profiles import Ramps
from geopriv.spaces.checks import FloatArray


def pointwise(profile: Ramps, s: FloatArray, radius: float) -> FloatArray:
    """L_Λ: with gap the distance to the nearest ramp and τ its width.

    1/τ on a ramp, 1/(gap + τ) where the far end is within Λ, (1 − gap/Λ)/τ where only a part is, 0 beyond.
    """
    return _pointwise(profile.gap(s), profile.width, radius)


def smooth(profile: Ramps, growth: Growth, s: FloatArray, radius: float) -> FloatArray:
    """B*: the largest of L_Λ(z)/g(|s − z|) over the few z where it can be largest.

    Between s and the ramp these are: s itself; the ramp's end; where Λ just reaches the far end; and, for g_E, the
    stationary point gap = Λ − 1/γ of (1 − gap/Λ)·exp(γ·gap).
    """
    gap, width = profile.gap(s), profile.width
    candidates = [np.zeros_like(gap), gap]
    if np.isfinite(radius):
        candidates += [
            np.clip(radius - width, 0.0, gap),
            np.clip(radius - 1 / growth.gamma, 0.0, gap),
        ]
    values = [_pointwise(z, width, radius) * np.exp(-growth.log(gap - z)) for z in candidates]
    return np.asarray(np.maximum.reduce(values))


def _pointwise(gap: FloatArray, width: float, radius: float) -> FloatArray:
    reached = gap + width <= radius
    partly = np.maximum(1.0 - gap / radius, 0.0) / width
    return np.where((gap == 0) | reached, 1.0 / (gap + width), partly)
