"""Queries seen through a Gaussian blur: smooth enough for noise on the input to be undone, in every dimension."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np
import shapely

from geopriv.queries.base import CLEAR, Query, in_part, places_in
from geopriv.queries.brackets import near_border
from geopriv.shapes.coordinates import Box, Coordinate
from geopriv.shapes.grids import PER_BANDWIDTH, REACH, BlurredGrid, Sampler, blurred_grid, least_bandwidth
from geopriv.shapes.profiles import (
    BlurredPieces,
    LinearPieces,
    Profile,
)
from geopriv.spaces import Space
from geopriv.spaces.checks import FloatArray, invalid, positive
from geopriv.spaces.notes import Positive
from geopriv.spaces.rounding import above, below

_WIDE = 3.0  # steps of the grid over which an edge is seen well enough
_DEEP = math.sqrt(2 * math.log(10))  # bandwidths: the middle of a disc of this radius counts for 1 − e^(−ln 10) = 0.9
_FARTHER = 1.1  # by which factor at most a grid reaches farther than it must
_FIRST = 0.6  # steps: what is left of an edge between grid points is then below e^(−2π²·0.36) = 8e-4 of a step


@dataclass(frozen=True)
class Blurred(Query):
    """Another query's answer, averaged over a Gaussian of a bandwidth around x: f ∗ N(0, h²).

    A region's edge has corners, and noise on the input cannot be undone across them (theory T6); across their blurred
    image it can. Straight pieces of a linear coordinate (thresholds, scores, slabs) stay a profile of their
    coordinate and suit every mechanism. Balls, geofences and corners in the plane are sampled every twelfth of the
    bandwidth: what is estimated differs from f ∗ N(0, h²) by at most some 1e-3. They are for mechanisms with noise on
    the input (`InputLaplace`, `Lattice`), whose promise does not depend on f.

    Args:
        query: a Threshold, Score or LinearQuery of straight pieces; a Ball, Geofence, Orthant or RadialQuery in the
            plane.
        bandwidth: h, in the unit of distance. From 1/ε on the noise costs little more than it must.

    >>> from geopriv import Score
    >>> Blurred(Score((0.0, 1.0), at=0.0, width=0.1), bandwidth=1.0)([(5.0, 0.0), (0.0, 1.0)]).round(3)
    array([0.5  , 0.841])
    """

    query: Query
    bandwidth: Positive

    def __post_init__(self) -> None:
        if not isinstance(self.query, Query):
            raise invalid("Blurred", "query", "a query", type(self.query).__name__)
        positive("Blurred", "bandwidth", self.bandwidth)
        if not (self.along_line or self._bounded):
            rule = "straight pieces of a linear coordinate, or a region in the plane"
            raise invalid("Blurred", "query", rule, type(self.query).__name__)

    def __reduce__(self) -> tuple[type[Blurred], tuple[Query, float]]:
        return Blurred, (self.query, self.bandwidth)  # without the grids that were computed on the way

    @property
    def space(self) -> Space:  # type: ignore[override] # the space of the query that is blurred
        return self.query.space

    def words(self, name: str) -> str:
        return self.query.words(name)

    @property
    def in_part(self) -> str:
        # two bandwidths beyond the edge a blur of it leaves 2 % of a person
        reach = 2 * self.bandwidth + self.query.half_edge
        return in_part(f"about {self.space.distance_words(reach)}", self.query.edge_name)

    @property
    def is_share(self) -> bool:
        return self.query.is_share

    @property
    def region(self) -> shapely.Geometry | None:
        return self.query.region

    @property
    def small_region(self) -> str:  # type: ignore[override] # computed here
        if self.region is None:
            return ""
        places = places_in(*self._box)
        if float(self.answer(places).max()) > CLEAR:
            return ""
        larger = self.space.distance_words(above(2 * _DEEP * self.bandwidth, 2))
        return f"ask about an area at least {larger} across{self._sharper(places)}"

    def _sharper(self, places: FloatArray) -> str:
        """What else would tell the area from its surroundings; a much narrower blur would drown in noise."""
        deepest = -float(self.query.geometry(places).min())
        enough = below(deepest / _DEEP, 2) if deepest > 0 else 0.0
        if enough < self.least_bandwidth:
            return ""
        what = "a blur" if enough >= self.bandwidth / 2 else "ask with 1/ε (and a blur)"
        return f", or {what} of at most {self.space.distance_words(enough)}"

    @property
    def least_bandwidth(self) -> float:
        """What the bandwidth must not be below, so that the blurred region can be computed."""
        return self.least_bandwidth_for(np.inf)

    def least_bandwidth_for(self, rate: float) -> float:
        """The same where noise of a rate is to be undone."""
        return 0.0 if self.along_line else least_bandwidth(self._box, rate / _FARTHER)

    @property
    def plain_set(self) -> Coordinate | None:
        return self.query.plain_set

    @property
    def has_profile(self) -> bool:
        return self.along_line

    @property
    def place(self) -> FloatArray:
        return self.query.place

    @property
    def moved(self) -> object:
        shape = self.query.moved
        return self if shape is self.query else ("blurred", self.bandwidth, shape)

    @property
    def along_line(self) -> bool:
        """Whether the blurred query is a profile of a linear coordinate."""
        return self.query.geometry.axis is not None and self._pieces is not None

    @property
    def _bounded(self) -> bool:
        in_plane = self.query.space.flat and self.query.space.dimension == 2
        return in_plane and self._pieces is not None and self.query.geometry.outline(0.0) is not None

    @property
    def _pieces(self) -> LinearPieces | None:
        """The profile that is blurred, if it is made of straight pieces with plateaus."""
        profile = self.query.profile
        return profile if isinstance(profile, LinearPieces) and profile.levels_off else None

    @cached_property
    def geometry(self) -> Coordinate:
        self._require_line()
        return self.query.geometry

    @cached_property
    def profile(self) -> Profile:
        self._require_line()
        assert self._pieces is not None  # what along_line says
        return BlurredPieces(self._pieces, self.bandwidth)

    def answer(self, points: FloatArray) -> FloatArray:
        """F at points that the space has read."""
        return super().answer(points) if self.along_line else self._grid(points)

    @property
    def gridded(self) -> bool:
        return not self.along_line

    def grid(self, rate: float) -> BlurredGrid:
        """The blurred region on a grid that reaches as far as noise of a rate needs, or a little farther."""
        if not np.isfinite(rate):
            return _sampled(self, np.inf)
        return _sampled(self, _FARTHER ** math.floor(math.log(rate, _FARTHER)))  # one grid for rates that are alike

    def sampled(self, rate: float) -> BlurredGrid:
        """The blurred region on a grid for noise of exactly this rate."""
        pieces, step = self._pieces, self.bandwidth / PER_BANDWIDTH
        assert pieces is not None  # what _bounded says
        if min(b - a for a, b in pairwise(pieces.knots)) > _WIDE * step:
            return blurred_grid(self._sampler(pieces, pieces.landmarks), self._box, self.bandwidth, rate)
        # between the grid's points a narrow edge would be lost: a first, small blur is taken along the coordinate,
        # where it has a formula (it is the same blur wherever the edge is straight on that scale)
        edge = BlurredPieces(pieces, _FIRST * step)
        ends = edge.low, edge.high
        return blurred_grid(self._sampler(edge, ends), self._box, self.bandwidth, rate, done=_FIRST * step)

    def _sampler(self, profile: Profile, marks: tuple[float, ...]) -> Sampler:
        """The profile of the coordinate on a grid; only where it is not level is the coordinate looked at."""
        clear = 1.001 * max(map(abs, marks))
        return lambda axes: profile(near_border(self.query.geometry, axes, clear))

    @cached_property
    def _grid(self) -> BlurredGrid:
        return self.grid(np.inf)

    @property
    def middle(self) -> FloatArray:
        """The middle of the region's box."""
        return (self._box[0] + self._box[1]) / 2

    @property
    def half_box(self) -> FloatArray:
        """From the middle of the region's box to its corner."""
        return (self._box[1] - self._box[0]) / 2

    @property
    def fades(self) -> bool:
        """Whether f is 0 all around, far away."""
        far = np.asarray(self.query.profile.landmarks[-1] + 1.0)
        return self.query.geometry.compact and float(self.query.profile(far)) == 0

    @property
    def bounds(self) -> tuple[float, float]:
        return self.query.bounds

    @property
    def bend(self) -> float | None:
        """Of what is blurred by a normal density φ_h.

        Second derivatives are f' ∗ φ_h', at most K·∫|φ_h'|, and f ∗ φ_h'', at most B/2·∫|φ_h''| since φ_h'' integrates
        to 0.
        """
        if self.along_line:
            return None
        low, high = self.query.bounds
        by_slope = self.query.profile.lipschitz * math.sqrt(2 / math.pi) / self.bandwidth
        by_range = (high - low) / 2 * 4 * math.exp(-0.5) / math.sqrt(2 * math.pi) / self.bandwidth**2
        return min(by_slope, by_range)

    def box(self, margin: float) -> Box:
        return super().box(margin) if self.along_line else self.query.box(margin + self.bandwidth)

    def box_of_change(self, margin: float) -> Box | None:
        if self.along_line:
            return super().box_of_change(margin)
        return self.query.box_of_change(margin + (REACH + 0.2) * self.bandwidth)  # its grid ends within

    @cached_property
    def _box(self) -> Box:
        """Outside, f is constant along every axis that leads away."""
        box = self.query.geometry.outline(self.query.profile.landmarks[-1])
        assert box is not None  # what _bounded says
        return box

    def _require_line(self) -> None:
        if not self.along_line:
            rule = "along a line for this mechanism; blurred regions are for InputLaplace and Lattice"
            raise invalid("Blurred", "query", rule, type(self.query).__name__)


@lru_cache(maxsize=8)  # they are large
def _sampled(query: Blurred, rate: float) -> BlurredGrid:
    return query.sampled(rate)
