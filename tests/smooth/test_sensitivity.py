"""Sensitivity: the values of the theory note, brute force, and the two conditions of a smooth upper bound."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from examples.median import median_sensitivities
from hypothesis import given, settings
from hypothesis import strategies as st

import geopriv as gp
from geopriv.smooth.sensitivity import Growth
from geopriv.spaces.checks import FloatArray

GROWTHS = [gp.smooth.ExponentialGrowth, gp.smooth.LinearGrowth]
STAIRCASE = gp.shapes.PiecewiseLinear((-2.0, -1.0, 0.0, 3.0), (0.0, 1.0, 0.25, 0.5))
SIGMOID = gp.shapes.Custom(np.tanh, 1.0, -6.0, 6.0, curvature=0.77)
KINKED = gp.shapes.Custom(lambda s: np.abs(np.sin(s)), 1.0, -3.0, 2.0, curvature=1.0, kinks=(0.0,))
VAGUE = gp.shapes.Custom(np.tanh, 1.0, -6.0, 6.0)
PROFILES = {
    "ramp": gp.shapes.Ramp(1.5),
    "falling ramp": gp.shapes.Ramp(0.7, center=2.0, rising=False),
    "trapezoid": gp.shapes.Trapezoid(2.0, 0.8, center=-0.5),
    "triangle": gp.shapes.Triangle(1.2),
    "gaussian": gp.shapes.Gaussian(1.0),
    "wide gaussian": gp.shapes.Gaussian(4.0, center=1.0),
    "staircase": STAIRCASE,
    "sigmoid": SIGMOID,
    "kinked": KINKED,
    "vague": VAGUE,
    "line": gp.shapes.Identity(0.5),
}
every_profile = pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES.keys())
gammas = st.floats(0.02, 20.0)
radii = st.one_of(st.just(np.inf), st.floats(0.05, 8.0))
coordinates = st.floats(-30.0, 30.0)


def chords(profile: gp.shapes.Profile, z: FloatArray, radius: float) -> FloatArray:
    """L_Λ on a grid, from below: the steepest chord between grid points."""
    f = profile(z)
    length = np.abs(z[:, None] - z)
    usable = (length > 0) & (length <= radius)
    return np.asarray(np.where(usable, np.abs(f[:, None] - f) / np.where(usable, length, 1.0), 0.0).max(axis=1))


@every_profile
@settings(max_examples=40, deadline=None, derandomize=True)
@given(gamma=gammas, radius=radii, s=coordinates, step=st.floats(1e-6, 10.0), growth=st.sampled_from(GROWTHS))
def test_the_bound_is_above_every_chord_and_never_falls_faster_than_the_growth(
    profile: gp.shapes.Profile, gamma: float, radius: float, s: float, step: float, growth: type[Growth]
) -> None:
    g = growth(gamma)  # type: ignore[call-arg]
    places = np.array([s, s + step])
    bound = gp.smooth.smooth_sensitivity(profile, g, places, radius)
    local = gp.smooth.pointwise_lipschitz(profile, places, radius)
    assert (bound >= local * (1 - 1e-12)).all()
    assert abs(np.log(bound[1] / bound[0])) <= float(g.log(np.asarray(step))) + 1e-9
    there = s + min(step, radius)
    # over the way that was really gone: far from 0 a small step is rounded
    chord = abs(float(profile(np.asarray(there)) - profile(np.asarray(s)))) / (there - s)
    assert chord <= local[0] * (1 + 1e-9) + 1e-12


@every_profile
@pytest.mark.parametrize(
    "growth",
    [gp.smooth.ExponentialGrowth(0.3), gp.smooth.LinearGrowth(2.0), gp.smooth.ExponentialGrowth(4.0)],
)
@pytest.mark.parametrize("radius", [np.inf, 2.5, 0.9])
def test_the_bound_is_never_below_the_supremum_over_a_grid_and_close_to_it(
    profile: gp.shapes.Profile, growth: Growth, radius: float
) -> None:
    z = np.linspace(-14, 14, 1401)
    s = np.array([-9.0, -2.2, -0.4, 0.0, 0.3, 1.1, 2.0, 6.0])
    pointwise = chords(profile, z, radius)
    least = np.array([(pointwise / growth(np.abs(z - x))).max() for x in s])
    bound = gp.smooth.smooth_sensitivity(profile, growth, s, radius)
    assert (bound >= least * (1 - 1e-9)).all()
    if profile is not VAGUE:  # without a curvature nothing is known of local slopes
        slack = 0.005 * profile.lipschitz if isinstance(profile, gp.shapes.Custom) else 1e-9
        assert (bound <= least * 1.10 + slack).all()


def test_the_gaussian_has_the_values_of_the_theory_note_to_all_printed_digits() -> None:
    s = np.array([0, 0.5, 1, 1.2, 1.5, 2, 3, 6])
    table = {
        0.1: [0.5541, 0.5825, 0.6065, 0.6008, 0.5830, 0.5546, 0.5018, 0.3718],
        0.26: [0.4975, 0.5666, 0.6065, 0.6008, 0.5737, 0.5060, 0.3901, 0.1788],
        0.5: [0.4566, 0.5663, 0.6065, 0.6008, 0.5737, 0.5000, 0.3509, 0.1691],
    }
    for gamma, row in table.items():
        for h in (1.0, 250.0):
            bound = gp.smooth.smooth_sensitivity(gp.shapes.Gaussian(h), gp.smooth.ExponentialGrowth(gamma / h), s * h)
            np.testing.assert_array_equal(np.round(bound * h, 4), row)


def gaussian_supremum(s: float, growth: Growth, radius: float) -> float:
    """sup over z and w of |F(w) − F(z)|/|w − z|/g(|z − s|), by grids that close in on the best pair."""

    def ratio(z: FloatArray, w: FloatArray) -> FloatArray:
        u = (w - z) * (w + z) / 2
        small = np.abs(u) < 1e-12
        chord = np.exp(-(z**2) / 2) * (w + z) / 2 * np.where(small, 1.0, -np.expm1(-u) / np.where(small, 1.0, u))
        return np.asarray(chord / growth(np.abs(z - s)))

    z_range, w_range, best = (0.0, max(s, 1.0) + 0.5), (0.0, max(s, 1.0) + 3.0), 0.0
    for _ in range(14):
        z = np.append(np.linspace(*z_range, 301), s)[:, None]  # z = s is a kink of g
        w = np.clip(np.linspace(*w_range, 301), z - radius, z + radius)
        values = ratio(z, np.maximum(w, 0.0))
        i, j = np.unravel_index(values.argmax(), values.shape)
        best = max(best, float(values[i, j]))
        dz, dw = (z_range[1] - z_range[0]) / 8, (w_range[1] - w_range[0]) / 8
        z_range = max(float(z[i, 0]) - dz, 0.0), float(z[i, 0]) + dz
        w_range = max(float(w[i, j]) - dw, 0.0), float(w[i, j]) + dw
    return best


@pytest.mark.parametrize("radius", [np.inf, 1.3])
@pytest.mark.parametrize("linear", [False, True])
@pytest.mark.parametrize("gamma", [0.05, 0.26, 0.7, 3.0])
def test_the_gaussian_is_right_to_a_billionth(gamma: float, linear: bool, radius: float) -> None:
    growth = gp.smooth.LinearGrowth(gamma) if linear else gp.smooth.ExponentialGrowth(gamma)
    for s in (0.0, 0.4, 0.97, 1.0, 1.6, 2.7, 5.0):
        exact = float(gp.smooth.smooth_sensitivity(gp.shapes.Gaussian(1.0), growth, s, radius))
        assert exact == pytest.approx(gaussian_supremum(s, growth, radius), rel=1e-9)


def test_the_papers_own_formula_for_the_gaussian_lies_below_the_supremum() -> None:
    """Theory E3: at γh = 0.26 and s = 0 the paper's lemma gives 0.4753/h, the supremum is 0.4975/h."""
    assert (
        float(gp.smooth.smooth_sensitivity(gp.shapes.Gaussian(1.0), gp.smooth.ExponentialGrowth(0.26), 0.0))
        > 0.4753 * 1.04
    )


