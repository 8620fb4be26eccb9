"""Spaces: metric axioms, distances on the globe, what is read, and what an error must not say."""

from __future__ import annotations

import math
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import geopriv as gp
from geopriv.spaces.checks import FloatArray

PROPERTY = settings(deadline=None, derandomize=True, max_examples=150)
EARTH = gp.Earth()
HALF_TURN = math.pi * EARTH.radius
CITY = gp.LocalPlane(south=40.5, west=-74.3, north=40.95, east=-73.65)
COUNTRY = gp.LocalPlane(south=24.0, west=-125.0, north=50.0, east=-66.0)
ISLANDS = gp.LocalPlane(south=-20.0, west=170.0, north=10.0, east=-160.0)
POLAR = gp.LocalPlane(south=60.0, west=-80.0, north=90.0, east=80.0)
MAPS = [CITY, COUNTRY, ISLANDS, POLAR]
GROUND = 2e-8  # metres: rounding of degrees and of unit vectors

SPACES: list[gp.spaces.Space] = [
    gp.Line("USD"),
    gp.LogLine(base=2),
    gp.LogLine(base=10, floor=0.01),
    gp.Plane(),
    gp.Euclidean(1),
    gp.Euclidean(3),
    EARTH,
    COUNTRY,
    ISLANDS,
]
SCALARS = [space for space in SPACES if space.point_shape == ()]
VECTORS = [space for space in SPACES if space.point_shape != ()]


def _name(space: gp.spaces.Space) -> str:
    return repr(space)


def _latitudes() -> st.SearchStrategy[float]:
    return st.one_of(st.sampled_from([-90.0, 90.0, 0.0, 89.999999]), st.floats(-90, 90))


def _longitudes() -> st.SearchStrategy[float]:
    return st.one_of(st.sampled_from([-180.0, 180.0, 179.9999999, -179.9999999, 0.0, 360.0]), st.floats(-180, 360))


def _values(space: gp.spaces.Space) -> st.SearchStrategy[Any]:
    if isinstance(space, gp.Earth | gp.LocalPlane):
        return st.tuples(_latitudes(), _longitudes())
    if isinstance(space, gp.LogLine):
        return st.floats(-10, 1e12)
    number = st.floats(-1e9, 1e9)
    return number if space.point_shape == () else st.tuples(*[number] * space.dimension)


def _rounding(space: gp.spaces.Space, *distances: float) -> float:
    return GROUND if isinstance(space, gp.Earth | gp.LocalPlane) else 1e-12 + 1e-14 * sum(distances)


def _antipode(value: tuple[float, float]) -> tuple[float, float]:
    latitude, longitude = value
    return -latitude, longitude + 180 if longitude <= 180 else longitude - 180


def haversine(first: FloatArray, second: FloatArray, radius: float) -> FloatArray:
    """The textbook formula, good away from antipodes."""
    (a, b), (c, d) = np.radians(first).T, np.radians(second).T
    h = np.sin((c - a) / 2) ** 2 + np.cos(a) * np.cos(c) * np.sin((d - b) / 2) ** 2
    return np.asarray(2 * radius * np.arcsin(np.sqrt(np.minimum(h, 1.0))))


def on_the_globe(rng: np.random.Generator, n: int) -> FloatArray:
    return np.stack([np.degrees(np.arcsin(rng.uniform(-1, 1, n))), rng.uniform(-180, 180, n)], axis=-1)


@pytest.mark.parametrize("space", SPACES, ids=_name)
@PROPERTY
@given(data=st.data())
def test_distance_is_symmetric(space: gp.spaces.Space, data: st.DataObject) -> None:
    x, y = data.draw(_values(space)), data.draw(_values(space))
    assert space.distance(x, y) == space.distance(y, x)


@pytest.mark.parametrize("space", SPACES, ids=_name)
@PROPERTY
@given(data=st.data())
def test_distance_is_never_negative_and_zero_from_a_point_to_itself(
    space: gp.spaces.Space, data: st.DataObject
) -> None:
    x, y = data.draw(_values(space)), data.draw(_values(space))
    assert space.distance(x, x) == 0.0
    assert space.distance(x, y) >= 0.0


