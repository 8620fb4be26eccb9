"""Profiles without kinks: smooth steps, blurred pieces, the edges of queries, and blurred queries."""

from __future__ import annotations

import math
import pickle
from itertools import pairwise

import numpy as np
import pytest
import shapely
from scipy import integrate, special

import geopriv as gp
from geopriv.mechanisms.input.deconvolution import undo
from geopriv.shapes.profiles import BlurredPieces, LinearPieces
from geopriv.spaces.checks import FloatArray

PLANE = gp.Plane("m")
CITY = gp.LocalPlane(south=40.5, west=-74.3, north=40.95, east=-73.65)
STAIRS = gp.shapes.PiecewiseLinear((-2.0, -1.0, 0.0, 3.0), (0.0, 1.0, 0.25, 0.5))
PIECES: list[LinearPieces] = [
    gp.shapes.Ramp(1e-7),
    gp.shapes.PiecewiseLinear((0.0, 1e-6, 5.0), (0.0, 2.0, 1.0)),
    gp.shapes.Ramp(2.0, center=1.0),
    gp.shapes.Ramp(0.01, rising=False),
    gp.shapes.Trapezoid(3.0, 1.0, center=-1.0),
    gp.shapes.Triangle(1.5),
    STAIRS,
]
BLURRED = [BlurredPieces(pieces, h) for pieces in PIECES for h in (0.05, 0.7, 4.0)]
STEPS = [
    gp.shapes.Smoothstep(2.0),
    gp.shapes.Smoothstep(0.3, center=5.0, rising=False),
    gp.shapes.Smoothstep(1e-3, center=-2.0),
]
SMOOTH = [*STEPS, *BLURRED]

every_smooth = pytest.mark.parametrize("profile", SMOOTH, ids=str)


def around(profile: gp.shapes.Smoothstep | BlurredPieces, count: int = 2001) -> FloatArray:
    """Places all over the profile and a little beyond, none of them on a landmark."""
    wide = profile.high - profile.low
    return np.linspace(profile.low - 0.2 * wide, profile.high + 0.2 * wide, count) + 1e-5 * wide / math.pi


@pytest.mark.parametrize("profile", BLURRED, ids=str)
def test_a_blurred_profile_is_the_mean_over_the_blur(profile: BlurredPieces) -> None:
    """Against quadrature between knots, where the integrand is smooth."""
    h = profile.bandwidth
    for s in (profile.low, -0.4, 0.3, 1.7, profile.high):
        breaks = sorted({s - 10 * h, *(k for k in profile.pieces.knots if abs(k - s) < 10 * h), s, s + 10 * h})
        mean = sum(
            integrate.quad(
                lambda y, s=s: float(profile.pieces(np.asarray(y))) * math.exp(-0.5 * ((y - s) / h) ** 2),
                low,
                high,
                epsabs=1e-13,
                epsrel=1e-12,
            )[0]
            for low, high in pairwise(breaks)
        ) / (h * math.sqrt(2 * math.pi))
        assert float(profile(np.asarray(s))) == pytest.approx(mean, abs=1e-11)


@every_smooth
def test_slope_and_second_derivative_are_those_of_the_values(profile: gp.shapes.Smoothstep | BlurredPieces) -> None:
    s, step = around(profile), 1e-5 * (profile.high - profile.low)
    slope = (profile(s + step) - profile(s - step)) / (2 * step)
    assert np.abs(slope - profile.slope(s)).max() <= 1e-4 * profile.lipschitz + profile.curvature * step
    bend = (profile.slope(s + step) - profile.slope(s - step)) / (2 * step)
    far = np.min([np.abs(s - mark) for mark in profile.landmarks], axis=0) > 2 * step  # a smooth step's bend jumps
    assert np.abs(bend - profile.second(s))[far].max() <= 1e-3 * profile.curvature


@every_smooth
def test_lipschitz_and_curvature_are_bounds_and_reached(profile: gp.shapes.Smoothstep | BlurredPieces) -> None:
    s = np.unique(np.concatenate([around(profile, 40_001), profile.landmarks]))
    steepest, bend = float(np.abs(profile.slope(s)).max()), float(np.abs(profile.second(s)).max())
    assert steepest <= profile.lipschitz * (1 + 1e-12)
    assert steepest >= 0.999 * profile.lipschitz
    assert bend <= profile.curvature * (1 + 1e-12)
    chords = np.abs(np.diff(profile(s))) / np.diff(s)
    assert chords.max() <= profile.lipschitz * (1 + 1e-9) + 1e-9
    if isinstance(profile, gp.shapes.Smoothstep):
        assert bend == profile.curvature
    assert min(profile(s)) >= profile.bounds[0] - 1e-12
    assert max(profile(s)) <= profile.bounds[1] + 1e-12


