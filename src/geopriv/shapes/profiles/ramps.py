"""Straight pieces with ramps of one width: soft steps, plateaus and triangles."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace

import numpy as np

from geopriv.shapes.profiles.pieces import Plateaus, resolved
from geopriv.spaces.balls import arb, clip
from geopriv.spaces.bounded import ROUNDING
from geopriv.spaces.checks import FloatArray, finite, positive
from geopriv.spaces.notes import Positive


class Ramps(Plateaus):
    """Straight pieces in which every slope is a full rise or fall between 0 and 1 over the same `width`.

    These have closed forms for sensitivity and least scale, in terms of the distance to the nearest ramp.
    """

    width: Positive

    @property
    @abstractmethod
    def ramps(self) -> tuple[tuple[float, float], ...]:
        """The intervals on which f0 rises or falls."""

    @property
    def lipschitz(self) -> float:
        return 1.0 / self.width

    def gap(self, s: FloatArray) -> FloatArray:
        """Distance of s to the nearest ramp, 0 on it."""
        gaps = [np.maximum(np.maximum(low - s, s - high), 0.0) for low, high in self.ramps]
        return np.asarray(np.minimum.reduce(gaps))

    @abstractmethod
    def enclose_gap(self, s: arb) -> arb:
        """Distance of s to the nearest ramp in balls, 0 on it."""

    @property
    def float_error(self) -> tuple[float, float]:
        return self._extent, 8 * ROUNDING

    @property
    @abstractmethod
    def _extent(self) -> float:
        """A number that no term of the formula beside s exceeds."""


@dataclass(frozen=True)
class Ramp(Ramps):
    """A soft step: 0 below, 1 above and linear over `width` around `center`; falling when `rising` is False.

    >>> Ramp(width=2.0)(np.array([-2.0, 0.0, 0.5, 3.0]))
    array([0.  , 0.5 , 0.75, 1.  ])
    """

    width: Positive
    center: float = 0.0
    rising: bool = True

    def __post_init__(self) -> None:
        positive("Ramp", "width", self.width)
        resolved("Ramp", self.width, finite("Ramp", "center", self.center))

    @property
    def knots(self) -> tuple[float, ...]:
        return self.center - self.width / 2, self.center + self.width / 2

    @property
    def values(self) -> tuple[float, ...]:
        return (0.0, 1.0) if self.rising else (1.0, 0.0)

    @property
    def ramps(self) -> tuple[tuple[float, float], ...]:
        return ((self.knots[0], self.knots[1]),)

    def enclose(self, s: arb) -> arb:
        t = (s - self.center) / self.width
        return clip((t if self.rising else -t) + 0.5)

    def enclose_gap(self, s: arb) -> arb:
        return (abs(s - self.center) - arb(self.width) / 2).max(0)

    @property
    def _extent(self) -> float:
        return abs(self.center) + self.width

    def stretched(self, factor: float) -> Ramp:
        return replace(self, width=self.width / factor, center=self.center / factor)


@dataclass(frozen=True)
class Trapezoid(Ramps):
    """1 on a plateau around `center`, 0 far away, linear over `width` on both sides.

    >>> Trapezoid(plateau=2.0, width=1.0)(np.array([-3.0, -1.5, 0.0, 1.25]))
    array([0.  , 0.5 , 1.  , 0.75])
    """

    plateau: Positive
    width: Positive
    center: float = 0.0

    def __post_init__(self) -> None:
        positive("Trapezoid", "plateau", self.plateau)
        positive("Trapezoid", "width", self.width)
        resolved("Trapezoid", self.width, abs(finite("Trapezoid", "center", self.center)) + self.plateau)

    @property
    def knots(self) -> tuple[float, ...]:
        inner, outer = self.plateau / 2, self.plateau / 2 + self.width
        return self.center - outer, self.center - inner, self.center + inner, self.center + outer

    @property
    def values(self) -> tuple[float, ...]:
        return 0.0, 1.0, 1.0, 0.0

    @property
    def ramps(self) -> tuple[tuple[float, float], ...]:
        a, b, c, d = self.knots
        return (a, b), (c, d)

    def enclose(self, s: arb) -> arb:
        return clip((arb(self.plateau) / 2 + self.width - abs(s - self.center)) / self.width)

    def enclose_gap(self, s: arb) -> arb:
        inner, away = arb(self.plateau) / 2, abs(s - self.center)
        return (inner - away).max(away - inner - self.width).max(0)

    @property
    def _extent(self) -> float:
        return abs(self.center) + self.plateau + self.width

    def stretched(self, factor: float) -> Trapezoid:
        return replace(self, plateau=self.plateau / factor, width=self.width / factor, center=self.center / factor)


@dataclass(frozen=True)
class Triangle(Ramps):
    """1 at `center`, falling linearly to 0 over `width` on both sides (the paper's range query, theory E9).

    >>> Triangle(width=2.0)(np.array([-3.0, -1.0, 0.0, 0.5]))
    array([0.  , 0.5 , 1.  , 0.75])
    """

    width: Positive
    center: float = 0.0

    def __post_init__(self) -> None:
        positive("Triangle", "width", self.width)
        resolved("Triangle", self.width, finite("Triangle", "center", self.center))

    @property
    def knots(self) -> tuple[float, ...]:
        return self.center - self.width, self.center, self.center + self.width

    @property
    def values(self) -> tuple[float, ...]:
        return 0.0, 1.0, 0.0

    @property
    def ramps(self) -> tuple[tuple[float, float], ...]:
        a, b, c = self.knots
        return (a, b), (b, c)

    def enclose(self, s: arb) -> arb:
        return clip(1 - abs(s - self.center) / self.width)

    def enclose_gap(self, s: arb) -> arb:
        return (abs(s - self.center) - self.width).max(0)

    @property
    def _extent(self) -> float:
        return abs(self.center) + self.width

    def stretched(self, factor: float) -> Triangle:
        return replace(self, width=self.width / factor, center=self.center / factor)
