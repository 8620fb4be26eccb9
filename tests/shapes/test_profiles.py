"""Profiles: values at landmarks, Lipschitz constants, stretching, bounds, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import geopriv as gp
from geopriv.shapes.profiles import LinearPieces, Ramps
from geopriv.spaces.checks import FloatArray

PROPERTY = settings(deadline=None, derandomize=True, max_examples=150)


def smooth_hill(s: FloatArray) -> FloatArray:
    """cos on [−π, π]: steepest (1) at ±π/2, flat at the ends."""
    return np.cos(s)


HILL = gp.shapes.Custom(smooth_hill, lipschitz=1.0, low=-math.pi, high=math.pi, curvature=1.0)
EXAMPLES: list[gp.shapes.Profile] = [
    gp.shapes.Ramp(width=2.0),
    gp.shapes.Ramp(width=0.5, center=-3.0, rising=False),
    gp.shapes.Trapezoid(plateau=2.0, width=1.0, center=0.5),
    gp.shapes.Triangle(width=2.0, center=-1.0),
    gp.shapes.PiecewiseLinear(knots=(0, 1, 3), values=(0, 2, 1)),
    gp.shapes.PiecewiseLinear(knots=(-1, 4), values=(5, -5)),
    gp.shapes.Identity(slope=3.0),
    gp.shapes.Gaussian(bandwidth=1.5, center=0.25),
    HILL,
]
RAMPS = [profile for profile in EXAMPLES if isinstance(profile, Ramps)]


def _name(profile: gp.shapes.Profile) -> str:
    return type(profile).__name__


def _lengths() -> st.SearchStrategy[float]:
    return st.floats(0.1, 10)


def _places() -> st.SearchStrategy[float]:
    return st.floats(-10, 10)


@st.composite
def _pieces(draw: st.DrawFn) -> gp.shapes.PiecewiseLinear:
    gaps = draw(st.lists(_lengths(), min_size=1, max_size=6))
    knots = np.cumsum([draw(_places()), *gaps])
    values = draw(st.lists(_places(), min_size=len(knots), max_size=len(knots)).filter(lambda v: min(v) < max(v)))
    return gp.shapes.PiecewiseLinear(tuple(knots.tolist()), tuple(values))


def _profiles() -> st.SearchStrategy[gp.shapes.Profile]:
    return st.one_of(
        st.builds(gp.shapes.Ramp, _lengths(), _places(), st.booleans()),
        st.builds(gp.shapes.Trapezoid, _lengths(), _lengths(), _places()),
        st.builds(gp.shapes.Triangle, _lengths(), _places()),
        _pieces(),
        st.builds(gp.shapes.Identity, _lengths()),
        st.builds(gp.shapes.Gaussian, _lengths(), _places()),
        st.just(HILL),
    )


@pytest.mark.parametrize(
    ("profile", "at", "values"),
    [
        (gp.shapes.Ramp(width=2.0, center=5.0), [3.0, 4.0, 4.5, 5.0, 6.0, 7.0], [0, 0, 0.25, 0.5, 1, 1]),
        (gp.shapes.Ramp(width=2.0, center=5.0, rising=False), [3.0, 4.0, 4.5, 5.0, 6.0, 7.0], [1, 1, 0.75, 0.5, 0, 0]),
        (
            gp.shapes.Trapezoid(plateau=2, width=1),
            [-3, -2, -1.5, -1, 0, 1, 1.25, 2, 3],
            [0, 0, 0.5, 1, 1, 1, 0.75, 0, 0],
        ),
        (gp.shapes.Triangle(width=2, center=1), [-2, -1, 0, 1, 2.5, 3, 4], [0, 0, 0.5, 1, 0.25, 0, 0]),
        (gp.shapes.PiecewiseLinear((0, 1, 3), (0, 2, 1)), [-1, 0, 0.5, 1, 2, 3, 9], [0, 0, 1, 2, 1.5, 1, 1]),
        (gp.shapes.Identity(slope=2.0), [-1.5, 0.0, 4.0], [-3, 0, 8]),
        (gp.shapes.Gaussian(bandwidth=2, center=1), [1, 3, -1, 5], [1, math.exp(-0.5), math.exp(-0.5), math.exp(-2)]),
        (HILL, [-9, -math.pi, 0, math.pi / 3, math.pi, 9], [-1, -1, 1, 0.5, -1, -1]),
    ],
    ids=lambda value: _name(value) if isinstance(value, gp.shapes.Profile) else "",
)
def test_a_profile_takes_its_known_values(profile: gp.shapes.Profile, at: list[float], values: list[float]) -> None:
    np.testing.assert_allclose(profile(np.asarray(at, dtype=np.float64)), values, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize(
    ("profile", "landmarks"),
    [
        (gp.shapes.Ramp(width=2.0, center=5.0), (4.0, 6.0)),
        (gp.shapes.Trapezoid(plateau=2.0, width=1.0), (-2.0, -1.0, 1.0, 2.0)),
        (gp.shapes.Triangle(width=2.0), (-2.0, 0.0, 2.0)),
        (gp.shapes.PiecewiseLinear((0, 1, 3), (0, 2, 1)), (0.0, 1.0, 3.0)),
        (gp.shapes.Gaussian(bandwidth=2.0, center=1.0), (-3.0, -1.0, 1.0, 3.0, 5.0)),
        (gp.shapes.Custom(np.abs, 1.0, low=-1.0, high=2.0, kinks=(0.0,)), (-1.0, 0.0, 2.0)),
    ],
    ids=lambda value: _name(value) if isinstance(value, gp.shapes.Profile) else "",
)
def test_landmarks_are_where_the_shape_changes(profile: gp.shapes.Profile, landmarks: tuple[float, ...]) -> None:
    assert profile.landmarks == landmarks


@pytest.mark.parametrize("profile", EXAMPLES, ids=_name)
@pytest.mark.parametrize("shape", [(), (0,), (4,), (2, 3)])
def test_a_profile_keeps_the_shape_of_its_argument(profile: gp.shapes.Profile, shape: tuple[int, ...]) -> None:
    assert np.shape(profile(np.zeros(shape))) == shape


@PROPERTY
@given(_profiles())
def test_landmarks_increase(profile: gp.shapes.Profile) -> None:
    assert (np.diff(profile.landmarks) > 0).all()


@PROPERTY
@given(_profiles(), _places(), st.one_of(_places(), st.floats(1e-9, 1e-3)))
def test_no_chord_is_steeper_than_the_lipschitz_constant(profile: gp.shapes.Profile, s: float, step: float) -> None:
    ends = np.array([s, s + step])
    rise, way = abs(np.diff(profile(ends))[0]), abs(np.diff(ends)[0])
    assert rise <= profile.lipschitz * way * (1 + 1e-9) + 1e-13 * max(1.0, *np.abs(profile(ends)))


@PROPERTY
@given(_profiles(), st.integers(0, 2**32 - 1))
def test_no_chord_near_a_landmark_is_steeper_than_the_lipschitz_constant(profile: gp.shapes.Profile, seed: int) -> None:
    rng = np.random.default_rng(seed)
    near = rng.choice(profile.landmarks, 200) + rng.normal(size=200) * 10 ** rng.uniform(-6, 1, 200)
    values = profile(near)
    rise, way = np.abs(values[:, None] - values), np.abs(near[:, None] - near)
    assert (rise <= profile.lipschitz * way * (1 + 1e-9) + 1e-13 * np.maximum(1.0, np.abs(values))).all()


@PROPERTY
@given(_profiles())
def test_the_lipschitz_constant_is_attained(profile: gp.shapes.Profile) -> None:
    low, high = profile.landmarks[0] - 1, profile.landmarks[-1] + 1
    s = np.union1d(np.linspace(low, high, 20_001), profile.landmarks)
    s = s[np.append(True, np.diff(s) > 1e-6)]  # closer points would measure rounding
    steepest = (np.abs(np.diff(profile(s))) / np.diff(s)).max()
    assert steepest == pytest.approx(profile.lipschitz, rel=1e-5)


@PROPERTY
@given(_profiles(), _lengths(), _places())
def test_stretching_is_composing_with_a_factor(profile: gp.shapes.Profile, factor: float, s: float) -> None:
    stretched = profile.stretched(factor)(np.asarray(s))
    assert stretched == pytest.approx(profile(np.asarray(factor * s)), rel=1e-10, abs=1e-10)


@PROPERTY
@given(_profiles(), _lengths())
def test_stretching_multiplies_the_lipschitz_constant(profile: gp.shapes.Profile, factor: float) -> None:
    assert profile.stretched(factor).lipschitz == pytest.approx(factor * profile.lipschitz, rel=1e-9)


@PROPERTY
@given(_profiles(), _lengths())
def test_stretching_moves_the_landmarks_and_keeps_the_bounds(profile: gp.shapes.Profile, factor: float) -> None:
    stretched = profile.stretched(factor)
    np.testing.assert_allclose(stretched.landmarks, np.divide(profile.landmarks, factor), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(stretched.bounds, profile.bounds, rtol=1e-12)


@PROPERTY
@given(_profiles(), st.floats(-1e6, 1e6))
def test_values_stay_within_the_bounds(profile: gp.shapes.Profile, s: float) -> None:
    low, high = profile.bounds
    assert low <= profile(np.asarray(s)) <= high


@pytest.mark.parametrize(
    ("profile", "bounds"),
    [
        (gp.shapes.Ramp(width=2.0), (0.0, 1.0)),
        (gp.shapes.Trapezoid(plateau=2.0, width=1.0), (0.0, 1.0)),
        (gp.shapes.Triangle(width=2.0), (0.0, 1.0)),
        (gp.shapes.PiecewiseLinear((0, 1, 3), (0, 2, -1)), (-1.0, 2.0)),
        (gp.shapes.Gaussian(bandwidth=2.0), (0.0, 1.0)),
        (gp.shapes.Identity(), (-math.inf, math.inf)),
    ],
    ids=lambda value: _name(value) if isinstance(value, gp.shapes.Profile) else "",
)
def test_bounds_are_the_infimum_and_the_supremum(profile: gp.shapes.Profile, bounds: tuple[float, float]) -> None:
    assert profile.bounds == bounds


def test_the_bounds_of_a_custom_profile_are_near_its_extremes() -> None:
    np.testing.assert_allclose(HILL.bounds, (-1.0, 1.0), atol=2e-3)


@PROPERTY
@given(_profiles().filter(lambda profile: isinstance(profile, LinearPieces)), _places())
def test_straight_pieces_follow_their_slopes(profile: gp.shapes.Profile, s: float) -> None:
    assert isinstance(profile, LinearPieces)
    assert len(profile.slopes) == len(profile.knots) + 1
    piece = int(np.searchsorted(profile.knots, s))
    near = np.abs(np.subtract(profile.knots, s)).min(initial=1.0) / 2
    ends = np.array([s - near, s + near])
    assert np.diff(profile(ends))[0] == pytest.approx(profile.slopes[piece] * 2 * near, abs=1e-12, rel=1e-9)


@pytest.mark.parametrize("profile", RAMPS, ids=_name)
def test_the_gap_is_the_distance_to_the_nearest_ramp(profile: Ramps) -> None:
    s = np.linspace(-9, 9, 1001)
    on_a_ramp = np.concatenate([np.linspace(low, high, 2001) for low, high in profile.ramps])
    expected = np.abs(s[:, None] - on_a_ramp).min(axis=1)
    np.testing.assert_allclose(profile.gap(s), expected, atol=profile.width / 2000)


@pytest.mark.parametrize("profile", RAMPS, ids=_name)
def test_a_profile_moves_only_on_its_ramps(profile: Ramps) -> None:
    s = np.linspace(-9, 9, 10_001)
    away = profile.gap(s) > 0
    assert set(profile(s[away]).tolist()) <= {0.0, 1.0}


def test_a_gaussian_is_zero_far_away_and_does_not_warn() -> None:
    # a warning that depends on the private value tells something about it
    np.testing.assert_array_equal(gp.shapes.Gaussian(bandwidth=1.0)(np.array([1e3, 1e200, -1e300])), 0.0)


BAD_NUMBERS: list[Any] = [math.nan, math.inf, -math.inf, "1", None, True, [1.0]]
BAD_LENGTHS: list[Any] = [*BAD_NUMBERS, 0, -1.0]


@pytest.mark.parametrize("width", BAD_LENGTHS)
@pytest.mark.parametrize("kind", [gp.shapes.Ramp, gp.shapes.Triangle])
def test_a_width_must_be_positive_and_finite(kind: Any, width: Any) -> None:
    with pytest.raises(gp.InvalidParameter, match=f"'width' parameter of {kind.__name__}"):
        kind(width=width)


@pytest.mark.parametrize("length", BAD_LENGTHS)
@pytest.mark.parametrize("parameter", ["plateau", "width"])
def test_the_lengths_of_a_trapezoid_must_be_positive_and_finite(parameter: str, length: Any) -> None:
    with pytest.raises(gp.InvalidParameter, match=f"'{parameter}' parameter of Trapezoid"):
        gp.shapes.Trapezoid(**{"plateau": 1.0, "width": 1.0, parameter: length})


@pytest.mark.parametrize("bandwidth", BAD_LENGTHS)
def test_a_bandwidth_must_be_positive_and_finite(bandwidth: Any) -> None:
    with pytest.raises(gp.InvalidParameter, match="'bandwidth' parameter of Gaussian"):
        gp.shapes.Gaussian(bandwidth=bandwidth)


@pytest.mark.parametrize("slope", BAD_LENGTHS)
def test_a_slope_must_be_positive_and_finite(slope: Any) -> None:
    with pytest.raises(gp.InvalidParameter, match="'slope' parameter of Identity"):
        gp.shapes.Identity(slope=slope)


@pytest.mark.parametrize("center", BAD_NUMBERS)
@pytest.mark.parametrize(
    ("kind", "others"),
    [
        (gp.shapes.Ramp, {"width": 1.0}),
        (gp.shapes.Trapezoid, {"width": 1.0, "plateau": 1.0}),
        (gp.shapes.Triangle, {"width": 1.0}),
        (gp.shapes.Gaussian, {"bandwidth": 1.0}),
    ],
)
def test_a_center_must_be_finite(kind: Any, others: dict[str, float], center: Any) -> None:
    with pytest.raises(gp.InvalidParameter, match=f"'center' parameter of {kind.__name__}"):
        kind(center=center, **others)


@pytest.mark.parametrize(
    ("knots", "values", "parameter"),
    [
        ((1, 0), (0, 1), "knots"),
        ((0, 0, 1), (0, 0, 1), "knots"),
        ((0, math.nan), (0, 1), "knots"),
        ((0, math.inf), (0, 1), "knots"),
        ((0,), (1,), "knots"),
        ((), (), "knots"),
        (("a", "b"), (0, 1), "knots"),
        (5, (0, 1), "knots"),
        (((0, 1), (2, 3)), (0, 1), "knots"),
        ((0, 1), (0, math.nan), "values"),
        ((0, 1), (0, math.inf), "values"),
        ((0, 1), (0, 1, 2), "values"),
        ((0, 1, 2), (0, 1), "values"),
        ((0, 1, 2), (3, 3, 3), "values"),
    ],
)
def test_pieces_must_be_sorted_finite_matching_and_not_constant(knots: Any, values: Any, parameter: str) -> None:
    with pytest.raises(gp.InvalidParameter, match=f"'{parameter}' parameter of PiecewiseLinear"):
        gp.shapes.PiecewiseLinear(knots, values)


def test_pieces_made_from_lists_and_arrays_are_the_same_value() -> None:
    made = {gp.shapes.PiecewiseLinear([0, 1], [2, 3]), gp.shapes.PiecewiseLinear(np.array([0, 1]), np.array([2, 3]))}  # type: ignore[arg-type]
    assert made == {gp.shapes.PiecewiseLinear((0.0, 1.0), (2.0, 3.0))}


def test_a_custom_profile_is_constant_outside_its_ends() -> None:
    parabola = gp.shapes.Custom(np.square, lipschitz=4.0, low=0.0, high=2.0)
    np.testing.assert_array_equal(parabola(np.array([-5.0, 0.0, 1.0, 2.0, 99.0])), [0, 0, 1, 4, 4])


@pytest.mark.parametrize("lipschitz", [3.9, 1.0, 1e-9])
def test_a_custom_profile_refuses_a_lipschitz_constant_below_its_steepest_chord(lipschitz: float) -> None:
    with pytest.raises(gp.InvalidParameter, match="'lipschitz' parameter of Custom must be at least the steepest"):
        gp.shapes.Custom(np.square, lipschitz=lipschitz, low=0.0, high=2.0)


@pytest.mark.parametrize("height", [0.0, 1e3, 1e6])
def test_a_custom_profile_takes_the_least_lipschitz_constant_at_any_height(height: float) -> None:
    # the constant is 1 exactly; the rounding of the values at a chord's ends must not refute it
    assert gp.shapes.Custom(lambda s: height + s, lipschitz=1.0, low=0.0, high=0.7).lipschitz == 1.0


@pytest.mark.parametrize(
    ("change", "parameter"),
    [
        *[({"lipschitz": bad}, "lipschitz") for bad in BAD_LENGTHS],
        *[({"low": bad}, "low") for bad in BAD_NUMBERS],
        *[({"high": bad}, "high") for bad in BAD_NUMBERS],
        ({"low": 2.0}, "high"),
        ({"low": 3.0}, "high"),
        ({"curvature": -1.0}, "curvature"),
        ({"curvature": math.nan}, "curvature"),
        ({"curvature": math.inf}, "curvature"),
        ({"kinks": (math.nan,)}, "kinks"),
        ({"kinks": ("a",)}, "kinks"),
        ({"function": np.zeros_like}, "function"),
        ({"function": lambda s: s * np.nan}, "function"),
        ({"function": lambda s: s[:-1]}, "function"),
        ({"function": lambda s: 1.0}, "function"),
    ],
)
def test_a_custom_profile_refuses_bad_parameters_by_name(change: dict[str, Any], parameter: str) -> None:
    good: dict[str, Any] = {"function": np.square, "lipschitz": 4.0, "low": 0.0, "high": 2.0}
    with pytest.raises(gp.InvalidParameter, match=f"'{parameter}' parameter of Custom"):
        gp.shapes.Custom(**{**good, **change})


@pytest.mark.parametrize("kinks", [(5.0,), (-1.0,), (0.5, 5.0)])
def test_a_custom_profile_refuses_kinks_outside_its_ends(kinks: tuple[float, ...]) -> None:
    with pytest.raises(gp.InvalidParameter, match="'kinks' parameter of Custom"):
        gp.shapes.Custom(np.square, lipschitz=4.0, low=0.0, high=2.0, kinks=kinks)


def test_a_custom_profile_refuses_what_is_no_function() -> None:
    with pytest.raises(gp.InvalidParameter, match="'function' parameter of Custom"):
        gp.shapes.Custom(3, lipschitz=4.0, low=0.0, high=2.0)  # type: ignore[arg-type]


def test_stretching_a_custom_profile_keeps_its_curvature_right() -> None:
    stretched = HILL.stretched(3.0)
    assert stretched.curvature == pytest.approx(9.0)


@pytest.mark.parametrize(("low", "factor"), [(0.1, 3.0), (0.1, 2.9), (1.0, 1.9), (0.7, 0.1)])
def test_a_stretched_custom_profile_asks_its_function_only_between_its_ends(low: float, factor: float) -> None:
    # just outside them a function may be undefined: (s − low)^1.5 is Lipschitz, and not a number below low
    asked: list[FloatArray] = []

    def function(s: FloatArray) -> FloatArray:
        asked.append(s)
        return s - low

    gp.shapes.Custom(function, 1.01, low=low, high=low + 1.0).stretched(factor)(np.linspace(-99, 99, 101))
    assert min(s.min() for s in asked) >= low
    assert max(s.max() for s in asked) <= low + 1.0


def test_equal_profiles_are_equal_and_hash_alike() -> None:
    made = {
        gp.shapes.Ramp(2),
        gp.shapes.Ramp(2.0),
        gp.shapes.Ramp(2.0, rising=False),
        gp.shapes.Gaussian(2.0),
        gp.shapes.Triangle(2.0),
    }
    assert len(made) == 4
