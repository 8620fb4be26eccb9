"""Grid reports: the exact inverse of their noise, what rough functions cost, the choice of the grid, planted faults.

Statistical checks have a fixed seed and |z| ≤ 5.5 (error rate 4e-8 a comparison), and a planted fault each.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import geopriv as gp
from geopriv.mechanisms.lattice.moments import distinct
from geopriv.spaces.checks import FloatArray

PROPERTY = settings(deadline=None, derandomize=True, max_examples=150)
LINE, PLANE, ROOM = gp.Line(), gp.Plane("m"), gp.Euclidean(3)
CITY = gp.LocalPlane(south=40.5, west=-74.3, north=40.95, east=-73.65)
EARTH = gp.Earth()
LIMIT = 5.5


class Rounded(gp.Lattice):
    """The planted fault: the nearest cell instead of a random neighbour."""

    def place(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        lower, share = super().place(points)
        return lower + np.rint(share), np.zeros_like(share)


class Bent(gp.Lattice):
    """The planted fault: the stencil's coefficient is 1 % off."""

    @property
    def curvature(self) -> float:
        return 1.01 * super().curvature


def spoiled(kind: type[gp.Lattice], sound: gp.Lattice) -> gp.Lattice:
    return kind(sound.space, sound.guarantee, sound.step, sound.theta, sound.origin)


def exact_law(mechanism: gp.Lattice, x: float, cells: range) -> list[Fraction]:
    """P[report = k] on a line for each cell, without rounding."""
    lower, share = mechanism.place_exactly(x)
    return [
        (1 - share) * mechanism.noise_probability(k - lower) + share * mechanism.noise_probability(k - lower - 1)
        for k in cells
    ]


def exact_stencil(f: Callable[[int], int], cells: range, c: Fraction) -> list[Fraction]:
    return [(1 + 2 * c) * f(k) - c * (f(k - 1) + f(k + 1)) for k in cells]


def interval(k: int) -> int:
    """An indicator function on the grid: as rough as can be."""
    return int(-2 <= k <= 3)


@pytest.mark.parametrize("x", [0.0, -0.25, 0.3, 1.9999, 2.0, 17.3, -41.7])
@pytest.mark.parametrize("step", [0.05, 0.5, 3.0])
def test_the_stencil_is_unbiased_for_an_indicator_function_in_exact_arithmetic(x: float, step: float) -> None:
    mechanism = gp.Lattice.calibrate(LINE, 1.0, step=step, noise="product")
    theta, cells = mechanism.theta, range(-3, 5)  # beyond them the stencil on the indicator is 0
    c = (1 + theta) / theta**2
    law = exact_law(mechanism, x, cells)
    mean = sum(p * g for p, g in zip(law, exact_stencil(interval, cells, c), strict=True))
    lower, share = mechanism.place_exactly(x)
    assert mean == (1 - share) * interval(lower) + share * interval(lower + 1)
    if abs(x) < 3:
        off = sum(p * g for p, g in zip(law, exact_stencil(interval, cells, c * Fraction(101, 100)), strict=True))
        assert off != mean


def test_the_exact_law_adds_up_to_one() -> None:
    mechanism = gp.Lattice.calibrate(LINE, 1.0, noise="product")
    theta, cells = mechanism.theta, range(-400, 402)
    left = sum(exact_law(mechanism, 0.0425, cells))
    # what lies beyond is two geometric tails from each of the two cells around x
    tail = sum(
        share * mechanism.noise_probability(side) * (1 + theta) / theta
        for share, lower in ((1 - mechanism.place_exactly(0.0425)[1], 0), (mechanism.place_exactly(0.0425)[1], 1))
        for side in (402 - lower, 401 + lower)
    )
    assert left + tail == 1


@pytest.mark.parametrize("x", [0.0, 0.033, -7.77, 123.4])
def test_the_floating_point_law_is_the_exact_one(x: float) -> None:
    mechanism = gp.Lattice.calibrate(LINE, 1.0, noise="product")
    cells = range(math.floor(x / 0.1) - 60, math.floor(x / 0.1) + 60)
    expected = [math.log(p) for p in exact_law(mechanism, x, cells)]
    found = mechanism.log_probability(np.asarray(x), np.arange(cells.start, cells.stop, dtype=float))
    np.testing.assert_allclose(found, expected, atol=1e-11)