@pytest.mark.parametrize("space", SPACES, ids=_name)
@PROPERTY
@given(data=st.data())
def test_a_detour_is_never_shorter(space: gp.spaces.Space, data: st.DataObject) -> None:
    x, y, z = (data.draw(_values(space)) for _ in range(3))
    direct, first, second = (float(space.distance(*pair)) for pair in ((x, z), (x, y), (y, z)))
    assert direct <= first + second + _rounding(space, direct, first, second)


@pytest.mark.parametrize("space", SPACES, ids=_name)
def test_distance_works_on_arrays_as_on_single_values(space: gp.spaces.Space) -> None:
    rng = np.random.default_rng(11)
    x, y = rng.uniform(1, 80, (2, 5, *space.point_shape))
    expected = [float(space.distance(a, b)) for a, b in zip(x, y, strict=True)]
    np.testing.assert_array_equal(space.distance(x, y), expected)


def test_the_distance_on_a_line_is_the_difference() -> None:
    np.testing.assert_array_equal(gp.Line("USD").distance([1.0, 2.0, 7.0], 4.0), [3.0, 2.0, 3.0])


def test_the_distance_in_the_plane_is_pythagorean() -> None:
    assert gp.Plane().distance((1.0, 1.0), (4.0, 5.0)) == 5.0


def test_the_distance_in_three_dimensions_is_pythagorean() -> None:
    assert gp.Euclidean(3).distance((0.0, 0.0, 0.0), (2.0, 3.0, 6.0)) == 7.0


def test_the_distance_of_very_far_and_very_near_points_neither_overflows_nor_vanishes() -> None:
    assert gp.Plane().distance((0.0, 0.0), (3e200, 4e200)) == pytest.approx(5e200, rel=1e-15)
    assert gp.Plane().distance((0.0, 0.0), (3e-200, 4e-200)) == pytest.approx(5e-200, rel=1e-15)


def test_the_distance_on_a_logline_counts_factors_of_the_base() -> None:
    assert gp.LogLine(base=2).distance(1000, 4000) == pytest.approx(2.0, rel=1e-14)
    assert gp.LogLine(base=10).distance(5, 5000) == pytest.approx(3.0, rel=1e-14)


@PROPERTY
@given(st.tuples(_latitudes(), _longitudes()))
def test_antipodes_are_half_a_turn_apart(value: tuple[float, float]) -> None:
    assert float(EARTH.distance(value, _antipode(value))) == pytest.approx(HALF_TURN, abs=0.0, rel=1e-14)


@PROPERTY
@given(st.tuples(_latitudes(), _longitudes()), st.tuples(_latitudes(), _longitudes()))
def test_a_point_and_the_antipode_of_another_complete_half_a_turn(
    x: tuple[float, float], y: tuple[float, float]
) -> None:
    total = float(EARTH.distance(x, y)) + float(EARTH.distance(x, _antipode(y)))
    assert total == pytest.approx(HALF_TURN, abs=GROUND, rel=0.0)


@PROPERTY
@given(st.sampled_from([-90.0, 90.0]), _longitudes(), _longitudes(), st.tuples(_latitudes(), _longitudes()))
def test_every_longitude_names_the_same_pole(pole: float, one: float, other: float, x: tuple[float, float]) -> None:
    assert EARTH.distance((pole, one), (pole, other)) <= GROUND
    assert abs(EARTH.distance((pole, one), x) - EARTH.distance((pole, other), x)) <= GROUND


@PROPERTY
@given(_latitudes(), st.floats(-180, 0), st.tuples(_latitudes(), _longitudes()))
def test_longitudes_a_turn_apart_name_the_same_place(latitude: float, longitude: float, x: tuple[float, float]) -> None:
    west, east = (latitude, longitude), (latitude, longitude + 360)
    assert EARTH.distance(west, east) <= GROUND
    assert abs(EARTH.distance(west, x) - EARTH.distance(east, x)) <= GROUND


