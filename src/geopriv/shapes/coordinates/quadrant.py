"""Signed distances to quadrants of R^d."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from geopriv.shapes.coordinates.base import Box, Coordinate
from geopriv.shapes.coordinates.documents import QuadrantDocument
from geopriv.spaces import Space
from geopriv.spaces.balls import arb, greatest, length
from geopriv.spaces.base import normalized
from geopriv.spaces.bounded import ROUNDING
from geopriv.spaces.checks import FloatArray


@dataclass(frozen=True)
class Quadrant(Coordinate):
    """Signed distance to Q = {p : p ≥ corner}: ‖max(corner − x, 0)‖ outside, −min(x − corner) inside.

    A signed distance is 1-Lipschitz on R^d: on one side it is a distance to a set, and a segment that joins the two
    sides crosses the border (theory T1).

    Args:
        space: with axes.
        corner: a point of it.
    """

    space: Space
    corner: tuple[float, ...]

    def __call__(self, points: FloatArray) -> FloatArray:
        lack = np.asarray(self.corner) - points
        outside = np.hypot.reduce(np.maximum(lack, 0.0), axis=-1, initial=0.0)
        # with the outside distance zero, the largest lack is −min(x − corner)
        return np.asarray(np.where(outside > 0, outside, lack.max(axis=-1)))

    def enclose(self, row: Sequence[float]) -> arb:
        lack = [arb(c) - a for c, a in zip(self.corner, self.space.enclose(row), strict=True)]
        deepest, outside = greatest(lack), length([a.max(0) for a in lack])
        if deepest > 0:
            return outside
        return deepest if deepest <= 0 else outside.union(deepest)  # both are 0 on the border

    def float_error(self, points: FloatArray, s: FloatArray) -> FloatArray:
        size = np.abs(points).sum(axis=1) + float(np.abs(self.corner).sum())
        return np.asarray(ROUNDING * (self.space.dimension + 2) * size)

    def gradient(self, points: FloatArray) -> FloatArray:
        lack = np.asarray(self.corner) - points
        outside = np.maximum(lack, 0.0)
        deepest = np.eye(lack.shape[-1])[lack.argmax(axis=-1)]  # inside, the nearest side decides
        return -normalized(np.where((outside > 0).any(axis=-1, keepdims=True), outside, deepest))

    def outline(self, end: float) -> Box:
        return self.anchor - end, self.anchor

    @property
    def anchor(self) -> FloatArray:
        return np.asarray(self.corner)

    def document(self) -> QuadrantDocument:
        return {"type": "Quadrant", "corner": list(self.corner)}

    def reachable(self, s: FloatArray) -> tuple[FloatArray, FloatArray]:
        # towards the nearest point of Q and away from it; inside, behind a corner, depth grows slower than distance
        return np.zeros_like(s), np.full_like(s, np.inf)

    @property
    def moved(self) -> object:
        return self.alike

    @property
    def alike(self) -> object:
        return "quadrant", len(self.corner)
