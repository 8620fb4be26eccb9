"""The plane and R^d."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Annotated, Any, ClassVar

import numpy as np

from geopriv.device.reading import AXES
from geopriv.spaces.base import Axes, Space
from geopriv.spaces.checks import FloatArray, count
from geopriv.spaces.notes import Note
from geopriv.spaces.reading import read_vectors, require_unit
from geopriv.spaces.units import read_rate


class Vectors(Space):
    """Points that are vectors of numbers; what every space but the lines shares."""

    @property
    def point_shape(self) -> tuple[int, ...]:
        return (self.dimension,)

    def read_rate(self, sentence: str) -> float:
        return read_rate(sentence, self.distance_unit)


class Flat(Vectors, Axes):
    """Points of R^d with the Euclidean distance; what Plane, Euclidean and LocalPlane share."""

    def between(self, first: FloatArray, second: FloatArray) -> FloatArray:
        # hypot keeps far points from overflowing and near points from underflowing (hypot.reduce is much slower)
        return np.asarray(reduce(np.hypot, np.moveaxis(np.abs(first - second), -1, 0)))


class _Plain(Flat):
    """Values that are their own points; what Plane and Euclidean share."""

    exact_as_given: ClassVar[bool] = True

    def read(self, values: Any) -> FloatArray:
        return read_vectors(self, values)

    def values(self, points: FloatArray) -> FloatArray:
        return points


@dataclass(frozen=True)
class Plane(_Plain):
    """The plane with the Euclidean distance.

    Args:
        unit: what one unit of length is called, by default metres.
    """

    unit: str | None = "m"

    word: ClassVar[str] = "plane"

    def __post_init__(self) -> None:
        require_unit(self)

    @property
    def dimension(self) -> int:
        return 2

    @property
    def distance_unit(self) -> str | None:
        return self.unit


@dataclass(frozen=True)
class Euclidean(_Plain):
    """R^d with the Euclidean distance, for any d ≥ 1 (values have shape (..., d) even for d = 1).

    Args:
        axes: the dimension d.
        unit: what one unit of distance is called.
    """

    axes: Annotated[int, Note(minimum=1, maximum=AXES)]
    unit: str | None = None

    word: ClassVar[str] = "euclidean"

    def __post_init__(self) -> None:
        count("Euclidean", "axes", self.axes)
        require_unit(self)

    @property
    def dimension(self) -> int:
        return self.axes

    @property
    def distance_unit(self) -> str | None:
        return self.unit


def default_space(dimension: int) -> Space:
    """The space without a unit in which a point of that many numbers lives."""
    return Plane(unit=None) if dimension == 2 else Euclidean(dimension)