def test_the_antimeridian_is_no_wall() -> None:
    one_degree = HALF_TURN / 180
    assert EARTH.distance((0.0, 179.5), (0.0, -179.5)) == pytest.approx(one_degree, rel=1e-12)
    assert EARTH.distance((0.0, 179.5), (0.0, 180.5)) == pytest.approx(one_degree, rel=1e-12)


@pytest.mark.parametrize(
    ("x", "y", "turns"),
    [
        ((0, 0), (0, 180), 1 / 2),
        ((90, 0), (-90, 77), 1 / 2),
        ((0, 0), (0, 90), 1 / 4),
        ((0, 12), (90, -100), 1 / 4),
        ((45, 0), (45, 180), 1 / 4),
        ((0, 0), (1, 0), 1 / 360),
        ((0, 10), (0, 11), 1 / 360),
        ((60, 0), (60, 90), math.acos(3 / 4) / (2 * math.pi)),
        ((45, 0), (45, 90), 1 / 6),
    ],
)
def test_distances_that_are_known_in_closed_form(x: tuple[float, float], y: tuple[float, float], turns: float) -> None:
    assert float(EARTH.distance(x, y)) == pytest.approx(2 * HALF_TURN * turns, rel=1e-13)


def test_paris_and_new_york_are_5837_km_apart() -> None:
    assert float(EARTH.distance((48.8566, 2.3522), (40.7128, -74.0060))) == pytest.approx(5_837_000, abs=1_000)


def test_distances_agree_with_the_haversine_formula() -> None:
    rng = np.random.default_rng(12)
    x, y = on_the_globe(rng, 20_000), on_the_globe(rng, 20_000)
    expected = haversine(x, y, EARTH.radius)
    usual = expected < 0.99 * HALF_TURN
    np.testing.assert_allclose(EARTH.distance(x, y)[usual], expected[usual], rtol=1e-13, atol=GROUND)


def test_distances_of_close_points_agree_with_the_haversine_formula() -> None:
    rng = np.random.default_rng(13)
    x = rng.uniform((-85, -179), (85, 179), (20_000, 2))
    y = x + rng.uniform(-1, 1, x.shape) * 10 ** rng.uniform(-8, -1, (len(x), 1))
    np.testing.assert_allclose(EARTH.distance(x, y), haversine(x, y, EARTH.radius), rtol=1e-12, atol=GROUND)


def test_distance_is_proportional_to_the_radius() -> None:
    x, y = (10.0, 20.0), (-30.0, 140.0)
    assert gp.Earth(radius=1.0).distance(x, y) == pytest.approx(EARTH.distance(x, y) / EARTH.radius, rel=1e-15)


@PROPERTY
@given(st.tuples(_latitudes(), _longitudes()), st.floats(0, HALF_TURN), st.floats(0, 2 * math.pi))
def test_moving_by_a_distance_leads_that_far_away(value: tuple[float, float], distance: float, bearing: float) -> None:
    start = EARTH.read(value)
    end = EARTH.move(start, np.asarray(distance), np.asarray(bearing))
    assert float(EARTH.between(start, end)) == pytest.approx(distance, abs=GROUND, rel=0.0)


@PROPERTY
@given(st.tuples(_latitudes(), _longitudes()), st.floats(0, 3 * HALF_TURN), st.floats(0, 2 * math.pi))
def test_a_moved_point_can_be_read_again(value: tuple[float, float], distance: float, bearing: float) -> None:
    end = EARTH.move(EARTH.read(value), np.asarray(distance), np.asarray(bearing))
    assert float(EARTH.between(EARTH.read(end), end)) <= GROUND


