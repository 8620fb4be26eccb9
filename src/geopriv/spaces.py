"""Where private values live: a metric, its unit, and how values are read.

A space turns *values* (what a person holds) into *points* (checked float arrays on which the metric is computed).
On a Line the two are the same; on a LogLine a point is the logarithm of a value. Everything that follows (queries,
mechanisms) computes on points, so a value is read and checked exactly once.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from geopriv.checks import FloatArray, count, finite, invalid, positive
from geopriv.errors import InvalidParameter, OutOfDomain
from geopriv.units import read_factor_rate, read_rate


class Space(ABC):
    """A metric space: it validates values, measures distances and reads rates in its own unit."""

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
    def read_rate(self, sentence: str) -> float:
        """A rate per unit of distance from a sentence such as "1 per 1 km"."""

    def distance(self, first: Any, second: Any) -> FloatArray:
        """Distances between values.

        >>> Line("USD").distance([1.0, 2.0], 4.0)
        array([3., 2.])
        """
        return self.between(self.read(first), self.read(second))

    def rate(self, epsilon: float | str) -> float:
        """ε as a number per unit of distance, from a number or from a sentence.

        >>> Line("USD").rate("1 per 10,000 USD")
        0.0001
        """
        return positive(
            type(self).__name__, "epsilon", self.read_rate(epsilon) if isinstance(epsilon, str) else epsilon
        )

    def public_point(self, owner: str, parameter: str, value: Any) -> FloatArray:
        """One public point (a centre, a threshold): like `read`, but its error may name the value."""
        try:
            point = self.read(value)
        except OutOfDomain as error:
            raise InvalidParameter(
                f"The '{parameter}' parameter of {owner} is not a point. {error} Got {value!r}."
            ) from None
        if point.shape != self.point_shape:
            raise invalid(owner, parameter, f"one point of {self}", value)
        return point


class _Scalars(Space):
    """Points that are plain numbers with |x − x'|; what Line and LogLine share."""

    @property
    def dimension(self) -> int:
        return 1

    @property
    def point_shape(self) -> tuple[int, ...]:
        return ()

    def between(self, first: FloatArray, second: FloatArray) -> FloatArray:
        return np.abs(first - second)


@dataclass(frozen=True)
class Line(_Scalars):
    """The real line with |x − x'|.

    Args:
        unit: what one unit of x is called ("USD", "years", "m"), so that rates can be stated in words.
    """

    unit: str | None = None

    @property
    def distance_unit(self) -> str | None:
        return self.unit

    def read(self, values: Any) -> FloatArray:
        return _floats(self, values)

    def values(self, points: FloatArray) -> FloatArray:
        return points

    def read_rate(self, sentence: str) -> float:
        return read_rate(sentence, self.unit)


@dataclass(frozen=True)
class LogLine(_Scalars):
    """Positive numbers with |log x − log x'|: privacy for ratios instead of differences (the paper's footnote).

    Values below the public `floor` (zero and negative ones too) are read as the floor: dropping or flagging them would
    leak. The guarantee is therefore stated in the clamped metric, in which they are all the same point.

    Args:
        base: one unit of distance is a factor of `base`.
        floor: the smallest value that is told apart, public.
        unit: what one unit of x is called.

    >>> space = LogLine(base=2)
    >>> space.distance(1000, 4000), space.rate("1 per factor 2")
    (np.float64(2.0), 1.0)
    """

    base: float = 2.0
    floor: float = 1.0
    unit: str | None = None

    def __post_init__(self) -> None:
        if not (finite("LogLine", "base", self.base) > 1):
            raise invalid("LogLine", "base", "greater than 1", self.base)
        positive("LogLine", "floor", self.floor)

    @property
    def distance_unit(self) -> str:
        return f"factor {self.base:g}"

    def read(self, values: Any) -> FloatArray:
        clamped: FloatArray = np.maximum(_floats(self, values), self.floor)
        return np.log(clamped) / math.log(self.base)

    def values(self, points: FloatArray) -> FloatArray:
        return np.exp(points * math.log(self.base))

    def read_rate(self, sentence: str) -> float:
        return read_factor_rate(sentence, self.base)


class _Vectors(Space):
    """Points that are vectors of numbers; what Plane, Euclidean and Earth share."""

    @property
    def point_shape(self) -> tuple[int, ...]:
        return (self.dimension,)

    def values(self, points: FloatArray) -> FloatArray:
        return points

    def read_rate(self, sentence: str) -> float:
        return read_rate(sentence, self.distance_unit)


class _Flat(_Vectors):
    """R^d with the Euclidean distance; what Plane and Euclidean share."""

    def read(self, values: Any) -> FloatArray:
        return _vectors(self, values)

    def between(self, first: FloatArray, second: FloatArray) -> FloatArray:
        # hypot keeps far points from overflowing and near points from underflowing
        return np.asarray(np.hypot.reduce(np.abs(first - second), axis=-1, initial=0.0))


