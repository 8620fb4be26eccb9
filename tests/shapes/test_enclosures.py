"""Queries and noise scales in balls: right, smooth to the last bit, and near the floats that stand in for them."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import shapely
from flint import arb

import geopriv as gp
from geopriv.noise.exact import precision
from geopriv.shapes.coordinates import near_edges
from geopriv.shapes.profiles import BlurredPieces
from geopriv.smooth.additive.smooth import SmoothScale
from geopriv.smooth.sensitivity.gaussian_envelope import gaussian_envelope
from geopriv.spaces.balls import length
from geopriv.spaces.bounded import Bounded
from geopriv.spaces.checks import FloatArray
from tests.rows import (
    ASKED,
    EARTH,
    PLANE,
    Asked,
    Row,
    rows,
)

CUSTOM = ("sigmoid", "score on a line")
REGIONS = ("blurred ball", "blurred geofence", "function")  # they have no coordinate
ENCLOSED = [asked for asked in ASKED if asked.name not in (*CUSTOM, *REGIONS)]
# nothing is added to their answers
OTHERS = (
    "Table",
    "BracketTable",
    "VectorTable",
    "SharedTables",
    "InputLaplace",
    "CoordinateLaplace",
    "Lattice",
    "VectorSmoothCauchy",
)
ADDITIVE = [row for row in rows() if not row.name.startswith(OTHERS) and row.asked in ENCLOSED]

every_query = pytest.mark.parametrize("asked", ENCLOSED, ids=[asked.name for asked in ENCLOSED])


def trying(asked: Asked) -> FloatArray:
    """Values at which rounding matters: near, far, and a few last places beside the query's own landmarks."""
    rng, query = np.random.default_rng(0), asked.query
    shape = query.space.point_shape
    if isinstance(query.space, gp.Earth | gp.LocalPlane):
        near = np.asarray(asked.values)[0] + rng.normal(0, 0.02, (60, 2))
        return np.concatenate([near, [(89.9, 12.0), (-40.7, 106.0), (40.7, -74.0), (0.0, 0.0)]])
    base = np.asarray(asked.values, dtype=np.float64)
    near = base[rng.integers(0, len(base), 60)] + rng.normal(0, 1 / asked.epsilon, (60, *shape))
    far = rng.normal(0, 1, (20, *shape)) * 10.0 ** rng.integers(0, 7, (20, *(1,) * len(shape))) / asked.epsilon
    marks = np.asarray([m for m in query.profile.landmarks for _ in range(3)])
    ulps = (1 + np.resize([-(2.0**-52), 0.0, 2.0**-52], marks.size)) * marks
    exact = np.reshape(query.geometry.anchor, shape) + np.multiply.outer(
        ulps, np.ones(shape) / math.sqrt(len(shape) or 1)
    )
    return np.concatenate([near, far, exact])


def people(asked: Asked) -> FloatArray:
    return asked.query.space.read_rows(trying(asked))[0]


@every_query
def test_balls_hold_what_floats_compute_and_narrow_with_precision(asked: Asked) -> None:
    query = asked.query
    floats = query.coordinate(trying(asked))
    for row, s in zip(people(asked).tolist(), floats.tolist(), strict=True):
        balls = []
        for bits in (80, 200, 400):
            with precision(bits):
                balls.append(query.geometry.enclose(row))
        assert balls[0].contains(balls[1])
        assert balls[1].contains(balls[2])
        assert balls[2].rad() < 1e-80 * (1 + abs(s) + 1 / asked.epsilon)
        assert abs(balls[2] - s) < 1e-11 * (abs(s) + 1e4 / asked.epsilon)


@every_query
def test_coordinates_in_floats_have_bounds_above_their_errors(asked: Asked) -> None:
    rows_ = people(asked)
    bounded = asked.query.geometry.bounded(rows_)
    if bounded is None:
        assert isinstance(asked.query, gp.LipschitzQuery)
        return
    with precision(200):
        for row, s, off in zip(rows_.tolist(), bounded.value.tolist(), bounded.off.tolist(), strict=True):
            assert abs(asked.query.geometry.enclose(row) - s) <= off / 2


@pytest.mark.parametrize("row", ADDITIVE, ids=[row.name for row in ADDITIVE])
def test_answers_and_scales_in_floats_have_bounds_above_their_errors(row: Row) -> None:
    query, sigma, numbers = row.asked.query, row.mechanism.scale, people(row.asked)
    s = query.geometry.bounded(numbers)
    answer = None if s is None else query.profile.bounded(s)
    spread = None if s is None else sigma.bounded(s, row.asked.epsilon)
    with precision(200):
        for i, numbers_of_one in enumerate(numbers.tolist()):
            place = query.geometry.enclose(numbers_of_one)
            if answer is not None:
                assert abs(query.profile.enclose(place) - float(answer.value[i])) <= answer.off[i] / 2
            if spread is not None:
                ratio = float(spread.value[i]) / sigma.enclose(place)
                assert abs(ratio - 1) <= spread.off[i] / 2