def law_score(mechanism: gp.Lattice, stated: gp.Lattice, x: float) -> float:
    """The largest z-score of the frequencies of cells in a million draws against the stated law."""
    n = 1_000_000
    drawn = mechanism.simulate(np.full(n, x), np.random.default_rng(2)).values
    cells = np.arange(-25.0, 26.0) + np.floor(x / mechanism.step)
    expected = n * np.exp(stated.log_probability(np.asarray(x), cells))
    seen = np.array([(drawn == cell).sum() for cell in cells])
    return float((np.abs(seen - expected) / np.sqrt(expected)).max())


@pytest.mark.parametrize("x", [0.0, 0.3, -1.26])
def test_simulated_reports_follow_the_stated_law(x: float) -> None:
    mechanism = gp.Lattice.calibrate(LINE, 1.0, noise="product")
    assert law_score(mechanism, mechanism, x) < LIMIT
    assert law_score(mechanism, replace(mechanism, theta=mechanism.theta * Fraction(94, 100)), x) > LIMIT


def test_rounding_that_is_not_random_does_not_follow_the_stated_law() -> None:
    mechanism = gp.Lattice.calibrate(LINE, 1.0, noise="product")
    assert law_score(spoiled(Rounded, mechanism), mechanism, 0.34) > LIMIT


def mean_score(mechanism: gp.Lattice, sound: gp.Lattice, query: gp.queries.Query, x: Any) -> float:
    """The z-score of the mean contribution of eight million people at x against the interpolant."""
    n = 8_000_000
    reports = mechanism.simulate(np.broadcast_to(x, (n, *np.shape(x))), np.random.default_rng(3)).values
    shares = mechanism.contributions(reports, query)
    return float(abs(shares.mean() - sound.target([x], query)[0]) / (shares.std() / math.sqrt(n)))


def test_a_stencil_coefficient_one_percent_off_is_caught_as_bias_in_samples() -> None:
    query = gp.GaussianKernel(0.0, 1.0)
    mechanism = gp.Lattice.calibrate(LINE, 1.0, step=0.5, noise="product")
    assert mean_score(mechanism, mechanism, query, 0.1) < LIMIT
    assert mean_score(spoiled(Bent, mechanism), mechanism, query, 0.1) > LIMIT


@pytest.mark.parametrize(
    ("query", "x"),
    [
        (gp.GaussianKernel(0.0, 1.0), 0.1),
        (gp.Threshold(0.0, 1e-6), 0.1),  # a step function, for the grid
        (gp.GaussianKernel((0.0, 0.0), 1.0, PLANE), (0.1, -0.2)),
    ],
    ids=["kernel", "step", "plane"],
)
def test_a_stencil_coefficient_one_percent_off_is_caught_as_bias_in_the_sum_over_the_law(
    query: gp.queries.Query, x: Any
) -> None:
    mechanism = gp.Lattice.calibrate(query.space, 1.0, step=0.5, noise="product")
    target = float(mechanism.target([x], query)[0])
    assert abs(brute_moments(mechanism, query, x, 100)[0] - target) < 1e-10
    assert abs(brute_moments(spoiled(Bent, mechanism), query, x, 100)[0] - target) > 5e-4


@pytest.mark.parametrize("space", [LINE, gp.LogLine(2.0), PLANE, ROOM, gp.Euclidean(5), CITY], ids=repr)
@pytest.mark.parametrize("step", [0.01, 0.1, 1.0, 4.0])
def test_rounding_that_is_not_random_is_caught_by_the_audit(space: gp.spaces.Space, step: float) -> None:
    mechanism = gp.Lattice.calibrate(space, 1e-2, step=step / 1e-2, noise="product")
    sound, broken = gp.audit(mechanism), gp.audit(spoiled(Rounded, mechanism))
    assert sound.passed
    assert 0.99 < sound.worst_ratio <= 1
    assert not broken.passed
    assert broken.worst_ratio > 5