def test_ramps_have_the_closed_forms_of_the_paper() -> None:
    width, gamma = 2.0, 0.4
    v = np.linspace(0, 30, 301)
    gap = np.maximum(v - width / 2, 0)
    exponential = np.where(gap > 0, np.maximum(1 / (v + width / 2), np.exp(-gamma * gap) / width), 1 / width)
    linear = np.where(gap > 0, np.maximum(1 / (v + width / 2), 1 / (width * (1 + gamma * gap))), 1 / width)
    ramp = gp.shapes.Ramp(width, center=5.0)
    for side in (-1, 1):
        s = 5.0 + side * v
        np.testing.assert_allclose(
            gp.smooth.smooth_sensitivity(ramp, gp.smooth.ExponentialGrowth(gamma), s), exponential, rtol=1e-12
        )
        np.testing.assert_allclose(
            gp.smooth.smooth_sensitivity(ramp, gp.smooth.LinearGrowth(gamma), s), linear, rtol=1e-12
        )


def test_a_finite_radius_can_put_the_supremum_inside() -> None:
    value = gp.smooth.smooth_sensitivity(gp.shapes.Ramp(1.0), gp.smooth.ExponentialGrowth(5.0), 1.35, radius=0.9)
    assert float(value) == pytest.approx(0.1050, abs=5e-5)