@dataclass(frozen=True)
class Plane(_Flat):
    """The plane with the Euclidean distance.

    Args:
        unit: what one unit of length is called, by default metres.
    """

    unit: str | None = "m"

    @property
    def dimension(self) -> int:
        return 2

    @property
    def distance_unit(self) -> str | None:
        return self.unit


@dataclass(frozen=True)
class Euclidean(_Flat):
    """R^d with the Euclidean distance, for any d ≥ 1 (values have shape (..., d) even for d = 1).

    Args:
        axes: the dimension d.
        unit: what one unit of distance is called.
    """

    axes: int
    unit: str | None = None

    def __post_init__(self) -> None:
        count("Euclidean", "axes", self.axes)

    @property
    def dimension(self) -> int:
        return self.axes

    @property
    def distance_unit(self) -> str | None:
        return self.unit


@dataclass(frozen=True)
class Earth(_Vectors):
    """The sphere with great-circle distances in metres; values are (latitude, longitude) in degrees.

    Distances are measured on the ground, never on a map: a Mercator metre is not a metre (theory E11).

    Args:
        radius: of the sphere in metres, by default the mean radius of the Earth (IUGG).

    >>> float(Earth().distance((40.7, -74.0), (40.7, -73.9)).round())
    8430.0
    """

    radius: float = 6_371_008.8

    def __post_init__(self) -> None:
        positive("Earth", "radius", self.radius)

    @property
    def dimension(self) -> int:
        return 2

    @property
    def distance_unit(self) -> str:
        return "m"

    def read(self, values: Any) -> FloatArray:
        points = _vectors(self, values)
        latitude, longitude = points[..., 0], points[..., 1]
        if (np.abs(latitude) > 90).any():
            raise OutOfDomain("Latitudes on Earth must lie in [-90, 90].")
        if ((longitude < -180) | (longitude > 360)).any():
            raise OutOfDomain("Longitudes on Earth must lie in [-180, 360].")
        return np.stack([latitude, np.where(longitude >= 180, longitude - 360, longitude)], axis=-1)

    def between(self, first: FloatArray, second: FloatArray) -> FloatArray:
        # Kahan's angle between unit vectors: accurate for close points and for antipodes, unlike haversine or acos.
        a, b = unit_vectors(first), unit_vectors(second)
        return np.asarray(self.radius * 2 * np.arctan2(np.linalg.norm(a - b, axis=-1), np.linalg.norm(a + b, axis=-1)))

    def move(self, points: FloatArray, distance: FloatArray, bearing: FloatArray) -> FloatArray:
        """Points reached by going `distance` metres along great circles that start at `bearing` radians from north.

        The result is the position on the globe, whatever number of turns the distance makes.
        """
        latitude, longitude = np.radians(points[..., 0]), np.radians(points[..., 1])
        up = unit_vectors(points)
        east = np.stack([-np.sin(longitude), np.cos(longitude), np.zeros_like(longitude)], axis=-1)
        north = np.stack(
            [-np.sin(latitude) * np.cos(longitude), -np.sin(latitude) * np.sin(longitude), np.cos(latitude)], axis=-1
        )
        angle = np.asarray(distance / self.radius)[..., None]
        heading = np.cos(bearing)[..., None] * north + np.sin(bearing)[..., None] * east
        x, y, z = np.moveaxis(np.cos(angle) * up + np.sin(angle) * heading, -1, 0)
        return np.stack([np.degrees(np.arctan2(z, np.hypot(x, y))), np.degrees(np.arctan2(y, x))], axis=-1)


def unit_vectors(points: FloatArray) -> FloatArray:
    """(latitude, longitude) in degrees as unit vectors of R³, shape (..., 3)."""
    latitude, longitude = np.radians(points[..., 0]), np.radians(points[..., 1])
    return np.stack(
        [np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)], axis=-1
    )


def default_space(dimension: int) -> Space:
    """The space without a unit in which a point of that many numbers lives."""
    return Plane(unit=None) if dimension == 2 else Euclidean(dimension)


def _floats(space: Space, values: Any) -> FloatArray:
    points = _converted(values)
    # raised here and not while the conversion error, which quotes the value, is being handled
    if points is None:
        raise OutOfDomain(f"Values of {type(space).__name__} must be real numbers.")
    if not np.isfinite(points).all():
        raise OutOfDomain(f"Values of {type(space).__name__} must be finite.")
    return points


def _converted(values: Any) -> FloatArray | None:
    """Float64 values, masked ones as not-a-number; None where there is no number."""
    try:
        array = np.asarray(values)
        text = array.dtype.kind == "O" and any(isinstance(value, str | bytes) for value in array.flat)
        if text or array.dtype.kind not in "iufO":
            return None
        points = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        return None
    if isinstance(values, np.ma.MaskedArray):
        points[np.ma.getmaskarray(values)] = np.nan
    return points


def _vectors(space: Space, values: Any) -> FloatArray:
    points = _floats(space, values)
    if points.ndim < 1 or points.shape[-1] != space.dimension:
        raise OutOfDomain(f"Values of {type(space).__name__} must have shape (..., {space.dimension}).")
    return points