@pytest.mark.parametrize(("kind", "passes"), [(gp.Lattice, True), (Rounded, False)])
def test_rounding_that_is_not_random_is_caught_from_samples_alone(kind: type[gp.Lattice], passes: bool) -> None:
    """400,000 samples from each of two inputs 0.002/ε apart on two sides of a cell's middle, confidence 99 %."""
    mechanism, rng = spoiled(kind, gp.Lattice.calibrate(LINE, 1.0, noise="product")), np.random.default_rng(8)
    found = gp.audit_black_box(lambda x: mechanism.simulate(x, rng), 0.049, 0.051, epsilon=1.0, n=400_000)
    assert found.passed == passes
    assert passes or found.ratio > 10


def test_a_theta_beyond_what_epsilon_allows_cannot_be_made_and_does_not_pass_the_audit() -> None:
    for space in (LINE, PLANE, ROOM):
        mechanism = gp.Lattice.calibrate(space, 1 / 8000, noise="product")
        assert mechanism.spent <= 1
        more = mechanism.theta + Fraction(1, 2**24)
        with pytest.raises(gp.InvalidParameter, match="'theta'"):
            replace(mechanism, theta=more)
        object.__setattr__(mechanism, "theta", more)
        assert not gp.audit(mechanism).passed


def test_the_audit_compares_theta_exactly() -> None:
    """Beyond by one part in 10^30: no float would notice."""
    mechanism = gp.Lattice.calibrate(LINE, 1.0, step=0.125, noise="product")
    exact = replace(mechanism, theta=Fraction(1, 8))
    assert exact.spent == 1
    assert gp.audit(exact).passed
    object.__setattr__(exact, "theta", Fraction(1, 8) * (1 + Fraction(1, 10**30)))
    assert not gp.audit(exact).passed


@PROPERTY
@given(st.data(), st.sampled_from([LINE, PLANE, ROOM]), st.sampled_from([0.05, 0.5, 3.0]))
def test_no_report_tells_two_real_points_apart_by_more_than_is_promised(
    data: st.DataObject, space: gp.spaces.Space, step: float
) -> None:
    mechanism = gp.Lattice.calibrate(space, 1.0, step=step, noise="product")
    d = space.dimension
    x, way = (data.draw(st.tuples(*[st.floats(-5, 5)] * d)) for _ in range(2))
    length = data.draw(st.sampled_from([1e-4, 1e-2, 1.0, 10.0]))
    cells = np.array(data.draw(st.lists(st.tuples(*[st.integers(-200, 200)] * d), min_size=1)), dtype=float)
    first = np.reshape(x, space.point_shape)
    second = first + length * np.reshape(way, space.point_shape)
    cells = cells.reshape(-1, *space.point_shape)
    loss = np.abs(mechanism.log_probability(first, cells) - mechanism.log_probability(second, cells))
    assert loss.max() <= space.between(first, second) + 1e-11


def test_on_a_local_plane_the_promise_holds_in_metres_on_the_ground_for_everyone_on_earth() -> None:
    mechanism, rng, n = gp.Lattice.calibrate(CITY, "1 per 1 km", noise="product"), np.random.default_rng(5), 20_000
    x = np.stack([np.degrees(np.arcsin(rng.uniform(-1, 1, n))), rng.uniform(-180, 180, n)], axis=-1)
    x[: n // 2] = rng.uniform((40.4, -74.4), (41.0, -73.6), (n // 2, 2))
    y = EARTH.move(x, np.exp(rng.uniform(np.log(0.1), np.log(1e5), n)), rng.uniform(0, 2 * np.pi, n))
    cells = np.floor(rng.uniform(-400, 400, (n, 2)))
    loss = [mechanism.log_probability(CITY.read(points), cells) for points in (x, y)]
    assert (np.abs(loss[0] - loss[1]) <= 1e-3 * EARTH.distance(x, y) * (1 + 1e-9) + 1e-9).all()


def brute_moments(mechanism: gp.Lattice, query: gp.queries.Query, x: Any, reach: int) -> tuple[float, float]:
    """Mean and variance of a contribution from sums over the stated law, cell by cell."""
    point, d = mechanism.space.read(x), mechanism.space.dimension
    lower = mechanism.place(point)[0].reshape(d)
    axes = [np.arange(-reach, reach + 2.0) + start for start in lower]
    cells = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, *mechanism.space.point_shape)
    law = np.exp(mechanism.log_probability(point, cells))
    shares = mechanism.contributions(cells, query)
    mean = float(law @ shares)
    return mean, float(law @ (shares - mean) ** 2)


