"""What a query is."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
import shapely

from geopriv.shapes.coordinates import Coordinate
from geopriv.shapes.profiles import Profile
from geopriv.spaces import Space
from geopriv.spaces.checks import FloatArray


class Query(ABC):
    """f = profile ∘ coordinate on a space. Call it on values: arrays in, arrays out.

    A query also says itself in words, as a region, and where it is. What it does not know of itself is left in general
    words, None or the query itself, so that it is never taken for another.
    """

    edge_words: ClassVar[str] = "the border"  # what its edge is called
    small_region: str = ""  # that mostly the surroundings of its region are counted, where that is so

    space: Space

    @property
    @abstractmethod
    def geometry(self) -> Coordinate:
        """The 1-Lipschitz coordinate, as a map of points."""

    @property
    @abstractmethod
    def profile(self) -> Profile:
        """The one-dimensional shape f0."""

    def words(self, name: str) -> str:
        """What is true of the people whom it counts, "are at or above 100,000 USD"; of a question with a name."""
        return f"count towards “{name}”"

    @property
    def half_edge(self) -> float:
        """How far from its edge people count in part, in the unit of distance; 0 where that is not known."""
        return 0.0

    @property
    def soft_edge(self) -> str:
        """Who counts in part, in a sentence; empty where no edge is known."""
        return soft_edge(self.space.distance_words(self.half_edge), self.edge_words) if self.half_edge else ""

    @property
    def is_share(self) -> bool:
        """Whether it counts people, each by something between 0 and 1."""
        low, high = self.profile.bounds
        return low >= 0 and high <= 1

    @property
    def region(self) -> shapely.Geometry | None:
        """Where in the plane it counts people, as points of the space; None where that is no region of the plane."""
        return None

    @property
    def has_profile(self) -> bool:
        """Whether f is a profile of its coordinate; where it is not, `geometry` and `profile` are refused."""
        return True

    @property
    def detail(self) -> float:
        """About how far people must be apart for the query to tell them apart, in the unit of distance."""
        low, high = self.profile.bounds
        return (high - low) / self.profile.lipschitz if math.isfinite(high - low) else 1.0

    @property
    def place(self) -> FloatArray:
        """The point of the space that the query moves with."""
        return np.asarray(self.geometry.anchor, dtype=np.float64)

    @property
    def moved(self) -> object:
        """What is left of the query when its place is moved to the origin.

        Queries of one `moved` are one function of x − place. A query that does not know how it moves is left whole, so
        that it is like no other.
        """
        shape = self.geometry.moved
        return self if shape is None else (shape, self.profile)

    def coordinate(self, values: Any) -> FloatArray:
        """s(x) for values x of the space, in its unit of distance."""
        return np.asarray(self.geometry(self.space.read(values)))

    def answer(self, points: FloatArray) -> FloatArray:
        """F at points that the space has read."""
        return np.asarray(self.profile(self.geometry(points)))

    def __call__(self, values: Any) -> FloatArray:
        """f(x) for values x of the space."""
        return self.answer(self.space.read(values))


def soft_edge(within: str, edge: str) -> str:
    """The sentence about who counts in part."""
    return f"The edge is soft: people within {within} of {edge} count in part."


class Edged(Query):
    """A query that fades from 1 to 0 over a width across an edge."""

    width: float

    @property
    def half_edge(self) -> float:
        return self.width / 2


class Centered(Query):
    """A query about the distance to a place."""

    center: tuple[float, ...] | float
