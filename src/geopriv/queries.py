"""The questions that can be asked: each is a 1-Lipschitz coordinate followed by a one-dimensional profile.

Every query counts a person fully (1), not at all (0) or partly, and is Lipschitz: a hard threshold or border has no
private answer with bounded noise, so each takes the `width` over which counting fades from 1 to 0.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
import shapely

from geopriv.checks import FloatArray, finite, invalid, numbers, positive
from geopriv.coordinates import (
    Coordinate,
    EarthRegionDistance,
    Linear,
    QuadrantDistance,
    Radial,
    RegionDistance,
    Scaled,
)
from geopriv.polygons import read_polygon
from geopriv.profiles import Gaussian, Identity, Profile, Ramp
from geopriv.spaces import Earth, Euclidean, Line, LogLine, Plane, Space, default_space


class Query(ABC):
    """f = profile ∘ coordinate on a space. Call it on values: arrays in, arrays out."""

    space: Space

    @property
    @abstractmethod
    def geometry(self) -> Coordinate:
        """The 1-Lipschitz coordinate, as a map of points."""

    @property
    @abstractmethod
    def profile(self) -> Profile:
        """The one-dimensional shape f0."""

    def coordinate(self, values: Any) -> FloatArray:
        """s(x) for values x of the space, in its unit of distance."""
        return np.asarray(self.geometry(self.space.read(values)))

    def __call__(self, values: Any) -> FloatArray:
        """f(x) for values x of the space."""
        return np.asarray(self.profile(self.coordinate(values)))


@dataclass(frozen=True)
class Threshold(Query):
    """The share of people at or above a value: 0 below `at` − width/2, 1 above `at` + width/2, linear between.

    Args:
        at: the threshold.
        width: over which counting fades, in the unit of distance (on a LogLine: in logarithms).
        space: a Line or LogLine.

    Reference: paper, section 4.1.

    >>> Threshold(at=100_000, width=16_000)([90_000, 100_000, 150_000])
    array([0. , 0.5, 1. ])
    """

    at: float
    width: float
    space: Space = Line()

    def __post_init__(self) -> None:
        _require_line(self)
        _public_value(self, "at", self.at)
        positive("Threshold", "width", self.width)

    @cached_property
    def geometry(self) -> Coordinate:
        return Linear((1.0,), -_public_value(self, "at", self.at), scalar=True)

    @cached_property
    def profile(self) -> Profile:
        return Ramp(self.width)


@dataclass(frozen=True)
class Range(Query):
    """The share of people between two values: 1/2 at `low` and at `high`, linear over `width` around both.

    The paper's own shape (its appendix) is a triangle in which only the midpoint counts fully (theory E9);
    `shape="triangle"` gives it.

    Args:
        low: lower end.
        high: upper end.
        width: over which counting fades; at most high − low for the trapezoid.
        shape: "trapezoid" or "triangle".
        space: a Line or LogLine.

    >>> Range(low=10, high=20, width=2)([9, 10, 15, 20.5])
    array([0.  , 0.5 , 1.  , 0.25])
    """

    low: float
    high: float
    width: float
    shape: Literal["trapezoid", "triangle"] = "trapezoid"
    space: Space = Line()

    def __post_init__(self) -> None:
        _require_line(self)
        low, high = self._ends
        positive("Range", "width", self.width)
        if not low < high:
            raise invalid("Range", "high", f"greater than low = {self.low!r}", self.high)
        if self.shape not in ("trapezoid", "triangle"):
            raise invalid("Range", "shape", '"trapezoid" or "triangle"', self.shape)
        if self.shape == "trapezoid" and self.width > (high - low) * (1 + 1e-12):
            raise invalid("Range", "width", f"at most high − low = {high - low!r}", self.width)

    @property
    def _ends(self) -> tuple[float, float]:
        return _public_value(self, "low", self.low), _public_value(self, "high", self.high)

    @cached_property
    def geometry(self) -> Coordinate:
        low, high = self._ends
        return Radial(self.space, ((low + high) / 2,), offset=0.0)

    @cached_property
    def profile(self) -> Profile:
        low, high = self._ends
        half = (high - low) / 2
        if self.shape == "trapezoid":
            return Ramp(self.width, center=half, rising=False)
        base = half + self.width / 2
        return Ramp(base, center=base / 2, rising=False)


@dataclass(frozen=True)
class Orthant(Query):
    """The share of people above a threshold on every axis at once (the paper's two-way threshold, in any dimension).

    The band of width τ has round corners: with R1 = τ/√2 and corner c0 = at + τ/2 + R1, counting falls from 1 to 0 as
    the signed distance to {p ≥ c0} goes from R1 to R1 + τ. One formula replaces the paper's ten regions.

    Args:
        at: one threshold per axis.
        width: of the band.
        space: of as many axes.

    Reference: paper, section 4.2; theory §1.
    """

    at: tuple[float, ...]
    width: float
    space: Space = field(default=None)  # type: ignore[assignment] # filled in below

    def __post_init__(self) -> None:
        object.__setattr__(self, "at", numbers("Orthant", "at", self.at))
        _fill_space(self, len(self.at))
        _require_flat(self)
        self.space.public_point("Orthant", "at", self.at)
        positive("Orthant", "width", self.width)

    @property
    def _round(self) -> float:
        return self.width / math.sqrt(2.0)

    @cached_property
    def geometry(self) -> Coordinate:
        return QuadrantDistance(tuple(t + self.width / 2 + self._round for t in self.at))

    @cached_property
    def profile(self) -> Profile:
        return Ramp(self.width, center=self._round + self.width / 2, rising=False)


@dataclass(frozen=True)
class HalfSpace(Query):
    """The share of people on one side of a hyperplane, {x : ⟨normal, x⟩ ≥ offset}.

    Args:
        normal: any vector but zero; its length does not matter.
        offset: in the units of ⟨normal, x⟩.
        width: over which counting fades, as a distance.
        space: of as many axes.
    """

    normal: tuple[float, ...]
    offset: float
    width: float
    space: Space = field(default=None)  # type: ignore[assignment] # filled in below

    def __post_init__(self) -> None:
        object.__setattr__(self, "normal", _direction("HalfSpace", "normal", self.normal))
        _fill_space(self, len(self.normal))
        _require_flat(self, len(self.normal))
        finite("HalfSpace", "offset", self.offset)
        positive("HalfSpace", "width", self.width)

    @cached_property
    def geometry(self) -> Coordinate:
        return _linear(self.normal, -self.offset, self.space)

    @cached_property
    def profile(self) -> Profile:
        return Ramp(self.width)


@dataclass(frozen=True)
class Ball(Query):
    """The share of people within `radius` of a place: 1/2 on the circle, linear over `width` across it.

    Args:
        center: a point; (latitude, longitude) on Earth.
        radius: in the unit of distance.
        width: over which counting fades; at most 2·radius.
        space: where the centre lives.

    >>> Ball(center=(40.7, -74.0), radius=1000, width=200, space=Earth())([(40.7, -74.0), (40.8, -74.0)])
    array([1., 0.])
    """

    center: tuple[float, ...] | float
    radius: float
    width: float
    space: Space = field(default=None)  # type: ignore[assignment] # filled in below

    def __post_init__(self) -> None:
        _set_center(self)
        positive("Ball", "radius", self.radius)
        if positive("Ball", "width", self.width) > 2 * self.radius:
            raise invalid("Ball", "width", f"at most 2·radius = {2 * self.radius!r}", self.width)

    @cached_property
    def geometry(self) -> Coordinate:
        return _radial(self, offset=self.radius)

    @cached_property
    def profile(self) -> Profile:
        return Ramp(self.width, rising=False)


@dataclass(frozen=True)
class Geofence(Query):
    """The share of people inside a polygon: 1/2 on its border, linear over `width` across it.

    On Earth the polygon is in GeoJSON order (longitude, latitude), its edges are great-circle arcs, and it must fit
    within 80° of its middle. (Edges that are straight in longitude and latitude, as RFC 7946 means them, bulge away
    from the arc by about L²·tan φ/8R: 2 m for a 10 km edge at mid-latitudes. Add vertices where that matters.)

    Args:
        polygon: a shapely Polygon or MultiPolygon, with or without holes, or GeoJSON (a dict or text: Polygon,
            MultiPolygon or a Feature of one).
        width: over which counting fades, in the unit of distance.
        space: a Plane or the Earth.

    Raises:
        InvalidParameter: for a self-intersecting or empty polygon, with the reason and the place.

    >>> square = {"type": "Polygon", "coordinates": [[[0, 0], [10, 0], [10, 10], [0, 10], [0, 0]]]}
    >>> Geofence(square, width=2)([(5, 5), (10, 5), (10.5, 5), (20, 5)])
    array([1.  , 0.5 , 0.25, 0.  ])
    """

    polygon: shapely.Geometry
    width: float
    space: Space = Plane()

    def __post_init__(self) -> None:
        if not isinstance(self.space, Plane | Earth):
            raise invalid("Geofence", "space", "a Plane or the Earth", self.space)
        object.__setattr__(self, "polygon", read_polygon(self.polygon, on_earth=isinstance(self.space, Earth)))
        positive("Geofence", "width", self.width)
        if isinstance(self.geometry, EarthRegionDistance):
            if not self.geometry.fits:
                raise invalid("Geofence", "polygon", "within 80° of its middle on Earth", "a larger one")
            if not self.geometry.gnomonic.is_valid:
                reason = shapely.is_valid_reason(self.geometry.gnomonic).split("[")[0]
                raise invalid("Geofence", "polygon", "a simple polygon of great-circle arcs", reason)

    @cached_property
    def geometry(self) -> Coordinate:
        if isinstance(self.space, Earth):
            return EarthRegionDistance(self.space, self.polygon)
        return RegionDistance(self.polygon)

    @cached_property
    def profile(self) -> Profile:
        return Ramp(self.width, rising=False)


@dataclass(frozen=True)
class GaussianKernel(Query):
    """The kernel density at a place (without its normalising constant): exp(−dist(x, center)²/2h²).

    Args:
        center: where the density is asked for; (latitude, longitude) on Earth.
        bandwidth: h, in the unit of distance.
        space: where the centre lives.

    Reference: paper, section 4.3.

    >>> GaussianKernel(center=(0, 0), bandwidth=1)([(0, 0), (3, 4)]).round(6)
    array([1.e+00, 4.e-06])
    """

    center: tuple[float, ...] | float
    bandwidth: float
    space: Space = field(default=None)  # type: ignore[assignment] # filled in below

    def __post_init__(self) -> None:
        _set_center(self)
        positive("GaussianKernel", "bandwidth", self.bandwidth)

    @cached_property
    def geometry(self) -> Coordinate:
        return _radial(self, offset=0.0)

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

    >>> LinearQuery((3.0, 4.0), Ramp(width=10.0))([(0, 0), (1, 0.25), (3, 4)])
    array([0.5, 0.9, 1. ])
    """

    weights: tuple[float, ...]
    profile_of_score: Profile
    intercept: float
    space: Space

    def __init__(self, weights: Any, profile: Profile, intercept: float = 0.0, space: Space | None = None) -> None:
        vector = _direction("LinearQuery", "weights", weights)
        object.__setattr__(self, "weights", vector)
        object.__setattr__(self, "profile_of_score", _require_profile("LinearQuery", profile))
        object.__setattr__(self, "intercept", finite("LinearQuery", "intercept", intercept))
        object.__setattr__(self, "space", default_space(len(vector)) if space is None else space)
        _require_flat(self, len(vector))

    @cached_property
    def geometry(self) -> Coordinate:
        return _linear(self.weights, self.intercept, self.space)

    @cached_property
    def profile(self) -> Profile:
        return self.profile_of_score.stretched(math.hypot(*self.weights))


@dataclass(frozen=True, init=False)
class RadialQuery(Query):
    """Any profile of the distance to a place: f(x) = profile(dist(x, center)).

    Args:
        center: a point; (latitude, longitude) on Earth.
        profile: in the unit of distance.
        space: where the centre lives.

    Reference: paper, Lemma 4.5 (functions of a distance).
    """

    center: tuple[float, ...] | float
    profile_of_distance: Profile
    space: Space

    def __init__(self, center: Any, profile: Profile, space: Space | None = None) -> None:
        object.__setattr__(self, "center", center)
        object.__setattr__(self, "profile_of_distance", _require_profile("RadialQuery", profile))
        object.__setattr__(self, "space", space)
        _set_center(self)

    @cached_property
    def geometry(self) -> Coordinate:
        return _radial(self, offset=0.0)

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

    >>> LipschitzQuery(np.sin, constant=1.0)([0.0, np.pi / 2])
    array([0., 1.])
    """

    function: Callable[[FloatArray], FloatArray]
    constant: float
    space: Space = Line()

    def __post_init__(self) -> None:
        _require_space(self)
        if not callable(self.function):
            raise invalid("LipschitzQuery", "function", "a function of arrays", self.function)
        positive("LipschitzQuery", "constant", self.constant)

    @cached_property
    def geometry(self) -> Coordinate:
        return Scaled(self.space, self.function, self.constant)

    @cached_property
    def profile(self) -> Profile:
        return Identity(self.constant)


def _name(query: Query) -> str:
    return type(query).__name__


def _fill_space(query: Query, dimension: int) -> None:
    if query.space is None:
        object.__setattr__(query, "space", default_space(dimension))


def _require_space(query: Query) -> None:
    if not isinstance(query.space, Space):
        raise invalid(_name(query), "space", "a space", query.space)


def _require_line(query: Query) -> None:
    if not isinstance(query.space, Line | LogLine):
        raise invalid(_name(query), "space", "a Line or a LogLine", query.space)


def _require_flat(query: Query, dimension: int | None = None) -> None:
    if not isinstance(query.space, Plane | Euclidean):
        raise invalid(_name(query), "space", "a Plane or a Euclidean space", query.space)
    if dimension is not None and dimension != query.space.dimension:
        raise invalid(_name(query), "space", f"of dimension {dimension}", query.space)


def _require_profile(owner: str, profile: object) -> Profile:
    if not isinstance(profile, Profile):
        raise invalid(owner, "profile", "a Profile", profile)
    return profile


def _public_value(query: Query, parameter: str, value: float) -> float:
    """The point of a public value on a line; below a LogLine's floor it would be no threshold at all."""
    point = float(query.space.public_point(_name(query), parameter, value))
    if isinstance(query.space, LogLine) and not value > query.space.floor:
        raise invalid(_name(query), parameter, f"above the floor {query.space.floor!r} of the LogLine", value)
    return point


def _set_center(query: Ball | GaussianKernel | RadialQuery) -> None:
    scalar = np.ndim(query.center) == 0
    center = numbers(_name(query), "center", (query.center,) if scalar else query.center)
    object.__setattr__(query, "center", center)
    if query.space is None:
        object.__setattr__(query, "space", Line() if scalar else default_space(len(center)))
    _require_space(query)
    if len(center) != query.space.dimension:
        raise invalid(_name(query), "center", f"one point of {query.space}", center)
    if not query.space.point_shape:
        _public_value(query, "center", center[0])
    _radial(query, offset=0.0)


def _radial(query: Ball | GaussianKernel | RadialQuery, offset: float) -> Radial:
    center = np.reshape(np.asarray(query.center), query.space.point_shape)
    point = query.space.public_point(_name(query), "center", center)
    return Radial(query.space, tuple(np.atleast_1d(point).tolist()), offset)


def _direction(owner: str, parameter: str, value: Any) -> tuple[float, ...]:
    vector = numbers(owner, parameter, value)
    if not (0 < math.hypot(*vector) < math.inf):
        raise invalid(owner, parameter, "a vector that is not zero", value)
    return vector


def _linear(weights: tuple[float, ...], shift: float, space: Space) -> Linear:
    length = math.hypot(*weights)
    return Linear(tuple(w / length for w in weights), shift / length, scalar=space.point_shape == ())
