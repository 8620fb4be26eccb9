"""Noise scales in ball arithmetic: σ(s) as an interval that holds the true real number, at any precision.

Tables of floats (the least scale of a Gaussian, the envelope of straight pieces) are certified as the functions that
interpolate them, so it is those functions that are enclosed; their floats are exact numbers.
"""

from __future__ import annotations

import numpy as np

from geopriv.mechanisms.additive.gaussian_envelope import gaussian_envelope
from geopriv.mechanisms.additive.smooth import SmoothScale
from geopriv.mechanisms.base import ConstantScale
from geopriv.mechanisms.sensitivity.envelope import Envelope, envelope
from geopriv.mechanisms.sensitivity.growth import ExponentialGrowth, Growth
from geopriv.mechanisms.sensitivity.least_scale import ConstantLeastScale, RampScale, TabledScale
from geopriv.shapes.profiles import (
    BlurredPieces,
    Gaussian,
    Identity,
    PiecewiseLinear,
    Ramps,
    Smoothstep,
)
from geopriv.spaces.balls import arb, greatest, interpolated
from geopriv.spaces.checks import FloatArray, invalid

# Every scale is this much larger than stated: a constant factor of at least 1 keeps every promise (theory T4), and
# this one is a million times the rounding errors of the floats K/ε, η and L̄ that scales are made from.
MARGIN = 1 + 2.0**-30

# A table's ln σ is drawn towards its top by this part of the way. That raises σ and slows its change, so it keeps the
# promise too (theory T3), and it covers the rounding of nodes from units of the bandwidth to those of the space.
FLATTER = 2.0**-36

_LEAST = arb(1e-300)  # the constant below which no scale of smooth sensitivity falls


def scale(sigma: object, s: arb) -> arb:
    """σ(s), with the margin.

    Raises:
        InvalidParameter: for a scale that has no enclosure.
    """
    match sigma:
        case ConstantScale():
            return MARGIN * arb(sigma.value)
        case ConstantLeastScale():
            return MARGIN * _k(sigma.df) * sigma.slope / sigma.rate
        case RampScale():
            way = sigma.profile.enclose_gap(s).min(arb(600 * sigma.df / sigma.rate))
            top = _k(sigma.df) / (arb(sigma.rate) * sigma.profile.width)
            return MARGIN * top * (-(arb(sigma.rate) / sigma.df) * way).exp()
        case TabledScale():
            return MARGIN * _tabled(sigma, s)
        case SmoothScale():
            return MARGIN * smooth_bound(sigma, s) / sigma.eta
    raise invalid("report", "query", "one whose noise scale has an enclosure", type(sigma).__name__)


def smooth_bound(sigma: SmoothScale, s: arb) -> arb:
    """B(s): a g-smooth bound on the pointwise Lipschitz constant."""
    profile, growth = sigma.query.profile, sigma.growth
    match profile:
        case Identity():
            return arb(profile.slope)
        case Ramps():
            return _ramps(profile, growth, s, sigma.radius).max(_LEAST)
        case PiecewiseLinear() | Gaussian() | Smoothstep() | BlurredPieces():
            bound, center = step_bound(profile, sigma.radius)
            return _enveloped(bound, growth, s if center is None else abs(s - center)).max(_LEAST)
    rule = "one whose smooth sensitivity has an enclosure (LeastScaleT and Table answer it exactly, with less noise)"
    raise invalid("report", "query", rule, type(profile).__name__)


def step_bound(
    profile: PiecewiseLinear | Gaussian | Smoothstep | BlurredPieces, radius: float
) -> tuple[Envelope, float | None]:
    """A step function above L_Λ, of s or of the distance to a centre."""
    if isinstance(profile, Gaussian):
        return gaussian_envelope(profile, radius), profile.center
    return envelope(profile, radius), None


def _k(df: float) -> arb:
    return (arb(df) + 1) / (2 * arb(df).sqrt())


def _growth(growth: Growth, distance: arb) -> arb:
    rise = growth.gamma * distance
    return rise.exp() if isinstance(growth, ExponentialGrowth) else 1 + rise


def _ramps(profile: Ramps, growth: Growth, s: arb, radius: float) -> arb:
    """The closed form of sensitivity.ramps: the largest of L_Λ(z)/g(gap − z) over the z where it can be largest."""
    way, width = profile.enclose_gap(s), arb(profile.width)
    places = [arb(0), way]
    if np.isfinite(radius):
        places += [(radius - width).max(arb(0)).min(way), (radius - 1 / arb(growth.gamma)).max(arb(0)).min(way)]

    def pointwise(z: arb) -> arb:
        # 1/(z + τ) where Λ reaches the far end, (1 − z/Λ)/τ where it does not: the smaller one, always
        chord = 1 / (z + width)
        return chord.min((1 - z / radius).max(arb(0)) / width) if np.isfinite(radius) else chord

    return greatest([pointwise(z) / _growth(growth, (way - z).max(arb(0))) for z in places])


def _enveloped(bound: Envelope, growth: Growth, s: arb) -> arb:
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
        found.append(arb(float(bound.bounds[i])) / _growth(growth, distance))
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


def _tabled(sigma: TabledScale, s: arb) -> arb:
    """Exp of the interpolant of ln σ, which falls at given rates beyond its nodes."""
    t = s if sigma.center is None else abs(s - sigma.center)
    start, stop = (arb(float(node)) for node in sigma.nodes[[0, -1]])
    before, after = (start - t).max(arb(0)), (t - stop).max(arb(0))
    inside = interpolated(sigma.nodes, sigma.log_scale, t)
    logarithm = (inside - sigma.left_decay * before - sigma.right_decay * after).max(arb(-690))
    return (logarithm + FLATTER * (top_of(sigma) - logarithm)).exp()


def top_of(sigma: TabledScale) -> float:
    """The largest ln σ."""
    return float(sigma.log_scale.max())
