"""Queries seen through a Gaussian blur: smooth enough for noise on the input to be undone, in every dimension."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import shapely

from geopriv.checks import FloatArray, invalid, positive
from geopriv.coordinates import Coordinate, Linear, Radial, RegionDistance
from geopriv.grids import BlurredGrid, blurred_grid
from geopriv.profiles import BlurredPieces, Identity, LinearPieces, Profile
from geopriv.queries.base import Query
from geopriv.spaces import Space


@dataclass(frozen=True)
class Blurred(Query):
    """Another query's answer, averaged over a Gaussian of a bandwidth around x: f ∗ N(0, h²).

    A region's edge has corners, and noise on the input cannot be undone across them (theory T6); across their blurred
    image it can. Straight pieces of a linear coordinate (thresholds, half-spaces, slabs) stay a profile of their
    coordinate and suit every mechanism. Balls and geofences in the plane are sampled every twelfth of the bandwidth,
    and are for mechanisms with noise on the input (`InputLaplace`, `Lattice`), whose promise does not depend on f.

    Args:
        query: a Threshold, HalfSpace or LinearQuery of straight pieces; a Ball, Geofence or RadialQuery in the plane.
        bandwidth: h, in the unit of distance. From 1/ε on the noise costs little more than it must.

    >>> from geopriv import HalfSpace
    >>> Blurred(HalfSpace((0.0, 1.0), offset=0.0, width=0.1), bandwidth=1.0)([(5.0, 0.0), (0.0, 1.0)]).round(3)
    array([0.5  , 0.841])
    """

    query: Query
    bandwidth: float

    def __post_init__(self) -> None:
        if not isinstance(self.query, Query):
            raise invalid("Blurred", "query", "a query", type(self.query).__name__)
        positive("Blurred", "bandwidth", self.bandwidth)
        if not (self.along_line or self._bounded):
            rule = "straight pieces of a linear coordinate, or a bounded region in the plane"
            raise invalid("Blurred", "query", rule, type(self.query).__name__)

    @property
    def space(self) -> Space:  # type: ignore[override] # the space of the query that is blurred
        return self.query.space

    @property
    def along_line(self) -> bool:
        """Whether the blurred query is a profile of a linear coordinate."""
        profile = self.query.profile
        return (
            isinstance(self.query.geometry, Linear)
            and isinstance(profile, LinearPieces)
            and not isinstance(profile, Identity)
        )

    @property
    def _bounded(self) -> bool:
        flat = isinstance(self.query.geometry, RegionDistance) or (
            isinstance(self.query.geometry, Radial) and isinstance(self.query.profile, LinearPieces)
        )
        return flat and self.query.space.dimension == 2

    @cached_property
    def geometry(self) -> Coordinate:
        self._require_line()
        return self.query.geometry

    @cached_property
    def profile(self) -> Profile:
        self._require_line()
        assert isinstance(self.query.profile, LinearPieces)  # what along_line says
        return BlurredPieces(self.query.profile, self.bandwidth)

    def answer(self, points: FloatArray) -> FloatArray:
        """F at points that the space has read."""
        return super().answer(points) if self.along_line else self._grid(points)

    def grid(self, rate: float) -> BlurredGrid:
        """The blurred region on a grid that reaches as far as noise of a rate needs."""
        return blurred_grid(self.query.answer, self._box, self.bandwidth, rate)

    @cached_property
    def _grid(self) -> BlurredGrid:
        return self.grid(np.inf)

    @property
    def middle(self) -> FloatArray:
        """The middle of the region's box."""
        return (self._box[0] + self._box[1]) / 2

    @cached_property
    def _box(self) -> tuple[FloatArray, FloatArray]:
        """Outside, the region's profile is constant."""
        geometry, end = self.query.geometry, self.query.profile.landmarks[-1]
        if isinstance(geometry, Radial):
            return geometry.anchor - (end + geometry.offset), geometry.anchor + (end + geometry.offset)
        assert isinstance(geometry, RegionDistance)  # what _bounded says
        west, south, east, north = shapely.bounds(geometry.region)
        return np.array([west - end, south - end]), np.array([east + end, north + end])

    def _require_line(self) -> None:
        if not self.along_line:
            rule = "along a line for this mechanism; blurred regions are for InputLaplace and Lattice"
            raise invalid("Blurred", "query", rule, type(self.query).__name__)
