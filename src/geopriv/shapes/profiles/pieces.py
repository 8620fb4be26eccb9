"""Profiles made of straight pieces."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from geopriv.shapes.profiles.base import Profile
from geopriv.spaces.balls import arb, interpolated
from geopriv.spaces.bounded import ROUNDING
from geopriv.spaces.checks import (
    FloatArray,
    invalid,
    numbers,
    positive,
)
from geopriv.spaces.notes import Positive


class LinearPieces(Profile):
    """A continuous profile made of straight pieces: `knots`, `values` there, and the slopes around them."""

    @property
    @abstractmethod
    def knots(self) -> tuple[float, ...]:
        """Increasing coordinates where the slope changes."""

    @property
    @abstractmethod
    def values(self) -> tuple[float, ...]:
        """f0 at the knots."""

    @property
    @abstractmethod
    def slopes(self) -> tuple[float, ...]:
        """One slope more than there are knots: before the first, between each two, after the last."""

    @abstractmethod
    def stretched(self, factor: float) -> LinearPieces:
        """Straight pieces again."""

    def steepness(self, s: FloatArray) -> FloatArray:
        return np.asarray(np.abs(self.slopes)[np.searchsorted(self.knots, s)])

    def on_intervals(self, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Between the ends and the knots inside, the steepest piece that each interval touches."""
        ends = self(low), self(high)
        least, most, steepest = np.minimum(*ends), np.maximum(*ends), np.zeros_like(low)
        for knot, value in zip(self.knots, self.values, strict=True):
            inside = (low <= knot) & (knot <= high)
            least, most = (
                np.where(inside, np.minimum(least, value), least),
                np.where(inside, np.maximum(most, value), most),
            )
        for start, stop, slope in zip((-np.inf, *self.knots), (*self.knots, np.inf), self.slopes, strict=True):
            steepest = np.where((low <= stop) & (high >= start), np.maximum(steepest, abs(slope)), steepest)
        return least, most, steepest


class Plateaus(LinearPieces):
    """Straight pieces that are constant before the first knot and after the last."""

    def __call__(self, s: FloatArray) -> FloatArray:
        return np.interp(s, self.knots, self.values)

    @cached_property
    def slopes(self) -> tuple[float, ...]:
        inner = np.diff(self.values) / np.diff(self.knots)
        return (0.0, *inner.tolist(), 0.0)

    @property
    def landmarks(self) -> tuple[float, ...]:
        return self.knots

    @property
    def bounds(self) -> tuple[float, float]:
        return min(self.values), max(self.values)

    @property
    def levels_off(self) -> bool:
        return True


@dataclass(frozen=True)
class PiecewiseLinear(Plateaus):
    """Straight lines between the given knots, constant outside them.

    >>> PiecewiseLinear(knots=(0, 1, 3), values=(0, 2, 1))(np.array([-1.0, 0.5, 2.0, 9.0]))
    array([0. , 1. , 1.5, 1. ])
    """

    knots: tuple[float, ...] = ()
    values: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "knots", numbers("PiecewiseLinear", "knots", self.knots, least=2))
        object.__setattr__(self, "values", numbers("PiecewiseLinear", "values", self.values, least=2))
        if not (np.diff(self.knots) > 0).all():
            raise invalid("PiecewiseLinear", "knots", "strictly increasing", self.knots)
        if len(self.values) != len(self.knots):
            raise invalid("PiecewiseLinear", "values", "as many as there are knots", self.values)
        if min(self.values) == max(self.values):
            raise invalid("PiecewiseLinear", "values", "not all equal (a constant needs no report)", self.values)

    @property
    def lipschitz(self) -> float:
        return max(abs(slope) for slope in self.slopes)

    def enclose(self, s: arb) -> arb:
        return interpolated(np.asarray(self.knots), np.asarray(self.values), s)

    @property
    def float_error(self) -> tuple[float, float]:
        return float(np.abs(self.knots).max()), 8 * ROUNDING * float(np.abs(self.values).max())

    def stretched(self, factor: float) -> PiecewiseLinear:
        return replace(self, knots=tuple(knot / factor for knot in self.knots))


@dataclass(frozen=True)
class Identity(LinearPieces):
    """The line f0(s) = slope·s: the profile of a query that is its own coordinate."""

    slope: Positive = 1.0

    def __post_init__(self) -> None:
        positive("Identity", "slope", self.slope)

    def __call__(self, s: FloatArray) -> FloatArray:
        return self.slope * s

    def enclose(self, s: arb) -> arb:
        return self.slope * s

    @property
    def float_error(self) -> tuple[float, float]:
        return 0.0, 0.0

    @property
    def straight(self) -> float:
        return self.slope

    @property
    def knots(self) -> tuple[float, ...]:
        return ()

    @property
    def values(self) -> tuple[float, ...]:
        return ()

    @property
    def slopes(self) -> tuple[float, ...]:
        return (self.slope,)

    @property
    def lipschitz(self) -> float:
        return self.slope

    @property
    def landmarks(self) -> tuple[float, ...]:
        return (0.0,)

    @property
    def bounds(self) -> tuple[float, float]:
        return -np.inf, np.inf

    def stretched(self, factor: float) -> Identity:
        return Identity(self.slope * factor)


def resolved(owner: str, width: float, place: float) -> None:
    """Refuse a ramp so narrow beside its place that rounding would change its slope, on which the promise rests."""
    if width < 1e6 * np.spacing(abs(place)):
        raise invalid(owner, "width", f"at least {1e6 * np.spacing(abs(place)):.3g} at coordinates of {place:g}", width)
