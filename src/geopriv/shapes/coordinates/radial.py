"""Distances to a point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from geopriv.shapes.coordinates.base import Box, Coordinate
from geopriv.shapes.coordinates.documents import RadialDocument
from geopriv.shapes.profiles.pieces import LinearPieces
from geopriv.spaces import Space
from geopriv.spaces.balls import arb
from geopriv.spaces.bounded import ROUNDING
from geopriv.spaces.checks import FloatArray


@dataclass(frozen=True)
class Radial(Coordinate):
    """s(x) = dist(x, center) − offset. 1-Lipschitz by the triangle inequality, in every metric space.

    Args:
        space: any.
        center: a point of it (on a LogLine a logarithm already).
        offset: a constant.
    """

    space: Space
    center: tuple[float, ...]
    offset: float

    def __call__(self, points: FloatArray) -> FloatArray:
        return self.space.between(points, self.anchor) - self.offset

    def enclose(self, row: Sequence[float]) -> arb:
        return self.space.enclose_distance(row, self.center) - self.offset

    def float_error(self, points: FloatArray, s: FloatArray) -> FloatArray:
        more = ROUNDING * (self.space.dimension + 2) * abs(self.offset)
        return self.space.distance_error(points, self.center) + more

    def gradient(self, points: FloatArray) -> FloatArray:
        return self.space.away(points, self.anchor)

    def outline(self, end: float) -> Box | None:
        way = end + self.offset
        return (self.anchor - way, self.anchor + way) if self.space.flat else None

    def points_at(self, s: FloatArray) -> list[FloatArray] | None:
        if self.space.dimension > 1:
            return None
        return [
            (self.center[0] + side * (s + self.offset)).reshape(-1, *self.space.point_shape) for side in (-1.0, 1.0)
        ]

    def knots(self, pieces: LinearPieces) -> FloatArray | None:
        marks = np.asarray(pieces.knots)
        points = self.points_at(marks[marks > -self.offset])
        if points is None:
            return None
        slope = pieces.slopes[int(np.searchsorted(marks, -self.offset, side="right"))]
        tip = np.reshape(self.center, (1, *self.space.point_shape))  # where the distance itself has a kink
        return np.sort(np.concatenate([*points, tip] if slope else points), axis=0)

    @property
    def compact(self) -> bool:
        return True

    @property
    def apex(self) -> float:
        return -self.offset

    @cached_property
    def anchor(self) -> FloatArray:
        return np.reshape(self.center, self.space.point_shape)

    @property
    def reach(self) -> tuple[float, float] | None:
        return None if self._on_a_line_with_ends else (-self.offset, self.space.farthest - self.offset)

    def document(self) -> RadialDocument:
        return {"type": "Radial", "center": list(self.center), "offset": self.offset}

    def reachable(self, s: FloatArray) -> tuple[FloatArray, FloatArray]:
        if self._on_a_line_with_ends:  # beyond them there is nothing, so only towards the centre
            return np.full_like(s, -self.offset), s
        return np.full_like(s, -self.offset), np.full_like(s, self.space.farthest - self.offset)

    @property
    def _on_a_line_with_ends(self) -> bool:
        return not self.space.point_shape and bool(np.isfinite(self.space.limits).any())

    @property
    def moved(self) -> object | None:
        return self.alike if self.space.flat else None  # points of the globe are not moved by adding

    @property
    def alike(self) -> object:
        return "radial", self.offset
