"""Any shape of a distance."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from geopriv.queries.base import Centered
from geopriv.queries.parameters import radial, require_profile, set_center
from geopriv.shapes.coordinates import Coordinate
from geopriv.shapes.profiles import Profile
from geopriv.spaces import Space


@dataclass(frozen=True, init=False)
class RadialQuery(Centered):
    """Any profile of the distance to a place: f(x) = profile(dist(x, center)).

    Args:
        center: a point; (latitude, longitude) on Earth and on a LocalPlane.
        profile: in the unit of distance.
        space: where the centre lives.

    Reference: paper, Lemma 4.5 (functions of a distance).
    """

    center: tuple[float, ...] | float
    profile_of_distance: Profile
    space: Space

    def __init__(self, center: Any, profile: Profile, space: Space | None = None) -> None:
        object.__setattr__(self, "center", center)
        object.__setattr__(self, "profile_of_distance", require_profile("RadialQuery", profile))
        object.__setattr__(self, "space", space)
        set_center(self)

    @cached_property
    def geometry(self) -> Coordinate:
        return radial(self, offset=0.0)

    @cached_property
    def profile(self) -> Profile:
        return self.profile_of_distance
