"""The globe."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from geopriv.device.spaces import LARGEST_RADIUS
from geopriv.errors import OutOfDomain
from geopriv.spaces.balls import angle, arb, unit_vector
from geopriv.spaces.base import normalized
from geopriv.spaces.bounded import ROUNDING
from geopriv.spaces.checks import FloatArray, positive
from geopriv.spaces.flat import Vectors
from geopriv.spaces.notes import Note
from geopriv.spaces.reading import read_vectors

Radius = Annotated[float, Note(exclusiveMinimum=0, maximum=LARGEST_RADIUS)]  # devices take no larger one


@dataclass(frozen=True)
class Earth(Vectors):
    """The sphere with great-circle distances in metres; values are (latitude, longitude) in degrees.

    Distances are measured on the ground, never on a map: a Mercator metre is not a metre (theory E11).

    Args:
        radius: of the sphere in metres, by default the mean radius of the Earth (IUGG).

    >>> float(Earth().distance((40.7, -74.0), (40.7, -73.9)).round())
    8430.0
    """

    radius: Radius = 6_371_008.8

    geographic: ClassVar[bool] = True

    def __post_init__(self) -> None:
        positive("Earth", "radius", self.radius)

    @property
    def dimension(self) -> int:
        return 2

    @property
    def distance_unit(self) -> str:
        return "m"

    @property
    def farthest(self) -> float:
        return math.pi * self.radius

    @property
    def limits(self) -> tuple[FloatArray, FloatArray]:
        return np.array([-90.0, -180.0]), np.array([90.0, 360.0])

    def read(self, values: Any) -> FloatArray:
        points = read_vectors(self, values)
        latitude, longitude = points[..., 0], points[..., 1]
        if (np.abs(latitude) > 90).any():
            raise OutOfDomain("Latitudes on Earth must lie in [-90, 90].")
        if ((longitude < -180) | (longitude > 360)).any():
            raise OutOfDomain("Longitudes on Earth must lie in [-180, 360].")
        return np.stack([latitude, np.where(longitude >= 180, longitude - 360, longitude)], axis=-1)

    def values(self, points: FloatArray) -> FloatArray:
        return points

    def between(self, first: FloatArray, second: FloatArray) -> FloatArray:
        # Kahan's angle between unit vectors: accurate for close points and for antipodes, unlike haversine or acos.
        a, b = unit_vectors(first), unit_vectors(second)
        return np.asarray(self.radius * 2 * np.arctan2(np.linalg.norm(a - b, axis=-1), np.linalg.norm(a + b, axis=-1)))

    def away(self, points: FloatArray, targets: FloatArray) -> FloatArray:
        """Tangent vectors (north, east)."""
        up, north, east = self.frame(points)
        there = unit_vectors(targets)
        towards = np.stack([(north * there).sum(axis=-1), (east * there).sum(axis=-1)], axis=-1)
        # at the target and at its antipode only rounding errors are left
        apart = np.linalg.norm(np.cross(up, there), axis=-1, keepdims=True)
        return -normalized(np.where(apart > 1e-14, towards, 0.0))

    def beside(self, points: FloatArray, way: float) -> FloatArray:
        return self.move(points, np.full(len(points), way), np.full(len(points), 0.7391))

    def random_direction(self, rng: np.random.Generator) -> FloatArray:
        return np.asarray(rng.uniform(0, 2 * np.pi))

    def walk(self, start: FloatArray, way: FloatArray, direction: FloatArray) -> FloatArray:
        return self.move(np.broadcast_to(start, (way.size, 2)), way, np.full(way.size, direction))

    @property
    def marks(self) -> tuple[tuple[str, Any], ...]:
        return ("the north pole", (90.0, 0.0)), ("the antimeridian", (0.0, 180.0)), ("the south pole", (-90.0, 0.0))

    def around(self, low: FloatArray, high: FloatArray, reach: float) -> tuple[FloatArray, FloatArray]:
        up = np.degrees(reach / self.radius)
        aside = up / max(float(np.cos(np.radians(np.abs([low[0], high[0]]).max()))), 1e-3)
        way = np.minimum([up, aside], [90.0, 180.0])
        return np.maximum(low - way, self.limits[0]), np.minimum(high + way, self.limits[1])

    def enclose_distance(self, row: Sequence[float], point: Sequence[float]) -> arb:
        return self.radius * angle(unit_vector(row), unit_vector(point))

    def distance_error(self, points: FloatArray, point: Sequence[float]) -> FloatArray:
        # unit vectors to 8 roundings, their sum and difference, and an angle of at most π
        return np.full(len(points), 64 * ROUNDING * self.radius)

    def frame(self, points: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The unit vectors up, north and east at each point, shape (..., 3)."""
        latitude, longitude = np.radians(points[..., 0]), np.radians(points[..., 1])
        east = np.stack([-np.sin(longitude), np.cos(longitude), np.zeros_like(longitude)], axis=-1)
        north = np.stack(
            [-np.sin(latitude) * np.cos(longitude), -np.sin(latitude) * np.sin(longitude), np.cos(latitude)], axis=-1
        )
        return unit_vectors(points), north, east

    def move(self, points: FloatArray, distance: FloatArray, bearing: FloatArray) -> FloatArray:
        """Points reached by going `distance` metres along great circles that start at `bearing` radians from north.

        The result is the position on the globe, whatever number of turns the distance makes.
        """
        up, north, east = self.frame(points)
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
