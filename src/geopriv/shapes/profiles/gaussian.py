"""The Gaussian profile."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from geopriv.shapes.profiles.base import Smooth
from geopriv.spaces.balls import arb
from geopriv.spaces.bounded import ROUNDING
from geopriv.spaces.checks import FloatArray, finite, positive
from geopriv.spaces.notes import Positive


@dataclass(frozen=True)
class Gaussian(Smooth):
    """The bell exp(−(s − center)²/2h²) with bandwidth h; its steepest slope is e^(−1/2)/h, at center ± h.

    >>> Gaussian(bandwidth=1.0)(np.array([0.0, 1.0])).round(4)
    array([1.    , 0.6065])
    """

    bandwidth: Positive
    center: float = 0.0

    def __post_init__(self) -> None:
        positive("Gaussian", "bandwidth", self.bandwidth)
        finite("Gaussian", "center", self.center)

    def __call__(self, s: FloatArray) -> FloatArray:
        # beyond 40 bandwidths it is 0 in floating point; the cap keeps the square from overflowing
        return np.exp(-0.5 * np.minimum(np.abs(s - self.center) / self.bandwidth, 40.0) ** 2)

    def enclose(self, s: arb) -> arb:
        t = (s - self.center) / self.bandwidth
        return (-(t * t) / 2).exp()

    @property
    def float_error(self) -> tuple[float, float]:
        return abs(self.center), 8 * ROUNDING

    def slope(self, s: FloatArray) -> FloatArray:
        return -(s - self.center) / self.bandwidth**2 * self(s)

    def second(self, s: FloatArray) -> FloatArray:
        return (((s - self.center) / self.bandwidth) ** 2 - 1) / self.bandwidth**2 * self(s)

    @property
    def lipschitz(self) -> float:
        return float(np.exp(-0.5)) / self.bandwidth

    @property
    def landmarks(self) -> tuple[float, ...]:
        return tuple(self.center + self.bandwidth * k for k in (-2.0, -1.0, 0.0, 1.0, 2.0))

    @property
    def breaks(self) -> tuple[float, ...]:
        # its landmarks are within two bandwidths, and beyond twelve it is below e^(−72)
        return tuple(self.center + self.bandwidth * k for k in (-12.0, -5.0, 0.0, 5.0, 12.0))

    @property
    def bend(self) -> float:
        return self.bandwidth**-2

    @property
    def bounds(self) -> tuple[float, float]:
        return 0.0, 1.0

    def stretched(self, factor: float) -> Gaussian:
        return replace(self, bandwidth=self.bandwidth / factor, center=self.center / factor)
