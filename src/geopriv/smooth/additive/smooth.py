"""Noise scaled by smooth sensitivity: Student-t (the paper's M3), generalized Cauchy, and Laplace with δ."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from geopriv.mechanisms.guarantee import Guarantee
from geopriv.noise import GeneralizedCauchy, Laplace, Noise, StudentT
from geopriv.queries import Query
from geopriv.smooth.additive.additive import Additive, spend
from geopriv.smooth.cells import CELLS, SmoothBound, cells_of
from geopriv.smooth.finite import LabelScale, of_labels, on_labels, smallest_factor, smooth_bound
from geopriv.smooth.scale import MARGIN, Scale
from geopriv.smooth.sensitivity import (
    LEAST,
    ExponentialGrowth,
    Growth,
    LinearGrowth,
    Sensitivity,
    sensitivity_of,
    smooth_sensitivity,
)
from geopriv.spaces.balls import arb
from geopriv.spaces.bounded import Bounded
from geopriv.spaces.checks import (
    FloatArray,
    fraction,
    invalid,
    positive_or_infinite,
)


@dataclass(frozen=True)
class SmoothScale(Scale):
    """σ(s) = B*(s)/η."""

    query: Query
    growth: Growth
    eta: float
    radius: float

    def __call__(self, s: FloatArray) -> FloatArray:
        return smooth_sensitivity(self.query.profile, self.growth, s, self.radius) / self.eta

    def enclose(self, s: arb) -> arb:
        return MARGIN * self.smooth_bound(s) / self.eta

    def smooth_bound(self, s: arb) -> arb:
        """B(s): a g-smooth bound on the pointwise Lipschitz constant."""
        return self._sensitivity.enclose(self.growth, s).max(arb(LEAST))

    def bounded(self, s: Bounded, rate: float) -> Bounded | None:
        bound = self._sensitivity.bounded(self.growth, s, rate)
        return bound and Bounded(MARGIN / self.eta * np.maximum(bound.value, LEAST), bound.off)

    def covered(self, noise: Noise, rate: float) -> bool:
        """Not if the budget is so one-sided that the margin, which lowers η, would not cover rounding errors in γ.

        With η spending a 64th of ε, the margin gives back 2^-36 of ε by the paper's sum and 2^-42 by theory T3; adding
        up the budget in floats is wrong by less than 2^-50.
        """
        return noise.budget(0.0, self.eta) >= rate / 64

    @property
    def _sensitivity(self) -> Sensitivity:
        return sensitivity_of(self.query.profile, self.radius)


@dataclass(frozen=True)
class SmoothT(Additive):
    """f(x) + B*(x)/η·Z with Student-t noise: the paper's M3.

    >>> from geopriv import Threshold
    >>> m = SmoothT.calibrate(Threshold(at=100_000, width=16_000), epsilon=1 / 8000)
    >>> m.variance([100_000.0, 200_000.0]).round(4)
    array([2.25  , 0.1747])
    """

    gamma: float
    eta: float

    @classmethod
    def calibrate(
        cls,
        query: Query,
        epsilon: float | str,
        gamma_share: float = 1 / 3,
        df: float = 3.0,
        radius: float | None = None,
        calibration: Literal["sum", "exact"] = "sum",
        cells: float = CELLS,
    ) -> SmoothT:
        """The mechanism for a query at a rate, by the paper's sum: ε = max(1, ν)·γ + (ν+1)/(2√ν)·η.

        With calibration="exact" the same γ leaves room for more: η = 2√ν/(ν+1)·√((ε − νγ)(ε + γ)), for ν ≥ 1, because
        the two worst cases of the sum never happen at the same output.

        Guarantee: (ε, 0, ∞)-GP. For finite Λ the paper gives (ε, 0, Λ) on the whole line, which chains to Λ = ∞.

        Args:
            query: what is asked.
            epsilon: per unit of distance, as a number or a sentence.
            gamma_share: the part of ε spent on the change of the scale.
            df: ν. A variance needs ν > 2.
            radius: Λ of the pointwise Lipschitz constant, by default infinite; of a Function it is left out, and the
                slope at each place counts (Λ → 0), which keeps the promise everywhere too (theory T2). Of Values on
                labels a finite one is part of the promise.
            calibration: "sum" as in the paper, or "exact".
            cells: in units of 1/ε, on which the slope of a Function is bounded (theory G5′ and G8).

        Reference: paper, Lemma 3.5 and section 5 (ν = 3, a third of ε for γ); theory T1, T2, and T3 for "exact"; of
        Values "exact" takes the smallest factor that keeps the promise (theory G9(e)).
        """
        rate = query.space.rate(epsilon)
        noise = StudentT(df)
        gamma = fraction("SmoothT", "gamma_share", gamma_share) * rate / max(1.0, noise.df)
        if calibration not in ("sum", "exact"):
            raise invalid("SmoothT", "calibration", '"sum" or "exact"', calibration)
        if calibration == "exact" and noise.df < 1:
            raise invalid("SmoothT", "df", "at least 1 with the exact calibration", df)
        exact = calibration == "exact"
        whole = noise.exact_budget if exact else noise.budget
        eta = 2 * math.sqrt(noise.df) / (noise.df + 1) * (1 - gamma_share) * rate
        if exact:
            eta = 2 * math.sqrt(noise.df) / (noise.df + 1) * math.sqrt((rate - noise.df * gamma) * (rate + gamma))
        eta = spend("SmoothT", lambda eta: whole(gamma, eta), eta, rate)
        promise = _pure("SmoothT", query, rate, "theory T3" if exact else "paper Lemma 3.5", radius)
        if exact and on_labels(query):
            bound = smooth_bound(query, ExponentialGrowth(gamma), promise.radius)
            eta = 1 / smallest_factor("SmoothT", query, bound, rate, noise.df, promise.radius)
            promise = replace(promise, reference="theory G9")
        scale = scale_of("SmoothT", query, gamma, eta, radius, cells / rate)
        return cls(query, promise, noise, scale, gamma, eta)


@dataclass(frozen=True)
class SmoothCauchy(Additive):
    """f(x) + B*(x)/η·Z with generalized Cauchy noise."""

    gamma: float
    eta: float

    @classmethod
    def calibrate(
        cls,
        query: Query,
        epsilon: float | str,
        gamma_share: float = 1 / 3,
        p: float = 4.0,
        theta: float = 1.0,
        radius: float | None = None,
        cells: float = CELLS,
    ) -> SmoothCauchy:
        """The mechanism for a query at a rate: ε = max(1, pθ − 1)·γ + (p − 1)^((p−1)/p)·θ·η.

        Guarantee: (ε, 0, ∞)-GP, as for SmoothT.

        Args:
            query: what is asked.
            epsilon: per unit of distance, as a number or a sentence.
            gamma_share: the part of ε spent on the change of the scale.
            p: of the noise, at least 1.
            theta: of the noise, with pθ > 1; a variance needs pθ > 3.
            radius: Λ of the pointwise Lipschitz constant, by default infinite; left out of a Function, as for SmoothT.
            cells: as for SmoothT.

        Reference: paper, Lemma 3.3; theory T1 and T2's corollary, G5′ for a Function.
        """
        rate = query.space.rate(epsilon)
        noise, gamma, eta = cauchy_budget("SmoothCauchy", rate, gamma_share, p, theta)
        scale = scale_of("SmoothCauchy", query, gamma, eta, radius, cells / rate)
        promise = _pure("SmoothCauchy", query, rate, "paper Lemma 3.3", radius)
        return cls(query, promise, noise, scale, gamma, eta)


@dataclass(frozen=True)
class SmoothLaplace(Additive):
    """f(x) + B*(x)/η·Z with Laplace noise and the linear growth g_L: approximate Geo-Privacy, δ > 0."""

    gamma: float
    eta: float

    @classmethod
    def calibrate(
        cls,
        query: Query,
        epsilon: float | str,
        delta: float,
        gamma_share: float = 1 / 3,
        radius: float = math.inf,
    ) -> SmoothLaplace:
        """The mechanism for a query at a rate: ε = η + γ·max(1, ln(1/δ)).

        Guarantee: (ε, δ, Λ)-GP. Approximate privacy does not chain, so the radius is part of the promise.

        Args:
            query: what is asked.
            epsilon: per unit of distance, as a number or a sentence.
            delta: strictly between 0 and 1.
            gamma_share: the part of ε spent on the change of the scale.
            radius: Λ, within which the promise holds.

        Reference: paper, Lemma 3.6 as corrected by theory E5; theory T1.
        """
        if not (query.has_profile or on_labels(query)):
            raise invalid("SmoothLaplace", "query", "a profile of a coordinate, whose slopes within Λ are known", query)
        rate = query.space.rate(epsilon)
        noise = Laplace()
        chance = fraction("SmoothLaplace", "delta", delta)
        gamma = fraction("SmoothLaplace", "gamma_share", gamma_share) * rate / max(1.0, -math.log(chance))
        eta = spend("SmoothLaplace", lambda eta: noise.budget(gamma, eta, chance), (1 - gamma_share) * rate, rate)
        reach = positive_or_infinite("SmoothLaplace", "radius", radius)
        scale: SmoothScale | LabelScale = SmoothScale(query, LinearGrowth(gamma), eta, reach)
        if on_labels(query):
            scale = of_labels(query, LinearGrowth(gamma), eta, reach)
        promise = Guarantee(rate, chance, reach, query.space.distance_unit, reference="paper Lemma 3.6, theory E5, T1")
        return cls(query, promise, noise, scale, gamma, eta)


def scale_of(
    owner: str, query: Query, gamma: float, eta: float, radius: float | None, width: float
) -> SmoothScale | SmoothBound | LabelScale:
    """B/η of a query with the growth exp(γ·distance): of its profile, or of cells.

    Args:
        owner: the mechanism.
        query: what is asked.
        gamma: γ.
        eta: η.
        radius: Λ, or None.
        width: of cells, in the unit of distance.
    """
    if query.has_profile:
        reach = positive_or_infinite(owner, "radius", math.inf if radius is None else radius)
        return SmoothScale(query, ExponentialGrowth(gamma), eta, reach)
    if on_labels(query):
        reach = positive_or_infinite(owner, "radius", math.inf if radius is None else radius)
        return of_labels(query, ExponentialGrowth(gamma), eta, reach)
    if radius is not None:
        rule = "a profile of a coordinate where a radius is given; of a Function the slope at each place counts (Λ → 0)"
        raise invalid(owner, "query", rule, query)
    return SmoothBound(cells_of(query, width), gamma, eta)


def cauchy_budget(
    owner: str, rate: float, gamma_share: float, p: float, theta: float, releases: int = 1
) -> tuple[GeneralizedCauchy, float, float]:
    """Noise, γ and η that spend a rate on m releases."""
    noise = GeneralizedCauchy(p, theta)
    unit_gamma, unit_eta = noise.budget(1.0, 0.0, releases), noise.budget(0.0, 1.0)
    if not np.isfinite(unit_gamma):
        raise invalid(owner, "p", "at least 1 (below, no noise scale is private)", p)
    gamma = fraction(owner, "gamma_share", gamma_share) * rate / unit_gamma
    eta = spend(owner, lambda eta: noise.budget(gamma, eta, releases), (1 - gamma_share) * rate / unit_eta, rate)
    return noise, gamma, eta


def _pure(owner: str, query: Query, rate: float, lemma: str, radius: float | None) -> Guarantee:
    """Without δ; on labels, between which there is no way to chain along, for those within Λ."""
    if on_labels(query):
        reach = math.inf if radius is None else positive_or_infinite(owner, "radius", radius)
        return Guarantee(rate, radius=reach, unit=query.space.distance_unit, reference=lemma)
    bound = "G5′, G8 and T2" if not query.has_profile else "T1 and T2 (chaining)"
    return Guarantee(rate, unit=query.space.distance_unit, reference=f"{lemma}, theory {bound}")
