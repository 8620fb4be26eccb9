"""What a query is."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import shapely

from geopriv.shapes.coordinates import Box, Coordinate
from geopriv.shapes.grids import BlurredGrid
from geopriv.shapes.profiles import Gaussian, LinearPieces, Profile
from geopriv.shapes.slopes import Slopes
from geopriv.spaces import Space
from geopriv.spaces.balls import arb
from geopriv.spaces.checks import FloatArray, invalid
from geopriv.spaces.rounding import above, below

CLEAR = 0.9  # of a person counts in the middle of an area that can be told from its surroundings


class Query(ABC):
    """f = profile ∘ coordinate on a space. Call it on values: arrays in, arrays out.

    A query also says itself in words, as a region, and where it is. What it does not know of itself is left in general
    words, None or the query itself, so that it is never taken for another.
    """

    edge_name: ClassVar[str] = "the border"  # what its edge is called
    small_region: str = ""  # what to ask instead, where its region cannot be told from the surroundings

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
    def in_part(self) -> str:
        """Which people count in part, "within 16,000 USD of the line"; empty where no edge is known."""
        return in_part(self.space.distance_words(self.half_edge), self.edge_name) if self.half_edge else ""

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
    def plain_set(self) -> Coordinate | None:
        """The set that the plain question asks about, as a coordinate: {s ≤ 0}; None without a plain question."""
        return None

    @property
    def has_profile(self) -> bool:
        """Whether f is a profile of its coordinate; where it is not, `geometry` and `profile` are refused."""
        return True

    @property
    def bounds(self) -> tuple[float, float]:
        """Infimum and supremum of f."""
        return self.profile.bounds

    @property
    def lipschitz(self) -> float:
        """A number K with |f(x) − f(x')| ≤ K·dist(x, x')."""
        return self.profile.lipschitz

    @property
    def bell(self) -> Gaussian | None:
        """The profile, if f is a Gaussian of the distance to its place on a flat space, hence a product over axes."""
        profile = self.profile if self.has_profile and self.space.flat else None
        return profile if isinstance(profile, Gaussian) and profile.center == self.geometry.apex else None

    @property
    def knots(self) -> FloatArray | None:
        """The points where f bends, if it is made of straight pieces of one number; else None."""
        profile = self.profile if self.has_profile else None
        return self.geometry.knots(profile) if isinstance(profile, LinearPieces) else None

    @property
    def bend(self) -> float | None:
        """A bound on the second derivatives of f along every axis, where f is no profile of its coordinate."""
        return None

    @property
    def gridded(self) -> bool:
        """Whether f is no profile of its coordinate and known on a grid (`grid`)."""
        return False

    def grid(self, rate: float) -> BlurredGrid | None:
        """F on a grid that reaches as far as noise of a rate needs, where f is no profile of its coordinate."""
        return None

    def rough(self) -> Query:
        """The query, or one that is as good for predictions and faster to compute."""
        return self

    def box(self, margin: float) -> Box:
        """The lowest and the highest corner of a box around the places where f changes."""
        return self.geometry.box(self.profile.landmarks, margin)

    def box_of_change(self, margin: float) -> Box | None:
        """Corners of a box from which f is constant along every axis that leads away; None where there is none."""
        constant = self.profile.levels_off and self.geometry.outline(0.0) is not None
        return self.box(margin) if constant else None

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

    @property
    def corners(self) -> Box:
        """The lowest and the highest corner of the box on whose cells its slope is bounded, as points, shape (d,)."""
        return self.box(0.0)

    @property
    def certified(self) -> bool:
        """Whether its slope on boxes is proven by its own operations, and not by its author's word."""
        return False

    def bounds_on(self, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Its least and its largest value, and its steepest slope, on boxes with corners of shape (d, n).

        Raises:
            InvalidParameter: for a query that cannot say how steep it is on a box.
        """
        rule = "a profile of a coordinate, or a Function, which says how steep it is on a box"
        raise invalid("geopriv.smooth", "query", rule, type(self).__name__)

    def interpolation_bias(self, step: float) -> float:
        """A bound on |interpolant − f| for a grid of a step, from the slope alone: E‖ξ‖ ≤ √d·step/2."""
        return self.lipschitz * step * math.sqrt(self.space.dimension) / 2

    def slopes_on(self, axes: Sequence[Slopes]) -> Slopes:
        """F on boxes, from the coordinates there; refused as `bounds_on`."""
        rule = "a profile of a coordinate, or a Function, which says how steep it is on a box"
        raise invalid("geopriv.smooth", "query", rule, type(self).__name__)

    def enclose_answer(self, row: Sequence[float]) -> arb:
        """F at the point of one row of exact numbers, in balls."""
        return self.profile.enclose(self.geometry.enclose(row))

    def coordinate(self, values: Any) -> FloatArray:
        """s(x) for values x of the space, in its unit of distance."""
        return np.asarray(self.geometry(self.space.read(values)))

    def answer(self, points: FloatArray) -> FloatArray:
        """F at points that the space has read."""
        return np.asarray(self.profile(self.geometry(points)))

    def __call__(self, values: Any) -> FloatArray:
        """f(x) for values x of the space."""
        return self.answer(self.space.read(values))

    def __mul__(self, other: Any) -> Query:
        return _calculated("product", self, other)

    def __add__(self, other: Any) -> Query:
        return _calculated("sum", self, other)

    def __neg__(self) -> Query:
        return _calculated("product", -1.0, self)

    def __sub__(self, other: Any) -> Query:
        return _calculated("sum", self, -other)

    def __rsub__(self, other: Any) -> Query:
        return _calculated("sum", other, -self)

    __rmul__, __radd__ = __mul__, __add__


def _calculated(operation: str, *parts: Any) -> Query:
    from geopriv.queries.function import calculated

    return calculated(operation, *parts)


def in_part(within: str, edge: str) -> str:
    """Which people count in part."""
    return f"within {within} of {edge}"


def places_in(low: FloatArray, high: FloatArray) -> FloatArray:
    """Places all over a box of the plane, its middle among them."""
    axes = [np.linspace(first, last, 41) for first, last in zip(low, high, strict=True)]
    return np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)


class Edged(Query):
    """A query that fades from 1 to 0 over a width across an edge."""

    width: float

    @property
    def half_edge(self) -> float:
        return self.width / 2

    @property
    def small_region(self) -> str:  # type: ignore[override] # computed here
        if self.region is None:
            return ""
        low, high = np.reshape(shapely.bounds(self.region), (2, 2))
        depth = -float(self.geometry(places_in(low, high)).min())
        if float(self.profile(np.asarray(-depth))) > CLEAR:
            return ""
        # 1/2 counts on the border, and another 0.4 at a depth of 0.4 widths
        larger = self.space.distance_words(above((2 * CLEAR - 1) * self.width, 2))
        enough = below(depth / (CLEAR - 0.5), 2) if depth > 0 else 0.0
        narrower = f"a width of at most {self.space.distance_words(enough)}" if enough >= self.width / 2 else ""
        return f"ask about an area at least {larger} across, or with {narrower or 'a smaller 1/ε'}"


class Centered(Query):
    """A query about the distance to a place."""

    center: tuple[float, ...] | float
