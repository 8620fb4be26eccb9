"""Floors for many queries from one report: closed forms, real mechanisms above them, and efficiency."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import shapely

import geopriv as gp
from geopriv.proofs.floors import many
from tests.rows import (
    ASKED,
    Asked,
    Row,
    rows,
)

KNOWN = [asked for asked in ASKED if asked.name not in ("any function", "function", "blurred ball", "blurred geofence")]
ROWS = [row for row in rows() if row.asked.name in ("threshold", "kernel on a line", "ball on Earth", "slab")]


def axes(d: int) -> list[gp.LinearQuery]:
    """The d coordinates of R^d themselves."""
    return [gp.LinearQuery(tuple(row), gp.shapes.Identity(), space=gp.Euclidean(d)) for row in np.eye(d)]


@pytest.mark.parametrize("d", [1, 2, 3, 12])
def test_the_floor_of_all_coordinates_is_their_number_squared(d: int) -> None:
    """G is the identity, so (tr √G)²/ε² = d²/ε²; a rotation of the axes changes nothing."""
    x = np.linspace(-3, 3, 5 * d).reshape(5, d)
    np.testing.assert_allclose(gp.lower_bound_many(axes(d), 0.5, x), d**2 / 0.25, rtol=1e-5)
    turn = np.linalg.qr(np.random.default_rng(d).standard_normal((d, d)))[0]
    turned = [gp.LinearQuery(tuple(row), gp.shapes.Identity(), space=gp.Euclidean(d)) for row in turn]
    np.testing.assert_allclose(gp.lower_bound_many(turned, 0.5, x), d**2 / 0.25, rtol=1e-5)


def test_input_noise_in_many_dimensions_nearly_reaches_the_floor_so_a_higher_one_is_contradicted() -> None:
    """Noise ∝ exp(−ε‖z‖) has Σ Var = d(d+1)/ε². At d = 12 that is 8 % above the floor: 10 % more would be wrong."""
    d, x = 12, np.zeros((1, 12))
    noise = gp.InputLaplace.calibrate(gp.Euclidean(d), 1.0)
    reached = sum(noise.variance(x, query) for query in axes(d))
    floor = gp.lower_bound_many(axes(d), 1.0, x)
    assert (floor <= reached).all()
    assert (1.1 * floor > reached).all()


def test_a_table_made_for_one_place_nearly_reaches_the_floor_so_a_higher_one_is_contradicted() -> None:
    query = gp.Threshold(0.0, 0.1)
    reached = gp.Table.calibrate(query, 1.0, prior=[0.0]).variance([0.0])
    floor = gp.lower_bound(query, 1.0, [0.0])
    assert (floor <= reached).all()
    assert (1.1 * floor > reached).all()


def test_two_copies_of_a_query_cost_twice_its_own_floor() -> None:
    """Rank one: nothing is shared between directions, and rounding must not invent a second one."""
    query, x = gp.Score((3.0, 4.0), 0.0, 2.0), [(0.1, 0.2), (2.0, 2.0)]
    both = gp.lower_bound_many([query, query], 1.0, x)
    np.testing.assert_allclose(both, 2 * gp.lower_bound(query, 1.0, x), rtol=1e-5)
    rng = np.random.default_rng(0)
    for d in (2, 3):
        lines = [
            gp.LinearQuery(tuple(v), gp.shapes.Identity(), space=gp.Euclidean(d)) for v in rng.normal(size=(50, d))
        ]
        for line in lines:
            copies = gp.lower_bound_many([line] * 7, 1.0, np.zeros((1, d)))
            assert copies <= 7 * np.dot(line.weights, line.weights)


def test_different_directions_cost_more_than_the_sum_of_their_floors() -> None:
    kernels = [gp.GaussianKernel((a, b), 3.0) for a in range(-3, 4) for b in range(-3, 4)]
    x = [(0.2, 0.1), (1.0, -2.0)]
    together, alone = gp.lower_bound_many(kernels, 2.0, x), sum(gp.lower_bound(k, 2.0, x) for k in kernels)
    assert (together > 1.5 * np.asarray(alone)).all()
    assert (together < 2.01 * np.asarray(alone)).all()


@pytest.mark.parametrize("asked", KNOWN, ids=[asked.name for asked in KNOWN])
def test_gradients_are_what_differences_show(asked: Asked) -> None:
    query, space = asked.query, asked.query.space
    points = space.read(np.asarray(asked.values, dtype=np.float64)) + 1e-3
    step = 1e-5 / asked.epsilon
    steep = query.profile.steepness(query.geometry(points).ravel())
    gradient = steep[:, None] * query.geometry.gradient(points)
    slopes = np.zeros_like(gradient)
    for axis in range(space.dimension):
        there, back = (_moved(space, points, axis, way) for way in (step, -step))
        rise = query.profile(query.geometry(there)) - query.profile(query.geometry(back))
        slopes[:, axis] = rise.ravel() / (2 * step)
    # up to its sign, which is lost in |f0'| and does not matter
    outer, expected = (g[:, :, None] * g[:, None, :] for g in (gradient, slopes))
    np.testing.assert_allclose(outer, expected, rtol=2e-3, atol=1e-3 * np.abs(expected).max() + 1e-20)


def _moved(space: gp.spaces.Space, points: Any, axis: int, way: float) -> Any:
    if isinstance(space, gp.Earth):
        bearing = np.full(len(points), axis * np.pi / 2)
        return space.move(points, np.full(len(points), way), bearing)
    return points + (way * np.eye(space.dimension)[axis]).reshape(space.point_shape)


def test_where_borders_are_equally_near_all_queries_look_at_the_same_one() -> None:
    """At the middle of nested squares every side is nearest. Mixed sides would make a direction out of nothing."""
    corners = np.array([(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)])
    # each ring starts at another corner, so that "the first of the nearest sides" is another side for each
    squares = [
        gp.Geofence(shapely.Polygon(a * np.roll(corners, k, axis=0)), 6.0) for k, a in enumerate((1.0, 1.5, 2.0))
    ]
    around = np.random.default_rng(0).normal(size=(200, 2)) * 1e-3
    middle = gp.lower_bound_many(squares, 1.0, [(0.0, 0.0)])
    assert middle <= gp.lower_bound_many(squares, 1.0, around).max() * 1.001
    np.testing.assert_allclose(middle, 3 / 36, rtol=1e-4)


@pytest.mark.parametrize("bandwidth", [0.3, 2.0, 20.0])
def test_floors_read_from_a_table_are_never_above_the_exact_ones_and_close_below(bandwidth: float) -> None:
    """On a line the floor of many queries is the sum of their own; 250 × 100 is enough for a table to be used."""
    kernels = [gp.GaussianKernel(float(at), bandwidth) for at in np.linspace(-9, 9, 250)]
    x = np.linspace(-12, 12, 100)
    exact = np.sum([gp.lower_bound(kernel, 1.0, x) for kernel in kernels], axis=0)
    tabled = gp.lower_bound_many(kernels, 1.0, x)
    assert (tabled <= exact).all()
    assert (tabled >= 0.99 * exact).all()


def test_floors_read_from_a_table_are_close_to_the_exact_ones_in_a_short_range_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A range of 11 times 1/epsilon: whoever is near one end can be compared with people on the other side."""
    steps, x = [gp.Threshold(float(at), 2.0) for at in np.linspace(1, 10, 201)], np.linspace(0, 11, 101)
    within = np.array([0.0]), np.array([11.0])
    tabled = gp.lower_bound_many(steps, 1.0, x, within)
    monkeypatch.setattr(many, "_MOST", 1 << 60)
    exact = gp.lower_bound_many(steps, 1.0, x, within)
    assert (tabled <= 1.01 * exact).all()  # at an end, where those farther in have more to be compared with
    assert (tabled >= 0.8 * exact).all()
    assert tabled.mean() >= 0.9 * exact.mean()