@PROPERTY
@given(st.tuples(_latitudes(), _longitudes()), st.floats(0, 2 * math.pi))
def test_a_full_turn_leads_back(value: tuple[float, float], bearing: float) -> None:
    start = EARTH.read(value)
    end = EARTH.move(start, np.asarray(2 * HALF_TURN), np.asarray(bearing))
    assert float(EARTH.between(start, end)) <= GROUND


@pytest.mark.parametrize(
    ("bearing", "expected"), [(0.0, (1.0, 10.0)), (math.pi / 2, (0.0, 11.0)), (math.pi, (-1.0, 10.0))]
)
def test_bearings_are_counted_from_north_to_east(bearing: float, expected: tuple[float, float]) -> None:
    end = EARTH.move(np.array([0.0, 10.0]), np.asarray(HALF_TURN / 180), np.asarray(bearing))
    np.testing.assert_allclose(end, expected, atol=1e-12)


def test_moving_many_points_at_once_is_moving_each() -> None:
    rng = np.random.default_rng(14)
    start, distance, bearing = on_the_globe(rng, 6), rng.uniform(0, HALF_TURN, 6), rng.uniform(0, 7, 6)
    each = [EARTH.move(p, d, b) for p, d, b in zip(start, distance, bearing, strict=True)]
    np.testing.assert_array_equal(EARTH.move(start, distance, bearing), each)


@pytest.mark.parametrize("space", [space for space in SPACES if space not in MAPS], ids=_name)
@PROPERTY
@given(data=st.data())
def test_values_come_back_from_the_points_that_were_read(space: gp.spaces.Space, data: st.DataObject) -> None:
    value = data.draw(_values(space))
    back, expected = space.values(space.read(value)), np.asarray(value)
    if isinstance(space, gp.LogLine):
        expected = np.maximum(expected, space.floor)
    if isinstance(space, gp.Earth):
        turns = (back[1] - expected[1]) / 360
        assert turns == pytest.approx(round(turns), abs=1e-15)
        back, expected = back[0], expected[0]
    np.testing.assert_allclose(back, expected, rtol=1e-13)


@pytest.mark.parametrize("space", SPACES, ids=_name)
def test_points_keep_the_shape_of_the_values(space: gp.spaces.Space) -> None:
    for shape in [(), (0,), (3,), (2, 3)]:
        assert space.read(np.ones(shape + space.point_shape)).shape == shape + space.point_shape


@pytest.mark.parametrize("space", SCALARS, ids=_name)
def test_lists_integers_and_short_floats_are_read_as_floats(space: gp.spaces.Space) -> None:
    for values in ([2, 4], (2, 4), np.array([2, 4], dtype=np.int16), np.array([2, 4], dtype=np.float32)):
        points = space.read(values)
        assert points.dtype == np.float64
        np.testing.assert_array_equal(points, space.read([2.0, 4.0]))


def test_longitudes_are_read_into_one_turn() -> None:
    points = EARTH.read([(0, -180), (0, 180), (0, 190), (0, 359), (0, 360), (0, 179)])
    np.testing.assert_array_equal(points[:, 1], [-180, -180, -170, -1, 0, 179])


def test_the_poles_and_the_ends_of_the_longitudes_are_inside() -> None:
    assert EARTH.read([(90, 360), (-90, -180)]).shape == (2, 2)


@pytest.mark.parametrize("value", [0.0, -0.0, -5, -1e300, 1e-300, 0.5])
def test_a_logline_reads_small_zero_and_negative_values_as_its_floor(value: float) -> None:
    space = gp.LogLine(base=2, floor=0.5)
    assert space.read(value) == space.read(0.5) == -1.0


def test_values_below_the_floor_of_a_logline_are_one_point() -> None:
    np.testing.assert_array_equal(gp.LogLine().distance([0.0, -3.0, 0.2], [-1e9, 1.0, 0.9]), 0.0)


NOT_FINITE = [math.nan, math.inf, -math.inf]