def test_the_papers_range_query_has_its_appendix_formula() -> None:
    low, high, width, gamma = 2.0, 8.0, 1.0, 0.7
    query = gp.Range(low, high, width, shape="triangle")
    x = np.linspace(-20, 30, 500)
    base, middle = (high - low) / 2 + width / 2, (low + high) / 2
    beyond = np.maximum(np.maximum(low - width / 2 - x, x - high - width / 2), 0)
    expected = np.where(
        beyond > 0,
        np.maximum(1 / np.maximum(np.abs(middle - x), 1e-9), np.exp(-gamma * beyond) / base),
        1 / base,
    )
    bound = gp.smooth.smooth_sensitivity(query.profile, gp.smooth.ExponentialGrowth(gamma), query.coordinate(x))
    np.testing.assert_allclose(bound, expected, rtol=1e-12)


@pytest.mark.parametrize("profile", [gp.shapes.Ramp(2.0), gp.shapes.Trapezoid(1.0, 2.0), gp.shapes.Triangle(3.0)])
@pytest.mark.parametrize("growth", [gp.smooth.ExponentialGrowth(0.3), gp.smooth.LinearGrowth(3.0)])
@pytest.mark.parametrize("radius", [np.inf, 2.5])
def test_the_generic_procedure_agrees_with_closed_forms_from_above(
    profile: gp.shapes.Ramp | gp.shapes.Trapezoid | gp.shapes.Triangle, growth: Growth, radius: float
) -> None:
    generic = gp.shapes.PiecewiseLinear(profile.knots, profile.values)
    s = np.linspace(-20, 20, 777)
    exact = gp.smooth.smooth_sensitivity(profile, growth, s, radius)
    excess = [
        gp.smooth.smooth_sensitivity(generic, growth, s, radius, cells) / exact - 1 for cells in (250, 1000, 4000)
    ]
    assert min(e.min() for e in excess) > -1e-12
    assert excess[2].max() < 0.008
    assert excess[2].max() <= excess[1].max() * 0.5 + 1e-12
    assert excess[1].max() <= excess[0].max() * 0.5 + 1e-12