def test_a_map_of_kernels_on_earth_is_that_of_the_plane() -> None:
    earth = gp.Earth()
    offsets = np.arange(-3, 4) * 1000.0
    places = [(40.7 + b / 111_195.0, -74.0 + a / 84_300.0) for a in offsets for b in offsets]
    round_ = [gp.GaussianKernel(place, 2000.0, earth) for place in places]
    flat = [gp.GaussianKernel((a, b), 2000.0, gp.Plane("m")) for a in offsets for b in offsets]
    on_earth = gp.lower_bound_many(round_, 1e-3, [(40.7 + 500 / 111_195.0, -74.0 - 1500 / 84_300.0)])
    np.testing.assert_allclose(on_earth, gp.lower_bound_many(flat, 1e-3, [(-1500.0, 500.0)]), rtol=2e-3)


def test_no_vector_mechanism_is_below_the_floor_of_its_queries() -> None:
    queries = (gp.Orthant((0.0, 0.0), 1.0), gp.Ball((1.0, 0.0), 2.0, 1.0), gp.GaussianKernel((0.0, 1.0), 1.5))
    mechanism = gp.VectorSmoothCauchy.calibrate(queries, 1.0)
    x = np.random.default_rng(1).normal(size=(300, 2)) * 2
    assert (gp.lower_bound_many(queries, 1.0, x) <= mechanism.variance(x).sum(axis=-1)).all()
    assert 0 < gp.efficiency(mechanism, x) < 1