@pytest.mark.parametrize("space", SPACES, ids=_name)
@pytest.mark.parametrize("bad", NOT_FINITE)
def test_values_that_are_not_finite_are_out_of_domain(space: gp.spaces.Space, bad: float) -> None:
    values = np.ones((3, *space.point_shape))
    values[-1] = bad
    with pytest.raises(gp.OutOfDomain, match="must be finite"):
        space.read(values)


NO_NUMBERS: list[Any] = [
    "secret-42",
    "5",
    ["5", "6"],
    [1.0, "5"],
    b"5",
    1 + 2j,
    object(),
    {"x": 1.0},
    [[1.0, 2.0], [3.0]],
    np.datetime64("2020-01-01"),
    10**400,
]


@pytest.mark.parametrize("space", SPACES, ids=_name)
@pytest.mark.parametrize("values", NO_NUMBERS, ids=lambda value: type(value).__name__)
def test_values_that_are_no_real_numbers_are_out_of_domain(space: gp.spaces.Space, values: Any) -> None:
    with pytest.raises(gp.OutOfDomain):
        space.read(values)


@pytest.mark.parametrize("space", SCALARS, ids=_name)
def test_digits_in_an_object_array_are_strings_like_any_other(space: gp.spaces.Space) -> None:
    with pytest.raises(gp.OutOfDomain):
        space.read(np.array(["5", 6.0], dtype=object))


@pytest.mark.parametrize("space", SCALARS, ids=_name)
def test_a_missing_value_is_out_of_domain(space: gp.spaces.Space) -> None:
    with pytest.raises(gp.OutOfDomain):
        space.read([1.0, None])


@pytest.mark.parametrize("space", VECTORS, ids=_name)
def test_values_of_another_shape_are_out_of_domain(space: gp.spaces.Space) -> None:
    d = space.dimension
    for shape in [(), (0,), (d + 1,), (4, d + 1), (d, 4 + d)]:
        with pytest.raises(gp.OutOfDomain, match=rf"must have shape \(\.\.\., {d}\)"):
            space.read(np.ones(shape))


@pytest.mark.parametrize("latitude", [91, 90.0000001, -91, 180, -1e300])
def test_latitudes_beyond_the_poles_are_out_of_domain(latitude: float) -> None:
    with pytest.raises(gp.OutOfDomain, match="Latitudes on Earth"):
        EARTH.read([(0, 0), (latitude, 0)])


@pytest.mark.parametrize("longitude", [400, 360.0000001, -180.0000001, -181, 1e300])
def test_longitudes_beyond_a_turn_are_out_of_domain(longitude: float) -> None:
    with pytest.raises(gp.OutOfDomain, match="Longitudes on Earth"):
        EARTH.read([(0, 0), (0, longitude)])


SECRETS: list[tuple[gp.spaces.Space, Any, str]] = [
    (EARTH, (91.23456789, 5.0), "91.2345"),
    (EARTH, [(0.0, 0.0), (-91.23456789, 5.0)], "91.2345"),
    (EARTH, (5.0, 400.23456789), "400.2345"),
    (EARTH, (91.23456789, math.nan), "91.2345"),
    (EARTH, (91.23456789,), "91.2345"),
    (EARTH, ("secret-42", 5.0), "secret-42"),
    (EARTH, np.array(["secret-42", 5.0], dtype=object), "secret-42"),
    (gp.Line("USD"), "secret-42", "secret-42"),
    (gp.Line("USD"), ["secret-42"], "secret-42"),
    (gp.Line("USD"), np.array(["secret-42"], dtype=object), "secret-42"),
    (gp.Line("USD"), [91.23456789, math.nan], "91.2345"),
    (gp.Line("USD"), [91.23456789, math.inf], "91.2345"),
    (gp.Line("USD"), 91.23456789 + 1j, "91.2345"),
    (gp.Line("USD"), [[91.23456789], [1.0, 2.0]], "91.2345"),
    (gp.Line("USD"), int("9123456789" * 40), "9123456789"),
    (gp.LogLine(), [91.23456789, -math.inf], "91.2345"),
    (gp.LogLine(), np.array(["secret-42"], dtype=object), "secret-42"),
    (gp.Plane(), (91.23456789, 1.0, 2.0), "91.2345"),
    (gp.Plane(), 91.23456789, "91.2345"),
    (gp.Euclidean(3), (91.23456789, 1.0), "91.2345"),
    (gp.Euclidean(3), (91.23456789, 1.0, math.nan), "91.2345"),
    (CITY, (91.23456789, 1.0), "91.2345"),
    (CITY, (1.0, 400.23456789), "400.2345"),
    (CITY, ("secret-42", 1.0), "secret-42"),
]


