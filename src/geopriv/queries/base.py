"""What a query is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from geopriv.shapes.coordinates import Coordinate
from geopriv.shapes.profiles import Profile
from geopriv.spaces import Space
from geopriv.spaces.checks import FloatArray


class Query(ABC):
    """f = profile ∘ coordinate on a space. Call it on values: arrays in, arrays out."""

    space: Space

    @property
    @abstractmethod
    def geometry(self) -> Coordinate:
        """The 1-Lipschitz coordinate, as a map of points."""

    @property
    @abstractmethod
    def profile(self) -> Profile:
        """The one-dimensional shape f0."""

    def coordinate(self, values: Any) -> FloatArray:
        """s(x) for values x of the space, in its unit of distance."""
        return np.asarray(self.geometry(self.space.read(values)))

    def answer(self, points: FloatArray) -> FloatArray:
        """F at points that the space has read."""
        return np.asarray(self.profile(self.geometry(points)))

    def __call__(self, values: Any) -> FloatArray:
        """f(x) for values x of the space."""
        return self.answer(self.space.read(values))


class Centered(Query):
    """A query about the distance to a place."""

    center: tuple[float, ...] | float
