"""A map of one region of the globe that never makes a distance longer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from geopriv.device.maps import middle_of, nearest_floats, projected, rectangle_of
from geopriv.device.values import on_globe
from geopriv.spaces.balls import arb
from geopriv.spaces.bounded import Bounded
from geopriv.spaces.checks import (
    FloatArray,
    finite,
    invalid,
    positive,
)
from geopriv.spaces.earth import Earth, Radius
from geopriv.spaces.flat import Flat

if TYPE_CHECKING:
    import shapely


@dataclass(frozen=True)
class LocalPlane(Flat):
    """A region of the Earth as a flat map in metres; values are (latitude, longitude) in degrees.

    The map is the orthographic projection P at the middle of the region: unit vectors are dropped onto the tangent
    plane there, and a point is (metres east, metres north) of the middle. Then it is clamped to the smallest rectangle
    of the map that holds the whole region, so that people elsewhere are read at its border and nobody is turned away.

    Guarantee: neither step makes a distance longer. ‖P u − P v‖ ≤ ‖u − v‖ (a chord) ≤ the great-circle distance, on
    the whole sphere, and going to the nearest point of a convex set is 1-Lipschitz. So whatever is ε-GP in metres on
    the map is ε-GP in metres on the ground, for every two people on Earth, and ε need not be divided by a scale.

    Within the region a distance on the map is shorter than on the ground by a factor of at least `shrink`: along the
    direction to the middle it is cos c at the angular distance c, across it 1. The far side of the globe is folded
    onto the near one, as every continuous map of the sphere must fold it: people near the antipode of the region are
    read inside it, and everyone else outside it at its border.

    Args:
        south: lowest latitude of the region.
        west: its western end; longitudes are in [-180, 360].
        north: highest latitude.
        east: its eastern end; less than `west` for a region across the antimeridian.
        radius: of the sphere in metres, by default the mean radius of the Earth (IUGG).

    Raises:
        InvalidParameter: for a region without area, or that reaches farther than 45° from its middle.

    >>> city = LocalPlane(south=40.5, west=-74.3, north=40.95, east=-73.65)
    >>> city.read((40.7, -74.0)).round(1), round(city.shrink, 6)
    (array([-2107.5, -2779.6]), 0.999983)
    """

    south: float
    west: float
    north: float
    east: float
    radius: Radius = Earth().radius

    word: ClassVar[str] = "map"
    geographic: ClassVar[bool] = True
    irrational: ClassVar[bool] = True
    REACH: ClassVar[float] = 60.0  # degrees from the middle for what is public: farther out a map says little
    REGION: ClassVar[float] = 45.0  # degrees from the middle for the region itself

    def __post_init__(self) -> None:
        for name, limit in (("south", 90.0), ("north", 90.0), ("west", 360.0), ("east", 360.0)):
            low = -min(limit, 180.0)
            if not low <= finite("LocalPlane", name, getattr(self, name)) <= limit:
                raise invalid("LocalPlane", name, f"degrees in [{low:g}, {limit:g}]", getattr(self, name))
        positive("LocalPlane", "radius", self.radius)
        if not self.south < self.north:
            raise invalid("LocalPlane", "north", f"greater than south = {self.south!r}", self.north)
        if not 0 < self._half_turn < math.radians(2 * self.REGION):
            raise invalid("LocalPlane", "east", f"east of west = {self.west!r} by less than 180°", self.east)
        if not math.hypot(*self._corner) <= self.radius * math.sin(math.radians(self.REGION)):
            rule = f"such that the region ends within {self.REGION:g}° of its middle"
            raise invalid("LocalPlane", "north", rule, self)

    @property
    def dimension(self) -> int:
        return 2

    @property
    def distance_unit(self) -> str:
        return "m"

    @property
    def middle(self) -> tuple[float, float]:
        """(latitude, longitude) where the map touches the globe."""
        return middle_of(self.south, self.west, self.north, self.east)

    @cached_property
    def shrink(self) -> float:
        """The least ratio of map to ground distance in the region: cos c at its farthest point from the middle."""
        return math.sqrt(1 - (math.hypot(*self._corner) / self.radius) ** 2)

    @cached_property
    def rectangle(self) -> tuple[FloatArray, FloatArray]:
        """The lowest and the highest corner of the region on the map, in metres: the floats that devices have."""
        low, high = rectangle_of(self.south, self.west, self.north, self.east, self.radius)
        return np.array(low), np.array(high)

    @property
    def limits(self) -> tuple[FloatArray, FloatArray]:
        return self.rectangle

    def read(self, values: Any) -> FloatArray:
        return self._clamped(self._projected(self.globe.read(values)))

    def values(self, points: FloatArray) -> FloatArray:
        x, y = np.moveaxis(np.asarray(points) / self.radius, -1, 0)
        rim = np.maximum(np.hypot(x, y), 1.0)  # beyond the rim of the projection the rim
        x, y = x / rim, y / rim
        up = np.sqrt(np.maximum(1 - x**2 - y**2, 0.0))
        latitude, longitude = np.radians(self.middle)
        axis = np.hypot(x, np.cos(latitude) * up - np.sin(latitude) * y)
        turn = np.arctan2(x, np.cos(latitude) * up - np.sin(latitude) * y)
        north = np.arctan2(np.cos(latitude) * y + np.sin(latitude) * up, axis)
        east = (np.degrees(longitude + turn) + 180) % 360 - 180
        return np.stack([np.degrees(north), east], axis=-1)

    def _read_exactly(self, values: Any) -> FloatArray:
        return self.globe.read(values)  # latitudes and longitudes: float projections are no longer exact

    def enclose(self, row: Sequence[float]) -> list[arb]:
        """The orthographic projection at the middle, whose degrees are exact numbers, clamped to the floats' rectangle.

        A projection at any middle and a clamp to any rectangle make no distance longer: their floats need not be right.
        """
        degrees = arb(row[0]), arb(self.middle[0]), arb(row[1]) - self.middle[1]
        (up, out), (middle_up, middle_out), (sine, cosine) = ((angle / 180).sin_cos_pi() for angle in degrees)
        east, north = out * sine, middle_out * up - middle_up * out * cosine
        low, high = self.rectangle
        axes = zip((east, north), low.tolist(), high.tolist(), strict=True)
        return [(self.radius * along).max(a).min(b) for along, a, b in axes]

    def bounded(self, rows: FloatArray) -> Bounded:
        """The map in floats, of which each number may be off by 512u·R, u = 2^-53, the rectangle's included.

        Elementary functions are taken to be right to 32u. In radians φ is off by 5u
        and the turn from the middle, of at most 2π, by 25u, so a sine or cosine by up to 57u. East is off by 96u;
        north, a sine of φ − φ₀ and twice a product of four factors, by 45u + 334u.
        """
        return Bounded(self.read(rows), np.broadcast_to(2.0**-44 * self.radius, rows.shape))

    def read_public(self, value: Any) -> FloatArray:
        return self._clamped(self.project(value))

    def project(self, values: Any) -> FloatArray:
        """Points on the map, not clamped, of public places such as the corners of a polygon.

        They are the floats nearest to the true ones, in whole-number arithmetic: the same on every machine.
        """
        places = self.globe.read(values)
        points = [_public_point(self.radius, self.middle, *place) for place in places.reshape(-1, 2).tolist()]
        return np.array(points).reshape(places.shape)

    def unproject(self, points: Any) -> FloatArray:
        """(latitude, longitude) in degrees of points on the map, (metres east, metres north): the inverse of `project`.

        To about 1e-8 m near the middle and 1e-6 m 60° from it.

        Raises:
            InvalidParameter: for what are no points, or lie beyond the rim of the projection, where there is no place.

        >>> city = LocalPlane(south=40.5, west=-74.3, north=40.95, east=-73.65)
        >>> city.unproject(city.project((40.7, -74.0))).round(9)
        array([ 40.7, -74. ])
        """
        given = np.asarray(points, dtype=np.float64)
        inside = given.shape[-1:] == (2,) and bool((np.hypot(given[..., 0], given[..., 1]) <= self.radius).all())
        if not inside:
            rule = "(metres east, metres north), no farther from the middle than the radius of the sphere"
            raise invalid("LocalPlane.unproject", "points", rule, given.shape)
        return self.values(given)

    def in_degrees(self, shape: shapely.Geometry) -> shapely.Geometry:
        """The inverse of `on_map`, corner by corner; cut in two where it crosses the antimeridian (RFC 7946, 3.1.9)."""
        import shapely

        from geopriv.spaces.polygons import on_one_turn

        def places(points: FloatArray) -> FloatArray:
            latitude, longitude = self.unproject(points).T
            # longitudes go on beyond 180° rather than jump
            return np.stack([self.middle[1] + (longitude - self.middle[1] + 180) % 360 - 180, latitude], axis=-1)

        return on_one_turn(shapely.transform(shape, places))

    def _projected(self, positions: FloatArray) -> FloatArray:
        latitude, longitude = np.moveaxis(positions, -1, 0)
        phi, turn = np.radians(latitude), np.radians(longitude - self.middle[1])
        return np.stack([self.radius * np.cos(phi) * np.sin(turn), self._north(phi, turn)], axis=-1)

    def _clamped(self, points: FloatArray) -> FloatArray:
        return np.clip(points, *self.rectangle)

    def holds(self, value: Any) -> bool:
        """Whether a public place lies in the region's rectangle on the near side of the globe."""
        if not self.in_front(value):
            return False
        place = self.project(value)
        return bool((np.abs(place - self._clamped(place)) <= 1e-6).all())

    @property
    def inside(self) -> str:
        return f"a place in the region of {self}"

    def in_front(self, values: Any) -> bool:
        """Whether public places all lie within 60° of the middle."""
        angle = self.globe.distance(values, self.middle) / self.radius
        return bool((angle <= math.radians(self.REACH)).all())

    @property
    def marks(self) -> tuple[tuple[str, Any], ...]:
        corners = (tuple(self.values(corner).tolist()) for corner in self.rectangle)
        words = ("a corner of the region", "another corner of the region")
        return *zip(words, corners, strict=True), *self.globe.marks

    def on_map(self, shape: shapely.Geometry) -> shapely.Geometry | None:
        import shapely

        def places(lonlat: FloatArray) -> FloatArray:
            return np.stack([lonlat[:, 1], (lonlat[:, 0] + 180) % 360 - 180], axis=-1)

        if not self.in_front(places(shapely.get_coordinates(shape))):
            return None
        return shapely.transform(shape, lambda lonlat: self.project(places(lonlat)))

    @property
    def ground(self) -> Earth:
        return self.globe

    @property
    def globe(self) -> Earth:
        """The sphere on which positions are, before they are projected."""
        return Earth(self.radius)

    @property
    def _half_turn(self) -> float:
        """Half of the longitudes, in radians."""
        return math.radians((self.east - self.west) % 360) / 2

    @property
    def _corner(self) -> tuple[float, float]:
        low, high = self.rectangle
        return float(high[0]), float(np.maximum(-low[1], high[1]))

    def _north(self, phi: FloatArray, turn: FloatArray) -> FloatArray:
        # as a sine of the difference, so that close to the middle no digits cancel
        middle = math.radians(self.middle[0])
        return np.asarray(
            self.radius * (np.sin(phi - middle) + 2 * math.sin(middle) * np.cos(phi) * np.sin(turn / 2) ** 2)
        )


@lru_cache(maxsize=1 << 14)
def _public_point(radius: float, middle: tuple[float, float], latitude: float, longitude: float) -> tuple[float, ...]:
    """Kept, because it is public: a polygon that is asked about twice is projected once."""
    value = on_globe((Fraction(latitude), Fraction(longitude)))
    return nearest_floats(lambda bits: projected(radius, middle, value, bits))
