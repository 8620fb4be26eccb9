"""A person's value itself, or a weighted sum of its numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from geopriv.queries.base import Query
from geopriv.queries.parameters import UNSET, direction, fill_space, linear
from geopriv.shapes.coordinates import Coordinate
from geopriv.shapes.profiles import Identity, Profile
from geopriv.spaces import Space
from geopriv.spaces.checks import invalid
from geopriv.spaces.notes import Vector


@dataclass(frozen=True)
class Value(Query):
    """The value itself: f(x) = ⟨weights, x⟩, of points of the space (on a LogLine logarithms to its base).

    It is linear, so its interpolant on a grid is the function itself: one Lattice report answers it without bias.

    Args:
        weights: one number for each axis, not all 0.
        space: a Line, LogLine, Plane or Euclidean space.

    >>> Value((1.0, -0.5))([(3.0, 4.0)])
    array([1.])
    """

    weights: Vector = (1.0,)
    space: Space = UNSET

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", direction("Value", "weights", self.weights))
        fill_space(self, len(self.weights))
        if not getattr(self.space, "flat", False) or self.space.geographic:
            raise invalid("Value", "space", "a Line, LogLine, Plane or Euclidean space", self.space)
        if len(self.weights) != self.space.dimension:
            raise invalid("Value", "weights", f"one number for each of {self.space.dimension} axes", self.weights)

    def within(self, low: Sequence[float], high: Sequence[float]) -> tuple[float, float]:
        """The least and the largest f among values in a range of one pair for each axis; infinite without one."""
        if not len(low):
            return -math.inf, math.inf
        corners = [self.space.read(np.reshape(end, self.space.point_shape)) for end in (low, high)]
        parts = np.asarray(self.weights) * np.reshape(corners, (2, -1))
        return float(parts.min(axis=0).sum()), float(parts.max(axis=0).sum())

    @cached_property
    def geometry(self) -> Coordinate:
        return linear(self.weights, 0.0, self.space)

    @cached_property
    def profile(self) -> Profile:
        return Identity(math.hypot(*self.weights))
