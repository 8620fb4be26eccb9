"""Undoing noise on the input: g against closed forms and against quadrature that knows nothing of spectra."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
import shapely
from scipy import integrate

import geopriv as gp
from geopriv.mechanisms.input.deconvolution import LaplaceSpectrum, undo
from geopriv.mechanisms.input.deconvolution.kernel import kernel_table
from geopriv.mechanisms.input.deconvolution.line import laplace_mean
from geopriv.spaces.checks import FloatArray
from tests.rows import ROWS_UNBIASED_INPUT, Row

PLANE = gp.Plane("m")
PARK = shapely.Polygon([(0, 0), (3, 0), (3, 2), (1.5, 0.8), (0, 2)])


@pytest.mark.parametrize("rate", [0.1, 0.4, 1.0, 2.4, 10.0])
def test_the_table_of_a_gaussian_is_the_differential_operator_in_one_and_three_dimensions(rate: float) -> None:
    r = np.linspace(0.0, 9.0, 400)
    f = np.exp(-(r**2) / 2)
    one = f * (1 - (r**2 - 1) / rate**2)
    three = f * (1 - 2 * (r**2 - 3) / rate**2 + (r**4 - 10 * r**2 + 15) / rate**4)
    for table, exact in (
        (kernel_table(LaplaceSpectrum(rate, 1), 1), one),
        (kernel_table(LaplaceSpectrum(rate, 3), 3), three),
    ):
        assert np.abs(table(r) - exact).max() <= table.error
        assert table.error <= 1e-9 * np.abs(exact).max()


def planar_mean(function: Callable[[FloatArray], FloatArray], x: tuple[float, float], rate: float) -> float:
    """E φ(x + Z) for planar Laplace noise, by Gauss–Legendre in the length and equal steps of the angle."""
    nodes, weights = np.polynomial.legendre.leggauss(40)
    edges = np.linspace(0.0, 40.0, 61)
    length = (edges[:-1, None] + np.diff(edges)[:, None] * (nodes + 1) / 2).ravel()
    weight = np.tile(weights, 60) * (edges[1] - edges[0]) / 2 * length * np.exp(-length)
    turn = np.arange(240) * math.pi / 120
    around = np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    points = np.asarray(x) + (length / rate)[:, None, None] * around
    return float(weight @ function(points).mean(axis=1))


@pytest.mark.parametrize("rate", [0.4, 1.0, 3.0])
@pytest.mark.parametrize("x", [(0.0, 0.0), (0.6, -0.8), (3.0, 1.0)])
def test_undone_noise_leaves_the_kernel_and_the_stated_second_moment_in_the_plane(
    rate: float, x: tuple[float, float]
) -> None:
    query = gp.GaussianKernel((0.0, 0.0), 1.0, PLANE)
    inverse = undo(query, rate)
    assert planar_mean(inverse, x, rate) == pytest.approx(float(query(x)), abs=1e-9)
    square = planar_mean(lambda p: inverse(p) ** 2, x, rate)
    assert float(inverse.second_moment(np.asarray(x))) == pytest.approx(square, rel=1e-7, abs=1e-9)


def test_a_kernel_cut_at_five_bandwidths_is_caught_as_bias() -> None:
    """g decays like e^(−εr), not like a Gaussian (theory §5: a bias of some 5e-3 at εh = 0.4)."""
    inverse = undo(gp.GaussianKernel((0.0, 0.0), 1.0, PLANE), 0.4)

    def cut(points: FloatArray) -> FloatArray:
        return np.where(np.linalg.norm(points, axis=-1) < 5, inverse(points), 0.0)

    assert 2e-3 < abs(planar_mean(cut, (0.0, 0.0), 0.4) - 1) < 2e-2


@pytest.mark.parametrize(
    "query",
    [
        gp.Blurred(gp.Ball((0.5, 0.0), 2.0, 1.0, PLANE), 0.8),
        gp.Blurred(gp.Geofence(PARK, 0.4, PLANE), 1.0),
        gp.Blurred(gp.Orthant((0.5, 1.0), 1.0, PLANE), 0.9),
        gp.Blurred(gp.Score((1.0, -2.0), 0.3, 1.0), 0.7),
        gp.LinearQuery((3.0, 4.0), gp.shapes.Gaussian(5.0), space=PLANE),
    ],
    ids=["ball", "geofence", "corner", "half-space", "ridge"],
)
@pytest.mark.parametrize("x", [(0.0, 0.0), (2.0, 1.5)])
def test_undone_noise_leaves_the_blurred_query(query: gp.queries.Query, x: tuple[float, float]) -> None:
    inverse = undo(query, 1.0)
    assert planar_mean(inverse, x, 1.0) == pytest.approx(float(query(x)), abs=1e-7)
    square = planar_mean(lambda p: inverse(p) ** 2, x, 1.0)
    assert float(inverse.second_moment(np.asarray(x))) == pytest.approx(square, rel=1e-5)


def laplace_quadrature(
    function: Callable[[FloatArray], FloatArray], x: float, rate: float, breaks: list[float]
) -> float:
    total = 0.0
    ends = sorted({-60.0, *breaks, x, 60.0})
    for low, high in pairwise(ends):
        total += integrate.quad(
            lambda y: float(function(np.asarray(y))) * rate / 2 * math.exp(-rate * abs(y - x)), low, high, epsabs=1e-13
        )[0]
    return total


@pytest.mark.parametrize("x", [-4.0, -1.0, 0.3, 0.9, 1.0, 5.0])
def test_undone_noise_leaves_the_smooth_step_exactly(x: float) -> None:
    query = gp.Threshold(0.0, 2.0, edge="smooth")
    inverse = undo(query, 1.3)
    assert laplace_quadrature(inverse, x, 1.3, [-1.0, 0.0, 1.0]) == pytest.approx(float(query(x)), abs=1e-12)
    square = laplace_quadrature(lambda y: inverse(y) ** 2, x, 1.3, [-1.0, 0.0, 1.0])
    assert float(inverse.second_moment(np.asarray(x))) == pytest.approx(square, rel=1e-11)


@pytest.mark.parametrize("x", [-5.0, 0.0, 2.5, 4.0])
def test_undone_noise_leaves_the_smooth_range_exactly(x: float) -> None:
    query = gp.Range(-3.0, 4.0, 1.5, edge="smooth")
    inverse, breaks = undo(query, 0.8), [-3.75, -3.0, -2.25, 0.5, 3.25, 4.0, 4.75]
    assert laplace_quadrature(inverse, x, 0.8, breaks) == pytest.approx(float(query(x)), abs=1e-12)
    square = laplace_quadrature(lambda y: inverse(y) ** 2, x, 0.8, breaks)
    assert float(inverse.second_moment(np.asarray(x))) == pytest.approx(square, rel=1e-11)


def test_dropping_the_bends_of_a_linear_ramp_would_be_a_bias_of_a_quarter() -> None:
    """Theory §5: a ramp of width 2/ε has deltas in f''; without them g = f, the plain estimate."""
    plain = gp.InputLaplace.calibrate(gp.Line(), 1.0, estimator="plain")
    x = np.linspace(-3, 3, 601)
    narrow = gp.Threshold(0.0, 0.2)
    assert 0.2 < np.abs(plain.bias(x, narrow)).max() < 0.5


def test_a_second_derivative_one_per_cent_off_is_caught_as_bias() -> None:
    query = gp.Threshold(0.0, 2.0, edge="smooth")

    def wrong(y: FloatArray) -> FloatArray:
        return query.profile(y) - 1.01 * gp.shapes.Smoothstep(2.0).second(y)

    assert abs(laplace_quadrature(wrong, 0.5, 1.0, [-1.0, 0.0, 1.0]) - float(query(0.5))) > 1e-3


def test_running_integrals_are_quadrature_far_away_too() -> None:
    step = np.array([-1.0, 1.0])
    s = np.array([-1e6, -50.0, -1.0, 0.0, 1.0, 50.0, 1e6])
    mean = laplace_mean(lambda y: np.where(y < 0, 0.0, 1.0) * 1.0, np.array([step[0], 0.0, step[1]]), 1.0, s)
    exact = np.where(s < 0, 0.5 * np.exp(-np.abs(s)), 1 - 0.5 * np.exp(-np.abs(s)))
    np.testing.assert_allclose(mean, exact, atol=1e-15)


@pytest.mark.parametrize("row", ROWS_UNBIASED_INPUT, ids=[row.name for row in ROWS_UNBIASED_INPUT])
def test_a_million_reports_show_no_bias(row: Row) -> None:
    """Error rate: |z| ≤ 4.5 at one value a row, 7e-6 each, 3e-4 for all."""
    n, x = 1_000_000, row.values[-1:]
    released = row.mechanism.simulate(np.repeat(x, n, axis=0), np.random.default_rng(11))
    shares = row.mechanism.contributions(released.values, row.asked.query)
    assert abs(shares.mean() - float(row.asked.query(x)[0])) < 4.5 * shares.std() / math.sqrt(n)


@pytest.mark.parametrize(
    ("query", "advice"),
    [
        (gp.Threshold(0.0, 1.0), "edge='smooth'"),
        (gp.Range(0.0, 2.0, 1.0), "edge='smooth'"),
        (gp.RadialQuery(0.0, gp.shapes.Gaussian(1.0, center=2.0)), "level at its centre"),
        (gp.Ball((0.0, 0.0), 1.0, 0.5), "Blurred"),
        (gp.Orthant((0.0, 0.0), 0.5), "Lattice"),
        (gp.GaussianKernel((0.0, 0.0), 0.01), "bandwidth of at least"),
        (gp.GaussianKernel((40.0, -74.0), 2000.0, gp.Earth()), "flat space"),
        (gp.LinearQuery((1.0,), gp.shapes.Custom(np.tanh, 1.0, -1.0, 1.0, curvature=0.77)), "flat ends"),
        (gp.LinearQuery((1.0,), gp.shapes.Custom(np.tanh, 1.0, -6.0, 6.0)), "curvature"),
    ],
)
def test_a_query_too_rough_is_refused_with_what_would_work(query: gp.queries.Query, advice: str) -> None:
    mechanism = gp.InputLaplace.calibrate(query.space, 1.0)
    reports = np.zeros((3, *query.space.point_shape))
    for ask in (mechanism.bias, mechanism.variance, mechanism.contributions):
        with pytest.raises(gp.InvalidParameter, match=advice):
            ask(reports, query)


def test_an_unknown_estimator_is_refused() -> None:
    with pytest.raises(gp.InvalidParameter, match="estimator"):
        gp.InputLaplace.calibrate(gp.Line(), 1.0, estimator="best")  # type: ignore[arg-type]
    with pytest.raises(gp.InvalidParameter, match="estimator"):
        gp.CoordinateLaplace.calibrate(gp.Threshold(0.0, 1.0), 1.0, estimator="best")  # type: ignore[arg-type]


@pytest.mark.parametrize("bandwidth", [0.0, -1.0, np.nan, np.inf])
def test_a_bad_blur_is_refused(bandwidth: float) -> None:
    with pytest.raises(gp.InvalidParameter, match="bandwidth"):
        gp.Blurred(gp.Threshold(0.0, 1.0), bandwidth)


def test_a_blur_is_refused_where_it_is_not_known_how() -> None:
    for query in (gp.Orthant((0.0,) * 3, 1.0), gp.LipschitzQuery(np.sin, 1.0), gp.Ball((0.0,) * 3, 2.0, 1.0)):
        with pytest.raises(gp.InvalidParameter, match="straight pieces"):
            gp.Blurred(query, 1.0)
    with pytest.raises(gp.InvalidParameter, match="fits memory"):
        gp.InputLaplace.calibrate(PLANE, 1e-4).variance(
            (0.0, 0.0), gp.Blurred(gp.Ball((0.0, 0.0), 2.0, 1.0, PLANE), 0.5)
        )


def test_a_blurred_ball_is_the_average_over_the_blur() -> None:
    query = gp.Blurred(gp.Ball((0.0, 0.0), 2.0, 0.5, PLANE), 0.7)
    rng = np.random.default_rng(3)
    for x in ((0.0, 0.0), (1.8, 0.5), (4.0, 0.0)):
        draws = query.query(np.asarray(x) + 0.7 * rng.standard_normal((400_000, 2)))
        assert float(query(x)) == pytest.approx(draws.mean(), abs=5 * draws.std() / 632 + 1e-4)