@pytest.mark.parametrize("row", ADDITIVE, ids=[row.name for row in ADDITIVE])
def test_scales_in_balls_are_the_stated_ones(row: Row) -> None:
    """With the margin of 2^-30, and up to 5e-4 for the smooth sensitivity of a Gaussian."""
    query, values = row.asked.query, row.values
    stated = row.mechanism.scale(query.coordinate(values))
    room = (
        5e-4 if isinstance(query.profile, gp.shapes.Gaussian) and isinstance(row.mechanism.scale, SmoothScale) else 1e-8
    )
    with precision(200):
        for numbers, scale in zip(query.space.read_rows(values)[0].tolist(), stated.tolist(), strict=True):
            ball = row.mechanism.scale.enclose(query.geometry.enclose(numbers))
            assert scale * (1 + 1e-10) < ball < scale * (1 + room)


SMOOTH: list[tuple[gp.shapes.Profile, Any, float]] = [
    (gp.shapes.Gaussian(1.0), gp.smooth.ExponentialGrowth(0.3), math.inf),
    (gp.shapes.Gaussian(1.0), gp.smooth.ExponentialGrowth(0.3), 1.5),
    (gp.shapes.Gaussian(1.0), gp.smooth.LinearGrowth(0.3), math.inf),
    (gp.shapes.Smoothstep(2.0), gp.smooth.ExponentialGrowth(0.3), math.inf),
    (gp.shapes.Smoothstep(2.0), gp.smooth.LinearGrowth(0.3), 2.0),
    (BlurredPieces(gp.shapes.Ramp(1.0), 0.5), gp.smooth.ExponentialGrowth(0.3), math.inf),
    (gp.shapes.Ramp(1.0), gp.smooth.ExponentialGrowth(0.3), math.inf),
    (gp.shapes.Ramp(1.0), gp.smooth.ExponentialGrowth(5.0), 0.9),
    (gp.shapes.Ramp(1.0), gp.smooth.LinearGrowth(0.3), math.inf),
    (gp.shapes.PiecewiseLinear((-2, -1, 0, 3), (0, 1, 0.25, 0.5)), gp.smooth.ExponentialGrowth(0.3), math.inf),
    (gp.shapes.PiecewiseLinear((-2, -1, 0, 3), (0, 1, 0.25, 0.5)), gp.smooth.LinearGrowth(0.3), 2.0),
]


def violations(profile: gp.shapes.Profile, growth: Any, radius: float, exact: bool) -> int:
    """Pairs of very close coordinates between which a scale changes by more than the growth allows."""
    sigma = SmoothScale(gp.RadialQuery(0.0, profile), growth, 1.0, radius)
    rng = np.random.default_rng(1)
    found = 0
    with precision(400):
        for s in rng.uniform(0, 6, 60).tolist():
            other = float(np.nextafter(s, 7.0))
            first, second = (
                sigma.smooth_bound(arb(t)) if exact else arb(float(sigma(np.asarray(t)))) for t in (s, other)
            )
            way = growth.gamma * (arb(other) - arb(s))
            limit = way.exp() if isinstance(growth, gp.smooth.ExponentialGrowth) else 1 + way
            found += bool(
                first > second * limit * (1 + arb(2) ** -300) or second > first * limit * (1 + arb(2) ** -300)
            )
    return found


@pytest.mark.parametrize(("profile", "growth", "radius"), SMOOTH)
def test_scales_are_smooth_between_neighbouring_floats(profile: gp.shapes.Profile, growth: Any, radius: float) -> None:
    """Where a computed scale is not: its rounding errors alone exceed what the growth allows over one last place."""
    assert violations(profile, growth, radius, exact=True) == 0
    assert violations(profile, growth, radius, exact=False) > 0


@pytest.mark.parametrize("radius", [math.inf, 0.5, 2.0, 40.0])
def test_the_step_function_of_a_gaussian_is_never_below_its_lipschitz_constants(radius: float) -> None:
    profile = gp.shapes.Gaussian(2.0)
    bound = gaussian_envelope(profile, radius)
    rng = np.random.default_rng(2)
    s = np.concatenate([rng.uniform(0, 6, 20_000), rng.uniform(0, 200, 20_000), bound.edges[:-1], [2.0]])
    exact = gp.smooth.pointwise_lipschitz(profile, s, radius)
    assert (bound.pointwise(s) >= exact).all()
    assert (bound.pointwise(s)[s < 12] <= exact[s < 12] * 1.005).all()


