"""Those near a place."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import shapely

from geopriv.queries.base import Centered, Edged
from geopriv.queries.parameters import UNSET, radial, set_center
from geopriv.shapes.coordinates import Coordinate
from geopriv.shapes.profiles import Profile, Ramp
from geopriv.spaces import Space
from geopriv.spaces.checks import invalid, positive
from geopriv.spaces.notes import Positive


@dataclass(frozen=True)
class Ball(Centered, Edged):
    """The share of people within `radius` of a place: 1/2 on the circle, linear over `width` across it.

    Args:
        center: a point; (latitude, longitude) on Earth and on a LocalPlane.
        radius: in the unit of distance.
        width: over which counting fades; at most 2·radius.
        space: where the centre lives.

    >>> from geopriv import Earth
    >>> Ball(center=(40.7, -74.0), radius=1000, width=200, space=Earth())([(40.7, -74.0), (40.8, -74.0)])
    array([1., 0.])
    """

    center: tuple[float, ...] | float
    radius: Positive
    width: Positive
    space: Space = UNSET

    def __post_init__(self) -> None:
        set_center(self)
        positive("Ball", "radius", self.radius)
        if positive("Ball", "width", self.width) > 2 * self.radius:
            raise invalid("Ball", "width", f"at most 2·radius = {2 * self.radius!r}", self.width)

    def words(self, name: str) -> str:
        return f"are within {self.space.distance_words(self.radius)} of {self.space.place_words(self.center)}"

    @property
    def region(self) -> shapely.Geometry | None:
        if not (self.space.flat and self.space.dimension == 2):
            return None
        return shapely.Point(self.geometry.anchor).buffer(self.radius, quad_segs=32)

    @cached_property
    def geometry(self) -> Coordinate:
        return radial(self, offset=self.radius)

    @property
    def plain_set(self) -> Coordinate:
        return self.geometry

    @cached_property
    def profile(self) -> Profile:
        return Ramp(self.width, rising=False)