@pytest.mark.parametrize(
    ("query", "x", "step", "reach"),
    [
        (gp.Threshold(0.0, 2.0), 0.37, 0.1, 500),
        (gp.Threshold(1000.0, 0.5, gp.LogLine(2.0)), 900.0, 0.1, 500),
        (gp.GaussianKernel(0.0, 1.0), -2.0, 0.25, 250),
        (gp.Ball((0.0, 0.0), 2.0, 1.0, PLANE), (1.3, -1.1), 0.5, 100),
        (gp.GaussianKernel((0.3, 0.0), 1.5, PLANE), (1.3, -1.1), 0.5, 100),
        (gp.Score((1.0, -2.0, 0.5), 0.3, 1.0), (0.1, 0.2, 0.0), 2.0, 40),
    ],
    ids=["threshold", "ratios", "kernel", "ball", "kernel in the plane", "half-space"],
)
def test_moments_are_the_sums_over_the_law(query: gp.queries.Query, x: Any, step: float, reach: int) -> None:
    mechanism = gp.Lattice.calibrate(query.space, 1.0, step=step, noise="product")
    mean, variance = brute_moments(mechanism, query, x, reach)
    assert float(mechanism.target([x], query)[0]) == pytest.approx(mean, abs=1e-9)
    assert float(mechanism.variance([x], query)[0]) == pytest.approx(variance, rel=1e-8)


def test_the_variance_of_a_kernel_by_axes_is_that_by_cells() -> None:
    kernel = gp.GaussianKernel((0.3, -0.2), 1.0, PLANE)
    same = gp.RadialQuery((0.3, -0.2), gp.shapes.Custom(lambda s: np.exp(-(s**2) / 2), 0.61, 0.0, 12.0), PLANE)
    mechanism = gp.Lattice.calibrate(PLANE, 1.0, noise="product")
    x = [(0.0, 0.0), (1.2, -3.0), (40.0, 7.0)]
    np.testing.assert_allclose(mechanism.variance(x, kernel), mechanism.variance(x, same), rtol=1e-9, atol=1e-12)


def test_people_far_apart_are_summed_in_parts() -> None:
    query, mechanism = gp.Ball((0.0, 0.0), 2.0, 1.0, PLANE), gp.Lattice.calibrate(PLANE, 1.0, step=0.5, noise="product")
    x = np.array([(0.0, 1.8), (1e7, -3e8), (2.1, 0.0), (-4e5, 0.0)])
    each = [float(mechanism.variance([value], query)[0]) for value in x]
    np.testing.assert_allclose(mechanism.variance(x, query), each, rtol=1e-12)


def test_a_grid_too_fine_for_exact_moments_in_space_says_so() -> None:
    query = gp.Score((1.0, -2.0, 0.5), 0.3, 1.0)
    with pytest.raises(gp.InvalidParameter, match=r"'step'.*coarser"):
        gp.Lattice.calibrate(query.space, 1.0, noise="product").variance([(0.0, 0.0, 0.0)], query)
    kernel = gp.GaussianKernel((0.0, 0.0, 0.0), 2.0)  # but a product over axes is no trouble
    assert 0 < gp.Lattice.calibrate(kernel.space, 1.0, noise="product").variance([(0.0, 0.0, 0.0)], kernel)[0] < 5


def test_linear_functions_have_no_bias_at_all() -> None:
    query = gp.LinearQuery((3.0, 4.0), gp.shapes.Identity(2.0), intercept=1.0)
    mechanism = gp.Lattice.calibrate(query.space, 1.0, step=0.7, noise="product")
    x = np.random.default_rng(4).uniform(-20, 20, (100, 2))
    np.testing.assert_allclose(mechanism.target(x, query), query(x), atol=1e-11)
    assert mechanism.largest_bias(query) == 0.0
    assert gp.estimate(mechanism, mechanism.simulate(x, np.random.default_rng(0)), query).unbiased


def test_the_target_is_the_function_itself_on_the_grid_and_a_mean_of_corners_between() -> None:
    query, mechanism = gp.Ball((0.0, 0.0), 2.0, 1.0, PLANE), gp.Lattice.calibrate(PLANE, 1.0, step=0.5, noise="product")
    corners = np.array([(1.0, 1.5), (1.5, 1.5), (1.0, 2.0), (1.5, 2.0)])
    np.testing.assert_allclose(mechanism.bias(corners, query), 0.0, atol=1e-15)
    assert float(mechanism.target([(1.25, 1.75)], query)[0]) == pytest.approx(query(corners).mean(), abs=1e-15)


