"""The smooth step: a ramp without kinks."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from geopriv.shapes.profiles.base import Curved, Smooth
from geopriv.shapes.profiles.pieces import resolved
from geopriv.spaces.balls import arb, clip
from geopriv.spaces.checks import FloatArray, finite, positive
from geopriv.spaces.notes import Positive


@dataclass(frozen=True)
class Smoothstep(Curved, Smooth):
    """A step made of two parabolas: 0 below, 1 above, 2t² and 1 − 2(1 − t)² over `width` around `center`.

    Its slope is continuous and its second derivative is ±4/width² inside, so Laplace noise on its argument can be
    undone (theory T6). Falling when `rising` is False.

    >>> Smoothstep(width=2.0)(np.array([-2.0, -0.5, 0.0, 0.5, 3.0]))
    array([0.   , 0.125, 0.5  , 0.875, 1.   ])
    """

    width: Positive
    center: float = 0.0
    rising: bool = True

    def __post_init__(self) -> None:
        positive("Smoothstep", "width", self.width)
        resolved("Smoothstep", self.width, finite("Smoothstep", "center", self.center))

    def __call__(self, s: FloatArray) -> FloatArray:
        t = self._share(s)
        rise = np.where(t < 0.5, 2 * t**2, 1 - 2 * (1 - t) ** 2)
        return np.asarray(rise if self.rising else 1 - rise)

    def enclose(self, s: arb) -> arb:
        t = clip((s - self.center) / self.width + 0.5)
        # both parabolas at once, each held where the other takes over
        first, last = t.min(0.5), 1 - t.max(0.5)
        rise = 2 * first * first - 2 * last * last + 0.5
        return rise if self.rising else 1 - rise

    @property
    def float_error(self) -> tuple[float, float]:
        return max(abs(self.low), abs(self.high)), 2 * self.rounding

    def slope(self, s: FloatArray) -> FloatArray:
        t = self._share(s)
        return np.asarray(self._sign * 4 * np.minimum(t, 1 - t) / self.width)

    def second(self, s: FloatArray) -> FloatArray:
        t = (s - self.center) / self.width + 0.5
        bend = np.where(t < 0.5, 1.0, -1.0) * ((t >= 0) & (t < 1))
        return np.asarray(self._sign * 4 / self.width**2 * bend)

    @property
    def low(self) -> float:
        return self.center - self.width / 2

    @property
    def high(self) -> float:
        return self.center + self.width / 2

    @property
    def triangle(self) -> float:
        return self.width

    @property
    def lipschitz(self) -> float:
        return 2.0 / self.width

    @property
    def curvature(self) -> float:
        return 4.0 / self.width**2

    @property
    def kinks(self) -> tuple[float, ...]:
        return ()

    @property
    def rounding(self) -> float:
        """With u = 2^-53, t is off by 2u, and a parabola is at most 2 steep and has three roundings of its own."""
        return 2.0**-49

    @property
    def landmarks(self) -> tuple[float, ...]:
        return self.low, self.center, self.high

    @property
    def bounds(self) -> tuple[float, float]:
        return 0.0, 1.0

    def stretched(self, factor: float) -> Smoothstep:
        return replace(self, width=self.width / factor, center=self.center / factor)

    @property
    def _sign(self) -> float:
        return 1.0 if self.rising else -1.0

    def _share(self, s: FloatArray) -> FloatArray:
        return np.asarray(np.clip((s - self.center) / self.width + 0.5, 0.0, 1.0))
