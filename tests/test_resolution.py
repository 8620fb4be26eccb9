"""Resolutions: what is recorded, how far apart it is, and that rounding errors stay within what is charged.

True coordinates are computed to fifty digits from the recorded points themselves, whole multiples of the resolution.
"""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import geopriv as gp
from geopriv.checks import FloatArray
from geopriv.mechanisms.table_integers import worst_step
from tests import precise
from tests.rows import DISTRICT, PARK

CENTS, GLOBE, GRID = gp.Line("USD", resolution=0.01), gp.Earth(resolution=1e-7), gp.Plane("m", resolution=0.001)
SPACES = (CENTS, gp.LogLine(2.0, resolution=1e-6), GRID, gp.Euclidean(3, resolution=0.5), GLOBE)


def step_of(space: gp.Space) -> float:
    assert space.resolution is not None
    return space.resolution


every_space = pytest.mark.parametrize("space", SPACES, ids=repr)


def some_values(space: gp.Space, n: int) -> FloatArray:
    rng = np.random.default_rng(11)
    if isinstance(space, gp.Earth):
        return np.stack([rng.uniform(-90, 90, n), rng.uniform(-180, 360, n)], axis=-1)
    spread = 10.0 ** rng.uniform(-3, 13, (n, *space.point_shape))
    return spread if isinstance(space, gp.LogLine) else spread * rng.choice([-1, 1], spread.shape)


@every_space
def test_what_is_read_is_recorded_and_stays_so(space: gp.Space) -> None:
    points = space.read(some_values(space, 500))
    steps = points / step_of(space)
    np.testing.assert_allclose(steps, np.rint(steps), atol=1e-3)
    np.testing.assert_array_equal(space.read(space.values(points)), points)
    assert (np.abs(points) <= space.extent).all()


@every_space
def test_values_within_the_extent_move_by_half_a_step_at_most(space: gp.Space) -> None:
    raw = space.exact.read(some_values(space, 500))
    near = np.abs(raw) <= (84.0 if isinstance(space, gp.Earth) else space.extent)
    moved = np.abs(space.read(space.values(raw)) - raw)
    assert (moved[near] <= 0.5 * step_of(space) * (1 + 1e-3)).all()


@every_space
def test_distinct_recorded_points_are_never_closer_than_stated(space: gp.Space) -> None:
    """Neighbours by one step along every axis, the longitudes of the last parallel included."""
    points = space.read(some_values(space, 300)).reshape(300, -1)
    if isinstance(space, gp.Earth):
        points[:100, 0] = 85.0
    step = step_of(space)
    for axis in range(points.shape[1]):
        other = points.copy()
        other[:, axis] -= np.sign(other[:, axis]) * step
        shape = (-1, *space.point_shape)
        first, second = points.reshape(shape), space.read(space.values(other.reshape(shape)))
        distance = space.between(first, second)
        apart = (first != second).reshape(300, -1).any(axis=1)
        # the float distance itself is off by a few units in the last place of the coordinates
        slack = 1e-8 if isinstance(space, gp.Earth) else 4e-16 * np.abs(points).max()
        assert (distance[apart] >= space.closest - slack).all()
    if isinstance(space, gp.Earth):
        a, b = (precise.unit_vector(Fraction(85), Fraction(k, 10**7)) for k in (0, 1))
        assert 1 <= float(precise.arc(a, b)) * space.radius / space.closest < 1 + 1e-9


def test_poles_and_the_date_line_are_recorded_once() -> None:
    points = GLOBE.read([(90.0, 10.0), (-89.0, 10.0), (0.0, 180.0), (0.0, -180.0), (0.0, 179.99999999), (0.0, 360.0)])
    np.testing.assert_array_equal(points[:, 0], [85.0, -85.0, 0.0, 0.0, 0.0, 0.0])
    np.testing.assert_array_equal(points[:, 1], [10.0, 10.0, -180.0, -180.0, -180.0, 0.0])


def test_without_a_resolution_nothing_changes() -> None:
    for space in (gp.Line(), gp.Plane(), gp.Earth(), gp.LogLine()):
        assert space.resolution is None
        assert space.exact is space
        assert space.closest == 0.0
    x = np.array([1 / 3, 1e300])
    np.testing.assert_array_equal(gp.Line().read(x), x)


def test_public_places_are_not_snapped() -> None:
    query = gp.Threshold(1.23456, 1.0, CENTS)
    assert query.coordinate([1.23]) == pytest.approx(-0.00456, abs=1e-12)
    assert gp.Ball((89.5, 0.0), 1000.0, 100.0, GLOBE).geometry.anchor[0] == 89.5


@pytest.mark.parametrize("space", [gp.Line, gp.LogLine, gp.Plane, gp.Earth, lambda **k: gp.Euclidean(2, **k)])
@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf, "cents", True])
def test_a_resolution_that_is_none_is_refused(space: Callable[..., gp.Space], bad: object) -> None:
    with pytest.raises(gp.InvalidParameter, match="'resolution'"):
        space(resolution=bad)


