"""Growth functions, pointwise Lipschitz constants and smooth sensitivity (paper, section 3)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np

from geopriv.queries import Query
from geopriv.queries.values import Values
from geopriv.shapes.profiles import (
    BlurredPieces,
    Curved,
    Gaussian,
    Identity,
    PiecewiseLinear,
    Profile,
    Ramps,
    Smoothstep,
)
from geopriv.smooth.finite import LEAST, slopes_within, smooth_bound
from geopriv.smooth.sensitivity.base import OfLine, Sensitivity
from geopriv.smooth.sensitivity.envelope import CELLS
from geopriv.smooth.sensitivity.enveloped import OfFunction, OfGaussian, OfPieces
from geopriv.smooth.sensitivity.growth import ExponentialGrowth, Growth, LinearGrowth
from geopriv.smooth.sensitivity.hamming import hamming_smooth_sensitivity
from geopriv.smooth.sensitivity.ramps import OfRamps
from geopriv.spaces.balls import arb
from geopriv.spaces.bounded import Bounded
from geopriv.spaces.checks import (
    FloatArray,
    count,
    invalid,
    positive_or_infinite,
)

__all__ = [
    "LEAST",
    "ExponentialGrowth",
    "Growth",
    "LinearGrowth",
    "Sensitivity",
    "hamming_smooth_sensitivity",
    "pointwise_lipschitz",
    "sensitivity_of",
    "smooth_sensitivity",
]


@dataclass(frozen=True)
class OfLabels(Sensitivity):
    """Of values on labels, at rows of their table: the largest over all labels."""

    query: Values
    radius: float

    def pointwise(self, s: FloatArray) -> FloatArray:
        return self._at(slopes_within(self.query, self.radius), s)

    def smooth(self, growth: Growth, s: FloatArray) -> FloatArray:
        return self._at(smooth_bound(self.query, growth, self.radius), s)

    def _at(self, numbers: FloatArray, s: FloatArray) -> FloatArray:
        return np.asarray(numbers[s[..., 0].astype(np.intp)])

    def enclose(self, growth: Growth, s: arb) -> arb:
        return arb(float(smooth_bound(self.query, growth, self.radius)[int(float(s))]))

    def bounded(self, growth: Growth, s: Bounded, rate: float) -> None:
        return None


def pointwise_lipschitz(profile: Profile | Query, s: Any, radius: float = np.inf, cells: int = CELLS) -> FloatArray:
    """Pointwise Lipschitz constant L_Λ(s) = sup of |f0(w) − f0(s)|/|w − s| over 0 < |w − s| ≤ Λ.

    Exact for ramps, trapezoids, triangles, Gaussians and lines. For PiecewiseLinear and Custom profiles an upper bound
    that tightens with `cells`. Of gp.Values exact: the largest over all labels within Λ.

    Args:
        profile: f0, or a query that has one, or gp.Values on labels.
        s: coordinates; of a query values of its space.
        radius: Λ, possibly infinite.
        cells: resolution of the generic procedure.

    Reference: paper, definition 7; docs/theory/smooth-sensitivity.md.

    >>> from geopriv.shapes import Ramp
    >>> pointwise_lipschitz(Ramp(width=1.0), [0.0, 1.5])
    array([1. , 0.5])
    """
    s, radius = _arguments("pointwise_lipschitz", profile, s, radius, cells)
    return sensitivity_of(profile, radius, cells).pointwise(s)


def smooth_sensitivity(
    profile: Profile | Query, growth: Growth, s: Any, radius: float = np.inf, cells: int = CELLS
) -> FloatArray:
    """Smooth sensitivity B*(s) = sup over z of L_Λ(z)/g(|s − z|), the least g-smooth bound on L_Λ.

    Closed forms for ramps, trapezoids and triangles; the Gaussian to rounding error. For PiecewiseLinear and Curved
    profiles a g-smooth bound that is never below B* and tightens with `cells`. Of gp.Values exact.

    Guarantee: the result is a g-smooth upper bound on L_Λ: at least L_Λ(s), and B(s) ≤ g(|s − s'|)·B(s').

    Args:
        profile: f0, or a query that has one, or gp.Values on labels.
        growth: ExponentialGrowth(γ) or LinearGrowth(γ).
        s: coordinates; of a query values of its space.
        radius: Λ, possibly infinite.
        cells: resolution of the generic procedure.

    Reference: paper, equation (1) and Lemmas 3.1–3.2; theory E3, E4.

    >>> from geopriv.shapes import Gaussian
    >>> smooth_sensitivity(Gaussian(bandwidth=1.0), ExponentialGrowth(0.26), [0.0, 1.0, 3.0]).round(4)
    array([0.4975, 0.6065, 0.3901])
    """
    s, radius = _arguments("smooth_sensitivity", profile, s, radius, cells)
    if not isinstance(growth, Growth):
        raise invalid("smooth_sensitivity", "growth", "an ExponentialGrowth or a LinearGrowth", growth)
    return np.asarray(np.maximum(sensitivity_of(profile, radius, cells).smooth(growth, s), LEAST))


@singledispatch
def sensitivity_of(profile: Profile | Query, radius: float, cells: int = CELLS) -> Sensitivity:
    """What is known of a profile's sensitivity within a radius: closed forms, or the generic procedure.

    Raises:
        InvalidParameter: for a profile of which nothing is known.
    """
    raise invalid("smooth_sensitivity", "profile", "a profile of geopriv.shapes.profiles", type(profile).__name__)


@sensitivity_of.register
def _(profile: Identity, radius: float, cells: int = CELLS) -> Sensitivity:
    return OfLine(profile.slope)


@sensitivity_of.register
def _(profile: Ramps, radius: float, cells: int = CELLS) -> Sensitivity:
    return OfRamps(profile, radius)


@sensitivity_of.register
def _(profile: Gaussian, radius: float, cells: int = CELLS) -> Sensitivity:
    return OfGaussian(profile, radius)


@sensitivity_of.register(PiecewiseLinear)
@sensitivity_of.register(Smoothstep)
@sensitivity_of.register(BlurredPieces)
def _(profile: PiecewiseLinear | Smoothstep | BlurredPieces, radius: float, cells: int = CELLS) -> Sensitivity:
    return OfPieces(profile, radius, cells)


@sensitivity_of.register
def _(profile: Curved, radius: float, cells: int = CELLS) -> Sensitivity:
    return OfFunction(profile, radius, cells)


@sensitivity_of.register
def _(query: Query, radius: float, cells: int = CELLS) -> Sensitivity:
    return sensitivity_of(query.profile, radius, cells)


@sensitivity_of.register
def _(query: Values, radius: float, cells: int = CELLS) -> Sensitivity:
    return OfLabels(query, radius)


@singledispatch
def _places(profile: Profile | Query, s: Any) -> FloatArray:
    """What a sensitivity is a function of: coordinates, or rows of a table of labels."""
    coordinates = np.asarray(s, dtype=np.float64)
    if not np.isfinite(coordinates).all():
        raise invalid("geopriv.smooth", "s", "finite", "a value that is not")
    return coordinates


@_places.register
def _(query: Query, s: Any) -> FloatArray:
    points = query.space.read(s)
    return query.geometry(points) if query.has_profile else points


def _arguments(owner: str, profile: Profile | Query, s: Any, radius: float, cells: int) -> tuple[FloatArray, float]:
    count(owner, "cells", cells)
    return _places(profile, s), positive_or_infinite(owner, "radius", radius)
