"""The float filter against balls, for queries, rates and values of every size."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import geopriv as gp
from geopriv.mechanisms.base import Mechanism
from geopriv.noise import plans as bulk
from geopriv.spaces.checks import FloatArray
from tests.sources import Seeded, plans, report

N = 24
Calibrate = Callable[[gp.queries.Query, float], Mechanism]

ADDED: dict[str, Calibrate] = {
    "LipschitzLaplace": gp.LipschitzLaplace.calibrate,
    "SmoothT": gp.SmoothT.calibrate,
    "SmoothT, short radius": lambda q, e: gp.SmoothT.calibrate(q, e, df=1.5, radius=1.3 / e),
    "LeastScaleT": lambda q, e: gp.LeastScaleT.calibrate(q, e, df=3.5),
    "SmoothCauchy": lambda q, e: gp.SmoothCauchy.calibrate(q, e, p=3.0, theta=1.2),
    "SmoothLaplace": lambda q, e: gp.SmoothLaplace.calibrate(q, e, delta=1e-6),
    "CoordinateLaplace": lambda q, e: gp.CoordinateLaplace.calibrate(q, e, estimator="plain"),
    "InputLaplace": lambda q, e: gp.InputLaplace.calibrate(q.space, e),
}
FLAT: dict[str, Calibrate] = {**ADDED, "Lattice": lambda q, e: gp.Lattice.calibrate(q.space, e, step=0.07 / e)}

sizes = st.floats(-6, 6).map(lambda power: 10.0**power)
seeds = st.integers(0, 2**32)


def check(mechanism: Mechanism, x: FloatArray, seed: int) -> None:
    people, _ = mechanism.space.read_rows(x)
    for plan in plans(mechanism):
        screen = plan.screen(people)
        assert screen is not None
        filtered, plain = (bulk.draw_chunk(plan, people, one, Seeded(seed)) for one in (screen, None))
        np.testing.assert_array_equal(filtered, plain)


@pytest.mark.parametrize("name", FLAT)
@settings(max_examples=25, deadline=None)
@given(width=sizes, rate=sizes, offset=st.floats(-1e6, 1e6), seed=seeds)
def test_thresholds_of_every_size_are_reported_alike(
    name: str, width: float, rate: float, offset: float, seed: int
) -> None:
    width = max(width, 1e-9 * abs(offset), 1e-3 / rate)
    rng = np.random.default_rng(seed)
    spread = rng.choice([0.1, 1.0, 30.0], N) * max(width, 1 / rate)
    check(FLAT[name](gp.Threshold(offset, width), rate), offset + spread * rng.standard_normal(N), seed)


@pytest.mark.parametrize("name", ADDED)
@settings(max_examples=10, deadline=None)
@given(radius=st.floats(10.0, 1e6), latitude=st.floats(-89.0, 89.0), longitude=st.floats(-180.0, 179.0), seed=seeds)
def test_balls_on_earth_of_every_size_are_reported_alike(
    name: str, radius: float, latitude: float, longitude: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    query = gp.Ball((latitude, longitude), radius, radius / 3, gp.Earth())
    places = (latitude, longitude) + rng.standard_normal((N, 2)) * radius / 111_000 / 5
    places = np.clip(places, (-90, -180), (90, 180))
    check(ADDED[name](query, 3 / radius), places, seed)


@pytest.mark.parametrize("name", FLAT)
@settings(max_examples=8, deadline=None)
@given(reach=st.floats(0.01, 15.0), latitude=st.floats(-60.0, 60.0), longitude=st.floats(-160.0, 160.0), seed=seeds)
def test_balls_on_maps_of_every_size_are_reported_alike(
    name: str, reach: float, latitude: float, longitude: float, seed: int
) -> None:
    south, west, north, east = latitude - reach, longitude - reach, latitude + reach, longitude + reach
    space = gp.LocalPlane(south, west, north, east)
    rng, size = np.random.default_rng(seed), reach * 20_000
    places = (latitude, longitude) + rng.standard_normal((N, 2)) * reach  # some are clamped
    query = gp.Ball((latitude, longitude), size, size / 3, space)
    check(FLAT[name](query, 3 / size), np.clip(places, (-90, -180), (90, 180)), seed)


@pytest.mark.parametrize("name", ["LipschitzLaplace", "SmoothT", "LeastScaleT", "SmoothCauchy", "CoordinateLaplace"])
@settings(max_examples=10, deadline=None)
@given(width=sizes, blur=st.floats(0.01, 10.0), share=st.floats(0.1, 10.0), seed=seeds)
def test_smooth_edges_of_every_size_are_reported_alike(
    name: str, width: float, blur: float, share: float, seed: int
) -> None:
    x = np.random.default_rng(seed).standard_normal(N) * width * (1 + 4 * blur)
    soft, blurred = gp.Threshold(0.0, width, edge="smooth"), gp.Blurred(gp.Threshold(0.0, width), blur * width)
    for query in (soft, blurred):
        check(ADDED[name](query, share / width), x, seed)


@pytest.mark.parametrize("name", ["LipschitzLaplace", "SmoothT", "LeastScaleT", "SmoothCauchy"])
@settings(max_examples=10, deadline=None)
@given(bandwidth=sizes, share=st.floats(0.1, 10.0), seed=seeds)
def test_kernels_of_every_size_are_reported_alike(name: str, bandwidth: float, share: float, seed: int) -> None:
    query = gp.GaussianKernel((1.0, -2.0), bandwidth)
    x = (1.0, -2.0) + np.random.default_rng(seed).standard_normal((N, 2)) * 2 * bandwidth
    check(ADDED[name](query, share / bandwidth), x, seed)


@pytest.mark.parametrize("name", ["LipschitzLaplace", "LeastScaleT", "SmoothT", "SmoothCauchy"])
def test_samples_of_reports_keep_the_promise_and_a_boast_is_caught(name: str) -> None:
    """Fixed bits; confidence 0.999. Two people at the distance 1/ε, where a rate of half as much is exceeded."""
    mechanism, source = ADDED[name](gp.Threshold(0.0, 2.0), 1.0), Seeded(1)
    for epsilon, kept in ((1.0, True), (0.35, False)):
        result = gp.audit_black_box(
            lambda x: report(mechanism, x, source), -0.5, 0.5, epsilon, n=200_000, confidence=0.999
        )
        assert result.passed is kept
