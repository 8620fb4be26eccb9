"""Straight pieces seen through a Gaussian blur."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from scipy import special

from geopriv.shapes.profiles.base import Curved, Smooth
from geopriv.shapes.profiles.pieces import LinearPieces
from geopriv.spaces.balls import arb
from geopriv.spaces.checks import FloatArray, invalid, positive
from geopriv.spaces.notes import Positive

Function = Callable[[FloatArray], FloatArray]
Integral = Callable[[FloatArray, FloatArray], FloatArray]

_REACH = 8.3  # bandwidths beyond which a blurred kink is straight again to 1e-16


@dataclass(frozen=True)
class BlurredPieces(Curved, Smooth):
    """E f0(s + h·N) for straight pieces f0 with plateaus and a standard normal N: infinitely smooth.

    A piece that rises by r between two knots adds r times the mean of Φ((s − k)/h) over k between them.

    >>> from geopriv.shapes import Ramp
    >>> BlurredPieces(Ramp(width=2.0), bandwidth=0.5)(np.array([-1.0, 0.0, 3.0])).round(4)
    array([0.0997, 0.5   , 1.    ])
    """

    pieces: LinearPieces
    bandwidth: Positive

    def __post_init__(self) -> None:
        positive("BlurredPieces", "bandwidth", self.bandwidth)
        if not self.pieces.knots:
            raise invalid("BlurredPieces", "pieces", "straight pieces with plateaus", type(self.pieces).__name__)

    def __call__(self, s: FloatArray) -> FloatArray:
        near = np.clip(s, self.low, self.high)
        total = np.full(np.shape(s), self.pieces.values[0])
        for low, high, rise in self._rises:
            total += rise * self._mean(near, low, high, special.ndtr, _gains)
        return np.where(s >= self.high, self.pieces.values[-1], total)

    def enclose(self, s: arb) -> arb:
        # the floats of the formula (bends, knots, bandwidth and ends) are exact numbers
        h, place = arb(self.bandwidth), s.max(self.low).min(self.high)
        result = arb(self.pieces.values[0])
        for knot, bend in self.bends:
            t = (place - knot) / h
            result += bend * h * (t * (-t / arb(2).sqrt()).erfc() / 2 + (-(t * t) / 2).exp() / (2 * arb.pi()).sqrt())
        return result

    @property
    def float_error(self) -> tuple[float, float]:
        return max(abs(self.low), abs(self.high)), 2 * self.rounding

    def slope(self, s: FloatArray) -> FloatArray:
        each = [rise * self._mean(s, low, high, _phi, _shares) for low, high, rise in self._rises]
        return np.where((s > self.low) & (s < self.high), sum(each) / self.bandwidth, 0.0)

    def second(self, s: FloatArray) -> FloatArray:
        each = [rise * self._mean(s, low, high, _bend, _drops) for low, high, rise in self._rises]
        return np.where((s > self.low) & (s < self.high), sum(each) / self.bandwidth**2, 0.0)

    def _mean(self, s: FloatArray, low: float, high: float, function: Function, integral: Integral) -> FloatArray:
        """The mean of a function of (s − k)/h over k in [low, high]; differences would cancel on a short piece."""
        h = self.bandwidth
        if high - low >= h:
            return integral((s - high) / h, (s - low) / h) / ((high - low) / h)
        nodes, weights = np.polynomial.legendre.leggauss(12)
        middle, half = (low + high) / 2, (high - low) / 2
        places = zip(nodes.tolist(), (weights / 2).tolist(), strict=True)
        return np.asarray(sum(weight * function((s - middle - half * node) / h) for node, weight in places))

    @cached_property
    def _rises(self) -> tuple[tuple[float, float, float], ...]:
        """The pieces that are not level: ends, and by how much they rise."""
        ends = zip(pairwise(self.pieces.knots), np.diff(self.pieces.values).tolist(), strict=True)
        return tuple((low, high, rise) for (low, high), rise in ends if rise)

    @cached_property
    def bends(self) -> tuple[tuple[float, float], ...]:
        """Each knot, and Δ, by how much the slope changes there."""
        return tuple(zip(self.pieces.knots, np.diff(self.pieces.slopes).tolist(), strict=True))

    @property
    def low(self) -> float:
        return self.pieces.knots[0] - _REACH * self.bandwidth

    @property
    def high(self) -> float:
        return self.pieces.knots[-1] + _REACH * self.bandwidth

    @cached_property
    def lipschitz(self) -> float:
        """The steepest slope on a fine grid, and what it can gain between: a bound on its own bend times step²/8."""
        s, step = np.linspace(self.low, self.high, 8193, retstep=True)
        gain = self._most(0.4840, 0.3990) / self.bandwidth**3 * float(step) ** 2 / 8
        return min(self.pieces.lipschitz, float(np.abs(self.slope(s)).max()) + gain)

    @cached_property
    def curvature(self) -> float:
        return self._most(0.3990, 0.2420) / self.bandwidth**2

    def _most(self, spread: float, steepness: float) -> float:
        """A bound on Σ over pieces of |rise|·|F(b) − F(a)|/(b − a), lengths in bandwidths.

        Args:
            spread: the largest less the least F.
            steepness: the largest |F'|.
        """
        h = self.bandwidth
        return sum(abs(rise) * min(spread * h / (high - low), steepness) for low, high, rise in self._rises)

    @property
    def kinks(self) -> tuple[float, ...]:
        return ()

    @property
    def rounding(self) -> float:
        """With u = 2^-53 and Φ, φ right to 32u: what summing the pieces is off by, and what their bends in floats are.

        A piece at least h long is the difference of two terms t·Φ(t) + φ(t), each off by 72u of |t| ≤ (high − low)/h,
        over its length: 72u of |slope|·(high − low). A shorter one is a mean of values of Φ, off by 72u of its rise.
        Sums are rounded once a piece. Ball arithmetic takes the bends as they are, each a slope's rounding off.
        """
        reach, h = self.high - self.low, self.bandwidth
        pieces = sum(abs(rise) * (reach / (high - low) if high - low >= h else 1.0) for low, high, rise in self._rises)
        bends = sum(abs(bend) for _, bend in self.bends) * reach
        return (128 + 2 * len(self.bends)) * 2.0**-53 * (pieces + bends + max(map(abs, self.pieces.values)))

    @property
    def landmarks(self) -> tuple[float, ...]:
        return self.low, *self.pieces.knots, self.high

    @property
    def bounds(self) -> tuple[float, float]:
        return self.pieces.bounds

    def stretched(self, factor: float) -> BlurredPieces:
        return BlurredPieces(self.pieces.stretched(factor), self.bandwidth / factor)


def _phi(t: FloatArray) -> FloatArray:
    return np.asarray(np.exp(-0.5 * np.minimum(np.abs(t), 40.0) ** 2) / math.sqrt(2 * math.pi))


def _bend(t: FloatArray) -> FloatArray:
    return np.asarray(-t * _phi(t))


def _gains(a: FloatArray, b: FloatArray) -> FloatArray:
    """∫ Φ from a to b: that of a hard step, and what the blur moves across it."""
    return np.asarray(np.maximum(b, 0.0) - np.maximum(a, 0.0) + _spill(b) - _spill(a))


def _spill(t: FloatArray) -> FloatArray:
    return np.asarray(_phi(t) - np.abs(t) * special.ndtr(-np.abs(t)))


def _shares(a: FloatArray, b: FloatArray) -> FloatArray:
    """∫ φ from a to b, taken in the tail that is small."""
    return np.asarray(np.where(a > 0, special.ndtr(-a) - special.ndtr(-b), special.ndtr(b) - special.ndtr(a)))


def _drops(a: FloatArray, b: FloatArray) -> FloatArray:
    """∫ φ' from a to b."""
    return np.asarray(_phi(b) - _phi(a))