def test_a_curve_known_only_by_its_curvature_gets_a_floor_from_chords() -> None:
    custom = gp.shapes.Custom(np.tanh, 1.0, -6.0, 6.0, curvature=0.77)
    s = np.array([-2.0, 0.0, 0.3])
    steep = custom.steepness(s)
    assert (steep <= 1 / np.cosh(s) ** 2).all()
    np.testing.assert_allclose(steep, 1 / np.cosh(s) ** 2, atol=1e-6)
    np.testing.assert_array_equal(gp.shapes.Custom(np.tanh, 1.0, -6.0, 6.0).steepness(s), 0.0)


def test_shapes_are_kept_and_bad_queries_refused() -> None:
    queries = [gp.Threshold(0.0, 1.0), gp.Threshold(1.0, 1.0)]
    assert gp.lower_bound_many(queries, 1.0, 0.3).shape == ()
    assert gp.lower_bound_many(queries, 1.0, []).shape == (0,)
    assert gp.lower_bound_many(queries, 1.0, np.zeros((2, 3))).shape == (2, 3)
    with pytest.raises(gp.InvalidParameter, match="at least one query"):
        gp.lower_bound_many([], 1.0, [0.0])
    with pytest.raises(gp.InvalidParameter, match="one space"):
        gp.lower_bound_many([queries[0], gp.Threshold(0.0, 1.0, gp.Line("USD"))], 1.0, [0.0])
    with pytest.raises(gp.InvalidParameter, match="LipschitzQuery"):
        gp.lower_bound_many([gp.LipschitzQuery(np.sin, 1.0)], 1.0, [0.0])


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_efficiency_is_a_share_and_refused_where_no_floor_is_known(row: Row) -> None:
    if row.name.startswith(("SmoothLaplace", "Local")) or " plain" in row.name:
        with pytest.raises(gp.InvalidParameter, match="mechanism"):
            gp.efficiency(row.mechanism, row.values, row.asked.query)
    else:
        query = row.asked.query if row.name.startswith(("Vector", "Input", "Lattice")) else None
        assert 0 < gp.efficiency(row.mechanism, row.values, query) < 1


def test_efficiency_weighs_people_and_tells_good_from_better() -> None:
    query = gp.Threshold(0.0, 2.0)
    x, weights = np.array([-4.0, 0.0, 3.0]), np.array([1.0, 0.0, 3.0])
    table, least = gp.Table.calibrate(query, 1.0), gp.LeastScaleT.calibrate(query, 1.0)
    expected = (weights * gp.lower_bound(query, 1.0, x)).sum() / (weights * table.variance(x)).sum()
    assert expected * (1 - 1e-6) <= gp.efficiency(table, x, weights=weights) <= 1  # T7, or T12 where it is higher
    assert gp.efficiency(table, np.linspace(-8, 8, 99)) > gp.efficiency(least, np.linspace(-8, 8, 99))
    for bad in ([1.0, 2.0], [-1.0, 1.0, 1.0], [0.0, 0.0, 0.0]):
        with pytest.raises(gp.InvalidParameter, match="weights"):
            gp.efficiency(table, x, weights=bad)


@pytest.mark.parametrize("asked", KNOWN, ids=[asked.name for asked in KNOWN])
def test_the_floor_of_one_query_is_its_own(asked: Asked) -> None:
    alone = gp.lower_bound(asked.query, asked.epsilon, asked.values)
    np.testing.assert_allclose(gp.lower_bound_many([asked.query], asked.epsilon, asked.values), alone, rtol=2e-3)
