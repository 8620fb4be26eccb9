"""Noise scales in floats, with bounds on how far they are from their enclosures.

Every class below computes the same numbers as `simulate` does and says how wrong they can be. u = 2^-53 is the error of
one rounding; the bounds are several times what counting roundings gives. A class that is not here has no filter, and
its reports are made in balls one by one.
"""

from __future__ import annotations

import math

import numpy as np

from geopriv.mechanisms.additive.scales import (
    FLATTER,
    MARGIN,
    step_bound,
    top_of,
)
from geopriv.mechanisms.additive.smooth import SmoothScale
from geopriv.mechanisms.base import ConstantScale
from geopriv.mechanisms.sensitivity.envelope import Envelope
from geopriv.mechanisms.sensitivity.growth import ExponentialGrowth
from geopriv.mechanisms.sensitivity.least_scale import ConstantLeastScale, RampScale, TabledScale
from geopriv.shapes.profiles import (
    BlurredPieces,
    Gaussian,
    Identity,
    PiecewiseLinear,
    Ramps,
    Smoothstep,
)
from geopriv.spaces.bounded import ROUNDING, Bounded
from geopriv.spaces.checks import FloatArray


def scale(sigma: object, s: Bounded, rate: float) -> Bounded | None:
    """σ(s) with the margin, and a relative error.

    All scales satisfy |σ'| ≤ ε·σ, so an error of s counts at most at the rate ε. Beside that, exponents of at most 700
    are right to four roundings, 2^-41.
    """
    match sigma:
        case ConstantScale() | ConstantLeastScale():
            off = np.full_like(s.value, ROUNDING)
        case RampScale():
            off = rate * (s.off + ROUNDING * (np.abs(s.value) + _extent(sigma.profile))) + 2.0**-41
        case TabledScale():
            place = float(np.abs(sigma.nodes[[0, -1]]).max()) + abs(sigma.center or 0.0)
            off = rate * (s.off + ROUNDING * (np.abs(s.value) + place)) + 2.0**-41
            stated = sigma(s.value)
            return Bounded(MARGIN * stated * np.exp(FLATTER * (top_of(sigma) - np.log(stated))), off)
        case SmoothScale():
            return _smooth(sigma, s, rate)
        case _:
            return None
    return Bounded(MARGIN * sigma(s.value), off)


def _smooth(sigma: SmoothScale, s: Bounded, rate: float) -> Bounded | None:
    profile, growth = sigma.query.profile, sigma.growth
    match profile:
        case Identity():
            return Bounded(MARGIN * sigma(s.value), np.full_like(s.value, ROUNDING))
        case Ramps():
            off = _smooth_ramps(profile, sigma, s, rate)
            return None if off is None else Bounded(MARGIN * sigma(s.value), off)
        case PiecewiseLinear() | Gaussian() | Smoothstep() | BlurredPieces() if isinstance(growth, ExponentialGrowth):
            bound, center = step_bound(profile, sigma.radius)
            t = s.value if center is None else np.abs(s.value - center)
            feet = [abs(1 / (edge - foot)) for (_, where), edge in _tails(bound) for foot in where.tolist()]
            steepest = rate + max(feet, default=0.0)
            place = np.abs(s.value) + abs(center or 0.0) + float(np.abs(bound.edges[[0, -2]]).max())
            off = steepest * (s.off + ROUNDING * place) + ROUNDING * (700 + 4 * growth.gamma * place)
            return Bounded(MARGIN / sigma.eta * np.maximum(bound.smooth(growth, t), 1e-300), off)
    return None


def _tails(bound: Envelope) -> list[tuple[tuple[FloatArray, FloatArray], float]]:
    return [(bound.left, float(bound.edges[0])), (bound.right, float(bound.edges[-1]))]


def _smooth_ramps(profile: Ramps, sigma: SmoothScale, s: Bounded, rate: float) -> FloatArray | None:
    """The relative error of B*: what is taken for the largest candidate moves at most at the rates ε, 1/τ and 1/Λ."""
    # with a finite Λ a candidate is a difference, (1 − gap/Λ)/τ, while B* is at least e^(−γΛ)/τ where that counts
    exponent = sigma.growth.gamma * sigma.radius if math.isfinite(sigma.radius) else 0.0
    if exponent > 16:
        return None
    steepest = rate + profile.lipschitz + 1 / sigma.radius
    place = ROUNDING * (np.abs(s.value) + _extent(profile))
    return np.asarray(2 * math.exp(exponent) * (steepest * (s.off + place) + 2.0**-41))


def _extent(profile: Ramps) -> float:
    return float(np.abs(profile.knots).max()) + profile.width
