"""Plain moments by quadrature: against closed forms, itself, simulation, and features that could hide."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import geopriv as gp
from geopriv.spaces.checks import FloatArray
from geopriv_paper.plain import plain_moments
from geopriv_paper.quadrature import QuadratureFailed
from geopriv_paper.quadrature import integrate as adaptive


@pytest.mark.parametrize(
    "query",
    [
        gp.Threshold(0.3, 1.0),
        gp.Range(-3.0, 4.0, 1.0),
        gp.RadialQuery(0.5, gp.shapes.Ramp(1.0)),
        gp.GaussianKernel(0.0, 0.7),
        gp.Score((1.0, 2.0), 0.3, 1.0),
        gp.GaussianKernel((0.0, 0.0), 1.5),
    ],
    ids=repr,
)
def test_quadrature_agrees_with_closed_forms(query: gp.queries.Query) -> None:
    mechanism, tolerance = gp.InputLaplace.calibrate(query.space, 0.8, "plain"), {1: 1e-9, 2: 1e-5}
    x = np.random.default_rng(1).normal(size=(3, *query.space.point_shape)) * 2
    bias, variance = plain_moments(mechanism, x, query)
    np.testing.assert_allclose(bias, mechanism.bias(x, query), atol=tolerance[query.space.dimension])
    np.testing.assert_allclose(variance, mechanism.variance(x, query), atol=3 * tolerance[query.space.dimension])


def test_an_unbiased_mechanism_and_another_query_are_refused() -> None:
    line, query = gp.Line(), gp.Threshold(0.0, 1.0)
    with pytest.raises(gp.InvalidParameter, match="mechanism"):
        plain_moments(gp.InputLaplace.calibrate(line, 1.0), [0.0], query)
    for mechanism in (
        gp.InputLaplace.calibrate(line, 1.0, "plain"),
        gp.CoordinateLaplace.calibrate(query, 1.0, "plain"),
    ):
        with pytest.raises(gp.InvalidParameter, match="query"):
            plain_moments(mechanism, [(0.0, 0.0)], gp.Ball((0.0, 0.0), 2.0, 1.0))


def test_a_narrow_bump_of_a_custom_profile_is_found() -> None:
    bump = gp.shapes.Custom(lambda s: np.exp(-0.5 * (s / 1e-3) ** 2), 700.0, -10.0, 10.0, curvature=1e6)
    mechanism = gp.CoordinateLaplace.calibrate(gp.LinearQuery((1.0,), bump), 1.0, "plain")
    for x in (0.1, 0.3, 2.0):
        expected = 0.5 * np.exp(-x) * 1e-3 * np.sqrt(2 * np.pi)
        assert float(plain_moments(mechanism, [(x,)])[0][0]) == pytest.approx(expected, rel=1e-5)


def test_a_distance_from_a_point_on_a_line_has_its_moments() -> None:
    """E|x + Z| = |x| + e^(−|x|)."""
    mechanism, x = gp.InputLaplace.calibrate(gp.Line(), 1.0, "plain"), np.array([0.0, 1.0, -2.0])
    bias, _ = plain_moments(mechanism, x, gp.RadialQuery(0.0, gp.shapes.Identity()))
    np.testing.assert_allclose(bias, np.exp(-np.abs(x)), atol=1e-8)


def test_many_points_at_once_need_no_larger_tolerance() -> None:
    query = gp.Ball((0.0, 0.0), 1.0, 0.02)
    mechanism = gp.InputLaplace.calibrate(query.space, 1.0, "plain")
    x = np.random.default_rng(0).normal(size=(80, 2))
    together, _ = plain_moments(mechanism, x, query, tolerance=1e-4)
    alone = np.concatenate([plain_moments(mechanism, x[i : i + 1], query, 1e-4)[0] for i in (0, 41, 79)])
    np.testing.assert_allclose(together[[0, 41, 79]], alone, atol=2e-4)


KIOSK = {"type": "Polygon", "coordinates": [[[-0.05, -0.05], [0.05, -0.05], [0, 0.06], [-0.05, -0.05]]]}
SMALL = [gp.Ball((0.0, 0.0), 0.05, 0.05), gp.Geofence(KIOSK, 0.02, gp.Plane(None))]


@pytest.mark.parametrize("query", SMALL, ids=["ball", "geofence"])
def test_a_tiny_feature_far_away_is_not_overlooked(query: gp.queries.Query) -> None:
    """Seen from 4/ε away the feature covers a millionth of the noise; its mean is its area times the density there."""
    mechanism = gp.InputLaplace.calibrate(query.space, 1.0, "plain")
    x = np.array([[4.0, 0.0]])
    mean = float((plain_moments(mechanism, x, query, tolerance=1e-8)[0] + query(x))[0])
    grid = np.stack(np.meshgrid(*[np.linspace(-0.12, 0.12, 601)] * 2, indexing="ij"), axis=-1).reshape(-1, 2)
    density = np.exp(mechanism.log_density(x[0], grid))
    brute = float((query(grid) * density).sum() * (0.24 / 600) ** 2)
    assert mean == pytest.approx(brute, rel=2e-3)


@pytest.mark.parametrize(
    "query",
    [
        gp.Ball((0.0, 0.0), 2.0, 1.0),
        gp.Orthant((0.0, 0.0), 1.0),
        gp.RadialQuery((0.0, 0.0), gp.shapes.Triangle(1.0, 2.0)),
    ],
)
def test_quadrature_keeps_its_tolerance(query: gp.queries.Query) -> None:
    mechanism = gp.InputLaplace.calibrate(query.space, 1.0, "plain")
    x = np.random.default_rng(0).normal(size=(4, 2)) * 2
    reference = plain_moments(mechanism, x, query, tolerance=1e-7)
    for tolerance in (3e-6, 1e-5, 1e-3):
        bias, variance = plain_moments(mechanism, x, query, tolerance)
        assert np.abs(bias - reference[0]).max() < tolerance
        assert np.abs(variance - reference[1]).max() < 3 * tolerance


def test_on_a_small_part_of_the_earth_the_plane_is_recovered() -> None:
    earth, plane = gp.Earth(), gp.Plane()
    on_earth = gp.Ball((10.0, 20.0), 1000.0, 500.0, earth)
    flat = gp.Ball((0.0, 0.0), 1000.0, 500.0, plane)
    distance = np.array([0.0, 700.0, 1500.0])
    east = earth.move(np.tile([10.0, 20.0], (3, 1)), distance, np.full(3, np.pi / 2))
    on_sphere = gp.InputLaplace.calibrate(earth, "1 per 1 km", "plain")
    on_plane = gp.InputLaplace.calibrate(plane, "1 per 1 km", "plain")
    points = np.stack([distance, np.zeros(3)], axis=-1)
    np.testing.assert_allclose(
        plain_moments(on_sphere, east, on_earth), plain_moments(on_plane, points, flat), atol=3e-5
    )


def test_three_dimensions_agree_with_simulation_for_a_corner() -> None:
    """10^6 draws, 5 standard errors, and the stated tolerance of 1e-3."""
    query = gp.Orthant((0.0, 0.0, 0.0), 1.0)
    mechanism = gp.InputLaplace.calibrate(query.space, 1.0, "plain")
    x = np.array([0.5, 0.3, 1.0])
    released = mechanism.simulate(np.broadcast_to(x, (1_000_000, 3)), np.random.default_rng(0))
    draws = mechanism.contributions(released.values, query)
    mean = float((plain_moments(mechanism, x[None], query)[0] + query(x[None]))[0])
    assert abs(float(draws.mean()) - mean) < 1e-3 + 5 * float(draws.std()) / 1000


def test_beyond_three_dimensions_only_symmetric_queries_have_moments() -> None:
    corner = gp.Orthant((0.0,) * 4, 1.0)
    mechanism = gp.InputLaplace.calibrate(corner.space, 1.0, "plain")
    with pytest.raises(gp.InvalidParameter, match="dimension"):
        plain_moments(mechanism, [(0.0,) * 4], corner)
    assert np.isfinite(plain_moments(mechanism, [(0.0,) * 4], gp.Ball((0.0,) * 4, 2.0, 1.0), tolerance=1e-3)[1]).all()


def test_a_tolerance_that_cannot_be_reached_is_an_error_and_not_a_guess() -> None:
    def never(which: Any, corner: FloatArray, size: float) -> Any:
        n = len(corner)
        return np.zeros((n, 1)), np.full(n, np.inf), np.zeros(n, dtype=bool)

    with pytest.raises(QuadratureFailed, match="tolerance"):
        adaptive(lambda which, cube: np.zeros((len(cube), 1)), never, count=1, dimension=2, outputs=1, tolerance=1e-3)
    query = gp.Orthant((0.0, 0.0), 1.0)
    with pytest.raises(gp.InvalidParameter, match="tolerance"):
        plain_moments(gp.InputLaplace.calibrate(query.space, 1.0, "plain"), [(0.0, 0.0)], query, tolerance=0.0)
