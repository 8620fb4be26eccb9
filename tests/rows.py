"""The shared table: every mechanism with every kind of query. A new mechanism or query is one more row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import shapely

import geopriv as gp
from geopriv.spaces.checks import FloatArray
from geopriv_paper.plain import plain_moments

EARTH, PLANE, USD = gp.Earth(), gp.Plane("m"), gp.Line("USD")
CITY = gp.LocalPlane(south=40.5, west=-74.3, north=40.95, east=-73.65)
PARK = shapely.Polygon([(0, 0), (3, 0), (3, 2), (1.5, 0.8), (0, 2)], [[(0.4, 0.3), (0.8, 0.3), (0.6, 0.6)]])
DISTRICT = shapely.Polygon([(-74.02, 40.70), (-73.97, 40.70), (-73.97, 40.75), (-74.0, 40.73), (-74.02, 40.76)])


@dataclass(frozen=True)
class Asked:
    """A query, a rate that suits its size, and values at which to look."""

    name: str
    query: gp.queries.Query
    epsilon: float
    values: Any


def disc_and_half_plane(x: FloatArray, y: FloatArray) -> FloatArray:
    """1 where both are, with edges of width 2."""
    disc = np.clip((6 - np.hypot(x, y)) / 2 + 0.5, 0.0, 1.0)
    half = np.clip(((x + 0.5 * y) / 1.25**0.5 + 1) / 2 + 0.5, 0.0, 1.0)
    both: FloatArray = np.minimum(disc, half)
    return both


ASKED = (
    Asked("threshold", gp.Threshold(100_000, 16_000, USD), 1 / 8000, [20_000.0, 90_000.0, 101_000.0, 130_000.0]),
    Asked("narrow threshold", gp.Threshold(0.0, 0.1), 1.0, [-2.0, 0.0, 0.04, 0.3]),
    Asked("wide threshold", gp.Threshold(0.0, 30.0), 1.0, [-20.0, 0.0, 14.0, 40.0]),
    Asked("threshold on ratios", gp.Threshold(1000.0, 0.5, gp.LogLine(2.0)), 2.0, [0.0, 900.0, 1000.0, 5000.0]),
    Asked("range", gp.Range(-3.0, 4.0, 1.0), 1.0, [-6.0, -3.2, 0.0, 4.0]),
    Asked("triangle", gp.Range(-3.0, 4.0, 1.0, shape="triangle"), 1.0, [-6.0, -3.2, 0.5, 4.0]),
    Asked("orthant", gp.Orthant((0.0, 0.0), 1.0, PLANE), 1.0, [(-1.0, 2.0), (0.2, 0.1), (3.0, 1.0)]),
    Asked("half-space", gp.Score((1.0, -2.0, 0.5), 0.3, 1.0), 1.0, [(0.0, 0.0, 0.0), (2.0, -1.0, 1.0)]),
    Asked("ball", gp.Ball((0.0, 0.0), 2.0, 1.0, PLANE), 1.0, [(0.0, 0.0), (2.1, 0.0), (4.0, 3.0)]),
    Asked("ball on a map", gp.Ball((40.7, -74.0), 3000.0, 1000.0, CITY), 1e-3, [(40.7, -74.0), (40.73, -74.01)]),
    Asked("ball on Earth", gp.Ball((40.7, -74.0), 3000.0, 1000.0, EARTH), 1e-3, [(40.7, -74.0), (40.73, -74.01)]),
    Asked("geofence", gp.Geofence(PARK, 0.4, PLANE), 1.0, [(1.0, 0.5), (3.1, 1.0), (0.6, 0.4)]),
    Asked("geofence on Earth", gp.Geofence(DISTRICT, 500.0, EARTH), 1e-3, [(40.72, -74.0), (40.74, -73.99)]),
    Asked("kernel on a line", gp.GaussianKernel(0.0, 2.0), 1.0, [0.0, 1.5, 5.0]),
    Asked("kernel", gp.GaussianKernel((0.0, 0.0), 1.5, PLANE), 1.0, [(0.0, 0.0), (1.0, 1.0), (5.0, 0.0)]),
    Asked("kernel on Earth", gp.GaussianKernel((40.7, -74.0), 2000.0, EARTH), 1e-3, [(40.7, -74.0), (40.72, -74.0)]),
    Asked(
        "slab", gp.LinearQuery((3.0, 4.0), gp.shapes.Trapezoid(10.0, 5.0)), 1.0, [(0.0, 0.0), (1.5, 0.5), (3.0, 3.0)]
    ),
    Asked(
        "ring", gp.RadialQuery((0.0, 0.0), gp.shapes.Triangle(1.0, center=3.0), PLANE), 1.0, [(0.0, 0.0), (3.0, 0.2)]
    ),
    Asked(
        "staircase",
        gp.LinearQuery((1.0,), gp.shapes.PiecewiseLinear((-2.0, -1.0, 0.0, 3.0), (0.0, 1.0, 0.25, 0.5))),
        1.0,
        [(-3.0,), (-0.5,), (2.0,)],
    ),
    Asked(
        "sigmoid",
        gp.LinearQuery((1.0, 1.0), gp.shapes.Custom(np.tanh, 1.0, -6.0, 6.0, curvature=0.77)),
        1.0,
        [(0.0, 0.0), (1.0, -0.5), (4.0, 4.0)],
    ),
    Asked("any function", gp.LipschitzQuery(np.sin, 1.0), 1.0, [0.0, 1.0, 4.0]),
    Asked(
        "function",
        gp.Function(disc_and_half_plane, PLANE, ((-12.0, -12.0), (12.0, 12.0))),
        1.0,
        [(0.0, 0.0), (5.5, 1.0), (9.0, -9.0)],
    ),
    Asked("smooth threshold", gp.Threshold(0.0, 2.0, edge="smooth"), 1.0, [-4.0, -0.9, 0.2, 3.0]),
    Asked("smooth range", gp.Range(-3.0, 4.0, 1.5, edge="smooth"), 1.0, [-6.0, -3.2, 0.0, 4.0]),
    Asked("kernel in space", gp.GaussianKernel((0.0, 0.0, 0.0), 2.0), 1.0, [(0.0, 0.0, 0.0), (1.0, 2.0, -1.0)]),
    Asked("ridge", gp.LinearQuery((3.0, 4.0), gp.shapes.Gaussian(6.0)), 1.0, [(0.0, 0.0), (1.0, 1.0), (4.0, 1.0)]),
    Asked(
        "score on a line",
        gp.LinearQuery((2.0,), gp.shapes.Custom(np.tanh, 1.0, -9.0, 9.0, curvature=0.77)),
        1.0,
        [(0.0,), (-1.0,)],
    ),
    Asked("blurred threshold", gp.Blurred(gp.Threshold(0.0, 1.0), 1.0), 1.0, [-3.0, 0.2, 1.0]),
    Asked("blurred half-space", gp.Blurred(gp.Score((1.0, -2.0), 0.3, 1.0), 1.0), 1.0, [(0.0, 0.0), (2.0, -1.0)]),
    Asked(
        "blurred ball", gp.Blurred(gp.Ball((0.0, 0.0), 2.0, 1.0, PLANE), 1.0), 1.0, [(0.0, 0.0), (2.1, 0.0), (4.0, 3.0)]
    ),
    Asked("blurred geofence", gp.Blurred(gp.Geofence(PARK, 0.4, PLANE), 1.0), 1.0, [(1.0, 0.5), (3.1, 1.0)]),
)

INPUT = (
    gp.InputLaplace,
    gp.Lattice,
    gp.mechanisms.SharedTables,
)  # one report answers every query, so moments are asked for with the query
Calibrate = Callable[[gp.queries.Query, float], Any]
MECHANISMS: dict[str, Calibrate] = {
    "LipschitzLaplace": gp.LipschitzLaplace.calibrate,
    "SmoothT": gp.SmoothT.calibrate,
    "SmoothT df=6 short radius": lambda q, e: gp.SmoothT.calibrate(
        q, e, gamma_share=0.5, df=6.0, radius=0.7 * _length(e)
    ),
    "SmoothT exact": lambda q, e: gp.SmoothT.calibrate(q, e, calibration="exact"),
    "LeastScaleT": gp.LeastScaleT.calibrate,
    "SmoothCauchy": gp.SmoothCauchy.calibrate,
    "SmoothLaplace": lambda q, e: gp.SmoothLaplace.calibrate(q, e, delta=1e-3),
    "SmoothLaplace short radius": lambda q, e: gp.SmoothLaplace.calibrate(q, e, delta=0.5, radius=2 * _length(e)),
    "LocalLaplace": lambda q, e: gp.LocalLaplace.calibrate(q, e, distance=1.5 * _length(e)),
    "CoordinateLaplace": gp.CoordinateLaplace.calibrate,
    "CoordinateLaplace plain": lambda q, e: gp.CoordinateLaplace.calibrate(q, e, estimator="plain"),
    "InputLaplace": lambda q, e: gp.InputLaplace.calibrate(q.space, e),
    "InputLaplace plain": lambda q, e: gp.InputLaplace.calibrate(q.space, e, estimator="plain"),
    "Lattice": lambda q, e: gp.Lattice.calibrate(q.space, e, step=_lattice_step(q, e), noise="product"),
    "Lattice, round": lambda q, e: gp.Lattice.calibrate(q.space, e, step=0.2 * _length(e), noise="round"),
    "Table": gp.Table.calibrate,
    "BracketTable": lambda q, e: gp.mechanisms.BracketTable.for_plain(q, e, people=10_000),
    "VectorTable": lambda q, e: gp.mechanisms.VectorTable.calibrate((q, *_beside(q, e)), e),
    "SharedTables": lambda q, e: _together(q, _far(q, e), e),
    "VectorSmoothCauchy": lambda q, e: gp.VectorSmoothCauchy.calibrate((q, _companion(q)), e),
}


def simple(name: str, width: float) -> gp.queries.Query:
    """What a mechanism can answer: a threshold with a smooth or a straight edge, or a set that others are far from."""
    if name == "SharedTables":
        return gp.Range(-3.0, 4.0, 1.0)
    return gp.Threshold(0.0, width, edge="linear" if name == "VectorTable" else "smooth")


def _length(epsilon: object) -> float:
    """1/ε, or anything where ε is none: then `calibrate` is to refuse it."""
    return 1 / epsilon if isinstance(epsilon, float) and epsilon > 0 else 1.0


def _lattice_step(query: gp.queries.Query, epsilon: object) -> float:
    """A coarse grid, on which kinks cost less variance and exact moments sum fewer cells."""
    return {1: 0.5, 2: 0.5, 3: 1.0}[query.space.dimension] * _length(epsilon)


def _far(query: gp.queries.Query, epsilon: object) -> gp.queries.Query:
    """A range or a ball of the same shape, 9/ε beyond the border of the first."""
    away = 9 * _length(epsilon)
    if isinstance(query, gp.Ball):
        place = query.place + np.array([2 * query.radius + away, 0.0])
        return replace(query, center=tuple(query.space.values(place[None])[0].tolist()))
    if isinstance(query, gp.Range):
        moved = query.high - query.low + away
        return replace(query, low=query.low + moved, high=query.high + moved)
    return query


def _together(query: gp.queries.Query, other: gp.queries.Query, epsilon: float) -> gp.mechanisms.SharedTables:
    return gp.mechanisms.SharedTables.of([gp.Table.calibrate(part, epsilon, straight=True) for part in (query, other)])


def _nothing(values: FloatArray) -> FloatArray:
    return np.zeros(1)


def _companion(query: gp.queries.Query) -> gp.queries.Query:
    """A second query on the same space, as steep as the first, so that vectors have two different components."""
    return gp.LipschitzQuery(_nothing, query.profile.lipschitz, query.space)


def _beside(query: gp.queries.Query, epsilon: object) -> tuple[gp.queries.Query, ...]:
    """A threshold where a query of straight pieces on a line bends last; none for another query."""
    if query.knots is None or query.space.dimension > 1:
        return ()
    last = np.reshape(np.max(query.knots), (1, *query.space.point_shape))
    return (gp.Threshold(float(np.ravel(query.space.values(last))[0]), _length(epsilon), query.space),)


@dataclass(frozen=True)
class Row:
    """One mechanism calibrated to one query, when it is first needed."""

    name: str
    asked: Asked
    calibrate: Calibrate

    @cached_property
    def mechanism(self) -> Any:
        return self.calibrate(self.asked.query, self.asked.epsilon)

    @property
    def values(self) -> FloatArray:
        return np.asarray(self.asked.values, dtype=np.float64)

    def moments(self) -> tuple[FloatArray, FloatArray]:
        """Bias and variance of the estimate of the row's query: the mechanism's own, or else by quadrature."""
        return self._moments

    @cached_property
    def _moments(self) -> tuple[FloatArray, FloatArray]:
        m, q = self.mechanism, self.asked.query  # a mechanism that cannot be calibrated to the query is refused here
        try:
            if isinstance(m, gp.mechanisms.VectorTable):
                return m.moments(self.values, q)
            if isinstance(m, INPUT):
                return m.bias(self.values, q), m.variance(self.values, q)
            bias, variance = np.asarray(m.bias(self.values)), np.asarray(m.variance(self.values))
        except gp.InvalidParameter:
            if getattr(m, "estimator", None) != "plain":  # only a plain estimate may have no closed form
                raise
            return plain_moments(m, self.values, q)
        return (bias[..., 0], variance[..., 0]) if isinstance(m, gp.VectorSmoothCauchy) else (bias, variance)

    def draw(self, n: int, rng: np.random.Generator) -> FloatArray:
        """n contributions for each value, shape (values, n)."""
        spread = np.repeat(self.values[:, None], n, axis=1)
        released = self.mechanism.simulate(spread.reshape(-1, *spread.shape[2:]), rng)
        return np.asarray(self.mechanism.contributions(released.values, self.asked.query)).reshape(-1, n)


def rows() -> list[Row]:
    """Every combination that makes sense."""
    return [
        Row(f"{name} / {asked.name}", asked, calibrate)
        for asked in ASKED
        for name, calibrate in MECHANISMS.items()
        if makes_sense(name, asked) and not _seen(name, asked)
    ]


# Spaces and shapes that are new, with profiles that are not: mechanisms that see the profile alone have had them.
SAME_PROFILES = (
    "threshold in cents",
    "ball on a map",
    "ball on a map of recorded positions",
    "ball around recorded positions",
    "kernel in space",
    "ridge",
    "smooth range",
    "score on a line",
    "blurred half-space",
)
ONCE = ("LeastScaleT", "Table", "Lattice", "Lattice, round", "InputLaplace", "InputLaplace plain", "CoordinateLaplace")


STEPS = (
    "threshold",
    "narrow threshold",
    "threshold on ratios",
    "range",
    "half-space",
    "ball",
    "ball on a map",
    "ball on Earth",
    "geofence",
    "geofence on Earth",
    "smooth threshold",
    "smooth range",
)
SHARING = ("range", "ball", "ball on a map")  # discs on lines and planes, that have others far from them
FEW_STEPS = ("threshold", "smooth threshold", "range", "ball on Earth")  # each is a program of some seconds


def _seen(name: str, asked: Asked) -> bool:
    """Whether the mechanism has met the profile in another row: mechanisms work on profiles."""
    if name == "BracketTable":
        return asked.name not in FEW_STEPS
    if name == "VectorTable":
        return asked.name not in ("threshold", "range")
    if name == "SharedTables":
        return asked.name not in SHARING
    if name == "Lattice, round":
        return asked.query.space.dimension == 1  # where it is the same
    return asked.name in SAME_PROFILES and name not in ONCE


OF_FUNCTIONS = (
    "LipschitzLaplace",
    "SmoothT",
    "SmoothT exact",
    "LeastScaleT",
    "SmoothCauchy",
    "LocalLaplace",
    "Lattice",
)
LINES = (
    "threshold",
    "threshold in cents",
    "narrow threshold",
    "wide threshold",
    "threshold on ratios",
    "range",
    "triangle",
    "staircase",
)
REGIONS = (
    "half-space",
    "orthant",
    "ball",
    "ball on a map",
    "ball on a map of recorded positions",
    "ball on Earth",
    "ball around recorded positions",
    "geofence",
    "geofence on Earth",
    "slab",
    "ring",
)


def makes_sense(name: str, asked: Asked) -> bool:
    """What each mechanism cannot do, by name: the tests of refusals hold it to that."""
    if isinstance(asked.query, gp.Function):
        return name in OF_FUNCTIONS
    if isinstance(asked.query, gp.Blurred) and not asked.query.along_line:
        return name in ("InputLaplace", "Lattice", "Lattice, round")
    match name:
        case "LocalLaplace" | "Table":  # need bounded answers
            return bool(np.isfinite(asked.query.profile.bounds).all())
        case "SharedTables":  # needs others far away, on a line or in a plane
            return asked.name in SHARING
        case "BracketTable":  # needs a step, alike from both sides, and not too wide a one
            return asked.name in STEPS
        case "VectorTable":  # needs straight pieces of one number
            return asked.name in LINES
        case "Lattice":
            return not isinstance(asked.query.space, gp.Earth)
        case "Lattice, round":  # the same on a line; in several dimensions Gaussians and straight lines
            smooth = asked.name in ("kernel", "kernel in space", "ridge", "blurred half-space")
            return asked.query.space.dimension == 1 or smooth
        case "CoordinateLaplace":  # kinks cannot be undone
            return asked.name not in (*LINES, *REGIONS)
        case "InputLaplace":  # nor can curvature of the Earth, nor anything but Gaussians in several dimensions
            return asked.name not in (*LINES, *REGIONS, "kernel on Earth", "sigmoid", "any function")
    return True


ROWS_UNBIASED_INPUT = [row for row in rows() if row.name.startswith(("InputLaplace /", "CoordinateLaplace /"))]
