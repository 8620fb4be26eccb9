"""Functions on finitely many labels: smooth sensitivity, the least scale of Student-t noise, and the worst loss.

The loss of two reports with Student-t noise is a distance between (f, ln σ) and (f', ln σ') (theory G1), so a promise
is a condition on pairs, and of all pairs those suffice that have no label on the way (theory G9;
docs/theory/finite-metrics.md). Whatever a solver does, all pairs are compared before a scale is used.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeGuard, cast

import numpy as np
import numpy.typing as npt

from geopriv.mechanisms.guarantee import Guarantee
from geopriv.mechanisms.loss.line import rounding
from geopriv.mechanisms.loss.pairs import Pairs, hockey_stick, largest_loss
from geopriv.mechanisms.loss.worst import WorstLoss, worst
from geopriv.noise import Noise, StudentT
from geopriv.queries import Query
from geopriv.queries.values import Values
from geopriv.smooth.scale import MARGIN, PlaceScale
from geopriv.spaces.balls import arb
from geopriv.spaces.bounded import ROUNDING, Bounded
from geopriv.spaces.checks import FloatArray, invalid
from geopriv.spaces.compiled import compiled

if TYPE_CHECKING:
    from geopriv.smooth.sensitivity.growth import Growth

Whole = npt.NDArray[np.int64]

LEAST = 1e-300  # a scale must not vanish; the larger of a smooth bound and a constant is a smooth bound
_DEEPEST = 600.0  # by how much ln σ may fall below its largest value; the larger of a scale and a constant is a scale
_SHRUNK = (1e-12, 1e-9, 1e-6, 1e-3)  # by which the rate is lowered until rounding breaks no pair
_HALVINGS = 60
_GAP = 1e-7  # of the mean of σ², at which the convex program ends
_STEPS = 60  # of Newton's method for each weight of the barrier
_RARE = 1e-9  # of the even share, the least that anybody is expected at a label, so that there is one best scale


@dataclass(frozen=True)
class LabelScale(PlaceScale):
    """σ of each label.

    Args:
        sigma: one positive number for each label.
        query: f.
    """

    sigma: FloatArray = field(repr=False)
    query: Values

    @property
    def steepest(self) -> float:  # type: ignore[override] # computed here
        """A Lipschitz constant of f."""
        return self.query.lipschitz

    def __call__(self, points: FloatArray) -> FloatArray:
        return np.asarray(self.sigma[points[:, 0].astype(np.intp)])

    def enclose_at(self, place: Sequence[arb]) -> arb:
        return MARGIN * arb(float(self.sigma[int(float(place[0]))]))

    def bounded_at(self, rows: FloatArray) -> tuple[Bounded, Bounded]:
        values, spread = self.query.answer(rows)[:, None], MARGIN * self(rows)
        return Bounded(values, np.zeros_like(values)), Bounded(spread, np.full_like(spread, ROUNDING))


def on_labels(query: Query) -> TypeGuard[Values]:
    """Whether a query is a table of values, and no profile of a coordinate."""
    return query.space.finite and not query.has_profile


def slopes_within(query: Values, radius: float) -> FloatArray:
    """L_Λ of each label: the largest |f(x) − f(x')|/dist(x, x') over 0 < dist(x, x') ≤ Λ, shape (n,)."""
    slopes = np.asarray(np.where(query.space.distances <= radius, query.slopes, 0.0).max(axis=1))
    if not slopes.any():
        raise invalid("geopriv.smooth", "radius", "so large that it holds two labels of different values", radius)
    return slopes


def smooth_bound(query: Values, growth: Growth, radius: float) -> FloatArray:
    """B* of each label: the largest L_Λ(z)/g(dist(x, z)) over all labels z, shape (n,)."""
    with np.errstate(divide="ignore"):
        slope = np.log(slopes_within(query, radius))
    return np.asarray(np.maximum(np.exp((slope - growth.log(query.space.distances)).max(axis=1)), LEAST))


def of_labels(query: Values, growth: Growth, eta: float, radius: float) -> LabelScale:
    """σ = B*/η of each label."""
    return LabelScale(smooth_bound(query, growth, radius) / eta, query)


def even_labels(query: Values, value: float) -> LabelScale:
    """The same σ at each label."""
    return LabelScale(np.full(len(query.values), value), query)


def smallest_factor(owner: str, query: Values, bound: FloatArray, rate: float, df: float, radius: float) -> float:
    """The smallest c with which f + c·B·Z keeps its promise within Λ, Z being Student-t (theory G9(e)).

    Guarantee: of all pairs within Λ the exact loss (theory G1) is compared.

    Raises:
        InvalidParameter: where ln B changes by ε/ν a unit of distance, or more.
    """
    i, j = np.triu_indices(len(bound), 1)
    far, rise = query.space.distances[i, j], np.abs(query.array[i] - query.array[j])
    turn, middle = np.abs(np.log(bound[i]) - np.log(bound[j])), (np.log(bound[i]) + np.log(bound[j])) / 2
    counts = (far <= radius) & (rise > 0)
    for part in _SHRUNK:
        loss = (1 - part) * rate * far
        if (df * turn >= loss)[counts].any():
            break
        factor = float(np.exp((needed(turn[counts], loss[counts], rise[counts], df) - middle[counts]).max()))
        if keeps(query, factor * bound, rate, df, radius, part / 8):
            return factor
    raise invalid(owner, "bound", "one that changes by less than ε/ν a unit of distance, beyond rounding", "another")


def keeps(query: Values, sigma: FloatArray, rate: float, df: float, radius: float, spare: float) -> bool:
    """Whether no pair within Λ loses more than ε·dist, less a share to spare, with Student-t noise of these scales."""
    i, j = np.triu_indices(len(sigma), 1)
    center, far = query.array, query.space.distances[i, j]
    loss = StudentT(df).largest_loss(center[i], sigma[i], center[j], sigma[j])
    return bool((loss <= rate * far * (1 - spare))[far <= radius].all())


def log_sinh(x: FloatArray) -> FloatArray:
    """The logarithm of sinh x for x > 0, without overflow and with all digits near 0."""
    return np.asarray(x + np.log(-np.expm1(-2 * x)) - math.log(2))


def needed(turn: FloatArray, loss: FloatArray, rise: FloatArray, df: float) -> FloatArray:
    """H: what (ln σ + ln σ')/2 must be at least, where ln σ and ln σ' differ by `turn` < loss/ν (theory G9).

    Args:
        turn: |ln σ − ln σ'|.
        loss: ε·dist.
        rise: |f − f'| > 0.
        df: ν.
    """
    near, far = (loss - df * turn) / (df + 1), (loss + turn) / (df + 1)
    return np.asarray(np.log(rise / math.sqrt(4 * df)) - (log_sinh(near) + log_sinh(far)) / 2)


def least_labels(query: Values, rate: float, df: float, shares: FloatArray) -> LabelScale:
    """The scale of least expected variance, certified on all pairs.

    Where ε·dist ≤ (ν+1)/2·ln ν on every edge whose ends have different values, there is one scale that is the least
    everywhere, and label setting finds it. Else a convex program finds the one that is best for these shares.

    Guarantee: f + σ·Z is (ε, 0, ∞)-GP on the labels, Z being Student-t with ν degrees of freedom: of all pairs the
    exact loss (theory G1) is compared.

    Args:
        query: f.
        rate: ε.
        df: ν, at least 1.
        shares: of the people expected at each label.

    Raises:
        InvalidParameter: for labels so near each other, beside 1/ε, that floats cannot tell their scales apart.
    """
    edges = Edges.of(query)
    for part in _SHRUNK:
        for solve in (best_of_edges, lambda *a: set_labels(*a[:3])):  # the second is never as good, and always ends
            log_scale = solve(edges, rate * (1 - part), df, shares)
            sigma = np.exp(np.maximum(log_scale, log_scale.max() - _DEEPEST))
            if keeps(query, sigma, rate, df, math.inf, part / 8):
                return LabelScale(sigma, query)
    least = 1e-11 / float(edges.far.min())
    raise invalid(
        "LeastScaleT", "epsilon", f"at least {least:.3g}, or floats cannot tell the nearest labels apart", rate
    )


@dataclass(frozen=True)
class Edges:
    """The pairs of labels that suffice for a promise: those with no other label on the way.

    Args:
        first: the one end, shape (m,).
        second: the other end.
        far: their distance.
        rise: |f − f'|.
        size: how many labels there are.
    """

    first: Whole
    second: Whole
    far: FloatArray
    rise: FloatArray
    size: int

    @classmethod
    def of(cls, query: Values) -> Edges:
        """Of a function on labels; also where f is the same, the scale may not change too fast."""
        first, second = query.space.edges
        values = query.array
        return cls(
            first, second, query.space.distances[first, second], np.abs(values[first] - values[second]), len(values)
        )

    def least_at_once(self, rate: float, df: float) -> bool:
        """Whether one scale is the least everywhere: ε·dist ≤ (ν+1)/2·ln ν where the value changes (theory G9(c))."""
        return bool((rate * self.far[self.rise > 0] <= (df + 1) / 2 * math.log(df)).all())


def best_of_edges(edges: Edges, rate: float, df: float, shares: FloatArray, gap: float = _GAP) -> FloatArray:
    """Ln σ of least mean σ², by label setting where that is the least everywhere, else by the convex program."""
    if edges.least_at_once(rate, df):
        return set_labels(edges, rate, df)
    start = set_labels(edges, rate * 0.9, df) + 0.05  # strictly within all conditions
    return Program(edges, rate, df, np.maximum(shares, _RARE / edges.size)).solve(start, gap)


def set_labels(edges: Edges, rate: float, df: float) -> FloatArray:
    """The least ln σ among those that are at least H(0) at both ends of every edge: largest label first.

    A label never asks more of its neighbours than it has itself, so that Dijkstra's argument holds (theory G9(d)).
    """
    loss, changing = rate * edges.far, edges.rise > 0
    start = np.full(edges.size, -np.inf)
    floor = needed(np.zeros(changing.sum()), loss[changing], edges.rise[changing], df) + 1e-13
    for ends in (edges.first, edges.second):
        np.maximum.at(start, ends[changing], floor)
    order = np.argsort(np.concatenate([edges.first, edges.second]), kind="stable")
    other = np.concatenate([edges.second, edges.first])[order]
    begin = np.searchsorted(np.concatenate([edges.first, edges.second])[order], np.arange(edges.size + 1))
    both = np.concatenate([np.arange(len(loss))] * 2)[order]
    settle(start, begin, other, loss[both], edges.rise[both], float(df))
    return start


@compiled
def log_sinh_of(x: float) -> float:
    """`log_sinh` of one number."""
    return float(x + np.log(-np.expm1(-2 * x)) - np.log(2.0))


@compiled
def asked_of_neighbour(label: float, loss: float, rise: float, df: float) -> float:
    """φ: the least ln σ' beside a larger ln σ, rounded up."""
    if rise == 0:
        return label - loss / df
    whole = np.log(rise / np.sqrt(4 * df))
    even = whole - log_sinh_of(loss / (df + 1))
    low, high = 0.0, loss / df
    for _ in range(_HALVINGS):  # the root of H(ρ) + ρ/2 = ln σ, which rises
        turn = (low + high) / 2
        near = (loss - df * turn) / (df + 1)
        if near <= 0 or whole - (log_sinh_of(near) + log_sinh_of((loss + turn) / (df + 1))) / 2 + turn / 2 > label:
            high = turn
        else:
            low = turn
    return float(max(label - low, even))


@compiled
def settle(labels: FloatArray, begin: Whole, other: Whole, loss: FloatArray, rise: FloatArray, df: float) -> None:
    """Raise labels to what their neighbours ask of them, the largest first."""
    done = np.zeros(labels.size, np.bool_)
    for _ in range(labels.size):
        best = -1
        for v in range(labels.size):
            if not done[v] and (best < 0 or labels[v] > labels[best]):
                best = v
        done[best] = True
        for k in range(begin[best], begin[best + 1]):
            v = other[k]
            if not done[v]:
                labels[v] = max(labels[v], asked_of_neighbour(labels[best], loss[k], rise[k], df))


@dataclass(frozen=True)
class Program:
    """The least Σ share·σ² over all admissible ln σ: a convex program, by Newton's method with a barrier.

    Conditions on an edge, with ρ = ln σ' − ln σ: |ρ| ≤ ε·dist/ν, and where f changes (ln σ + ln σ')/2 is at least H(ρ)
    and H(−ρ).

    Reference: theory G9(b).
    """

    edges: Edges
    rate: float
    df: float
    shares: FloatArray

    def solve(self, start: FloatArray, gap: float) -> FloatArray:
        """Ln σ whose mean σ² is within a share `gap` of the least, from a start within all conditions."""
        w, mean = start, float(self.shares @ np.exp(2 * start))
        count = 2 * len(self.edges.far) + 2 * int((self.edges.rise > 0).sum())
        weight = 10 / mean
        while count / weight > gap * mean:
            for _ in range(_STEPS):
                slope, bend = self._derivatives(w, weight)
                try:
                    step = -np.linalg.solve(bend, slope)
                except np.linalg.LinAlgError:
                    return w  # within all conditions, as every w is
                fall, length, value = -float(slope @ step), 1.0, self._value(w, weight)
                while self._value(w + length * step, weight) > value - 0.25 * length * fall and length > 1e-12:
                    length /= 2
                w = w + length * step
                if fall < 1e-6:
                    break
            mean = float(self.shares @ np.exp(2 * w))
            weight *= 8
        return w

    def _slack(self, w: FloatArray) -> tuple[FloatArray, list[FloatArray]]:
        """Of each edge ρ, and what is left in its conditions: of ρ below and above, of H(ρ) and of H(−ρ)."""
        e = self.edges
        loss, changes = self.rate * e.far, e.rise > 0
        turn = w[e.second] - w[e.first]
        middle = (w[e.first] + w[e.second]) / 2
        left = [loss / self.df - turn, loss / self.df + turn]
        inside = (left[0] > 0) & (left[1] > 0)
        for sign in (1.0, -1.0):
            ok = changes & inside
            asked = needed(sign * turn[ok], loss[ok], e.rise[ok], self.df)
            left.append(np.where(changes, -np.inf, 1.0))
            left[-1][ok] = middle[ok] - asked
        return turn, left

    def _value(self, w: FloatArray, weight: float) -> float:
        _, left = self._slack(w)
        if min(float(part.min()) for part in left) <= 0:
            return math.inf
        return weight * float(self.shares @ np.exp(2 * w)) - sum(float(np.log(part).sum()) for part in left)

    def _derivatives(self, w: FloatArray, weight: float) -> tuple[FloatArray, FloatArray]:
        """Gradient and Hessian of the value with its barrier."""
        e, df = self.edges, self.df
        loss, changes = self.rate * e.far, e.rise > 0
        turn, left = self._slack(w)
        mass = self.shares * np.exp(2 * w)
        slope, bend = 2 * weight * mass, np.diag(4 * weight * mass)
        by_turn, by_turn2 = 1 / left[0] - 1 / left[1], 1 / left[0] ** 2 + 1 / left[1] ** 2
        by_middle, by_middle2, mixed = (np.zeros(len(loss)) for _ in range(3))
        for sign, slack in ((1.0, left[2]), (-1.0, left[3])):
            near, far = (loss - df * sign * turn) / (df + 1), (loss + sign * turn) / (df + 1)
            rate = -sign * (df / np.tanh(near) - 1 / np.tanh(far)) / (2 * (df + 1))  # of the slack, by ρ
            with np.errstate(over="ignore"):
                bent = -(df**2 / np.sinh(near) ** 2 + 1 / np.sinh(far) ** 2) / (2 * (df + 1) ** 2)
            by_middle -= np.where(changes, 1 / slack, 0)
            by_middle2 += np.where(changes, 1 / slack**2, 0)
            by_turn -= np.where(changes, rate / slack, 0)
            by_turn2 += np.where(changes, (rate / slack) ** 2 - bent / slack, 0)
            mixed += np.where(changes, rate / slack**2, 0)
        n, first, second = e.size, e.first, e.second
        slope += np.bincount(first, by_middle / 2 - by_turn, n) + np.bincount(second, by_middle / 2 + by_turn, n)
        own, other = by_middle2 / 4 + by_turn2, by_middle2 / 4 - by_turn2
        where = np.concatenate([first * n + first, second * n + second, first * n + second, second * n + first])
        bend += np.bincount(where, np.concatenate([own - mixed, own + mixed, other, other]), n * n).reshape(n, n)
        return slope, bend


def worst_of_labels(
    query: Values, scale: Callable[[FloatArray], FloatArray], noise: Noise, guarantee: Guarantee
) -> WorstLoss:
    """Of f(x) + σ(x)·Z over all pairs of labels within Λ; of Student-t noise the exact loss (theory G1)."""
    labels, space = query.space.labels, query.space
    i, j = np.triu_indices(len(labels), 1)
    kept = (space.distances[i, j] <= guarantee.radius) | (guarantee.metric != "distance")
    i, j = i[kept], j[kept]
    if not len(i):
        return WorstLoss(0.0, (None, None, None), 0)
    center, sigma = query.array, scale(np.arange(len(labels), dtype=np.float64)[:, None])
    pairs = Pairs(
        i.astype(np.float64), j.astype(np.float64), space.distances[i, j], center[i], sigma[i], center[j], sigma[j]
    )
    allowed = guarantee.epsilon * (pairs.distance if guarantee.metric == "distance" else np.ones(len(i)))
    if guarantee.delta > 0:
        ratios = hockey_stick(noise, pairs, allowed) / guarantee.delta
    elif getattr(noise, "df", 0.0) >= 1:  # Student-t, whose loss has a closed form
        exact = cast("StudentT", noise).largest_loss(pairs.center, pairs.scale, pairs.center2, pairs.scale2)
        ratios = exact / allowed
    else:
        ratios = np.maximum(largest_loss(noise, pairs)[0] - rounding(pairs), 0.0) / allowed
    return worst(ratios, lambda k: (labels[i[k]], labels[j[k]], None))
