"""Linear scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from geopriv.shapes.coordinates.base import Box, Coordinate
from geopriv.shapes.coordinates.documents import LinearDocument
from geopriv.shapes.profiles.pieces import LinearPieces
from geopriv.spaces import Space
from geopriv.spaces.balls import arb, length, total
from geopriv.spaces.bounded import ROUNDING
from geopriv.spaces.checks import FloatArray


@dataclass(frozen=True)
class Linear(Coordinate):
    """s(x) = ⟨u, x⟩ + shift with ‖u‖ = 1. 1-Lipschitz by Cauchy–Schwarz.

    Args:
        space: with axes.
        direction: the unit vector u; a single number ±1 on a line.
        shift: a constant.
    """

    space: Space
    direction: tuple[float, ...]
    shift: float

    def __call__(self, points: FloatArray) -> FloatArray:
        if not self.space.point_shape:
            return self.direction[0] * points + self.shift
        return np.asarray(points @ np.asarray(self.direction) + self.shift)

    def enclose(self, row: Sequence[float]) -> arb:
        x = self.space.enclose(row)
        if not self.space.point_shape:
            return self.direction[0] * x[0] + self.shift
        u = [arb(number) for number in self.direction]
        # the direction is of length 1 only to rounding; divided by its length the coordinate is 1-Lipschitz exactly
        return total(a * b for a, b in zip(u, x, strict=True)) / length(u) + self.shift

    def float_error(self, points: FloatArray, s: FloatArray) -> FloatArray:
        if not self.space.point_shape:
            off = np.abs(points[:, 0])
            off += abs(self.shift)
            off *= 4 * ROUNDING
            return off
        size = np.abs(points) @ np.abs(self.direction) + abs(self.shift)
        return np.asarray(ROUNDING * (self.space.dimension + 2) * size)

    def gradient(self, points: FloatArray) -> FloatArray:
        return np.broadcast_to(np.asarray(self.direction), (len(points), len(self.direction)))

    def outline(self, end: float) -> Box | None:
        return None if self.space.dimension > 1 else (self.anchor - abs(end), self.anchor + abs(end))

    def points_at(self, s: FloatArray) -> list[FloatArray] | None:
        if self.space.dimension > 1:
            return None
        return [(self.direction[0] * (s - self.shift)).reshape(-1, *self.space.point_shape)]

    def knots(self, pieces: LinearPieces) -> FloatArray | None:
        points = self.points_at(np.asarray(pieces.knots))
        return None if points is None else np.sort(points[0], axis=0)

    @property
    def axis(self) -> tuple[float, ...]:
        return self.direction

    @property
    def anchor(self) -> FloatArray:
        foot = -self.shift * np.asarray(self.direction)
        return foot if self.space.point_shape else foot[0]

    @property
    def reach(self) -> tuple[float, float] | None:
        return None if np.isfinite(self._ends).any() else self._ends

    def document(self) -> LinearDocument:
        return {"type": "Linear", "direction": list(self.direction), "shift": self.shift}

    def reachable(self, s: FloatArray) -> tuple[FloatArray, FloatArray]:
        low, high = self._ends
        return np.full_like(s, low), np.full_like(s, high)

    @property
    def _ends(self) -> tuple[float, float]:
        """Between which values s lies on a line: beyond its ends there is nobody."""
        if self.space.point_shape:
            return -np.inf, np.inf
        low, high = sorted(float(self(end[0])) for end in self.space.limits)
        return low, high

    @property
    def moved(self) -> object:
        return "linear", self.direction

    @property
    def alike(self) -> object:
        return "linear"