def told_by(error: BaseException) -> str:
    """Everything that a log would show: the message, the traceback and the chain of causes."""
    return "".join(traceback.format_exception(error)) + repr(error) + str(error)


@pytest.mark.parametrize(("space", "value", "secret"), SECRETS)
def test_no_error_tells_the_private_value_that_was_read(space: gp.spaces.Space, value: Any, secret: str) -> None:
    with pytest.raises(gp.OutOfDomain) as caught:
        space.read(value)
    assert secret not in told_by(caught.value)


@pytest.mark.parametrize(("space", "value", "secret"), SECRETS)
def test_no_error_tells_the_private_value_whose_distance_was_asked(
    space: gp.spaces.Space, value: Any, secret: str
) -> None:
    origin = np.ones(space.point_shape)
    with pytest.raises(gp.OutOfDomain) as caught:
        space.distance(origin, value)
    assert secret not in told_by(caught.value)


def _leak(value: str) -> None:
    try:
        float(value)
    except ValueError as error:
        raise gp.OutOfDomain("Values must be real numbers.") from error


def test_the_search_for_secrets_finds_one_that_is_planted() -> None:
    secret = "-".join(["secret", "42"])  # not as a literal, which the traceback would show as source
    with pytest.raises(gp.OutOfDomain) as caught:
        _leak(secret)
    assert secret in told_by(caught.value)


def test_an_error_about_a_public_point_names_it() -> None:
    with pytest.raises(gp.InvalidParameter, match=r"'center' parameter of Ball.*91\.23456789"):
        EARTH.public_point("Ball", "center", (91.23456789, 0.0))


@pytest.mark.parametrize("space", SPACES, ids=_name)
def test_several_points_are_not_one_public_point(space: gp.spaces.Space) -> None:
    with pytest.raises(gp.InvalidParameter, match="'center' parameter of Ball must be one point"):
        space.public_point("Ball", "center", np.ones((2, *space.point_shape)))


@pytest.mark.parametrize("base", [1, 0.5, 0, -2, math.nan, math.inf, "2", True])
def test_a_logline_needs_a_base_above_one(base: Any) -> None:
    with pytest.raises(gp.InvalidParameter, match="'base' parameter of LogLine"):
        gp.LogLine(base=base)


@pytest.mark.parametrize("floor", [0, -1, math.nan, math.inf, "1"])
def test_a_logline_needs_a_positive_floor(floor: Any) -> None:
    with pytest.raises(gp.InvalidParameter, match="'floor' parameter of LogLine"):
        gp.LogLine(floor=floor)


@pytest.mark.parametrize("axes", [0, -1, 2.0, math.nan, "3", True])
def test_a_euclidean_space_needs_a_whole_positive_dimension(axes: Any) -> None:
    with pytest.raises(gp.InvalidParameter, match="'axes' parameter of Euclidean"):
        gp.Euclidean(axes)


@pytest.mark.parametrize("radius", [0, -1, math.nan, math.inf, "6371"])
def test_the_globe_needs_a_positive_radius(radius: Any) -> None:
    with pytest.raises(gp.InvalidParameter, match="'radius' parameter of Earth"):
        gp.Earth(radius=radius)


def test_equal_spaces_are_equal_and_hash_alike() -> None:
    assert gp.Line("USD") == gp.Line("USD")
    assert len({gp.Earth(), gp.Earth(), gp.Plane(), gp.Plane("m"), gp.Line(), gp.Line("m")}) == 4


