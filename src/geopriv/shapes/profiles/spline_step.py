"""The step of a spline: as smooth as noise on several axes needs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from geopriv.shapes.profiles.base import Profile
from geopriv.spaces.checks import FloatArray, count, finite, positive
from geopriv.spaces.notes import Positive

if TYPE_CHECKING:
    from scipy import interpolate


@dataclass(frozen=True)
class SplineStep(Profile):
    """0 below `start`, 1 from `start` + `width` on, and between them the distribution of a sum of `boxes` equal boxes.

    Two boxes make a `Smoothstep`. Each axis of noise that is undone takes two derivatives, so 2·d boxes leave a bounded
    function on d axes.

    >>> SplineStep(width=2.0, start=-1.0, boxes=2)(np.array([-2.0, -0.5, 0.0, 0.5, 3.0]))
    array([0.   , 0.125, 0.5  , 0.875, 1.   ])
    """

    width: Positive
    start: float = 0.0
    boxes: int = 2

    def __post_init__(self) -> None:
        positive("SplineStep", "width", self.width)
        finite("SplineStep", "start", self.start)
        count("SplineStep", "boxes", self.boxes, least=2)

    @cached_property
    def _density(self) -> interpolate.BSpline:
        """Of the sum of boxes, each of length 1, between 0 and their number; its integral is 1."""
        from scipy import interpolate

        return interpolate.BSpline.basis_element(np.arange(self.boxes + 1.0), extrapolate=False)

    @cached_property
    def _sum(self) -> interpolate.BSpline:
        return self._density.antiderivative()

    def _along(self, s: FloatArray) -> FloatArray:
        return np.asarray((s - self.start) / self._box)

    @property
    def _box(self) -> float:
        return self.width / self.boxes

    def __call__(self, s: FloatArray) -> FloatArray:
        along = self._along(s)
        rise = self._sum(np.clip(along, 0.0, self.boxes * (1 - 1e-15)))
        return np.where(along >= self.boxes, 1.0, np.clip(rise, 0.0, 1.0))

    @property
    def lipschitz(self) -> float:
        return float(self._density(self.boxes / 2)) / self._box

    def steepness(self, s: FloatArray) -> FloatArray:
        return np.asarray(np.nan_to_num(self._density(self._along(s))) / self._box)

    @property
    def bend(self) -> float:
        """The slope is a mean over one box, so its own slope is at most the highest density of one box fewer."""
        return 1.0 / self._box**2 if self.boxes == 2 else SplineStep(1.0, 0.0, self.boxes - 1)._peak / self._box**2

    @property
    def _peak(self) -> float:
        return float(self._density(self.boxes / 2))

    @property
    def levels_off(self) -> bool:
        return True

    @property
    def landmarks(self) -> tuple[float, ...]:
        return self.start, self.start + self.width / 2, self.start + self.width

    @property
    def bounds(self) -> tuple[float, float]:
        return 0.0, 1.0

    def stretched(self, factor: float) -> SplineStep:
        return replace(self, width=self.width / factor, start=self.start / factor)
