"""Soft profiles, maps and recorded values in balls."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import shapely
from flint import arb

import geopriv as gp
from geopriv.noise.exact import precision
from geopriv.shapes.profiles import BlurredPieces, Curved
from geopriv.smooth.sensitivity.least_scale import least_scale
from tests import precise
from tests.rows import CITY

MANY = tuple(np.cumsum(1 + 0.1 * np.sin(np.arange(61))).tolist())  # nearly one slope: small bends, large pieces
SOFT = [
    gp.shapes.Smoothstep(2.0),
    gp.shapes.Smoothstep(1e-3, center=5.0, rising=False),
    BlurredPieces(gp.shapes.Ramp(1.0), 0.5),
    BlurredPieces(gp.shapes.Ramp(1.0), 300.0),
    BlurredPieces(gp.shapes.PiecewiseLinear((-2, -1, 0, 3), (0, 1, 0.25, 0.5)), 0.1),
    BlurredPieces(gp.shapes.PiecewiseLinear(tuple(map(float, range(61))), MANY), 0.3),
]


@pytest.mark.parametrize("profile", SOFT)
def test_soft_profiles_in_floats_round_by_less_than_they_say(profile: Curved) -> None:
    s = np.linspace(profile.low - 0.1, profile.high + 0.1, 3001)
    with precision(200):
        balls = [profile.enclose(arb(t)) for t in s.tolist()]
        wrong = [abs(float(ball - value)) for ball, value in zip(balls, profile(s).tolist(), strict=True)]
        assert all(ball.rad() < 1e-40 for ball in balls)
    assert 0 < max(wrong) < profile.rounding / 4


@pytest.mark.parametrize("profile", SOFT)
@pytest.mark.parametrize("radius", [math.inf, 0.7])
def test_step_functions_and_least_scales_cover_the_slopes_of_soft_profiles(profile: Curved, radius: float) -> None:
    """Slopes in balls, by differences over 1e-20; a profile that is 1 % steeper is not covered."""
    s = np.linspace(profile.low, profile.high, 400)[1:-1]
    scale = least_scale(profile, 1.0, 3.0)
    with precision(300):
        tiny = arb(10) ** -20
        slopes = [abs(float((profile.enclose(arb(t) + tiny) - profile.enclose(arb(t))) / tiny)) for t in s.tolist()]
    bound = gp.smooth.pointwise_lipschitz(profile, s, radius)
    room = scale(s) / (4 / (2 * math.sqrt(3)))  # σ ≥ k|f0'|/ε
    assert (bound >= slopes).all()
    assert (room * (1 + 1e-9) >= slopes).all()
    assert (room < 1.01 * np.asarray(slopes)).any()


def test_regions_and_corners_on_a_map_are_enclosed() -> None:
    corners = [(-74.1, 40.6), (-73.9, 40.6), (-73.9, 40.8), (-74.0, 40.7), (-74.1, 40.8)]
    rng = np.random.default_rng(7)
    near = np.asarray(corners)[rng.integers(0, 5, 60), ::-1] + rng.standard_normal((60, 2)) * 10.0 ** rng.uniform(
        -16, 0, (60, 1)
    )
    far = [(-40.0, 106.0), (89.0, 0.0), (40.7, 180.0)]
    for query in (gp.Geofence(shapely.Polygon(corners), 500.0, CITY), gp.Orthant((40.7, -74.0), 500.0, CITY)):
        numbers = CITY.read_rows(np.concatenate([near, far, [(40.7, -74.0)]]))[0]
        bounded = query.geometry.bounded(numbers)
        assert bounded is not None
        for row, s, off in zip(numbers.tolist(), bounded.value.tolist(), bounded.off.tolist(), strict=True):
            with precision(150):
                wide = query.geometry.enclose(row)
            with precision(300):
                ball = query.geometry.enclose(row)
                assert wide.contains(ball)
                assert ball.rad() < 1e-60
                assert abs(ball - s) < off / 8


@pytest.mark.parametrize(
    ("space", "value"),
    [
        (gp.Line("USD"), 12.3456),
        (gp.Plane(), (1.26, -3.3)),
        (gp.Earth(), (40.71234, 359.99949)),
    ],
)
def test_what_is_enclosed_is_the_value_itself(space: gp.spaces.Space, value: Any) -> None:
    held = space.read([value]).reshape(1, -1)
    numbers = space.read_rows([value])[0]
    np.testing.assert_array_equal(numbers, held)
    with precision(200):
        assert [float(ball) for ball in space.enclose(numbers[0].tolist())] == held[0].tolist()


def test_on_a_map_latitudes_and_longitudes_are_kept_as_they_are_and_projected_in_balls() -> None:
    numbers = CITY.read_rows([(40.71234567891, 285.99)])[0]
    assert numbers.tolist() == [[40.71234567891, 285.99 - 360]]
    with precision(200):
        east, north = CITY.enclose(numbers[0].tolist())
        exact = precise.on_the_map(CITY.radius, CITY.middle, *numbers[0].tolist())
        assert all(abs(ball - arb(str(number))) < 1e-35 for ball, number in zip((east, north), exact, strict=True))
    np.testing.assert_allclose([float(east), float(north)], CITY.read((40.71234567891, -74.01)), atol=1e-7)