@pytest.mark.parametrize(
    ("space", "dimension", "shape", "unit"),
    [
        (gp.Line("USD"), 1, (), "USD"),
        (gp.Line(), 1, (), None),
        (gp.LogLine(base=10), 1, (), "factor 10"),
        (gp.Plane(), 2, (2,), "m"),
        (gp.Euclidean(4, unit="kg"), 4, (4,), "kg"),
        (gp.Earth(), 2, (2,), "m"),
        (CITY, 2, (2,), "m"),
    ],
)
def test_a_space_says_what_its_points_and_distances_are(
    space: gp.spaces.Space, dimension: int, shape: tuple[int, ...], unit: str | None
) -> None:
    assert (space.dimension, space.point_shape, space.distance_unit) == (dimension, shape, unit)


def stretch(distance: Callable[[FloatArray, FloatArray], FloatArray], x: FloatArray, y: FloatArray) -> float:
    """By how many metres a map makes a distance on the ground longer at worst."""
    return float((distance(x, y) - EARTH.distance(x, y) * (1 + 1e-12)).max())


def in_region(space: gp.LocalPlane, rng: np.random.Generator, n: int) -> FloatArray:
    width = (space.east - space.west) % 360
    east = (space.west + rng.uniform(0, width, n) + 180) % 360 - 180
    return np.stack([rng.uniform(space.south, space.north, n), east], axis=-1)


