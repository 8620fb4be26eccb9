"""What a profile is."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from geopriv.spaces.balls import arb
from geopriv.spaces.bounded import ROUNDING, Bounded, Enclosed
from geopriv.spaces.checks import FloatArray, invalid


class Profile(Enclosed, ABC):
    """A Lipschitz function of one real variable.

    What a profile does not know of itself it refuses or calls None; nobody guesses it from outside.
    """

    @abstractmethod
    def __call__(self, s: FloatArray) -> FloatArray:
        """f0 at coordinates of any shape."""

    @property
    @abstractmethod
    def lipschitz(self) -> float:
        """The least K with |f0(s) − f0(s')| ≤ K·|s − s'| (for Custom, the K that was given)."""

    @property
    @abstractmethod
    def landmarks(self) -> tuple[float, ...]:
        """Increasing coordinates around which f0 changes its shape: kinks, modes, inflections."""

    @property
    @abstractmethod
    def bounds(self) -> tuple[float, float]:
        """Infimum and supremum of f0."""

    @abstractmethod
    def stretched(self, factor: float) -> Profile:
        """The profile s ↦ f0(factor·s), factor > 0."""

    @abstractmethod
    def steepness(self, s: FloatArray) -> FloatArray:
        """|f0'(s)|, or a number below it where only a curvature is known; without one, zero."""

    def on_intervals(self, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """A lower and an upper bound on f0, and one on |f0'|, on intervals of coordinates.

        From the value in the middle and the slopes around it: |f0'(middle)| + C·(half a length) for a curvature of at
        most C, and never more than the Lipschitz constant.
        """
        middle, half = (low + high) / 2, (high - low) / 2
        steepest = np.full_like(middle, self.lipschitz)
        if self.smooth is self and self.bend is not None:
            steepest = np.minimum(steepest, np.abs(self.smooth.slope(middle)) * (1 + 1e-9) + self.bend * half)
        bottom, top = self.bounds
        value, reach = self(middle), steepest * half * (1 + 1e-9) + 1e-12 * (1 + np.abs(self(middle)))
        return np.maximum(value - reach, bottom), np.minimum(value + reach, top), steepest

    def enclose(self, s: arb) -> arb:
        """f0(s) in balls. Knots are those of the formula, not their rounded floats, so the slopes are exact.

        Raises:
            InvalidParameter: for a profile that has no enclosure.
        """
        rule = "one whose answers have an enclosure (a Custom profile has none: its function is known in floats only)"
        raise invalid("report", "query", rule, type(self).__name__)

    def bounded(self, s: Bounded) -> Bounded | None:
        """f0(s) in floats, and how far it may be from its enclosure; None where nothing is claimed."""
        if self.float_error is None:
            return None
        place, rounding = self.float_error
        off = s.off + ROUNDING * (np.abs(s.value) + place)
        return Bounded(self(s.value), 1.01 * self.lipschitz * off + rounding)

    @property
    def float_error(self) -> tuple[float, float] | None:
        """The largest number that is added to s, and what f0 loses to rounding beside; None where it is not known.

        The bounds are several times what counting roundings gives.
        """
        return None

    @property
    def bend(self) -> float | None:
        """A bound on |f0''| everywhere; None where f0 has kinks, or nothing is known."""
        return None

    @property
    def levels_off(self) -> bool:
        """Whether f0 is constant before its first landmark and after its last."""
        return False

    @property
    def straight(self) -> float | None:
        """The slope, if f0 is one straight line through 0; else None."""
        return None

    @property
    def breaks(self) -> tuple[float, ...]:
        """Increasing coordinates between which f0 is smooth, and beyond which it is level if it ever is."""
        return self.landmarks

    @property
    def triangle(self) -> float | None:
        """The width over which the slope is a triangle, of a step between 0 and 1; None of every other shape."""
        return None

    @property
    def smooth(self) -> Smooth | None:
        """The profile, or one that stands for it, with a continuous slope; None where there is none."""
        return None


class Curved(Profile):
    """A profile known by its values, a bound on its curvature, and the interval outside which it is constant."""

    @property
    @abstractmethod
    def low(self) -> float:
        """f0 is constant below."""

    @property
    @abstractmethod
    def high(self) -> float:
        """f0 is constant above."""

    @property
    @abstractmethod
    def curvature(self) -> float | None:
        """A bound on |f0''| between kinks; None when nothing is known but `lipschitz`."""

    @property
    @abstractmethod
    def kinks(self) -> tuple[float, ...]:
        """Places inside (low, high) where f0' jumps."""

    @property
    @abstractmethod
    def rounding(self) -> float:
        """A bound on the error of a computed f0(s), for the s that is given."""

    @property
    def bend(self) -> float | None:
        return None if self.kinks else self.curvature

    @property
    def levels_off(self) -> bool:
        return True


class Smooth(Profile):
    """A profile with a continuous slope and a bounded second derivative: smooth enough to undo noise on a line."""

    @abstractmethod
    def slope(self, s: FloatArray) -> FloatArray:
        """f0'."""

    @abstractmethod
    def second(self, s: FloatArray) -> FloatArray:
        """f0'', with either one-sided value where it jumps."""

    def steepness(self, s: FloatArray) -> FloatArray:
        return np.abs(self.slope(s))

    @property
    def smooth(self) -> Smooth:
        return self

    @property
    def error(self) -> float:
        """How far it may be from the profile that it stands for."""
        return 0.0