@pytest.mark.parametrize("bad", [0.7, 1e-10, 360.0])
def test_degrees_that_do_not_divide_the_circle_are_refused(bad: float) -> None:
    with pytest.raises(gp.InvalidParameter, match="'resolution'"):
        gp.Earth(resolution=bad)


def test_spaces_with_a_resolution_are_values() -> None:
    for space in SPACES:
        assert pickle.loads(pickle.dumps(space)) == space
        assert space != space.exact


# Rounding errors ------------------------------------------------------------------------------------------------------


def recorded(space: gp.Space, point: Any) -> list[Fraction]:
    """The recorded point itself: whole steps of the resolution, of 360°/N on Earth."""
    size = step_of(space)
    step = Fraction(360, round(360 / size)) if isinstance(space, gp.Earth) else Fraction(size)
    return [round(float(x) / size) * step for x in np.atleast_1d(point)]


def true_linear(query: gp.HalfSpace, x: list[Fraction]) -> Decimal:
    score = sum((Fraction(w) * y for w, y in zip(query.normal, x, strict=True)), -Fraction(query.offset))
    return precise.exact(score) / precise.norm([precise.exact(w) for w in query.normal])


def true_threshold(query: gp.Threshold, x: list[Fraction]) -> Decimal:
    return precise.exact(x[0] - Fraction(query.at))


def true_ball(query: gp.Ball, x: list[Fraction]) -> Decimal:
    center = [Fraction(c) for c in query.center]  # type: ignore[union-attr]
    return precise.norm([precise.exact(a - b) for a, b in zip(x, center, strict=True)]) - precise.exact(query.radius)


def true_earth_ball(query: gp.Ball, x: list[Fraction]) -> Decimal:
    center = precise.unit_vector(*query.center)  # type: ignore[misc]
    return precise.exact(6_371_008.8) * precise.arc(precise.unit_vector(*x), center) - precise.exact(query.radius)


def true_orthant(query: gp.Orthant, x: list[Fraction]) -> Decimal:
    lack = [precise.exact(Fraction(c) - a) for c, a in zip(query.geometry.corner, x, strict=True)]  # type: ignore[attr-defined]
    outside = precise.norm([max(part, Decimal(0)) for part in lack])
    return outside if outside > 0 else max(lack)


def true_fence(query: gp.Geofence, x: list[Fraction]) -> Decimal:
    import shapely

    rings = [query.polygon.exterior, *query.polygon.interiors]
    if isinstance(query.space, gp.Earth):
        v = precise.unit_vector(*x)
        corners = [[precise.unit_vector(b, a) for a, b in ring.coords] for ring in rings]
        distance = precise.exact(6_371_008.8) * min(
            precise.to_arc(v, a, b) for ring in corners for a, b in pairwise(ring)
        )
    else:
        p = [precise.exact(a) for a in x]
        flat = [[tuple(map(precise.exact, c)) for c in ring.coords] for ring in rings]
        distance = min(precise.to_segment(p, a, b) for ring in flat for a, b in pairwise(ring))
    place = [float(a) for a in (x[::-1] if isinstance(query.space, gp.Earth) else x)]
    # near the border the side is what is in question, and then both sides are allowed
    return -distance if shapely.contains_xy(query.polygon, *place) else distance


def near(space: gp.Space, center: Any, spread: float, n: int = 60) -> FloatArray:
    """Values at all scales around a place, and far ones."""
    rng = np.random.default_rng(7)
    size = spread * 10.0 ** rng.uniform(-9, 0, (n, 1))
    moves = rng.standard_normal((n, max(1, len(np.atleast_1d(center))))) * size
    values = np.asarray(center) + moves
    return values[:, 0] if space.point_shape == () else values


HALF = gp.HalfSpace((1.0, -2.0, 0.5), 12.3, 1.0, gp.Euclidean(3, resolution=1e-4))
BALL = gp.Ball((40.7, -74.0), 3000.0, 1000.0, GLOBE)
FENCE = gp.Geofence(DISTRICT, 500.0, GLOBE)
CASES: list[tuple[Any, Any, FloatArray, float]] = [
    (gp.Threshold(123_456.789, 2e4, CENTS), true_threshold, near(CENTS, 123_456.789, 1e6), 1e6),
    (HALF, true_linear, near(HALF.space, (0.0, 0.0, 0.0), 1e8), 1e9),
    (gp.Ball((1e5, -3e5), 2000.0, 500.0, GRID), true_ball, near(GRID, (1e5, -3e5), 1e5), 1e6),
    (gp.Orthant((5e4, -3e5), 500.0, GRID), true_orthant, near(GRID, (5e4, -3e5), 1e5), 1e6),
    (gp.Geofence(PARK, 0.4, gp.Plane(resolution=1e-6)), true_fence, near(GRID, (1.5, 0.8), 5.0), 30.0),
    (BALL, true_earth_ball, near(GLOBE, (40.7, -74.0), 1.0), 3e7),
    (gp.Ball((-40.7, 106.0), 3000.0, 1000.0, GLOBE), true_earth_ball, near(GLOBE, (40.7, -74.0), 1.0), 3e7),  # antipode
    (FENCE, true_fence, near(GLOBE, (40.73, -74.0), 0.1), 1e6),
]
every_case = pytest.mark.parametrize("case", CASES, ids=lambda c: f"{type(c[0]).__name__}, {type(c[0].space).__name__}")


