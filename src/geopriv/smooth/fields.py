"""Noise scales on a grid in R^d: ln σ at the vertices, multilinear between them, and a certificate for every cell.

Student-t noise on f keeps its promise where |∇ ln σ| ≤ β(|∇f|/σ) almost everywhere (theory G2). On a cell of a
multilinear interpolant the gradient is longest at a corner, where it is made of differences of neighbours, and σ is
least at a corner, so one comparison a cell certifies the interpolant that is used (G6). The solver sweeps from below
until nothing moves, and wherever a cell fails it asks for a slower change there, so it always ends certified (G7). Only
the certificate is trusted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from geopriv.smooth.cells import Cells
from geopriv.smooth.scale import MARGIN, PlaceScale
from geopriv.smooth.sensitivity.student_scales import FLATTER, k
from geopriv.spaces.balls import arb
from geopriv.spaces.checks import FloatArray, invalid, same_fields
from geopriv.spaces.compiled import compiled
from geopriv.spaces.threads import in_threads

Whole = npt.NDArray[np.int64]
Bits = npt.NDArray[np.bool_]

_LEAST = -690.0  # ln σ is no less: exp of it is a float
_ROUNDS = 2000  # never needed: at most some 150
_MOVED = 1e-10  # by which ln σ of a vertex must rise to wake its neighbours
_OVER = 0.003  # by which more than a failed cell asks for is given up
_SAFE = 1e-12  # of a bound, which the certificate leaves for its own rounding
_HALVINGS = 30
_PIECE = 1 << 15


@dataclass(frozen=True, eq=False)
class Field(PlaceScale):
    """Ln σ at the vertices of a grid, between them by multilinear interpolation, beyond them as at the nearest point.

    Args:
        origin: the lowest vertex, shape (d,).
        widths: between vertices along each axis, shape (d,).
        log_scale: ln σ at each vertex, with d axes.
        worst: the largest |∇ ln σ| over what theory G2 allows, over all cells: at most 1.
        rounds: of the solver.
        steepest: a Lipschitz constant of f.
    """

    origin: FloatArray
    widths: FloatArray
    log_scale: FloatArray
    worst: float
    rounds: int
    steepest: float

    def __eq__(self, other: object) -> bool:
        return same_fields(self, other)

    def __hash__(self) -> int:
        return hash(self.log_scale.tobytes())

    def __call__(self, points: FloatArray) -> FloatArray:
        """σ at points of shape (n, d)."""
        found, rows = np.empty(len(points)), np.ascontiguousarray(points, dtype=np.float64)
        flat, sizes = self.log_scale.ravel(), np.array(self.log_scale.shape)

        def work(first: int) -> None:
            part = slice(first, first + _PIECE)
            interpolate(flat, sizes, self.origin, self.widths, rows[part], found[part])

        in_threads(work, range(0, len(rows), _PIECE))
        return np.exp(found)

    def enclose_at(self, place: Sequence[arb]) -> arb:
        """σ with the margin at a point, in balls: the hull over the cells in which it can lie.

        Ln σ is drawn towards its top by 2^-36 of the way, which raises σ and slows its change, and so keeps the promise
        (theory T3), and σ is MARGIN times as large (a constant factor of at least 1 does too): more than the floats of
        the certificate can be off.
        """
        spans, inside = [], []
        for axis, x in enumerate(place):
            size = self.log_scale.shape[axis] - 1
            t = (x - arb(float(self.origin[axis]))) / arb(float(self.widths[axis]))
            t = t.max(arb(0)).min(arb(size))
            inside.append(t)
            first, last = (math.floor(float(end)) for end in (t.lower(), t.upper()))
            spans.append(
                range(max(0, min(first - 1 if float(t.lower()) <= first else first, size - 1)), min(last, size - 1) + 1)
            )
        found = None
        for cell in product(*spans):
            part = self._on_cell(cell, inside)
            found = part if found is None else found.union(part)
        assert found is not None
        return MARGIN * (found + FLATTER * (float(self.log_scale.max()) - found)).exp()

    def _on_cell(self, cell: tuple[int, ...], inside: Sequence[arb]) -> arb:
        total = arb(0)
        for corner in product((0, 1), repeat=len(cell)):
            part = arb(float(self.log_scale[tuple(a + b for a, b in zip(cell, corner, strict=True))]))
            for t, first, up in zip(inside, cell, corner, strict=True):
                share = (t - first).max(arb(0)).min(arb(1))
                part = part * (share if up else 1 - share)
            total = total + part
        return total


def least_field(cells: Cells, rate: float, df: float) -> Field:
    """A certified scale of Student-t noise that is near the least one.

    Guarantee: f∘clamp + e^{W∘clamp}·Z is (ε, 0, ∞)-GP on all of R^d for every f with the slopes of the cells, Z being
    Student-t with ν degrees of freedom (theory G2 and G6).

    Args:
        cells: where f changes, and bounds on its slope.
        rate: ε.
        df: ν, at least 1.

    Raises:
        InvalidParameter: for a function that changes nowhere, and where a cell fails (which was never seen).
    """
    if not cells.top > 0:
        raise invalid("LeastScaleT", "query", "one that changes somewhere", "a constant")
    sizes = np.array(cells.steepest.shape) + 1
    around = np.pad(cells.steepest, 1)
    vertex = np.max(
        [
            around[tuple(slice(a, a + n) for a, n in zip(corner, sizes, strict=True))]
            for corner in product((0, 1), repeat=sizes.size)
        ],
        axis=0,
    ).ravel()
    strides = np.append(np.cumprod(sizes[:0:-1])[::-1], 1).astype(np.int64)
    with np.errstate(divide="ignore"):
        start = np.maximum(np.log(vertex * (k(df) / rate)) + 1e-9, _LEAST)
    log_scale, share, awake = start.copy(), np.ones(vertex.size), np.ones(vertex.size, dtype=np.bool_)
    flat, rounds, failed, worst = cells.steepest.ravel(), 0, 1, math.inf
    while failed and rounds < _ROUNDS:
        rounds += 1
        rise(log_scale, vertex, start, share, awake, sizes, strides, cells.widths, rate, df)
        failed, worst = certify(log_scale, flat, sizes, strides, cells.widths, rate, df, share, awake)
    if failed:
        raise invalid("LeastScaleT", "cells", f"such that all cells are certified after {_ROUNDS} rounds", failed)
    return Field(cells.origin, cells.widths, log_scale.reshape(tuple(sizes)), worst, rounds, cells.top)


@compiled
def allowed(steepest: float, log_scale: float, rate: float, df: float) -> float:
    """β: the fastest that ln σ may change where |∇f| is at most `steepest`; −1 where σ is too small for that.

    The root of νβ² + (ν − 1)εβ = ε² − k²α², α = |∇f|/σ (theory G2).
    """
    alpha = steepest * np.exp(-log_scale)
    left = rate * rate - (df + 1) ** 2 / (4 * df) * alpha * alpha
    if left < 0:
        return -1.0
    ahead = (df - 1) * rate
    root = ahead + np.sqrt(ahead * ahead + 4 * df * left)
    return 2 * left / root if root > 0 else 0.0


@compiled
def upwind(values: FloatArray, weights: FloatArray, count: int, speed: float) -> float:
    """The root w of Σ weight·max(0, value − w)² = speed², of values that fall; the largest value where speed is 0."""
    mass, first, second = weights[0], weights[0] * values[0], weights[0] * values[0] * values[0]
    w = values[0] - speed / np.sqrt(weights[0])
    for j in range(1, count):
        if w >= values[j]:
            break
        mass += weights[j]
        first += weights[j] * values[j]
        second += weights[j] * values[j] * values[j]
        w = (first - np.sqrt(max(first * first - mass * (second - speed * speed), 0.0))) / mass
    return float(w)


@compiled
def rise(  # noqa: PLR0912 # one sweep, seen at once
    log_scale: FloatArray,
    vertex: FloatArray,
    start: FloatArray,
    share: FloatArray,
    awake: Bits,
    sizes: Whole,
    strides: Whole,
    widths: FloatArray,
    rate: float,
    df: float,
) -> None:
    """Raise ln σ at each vertex to the least that its neighbours leave it, in sweeps until nothing moves.

    Args:
        log_scale: at vertices, raised.
        vertex: the largest slope bound of the cells around each.
        start: what each must at least be.
        share: of the allowed change, which is used.
        awake: the vertices that are looked at.
        sizes: of the grid.
        strides: of its axes.
        widths: of its cells.
        rate: ε.
        df: ν.
    """
    axes, count = sizes.size, log_scale.size
    high, weight = np.empty(axes), np.empty(axes)
    fastest = rate / df
    moved = True
    while moved:
        moved = False
        for order in range(1 << axes):
            for step in range(count):
                v, rest = 0, step
                for i in range(axes):
                    place = rest // strides[i]
                    rest -= place * strides[i]
                    v += (sizes[i] - 1 - place if (order >> i) & 1 else place) * strides[i]
                if not awake[v]:
                    continue
                awake[v] = False
                rest = v
                for i in range(axes):
                    place = rest // strides[i]
                    rest -= place * strides[i]
                    top = -1e300
                    if place > 0:
                        top = log_scale[v - strides[i]]
                    if place < sizes[i] - 1 and log_scale[v + strides[i]] > top:
                        top = log_scale[v + strides[i]]
                    j = i
                    while j > 0 and high[j - 1] < top:
                        high[j], weight[j] = high[j - 1], weight[j - 1]
                        j -= 1
                    high[j], weight[j] = top, 1 / (widths[i] * widths[i])
                w = start[v]
                if high[0] > w:
                    low = max(upwind(high, weight, axes, fastest * share[v]), w)
                    w = low
                    if vertex[v] > 0 and low < high[0]:
                        w = high[0]
                        for _ in range(_HALVINGS):
                            middle = (low + w) / 2
                            speed = share[v] * allowed(vertex[v], middle, rate, df)
                            if speed < 0 or upwind(high, weight, axes, speed) > middle:
                                low = middle
                            else:
                                w = middle
                if w <= log_scale[v]:
                    continue
                if w > log_scale[v] + _MOVED:
                    moved, rest = True, v
                    for i in range(axes):
                        place = rest // strides[i]
                        rest -= place * strides[i]
                        if place > 0:
                            awake[v - strides[i]] = True
                        if place < sizes[i] - 1:
                            awake[v + strides[i]] = True
                log_scale[v] = w


@compiled
def certify(
    log_scale: FloatArray,
    steepest: FloatArray,
    sizes: Whole,
    strides: Whole,
    widths: FloatArray,
    rate: float,
    df: float,
    share: FloatArray,
    awake: Bits,
) -> tuple[int, float]:
    """How many cells fail, and the largest |∇ ln σ| over what is allowed (theory G6).

    The corners of a cell that fails are woken, and use a smaller share of what is allowed from now on; none at all once
    that is below a thousandth, so that in the end nothing is left to fail (theory G7).
    """
    axes, corners = sizes.size, 1 << sizes.size
    offset, value, lower = np.zeros(corners, np.int64), np.empty(corners), share.copy()
    for j in range(corners):
        for i in range(axes):
            if (j >> i) & 1:
                offset[j] += strides[i]
    failed, worst = 0, 0.0
    for cell in range(steepest.size):
        rest, v, least, largest = cell, 0, 1e300, 0.0
        for i in range(axes - 1, -1, -1):
            v += (rest % (sizes[i] - 1)) * strides[i]
            rest //= sizes[i] - 1
        for j in range(corners):
            value[j] = log_scale[v + offset[j]]
            least = min(least, value[j])
        for j in range(corners):
            square = 0.0
            for i in range(axes):
                change = (value[j] - value[j ^ (1 << i)]) / widths[i]
                square += change * change
            largest = max(largest, square)
        largest = np.sqrt(largest) * (1 + _SAFE)
        limit = allowed(steepest[cell] * (1 + _SAFE), least, rate, df) * (1 - _SAFE)
        if limit > 0:
            worst = max(worst, largest / limit)
        if largest <= limit:
            continue
        failed += 1
        factor = 0.5 if limit <= 0.5 * largest else limit / largest / (1 + _OVER)
        for j in range(corners):
            u = v + offset[j]
            awake[u] = True
            lower[u] = min(lower[u], share[u] * factor if share[u] > 1e-3 else 0.0)
    share[:] = lower
    return failed, worst


@compiled
def interpolate(
    log_scale: FloatArray, sizes: Whole, origin: FloatArray, widths: FloatArray, points: FloatArray, found: FloatArray
) -> None:
    """Write ln σ at points (n, d), each taken to the nearest point of the grid's box."""
    axes = sizes.size
    share = np.empty(axes)
    for p in range(points.shape[0]):
        v = 0
        for i in range(axes):
            t = min(max((points[p, i] - origin[i]) / widths[i], 0.0), sizes[i] - 1.0)
            cell = min(int(t), sizes[i] - 2)
            share[i] = t - cell
            v = v * sizes[i] + cell
        total = 0.0
        for j in range(1 << axes):
            part, offset, stride = 1.0, 0, 1
            for i in range(axes - 1, -1, -1):
                if (j >> i) & 1:
                    part *= share[i]
                    offset += stride
                else:
                    part *= 1 - share[i]
                stride *= sizes[i]
            if part > 0:
                total += part * log_scale[v + offset]
        found[p] = total
