"""Those at or above a value."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from geopriv.queries.base import Edged
from geopriv.queries.parameters import Edge, public_place, require_edge, require_line
from geopriv.shapes.coordinates import Coordinate, Linear
from geopriv.shapes.profiles import Profile, Ramp, Smoothstep
from geopriv.spaces import Line, Space
from geopriv.spaces.checks import positive
from geopriv.spaces.notes import Positive
from geopriv.spaces.words import amount


@dataclass(frozen=True)
class Threshold(Edged):
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

    edge_name: ClassVar[str] = "the line"

    at: float
    width: Positive
    space: Space = Line()
    edge: Edge = "linear"

    def __post_init__(self) -> None:
        require_line(self)
        require_edge(self, self.edge)
        public_place(self, "at", self.at)
        positive("Threshold", "width", self.width)

    def words(self, name: str) -> str:
        return f"are at or above {amount(self.at, self.space.value_unit)}"

    @cached_property
    def geometry(self) -> Coordinate:
        return Linear(self.space, (1.0,), -float(public_place(self, "at", self.at)))

    @property
    def plain_set(self) -> Coordinate:
        return Linear(self.space, (-1.0,), float(public_place(self, "at", self.at)))

    @cached_property
    def profile(self) -> Profile:
        return Ramp(self.width) if self.edge == "linear" else Smoothstep(self.width)