def errors(query: gp.Query, true: Any, values: FloatArray, computed: FloatArray | None = None) -> FloatArray:
    points = query.space.read(values)
    found = query.geometry(points) if computed is None else computed
    off = []
    for point, s in zip(points, found.tolist(), strict=True):
        truth = true(query, recorded(query.space, point))
        off.append(float(min(abs(precise.exact(s) - truth), abs(precise.exact(s) + truth) + abs(truth))))
    return np.asarray(off)


@every_case
def test_rounding_errors_stay_within_the_bound_and_the_bound_is_not_idle(case: Any) -> None:
    query, true, values, reach = case
    bound = query.geometry.rounding(query.space.extent, reach)
    worst = errors(query, true, values).max()
    assert worst <= bound
    assert worst > bound / 1e4  # it is a bound of the right kind, not a wild one
    assert bound < 0.01 * query.space.closest


def test_an_angle_by_its_cosine_breaks_the_bound() -> None:
    """The planted fault: arccos loses half the digits at small distances."""
    values = near(GLOBE, (40.7, -74.0), 1e-3)
    a, b = (np.radians(p) for p in (GLOBE.read(values), np.array([40.7, -74.0])))
    cosine = np.sin(a[:, 0]) * np.sin(b[0]) + np.cos(a[:, 0]) * np.cos(b[0]) * np.cos(a[:, 1] - b[1])
    careless = GLOBE.radius * np.arccos(np.clip(cosine, -1, 1)) - 3000.0
    bound = BALL.geometry.rounding(180.0, 1e6)
    assert errors(BALL, true_earth_ball, values).max() <= bound
    assert errors(BALL, true_earth_ball, values, careless).max() > 100 * bound


def test_of_a_function_of_ones_own_nothing_is_claimed() -> None:
    assert gp.LipschitzQuery(np.sin, 1.0, CENTS).geometry.rounding(1.0, 1.0) == math.inf


# What is charged ------------------------------------------------------------------------------------------------------


@given(st.integers(-(2**39), 2**39), st.integers(-(2**39), 2**39), st.integers(0, 2))
def test_computed_coordinates_stretch_distances_by_no_more_than_is_charged(x: int, y: int, axis: int) -> None:
    point = np.array([x, y, x - y], dtype=float)
    other = point.copy()
    other[axis] += 1
    s, s2 = (float(HALF.coordinate(p * 1e-4)) for p in (point, other))
    factor = 1 + 2 * HALF.geometry.rounding(HALF.space.extent, 100.0) / HALF.space.closest
    assert abs(s - s2) <= factor * 1e-4 * (1 + 1e-12)


def test_far_out_computed_coordinates_do_stretch_distances() -> None:
    """Why a charge is needed at all: a step along the normal that moves the computed coordinate by more than itself."""
    steps = np.random.default_rng(0).integers(2**38, 2**39, (4000, 1)) * np.array([[1, 1, 1]])
    query = gp.HalfSpace((1.0, 0.0, 0.0), 0.3, 1.0, gp.Euclidean(3, resolution=1e-4))
    s = query.coordinate(steps * 1e-4)
    s2 = query.coordinate((steps + np.array([1, 0, 0])) * 1e-4)
    assert ((s2 - s) / 1e-4).max() > 1 + 1e-5


@pytest.fixture(scope="module")
def paid() -> gp.Table:
    return gp.Table.calibrate(BALL, 1e-3)


def test_a_table_pays_for_rounding_out_of_its_epsilon(paid: gp.Table) -> None:
    assert paid.guarantee.epsilon == 1e-3
    assert paid.charge is not None
    assert 1 < paid.charge.factor < Fraction(1001, 1000)
    assert gp.audit(paid).passed
    steps = worst_step(paid.lattice, paid.weights, Fraction(1e-3))
    assert steps[0] * paid.charge.factor <= 1


def test_a_table_that_has_not_paid_is_caught(paid: gp.Table) -> None:
    unpaid = gp.Table.calibrate(replace(BALL, space=gp.Earth()), 1e-3)
    assert unpaid.charge is None
    assert gp.audit(unpaid).passed
    assert not gp.audit(replace(unpaid, query=BALL)).passed


def test_small_charges_fit_into_what_every_table_leaves_unused() -> None:
    exact, cents = (gp.Table.calibrate(gp.Threshold(1e5, 16_000.0, s), 1 / 8000) for s in (gp.Line("USD"), CENTS))
    np.testing.assert_array_equal(exact.weights, cents.weights)
    assert cents.charge is not None
    assert 1 < cents.charge.factor < 1 + Fraction(1, 10**7)
    assert gp.audit(cents).passed


def test_a_resolution_too_fine_for_floats_is_refused_and_told_what_would_do() -> None:
    query = gp.Threshold(1e5, 16_000.0, gp.Line("USD", resolution=1e-10))
    with pytest.raises(gp.InvalidParameter, match=r"'resolution'.*would do"):
        gp.Table.calibrate(query, 1 / 8000)