def test_a_custom_profile_converges_when_its_curvature_is_known_and_stays_safe_when_not() -> None:
    known = gp.shapes.Custom(lambda s: np.exp(-(s**2) / 2), 0.607, -9.0, 9.0, curvature=1.0)
    vague = gp.shapes.Custom(lambda s: np.exp(-(s**2) / 2), 0.607, -9.0, 9.0)
    growth = gp.smooth.ExponentialGrowth(0.3)
    s = np.linspace(-12, 12, 97)
    exact = gp.smooth.smooth_sensitivity(gp.shapes.Gaussian(1.0), growth, s)
    excess = [
        float((gp.smooth.smooth_sensitivity(known, growth, s, cells=c) / exact - 1).max()) for c in (500, 2000, 8000)
    ]
    assert excess[0] > 2 * excess[1] > 4 * excess[2]
    assert excess[2] < 0.01
    loose = gp.smooth.smooth_sensitivity(vague, growth, s)
    assert (loose >= exact).all()
    np.testing.assert_allclose(loose[np.abs(s) <= 9], 0.607)


@every_profile
def test_a_wider_radius_or_slower_growth_never_lowers_the_bound(profile: gp.shapes.Profile) -> None:
    s = np.linspace(-10, 10, 101)
    by_radius = [
        gp.smooth.smooth_sensitivity(profile, gp.smooth.ExponentialGrowth(0.5), s, r) for r in (0.5, 2.0, np.inf)
    ]
    by_gamma = [gp.smooth.smooth_sensitivity(profile, gp.smooth.ExponentialGrowth(g), s) for g in (2.0, 0.5, 0.1)]
    for lower, upper in [*pairwise(by_radius), *pairwise(by_gamma)]:
        assert (upper >= lower * (1 - 2e-2)).all()


STRAIGHT = gp.shapes.Custom(lambda s: s, 1.0, 0.0, 1.0, curvature=0.0)
STEEP_ENDS = gp.shapes.Custom(np.sin, 1.0, -1.0, 7.0, curvature=1.0, kinks=(2.0,))


@pytest.mark.parametrize(
    "profile", [*PROFILES.values(), STRAIGHT, STEEP_ENDS, gp.shapes.Custom(lambda s: s, 1.0, 0.0, 1.0)]
)
@pytest.mark.parametrize("radius", [np.inf, 1.7, 0.01])
@pytest.mark.parametrize("cells", [7, 2048])
def test_the_bound_does_not_jump_anywhere(profile: gp.shapes.Profile, radius: float, cells: int) -> None:
    """Not at landmarks either, where cells meet tails: neighbours differ by no more than the growth allows."""
    marks = np.asarray(profile.landmarks)
    steps = np.concatenate([[0.0, 1e-9], np.geomspace(1e-7, 3.0, 60)])
    s = np.unique(np.concatenate([(marks[:, None] + np.concatenate([-steps, steps])).ravel(), np.linspace(-9, 9, 400)]))
    for growth in (gp.smooth.ExponentialGrowth(0.8), gp.smooth.LinearGrowth(0.8)):
        bound = gp.smooth.smooth_sensitivity(profile, growth, s, radius, cells)
        assert (np.abs(np.diff(np.log(bound))) <= growth.log(np.diff(s)) + 1e-11).all()
        assert (bound <= profile.lipschitz * (1 + 1e-12)).all()


def test_a_large_finite_radius_costs_little() -> None:
    s, growth = np.array([2.0, 10.0, 100.0]), gp.smooth.ExponentialGrowth(5.0)
    generic = gp.smooth.smooth_sensitivity(gp.shapes.PiecewiseLinear((-0.5, 0.5), (0.0, 1.0)), growth, s, radius=1e6)
    np.testing.assert_allclose(
        generic, gp.smooth.smooth_sensitivity(gp.shapes.Ramp(1.0), growth, s, radius=1e6), rtol=0.05
    )


