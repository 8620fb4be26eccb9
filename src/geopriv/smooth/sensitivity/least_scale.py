"""The least scale of Student-t noise (theory T4).

Noise of scale σ(s) keeps the promise if and only if (T3, ν ≥ 1), with α = |f0'|/σ, β = |σ'|/σ and k = (ν+1)/(2√ν),

    [(ν−1)β + √((ν+1)²β² + 4k²α²)]/2 ≤ ε          almost everywhere.

The least such σ is built on a public grid as a function whose logarithm is linear between nodes, and the condition is
imposed on *that* function, cell by cell, with |f0'| replaced by its maximum on the cell and σ by its minimum. So what
is used is what is certified; rounding a finer solution up would not be safe.

On a cell of width δ the condition says how far σ may fall from one end to the other: σ_low ≥ L(σ_high), where L grows
and L(σ) ≤ σ. The least solution is therefore the larger of two sweeps, one from each side, each of which keeps what the
condition and the floor k·max|f0'|/ε demand.
"""

from __future__ import annotations

import math
from functools import lru_cache, singledispatch

import numpy as np

from geopriv.shapes.profiles import (
    Curved,
    Gaussian,
    Identity,
    PiecewiseLinear,
    Profile,
    Ramps,
)
from geopriv.smooth.sensitivity.student_scales import ConstantLeastScale, LeastScale, RampScale, TabledScale, k
from geopriv.spaces.checks import FloatArray, invalid

CELLS = 4000


@lru_cache(maxsize=512)
def least_scale(profile: Profile, rate: float, df: float, cells: int = CELLS) -> LeastScale:
    """The least admissible scale of Student-t noise with ν = df ≥ 1 for a profile at a rate.

    Fewer cells give a scale that is admissible too, and a little larger.

    Raises:
        InvalidParameter: for a profile of which nothing is known.
    """
    return _least_scale(profile, rate, df, cells)


@singledispatch
def _least_scale(profile: Profile, rate: float, df: float, cells: int) -> LeastScale:
    raise invalid("least_scale", "profile", "a profile of geopriv.shapes.profiles", type(profile).__name__)


@_least_scale.register
def _(profile: Identity, rate: float, df: float, cells: int) -> LeastScale:
    return ConstantLeastScale(profile.slope, rate, df)


@_least_scale.register
def _(profile: Ramps, rate: float, df: float, cells: int) -> LeastScale:
    return RampScale(profile, rate, df)


@_least_scale.register
def _(profile: Gaussian, rate: float, df: float, cells: int) -> LeastScale:
    h = profile.bandwidth
    nodes, log_scale, decay = _gaussian_table(rate * h, df, cells)
    return TabledScale(nodes * h, log_scale, 0.0, decay / h, profile.center)


@_least_scale.register
def _(profile: PiecewiseLinear, rate: float, df: float, cells: int) -> LeastScale:
    nodes = _nodes(profile, rate, cells)  # they include every kink
    middles = (nodes[:-1] + nodes[1:]) / 2
    return _tabled(nodes, np.abs(profile.slopes)[np.searchsorted(profile.knots, middles)], rate, df)


@_least_scale.register
def _(profile: Curved, rate: float, df: float, cells: int) -> LeastScale:
    nodes = _nodes(profile, rate, cells)  # they include every kink
    width = np.diff(nodes)
    if profile.curvature is None:
        return _tabled(nodes, np.full(width.size, profile.lipschitz), rate, df)
    mean = (np.abs(np.diff(profile(nodes))) + 2 * profile.rounding) / width
    return _tabled(nodes, np.minimum(mean + profile.curvature * width / 2, profile.lipschitz), rate, df)


def _tabled(nodes: FloatArray, steepest: FloatArray, rate: float, df: float) -> TabledScale:
    """The least scale for a bound on |f0'| over each cell."""
    decay = rate / df * (1 - 1e-15)
    return TabledScale(nodes, _sweep(nodes, np.asarray(steepest, dtype=np.float64), rate, df), decay, decay)


@lru_cache(maxsize=256)
def _gaussian_table(rate: float, df: float, cells: int) -> tuple[FloatArray, FloatArray, float]:
    """In units of the bandwidth: nodes, ln σ and the decay beyond, which depend on (εh, ν) only.

    Beyond the last node c the slope |F'| falls faster than σ as long as the decay is at most c − 1/c, so the condition
    at the node holds after it too.
    """
    end = min(rate / df + 12.0, 37.0)
    step = min(end / cells, 0.02 / rate if rate > 1 else 0.02)
    nodes = np.linspace(0.0, end, min(int(end / step) + 1, 4 * cells))
    low, high = nodes[:-1], nodes[1:]
    steepest = np.where((low <= 1) & (high >= 1), math.exp(-0.5), np.maximum(_slope(low), _slope(high)))
    log_scale = _sweep(nodes, steepest, rate, df)
    alpha = float(_slope(nodes[-1:])[0]) * math.exp(-float(log_scale[-1]))
    fall = (rate - (k(df) * alpha) ** 2 / rate) / df  # a decay that satisfies the condition: see _allowed_fall
    return nodes, log_scale, max(0.0, min(fall, end - 1 / end) * (1 - 1e-9))


