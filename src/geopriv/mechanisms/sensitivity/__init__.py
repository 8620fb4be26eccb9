"""Growth functions, pointwise Lipschitz constants and smooth sensitivity (paper, section 3)."""

from __future__ import annotations

from typing import Any

import numpy as np

from geopriv.mechanisms.sensitivity import gaussian, ramps
from geopriv.mechanisms.sensitivity.envelope import CELLS, envelope
from geopriv.mechanisms.sensitivity.growth import ExponentialGrowth, Growth, LinearGrowth
from geopriv.mechanisms.sensitivity.hamming import hamming_smooth_sensitivity
from geopriv.shapes.profiles import (
    Curved,
    Gaussian,
    Identity,
    PiecewiseLinear,
    Profile,
    Ramps,
)
from geopriv.spaces.checks import (
    FloatArray,
    count,
    invalid,
    positive_or_infinite,
)

__all__ = [
    "ExponentialGrowth",
    "Growth",
    "LinearGrowth",
    "hamming_smooth_sensitivity",
    "pointwise_lipschitz",
    "smooth_sensitivity",
]

# A scale must not vanish. The larger of a smooth bound and a constant is a smooth bound.
_LEAST = 1e-300


def pointwise_lipschitz(profile: Profile, s: Any, radius: float = np.inf, cells: int = CELLS) -> FloatArray:
    """Pointwise Lipschitz constant L_Λ(s) = sup of |f0(w) − f0(s)|/|w − s| over 0 < |w − s| ≤ Λ.

    Exact for ramps, trapezoids, triangles, Gaussians and lines. For PiecewiseLinear and Custom profiles an upper bound
    that tightens with `cells`.

    Args:
        profile: f0.
        s: coordinates.
        radius: Λ, possibly infinite.
        cells: resolution of the generic procedure.

    Reference: paper, definition 7; docs/theory/smooth-sensitivity.md.

    >>> from geopriv import Ramp
    >>> pointwise_lipschitz(Ramp(width=1.0), [0.0, 1.5])
    array([1. , 0.5])
    """
    s, radius = _arguments("pointwise_lipschitz", s, radius, cells)
    match profile:
        case Identity():
            return np.full_like(s, profile.slope)
        case Ramps():
            return ramps.pointwise(profile, s, radius)
        case Gaussian():
            return gaussian.pointwise(profile, s, radius)
        case PiecewiseLinear() | Curved():
            return envelope(profile, radius, cells).pointwise(s)
    raise invalid("pointwise_lipschitz", "profile", "a profile of geopriv.shapes.profiles", type(profile).__name__)


def smooth_sensitivity(
    profile: Profile, growth: Growth, s: Any, radius: float = np.inf, cells: int = CELLS
) -> FloatArray:
    """Smooth sensitivity B*(s) = sup over z of L_Λ(z)/g(|s − z|), the least g-smooth bound on L_Λ.

    Closed forms for ramps, trapezoids and triangles; the Gaussian to rounding error. For PiecewiseLinear and Curved
    profiles a g-smooth bound that is never below B* and tightens with `cells`.

    Guarantee: the result is a g-smooth upper bound on L_Λ: at least L_Λ(s), and B(s) ≤ g(|s − s'|)·B(s').

    Args:
        profile: f0.
        growth: ExponentialGrowth(γ) or LinearGrowth(γ).
        s: coordinates.
        radius: Λ, possibly infinite.
        cells: resolution of the generic procedure.

    Reference: paper, equation (1) and Lemmas 3.1–3.2; theory E3, E4.

    >>> from geopriv import Gaussian
    >>> smooth_sensitivity(Gaussian(bandwidth=1.0), ExponentialGrowth(0.26), [0.0, 1.0, 3.0]).round(4)
    array([0.4975, 0.6065, 0.3901])
    """
    s, radius = _arguments("smooth_sensitivity", s, radius, cells)
    if not isinstance(growth, Growth):
        raise invalid("smooth_sensitivity", "growth", "an ExponentialGrowth or a LinearGrowth", growth)
    match profile:
        case Identity():
            bound = np.full_like(s, profile.slope)
        case Ramps():
            bound = ramps.smooth(profile, growth, s, radius)
        case Gaussian():
            bound = gaussian.smooth(profile, growth, s, radius)
        case PiecewiseLinear() | Curved():
            bound = envelope(profile, radius, cells).smooth(growth, s)
        case _:
            raise invalid(
                "smooth_sensitivity", "profile", "a profile of geopriv.shapes.profiles", type(profile).__name__
            )
    return np.asarray(np.maximum(bound, _LEAST))


def _arguments(owner: str, s: Any, radius: float, cells: int) -> tuple[FloatArray, float]:
    count(owner, "cells", cells)
    coordinates = np.asarray(s, dtype=np.float64)
    if not np.isfinite(coordinates).all():
        raise invalid(owner, "s", "finite", "a value that is not")
    return coordinates, positive_or_infinite(owner, "radius", radius)
