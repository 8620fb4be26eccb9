"""The grid of a Lattice: its step, kinks on cells, how much bias is left, and what is refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

import geopriv as gp
from geopriv.spaces.checks import FloatArray

LINE, PLANE = gp.Line(), gp.Plane("m")
CITY = gp.LocalPlane(south=40.5, west=-74.3, north=40.95, east=-73.65)


def test_the_step_is_a_tenth_of_the_length_that_epsilon_sets_unless_it_is_given() -> None:
    assert gp.Lattice.calibrate(gp.Line("USD"), "1 per 8,000 USD", noise="product").step == pytest.approx(800.0)
    mechanism = gp.Lattice.calibrate(CITY, "1 per 1 km", noise="product")
    assert mechanism.step == pytest.approx(100.0)
    assert mechanism.guarantee.unit == "m"
    assert gp.Lattice.calibrate(PLANE, 1.0, step=0.25, noise="product").step == 0.25
    assert mechanism.spent > Fraction(999_999, 1_000_000)  # hardly anything of ε is lost to rounding θ


THRESHOLDS = [gp.Threshold(float(at), 4000.0) for at in range(20_000, 200_000, 5000)]


@pytest.mark.parametrize(
    ("queries", "rate"),
    [
        ([gp.Threshold(100_000.0, 16_000.0)], 1 / 8000),
        (THRESHOLDS, 1 / 2000),
        ([gp.Threshold(0.1, 0.7)], 1.0),
        ([gp.Range(-3.0, 4.0, 1.0), gp.Threshold(0.5, 2.0)], 1.0),
        ([gp.Range(-3.0, 4.0, 1.0, shape="triangle")], 1.0),
        ([gp.Threshold(0.0, 300.0)], 1.0),
        ([gp.Threshold(1000.0, 0.5, gp.LogLine(2.0))], 2.0),
        ([gp.LinearQuery((1.0,), gp.shapes.PiecewiseLinear((-2.0, -1.0, 0.0, 3.0), (0.0, 1.0, 0.25, 0.5)))], 1.0),
    ],
    ids=["threshold", "distribution", "odd width", "two kinds", "triangle", "wide", "ratios", "staircase"],
)
def test_on_a_line_kinks_are_put_on_cells_and_leave_no_bias(queries: list[gp.queries.Query], rate: float) -> None:
    mechanism = gp.Lattice.calibrate(queries[0].space, rate, queries=queries, noise="product")
    assert 0.025 * (1 - 1e-9) <= mechanism.step * rate <= 1 + 1e-9
    assert gp.audit(mechanism).passed
    for query in queries:
        assert mechanism.largest_bias(query) < 1e-9
        assert gp.estimate(mechanism, np.zeros((5, *query.space.point_shape)), query).unbiased
        x = query.space.values(np.linspace(0, 20, 41).reshape(-1, *query.space.point_shape) / rate)
        assert (mechanism.variance(x, query) + 1e-12 >= gp.lower_bound(query, rate, x)).all()


def test_the_chosen_step_has_less_variance_than_the_default_for_a_ramp() -> None:
    query = gp.Threshold(100_000.0, 16_000.0)
    x = np.linspace(60_000, 140_000, 81)
    chosen = gp.Lattice.calibrate(LINE, 1 / 8000, queries=[query], noise="product").variance(x, query).mean()
    usual = gp.Lattice.calibrate(LINE, 1 / 8000, noise="product").variance(x, query).mean()
    assert chosen < 0.6 * usual


def test_where_kinks_cannot_be_on_cells_the_grid_is_refined_until_the_bias_is_small() -> None:
    kernel = gp.GaussianKernel((0.0, 0.0), 1.0, PLANE)
    mechanism = gp.Lattice.calibrate(PLANE, 1.0, queries=[kernel], noise="product")
    assert mechanism.step == 0.05
    assert (
        mechanism.largest_bias(kernel) <= 1e-3 < gp.Lattice.calibrate(PLANE, 1.0, noise="product").largest_bias(kernel)
    )
    assert gp.Lattice.calibrate(PLANE, 1.0, queries=[kernel], largest_bias=0.01, noise="product").step == 0.1
    odd = [gp.Threshold(0.0, 1.0), gp.Threshold(math.pi, math.sqrt(2.0))]  # no common measure
    assert gp.Lattice.calibrate(LINE, 1.0, queries=odd, largest_bias=0.01, noise="product").step == 0.05


def soft_disc(rise: Callable[[FloatArray], FloatArray], width: float = 4.0) -> gp.queries.Query:
    """1 within a circle of radius 4, falling over the width with a rise from 0 to 1 on [0, 1]."""
    curvature = None if rise is straight else 6 / width**2  # a bound for both curved ones
    low, high = 4 - width / 2, 4 + width / 2
    return gp.RadialQuery(
        (0.0, 0.0), gp.shapes.Custom(lambda s: 1 - rise((s - low) / width), 2 / width, low, high, curvature), PLANE
    )


def straight(t: FloatArray) -> FloatArray:
    return t


def quadratic(t: FloatArray) -> FloatArray:
    return np.where(t < 0.5, 2 * t**2, 1 - 2 * (1 - t) ** 2)


def quintic(t: FloatArray) -> FloatArray:
    return t**3 * (t * (6 * t - 15) + 10)


def test_in_the_plane_an_edge_needs_two_derivatives() -> None:
    """Width 4/ε and step 0.1/ε: a kink costs thousands, a jump of the second derivative tens, of the third nothing."""
    mechanism = gp.Lattice.calibrate(PLANE, 1.0, noise="product")
    x = np.random.default_rng(0).uniform(-5, 5, (100, 2))
    cost = [mechanism.variance(x, soft_disc(rise)).mean() for rise in (straight, quadratic, quintic)]
    assert cost[0] > 1000
    assert 20 < cost[1] < 200
    assert cost[2] < 3


def test_a_blurred_disc_costs_a_lattice_little() -> None:
    """Blurred by the standard deviation of that linear edge, its width over √12."""
    mechanism, disc = gp.Lattice.calibrate(PLANE, 1.0, noise="product"), gp.Ball((0.0, 0.0), 4.0, 0.1, PLANE)
    x = np.random.default_rng(0).uniform(-5, 5, (100, 2))
    assert mechanism.variance(x, gp.Blurred(disc, 4 / math.sqrt(12))).mean() < 0.4
    assert mechanism.variance(x, gp.Ball((0.0, 0.0), 4.0, 4.0, PLANE)).mean() > 1000


@pytest.mark.parametrize(("bandwidth", "step"), [(1.0, 0.05), (2.0, 0.1), (8.0, 0.1)])
def test_the_grid_for_a_blurred_disc_does_not_depend_on_how_steep_it_was(bandwidth: float, step: float) -> None:
    for width in (1e-3, 0.5):
        query = gp.Blurred(gp.Ball((0.0, 0.0), 4.0, width, PLANE), bandwidth)
        mechanism = gp.Lattice.calibrate(PLANE, 1.0, queries=[query], noise="product")
        assert mechanism.largest_bias(query) <= 1e-3
        assert mechanism.step == step


def test_a_coarser_grid_is_taken_where_the_bias_allows_it_and_the_variance_gains() -> None:
    rough, smooth = soft_disc(quadratic), soft_disc(quintic, width=7.0)
    assert gp.Lattice.calibrate(PLANE, 1.0, queries=[rough], noise="product").step == 0.1  # the bias asks for it
    assert gp.Lattice.calibrate(PLANE, 1.0, queries=[rough], largest_bias=0.016, noise="product").step == 0.4
    assert gp.Lattice.calibrate(PLANE, 1.0, queries=[smooth], largest_bias=0.01, noise="product").step == 0.1


@pytest.mark.parametrize(
    "query", [gp.Ball((0.0, 0.0), 2.0, 1.0, PLANE), gp.Threshold(0.3, 1e-3), gp.LipschitzQuery(np.sin, 1.0)]
)
def test_queries_that_no_sensible_grid_follows_are_refused(query: gp.queries.Query) -> None:
    queries = [query, gp.Threshold(math.pi, 1.0)] if isinstance(query, gp.Threshold) else [query]
    with pytest.raises(gp.InvalidParameter, match=r"'queries'.*smooth enough"):
        gp.Lattice.calibrate(query.space, 1.0, queries=queries, noise="product")


BIASED = {
    "threshold": gp.Threshold(0.03, 0.7),
    "range": gp.Range(-1.0, 2.0, 0.5),
    "triangle": gp.Range(-1.03, 2.0, 0.5, shape="triangle"),
    "kernel": gp.GaussianKernel((0.1, 0.0), 0.8, PLANE),
    "kernel in space": gp.GaussianKernel((0.1, 0.0, 0.0), 0.8),
    "ball": gp.Ball((0.04, 0.0), 2.0, 1.0, PLANE),
    "orthant": gp.Orthant((0.0, 0.03), 1.0, PLANE),
    "half-plane": gp.Score((1.0, -2.0), 0.3, 1.0, PLANE),
    "slab": gp.LinearQuery((3.0, 4.0), gp.shapes.Trapezoid(1.0, 2.0)),
    "ridge": gp.LinearQuery((3.0, 4.0), gp.shapes.Gaussian(3.0)),
    "any function": gp.LipschitzQuery(np.sin, 1.0),
    "blurred narrow edge": gp.Blurred(gp.Ball((0.04, 0.0), 2.0, 0.1, PLANE), 1.0),
    "blurred wide edge": gp.Blurred(gp.Ball((0.04, 0.0), 2.0, 4.0, PLANE), 0.3),
}
LOOSE = (
    "any function",
    "ball",
    "orthant",
    "blurred narrow edge",
    "blurred wide edge",
)  # of which only slope and range are known


@pytest.mark.parametrize("name", BIASED)
@pytest.mark.parametrize("step", [0.1, 0.5])
def test_no_one_has_more_bias_than_the_largest(name: str, step: float) -> None:
    query = BIASED[name]
    mechanism = gp.Lattice.calibrate(query.space, 1.0, step=step, noise="product")
    x = np.random.default_rng(7).uniform(-3.5, 3.5, (200_000, *query.space.point_shape))
    seen = float(np.abs(mechanism.bias(x, query)).max())
    assert seen <= mechanism.largest_bias(query) * (1 + 1e-3)
    if step < 0.5:  # bounds for fine grids are tight
        assert name == "any function" or seen >= (0.1 if name in LOOSE else 0.4) * mechanism.largest_bias(query)