def test_the_number_of_cells_is_checked() -> None:
    for cells in (0, -3, 2.5):
        with pytest.raises(gp.InvalidParameter, match="cells"):
            gp.smooth.smooth_sensitivity(STAIRCASE, gp.smooth.ExponentialGrowth(1.0), 0.0, cells=cells)  # type: ignore[arg-type]


def test_far_away_the_bound_is_small_and_never_zero() -> None:
    for profile in PROFILES.values():
        for radius in (np.inf, 1.0):
            bound = gp.smooth.smooth_sensitivity(profile, gp.smooth.ExponentialGrowth(1.0), [-1e9, 1e9], radius)
            assert (bound > 0).all()
            assert np.isfinite(bound).all()


def test_empty_scalar_and_matrix_coordinates_keep_their_shape() -> None:
    for profile in PROFILES.values():
        for growth in (gp.smooth.ExponentialGrowth(1.0), gp.smooth.LinearGrowth(1.0)):
            for shape in ((), (0,), (3,), (2, 3)):
                assert gp.smooth.smooth_sensitivity(profile, growth, np.ones(shape)).shape == shape
                assert gp.smooth.pointwise_lipschitz(profile, np.ones(shape)).shape == shape


@pytest.mark.parametrize("gamma", [0.0, -1.0, np.nan, np.inf])
def test_a_bad_growth_rate_is_refused(gamma: float) -> None:
    for growth in GROWTHS:
        with pytest.raises(gp.InvalidParameter, match="gamma"):
            growth(gamma)


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(gp.InvalidParameter, match="radius"):
        gp.smooth.smooth_sensitivity(gp.shapes.Ramp(1.0), gp.smooth.ExponentialGrowth(1.0), 0.0, radius=-1.0)
    with pytest.raises(gp.InvalidParameter, match="'s'"):
        gp.smooth.pointwise_lipschitz(gp.shapes.Ramp(1.0), [np.nan])
    with pytest.raises(gp.InvalidParameter, match="growth"):
        gp.smooth.smooth_sensitivity(gp.shapes.Ramp(1.0), 0.5, 0.0)  # type: ignore[arg-type]


def test_the_hamming_metric_gives_the_standard_smooth_sensitivity_of_the_median() -> None:
    """Brute force over all data sets of three values from {0, ¼, ½, ¾, 1}."""
    grid = (0.0, 0.25, 0.5, 0.75, 1.0)
    everything = list(product(grid, repeat=3))

    def distance(a: tuple[float, ...], b: tuple[float, ...]) -> int:
        return sum(x != y for x, y in zip(a, b, strict=True))

    def pointwise(data: tuple[float, ...]) -> float:
        near = (other for other in everything if distance(data, other) == 1)
        return max(abs(sorted(data)[1] - sorted(other)[1]) for other in near)

    local = {data: pointwise(data) for data in everything}
    for growth in (
        gp.smooth.ExponentialGrowth(0.3),
        gp.smooth.ExponentialGrowth(2.0),
        gp.smooth.LinearGrowth(0.8),
    ):
        for data in [(0.0, 0.5, 0.75), (0.5, 0.5, 0.5), (0.0, 0.0, 0.25), (1.0, 0.25, 0.0)]:
            brute = max(local[z] / float(growth(np.asarray(float(distance(data, z))))) for z in everything)
            ours = gp.smooth.hamming_smooth_sensitivity(median_sensitivities(data, 0.0, 1.0), growth)
            assert ours == pytest.approx(brute, rel=1e-12)


def test_hamming_sensitivities_must_be_non_negative_and_non_decreasing() -> None:
    for bad in ([2.0, 1.0], [-1.0, 1.0], [], [np.nan]):
        with pytest.raises(gp.InvalidParameter, match="sensitivities"):
            gp.smooth.hamming_smooth_sensitivity(bad, gp.smooth.ExponentialGrowth(1.0))
