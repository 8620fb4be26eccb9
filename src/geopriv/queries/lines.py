"""Queries about one number: thresholds and ranges."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from geopriv.queries.base import Query
from geopriv.queries.parameters import (
    Edge,
    public_place,
    require_edge,
    require_line,
)
from geopriv.shapes.coordinates import Coordinate, Linear, Radial
from geopriv.shapes.profiles import Profile, Ramp, Smoothstep
from geopriv.spaces import Line, Space
from geopriv.spaces.checks import invalid, positive


@dataclass(frozen=True)
class Threshold(Query):
    """The share of people at or above a value: 0 below `at` − width/2, 1 above `at` + width/2, linear between.

    Args:
        at: the threshold.
        width: over which counting fades, in the unit of distance (on a LogLine: in logarithms).
        space: a Line or LogLine.
        edge: "linear" (the paper's ramp) or "smooth" (two parabolas over the same width, twice as steep in the
            middle: the shape that noise on the input can be undone for, theory T6).

    Reference: paper, section 4.1.

    >>> Threshold(at=100_000, width=16_000)([90_000, 100_000, 150_000])
    array([0. , 0.5, 1. ])
    """

    at: float
    width: float
    space: Space = Line()
    edge: Edge = "linear"

    def __post_init__(self) -> None:
        require_line(self)
        require_edge(self, self.edge)
        public_place(self, "at", self.at)
        positive("Threshold", "width", self.width)

    @cached_property
    def geometry(self) -> Coordinate:
        return Linear((1.0,), -float(public_place(self, "at", self.at)), scalar=True)

    @cached_property
    def profile(self) -> Profile:
        return Ramp(self.width) if self.edge == "linear" else Smoothstep(self.width)


@dataclass(frozen=True)
class Range(Query):
    """The share of people between two values: 1/2 at `low` and at `high`, linear over `width` around both.

    The paper's own shape (its appendix) is a triangle in which only the midpoint counts fully (theory E9);
    `shape="triangle"` gives it.

    Args:
        low: lower end.
        high: upper end.
        width: over which counting fades; at most high − low for the trapezoid.
        shape: "trapezoid" or "triangle".
        space: a Line or LogLine.
        edge: of the trapezoid, "linear" or "smooth" (see Threshold).

    >>> Range(low=10, high=20, width=2)([9, 10, 15, 20.5])
    array([0.  , 0.5 , 1.  , 0.25])
    """

    low: float
    high: float
    width: float
    shape: Literal["trapezoid", "triangle"] = "trapezoid"
    space: Space = Line()
    edge: Edge = "linear"

    def __post_init__(self) -> None:
        require_line(self)
        low, high = self._ends
        positive("Range", "width", self.width)
        if not low < high:
            raise invalid("Range", "high", f"greater than low = {self.low!r}", self.high)
        if self.shape not in ("trapezoid", "triangle"):
            raise invalid("Range", "shape", '"trapezoid" or "triangle"', self.shape)
        require_edge(self, self.edge)
        if self.shape == "triangle" and self.edge != "linear":
            raise invalid("Range", "edge", '"linear" for the triangle', self.edge)
        if self.shape == "trapezoid" and self.width > (high - low) * (1 + 1e-12):
            raise invalid("Range", "width", f"at most high − low = {high - low!r}", self.width)

    @property
    def _ends(self) -> tuple[float, float]:
        return float(public_place(self, "low", self.low)), float(public_place(self, "high", self.high))

    @cached_property
    def geometry(self) -> Coordinate:
        low, high = self._ends
        return Radial(self.space, ((low + high) / 2,), offset=0.0)

    @cached_property
    def profile(self) -> Profile:
        low, high = self._ends
        half = (high - low) / 2
        if self.shape == "trapezoid":
            shape = Ramp if self.edge == "linear" else Smoothstep
            return shape(self.width, center=half, rising=False)
        base = half + self.width / 2
        return Ramp(base, center=base / 2, rising=False)