@pytest.mark.parametrize("calibrate", [gp.SmoothT.calibrate, gp.SmoothCauchy.calibrate, gp.LeastScaleT.calibrate])
def test_the_scales_that_reports_use_pass_the_audit(calibrate: Any) -> None:
    """For kernels, whose reports have scales a little above the stated ones; scales in steps of 1 % do not pass."""
    mechanism = calibrate(gp.GaussianKernel(0.0, 2.0), 1.0)

    def used(s: FloatArray) -> FloatArray:
        bounded = mechanism.scale.bounded(Bounded(s, np.zeros_like(s)), 1.0)
        assert bounded is not None
        return np.asarray(bounded.value)

    assert gp.audit(replace(mechanism, scale=used)).passed
    assert not gp.audit(replace(mechanism, scale=lambda s: np.exp(np.round(np.log(used(s)), 2)))).passed


def test_a_tabled_scale_is_enclosed_across_its_nodes() -> None:
    scale: Any = gp.LeastScaleT.calibrate(gp.GaussianKernel(0.0, 1.0), 1.0).scale
    nodes = scale.nodes
    with precision(100):
        for place in (nodes[5], nodes[100], nodes[-1], nodes[-1] + 3, nodes[7] - 1e-9):
            wide = scale.enclose(arb(float(place), 1e-6))
            for s in np.linspace(place - 9e-7, place + 9e-7, 7):
                assert wide.contains(scale.enclose(arb(float(s))).mid())


RING = shapely.Polygon([(0, 0), (4, 0), (4, 4), (0, 4)], [[(1, 1), (3, 1), (3, 3), (1, 3)]])


@pytest.mark.parametrize(
    ("place", "expected"),
    [((0.5, 2.0), -0.5), ((2.0, 2.0), 1.0), ((5.0, 2.0), 1.0), ((7.0, 8.0), 5.0), ((4.0, 1.0), 0.0), ((1.0, 1.0), 0.0)],
)
def test_regions_with_holes_have_the_right_sign(place: tuple[float, float], expected: float) -> None:
    query = gp.Geofence(RING, 0.5, PLANE)
    with precision(100):
        assert abs(query.geometry.enclose(place) - expected) < 1e-20


def test_a_region_on_earth_agrees_with_the_plane_where_it_is_small() -> None:
    query = gp.Geofence(shapely.Polygon([(0, 0), (0.01, 0), (0.01, 0.01), (0, 0.01)]), 50.0, EARTH)
    metres = EARTH.radius * math.pi / 180
    with precision(100):
        for (latitude, longitude), degrees in {
            (0.004, 0.005): -0.004,
            (0.005, 0.013): 0.003,
            (0.0, 0.005): 0.0,
        }.items():
            assert abs(query.geometry.enclose((latitude, longitude)) - degrees * metres) < 1e-3
        beyond = query.geometry.enclose((0.0, 179.0))
        assert beyond > 178 * metres


def test_profiles_and_spaces_that_floats_round_are_exact_in_balls() -> None:
    with precision(300):
        third = gp.shapes.Ramp(3.0).enclose(arb(-1) / 2)
        assert abs(third - arb(1) / 3) < arb(2) ** -280
        log = gp.LogLine(base=2.0, floor=1.0).enclose([10.0])[0]
        assert abs(log - arb(10).log() / arb(2).log()) < arb(2) ** -280
        assert gp.LogLine(base=2.0, floor=1.0).enclose([-5.0])[0] == 0


def test_what_has_no_enclosure_is_refused() -> None:
    custom = gp.shapes.Custom(np.tanh, 1.0, -6.0, 6.0, curvature=0.77)
    with pytest.raises(gp.InvalidParameter, match="Custom"):
        custom.enclose(arb(0))
    sigma = SmoothScale(gp.RadialQuery(0.0, custom), gp.smooth.ExponentialGrowth(0.3), 1.0, math.inf)
    with pytest.raises(gp.InvalidParameter, match="LeastScaleT and Table"):
        sigma.enclose(arb(0))
    with pytest.raises(gp.InvalidParameter, match="scale"):
        replace(gp.LipschitzLaplace.calibrate(gp.Threshold(0.0, 1.0), 1.0), scale=np.cosh).report(0.0)


