"""Any shape of a linear score."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from geopriv.queries.base import Query
from geopriv.queries.parameters import direction, linear, require_flat, require_profile
from geopriv.shapes.coordinates import Coordinate
from geopriv.shapes.profiles import Profile
from geopriv.spaces import Space, default_space
from geopriv.spaces.checks import finite
from geopriv.spaces.notes import Vector


@dataclass(frozen=True, init=False)
class LinearQuery(Query):
    """Any profile of a linear score: f(x) = profile(intercept + ⟨weights, x⟩).

    Args:
        weights: any vector but zero.
        profile: in units of the score. (The query's own `profile` is this one in units of distance.)
        intercept: added to the score.
        space: of as many axes.

    Reference: paper, Lemma 4.8 (functions of a linear form).

    >>> from geopriv.shapes import Ramp
    >>> LinearQuery((3.0, 4.0), Ramp(width=10.0))([(0, 0), (1, 0.25), (3, 4)])
    array([0.5, 0.9, 1. ])
    """

    edge_name: ClassVar[str] = "the line"

    weights: Vector
    profile_of_score: Profile
    intercept: float
    space: Space

    def __init__(self, weights: Any, profile: Profile, intercept: float = 0.0, space: Space | None = None) -> None:
        vector = direction("LinearQuery", "weights", weights)
        object.__setattr__(self, "weights", vector)
        object.__setattr__(self, "profile_of_score", require_profile("LinearQuery", profile))
        object.__setattr__(self, "intercept", finite("LinearQuery", "intercept", intercept))
        object.__setattr__(self, "space", default_space(len(vector)) if space is None else space)
        require_flat(self, len(vector))

    @cached_property
    def geometry(self) -> Coordinate:
        return linear(self.weights, self.intercept, self.space)

    @cached_property
    def profile(self) -> Profile:
        return self.profile_of_score.stretched(math.hypot(*self.weights))
