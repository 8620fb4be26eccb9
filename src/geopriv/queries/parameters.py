"""Checks and shared parts of queries' parameters."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from geopriv.checks import invalid, numbers
from geopriv.coordinates import Linear, Radial
from geopriv.profiles import Profile
from geopriv.queries.base import Centered, Query
from geopriv.spaces import Euclidean, Line, LogLine, Plane, Space, default_space

UNSET: Any = None  # a space that is filled in from the query's dimension


def name_of(query: Query) -> str:
    """What the query is called in errors."""
    return type(query).__name__


def fill_space(query: Query, dimension: int) -> None:
    """Give the query the space without a unit of that dimension, if it has none."""
    if query.space is None:
        object.__setattr__(query, "space", default_space(dimension))


def common_space(owner: str, queries: Iterable[Query]) -> tuple[tuple[Query, ...], Space]:
    """The queries and the space that they share; refuse none, and queries on different spaces."""
    asked = tuple(queries)
    if not asked:
        raise invalid(owner, "queries", "at least one query", asked)
    space = asked[0].space
    if any(query.space != space for query in asked):
        raise invalid(owner, "queries", "on one space", sorted({str(query.space) for query in asked}))
    return asked, space


def require_space(query: Query) -> None:
    """Refuse what is no space."""
    if not isinstance(query.space, Space):
        raise invalid(name_of(query), "space", "a space", query.space)


def require_line(query: Query) -> None:
    """Refuse every space but lines."""
    if not isinstance(query.space, Line | LogLine):
        raise invalid(name_of(query), "space", "a Line or a LogLine", query.space)


def require_flat(query: Query, dimension: int | None = None) -> None:
    """Refuse every space but R^d, of the given dimension."""
    if not isinstance(query.space, Plane | Euclidean):
        raise invalid(name_of(query), "space", "a Plane or a Euclidean space", query.space)
    if dimension is not None and dimension != query.space.dimension:
        raise invalid(name_of(query), "space", f"of dimension {dimension}", query.space)


def require_profile(owner: str, profile: object) -> Profile:
    """The profile, if it is one."""
    if not isinstance(profile, Profile):
        raise invalid(owner, "profile", "a Profile", profile)
    return profile


def public_value(query: Query, parameter: str, value: float) -> float:
    """The point of a public value on a line; below a LogLine's floor it would be no threshold at all."""
    point = float(query.space.public_point(name_of(query), parameter, value))
    if isinstance(query.space, LogLine) and not value > query.space.floor:
        raise invalid(name_of(query), parameter, f"above the floor {query.space.floor!r} of the LogLine", value)
    return point


def set_center(query: Centered) -> None:
    """Check the centre, keep it as a tuple, and fill in a space of its dimension if there is none."""
    scalar = np.ndim(query.center) == 0
    center = numbers(name_of(query), "center", (query.center,) if scalar else query.center)
    object.__setattr__(query, "center", center)
    if query.space is None:
        object.__setattr__(query, "space", Line() if scalar else default_space(len(center)))
    require_space(query)
    if len(center) != query.space.dimension:
        raise invalid(name_of(query), "center", f"one point of {query.space}", center)
    if not query.space.point_shape:
        public_value(query, "center", center[0])
    radial(query, offset=0.0)


def radial(query: Centered, offset: float) -> Radial:
    """The distance to the centre, less an offset."""
    center = np.reshape(np.asarray(query.center), query.space.point_shape)
    point = query.space.public_point(name_of(query), "center", center)
    return Radial(query.space, tuple(np.atleast_1d(point).tolist()), offset)


def direction(owner: str, parameter: str, value: Any) -> tuple[float, ...]:
    """A vector that is not zero."""
    vector = numbers(owner, parameter, value)
    if not (0 < math.hypot(*vector) < math.inf):
        raise invalid(owner, parameter, "a vector that is not zero", value)
    return vector


def linear(weights: tuple[float, ...], shift: float, space: Space) -> Linear:
    """(⟨weights, x⟩ + shift)/‖weights‖."""
    length = math.hypot(*weights)
    return Linear(tuple(w / length for w in weights), shift / length, scalar=space.point_shape == ())
