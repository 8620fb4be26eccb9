"""What a space is, and how values become numbers."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from geopriv.checks import FloatArray, invalid, positive
from geopriv.errors import InvalidParameter, OutOfDomain
from geopriv.frames import as_array

EXTENT = 2.0**40  # steps of the resolution that a flat space reaches on both sides of 0


class Space(ABC):
    """A metric space: it validates values, measures distances and reads rates in its own unit.

    With a `resolution` the space is a public finite set: `read` takes every value to the nearest recorded point, and
    promises are about the recorded points. That is what lets errors of floating point be charged to ε (theory T9).
    Without one, points are real numbers and what is computed from them is taken to be exact.
    """

    resolution: float | None = None
    geographic: ClassVar[bool] = False  # whether values are (latitude, longitude)

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

        >>> from geopriv import Line
        >>> Line("USD").distance([1.0, 2.0], 4.0)
        array([3., 2.])
        """
        return self.between(self.read(first), self.read(second))

    def rate(self, epsilon: float | str) -> float:
        """ε as a number per unit of distance, from a number or from a sentence.

        >>> from geopriv import Line
        >>> Line("USD").rate("1 per 10,000 USD")
        0.0001
        """
        return positive(
            type(self).__name__, "epsilon", self.read_rate(epsilon) if isinstance(epsilon, str) else epsilon
        )

    @property
    def exact(self) -> Self:
        """The same space of real numbers: nothing is snapped."""
        # every space with a resolution is a dataclass
        return self if self.resolution is None else replace(self, resolution=None)  # type: ignore[type-var]

    @property
    def extent(self) -> float:
        """The largest number in a recorded point, infinite without a resolution."""
        return math.inf if self.resolution is None else EXTENT * self.resolution

    @property
    def closest(self) -> float:
        """A lower bound on the distance between distinct recorded points; 0 without a resolution."""
        return self.resolution or 0.0

    @property
    def projection_error(self) -> float:
        """How far each axis of a point may be off beyond the last digit of a recorded number: 0 without projection."""
        return 0.0

    def public_point(self, owner: str, parameter: str, value: Any) -> FloatArray:
        """One public point (a centre, a threshold): never snapped, and its error may name the value."""
        try:
            point = self.exact.read(value)
        except OutOfDomain as error:
            raise InvalidParameter(
                f"The '{parameter}' parameter of {owner} is not a point. {error} Got {value!r}."
            ) from None
        if point.shape != self.point_shape:
            raise invalid(owner, parameter, f"one point of {self}", value)
        return point


def read_floats(space: Space, values: Any) -> FloatArray:
    """Finite numbers of any shape, or OutOfDomain without the value; of a table its columns."""
    points = _converted(as_array(values, space))
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


def read_vectors(space: Space, values: Any) -> FloatArray:
    """Finite vectors of shape (..., d), or OutOfDomain without the value."""
    points = read_floats(space, values)
    if points.ndim < 1 or points.shape[-1] != space.dimension:
        raise OutOfDomain(f"Values of {type(space).__name__} must have shape (..., {space.dimension}).")
    return points


def require_resolution(space: Space) -> None:
    """Refuse what is no resolution."""
    if (
        space.resolution is not None
        and not 1e-200 < positive(type(space).__name__, "resolution", space.resolution) < 1e200
    ):
        raise invalid(type(space).__name__, "resolution", "between 1e-200 and 1e200, or None", space.resolution)


def snapped(points: FloatArray, resolution: float | None) -> FloatArray:
    """Points at the nearest multiples of the resolution, at most 2^40 steps from 0; as they are without one."""
    if resolution is None:
        return points
    with np.errstate(over="ignore"):  # what is infinitely many steps away is clamped like everything far out
        steps = np.rint(points / resolution)
    return np.asarray(np.clip(steps, -EXTENT, EXTENT) * resolution)
