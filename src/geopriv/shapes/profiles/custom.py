"""Any other profile, and the spline that stands for it where its slope is needed."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from geopriv.shapes.profiles.base import Curved, Profile, Smooth
from geopriv.spaces.checks import (
    FloatArray,
    finite,
    invalid,
    numbers,
    positive,
)

if TYPE_CHECKING:
    from scipy import interpolate

_CELLS = 4096  # of the spline


@dataclass(frozen=True)
class _Stretched:
    """s ↦ f0(factor·s) of a profile."""

    profile: Profile
    factor: float

    def __call__(self, s: FloatArray) -> FloatArray:
        return self.profile(s * self.factor)


@dataclass(frozen=True)
class Custom(Curved):
    """Any function on [low, high], held constant outside, with a Lipschitz constant that its author vouches for.

    With `curvature` (a bound on |f0''| between `kinks`) the smooth sensitivity converges to its true value. Without it
    nothing is known of the local slope but `lipschitz`, and the sensitivity inside [low, high] is `lipschitz`.

    Args:
        function: takes and returns float arrays of the same shape.
        lipschitz: K with |f0(s) − f0(s')| ≤ K·|s − s'|. The privacy guarantee rests on it; a sample of chords is
            checked when the profile is made.
        low: f0 is constant below.
        high: f0 is constant above.
        curvature: a bound on |f0''| between kinks, or None.
        kinks: places inside (low, high) where f0' jumps.
    """

    function: Callable[[FloatArray], FloatArray]
    lipschitz: float = 0.0
    low: float = 0.0
    high: float = 0.0
    curvature: float | None = None
    kinks: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise invalid("Custom", "function", "a function of arrays", self.function)
        positive("Custom", "lipschitz", self.lipschitz)
        if not finite("Custom", "low", self.low) < finite("Custom", "high", self.high):
            raise invalid("Custom", "high", f"greater than low = {self.low!r}", self.high)
        if self.curvature is not None and not finite("Custom", "curvature", self.curvature) >= 0:
            raise invalid("Custom", "curvature", "None or at least 0", self.curvature)
        object.__setattr__(self, "kinks", numbers("Custom", "kinks", sorted(self.kinks), least=0))
        if any(not self.low < kink < self.high for kink in self.kinks):
            raise invalid("Custom", "kinks", f"between low = {self.low!r} and high = {self.high!r}", self.kinks)
        self._check_chords()

    def _check_chords(self) -> None:
        s = np.linspace(self.low, self.high, 1025)
        values = self(s)
        chords = np.abs(np.diff(values)) / np.diff(s)
        rounding = 8 * np.finfo(float).eps * np.abs(values).max() / (s[1] - s[0])
        if chords.max() > self.lipschitz * (1 + 1e-9) + rounding:
            rule = f"at least the steepest chord seen, {chords.max():.6g}"
            raise invalid("Custom", "lipschitz", rule, self.lipschitz)
        if chords.max() == 0:
            raise invalid("Custom", "function", "not constant (a constant needs no report)", self.function)

    def __hash__(self) -> int:
        # equal profiles have equal hashes; a function that has none (numpy.poly1d) leaves it to the other fields
        try:
            known = hash(self.function)
        except TypeError:
            known = hash(type(self.function))
        return hash((known, self.lipschitz, self.low, self.high, self.curvature, self.kinks))

    def __call__(self, s: FloatArray) -> FloatArray:
        clipped = np.clip(s, self.low, self.high)
        values = np.asarray(self.function(clipped), dtype=np.float64)
        if values.shape != np.shape(clipped) or not np.isfinite(values).all():
            raise invalid("Custom", "function", "finite and of the shape of its argument", self.function)
        return values

    @property
    def landmarks(self) -> tuple[float, ...]:
        return (self.low, *self.kinks, self.high)

    @cached_property
    def bounds(self) -> tuple[float, float]:
        # widened by what the function can do between the sampled points
        s = np.linspace(self.low, self.high, 4097)
        slack = self.lipschitz * (s[1] - s[0]) / 2
        return float(self(s).min() - slack), float(self(s).max() + slack)

    @property
    def rounding(self) -> float:
        """Eight roundings of the largest value, which is all that can be said of a function of one's own."""
        return 2.0**-50 * max(map(abs, self.bounds))

    def stretched(self, factor: float) -> Custom:
        return Custom(
            _Stretched(self, factor),
            self.lipschitz * factor,
            self.low / factor,
            self.high / factor,
            None if self.curvature is None else self.curvature * factor**2,
            tuple(kink / factor for kink in self.kinks),
        )

    def steepness(self, s: FloatArray) -> FloatArray:
        """A chord over [s − t, s + t] is at most curvature·t/2 steeper than f0'(s), unless a landmark lies between."""
        if self.curvature is None:
            return np.zeros_like(s)
        rounding = 4 * np.finfo(float).eps * max(map(abs, self.bounds))
        t = math.sqrt(2 * rounding / max(self.curvature, rounding))  # where both errors are equal
        chord = np.abs(self(s + t) - self(s - t)) / (2 * t)
        clear = np.min([np.abs(s - mark) for mark in self.landmarks], axis=0) > 2 * t
        return np.where(clear, np.maximum(chord - self.curvature * t / 2 - rounding / t, 0.0), 0.0)

    @property
    def smooth(self) -> Smooth | None:
        """A spline, where a curvature without kinks is vouched for."""
        if self.curvature is None or self.kinks:
            return None
        spline = Spline(self)
        # a slope that does not fade towards its ends is a kink there, and shows as a bend that nobody vouched for
        return spline if spline.steepest_bend <= 2 * self.curvature else None


@dataclass(frozen=True)
class Spline(Smooth):
    """A cubic spline through a Custom profile, flat at both ends: what is estimated in its place.

    The spline differs from f0 by at most `error`, which is measured between its nodes.
    """

    custom: Custom

    @cached_property
    def _spline(self) -> interpolate.CubicSpline:
        from scipy import interpolate

        s = np.linspace(self.custom.low, self.custom.high, _CELLS + 1)
        return interpolate.CubicSpline(s, self.custom(s), bc_type="clamped")

    @cached_property
    def error(self) -> float:
        """The largest difference to the profile, seen at and between the middles of cells."""
        s = np.linspace(self.custom.low, self.custom.high, 8 * _CELLS + 1)
        return float(np.abs(self(s) - self.custom(s)).max())

    @cached_property
    def steepest_bend(self) -> float:
        """Max |f0''| of the spline."""
        return float(np.abs(self._spline(self._spline.x, 2)).max())

    def __call__(self, s: FloatArray) -> FloatArray:
        return np.asarray(self._spline(np.clip(s, self.custom.low, self.custom.high)))

    def slope(self, s: FloatArray) -> FloatArray:
        return np.asarray(self._spline(np.clip(s, self.custom.low, self.custom.high), 1))

    def second(self, s: FloatArray) -> FloatArray:
        inside = (s >= self.custom.low) & (s <= self.custom.high)
        return np.where(inside, self._spline(np.clip(s, self.custom.low, self.custom.high), 2), 0.0)

    @property
    def lipschitz(self) -> float:
        return self.custom.lipschitz

    @property
    def landmarks(self) -> tuple[float, ...]:
        return self.custom.landmarks

    @property
    def breaks(self) -> tuple[float, ...]:
        # flattening the spline's ends bends its last cells
        marks = np.asarray(self.landmarks)
        cells = np.ptp(marks) / _CELLS * np.array([1, 2, 3, 4, 8, 16])
        return tuple(np.sort(np.concatenate([marks, marks[0] + cells, marks[-1] - cells])).tolist())

    @property
    def bounds(self) -> tuple[float, float]:
        return self.custom.bounds

    def stretched(self, factor: float) -> Spline:
        return Spline(self.custom.stretched(factor))