def growth(make: Callable[[float], float]) -> float:
    """The power of c with which a variance grows when the grid is refined."""
    steps = (0.1, 0.025)
    c = [gp.Lattice.calibrate(LINE, 1.0, step=step, noise="product").curvature for step in steps]
    return math.log(make(steps[1]) / make(steps[0])) / math.log(c[1] / c[0])


def test_rough_functions_pay_in_variance_as_theory_says() -> None:
    """A jump c^(3/2), a kink c^(1/2), a curved kink in the plane c^(5/2); a smooth function nothing."""

    def variance(query: gp.queries.Query, x: Any) -> Callable[[float], float]:
        return lambda step: float(
            gp.Lattice.calibrate(query.space, 1.0, step=step, noise="product").variance([x], query)[0]
        )

    assert growth(variance(gp.Threshold(0.00123, 1e-6), 0.0)) == pytest.approx(1.5, abs=0.05)
    assert growth(variance(gp.Threshold(0.5, 1.0), 0.0)) == pytest.approx(0.5, abs=0.1)
    assert growth(variance(gp.Ball((0.0, 0.0), 2.0, 1.0, PLANE), (1.5, 0.0))) == pytest.approx(2.5, abs=0.35)
    assert abs(growth(variance(gp.GaussianKernel((0.0, 0.0), 2.0, PLANE), (1.5, 0.0)))) < 0.05


@pytest.mark.parametrize(
    ("make", "parameter"),
    [
        (lambda: gp.Lattice.calibrate(EARTH, 1e-3, noise="product"), "space"),
        (lambda: gp.Lattice.calibrate(gp.Euclidean(7), 1.0, noise="product"), "space"),
        (lambda: gp.Lattice.calibrate("plane", 1.0, noise="product"), "space"),  # type: ignore[arg-type]
        (lambda: gp.Lattice.calibrate(LINE, 1.0, step=1e-6, noise="product"), "step"),
        (lambda: gp.Lattice.calibrate(LINE, 1.0, step=1e5, noise="product"), "step"),
        (lambda: gp.Lattice.calibrate(LINE, 1.0, step=-1.0, noise="product"), "step"),
        (lambda: gp.Lattice.calibrate(LINE, 1.0, step=math.nan, noise="product"), "step"),
        (
            lambda: gp.Lattice.calibrate(LINE, 1.0, step=0.1, queries=[gp.Threshold(0.0, 1.0)], noise="product"),
            "queries",
        ),
        (
            lambda: gp.Lattice.calibrate(LINE, 1.0, queries=[gp.Threshold(0.0, 1.0, gp.Line("USD"))], noise="product"),
            "queries",
        ),
        (lambda: gp.Lattice.calibrate(LINE, 1.0, queries=["share"], noise="product"), "queries"),  # type: ignore[list-item]
        (lambda: gp.Lattice.calibrate(LINE, 1.0, largest_bias=0.0, noise="product"), "largest_bias"),
        (lambda: replace(gp.Lattice.calibrate(LINE, 1.0, noise="product"), theta=0.1), "theta"),  # type: ignore[arg-type]
        (lambda: replace(gp.Lattice.calibrate(LINE, 1.0, noise="product"), theta=Fraction(0)), "theta"),
        (lambda: replace(gp.Lattice.calibrate(PLANE, 1.0, noise="product"), origin=(1.0,)), "origin"),
        (lambda: replace(gp.Lattice.calibrate(PLANE, 1.0, noise="product"), origin=(1.0, math.nan)), "origin"),
        (lambda: gp.estimate(gp.Lattice.calibrate(LINE, 1.0, noise="product"), [1.0, 2.0]), "query"),
        (
            lambda: gp.estimate(
                gp.Lattice.calibrate(LINE, 1.0, noise="product"), [1.0], gp.GaussianKernel((0.0, 0.0), 1.0)
            ),
            "query",
        ),
    ],
)
def test_bad_parameters_are_named(make: Callable[[], object], parameter: str) -> None:
    with pytest.raises(gp.InvalidParameter, match=f"'{parameter}'"):
        make()


