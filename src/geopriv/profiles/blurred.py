"""Straight pieces seen through a Gaussian blur."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from geopriv.checks import FloatArray, invalid, positive
from geopriv.profiles.base import Curved, Smooth
from geopriv.profiles.pieces import LinearPieces

_REACH = 8.3  # bandwidths beyond which a blurred kink is straight again to 1e-16


@dataclass(frozen=True)
class BlurredPieces(Curved, Smooth):
    """E f0(s + h·N) for straight pieces f0 with plateaus and a standard normal N: infinitely smooth.

    Each knot k at which the slope changes by Δ adds Δ·(t·Φ(t/h) + h·φ(t/h)), t = s − k.

    >>> from geopriv import Ramp
    >>> BlurredPieces(Ramp(width=2.0), bandwidth=0.5)(np.array([-1.0, 0.0, 3.0])).round(4)
    array([0.0997, 0.5   , 1.    ])
    """

    pieces: LinearPieces
    bandwidth: float

    def __post_init__(self) -> None:
        positive("BlurredPieces", "bandwidth", self.bandwidth)
        if not self.pieces.knots:
            raise invalid("BlurredPieces", "pieces", "straight pieces with plateaus", type(self.pieces).__name__)

    def __call__(self, s: FloatArray) -> FloatArray:
        h = self.bandwidth
        total = np.full(np.shape(s), self.pieces.values[0])
        for knot, bend in self.bends:
            t = (np.clip(s, self.low, self.high) - knot) / h
            total += bend * h * (t * special.ndtr(t) + _phi(t))
        # the last plateau is a sum of large terms that cancel: say it exactly
        return np.where(s >= self.high, self.pieces.values[-1], total)

    def slope(self, s: FloatArray) -> FloatArray:
        inside = (s > self.low) & (s < self.high)
        return np.where(inside, sum(bend * special.ndtr((s - knot) / self.bandwidth) for knot, bend in self.bends), 0.0)

    def second(self, s: FloatArray) -> FloatArray:
        h = self.bandwidth
        inside = (s > self.low) & (s < self.high)
        return np.where(inside, sum(bend * _phi((s - knot) / h) / h for knot, bend in self.bends), 0.0)

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
        """The steepest slope on a fine grid, and what it can gain between: |f0'''| ≤ Σ|Δ|·max|φ'|/h² over d²/8."""
        s, step = np.linspace(self.low, self.high, 8193, retstep=True)
        bend = sum(abs(bend) for _, bend in self.bends) * 0.2420 / self.bandwidth**2
        return min(self.pieces.lipschitz, float(np.abs(self.slope(s)).max()) + bend * float(step) ** 2 / 8)

    @property
    def curvature(self) -> float:
        return sum(abs(bend) for _, bend in self.bends) / (self.bandwidth * math.sqrt(2 * math.pi))

    @property
    def kinks(self) -> tuple[float, ...]:
        return ()

    @property
    def rounding(self) -> float:
        """Each knot adds Δ·h·(t·Φ(t) + φ(t)), at most |Δ|·(high − low), and the sums may cancel.

        With u = 2^-53 and Φ, φ right to 32u, t is off by 2u and the term by 72u of that. Partial sums are as large as
        all terms together and are rounded once a knot. The last plateau is stated and not summed, which is off by the
        roundings of Δ.
        """
        terms = sum(abs(bend) for _, bend in self.bends) * (self.high - self.low) + max(map(abs, self.pieces.values))
        return (128 + 2 * len(self.bends)) * 2.0**-53 * terms

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
