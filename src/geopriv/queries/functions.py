"""Queries that are a function of a distance, of a linear score, or of anything Lipschitz."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from geopriv.queries.base import Centered, Query
from geopriv.queries.parameters import (
    UNSET,
    direction,
    linear,
    radial,
    require_flat,
    require_profile,
    require_space,
    set_center,
)
from geopriv.shapes.coordinates import Coordinate, Scaled
from geopriv.shapes.profiles import Gaussian, Identity, Profile
from geopriv.spaces import Line, Space, default_space
from geopriv.spaces.checks import (
    FloatArray,
    finite,
    invalid,
    positive,
)


@dataclass(frozen=True)
class GaussianKernel(Centered):
    """The kernel density at a place (without its normalising constant): exp(−dist(x, center)²/2h²).

    Args:
        center: where the density is asked for; (latitude, longitude) on Earth and on a LocalPlane.
        bandwidth: h, in the unit of distance.
        space: where the centre lives.

    Reference: paper, section 4.3.

    >>> GaussianKernel(center=(0, 0), bandwidth=1)([(0, 0), (3, 4)]).round(6)
    array([1.e+00, 4.e-06])
    """

    center: tuple[float, ...] | float
    bandwidth: float
    space: Space = UNSET

    def __post_init__(self) -> None:
        set_center(self)
        positive("GaussianKernel", "bandwidth", self.bandwidth)

    @cached_property
    def geometry(self) -> Coordinate:
        return radial(self, offset=0.0)

    @cached_property
    def profile(self) -> Profile:
        return Gaussian(self.bandwidth)


@dataclass(frozen=True, init=False)
class LinearQuery(Query):
    """Any profile of a linear score: f(x) = profile(intercept + ⟨weights, x⟩).

    Args:
        weights: any vector but zero.
        profile: in units of the score. (The query's own `profile` is this one in units of distance.)
        intercept: added to the score.
        space: of as many axes.

    Reference: paper, Lemma 4.8 (functions of a linear form).

    >>> from geopriv import Ramp
    >>> LinearQuery((3.0, 4.0), Ramp(width=10.0))([(0, 0), (1, 0.25), (3, 4)])
    array([0.5, 0.9, 1. ])
    """

    weights: tuple[float, ...]
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


@dataclass(frozen=True)
class LipschitzQuery(Query):
    """Any function with a known Lipschitz constant: coordinate f/K, profile s ↦ K·s.

    The guarantee of every mechanism on this query rests on the constant, which only its author can vouch for.

    Args:
        function: takes values of the space (an array) and returns one number for each.
        constant: K with |f(x) − f(x')| ≤ K·dist(x, x') for all x, x'.
        space: where the values live.

    >>> import numpy as np
    >>> LipschitzQuery(np.sin, constant=1.0)([0.0, np.pi / 2])
    array([0., 1.])
    """

    function: Callable[[FloatArray], FloatArray]
    constant: float
    space: Space = Line()

    def __post_init__(self) -> None:
        require_space(self)
        if not callable(self.function):
            raise invalid("LipschitzQuery", "function", "a function of arrays", self.function)
        positive("LipschitzQuery", "constant", self.constant)

    @cached_property
    def geometry(self) -> Coordinate:
        return Scaled(self.space, self.function, self.constant)

    @cached_property
    def profile(self) -> Profile:
        return Identity(self.constant)
