"""The forms that the least scale of Student-t noise takes."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from geopriv.shapes.profiles import Ramps
from geopriv.smooth.scale import MARGIN, Scale
from geopriv.spaces.balls import arb, interpolated
from geopriv.spaces.bounded import ROUNDING, Bounded
from geopriv.spaces.checks import FloatArray, same_fields

# A table's ln σ is drawn towards its top by this part of the way. That raises σ and slows its change, so it keeps the
# promise too (theory T3), and it covers the rounding of nodes from units of the bandwidth to those of the space.
FLATTER = 2.0**-36


class LeastScale(Scale):
    """The least σ of Student-t noise."""

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
        top = k(self.df) / (self.rate * self.profile.width)
        return top * np.exp(-self.rate / self.df * np.minimum(self.profile.gap(s), 600 * self.df / self.rate))

    def enclose(self, s: arb) -> arb:
        way = self.profile.enclose_gap(s).min(arb(600 * self.df / self.rate))
        top = _enclosed_k(self.df) / (arb(self.rate) * self.profile.width)
        return MARGIN * top * (-(arb(self.rate) / self.df) * way).exp()

    def bounded(self, s: Bounded, rate: float) -> Bounded:
        extent = float(np.abs(self.profile.knots).max()) + self.profile.width
        off = rate * (s.off + ROUNDING * (np.abs(s.value) + extent)) + 2.0**-41
        return Bounded(MARGIN * self(s.value), off)

    def squared_integral(self) -> float:
        top, decay = k(self.df) / (self.rate * self.profile.width), 2 * self.rate / self.df
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
        return np.full_like(s, k(self.df) * self.slope / self.rate)

    def enclose(self, s: arb) -> arb:
        return MARGIN * _enclosed_k(self.df) * self.slope / self.rate

    def bounded(self, s: Bounded, rate: float) -> Bounded:
        return Bounded(MARGIN * self(s.value), np.full_like(s.value, ROUNDING))

    def squared_integral(self) -> float:
        return (k(self.df) * self.slope / self.rate) ** 2


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

    def enclose(self, s: arb) -> arb:
        """Exp of the interpolant of ln σ, which falls at given rates beyond its nodes."""
        t = s if self.center is None else abs(s - self.center)
        start, stop = (arb(float(node)) for node in self.nodes[[0, -1]])
        before, after = (start - t).max(arb(0)), (t - stop).max(arb(0))
        inside = interpolated(self.nodes, self.log_scale, t)
        logarithm = (inside - self.left_decay * before - self.right_decay * after).max(arb(-690))
        return MARGIN * (logarithm + FLATTER * (self._top - logarithm)).exp()

    def bounded(self, s: Bounded, rate: float) -> Bounded:
        place = float(np.abs(self.nodes[[0, -1]]).max()) + abs(self.center or 0.0)
        off = rate * (s.off + ROUNDING * (np.abs(s.value) + place)) + 2.0**-41
        stated = self(s.value)
        return Bounded(MARGIN * stated * np.exp(FLATTER * (self._top - np.log(stated))), off)

    @property
    def _top(self) -> float:
        """The largest ln σ."""
        return float(self.log_scale.max())

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


def k(df: float) -> float:
    """The number (ν+1)/(2√ν) of theory T3."""
    return (df + 1) / (2 * math.sqrt(df))


def _enclosed_k(df: float) -> arb:
    return (arb(df) + 1) / (2 * arb(df).sqrt())
