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
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from geopriv.shapes.profiles import (
    Curved,
    Gaussian,
    Identity,
    PiecewiseLinear,
    Profile,
    Ramps,
)
from geopriv.spaces.checks import FloatArray, invalid, same_fields

CELLS = 4000


class LeastScale(ABC):
    """σ as a function of the coordinate."""

    @abstractmethod
    def __call__(self, s: FloatArray) -> FloatArray:
        """σ(s)."""

    @abstractmethod
    def squared_integral(self) -> float:
        """∫ σ² over the line, up to a factor that does not depend on the degrees of freedom."""


@dataclass(frozen=True)
class RampScale(LeastScale):
    """Ramps of width τ, in closed form: σ(s) = k/(ετ)·exp(−(ε/ν)·gap), gap the distance to the nearest ramp."""

    profile: Ramps
    rate: float
    df: float

    def __call__(self, s: FloatArray) -> FloatArray:
        top = _k(self.df) / (self.rate * self.profile.width)
        return top * np.exp(-self.rate / self.df * np.minimum(self.profile.gap(s), 600 * self.df / self.rate))

    def squared_integral(self) -> float:
        top, decay = _k(self.df) / (self.rate * self.profile.width), 2 * self.rate / self.df
        ramps = self.profile.ramps
        flat = sum(high - low for low, high in ramps) + 2 / decay
        inner = sum(2 / decay * -math.expm1(-decay * (low - high) / 2) for (_, high), (low, _) in pairwise(ramps))
        return top**2 * (flat + inner)


@dataclass(frozen=True)
class ConstantLeastScale(LeastScale):
    """A line of slope K has the same scale kK/ε everywhere."""

    slope: float
    rate: float
    df: float

    def __call__(self, s: FloatArray) -> FloatArray:
        return np.full_like(s, _k(self.df) * self.slope / self.rate)

    def squared_integral(self) -> float:
        return (_k(self.df) * self.slope / self.rate) ** 2


@dataclass(frozen=True, eq=False)
class TabledScale(LeastScale):
    """ln σ linear between nodes and falling at the given rates beyond them; mirrored around `center` if it is given."""

    nodes: FloatArray
    log_scale: FloatArray
    left_decay: float
    right_decay: float
    center: float | None = None

    def __eq__(self, other: object) -> bool:
        return same_fields(self, other)

    def __hash__(self) -> int:
        return hash((self.nodes.tobytes(), self.log_scale.tobytes(), self.left_decay, self.right_decay, self.center))

    def __call__(self, s: FloatArray) -> FloatArray:
        t = s if self.center is None else np.abs(s - self.center)
        before, after = np.maximum(self.nodes[0] - t, 0.0), np.maximum(t - self.nodes[-1], 0.0)
        inside = np.interp(t, self.nodes, self.log_scale)
        return np.asarray(np.exp(np.maximum(inside - self.left_decay * before - self.right_decay * after, -690.0)))

    def squared_integral(self) -> float:
        a, b, width = 2 * self.log_scale[:-1], 2 * self.log_scale[1:], np.diff(self.nodes)
        rise = b - a
        small = np.abs(rise) < 1e-9
        mean = np.where(small, 1.0, np.expm1(rise) / np.where(small, 1.0, rise))
        ends = [
            math.exp(2 * value) / (2 * decay)
            for value, decay in ((self.log_scale[0], self.left_decay), (self.log_scale[-1], self.right_decay))
            if decay > 0
        ]
        return float((width * np.exp(a) * mean).sum()) + sum(ends)


@lru_cache(maxsize=512)
def least_scale(profile: Profile, rate: float, df: float, cells: int = CELLS) -> LeastScale:
    """The least admissible scale of Student-t noise with ν = df ≥ 1 for a profile at a rate.

    Fewer cells give a scale that is admissible too, and a little larger.
    """
    match profile:
        case Identity():
            return ConstantLeastScale(profile.slope, rate, df)
        case Ramps():
            return RampScale(profile, rate, df)
        case Gaussian():
            h = profile.bandwidth
            nodes, log_scale, decay = _gaussian_table(rate * h, df, cells)
            return TabledScale(nodes * h, log_scale, 0.0, decay / h, profile.center)
        case PiecewiseLinear() | Curved():
            nodes = _nodes(profile, rate, cells)
            log_scale = _sweep(nodes, _steepest(profile, nodes), rate, df)
            decay = rate / df * (1 - 1e-15)
            return TabledScale(nodes, log_scale, decay, decay)
    raise invalid("least_scale", "profile", "a profile of geopriv.shapes.profiles", type(profile).__name__)


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
    fall = (rate - (_k(df) * alpha) ** 2 / rate) / df  # a decay that satisfies the condition: see _allowed_fall
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


def _steepest(profile: PiecewiseLinear | Curved, nodes: FloatArray) -> FloatArray:
    """A bound on |f0'| over each cell; nodes include every kink."""
    width, heights = np.diff(nodes), profile(nodes)
    if isinstance(profile, PiecewiseLinear):
        slopes = np.abs(profile.slopes)
        return np.asarray(slopes[np.searchsorted(profile.knots, (nodes[:-1] + nodes[1:]) / 2)], dtype=np.float64)
    mean = (np.abs(np.diff(heights)) + 2 * profile.rounding) / width
    if profile.curvature is None:
        return np.full(width.size, profile.lipschitz)
    return np.asarray(np.minimum(mean + profile.curvature * width / 2, profile.lipschitz))


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
        floor = np.log(_k(df) * neighbour / rate)
    widths, slopes = np.diff(nodes).tolist(), steepest.tolist()
    forward, backward = floor.tolist(), floor.tolist()
    for i in range(len(widths)):
        forward[i + 1] = max(forward[i + 1], forward[i] - _allowed_fall(forward[i], widths[i], slopes[i], rate, df))
    for i in reversed(range(len(widths))):
        backward[i] = max(backward[i], backward[i + 1] - _allowed_fall(backward[i + 1], widths[i], slopes[i], rate, df))
    return np.asarray(np.maximum(forward, backward))


def _allowed_fall(log_high: float, width: float, slope: float, rate: float, df: float) -> float:
    """The largest fall x of ln σ over a cell from its higher end: (ε − νβ)(ε + β) ≥ k²M²e^(2x)/σ², β = x/δ.

    Newton's method from x = εδ/ν, the fall where f0' = 0. The left side less the right is concave in x, so the steps
    come down to the root from above.
    """
    if log_high == -math.inf:
        return 0.0
    demand = math.exp(2 * (math.log(_k(df) * slope) - log_high)) if slope > 0 else 0.0  # at most ε², by the floor
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
    spent = ((df - 1) * beta + np.hypot((df + 1) * beta, 2 * _k(df) * alpha)) / 2
    return bool((spent * (1 + 1e-15) <= rate).all())


def _k(df: float) -> float:
    return (df + 1) / (2 * math.sqrt(df))
