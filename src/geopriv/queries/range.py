"""Those between two values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal

from geopriv.queries.base import Edged
from geopriv.queries.parameters import Edge, public_place, require_edge, require_line
from geopriv.shapes.coordinates import Coordinate, Radial
from geopriv.shapes.profiles import Profile, Ramp, Smoothstep
from geopriv.spaces import Line, Space
from geopriv.spaces.checks import invalid, positive
from geopriv.spaces.notes import Positive
from geopriv.spaces.words import amount, plain


@dataclass(frozen=True)
class Range(Edged):
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

    edge_name: ClassVar[str] = "either end"

    low: float
    high: float
    width: Positive
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

    def words(self, name: str) -> str:
        return f"are between {plain(self.low)} and {amount(self.high, self.space.value_unit)}"

    @cached_property
    def geometry(self) -> Coordinate:
        low, high = self._ends
        return Radial(self.space, ((low + high) / 2,), offset=0.0)

    @property
    def plain_set(self) -> Coordinate:
        low, high = self._ends
        return Radial(self.space, ((low + high) / 2,), offset=(high - low) / 2)

    @cached_property
    def profile(self) -> Profile:
        low, high = self._ends
        half = (high - low) / 2
        if self.shape == "trapezoid":
            shape = Ramp if self.edge == "linear" else Smoothstep
            return shape(self.width, center=half, rising=False)
        base = half + self.width / 2
        return Ramp(base, center=base / 2, rising=False)
