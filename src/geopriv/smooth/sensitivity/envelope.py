"""The generic procedure: a certified, exactly smooth upper bound for any profile.

Computing the supremum B*(x) separately for each x and rounding it up would not do: a bound that is pointwise larger by
a wobble is no longer smooth, and the privacy loss between close x is unbounded (theory T4). So the bound is taken
once, on the profile, and smoothness follows from its form:

1. Cut the line into public cells and let ℓ_i ≥ sup of L_Λ over cell i. Beyond the last knot, with Λ = ∞, L_Λ is
   bounded by a maximum of hyperbolas M/|z − w|.
2. Let L̄ be that step function (with hyperbolic tails) and B(x) = sup_z L̄(z)/g(|x − z|), computed exactly.

B is a sup-convolution with a growth function, hence g-smooth (paper, Lemma 3.1, applied to L̄), and B ≥ B* because
L̄ ≥ L_Λ. As the cells shrink L̄ and B decrease to L_Λ and B*.

Why ℓ_i bounds L_Λ on a cell. For straight pieces p and a fixed w the slope of the chord from z to w is a + c/(z − w)
on a piece: monotone, so largest at the cell's ends; and for fixed z it is monotone in w between knots, so only knots,
the ends z ± Λ of the radius, and the piece's own slope matter. A Custom profile f is compared with its interpolant p:
|f − p| ≤ E with E = Cδ²/8 (curvature C, spacing δ), or Kδ/2 from the Lipschitz constant alone. Chords of length ≥ δ
then gain at most 2E/δ, and shorter ones are bounded by the slope within δ, which is at most |mean slope| + Cδ/2
(or K).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from geopriv.shapes.profiles import Curved, PiecewiseLinear
from geopriv.smooth.sensitivity.growth import Growth
from geopriv.spaces.checks import FloatArray

CELLS = 2048
_CHUNK = 1 << 21
_TINY = 1e-300

_Tails = tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]
_NO_TAIL = (np.empty(0), np.empty(0))


@dataclass(frozen=True, eq=False)
class Envelope:
    """L̄: `bounds` on the cells between `edges`, and max of `rise`/|z − `foot`| beyond each end (Λ = ∞)."""

    edges: FloatArray
    bounds: FloatArray
    left: tuple[FloatArray, FloatArray]
    right: tuple[FloatArray, FloatArray]

    def pointwise(self, s: FloatArray) -> FloatArray:
        """L̄(s); the larger of two cells on their common edge."""
        low = np.searchsorted(self.edges, s, side="left") - 1
        high = np.searchsorted(self.edges, s, side="right") - 1
        padded = np.concatenate([self.bounds, [0.0]])  # index −1, left of the first edge, is this zero too
        last = self.bounds.size
        inside = np.maximum(padded[np.minimum(low, last)], padded[np.minimum(high, last)])
        return np.asarray(np.maximum(inside, np.maximum(self._tail(s, -1), self._tail(s, +1))))

    def smooth(self, growth: Growth, s: FloatArray) -> FloatArray:
        """The supremum over z of L̄(z)/g(|s − z|).

        A hyperbola divided by g is largest at one of its ends (its logarithm is convex for g_E; its reciprocal is a
        concave parabola for g_L), that is, at s or at the edge, and the edge belongs to a cell.
        """
        s = np.asarray(s, dtype=np.float64)
        log_bounds = np.log(np.maximum(self.bounds, _TINY))
        lows, highs = self.edges[:-1], self.edges[1:]
        if growth.multiplicative:
            left = np.maximum.accumulate(log_bounds + growth.gamma * (highs - self.edges[0]))
            right = np.maximum.accumulate((log_bounds - growth.gamma * (lows - self.edges[0]))[::-1])[::-1]
            before = np.concatenate([[-np.inf], left])[np.searchsorted(highs, s, side="right")]
            after = np.concatenate([right, [-np.inf]])[np.searchsorted(lows, s, side="left")]
            shift = growth.gamma * (s - self.edges[0])
            cells = np.exp(np.maximum(before - shift, after + shift))
        else:
            # each distinct place is held against every cell
            (flat, back), step = np.unique(s.ravel(), return_inverse=True), max(1, _CHUNK // lows.size)
            parts = [
                (log_bounds - growth.log(np.maximum(np.maximum(lows - x, x - highs), 0.0))).max(axis=1)
                for x in (flat[i : i + step, None] for i in range(0, flat.size, step))
            ]
            cells = np.exp(np.concatenate([*parts, np.empty(0)]))[back].reshape(s.shape)
        return np.asarray(np.maximum(cells, self.pointwise(s)))

    def _tail(self, s: FloatArray, side: int) -> FloatArray:
        beyond = s > self.edges[-1] if side > 0 else s < self.edges[0]
        result = np.zeros_like(s)
        result[beyond] = _hyperbolas(self.right if side > 0 else self.left, s[beyond])
        return result


@lru_cache(maxsize=64)
def envelope(profile: PiecewiseLinear | Curved, radius: float, cells: int = CELLS) -> Envelope:
    """The step function L̄ ≥ L_Λ of a profile.

    Args:
        profile: straight pieces (then L̄ → L_Λ as cells grow) or Curved (then it does if a curvature is given).
        radius: Λ.
        cells: into how many the interval of interest is cut; more is tighter and slower.
    """
    if isinstance(profile, Curved):
        return _curved_envelope(profile, radius, cells)
    knots, values = np.asarray(profile.knots), np.asarray(profile.values)
    edges = np.union1d(knots, _spread(knots[0], knots[-1], radius, cells))
    return _with_tails(edges, _cell_bounds(edges, knots, values, radius), _tails(knots, values), knots, radius)


def _curved_envelope(profile: Curved, radius: float, cells: int) -> Envelope:
    joints = [profile.low, *profile.kinks, profile.high]
    step = (profile.high - profile.low) / cells
    pieces = [np.linspace(a, b, max(2, int(np.ceil((b - a) / step)) + 1)) for a, b in pairwise(joints)]
    knots = np.unique(np.concatenate(pieces))
    values = profile(knots)
    width = np.diff(knots)
    if profile.curvature is None:
        slope, error = np.full(width.size, profile.lipschitz), profile.lipschitz * width.max() / 2
    else:
        mean = (np.abs(np.diff(values)) + 2 * profile.rounding) / width
        slope = np.minimum(mean + profile.curvature * width / 2, profile.lipschitz)
        error = min(profile.curvature * width.max() ** 2 / 8, profile.lipschitz * width.max() / 2)
    error += profile.rounding
    reach = float(width.max())
    edges = np.union1d(knots, _spread(knots[0], knots[-1], radius, cells) if np.isfinite(radius) else knots)
    chords = _cell_bounds(edges, knots, values, radius)
    bounds = np.minimum(chords + 2 * error / reach, profile.lipschitz)
    bounds = np.maximum(bounds, _nearby_slope(edges, knots, slope, min(reach, radius)))
    return _with_tails(edges, bounds, _curved_tails(knots, values, slope, error), knots, radius)


def _with_tails(edges: FloatArray, bounds: FloatArray, tails: _Tails, knots: FloatArray, radius: float) -> Envelope:
    """The envelope with its tails: hyperbolas for Λ = ∞, cells for finite Λ."""
    left, right = tails
    if np.isfinite(radius):
        # outside the knots a shorter radius is at least no worse than none
        before, after = edges[1:] <= knots[0], edges[:-1] >= knots[-1]
        bounds = np.where(before, np.minimum(bounds, _hyperbolas(left, edges[1:])), bounds)
        bounds = np.where(after, np.minimum(bounds, _hyperbolas(right, edges[:-1])), bounds)
        return Envelope(edges, bounds, _NO_TAIL, _NO_TAIL)
    # L_∞ falls beyond the last knot, so the last cell's bound holds until the hyperbolas come down to it; starting the
    # tail there makes it continuous, as the argument for its maxima at the ends needs
    start = min(edges[0], float((left[1] - left[0] / bounds[0]).min(initial=np.inf)))
    stop = max(edges[-1], float((right[1] + right[0] / bounds[-1]).max(initial=-np.inf)))
    edges = np.concatenate([[start], edges, [stop]])
    return Envelope(edges, np.concatenate([bounds[:1], bounds, bounds[-1:]]), left, right)


def _spread(low: float, high: float, radius: float, cells: int) -> FloatArray:
    """Edges of cells: even ones between the knots, and for finite Λ growing ones up to Λ beyond them."""
    inner = np.linspace(low, high, cells + 1)
    if not np.isfinite(radius):
        return inner
    step = min((high - low) / cells, radius / 2)
    outer = np.union1d(np.geomspace(step, radius, cells // 4 + 2), np.linspace(0.0, radius, cells // 4 + 2))
    return np.concatenate([low - outer[::-1], inner, high + outer])


def _cell_bounds(edges: FloatArray, knots: FloatArray, values: FloatArray, radius: float) -> FloatArray:
    """The supremum of L_Λ of the straight pieces over each cell (a little more where Λ cuts a chord inside)."""
    heights = np.interp(edges, knots, values)
    own = np.abs(np.diff(heights)) / np.diff(edges)
    best = own
    for side in (slice(None, -1), slice(1, None)):
        z, height = edges[side], heights[side]
        for knot, value in zip(knots, values, strict=True):
            length = np.abs(knot - z)
            away = np.maximum(np.maximum(edges[:-1] - knot, knot - edges[1:]), 0.0)  # of the knot from the cell
            usable = (away <= radius) & (length > 0)
            best = np.where(usable, np.maximum(best, np.abs(value - height) / np.where(usable, length, 1.0)), best)
        if np.isfinite(radius):
            for w in (z - radius, z + radius):
                best = np.maximum(best, np.abs(np.interp(w, knots, values) - height) / radius)
    return best


def _nearby_slope(edges: FloatArray, knots: FloatArray, slope: FloatArray, reach: float) -> FloatArray:
    """The largest slope bound of the profile within `reach` of each cell."""
    best = np.zeros(edges.size - 1)
    first = np.searchsorted(edges[1:], knots[:-1] - reach, side="left")
    last = np.searchsorted(edges[:-1], knots[1:] + reach, side="right")
    for i, j, bound in zip(first, last, slope, strict=True):
        np.maximum(best[i:j], bound, out=best[i:j])
    return best


def _hyperbolas(tail: tuple[FloatArray, FloatArray], z: FloatArray) -> FloatArray:
    """The largest of the hyperbolas rise/|z − foot|."""
    best = np.zeros_like(z)
    for rise, foot in zip(*tail, strict=True):
        length = np.abs(z - foot)
        np.maximum(best, np.where(length > 0, rise / np.where(length > 0, length, 1.0), np.inf), out=best)
    return best


def _tails(knots: FloatArray, values: FloatArray) -> _Tails:
    return _prune(np.abs(values - values[0]), knots, -1), _prune(np.abs(values - values[-1]), knots, +1)


def _curved_tails(knots: FloatArray, values: FloatArray, slope: FloatArray, error: float) -> _Tails:
    """As for straight pieces, with the rise over a cell widened by the error and seen from its nearer end."""
    width = np.diff(knots)
    to_left, to_right = np.abs(values - values[0]), np.abs(values - values[-1])
    # in the cell at the end the rise is at most slope × way, so the chord is steepest from the cell's far side
    left_rise = np.concatenate([[slope[0] * width[0]], np.maximum(to_left[1:-1], to_left[2:]) + error])
    left_foot = np.concatenate([[knots[1]], knots[1:-1]])
    right_rise = np.concatenate([np.maximum(to_right[:-2], to_right[1:-1]) + error, [slope[-1] * width[-1]]])
    right_foot = np.concatenate([knots[1:-1], [knots[-2]]])
    return _prune(left_rise, left_foot, -1), _prune(right_rise, right_foot, +1)


def _prune(rise: FloatArray, foot: FloatArray, side: int) -> tuple[FloatArray, FloatArray]:
    """Only hyperbolas that are not below another one everywhere: from the near end inwards, each must rise higher."""
    order = np.argsort(-side * foot, kind="stable")
    rise, foot = rise[order], foot[order]
    higher = rise > np.concatenate([[0.0], np.maximum.accumulate(rise)[:-1]])
    return rise[higher], foot[higher]
