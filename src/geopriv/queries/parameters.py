"""Checks and shared parts of queries' parameters."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from geopriv.device.functions import root_float
from geopriv.queries.base import Centered, Query
from geopriv.shapes.coordinates import Linear, Radial
from geopriv.shapes.profiles import Profile
from geopriv.spaces import (
    Line,
    Space,
    default_space,
)
from geopriv.spaces.checks import FloatArray, invalid, numbers

Edge = Literal["linear", "smooth"]

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
    asked: tuple[Any, ...] = tuple(queries)
    if not asked:
        raise invalid(owner, "queries", "at least one query", asked)
    strangers = [type(query).__name__ for query in asked if not isinstance(query, Query)]
    if strangers:
        raise invalid(owner, "queries", "made of queries", strangers)
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
    if getattr(query.space, "point_shape", None) != ():
        raise invalid(name_of(query), "space", "a Line or a LogLine", query.space)


def require_flat(query: Query, dimension: int | None = None) -> None:
    """Refuse every space but R^d, of the given dimension."""
    if not (getattr(query.space, "flat", False) and query.space.point_shape):
        raise invalid(name_of(query), "space", "a Plane, a LocalPlane or a Euclidean space", query.space)
    if dimension is not None and dimension != query.space.dimension:
        raise invalid(name_of(query), "space", f"of dimension {dimension}", query.space)


def require_edge(query: Query, edge: object) -> None:
    """Refuse every edge but the two there are."""
    if edge not in ("linear", "smooth"):
        raise invalid(name_of(query), "edge", '"linear" or "smooth"', edge)


def require_profile(owner: str, profile: object) -> Profile:
    """The profile, if it is one."""
    if not isinstance(profile, Profile):
        raise invalid(owner, "profile", "a Profile", profile)
    return profile


def public_place(query: Query, parameter: str, value: Any) -> FloatArray:
    """The point of a public place that reading does not move: below a LogLine's floor there would be no threshold."""
    return query.space.public_place(name_of(query), parameter, value)


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
        public_place(query, "center", center[0])
    assert query.geometry.space == query.space  # the coordinate checks the place, and is kept


def radial(query: Centered, offset: float) -> Radial:
    """The distance to the centre, less an offset."""
    center = np.reshape(np.asarray(query.center), query.space.point_shape)
    point = public_place(query, "center", center)
    return Radial(query.space, tuple(np.atleast_1d(point).tolist()), offset)


def unit_direction(weights: tuple[float, ...], intercept: float) -> tuple[tuple[float, ...], float] | None:
    """The direction and the shift of (⟨w, x⟩ + intercept)/‖w‖ as floats; None where they are none."""
    size = root_float(sum((Fraction(w) ** 2 for w in weights), Fraction(0)))
    if not 0 < size < math.inf:
        return None
    along, shift = tuple(w / size for w in weights), intercept / size
    return (along, shift) if any(along) and math.isfinite(shift) else None


def direction(owner: str, parameter: str, value: Any) -> tuple[float, ...]:
    """A vector that is not zero."""
    vector = numbers(owner, parameter, value)
    if unit_direction(vector, 0.0) is None:
        raise invalid(owner, parameter, "a vector that is not zero", value)
    return vector


def linear(weights: tuple[float, ...], shift: float, space: Space) -> Linear:
    """(⟨weights, x⟩ + shift)/‖weights‖, as the floats that a design holds."""
    scaled = unit_direction(weights, shift)
    if scaled is None:
        raise invalid("Linear", "shift", "finite beside the length of the weights", shift)
    return Linear(space, *scaled)