@every_smooth
def test_outside_low_and_high_nothing_happens(profile: gp.shapes.Smoothstep | BlurredPieces) -> None:
    left, right = profile.low - np.array([0.0, 1.0, 1e9]), profile.high + np.array([0.0, 1.0, 1e9])
    for side in (left, right):
        np.testing.assert_allclose(profile(side), profile(side)[0], atol=1e-15)
        np.testing.assert_array_equal(profile.slope(side[1:]), 0.0)
        np.testing.assert_array_equal(profile.second(side[1:]), 0.0)
    assert profile.landmarks == tuple(sorted(profile.landmarks))
    assert (profile.landmarks[0], profile.landmarks[-1]) == (profile.low, profile.high)
    assert profile.kinks == ()


@every_smooth
@pytest.mark.parametrize("factor", [0.1, 7.0])
def test_a_stretched_profile_is_the_profile_of_a_stretched_coordinate(
    profile: gp.shapes.Smoothstep | BlurredPieces, factor: float
) -> None:
    s = around(profile, 501) / factor
    np.testing.assert_allclose(profile.stretched(factor)(s), profile(factor * s), atol=1e-11)
    assert profile.stretched(factor).lipschitz == pytest.approx(factor * profile.lipschitz, rel=1e-9)


@every_smooth
def test_profiles_take_empty_arrays_and_single_numbers(profile: gp.shapes.Smoothstep | BlurredPieces) -> None:
    for function in (profile, profile.slope, profile.second):
        assert function(np.empty(0)).shape == (0,)
        assert np.shape(function(np.asarray(0.3))) == ()


AUDITED = [
    gp.shapes.Smoothstep(2.0),
    gp.shapes.Smoothstep(0.2),
    BlurredPieces(STAIRS, 0.5),
    BlurredPieces(gp.shapes.Ramp(1e-7), 0.2),
]


@pytest.mark.parametrize("profile", AUDITED, ids=str)
@pytest.mark.parametrize("epsilon", [0.3, 4.0])
def test_promises_made_with_smooth_profiles_hold(profile: gp.shapes.Profile, epsilon: float) -> None:
    query = gp.LinearQuery((1.0,), profile)
    for calibrate in (gp.SmoothT.calibrate, gp.LeastScaleT.calibrate):
        result = gp.audit(calibrate(query, epsilon))
        assert result.worst_ratio <= 1 + 1e-9, result
    assert result.worst_ratio >= 0.99  # the least scale spends all of it


@pytest.mark.parametrize("profile", AUDITED[:1] + AUDITED[2:3], ids=str)
def test_a_table_of_a_smooth_profile_keeps_its_promise(profile: gp.shapes.Profile) -> None:
    result = gp.audit(gp.Table.calibrate(gp.LinearQuery((1.0,), profile), 1.0))
    assert 0.99 <= result.worst_ratio <= 1 + 1e-9


def test_smooth_sensitivity_of_a_smooth_step_is_at_least_its_own_slope_and_smooth() -> None:
    profile, gamma = gp.shapes.Smoothstep(2.0), 0.8
    s = np.linspace(-6.0, 6.0, 1201)
    bound = gp.smooth.smooth_sensitivity(profile, gp.smooth.ExponentialGrowth(gamma), s)
    assert (bound >= np.abs(profile.slope(s)) * (1 - 1e-9)).all()
    assert np.abs(np.diff(np.log(bound)) / np.diff(s)).max() <= gamma * (1 + 1e-6)
    assert bound.max() == pytest.approx(profile.lipschitz, rel=1e-3)


