"""What a space is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from geopriv.errors import OutOfDomain
from geopriv.spaces.balls import arb, length
from geopriv.spaces.bounded import ROUNDING, Bounded
from geopriv.spaces.checks import FloatArray, invalid, positive
from geopriv.spaces.threads import read_in_threads
from geopriv.spaces.units import read_length
from geopriv.spaces.words import amount, degrees, plain

if TYPE_CHECKING:
    import shapely


class Space(ABC):
    """A metric space: it validates values, measures distances and reads rates in its own unit.

    Values are real numbers, as people hold them; nothing is snapped or recorded on the way to a report.
    """

    geographic: ClassVar[bool] = False  # whether values are (latitude, longitude) in degrees
    ratios: ClassVar[bool] = False  # whether distances are about ratios of values
    flat: ClassVar[bool] = False  # whether points have axes along which distances are Euclidean
    finite: ClassVar[bool] = False  # whether points are the rows of a table of distances
    word: ClassVar[str] = ""  # what a survey calls it, where it can be asked there
    irrational: ClassVar[bool] = False  # whether points have to be computed: logarithms and projections
    exact_as_given: ClassVar[bool] = False  # whether the exact numbers of a person are the floats that were given

    @property
    @abstractmethod
    def dimension(self) -> int:
        """How many numbers make a point."""

    @property
    @abstractmethod
    def point_shape(self) -> tuple[int, ...]:
        """The shape of one point: () on a line, (d,) elsewhere."""

    @property
    @abstractmethod
    def distance_unit(self) -> str | None:
        """What one unit of distance is called; None when the space has no unit."""

    @property
    def value_unit(self) -> str | None:
        """What one unit of a value is called."""
        return self.distance_unit

    @property
    @abstractmethod
    def farthest(self) -> float:
        """The largest distance between two points; infinite where there is none."""

    @property
    @abstractmethod
    def limits(self) -> tuple[FloatArray, FloatArray]:
        """The least and the largest number that a point can have on each axis, shape (d,)."""

    @abstractmethod
    def read(self, values: Any) -> FloatArray:
        """Points of shape (...) on a line or (..., d) elsewhere.

        Raises:
            OutOfDomain: if a value is not finite, has the wrong shape or lies outside the space. The message never
                holds the value.
        """

    @abstractmethod
    def values(self, points: FloatArray) -> FloatArray:
        """The values at the points: the inverse of `read`."""

    @abstractmethod
    def between(self, first: FloatArray, second: FloatArray) -> FloatArray:
        """Distances between points that have been read."""

    @abstractmethod
    def away(self, points: FloatArray, targets: FloatArray) -> FloatArray:
        """Unit vectors (n, d) at n points that lead straight away from the targets, zero where there is none."""

    @abstractmethod
    def beside(self, points: FloatArray, way: float) -> FloatArray:
        """Each point moved by a small way, all in one direction that is parallel to nothing in particular."""

    @abstractmethod
    def random_direction(self, rng: np.random.Generator) -> FloatArray:
        """A direction, as `walk` takes it, from a seeded generator."""

    @abstractmethod
    def walk(self, start: FloatArray, way: FloatArray, direction: FloatArray) -> FloatArray:
        """Points at signed distances (n,) from a point, on a straight line or a great circle.

        Args:
            start: a point.
            way: how far.
            direction: a unit vector, or on a sphere a bearing in radians.
        """

    def enclose(self, row: Sequence[float]) -> list[arb]:
        """The point of one row of exact numbers, in balls."""
        return [arb(number) for number in row]

    def bounded(self, rows: FloatArray) -> Bounded:
        """The points of rows of exact numbers in floats, shape (n, d), and how far each number may be off."""
        return Bounded(rows, np.broadcast_to(0.0, rows.shape))

    @property
    def ground(self) -> Space:
        """Where people are before anything is projected."""
        return self

    @property
    def marks(self) -> tuple[tuple[str, Any], ...]:
        """Values at which reading is special, in words: clamps, poles, and where longitudes begin anew."""
        return ()

    def on_map(self, shape: shapely.Geometry) -> shapely.Geometry | None:
        """A public shape as points, on a map from (longitude, latitude); None where it is too far from the map."""
        return shape

    def in_degrees(self, shape: shapely.Geometry) -> shapely.Geometry:
        """A shape of points as people draw it: on a map in (longitude, latitude), elsewhere as it is."""
        return shape

    @abstractmethod
    def around(self, low: FloatArray, high: FloatArray, reach: float) -> tuple[FloatArray, FloatArray]:
        """The lowest and the highest corner of a box that holds all points within a reach of a box, shape (d,)."""

    @abstractmethod
    def enclose_distance(self, row: Sequence[float], point: Sequence[float]) -> arb:
        """The distance between the point of one row of exact numbers and another point, in balls."""

    @abstractmethod
    def distance_error(self, points: FloatArray, point: Sequence[float]) -> FloatArray:
        """How far `between` may be off in floats from exact points (n, d) to another."""

    @abstractmethod
    def read_rate(self, sentence: str) -> float:
        """A rate per unit of distance from a sentence such as "1 per 1 km"."""

    def read_length(self, sentence: str) -> float:
        """A length in the unit of distance from words such as "1.5 km"."""
        return read_length(sentence, self.distance_unit)

    def distance(self, first: Any, second: Any) -> FloatArray:
        """Distances between values.

        >>> from geopriv import Line
        >>> Line("USD").distance([1.0, 2.0], 4.0)
        array([3., 2.])
        """
        return self.between(self.read(first), self.read(second))

    def distance_words(self, distance: float) -> str:
        r"""A distance with its unit.

        >>> from geopriv import Line, LogLine
        >>> Line("USD").distance_words(2000.0).replace("\N{NARROW NO-BREAK SPACE}", " "), LogLine(2).distance_words(2.0)
        ('2,000 USD', 'a factor of 4')
        """
        return amount(distance, self.distance_unit, 4) if self.distance_unit else f"{plain(distance, 4)} units"

    def place_words(self, value: float | Sequence[float]) -> str:
        r"""A value: latitude and longitude, or numbers with their unit.

        >>> from geopriv import Earth, Plane
        >>> Earth().place_words((40.7, -74.0)).replace("\N{NO-BREAK SPACE}", " "), Plane(None).place_words((1.0, 2.0))
        ('40.700° N, 74.000° W', '1, 2')
        """
        if self.geographic:
            latitude, longitude = np.ravel(value).tolist()
            return f"{degrees(latitude, 'NS', 3)}, {degrees(longitude, 'EW', 3)}"
        return ", ".join(amount(axis, self.value_unit, 4) for axis in np.ravel(value).tolist())

    def rate(self, epsilon: float | str) -> float:
        """ε as a number per unit of distance, from a number or from a sentence.

        >>> from geopriv import Line
        >>> Line("USD").rate("1 per 10,000 USD")
        0.0001
        """
        return positive(
            type(self).__name__, "epsilon", self.read_rate(epsilon) if isinstance(epsilon, str) else epsilon
        )

    def read_rows(self, values: Any) -> tuple[FloatArray, tuple[int, ...]]:
        """One row of exact numbers a person, shape (n, d), and the shape of the values without their point axis.

        They are to be read only: of many floats they are the caller's own, where these are the exact numbers.

        Raises:
            OutOfDomain: where `read` does.
        """
        axes = len(self.point_shape)
        numbers = read_in_threads(self._read_exactly, values, axes, self.exact_as_given)
        return numbers.reshape(-1, self.dimension), numbers.shape[: numbers.ndim - axes]

    def _read_exactly(self, values: Any) -> FloatArray:
        """The numbers that people gave, checked: the points, but where float points are no longer exact."""
        return self.read(values)

    @property
    def shrink(self) -> float:
        """How long a distance is at least, as a share of what it is on the ground or between the values themselves."""
        return 1.0

    def holds(self, value: Any) -> bool:
        """Whether reading a public value leaves it where it is."""
        return True

    @property
    def inside(self) -> str:
        """The rule for public values that `holds` checks."""
        return f"a place of {self}"

    def read_public(self, value: Any) -> FloatArray:
        """The point of one public value: the floats nearest to the true ones."""
        return self.read(value)

    def public_point(self, owner: str, parameter: str, value: Any) -> FloatArray:
        """One public point (a centre, a threshold): its error may name the value."""
        try:
            point = self.read_public(value)
        except OutOfDomain as error:
            raise invalid(owner, parameter, f"a point ({str(error).rstrip('.')})", value) from None
        if point.shape != self.point_shape:
            raise invalid(owner, parameter, f"one point of {self}", value)
        return point

    def public_place(self, owner: str, parameter: str, value: Any) -> FloatArray:
        """One public point that is where its value says, and has not been moved into the space."""
        point = self.public_point(owner, parameter, value)
        if not self.holds(value):
            raise invalid(owner, parameter, self.inside, value)
        return point


class Axes(Space):
    """Points of R^d with the Euclidean distance: what lines, planes and R^d share."""

    flat: ClassVar[bool] = True

    @property
    def farthest(self) -> float:
        return np.inf

    @property
    def limits(self) -> tuple[FloatArray, FloatArray]:
        return np.full(self.dimension, -np.inf), np.full(self.dimension, np.inf)

    def random_direction(self, rng: np.random.Generator) -> FloatArray:
        direction = np.asarray(rng.standard_normal(self.point_shape))
        return np.asarray(direction / np.linalg.norm(direction))

    def walk(self, start: FloatArray, way: FloatArray, direction: FloatArray) -> FloatArray:
        return np.asarray(start + way.reshape(-1, *(1,) * len(self.point_shape)) * direction)

    def away(self, points: FloatArray, targets: FloatArray) -> FloatArray:
        return normalized((points - targets).reshape(len(points), self.dimension))

    def beside(self, points: FloatArray, way: float) -> FloatArray:
        odd = np.sqrt(np.arange(self.dimension) + 2.0)
        return np.asarray(points + (way * odd / np.linalg.norm(odd)).reshape(self.point_shape))

    def around(self, low: FloatArray, high: FloatArray, reach: float) -> tuple[FloatArray, FloatArray]:
        return low - reach, high + reach

    def enclose_distance(self, row: Sequence[float], point: Sequence[float]) -> arb:
        return length([a - b for a, b in zip(self.enclose(row), point, strict=True)])

    def distance_error(self, points: FloatArray, point: Sequence[float]) -> FloatArray:
        size = np.abs(points).sum(axis=1) + float(np.abs(point).sum())
        return np.asarray(ROUNDING * (self.dimension + 2) * size)


def normalized(vectors: FloatArray) -> FloatArray:
    """Vectors of shape (n, d) divided by their lengths; zero stays zero."""
    length = reduce(np.hypot, np.moveaxis(vectors, -1, 0))[..., None]  # several times faster than hypot.reduce
    return np.asarray(vectors / np.where(length == 0, 1.0, np.abs(length)))
