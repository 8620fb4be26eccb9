"""Noise on one number: g = f − f''/ε² undoes Laplace noise, and E φ(x + Z) for functions made of smooth pieces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from geopriv.shapes.profiles import Smooth
from geopriv.spaces.checks import FloatArray

_NODES = 20

Function = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class LineInverse:
    """g0(s) = f0(s) − f0''(s)/ε² for a smooth profile.

    E g0(s + Z) = f0(s) for Laplace noise of rate ε: its density p satisfies p − p''/ε² = δ, and integrating by parts
    twice moves the operator to f0, without boundary terms where f0' is continuous (theory T6, d = 1).
    """

    profile: Smooth
    rate: float

    def __call__(self, s: FloatArray) -> FloatArray:
        """g0 at coordinates."""
        return np.asarray(self.profile(s) - self.profile.second(s) / self.rate**2)

    @property
    def error(self) -> float:
        """How far E g0(s + Z) may be from the profile that was asked for."""
        return self.profile.error

    def second_moment(self, s: FloatArray) -> FloatArray:
        """E g0(s + Z)²."""
        return laplace_mean(lambda y: self(y) ** 2, self._breaks, self.rate, s)

    def folded_moment(self, t: FloatArray, offset: float) -> FloatArray:
        """E g0(|t + Z| − offset)²: for a distance to a place on the line, with noise on the position."""
        marks = self._breaks + offset
        breaks = np.concatenate([-marks[marks > 0][::-1], [0.0], marks[marks > 0]])
        return laplace_mean(lambda y: self(np.abs(y) - offset) ** 2, breaks, self.rate, t)

    @cached_property
    def _breaks(self) -> FloatArray:
        """Places between which g0 is smooth; outside them it is constant."""
        return np.asarray(self.profile.breaks)


def laplace_mean(function: Function, breaks: FloatArray, rate: float, s: FloatArray) -> FloatArray:
    """E φ(s + Z) for Laplace noise of a rate and φ smooth between `breaks`, constant beyond the first and the last.

    Panels of at most half a noise scale, or a twentieth of what lies between two breaks. A panel away from s counts as
    e^(−ε·distance) times an integral that does not depend on s, so all those are running sums; the panel that holds s
    is cut at s.
    """
    edges = np.unique(np.concatenate([_cut(a, b, rate) for a, b in pairwise(breaks)]))
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    low, width = edges[:-1], np.diff(edges)
    y = low[:, None] + width[:, None] * (nodes + 1) / 2
    mass = width[:, None] * weights / 2 * function(y) * rate / 2
    fade = np.exp(-rate * width)
    to_right = (mass * np.exp(-rate * (edges[1:, None] - y))).sum(axis=1)  # seen from the panel's upper end
    to_left = (mass * np.exp(-rate * (y - low[:, None]))).sum(axis=1)
    before, after = np.empty(edges.size), np.empty(edges.size)
    outside = function(np.array([edges[0] - width[0], edges[-1] + width[-1]]))  # the plateaus
    before[0], after[-1] = outside / 2
    for i in range(low.size):
        before[i + 1] = before[i] * fade[i] + to_right[i]
    for i in reversed(range(low.size)):
        after[i] = after[i + 1] * fade[i] + to_left[i]
    return _at(function, s, edges, before, after, outside, rate)


def _at(
    function: Function,
    s: FloatArray,
    edges: FloatArray,
    before: FloatArray,
    after: FloatArray,
    outside: FloatArray,
    rate: float,
) -> FloatArray:
    inside = np.clip(s, edges[0], edges[-1])
    cell = np.clip(np.searchsorted(edges, inside, side="right") - 1, 0, edges.size - 2)
    a, b = edges[cell], edges[cell + 1]
    total = before[cell] * np.exp(-rate * (inside - a)) + after[cell + 1] * np.exp(-rate * (b - inside))
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    for node, weight in zip((nodes + 1) / 2, weights / 2, strict=True):
        for low, high in ((a, inside), (inside, b)):
            y = low + (high - low) * node
            total = total + weight * (high - low) * rate / 2 * np.exp(-rate * np.abs(inside - y)) * function(y)
    # beyond the ends: a plateau all around but for the part that reaches back over the end
    out = np.exp(-rate * np.abs(s - inside))
    plateau = np.where(s < inside, outside[0], outside[1])
    return np.asarray(np.where(out < 1, plateau + (total - plateau) * out, total))


def _cut(low: float, high: float, rate: float) -> FloatArray:
    panels = int(np.clip(2 * rate * (high - low), 20, 4000))
    return np.linspace(low, high, panels + 1)
