"""LeastScaleT: Student-t noise at the least scale that keeps the promise."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import optimize, special

from geopriv.mechanisms.guarantee import Guarantee
from geopriv.noise import StudentT
from geopriv.queries import Query
from geopriv.queries.priors import Prior, coordinates_under, even_points, points_under
from geopriv.queries.values import Values
from geopriv.shapes.profiles import Profile
from geopriv.smooth.additive.additive import Additive
from geopriv.smooth.cells import CELLS as CELL
from geopriv.smooth.cells import cells_of
from geopriv.smooth.fields import Field, least_field
from geopriv.smooth.finite import Edges, best_of_edges, least_labels, on_labels
from geopriv.smooth.sensitivity.least_scale import CELLS, least_scale
from geopriv.smooth.sensitivity.student_scales import LeastScale
from geopriv.spaces.checks import FloatArray, invalid, positive

_ROUGH = 0.4  # in units of 1/ε, cells on which ν is chosen


@dataclass(frozen=True)
class LeastScaleT(Additive):
    """f(x) + σ*(s)·Z with Student-t noise Z and σ* the least admissible scale.

    The paper pays for the change of f and the change of the scale separately, as if both were worst at the same output,
    and for all distances at once. Neither is needed: the exact condition on |f0'|/σ and |σ'|/σ holds locally and
    implies the promise globally.

    >>> from geopriv import Threshold
    >>> m = LeastScaleT.calibrate(Threshold(at=100_000, width=16_000), epsilon=1 / 8000)
    >>> round(m.noise.df, 2), m.variance([100_000.0, 150_000.0]).round(3)
    (3.65, array([0.82 , 0.046]))
    """

    noise: StudentT

    @classmethod
    def calibrate(
        cls,
        query: Query,
        epsilon: float | str,
        df: float | None = None,
        prior: Prior | Any = None,
        cells: float = CELL,
    ) -> LeastScaleT:
        """The mechanism for a query at a rate.

        Guarantee: (ε, 0, ∞)-GP.

        Args:
            query: what is asked. A Custom profile needs a curvature to gain anything over LipschitzLaplace.
            epsilon: per unit of distance, as a number or a sentence.
            df: ν, at least 1; a variance needs ν > 2. By default the one of least expected variance under the prior.
            prior: a Prior, or an array of *public* values, over which df is chosen; never the data being collected.
                By default coordinates are uniform on the line, and points in the box of a Function. Of Values on
                labels, a number for each label (a mapping) or public labels; by default as many at each.
            cells: in units of 1/ε, on which the slope of a Function is bounded and its scale certified; halving them
                takes four times as long in the plane and gains some 5 % of the variance at first.

        Reference: theory T2, T3, T4; of a Function G6, G7, G8; docs/theory/least-scale.md.
        """
        rate = query.space.rate(epsilon)
        if on_labels(query):
            return cls._of_labels(query, rate, df, prior)
        if not query.has_profile:
            return cls._of_function(query, rate, df, prior, cells)
        if df is None:
            where = None if prior is None else coordinates_under("LeastScaleT", query, prior)
            df = _best_df(query.profile, rate, where)
        elif not positive("LeastScaleT", "df", df) >= 1:
            raise invalid("LeastScaleT", "df", "at least 1", df)
        noise = StudentT(df)
        promise = Guarantee(rate, unit=query.space.distance_unit, reference="theory T1–T4")
        return cls(query, promise, noise, least_scale(query.profile, rate, noise.df))

    @classmethod
    def _of_function(cls, query: Query, rate: float, df: float | None, prior: Prior | Any, cells: float) -> LeastScaleT:
        if df is None:
            rough = cells_of(query, max(cells, _ROUGH) / rate)
            if prior is None:
                low, high = query.corners
                points, weights = low + (high - low) * even_points(low.size), None
            else:
                read, weights = points_under("LeastScaleT", query.space, prior)
                points = read.reshape(-1, query.space.dimension)

            def log_size(scale: Field) -> float:
                return float(special.logsumexp(2 * np.log(scale(points)), b=weights))

            df = _least_df(lambda df: log_size(least_field(rough, rate, df)))
        elif not positive("LeastScaleT", "df", df) >= 1:
            raise invalid("LeastScaleT", "df", "at least 1", df)
        noise = StudentT(df)
        promise = Guarantee(rate, unit=query.space.distance_unit, reference="theory G2, G6 and G8")
        return cls(query, promise, noise, least_field(cells_of(query, cells / rate), rate, noise.df))

    @classmethod
    def _of_labels(cls, query: Values, rate: float, df: float | None, prior: Any) -> LeastScaleT:
        shares = query.space.shares("LeastScaleT", prior)
        if df is None:
            edges = Edges.of(query)

            def log_size(df: float) -> float:
                log_scale = best_of_edges(edges, rate, df, shares, gap=1e-3)
                return float(special.logsumexp(2 * log_scale, b=shares))

            df = _least_df(log_size)
        elif not positive("LeastScaleT", "df", df) >= 1:
            raise invalid("LeastScaleT", "df", "at least 1", df)
        noise = StudentT(df)
        promise = Guarantee(rate, unit=query.space.distance_unit, reference="theory G1 and G9")
        return cls(query, promise, noise, least_labels(query, rate, noise.df, shares))


def _best_df(profile: Profile, rate: float, where: tuple[FloatArray, FloatArray] | None) -> float:
    """The ν > 2 of least expected variance; uniform coordinates have their optimum cached."""
    if where is None:
        return _uniform_df(profile, rate)
    s, weights = where
    # in logarithms: far from the query σ² is below the smallest float
    return _minimise(lambda scale: float(special.logsumexp(2 * np.log(scale(s)), b=weights)), profile, rate)


@lru_cache(maxsize=256)
def _uniform_df(profile: Profile, rate: float) -> float:
    return _minimise(lambda scale: math.log(scale.squared_integral()), profile, rate)


def _minimise(log_size: Any, profile: Profile, rate: float) -> float:
    def of_scale(df: float) -> float:
        scale: LeastScale = least_scale(profile, rate, df, cells=CELLS // 8)  # the optimum is flat
        return float(log_size(scale))

    return _least_df(of_scale, 1e-3)


def _least_df(log_size: Callable[[float], float], tolerance: float = 0.05) -> float:
    """The ν > 2 of least expected variance, from the logarithm of the mean σ² at each ν."""

    def expected(log_excess: float) -> float:
        df = 2 + math.exp(log_excess)
        return log_size(df) + math.log(df / (df - 2))

    bounds = math.log(0.1), math.log(30.0)
    found = optimize.minimize_scalar(expected, bounds=bounds, method="bounded", options={"xatol": tolerance})
    return 2 + math.exp(float(found.x))