def test_edges_of_thresholds_and_ranges_are_linear_or_smooth() -> None:
    linear, smooth = gp.Threshold(3.0, 2.0), gp.Threshold(3.0, 2.0, edge="smooth")
    assert linear != smooth
    assert smooth([3.0]) == linear([3.0]) == 0.5
    assert (smooth([2.0, 4.0]) == [0.0, 1.0]).all()
    assert smooth([2.5])[0] < linear([2.5])[0]
    wide = gp.Range(0.0, 10.0, 2.0, edge="smooth")
    np.testing.assert_allclose(wide([-1.0, 0.0, 0.5, 5.0, 10.0]), [0.0, 0.5, 0.875, 1.0, 0.5])
    assert gp.Range(0.0, 2.0, 2.0, edge="smooth")([1.0]) == 1.0  # both steps meet in the middle
    with pytest.raises(gp.InvalidParameter, match="edge"):
        gp.Threshold(0.0, 1.0, edge="round")  # type: ignore[arg-type]
    with pytest.raises(gp.InvalidParameter, match="edge"):
        gp.Range(0.0, 1.0, 0.5, shape="triangle", edge="smooth")


def test_the_two_steps_of_a_range_that_meet_in_the_middle_are_undone_without_bias() -> None:
    """Error rate: |z| ≤ 4.5, 7e-6. Level in the middle, but its second derivative jumps there."""
    query, mechanism = gp.Range(0.0, 2.0, 2.0, edge="smooth"), gp.InputLaplace.calibrate(gp.Line(), 1.0)
    shares = mechanism.contributions(mechanism.simulate(np.full(400_000, 1.1), np.random.default_rng(3)).values, query)
    assert abs(shares.mean() - float(query([1.1])[0])) < 4.5 * shares.std() / math.sqrt(shares.size)
    assert shares.var() == pytest.approx(float(mechanism.variance([1.1], query)[0]), rel=0.02)


BLURS = [
    gp.Blurred(gp.Threshold(1000.0, 0.5, gp.LogLine(2.0)), 0.7),
    gp.Blurred(gp.Score((1.0, -2.0), 0.3, 1.0), 0.7),
    gp.Blurred(gp.Ball((0.5, 0.0), 2.0, 1.0, PLANE), 0.8),
    gp.Blurred(gp.RadialQuery((0.0, 0.0), gp.shapes.Triangle(1.0, center=3.0), PLANE), 0.7),
    gp.Blurred(gp.Geofence(shapely.box(0, 0, 3, 2), 0.4, PLANE), 1.0),
    gp.Blurred(gp.Ball((40.7, -74.0), 3000.0, 500.0, CITY), 1000.0),
]


@pytest.mark.parametrize("query", BLURS, ids=str)
def test_blurred_queries_are_values(query: gp.Blurred) -> None:
    again = gp.Blurred(query.query, query.bandwidth)
    assert again == query
    assert hash(again) == hash(query)
    assert query != gp.Blurred(query.query, 2 * query.bandwidth)
    point = np.ones(query.space.point_shape)
    before = query(point)  # which may compute a grid
    copy = pickle.loads(pickle.dumps(query))
    assert copy == query
    assert copy(point) == before
    assert len(pickle.dumps(query)) < 10_000


def test_a_blurred_threshold_on_ratios_blurs_logarithms() -> None:
    query = gp.Blurred(gp.Threshold(1000.0, 1e-6, gp.LogLine(2.0)), 0.5)
    np.testing.assert_allclose(query([1000.0, 2000.0, 0.0]), [0.5, special.ndtr(2.0), 0.0], atol=1e-9)
    assert gp.audit(gp.LeastScaleT.calibrate(query, 1.0)).passed


def test_a_blurred_disc_on_a_local_map_is_asked_in_degrees() -> None:
    flat = gp.Blurred(gp.Ball(tuple(CITY.read((40.7, -74.0)).tolist()), 3000.0, 500.0, PLANE), 1000.0)
    places = np.array([(40.7, -74.0), (40.72, -74.01), (40.9, -73.8)])
    np.testing.assert_allclose(BLURS[-1](places), flat(CITY.read(places)), atol=1e-12)


@pytest.mark.parametrize("width", [1.0, 0.05, 1e-4])
@pytest.mark.parametrize("bandwidth", [0.5, 2.0])
def test_a_blurred_disc_is_right_to_a_thousandth_however_narrow_its_edge(width: float, bandwidth: float) -> None:
    ball = gp.Ball((0.013, 0.029), 2.0, width, PLANE)
    blurred = gp.Blurred(ball, bandwidth)
    r = np.linspace(0.0, 16.0, 800_001)
    inside = ball.profile(r - 2.0) * r / bandwidth**2
    for away in (0.0, 1.1, 2.0, 3.3):
        bell = np.exp(-((r - away) ** 2) / 2 / bandwidth**2) * special.i0e(r * away / bandwidth**2)
        exact = float(np.trapezoid(inside * bell, r))
        assert float(blurred((0.013 + away, 0.029))) == pytest.approx(exact, abs=1e-3)