def star(corners: int, on_earth: bool) -> gp.queries.Query:
    """A jagged region with a hole and many edges."""
    turn = np.linspace(0, 2 * np.pi, corners, endpoint=False)
    size = 1 + 0.4 * np.random.default_rng(4).random(corners)
    outline = np.stack([size * np.cos(turn), size * np.sin(turn)], axis=1)
    hole = 0.3 * outline[::3]
    if on_earth:
        outline, hole = np.array([-74.0, 40.7]) + 0.1 * outline, np.array([-74.0, 40.7]) + 0.1 * hole
        return gp.Geofence(shapely.Polygon(outline, [hole]), 500.0, EARTH)
    return gp.Geofence(shapely.Polygon(outline, [hole]), 0.1, PLANE)


@pytest.mark.parametrize("on_earth", [False, True])
def test_ruling_edges_out_by_floats_changes_nothing(on_earth: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    query, rng = star(60, on_earth), np.random.default_rng(5)
    corners = shapely.get_coordinates(query.polygon)  # type: ignore[attr-defined]
    middles = (corners[1:] + corners[:-1]) / 2
    spread = 0.1 if on_earth else 1.0
    near = middles[rng.integers(0, len(middles), 60)] + spread * rng.standard_normal((60, 2)) * 10.0 ** rng.uniform(
        -17, 0.3, (60, 1)
    )
    places = np.concatenate([corners[::7], near])
    rows_ = (places[:, ::-1] if on_earth else places).tolist()
    with precision(150):
        quick = [query.geometry.enclose(row) for row in rows_]
        monkeypatch.setattr(near_edges, "in_plane", lambda starts, ends, row, off: range(len(starts)))
        monkeypatch.setattr(near_edges, "on_earth", lambda arcs, place: range(len(arcs.starts)))
        monkeypatch.setattr(near_edges, "SIDE_MARGIN", math.inf)  # every side by winding numbers
        plain = [query.geometry.enclose(row) for row in rows_]
    for first, second in zip(quick, plain, strict=True):
        assert abs(first - second) < 1e-20 * (1e6 if on_earth else 1)


def sliver(shift: float) -> gp.queries.Query:
    return gp.Geofence(shapely.Polygon(np.array([(0, 0), (1e3, 1e-3), (2e3, 0), (1e3, 2e-3)]) + shift), 1.0, PLANE)


@pytest.mark.parametrize("query", [star(60, False), star(60, True), sliver(0.0), sliver(1e6)])
def test_distances_to_awkward_regions_have_bounds_above_their_errors(query: gp.queries.Query) -> None:
    rng, corners = np.random.default_rng(6), shapely.get_coordinates(query.polygon)  # type: ignore[attr-defined]
    extent = float(np.ptp(corners[:, 0]))
    away = extent * rng.standard_normal((200, 2)) * 10.0 ** rng.uniform(-16, 1, (200, 1))
    places = np.concatenate([corners, corners[rng.integers(0, len(corners), 200)] + away])
    numbers = places[:, ::-1].copy() if query.space == EARTH else places
    bounded = query.geometry.bounded(numbers)
    assert bounded is not None
    with precision(200):
        for row, s, off in zip(numbers.tolist(), bounded.value.tolist(), bounded.off.tolist(), strict=True):
            assert abs(query.geometry.enclose(row) - s) < off / 8


@pytest.mark.parametrize("on_earth", [False, True])
def test_a_region_of_a_thousand_edges_is_still_quick(on_earth: bool) -> None:
    mechanism = gp.LeastScaleT.calibrate(star(1000, on_earth), 1e-3 if on_earth else 1.0, df=3.0)
    times = []
    for _ in range(30):
        start = time.perf_counter()
        mechanism.report([(40.75, -74.0) if on_earth else (0.8, 0.1)])
        times.append(time.perf_counter() - start)
    assert min(times) < 5e-3  # each edge in balls would take ten times as long


@pytest.mark.parametrize("corner", [(360.0, 7.679876612982415), (360.0, -2.838730002316625), (353.3537338834053, -1.0)])
def test_a_distance_on_earth_narrows_at_the_corners_of_a_region(corner: tuple[float, float]) -> None:
    """At some corners a height is a ball around 0 exactly, whose power is not a number in the arithmetic of balls."""
    corners = [(360.0, 7.679876612982415), (360.0, -2.838730002316625), (353.3537338834053, -1.0)]
    query = gp.Geofence(shapely.Polygon(corners), 1e3, EARTH)
    rows_, _ = EARTH.read_rows([corner[::-1]])
    with precision(400):
        assert abs(query.geometry.enclose(rows_[0].tolist())) < 1e-100


def test_lengths_and_kernels_are_known_around_zero() -> None:
    around = arb(0, 1e-60)
    with precision(400):
        assert length([around, around]) < 1e-55
        assert abs(gp.shapes.Gaussian(1.0).enclose(around) - 1) < 1e-100