def test_the_earth_is_refused_with_a_way_out() -> None:
    with pytest.raises(gp.InvalidParameter, match="LocalPlane"):
        gp.Lattice.calibrate(EARTH, 1e-3, noise="product")


@pytest.mark.parametrize("bad", [[0.5, 1.0], [[1.0, 2.0]], [2.0**60], [math.nan], [math.inf], ["secret-42"]])
def test_reports_that_are_no_cells_are_rejected(bad: Any) -> None:
    query = gp.Threshold(0.0, 1.0)
    mechanism = gp.Lattice.calibrate(LINE, 1.0, noise="product")
    for ask in (gp.estimate, lambda m, r, q: gp.estimate(m, r, [q])):
        if bad == [[1.0, 2.0]]:
            continue
        with pytest.raises(gp.ReportRejected) as caught:
            ask(mechanism, bad, query)
        assert "secret" not in str(caught.value)
    kernel = gp.GaussianKernel((0.0, 0.0), 1.0)
    with pytest.raises(gp.ReportRejected, match=r"\(n, 2\)|whole|finite|numbers"):
        gp.estimate(
            gp.Lattice.calibrate(kernel.space, 1.0, noise="product"),
            [[1.0, 2.0, 3.0]] if bad == [[1.0, 2.0]] else bad,
            kernel,
        )


def test_people_beyond_every_number_are_read_at_the_end_of_the_grid() -> None:
    query, mechanism = gp.Threshold(0.0, 2.0), gp.Lattice.calibrate(LINE, 1.0, noise="product")
    reports = mechanism.simulate([1e300, -1e300, 3e15], np.random.default_rng(0))
    np.testing.assert_allclose(mechanism.contributions(reports.values, query), [1.0, 0.0, 1.0])
    assert mechanism.place_exactly(1e300) == (2**50, Fraction(0))
    np.testing.assert_allclose(mechanism.variance([1e300], query), 0.0, atol=1e-12)


def test_where_the_origin_is_does_not_change_what_a_shifted_query_gets() -> None:
    mechanism = gp.Lattice.calibrate(PLANE, 1.0, step=0.5, noise="product")
    moved = replace(mechanism, origin=(10.0, -3.0))
    here, there = (gp.Ball(center, 2.0, 1.0, PLANE) for center in ((0.0, 0.0), (10.0, -3.0)))
    x = np.random.default_rng(1).uniform(-3, 3, (20, 2))
    shifted = x + np.array([10.0, -3.0])
    np.testing.assert_allclose(moved.variance(shifted, there), mechanism.variance(x, here), rtol=1e-9)
    np.testing.assert_allclose(moved.bias(shifted, there), mechanism.bias(x, here), atol=1e-12)


def test_intervals_cover_the_interpolant_as_often_as_they_say() -> None:
    """2,000 surveys of 1,000 people drawn from a population: 95 % ± 4 standard errors of 0.5 points."""
    query, rng = gp.Threshold(100_000.0, 16_000.0), np.random.default_rng(4)
    mechanism = gp.Lattice.calibrate(LINE, 1 / 8000, queries=[query], noise="product")
    people = rng.lognormal(11.49, 0.83, 100_000)
    truth = float(mechanism.target(people, query).mean())
    reports = mechanism.simulate(rng.choice(people, (2000, 1000)), rng).values
    shares = mechanism.contributions(reports, query).reshape(2000, 1000)
    error = np.abs(shares.mean(axis=1) - truth) / (shares.std(axis=1, ddof=1) / math.sqrt(1000))
    assert abs((error <= 1.96).mean() - 0.95) < 0.02
    assert abs((error <= 0.9 * 1.96).mean() - 0.95) > 0.015  # intervals a tenth too short would show


@pytest.mark.parametrize("scale", [5, 2**40])
def test_distinct_cells_are_found_however_far_apart_they_are(scale: int) -> None:
    cells = np.random.default_rng(2).integers(-scale, scale, (300, 3)).astype(float)
    cells = np.concatenate([cells, cells[:100]])
    unique, which = distinct(cells)
    np.testing.assert_array_equal(unique[which], cells)
    assert len(unique) == len({tuple(cell) for cell in cells.tolist()})
