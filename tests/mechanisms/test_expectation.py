"""Means under input noise: closed forms against quadrature, quadrature against itself and against hidden features."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy import integrate, special

import geopriv as gp
from geopriv.mechanisms.input.quadrature import QuadratureFailed
from geopriv.mechanisms.input.quadrature import integrate as adaptive
from geopriv.spaces.checks import FloatArray


def laplace_mean(function: Any, s: float, rate: float, breaks: list[float]) -> float:
    """E f(s + Z) by QUADPACK on both sides of every kink."""
    cuts = sorted({-60 / rate, 0.0, 60 / rate, *(b - s for b in breaks if abs(b - s) < 60 / rate)})  # and bumps
    return sum(
        float(
            integrate.quad(
                lambda z: rate / 2 * np.exp(-rate * abs(z)) * float(function(np.asarray(s + z))), a, b, epsabs=1e-13
            )[0]
        )
        for a, b in pairwise(cuts)
    )


@pytest.mark.parametrize("rate", [0.01, 0.3, 1.0, 40.0])
@pytest.mark.parametrize(
    "profile",
    [
        gp.Ramp(1.0),
        gp.Trapezoid(2.0, 0.5, center=1.0),
        gp.PiecewiseLinear((-2, -1, 0, 3), (0, 1, 0.25, 0.5)),
        gp.Gaussian(0.7),
    ],
)
def test_noise_on_a_line_has_the_exact_moments(profile: gp.Profile, rate: float) -> None:
    query = gp.LinearQuery((1.0,), profile)
    mechanism = gp.InputLaplace.calibrate(query.space, rate, "plain")
    marks = [mark + step for mark in profile.landmarks for step in (-5.0, 0.0, 5.0)]
    x = np.array([-3.0, -1.0, -0.5, 0.0, 0.2, 1.0, 5.0, profile.landmarks[0], profile.landmarks[-1]])
    mean = mechanism.bias(x[:, None], query) + profile(x)
    variance = mechanism.variance(x[:, None], query)
    for i, s in enumerate(x):
        first = laplace_mean(profile, s, rate, marks)
        second = laplace_mean(lambda v: profile(v) ** 2, s, rate, marks)
        assert mean[i] == pytest.approx(first, abs=2e-9)
        assert variance[i] == pytest.approx(second - first**2, abs=5e-9)
    coordinate = gp.CoordinateLaplace.calibrate(query, rate, "plain")
    np.testing.assert_allclose(coordinate.bias(x[:, None]), mechanism.bias(x[:, None], query), atol=1e-12)


def test_the_papers_bias_of_a_hard_threshold_is_approached() -> None:
    """Paper, section 4.1: the bias of noise a priori is ½·exp(−ε|x − T|) for a hard threshold."""
    query = gp.Threshold(0.0, 1e-6)
    mechanism = gp.InputLaplace.calibrate(gp.Line(), 1.0, "plain")
    x = np.array([-3.0, -1.0, -0.2, 0.5])
    expected = np.where(x < 0, 0.5, -0.5) * np.exp(-np.abs(x))
    np.testing.assert_allclose(mechanism.bias(x, query), expected, atol=1e-6)


@pytest.mark.parametrize("width", [1e-8, 1e-6, 1e-4])
def test_a_very_narrow_ramp_is_a_coin_at_its_centre(width: float) -> None:
    """P[Z > 0] = ½, so the variance is ¼ less a term of the order of the width."""
    line, plane = (
        gp.InputLaplace.calibrate(gp.Line(), 1.0, "plain"),
        gp.InputLaplace.calibrate(gp.Plane(), 1.0, "plain"),
    )
    assert float(line.variance([0.0], gp.Threshold(0.0, width))[0]) == pytest.approx(0.25 - width / 12, abs=1e-9)
    edge = gp.Score((1.0, 2.0), 0.0, width, gp.Plane())
    assert float(plane.variance([(0.0, 0.0)], edge)[0]) == pytest.approx(0.25, abs=width)


def test_a_narrow_bump_of_a_custom_profile_is_found() -> None:
    bump = gp.Custom(lambda s: np.exp(-0.5 * (s / 1e-3) ** 2), 700.0, -10.0, 10.0, curvature=1e6)
    mechanism = gp.CoordinateLaplace.calibrate(gp.LinearQuery((1.0,), bump), 1.0, "plain")
    for x in (0.1, 0.3, 2.0):
        expected = 0.5 * np.exp(-x) * 1e-3 * np.sqrt(2 * np.pi)
        assert float(mechanism.bias([(x,)])[0]) == pytest.approx(expected, rel=1e-5)


def test_a_distance_from_a_point_on_a_line_has_its_moments() -> None:
    """E|x + Z| = |x| + e^(−|x|); and a profile that is constant where it matters has neither bias nor variance."""
    mechanism, x = gp.InputLaplace.calibrate(gp.Line(), 1.0, "plain"), np.array([0.0, 1.0, -2.0])
    np.testing.assert_allclose(mechanism.bias(x, gp.RadialQuery(0.0, gp.Identity())), np.exp(-np.abs(x)), atol=1e-8)
    constant = gp.RadialQuery(0.0, gp.Ramp(1.0, center=-5.0))
    np.testing.assert_array_equal(mechanism.bias(x, constant), 0.0)
    np.testing.assert_array_equal(mechanism.variance(x, constant), 0.0)


def test_many_points_at_once_need_no_larger_tolerance() -> None:
    query = gp.Ball((0.0, 0.0), 1.0, 0.02)
    mechanism = gp.InputLaplace.calibrate(query.space, 1.0, "plain")
    x = np.random.default_rng(0).normal(size=(80, 2))
    together = mechanism.bias(x, query, tolerance=1e-4)
    alone = np.concatenate([mechanism.bias(x[i : i + 1], query, tolerance=1e-4) for i in (0, 41, 79)])
    np.testing.assert_allclose(together[[0, 41, 79]], alone, atol=2e-4)


def bessel_mean(r: float, h: float, rate: float) -> float:
    """E of a Gaussian kernel under planar Laplace noise, by the Fourier transform on the plane."""

    def integrand(w: float) -> float:
        return float(w * special.j0(w * r) * h**2 * np.exp(-((h * w) ** 2) / 2) * (1 + (w / rate) ** 2) ** -1.5)

    return float(integrate.quad(integrand, 0, 12 / h, limit=2000, epsabs=1e-12)[0])


@pytest.mark.parametrize(("h", "rate"), [(1.0, 1.0), (0.2, 1.0), (3.0, 1.0), (1.0, 0.05), (2.0, 10.0)])
def test_a_kernel_in_the_plane_agrees_with_its_fourier_integral(h: float, rate: float) -> None:
    query = gp.GaussianKernel((0.0, 0.0), h)
    mechanism = gp.InputLaplace.calibrate(query.space, rate, "plain")
    for r in (0.0, 0.5 * h, 2.0 * h, 4.0 * h):
        mean = float((mechanism.bias([(r, 0.0)], query) + query([(r, 0.0)]))[0])
        assert mean == pytest.approx(bessel_mean(r, h, rate), abs=1e-9)


KIOSK = {"type": "Polygon", "coordinates": [[[-0.05, -0.05], [0.05, -0.05], [0, 0.06], [-0.05, -0.05]]]}
SMALL = [gp.Ball((0.0, 0.0), 0.05, 0.05), gp.Geofence(KIOSK, 0.02, gp.Plane(None))]


@pytest.mark.parametrize("query", SMALL, ids=["ball", "geofence"])
def test_a_tiny_feature_far_away_is_not_overlooked(query: gp.Query) -> None:
    """Seen from 4/ε away the feature covers a millionth of the noise; its mean is its area times the density there."""
    mechanism = gp.InputLaplace.calibrate(query.space, 1.0, "plain")
    x = np.array([[4.0, 0.0]])
    mean = float((mechanism.bias(x, query, tolerance=1e-8) + query(x))[0])
    grid = np.stack(np.meshgrid(*[np.linspace(-0.12, 0.12, 601)] * 2, indexing="ij"), axis=-1).reshape(-1, 2)
    density = np.exp(mechanism.log_density(x[0], grid))
    brute = float((query(grid) * density).sum() * (0.24 / 600) ** 2)
    assert mean == pytest.approx(brute, rel=2e-3)


@pytest.mark.parametrize(
    "query",
    [gp.Ball((0.0, 0.0), 2.0, 1.0), gp.Orthant((0.0, 0.0), 1.0), gp.RadialQuery((0.0, 0.0), gp.Triangle(1.0, 2.0))],
)
def test_quadrature_keeps_its_tolerance(query: gp.Query) -> None:
    mechanism = gp.InputLaplace.calibrate(query.space, 1.0, "plain")
    x = np.random.default_rng(0).normal(size=(4, 2)) * 2
    reference = mechanism.bias(x, query, tolerance=1e-7), mechanism.variance(x, query, tolerance=1e-7)
    for tolerance in (3e-6, 1e-5, 1e-3):
        assert np.abs(mechanism.bias(x, query, tolerance=tolerance) - reference[0]).max() < tolerance
        assert np.abs(mechanism.variance(x, query, tolerance=tolerance) - reference[1]).max() < 3 * tolerance


def test_on_a_small_part_of_the_earth_the_plane_is_recovered() -> None:
    earth, plane = gp.Earth(), gp.Plane()
    on_earth = gp.Ball((10.0, 20.0), 1000.0, 500.0, earth)
    flat = gp.Ball((0.0, 0.0), 1000.0, 500.0, plane)
    distance = np.array([0.0, 700.0, 1500.0])
    east = earth.move(np.tile([10.0, 20.0], (3, 1)), distance, np.full(3, np.pi / 2))
    on_sphere = gp.InputLaplace.calibrate(earth, "1 per 1 km", "plain")
    on_plane = gp.InputLaplace.calibrate(plane, "1 per 1 km", "plain")
    points = np.stack([distance, np.zeros(3)], axis=-1)
    np.testing.assert_allclose(on_sphere.bias(east, on_earth), on_plane.bias(points, flat), atol=3e-5)
    np.testing.assert_allclose(on_sphere.variance(east, on_earth), on_plane.variance(points, flat), atol=3e-5)


def test_three_dimensions_agree_with_simulation_for_a_corner() -> None:
    """10^6 draws, 5 standard errors, and the stated tolerance of 1e-3."""
    query = gp.Orthant((0.0, 0.0, 0.0), 1.0)
    mechanism = gp.InputLaplace.calibrate(query.space, 1.0, "plain")
    x = np.array([0.5, 0.3, 1.0])
    released = mechanism.simulate(np.broadcast_to(x, (1_000_000, 3)), np.random.default_rng(0))
    draws = mechanism.contributions(released.values, query)
    mean = float((mechanism.bias(x[None], query) + query(x[None]))[0])
    assert abs(float(draws.mean()) - mean) < 1e-3 + 5 * float(draws.std()) / 1000


def test_beyond_three_dimensions_only_symmetric_queries_have_moments() -> None:
    corner = gp.Orthant((0.0,) * 4, 1.0)
    mechanism = gp.InputLaplace.calibrate(corner.space, 1.0, "plain")
    with pytest.raises(gp.InvalidParameter, match="dimension"):
        mechanism.bias([(0.0,) * 4], corner)
    assert np.isfinite(mechanism.variance([(0.0,) * 4], gp.Ball((0.0,) * 4, 2.0, 1.0), tolerance=1e-3)).all()


def test_a_tolerance_that_cannot_be_reached_is_an_error_and_not_a_guess() -> None:
    def never(which: Any, corner: FloatArray, size: float) -> Any:
        n = len(corner)
        return np.zeros((n, 1)), np.full(n, np.inf), np.zeros(n, dtype=bool)

    with pytest.raises(QuadratureFailed, match="tolerance"):
        adaptive(lambda which, cube: np.zeros((len(cube), 1)), never, count=1, dimension=2, outputs=1, tolerance=1e-3)
    query = gp.Orthant((0.0, 0.0), 1.0)
    with pytest.raises(gp.InvalidParameter, match="tolerance"):
        gp.InputLaplace.calibrate(query.space, 1.0, "plain").bias([(0.0, 0.0)], query, tolerance=0.0)