def pairs_on_the_globe(space: gp.LocalPlane, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Pairs near and far, in the region, around it and on the far side of the globe."""
    x = np.concatenate([in_region(space, rng, 20_000), on_the_globe(rng, 20_000)])
    length = np.exp(rng.uniform(np.log(1e-2), np.log(HALF_TURN), len(x)))
    return x, EARTH.move(EARTH.read(x), length, rng.uniform(0, 2 * np.pi, len(x)))


@pytest.mark.parametrize("space", MAPS, ids=_name)
def test_a_local_plane_never_makes_a_distance_on_the_ground_longer(space: gp.LocalPlane) -> None:
    x, y = pairs_on_the_globe(space, np.random.default_rng(15))
    assert stretch(space.distance, x, y) <= GROUND


@pytest.mark.parametrize("space", MAPS, ids=_name)
def test_a_map_in_equal_steps_of_degrees_is_caught_stretching(space: gp.LocalPlane) -> None:
    """The planted fault: the usual equirectangular map, whose scale is 1 only at its middle latitude."""
    metres = math.radians(1.0) * EARTH.radius * np.array([1.0, math.cos(math.radians(space.middle[0]))])
    x, y = pairs_on_the_globe(space, np.random.default_rng(15))
    assert stretch(lambda a, b: np.linalg.norm((a - b) * metres, axis=-1), x, y) > 1.0


@PROPERTY
@given(st.tuples(_latitudes(), _longitudes()), st.tuples(_latitudes(), _longitudes()), st.sampled_from(MAPS))
def test_a_local_plane_is_never_longer_for_drawn_pairs(
    x: tuple[float, float], y: tuple[float, float], space: gp.LocalPlane
) -> None:
    assert space.distance(x, y) <= EARTH.distance(x, y) + GROUND


@pytest.mark.parametrize("space", MAPS, ids=_name)
def test_in_its_region_a_local_plane_is_shorter_by_no_more_than_it_says(space: gp.LocalPlane) -> None:
    rng = np.random.default_rng(16)
    x, y = in_region(space, rng, 50_000), in_region(space, rng, 50_000)
    ratio = space.distance(x, y) / EARTH.distance(x, y)
    assert space.shrink * (1 - 1e-12) <= ratio.min() <= 1
    assert ratio.min() < space.shrink + 0.6 * (1 - space.shrink)  # and it does not exaggerate


@pytest.mark.parametrize("space", MAPS, ids=_name)
def test_places_of_the_region_come_back_from_the_map(space: gp.LocalPlane) -> None:
    x = in_region(space, np.random.default_rng(17), 10_000)
    assert EARTH.distance(space.values(space.read(x)), x).max() <= 2e-7
    assert all(space.holds(value) for value in x[:50])


@pytest.mark.parametrize("space", MAPS, ids=_name)
def test_everyone_is_read_into_the_region_and_stays_there_when_read_again(space: gp.LocalPlane) -> None:
    points = space.read(on_the_globe(np.random.default_rng(18), 20_000))
    low, high = space.rectangle
    assert ((points >= low) & (points <= high)).all()
    np.testing.assert_allclose(space.read(space.values(points)), points, atol=1e-6)


@pytest.mark.parametrize("space", MAPS, ids=_name)
def test_the_rectangle_of_a_region_is_the_smallest_around_it(space: gp.LocalPlane) -> None:
    width = (space.east - space.west) % 360
    phi, turn = np.meshgrid(np.linspace(space.south, space.north, 401), np.linspace(0, width, 401))
    edge = space._projected(np.stack([phi.ravel(), (space.west + turn.ravel() + 180) % 360 - 180], axis=-1))
    low, high = space.rectangle
    size = high - low
    assert (edge.min(axis=0) >= low - 1e-6).all()
    assert (edge.max(axis=0) <= high + 1e-6).all()
    np.testing.assert_allclose(edge.min(axis=0), low, atol=1e-4 * size.max())
    np.testing.assert_allclose(edge.max(axis=0), high, atol=1e-4 * size.max())


def test_only_the_antipode_of_the_middle_is_folded_onto_it() -> None:
    latitude, longitude = CITY.middle
    np.testing.assert_allclose(CITY.read((-latitude, longitude + 180)), 0.0, atol=1e-6)
    low, high = CITY.rectangle
    abroad = CITY.read([(48.86, 2.35), (-33.9, 151.2), (0.0, 0.0), (90.0, 0.0)])
    assert ((abroad == low) | (abroad == high)).any(axis=1).all()
    assert not CITY.holds((-latitude, longitude + 180))
    assert not CITY.holds((48.86, 2.35))


def test_north_is_up_and_east_is_right_across_the_antimeridian_too() -> None:
    for space in MAPS:
        latitude, longitude = space.middle
        points = space.read([space.middle, (latitude + 0.1, longitude), (latitude, longitude + 0.1)])
        np.testing.assert_allclose(points[0], 0.0, atol=1e-6)
        assert points[1, 1] > 5000
        assert points[2, 0] > 1000
        assert abs(points[1, 0]) < 1e-6
        assert abs(points[2, 1]) < 100


@pytest.mark.parametrize(
    ("box", "parameter"),
    [
        ((41.0, -74.0, 40.0, -73.0), "north"),
        ((40.0, -74.0, 40.0, -73.0), "north"),
        ((40.0, -74.0, 41.0, -74.0), "east"),
        ((40.0, -74.0, 41.0, -75.0), "east"),  # almost all the way around
        ((-80.0, 0.0, 80.0, 1.0), "north"),
        ((-40.0, -50.0, 40.0, 50.0), "north"),
        ((40.0, math.nan, 41.0, -73.0), "west"),
        ((40.0, -74.0, 41.0, 361.0), "east"),
        ((-91.0, -74.0, 41.0, -73.0), "south"),
        (("40", -74.0, 41.0, -73.0), "south"),
    ],
)
def test_a_region_without_area_or_of_continental_size_is_refused(box: tuple[Any, ...], parameter: str) -> None:
    with pytest.raises(gp.InvalidParameter, match=f"'{parameter}' parameter of LocalPlane"):
        gp.LocalPlane(*box)


def test_longitudes_may_be_given_up_to_a_full_turn() -> None:
    x = [(0.0, 179.0), (-3.0, -179.0)]
    np.testing.assert_allclose(gp.LocalPlane(-20.0, 170.0, 10.0, 200.0).read(x), ISLANDS.read(x), atol=1e-6)