def test_a_blurred_box_with_sharp_edges_is_a_product_of_normal_shares() -> None:
    query = gp.Blurred(gp.Geofence(shapely.box(-1.01, -2.03, 1.02, 0.97), 1e-3, PLANE), 0.5)
    points = np.random.default_rng(1).uniform(-3, 3, (200, 2))
    low, high = np.array([-1.01, -2.03]), np.array([1.02, 0.97])
    exact = (special.ndtr((high - points) / 0.5) - special.ndtr((low - points) / 0.5)).prod(axis=1)
    assert np.abs(query(points) - exact).max() < 5e-4


def test_a_kink_that_a_custom_profile_hides_is_refused_or_its_error_is_stated() -> None:
    def bent(s: FloatArray) -> FloatArray:
        return np.tanh(s) + 0.2 * np.clip(s - 0.3, 0.0, 0.5)

    hidden = gp.LinearQuery((1.0,), gp.shapes.Custom(bent, 1.3, -8.0, 8.0, curvature=0.77))
    with pytest.raises(gp.InvalidParameter, match="continuous slope"):
        undo(hidden, 1.0)
    rounded = gp.LinearQuery((1.0,), gp.shapes.Custom(np.tanh, 1.0, -7.0, 7.0, curvature=0.77))
    inverse = undo(rounded, 1.0)
    s = np.linspace(-7, 7, 100_003)
    spline = inverse.function.profile(s)  # type: ignore[attr-defined]
    assert np.abs(spline - np.tanh(s)).max() <= inverse.error * (1 + 1e-6)


@pytest.mark.parametrize(
    "query",
    [
        gp.RadialQuery((0.0, 0.0), gp.shapes.Gaussian(1.0, center=2.0), PLANE),
        gp.RadialQuery((0.0, 0.0), gp.shapes.Smoothstep(1.0, center=3.0), PLANE),
        gp.LinearQuery((1.0, 1.0), gp.shapes.Smoothstep(1.0), space=PLANE),
        gp.LinearQuery((1.0, 1.0, 0.0), gp.shapes.Smoothstep(1.0)),
    ],
    ids=["ring", "smooth disc", "smooth half-plane", "smooth half-space"],
)
def test_one_continuous_slope_is_not_enough_in_the_plane_and_in_space(query: gp.queries.Query) -> None:
    """T6 in d = 2 takes three derivatives, in d = 3 four: nothing here is called unbiased."""
    with pytest.raises(gp.InvalidParameter, match="smooth enough"):
        undo(query, 1.0)


def test_a_function_without_a_hash_is_no_obstacle() -> None:
    cubic = gp.shapes.Custom(np.poly1d([-0.5, 0.0, 1.5, 0.0]), 1.5, -1.0, 1.0, curvature=3.0)
    mechanism = gp.InputLaplace.calibrate(gp.Euclidean(1), 1.0)
    assert mechanism.variance([(0.2,)], gp.LinearQuery((1.0,), cubic)).shape == (1,)
    assert gp.plan(gp.LinearQuery((1.0,), cubic), 1.0, 10, mechanisms=["InputLaplace"]).best.error > 0


@pytest.mark.parametrize("shape", [(), (0,), (2, 3)])
def test_moments_of_input_reports_have_the_shape_of_the_values(shape: tuple[int, ...]) -> None:
    mechanism = gp.InputLaplace.calibrate(PLANE, 1.0)
    for query in (gp.GaussianKernel((0.0, 0.0), 1.0, PLANE), BLURS[2]):
        x = np.zeros((*shape, 2))
        assert mechanism.variance(x, query).shape == shape
        assert mechanism.bias(x, query).shape == shape
        assert np.asarray(mechanism.contributions(x, query)).shape == shape


def test_very_far_people_are_answered_without_noise() -> None:
    mechanism = gp.InputLaplace.calibrate(PLANE, 1.0)
    for query in (gp.GaussianKernel((0.0, 0.0), 1.0, PLANE), BLURS[2]):
        assert mechanism.variance([(1e9, -1e9)], query)[0] == pytest.approx(0.0, abs=1e-15)
        assert mechanism.contributions(np.array([[1e300, 0.0]]), query)[0] == pytest.approx(0.0, abs=1e-8)
