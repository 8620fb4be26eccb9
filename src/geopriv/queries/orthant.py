"""Those above a value on every axis."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from geopriv.queries.base import Edged
from geopriv.queries.parameters import UNSET, fill_space, public_place, require_flat
from geopriv.shapes.coordinates import Coordinate, Quadrant
from geopriv.shapes.profiles import Profile, Ramp
from geopriv.spaces import Space
from geopriv.spaces.checks import numbers, positive
from geopriv.spaces.notes import Positive, Vector
from geopriv.spaces.words import amount


@dataclass(frozen=True)
class Orthant(Edged):
    """The share of people above a threshold on every axis at once (the paper's two-way threshold, in any dimension).

    The band of width τ has round corners: with R1 = τ/√2 and corner c0 = at + τ/2 + R1, counting falls from 1 to 0 as
    the signed distance to {p ≥ c0} goes from R1 to R1 + τ. One formula replaces the paper's ten regions.

    Args:
        at: one threshold per axis; on a LocalPlane a place (latitude, longitude), and "above" is east and north of it.
        width: of the band.
        space: of as many axes.

    Reference: paper, section 4.2; docs/theory/coordinates.md.
    """

    at: Vector
    width: Positive
    space: Space = UNSET

    def __post_init__(self) -> None:
        object.__setattr__(self, "at", numbers("Orthant", "at", self.at))
        fill_space(self, len(self.at))
        require_flat(self)
        public_place(self, "at", self.at)
        positive("Orthant", "width", self.width)

    def words(self, name: str) -> str:
        if self.space.geographic:
            return super().words(name)
        every = " and ".join(amount(at, self.space.value_unit) for at in self.at)
        return f"are at or above {every}, on every axis at once"

    @property
    def _round(self) -> float:
        return self.width / math.sqrt(2.0)

    @cached_property
    def geometry(self) -> Coordinate:
        corner = public_place(self, "at", self.at) + self.width / 2 + self._round
        return Quadrant(self.space, tuple(corner.tolist()))

    @property
    def plain_set(self) -> Coordinate:
        return Quadrant(self.space, tuple(public_place(self, "at", self.at).tolist()))

    @cached_property
    def profile(self) -> Profile:
        return Ramp(self.width, center=self._round + self.width / 2, rising=False)
