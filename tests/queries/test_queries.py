"""Queries: values against numbers computed by hand, shapes, rules for parameters, equality."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

import geopriv as gp
from geopriv.spaces.checks import FloatArray

PROPERTY = settings(deadline=None, derandomize=True, max_examples=150)
EARTH = gp.Earth()
DEGREE = math.pi * EARTH.radius / 180  # metres along a meridian
SQUARE = shapely.box(0, 0, 10, 10)


def _ones(n: int) -> tuple[float, ...]:
    return tuple([1.0] * n)


KNOWN: dict[str, tuple[gp.queries.Query, list[Any], list[float]]] = {
    "threshold": (gp.Threshold(at=100, width=20), [80, 90, 95, 100, 107, 110, 1e9], [0, 0, 0.25, 0.5, 0.85, 1, 1]),
    "threshold of factors": (
        gp.Threshold(at=8, width=2, space=gp.LogLine(base=2)),
        [-5, 0, 4, 8 / math.sqrt(2), 8, 16, 99],
        [0, 0, 0, 0.25, 0.5, 1, 1],
    ),
    "range": (
        gp.Range(low=10, high=20, width=2),
        [8, 9, 9.5, 10, 11, 15, 19, 20.5, 21, 30],
        [0, 0, 0.25, 0.5, 1, 1, 1, 0.25, 0, 0],
    ),
    "range as wide as its ends allow": (
        gp.Range(low=10, high=20, width=10),
        [5, 7.5, 10, 15, 20, 25],
        [0, 0.25, 0.5, 1, 0.5, 0],
    ),
    "range of factors": (
        gp.Range(low=2, high=32, width=1, space=gp.LogLine(base=2)),
        [-1, 1, math.sqrt(2), 2, 8, 32, 64],
        [0, 0, 0, 0.5, 1, 0.5, 0],
    ),
    "triangle": (
        gp.Range(low=10, high=20, width=2, shape="triangle"),
        [8, 9, 12, 15, 16.5, 21, 22],
        [0, 0, 0.5, 1, 0.75, 0, 0],
    ),
    "orthant": (
        gp.Orthant(at=(0, 0), width=2),
        [(9, 9), (9, 0), (0, 9), (9, 0.5), (-1, 9), (9, -3), (1 + math.sqrt(2), 1 + math.sqrt(2)), (0, 0)],
        [1, 0.5, 0.5, 0.75, 0, 0, 1, 0],
    ),
    "halfspace": (
        gp.Score(weights=(3, 4), at=5, width=2),
        [(0, 0), (-1, 2), (0.3, 1.4), (3, 4), (-3, -4)],
        [0, 0.5, 0.5 + 0.3 / 2, 1, 0],
    ),
    "interval around a number": (
        gp.Ball(center=(5,), radius=2, width=2, space=gp.Line()),
        [5, 6, 7, 2.5, 8, 20],
        [1, 1, 0.5, 0.25, 0, 0],
    ),
    "disc": (
        gp.Ball(center=(1, 1), radius=5, width=2),
        [(1, 1), (4, 5), (1, 5.5), (7, 1), (1, 1.5)],
        [1, 0.5, 0.75, 0, 1],
    ),
    "ball": (gp.Ball(center=(0, 0, 0), radius=7, width=2), [(2, 3, 6), (0, 0, 0), (0, 7.5, 0)], [0.5, 1, 0.25]),
    "ball of factors": (
        gp.Ball(center=(8,), radius=1, width=2, space=gp.LogLine(base=2)),
        [8, 16, 4, 8 * math.sqrt(2), 64, -1],
        [1, 0.5, 0.5, 0.75, 0, 0],
    ),
    "cap of the globe": (
        gp.Ball(center=(0, 179.5), radius=DEGREE, width=DEGREE, space=EARTH),
        [(0, 179.5), (0, -179.5), (0, -179.75), (1, 179.5), (0, -178)],
        [1, 0.5, 0.75, 0.5, 0],
    ),
    "geofence": (
        gp.Geofence(SQUARE, width=2),
        [(5, 5), (10, 5), (10.5, 5), (9.5, 5), (20, 5), (10.3, 10.4)],
        [1, 0.5, 0.25, 0.75, 0, 0.25],
    ),
    "geofence on the globe": (
        gp.Geofence(shapely.box(-1, -1, 1, 1), width=DEGREE, space=EARTH),
        [(0, 0), (0, 1), (0, 1.25), (0, -0.75), (0, 3), (0, 180)],
        [1, 0.5, 0.25, 0.75, 0, 0],
    ),
    "kernel": (gp.GaussianKernel(center=(0, 0), bandwidth=5), [(0, 0), (3, 4)], [1, math.exp(-0.5)]),
    "kernel on a line": (
        gp.GaussianKernel(center=(3,), bandwidth=2, space=gp.Line()),
        [3, 5, -1],
        [1, math.exp(-0.5), math.exp(-2)],
    ),
    "kernel on the globe": (
        gp.GaussianKernel(center=(90, 0), bandwidth=DEGREE, space=EARTH),
        [(90, 123), (89, 45), (88, -170)],
        [1, math.exp(-0.5), math.exp(-2)],
    ),
    "linear": (
        gp.LinearQuery((3, 4), gp.shapes.Ramp(width=10), intercept=1),
        [(0, 0), (1, 0), (0, 1), (5, 5), (-5, -5)],
        [0.6, 0.9, 1, 1, 0],
    ),
    "radial": (
        gp.RadialQuery((0, 0), gp.shapes.PiecewiseLinear((0, 5, 10), (2, 4, 0))),
        [(0, 0), (3, 4), (6, 8), (1.5, 2), (30, 40)],
        [2, 4, 0, 3, 0],
    ),
    "lipschitz": (gp.LipschitzQuery(lambda x: 3 * np.abs(x), constant=3), [0, -2, 5], [0, 6, 15]),
}
ALL = [query for query, _, _ in KNOWN.values()]


def _kind(query: gp.queries.Query) -> str:
    return f"{type(query).__name__} on {type(query.space).__name__}"


@pytest.mark.parametrize("name", KNOWN)
def test_a_query_takes_the_values_that_were_computed_by_hand(name: str) -> None:
    query, at, values = KNOWN[name]
    np.testing.assert_allclose(query(at), values, rtol=1e-9, atol=1e-9 if query.space == EARTH else 1e-13)


@pytest.mark.parametrize("query", ALL, ids=_kind)
def test_a_query_is_its_profile_after_its_coordinate(query: gp.queries.Query) -> None:
    x = np.random.default_rng(31).uniform(-20, 40, (50, *query.space.point_shape))
    np.testing.assert_array_equal(query(x), query.profile(query.coordinate(x)))


@pytest.mark.parametrize("query", ALL, ids=_kind)
@pytest.mark.parametrize("shape", [(), (0,), (1,), (5,), (2, 3)])
def test_a_query_answers_once_for_each_value(query: gp.queries.Query, shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(32).uniform(-20, 40, shape + query.space.point_shape)
    assert query(x).shape == query.coordinate(x).shape == shape


@pytest.mark.parametrize("query", ALL, ids=_kind)
def test_a_query_answers_for_many_as_for_each(query: gp.queries.Query) -> None:
    x = np.random.default_rng(33).uniform(-20, 40, (7, *query.space.point_shape))
    np.testing.assert_allclose(query(x), [float(query(value)) for value in x], rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("query", ALL, ids=_kind)
def test_a_query_refuses_values_that_are_not_of_its_space(query: gp.queries.Query) -> None:
    bad = np.full((2, *query.space.point_shape), np.nan)
    with pytest.raises(gp.OutOfDomain):
        query(bad)


@pytest.mark.parametrize(("low", "high", "width"), [(10, 20, 2), (-3, 1.5, 0.5), (0, 1, 7)])
def test_the_triangle_is_the_formula_of_the_papers_appendix(low: float, high: float, width: float) -> None:
    x = np.random.default_rng(34).uniform(low - 2 * width - 1, high + 2 * width + 1, 2000)
    middle, base = (low + high) / 2, (high - low) / 2 + width / 2
    paper = np.select(
        [x < low - width / 2, x > high + width / 2, x <= middle],
        [np.zeros_like(x), np.zeros_like(x), (x - low + width / 2) / base],
        (high + width / 2 - x) / base,
    )
    query = gp.Range(low=low, high=high, width=width, shape="triangle")
    np.testing.assert_allclose(query(x), paper, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("gamma", [0.1, 1.0, 5.0])
def test_the_sensitivity_of_the_triangle_is_the_formula_of_the_papers_appendix(gamma: float) -> None:
    low, high, width = 10.0, 20.0, 2.0
    x = np.random.default_rng(35).uniform(-20, 50, 2000)
    base = (high - low) / 2 + width / 2
    beyond = np.maximum(np.maximum(low - width / 2 - x, x - high - width / 2), 0.0)
    off = np.abs((low + high) / 2 - x)
    outside = np.maximum(1 / np.where(beyond > 0, off, 1.0), np.exp(-gamma * beyond) / base)
    paper = np.where(beyond > 0, outside, 1 / base)
    query = gp.Range(low=low, high=high, width=width, shape="triangle")
    found = gp.smooth.smooth_sensitivity(query.profile, gp.smooth.ExponentialGrowth(gamma), query.coordinate(x))
    np.testing.assert_allclose(found, paper, rtol=1e-12)


def test_a_range_is_a_trapezoid_unless_a_triangle_is_asked_for() -> None:
    assert gp.Range(1, 2, 0.5) == gp.Range(1, 2, 0.5, shape="trapezoid")
    assert gp.Range(1, 2, 0.5) != gp.Range(1, 2, 0.5, shape="triangle")


@PROPERTY
@given(st.floats(-50, 50), st.floats(0.1, 30), st.floats(0.01, 1), st.floats(-100, 100))
def test_a_trapezoid_range_is_the_difference_of_two_thresholds(
    low: float, length: float, part: float, x: float
) -> None:
    width = part * length * (1 - 1e-9)
    query = gp.Range(low=low, high=low + length, width=width)
    difference = gp.Threshold(low, width)(x) - gp.Threshold(low + length, width)(x)
    assert float(query(x)) == pytest.approx(float(difference), abs=1e-9)


def test_a_range_refuses_a_width_beyond_its_length() -> None:
    with pytest.raises(gp.InvalidParameter, match=r"'width' parameter of Range must be at most high − low = 10"):
        gp.Range(low=10, high=20, width=10.5)


def test_a_range_of_factors_measures_its_width_in_factors() -> None:
    space = gp.LogLine(base=2)
    gp.Range(low=2, high=8, width=2, space=space)
    with pytest.raises(gp.InvalidParameter, match="'width' parameter of Range"):
        gp.Range(low=2, high=8, width=2.5, space=space)


def test_a_triangle_may_be_wider_than_its_range() -> None:
    assert gp.Range(low=10, high=20, width=100, shape="triangle")(15) == 1.0


def test_a_ball_refuses_a_width_beyond_its_diameter() -> None:
    gp.Ball(center=(0, 0), radius=3, width=6)
    with pytest.raises(gp.InvalidParameter, match=r"'width' parameter of Ball must be at most 2·radius = 6"):
        gp.Ball(center=(0, 0), radius=3, width=6.1)


LOG = gp.LogLine()
WRONG_SPACES: list[Callable[[], gp.queries.Query]] = [
    lambda: gp.Threshold(1, 1, space=gp.Plane()),
    lambda: gp.Threshold(1, 1, space=EARTH),
    lambda: gp.Threshold(1, 1, space=gp.Euclidean(1)),
    lambda: gp.Range(1, 2, 1, space=gp.Plane()),
    lambda: gp.Orthant((1, 1), 1, space=gp.Line()),
    lambda: gp.Orthant((1, 1), 1, space=LOG),
    lambda: gp.Orthant((1, 1), 1, space=EARTH),
    lambda: gp.Score((1, 1), 0, 1, space=gp.Line()),
    lambda: gp.Score((1, 1), 0, 1, space=EARTH),
    lambda: gp.Score((1, 1), 0, 1, space=gp.Euclidean(3)),
    lambda: gp.LinearQuery((1, 1), gp.shapes.Ramp(1.0), space=gp.Line()),
    lambda: gp.LinearQuery((1, 1, 1), gp.shapes.Ramp(1.0), space=gp.Plane()),
    lambda: gp.LinearQuery((1, 1), gp.shapes.Ramp(1.0), space=EARTH),
    lambda: gp.Geofence(SQUARE, 1, space=gp.Line()),
    lambda: gp.Geofence(SQUARE, 1, space=gp.Euclidean(3)),
    lambda: gp.Geofence(SQUARE, 1, space=gp.Euclidean(2)),
]


@pytest.mark.parametrize("make", WRONG_SPACES)
def test_a_query_refuses_a_space_that_it_has_no_meaning_in(make: Callable[[], gp.queries.Query]) -> None:
    with pytest.raises(gp.InvalidParameter, match="'space' parameter"):
        make()


MISFITS: list[tuple[Callable[[], gp.queries.Query], str]] = [
    (lambda: gp.Orthant((1, 1, 1), 1, space=gp.Plane()), "at"),
    (lambda: gp.Ball((1, 1, 1), 1, 1, space=gp.Plane()), "center"),
    (lambda: gp.Ball(1, 1, 1, space=gp.Plane()), "center"),
    (lambda: gp.Ball((91.0, 0.0), 1, 1, space=EARTH), "center"),
    (lambda: gp.Ball((0.0, 400.0), 1, 1, space=EARTH), "center"),
    (lambda: gp.GaussianKernel((1, 1), 1, space=gp.Euclidean(3)), "center"),
    (lambda: gp.RadialQuery((1, 1), gp.shapes.Ramp(1.0), space=gp.Euclidean(3)), "center"),
    (lambda: gp.Threshold(1.0, 1, space=LOG), "at"),
    (lambda: gp.Threshold(-5.0, 1, space=LOG), "at"),
    (lambda: gp.Range(0.5, 2, 1, space=LOG), "low"),
]


@pytest.mark.parametrize(("make", "parameter"), MISFITS)
def test_a_query_refuses_a_place_that_is_not_in_its_space(make: Callable[[], gp.queries.Query], parameter: str) -> None:
    with pytest.raises(gp.InvalidParameter, match=f"'{parameter}' parameter"):
        make()


ROUND: list[Callable[..., gp.queries.Query]] = [
    lambda center, space: gp.Ball(center, 1, 1, space=space),
    lambda center, space: gp.GaussianKernel(center, 1, space=space),
    lambda center, space: gp.RadialQuery(center, gp.shapes.Ramp(1.0), space=space),
]


@pytest.mark.parametrize("make", ROUND)
@pytest.mark.parametrize("space", [gp.Line(), LOG])
def test_a_center_in_the_plane_is_refused_on_a_line_and_not_cut_short(
    make: Callable[..., gp.queries.Query], space: gp.spaces.Space
) -> None:
    with pytest.raises(gp.InvalidParameter, match=r"'(center|space)' parameter"):
        make((3.0, 4.0), space)


@pytest.mark.parametrize("make", [*ROUND, lambda _, space: gp.LipschitzQuery(np.sin, 1, space=space)])
def test_what_is_no_space_is_refused_by_name(make: Callable[..., gp.queries.Query]) -> None:
    with pytest.raises(gp.InvalidParameter, match="'space' parameter"):
        make((3.0, 4.0), "the plane")


NOT_FINITE: list[Any] = [math.nan, math.inf, -math.inf, "secret", None]
NOT_POSITIVE: list[Any] = [*NOT_FINITE, 0, -1.0, True]
NO_VECTOR: list[Any] = [(), (math.nan, 1), (math.inf, 1), "ab", None, 5, ((1, 2), (3, 4)), (1, "b")]
PROFILE = gp.shapes.Ramp(1.0)
GOOD: dict[type[Any], dict[str, Any]] = {
    gp.Threshold: {"at": 5, "width": 1},
    gp.Range: {"low": 5, "high": 9, "width": 1},
    gp.Orthant: {"at": (5, 6), "width": 1},
    gp.Score: {"weights": (1, 2), "at": 3, "width": 1},
    gp.Ball: {"center": (1, 2), "radius": 3, "width": 1},
    gp.Geofence: {"polygon": SQUARE, "width": 1},
    gp.GaussianKernel: {"center": (1, 2), "bandwidth": 3},
    gp.LinearQuery: {"weights": (1, 2), "profile": PROFILE, "intercept": 3},
    gp.RadialQuery: {"center": (1, 2), "profile": PROFILE},
    gp.LipschitzQuery: {"function": np.sin, "constant": 1},
}
BAD: list[tuple[type[Any], str, list[Any]]] = [
    (gp.Threshold, "at", [*NOT_FINITE, (1, 2)]),
    (gp.Threshold, "width", NOT_POSITIVE),
    (gp.Range, "low", [*NOT_FINITE, (1, 2)]),
    (gp.Range, "high", [*NOT_FINITE, 5, 4, (1, 2)]),
    (gp.Range, "width", NOT_POSITIVE),
    (gp.Range, "shape", ["box", None, 3]),
    (gp.Orthant, "at", NO_VECTOR),
    (gp.Orthant, "width", NOT_POSITIVE),
    (gp.Score, "weights", [*NO_VECTOR, (0, 0)]),
    (gp.Score, "at", NOT_FINITE),
    (gp.Score, "width", NOT_POSITIVE),
    (gp.Ball, "center", [bad for bad in NO_VECTOR if bad != 5]),
    (gp.Ball, "radius", NOT_POSITIVE),
    (gp.Ball, "width", NOT_POSITIVE),
    (gp.Geofence, "width", NOT_POSITIVE),
    (gp.GaussianKernel, "center", [bad for bad in NO_VECTOR if bad != 5]),
    (gp.GaussianKernel, "bandwidth", NOT_POSITIVE),
    (gp.LinearQuery, "weights", [*NO_VECTOR, (0, 0)]),
    (gp.LinearQuery, "profile", [None, 3, np.sin]),
    (gp.LinearQuery, "intercept", NOT_FINITE),
    (gp.RadialQuery, "center", [bad for bad in NO_VECTOR if bad != 5]),
    (gp.RadialQuery, "profile", [None, 3, np.sin]),
    (gp.LipschitzQuery, "constant", NOT_POSITIVE),
    (gp.LipschitzQuery, "function", [None, 3, "sin"]),
]


@pytest.mark.parametrize(
    ("kind", "parameter", "bad"), [(kind, parameter, bad) for kind, parameter, bads in BAD for bad in bads]
)
def test_a_query_refuses_a_bad_parameter_by_name(kind: type[Any], parameter: str, bad: Any) -> None:
    with pytest.raises(gp.InvalidParameter, match=f"'{parameter}' parameter of {kind.__name__}"):
        kind(**{**GOOD[kind], parameter: bad})


@pytest.mark.parametrize("kind", GOOD)
def test_the_parameters_that_the_bad_ones_replace_are_good(kind: type[Any]) -> None:
    assert isinstance(kind(**GOOD[kind]), gp.queries.Query)


@pytest.mark.parametrize("kind", GOOD)
def test_queries_with_the_same_parameters_are_equal_and_hash_alike(kind: type[Any]) -> None:
    one, other = kind(**GOOD[kind]), kind(**GOOD[kind])
    one.profile, one.geometry  # noqa: B018 # what is remembered must not count
    assert one == other
    assert hash(one) == hash(other)


CHANGED: dict[type[Any], dict[str, Any]] = {
    gp.Threshold: {"at": 6, "width": 2, "space": gp.Line("USD")},
    gp.Range: {"low": 6, "high": 8, "width": 2, "shape": "triangle", "space": gp.Line("USD")},
    gp.Orthant: {"at": (5, 7), "width": 2, "space": gp.Plane()},
    gp.Score: {"weights": (2, 1), "at": 4, "width": 2, "space": gp.Plane()},
    gp.Ball: {"center": (2, 1), "radius": 4, "width": 2, "space": EARTH},
    gp.Geofence: {"polygon": shapely.box(0, 0, 9, 9), "width": 2, "space": EARTH},
    gp.GaussianKernel: {"center": (2, 1), "bandwidth": 4, "space": EARTH},
    gp.LinearQuery: {"weights": (2, 1), "profile": gp.shapes.Ramp(2.0), "intercept": 4, "space": gp.Plane()},
    gp.RadialQuery: {"center": (2, 1), "profile": gp.shapes.Ramp(2.0), "space": EARTH},
    gp.LipschitzQuery: {"function": np.cos, "constant": 2, "space": gp.Line("USD")},
}


@pytest.mark.parametrize(
    ("kind", "parameter"), [(kind, parameter) for kind, changes in CHANGED.items() for parameter in changes]
)
def test_queries_that_differ_in_one_parameter_are_different(kind: type[Any], parameter: str) -> None:
    assert kind(**GOOD[kind]) != kind(**{**GOOD[kind], parameter: CHANGED[kind][parameter]})


def test_lists_tuples_and_arrays_make_the_same_query() -> None:
    for sequence in ([1, 2], (1, 2), (1.0, 2.0), np.array([1, 2])):
        at: Any = sequence
        assert {gp.Orthant(at, 1)} == {gp.Orthant((1, 2), 1)}
        assert {gp.Score(at, 0, 1)} == {gp.Score((1, 2), 0, 1)}
        assert {gp.Ball(at, 1, 1)} == {gp.Ball((1, 2), 1, 1)}
        assert {gp.LinearQuery(at, PROFILE)} == {gp.LinearQuery((1, 2), PROFILE)}


def test_geojson_and_shapely_make_the_same_geofence() -> None:
    square = json.loads(shapely.to_geojson(SQUARE))
    assert {gp.Geofence(square, width=1)} == {gp.Geofence(SQUARE, width=1)}


@pytest.mark.parametrize(
    ("query", "space"),
    [
        (gp.Threshold(1, 1), gp.Line()),
        (gp.Ball(5, 1, 1), gp.Line()),
        (gp.Ball((5,), 1, 1), gp.Euclidean(1)),
        (gp.Ball((5, 6), 1, 1), gp.Plane(unit=None)),
        (gp.GaussianKernel((5, 6, 7), 1), gp.Euclidean(3)),
        (gp.RadialQuery((5, 6), PROFILE), gp.Plane(unit=None)),
        (gp.Orthant((5, 6, 7), 1), gp.Euclidean(3)),
        (gp.Score((5, 6), 0, 1), gp.Plane(unit=None)),
        (gp.LinearQuery((5, 6), PROFILE), gp.Plane(unit=None)),
        (gp.Geofence(SQUARE, 1), gp.Plane()),
    ],
)
def test_a_query_without_a_space_lives_in_the_one_of_its_parameters(
    query: gp.queries.Query, space: gp.spaces.Space
) -> None:
    assert query.space == space


def vectors_of_any_dimension() -> st.SearchStrategy[list[float]]:
    part = st.one_of(st.floats(0.1, 5), st.floats(-5, -0.1))
    return st.lists(part, min_size=1, max_size=4)


@PROPERTY
@given(vectors_of_any_dimension(), st.floats(-5, 5), st.floats(0.1, 5), st.integers(0, 2**32 - 1))
def test_a_score_is_a_ramp_of_a_linear_form(normal: list[float], offset: float, width: float, seed: int) -> None:
    x = np.random.default_rng(seed).normal(size=(20, len(normal))) * 5
    half = gp.Score(tuple(normal), offset, width)
    linear = gp.LinearQuery(normal, gp.shapes.Ramp(width * math.hypot(*normal)), intercept=-offset)
    np.testing.assert_allclose(half(x), linear(x), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(half.coordinate(x), linear.coordinate(x), rtol=1e-12, atol=1e-12)
    assert half.profile.lipschitz == pytest.approx(linear.profile.lipschitz, rel=1e-12)


@PROPERTY
@given(vectors_of_any_dimension(), st.floats(-5, 5), st.floats(0.01, 100), st.integers(0, 2**32 - 1))
def test_the_length_of_weights_does_not_matter(normal: list[float], offset: float, factor: float, seed: int) -> None:
    x = np.random.default_rng(seed).normal(size=(20, len(normal))) * 5
    scaled = gp.Score(tuple(factor * n for n in normal), factor * offset, 1.0)
    np.testing.assert_allclose(scaled(x), gp.Score(tuple(normal), offset, 1.0)(x), rtol=1e-10, atol=1e-12)


@PROPERTY
@given(vectors_of_any_dimension(), st.floats(-3, 3), st.integers(0, 2**32 - 1))
def test_a_linear_query_is_its_profile_of_the_score(weights: list[float], intercept: float, seed: int) -> None:
    x = np.random.default_rng(seed).normal(size=(20, len(weights))) * 3
    score = intercept + x @ np.array(weights)
    for profile in (
        gp.shapes.Ramp(3.0, center=1.0),
        gp.shapes.Gaussian(2.0, center=-1.0),
        gp.shapes.Triangle(2.0),
        gp.shapes.Identity(0.5),
    ):
        query = gp.LinearQuery(weights, profile, intercept=intercept)
        np.testing.assert_allclose(query(x), profile(score), rtol=1e-9, atol=1e-12)


def test_a_score_of_one_dimension_is_a_threshold() -> None:
    x = np.linspace(-5, 15, 400)
    half = gp.Score(weights=(2.0,), at=10.0, width=3.0)
    np.testing.assert_allclose(half(x[:, None]), gp.Threshold(at=5.0, width=3.0)(x), atol=1e-14)


def test_an_orthant_of_one_dimension_is_a_threshold() -> None:
    x = np.linspace(-5, 15, 400)
    orthant = gp.Orthant(at=(5.0,), width=3.0)
    np.testing.assert_allclose(orthant(x[:, None]), gp.Threshold(at=5.0, width=3.0)(x), atol=1e-14)


def far_and_near(dimension: int, seed: int) -> FloatArray:
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal(size=(4000, dimension)), 20 * rng.normal(size=(1000, dimension))])


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_an_orthant_counts_nobody_who_misses_a_threshold_by_half_the_width(dimension: int) -> None:
    x = far_and_near(dimension, 36)
    at, width = 0.3 * np.arange(dimension), 1.5
    missed = (x <= at - width / 2).any(axis=1)
    assert (gp.Orthant(tuple(at), width)(x[missed]) == 0).all()


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_an_orthant_counts_everybody_who_passes_the_thresholds_by_the_round_corner(dimension: int) -> None:
    x = far_and_near(dimension, 37)
    at, width = 0.3 * np.arange(dimension), 1.5
    margin = width / 2 + width / math.sqrt(2) * (1 - 1 / math.sqrt(dimension))
    passed = (x >= at + margin + 1e-12).all(axis=1)
    assert passed.any()
    assert (gp.Orthant(tuple(at), width)(x[passed]) == 1).all()


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_an_orthant_never_counts_more_than_any_of_its_thresholds(dimension: int) -> None:
    x = far_and_near(dimension, 38)
    at, width = 0.3 * np.arange(dimension), 1.5
    each = [gp.Threshold(float(at[j]), width)(x[:, j]) for j in range(dimension)]
    assert (gp.Orthant(tuple(at), width)(x) <= np.min(each, axis=0) + 1e-14).all()


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_an_orthant_far_above_all_other_thresholds_is_a_single_threshold(dimension: int) -> None:
    x = far_and_near(dimension, 39)
    x[:, 1:] = 100.0
    found = gp.Orthant(_ones(dimension), 1.5)(x)
    np.testing.assert_allclose(found, gp.Threshold(1.0, 1.5)(x[:, 0]), atol=1e-13)


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_an_orthant_never_counts_less_when_a_coordinate_grows(dimension: int) -> None:
    x = far_and_near(dimension, 40)
    more = x + np.abs(far_and_near(dimension, 41))
    query = gp.Orthant(_ones(dimension), 1.5)
    assert (query(more) >= query(x) - 1e-14).all()


def test_an_orthant_does_not_mind_the_order_of_its_axes() -> None:
    x = far_and_near(3, 42)
    one, other = gp.Orthant((0.0, 1.0, -1.0), 2.0), gp.Orthant((-1.0, 0.0, 1.0), 2.0)
    np.testing.assert_allclose(one(x), other(x[:, [2, 0, 1]]), atol=1e-14)


def test_a_ball_is_a_radial_query_with_a_falling_ramp() -> None:
    x = far_and_near(2, 43)
    radial = gp.RadialQuery((0.5, 0.5), gp.shapes.Ramp(1.0, center=2.0, rising=False))
    np.testing.assert_allclose(gp.Ball((0.5, 0.5), 2.0, 1.0)(x), radial(x), atol=1e-14)


def test_a_kernel_is_a_radial_query_with_a_gaussian() -> None:
    x = far_and_near(3, 44)
    radial = gp.RadialQuery((0.5, 0.5, 0.0), gp.shapes.Gaussian(2.0))
    np.testing.assert_array_equal(gp.GaussianKernel((0.5, 0.5, 0.0), 2.0)(x), radial(x))
