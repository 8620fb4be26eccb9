"""Those whose weighted sum is at least a value."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from geopriv.queries.base import Edged
from geopriv.queries.parameters import UNSET, direction, fill_space, linear, require_flat
from geopriv.shapes.coordinates import Coordinate
from geopriv.shapes.profiles import Profile, Ramp
from geopriv.spaces import Space
from geopriv.spaces.checks import finite, positive
from geopriv.spaces.notes import Positive, Vector


@dataclass(frozen=True)
class Score(Edged):
    """The share of people whose weighted sum is at least a value, {x : ⟨weights, x⟩ ≥ at}.

    Args:
        weights: any vector but zero; its length does not matter.
        at: in the units of ⟨weights, x⟩. (On a LocalPlane x is in metres east and north of the middle.)
        width: over which counting fades, as a distance.
        space: of as many axes.
    """

    edge_name: ClassVar[str] = "the line"

    weights: Vector
    at: float
    width: Positive
    space: Space = UNSET

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", direction("Score", "weights", self.weights))
        fill_space(self, len(self.weights))
        require_flat(self, len(self.weights))
        finite("Score", "at", self.at)
        positive("Score", "width", self.width)

    @cached_property
    def geometry(self) -> Coordinate:
        return linear(self.weights, -self.at, self.space)

    @property
    def plain_set(self) -> Coordinate:
        return linear(tuple(-weight for weight in self.weights), self.at, self.space)

    @cached_property
    def profile(self) -> Profile:
        return Ramp(self.width)