def _slope(c: FloatArray) -> FloatArray:
    return c * np.exp(-(c**2) / 2)


def _nodes(profile: PiecewiseLinear | Curved, rate: float, cells: int) -> FloatArray:
    marks = np.asarray(profile.landmarks)
    even = np.linspace(marks[0], marks[-1], cells + 1)
    near = np.geomspace(1e-3 / rate, max(marks[-1] - marks[0], 1e-2 / rate), max(4, cells // 2 // marks.size))
    close = (marks[:, None] + np.concatenate([-near, near])).ravel()
    others = np.concatenate([even, close[(close > marks[0]) & (close < marks[-1])]])
    # cells too short for their own rounding errors are merged; landmarks always stay
    after = np.clip(np.searchsorted(marks, others), 1, marks.size - 1)
    far = np.minimum(np.abs(others - marks[after]), np.abs(others - marks[after - 1])) > 1e-5 / rate
    nodes = np.unique(np.concatenate([marks, others[far]]))
    keep = np.isin(nodes, marks) | (np.diff(nodes, prepend=-np.inf) > 1e-5 / rate)
    return np.asarray(nodes[keep])


def _sweep(nodes: FloatArray, steepest: FloatArray, rate: float, df: float) -> FloatArray:
    """The logarithm of σ at the nodes, for the largest rate just below ε that gives an interpolant certified at ε."""
    for less in (1e-11, 1e-9, 1e-8, 1e-7, 1e-6):
        log_scale = _two_sweeps(nodes, steepest, rate * (1 - less), df)
        if _certified(nodes, log_scale, steepest, rate, df):
            return log_scale
    if df > 1000:
        raise invalid("LeastScaleT", "df", "at most 1000 for this query, or its least scale cannot be certified", df)
    rule = "large enough that the query does not rise over far less than 1/ε, or its least scale cannot be certified"
    raise invalid("LeastScaleT", "epsilon", rule, rate)


def _two_sweeps(nodes: FloatArray, steepest: FloatArray, rate: float, df: float) -> FloatArray:
    neighbour = np.maximum(np.append(steepest, 0.0), np.insert(steepest, 0, 0.0))
    with np.errstate(divide="ignore"):
        floor = np.log(k(df) * neighbour / rate)
    widths, slopes = np.diff(nodes).tolist(), steepest.tolist()
    forward, backward = floor.tolist(), floor.tolist()
    # a fall is at least 0, so there is none to compute where the floor rises
    for i in range(len(widths)):
        if forward[i] > forward[i + 1]:
            fallen = forward[i] - _allowed_fall(forward[i], widths[i], slopes[i], rate, df)
            forward[i + 1] = max(forward[i + 1], fallen)
    for i in reversed(range(len(widths))):
        if backward[i + 1] > backward[i]:
            fallen = backward[i + 1] - _allowed_fall(backward[i + 1], widths[i], slopes[i], rate, df)
            backward[i] = max(backward[i], fallen)
    return np.asarray(np.maximum(forward, backward))


def _allowed_fall(log_high: float, width: float, slope: float, rate: float, df: float) -> float:
    """The largest fall x of ln σ over a cell from its higher end: (ε − νβ)(ε + β) ≥ k²M²e^(2x)/σ², β = x/δ.

    Newton's method from x = εδ/ν, the fall where f0' = 0. The left side less the right is concave in x, so the steps
    come down to the root from above.
    """
    if log_high == -math.inf:
        return 0.0
    demand = math.exp(2 * (math.log(k(df) * slope) - log_high)) if slope > 0 else 0.0  # at most ε², by the floor
    x = rate * width / df
    for _ in range(60):
        beta, need = x / width, demand * math.exp(min(2 * x, 700.0))
        excess = (rate - df * beta) * (rate + beta) - need
        if excess >= 0:
            break
        steep = ((1 - df) * rate - 2 * df * beta) / width - 2 * need
        step = excess / steep
        x = max(x - step, 0.0)
        if step <= 1e-10 * x:  # the error left is of the order of the square of that
            break
    return x * (1 - 1e-13)


def _certified(nodes: FloatArray, log_scale: FloatArray, steepest: FloatArray, rate: float, df: float) -> bool:
    """T4's condition on every cell of the interpolant that will be used, with rounding errors charged."""
    width = np.diff(nodes)
    rounding = 4 * np.finfo(float).eps * np.maximum(np.abs(log_scale[:-1]), np.abs(log_scale[1:])) / width
    beta = np.abs(np.diff(log_scale)) / width + rounding
    lowest = np.minimum(log_scale[:-1], log_scale[1:])
    alpha = np.where(steepest > 0, np.exp(np.minimum(np.log(np.maximum(steepest, 1e-320)) - lowest, 700.0)), 0.0)
    spent = ((df - 1) * beta + np.hypot((df + 1) * beta, 2 * k(df) * alpha)) / 2
    return bool((spent * (1 + 1e-15) <= rate).all())
