"""Plans: predicted errors against the mechanisms' own formulas, arrangements against simulation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import geopriv as gp
from geopriv.shapes.coordinates import Coordinate
from geopriv.shapes.profiles import Profile
from geopriv.spaces.checks import FloatArray
from geopriv.surveys.planning import choice
from geopriv.surveys.planning.best_possible import whole_shares
from geopriv.surveys.planning.predictions import floors, grid_for
from geopriv.surveys.planning.workload import Workload
from geopriv_paper.plain import plain_moments

PLANE, USD = gp.Plane("m"), gp.Line("USD")
INCOMES = np.random.default_rng(1).lognormal(11.5, 0.8, 1200)
TOWN = np.random.default_rng(2).normal(size=(400, 2)) * [5.0, 3.0]
CHEAP = tuple(name for name in choice.MECHANISMS if not name.endswith(("Table", "Tables")))


def thresholds(count: int, **more: Any) -> list[gp.queries.Query]:
    return [gp.Threshold(60_000 + 7_100 * k, 16_000, USD, **more) for k in range(count)]


WORKLOADS: dict[str, tuple[list[gp.queries.Query], float, FloatArray]] = {
    "threshold": (thresholds(1), 1 / 8000, INCOMES),
    "thresholds": (thresholds(3), 1 / 8000, INCOMES),
    "many thresholds": (thresholds(20), 1 / 8000, INCOMES),
    "smooth thresholds": (thresholds(18, edge="smooth"), 1 / 8000, INCOMES),
    "ranges": ([gp.Range(6e4 + 7_100 * k, 1.2e5, 9_000, space=USD) for k in range(2)], 1 / 8000, INCOMES),
    "many ranges": (
        [gp.Range(6e4 + 7_100 * k, 1e5 + 7_100 * k, 9_000, space=USD) for k in range(17)],
        1 / 8000,
        INCOMES,
    ),
    "blurred thresholds": ([gp.Blurred(query, 9_000.0) for query in thresholds(2)], 1 / 8000, INCOMES),
    "kernels on a line": ([gp.GaussianKernel(t, 2e4, USD) for t in (5e4, 9e4)], 1 / 8000, INCOMES),
    "ratios": ([gp.Threshold(t, 0.5, gp.LogLine(2.0, 1e4)) for t in (3e4, 2e5)], 2.0, INCOMES),
    "kernels": ([gp.GaussianKernel((a, 0.3), 1.5, PLANE) for a in (0.0, 1.0, 4.0)], 1.0, TOWN),
    "half-spaces": ([gp.Score((1.0, a), 0.5, 1.0, PLANE) for a in (0.0, 2.0)], 1.0, TOWN),
    "balls": ([gp.Ball((a, 0.0), 2.0, 1.0, PLANE) for a in (0.0, 1.3)], 1.0, TOWN),
    "orthants": ([gp.Orthant((a, 0.2), 1.0, PLANE) for a in (0.0, 1.3)], 1.0, TOWN),
    "blurred corners": ([gp.Blurred(gp.Orthant((a, 0.2), 1.0, PLANE), 1.0) for a in (0.0, 1.3)], 1.0, TOWN),
    "blurred half-space": ([gp.Blurred(gp.Score((1.0, 1.0), 0.0, 1.0, PLANE), 1.0)], 1.0, TOWN),
}


def mechanism_for(name: str, work: Workload, query: gp.queries.Query, rate: float) -> Any:
    match name:
        case "InputLaplace":
            return gp.InputLaplace.calibrate(query.space, rate)
        case "InputLaplace plain":
            return gp.InputLaplace.calibrate(query.space, rate, estimator="plain")
        case "Lattice":
            return grid_for(work, rate)
    return getattr(gp, name).calibrate(query, rate)


def moments(mechanism: Any, people: FloatArray, query: gp.queries.Query) -> tuple[FloatArray, FloatArray]:
    asked = (query,) if isinstance(mechanism, gp.InputLaplace | gp.Lattice) else ()
    try:
        return mechanism.bias(people, *asked), mechanism.variance(people, *asked)
    except gp.InvalidParameter:  # only a plain estimate has no closed form
        return plain_moments(mechanism, people, query)


def check_option(option: gp.surveys.Option, work: Workload, people: FloatArray) -> None:
    """Variances (and biases) of an option are averages of the mechanism's own formulas over the people."""
    k = work.size
    rate = work.rate / k if option.arrangement == "ε split" else work.rate
    for j, query in enumerate(work.queries):
        mechanism = mechanism_for(option.mechanism, work, query, rate)
        bias, variance = moments(mechanism, people, query)
        alone = float(variance.mean())
        if option.arrangement == "people split":
            alone = k * alone + (k - 1) * float(np.var(query(people)))
        # in the plane, a lattice finer than 0.1/ε is predicted by one of 0.1/ε
        near = 0.08 if option.mechanism == "Lattice" and work.space.dimension > 1 else 3e-3
        assert option.variances[j] * work.people == pytest.approx(alone, rel=near, abs=1e-12), option.name
        assert option.biases[j] == pytest.approx(float(bias.mean()), abs=2e-5), option.name


@pytest.mark.parametrize("name", WORKLOADS)
def test_predicted_variances_are_the_mechanisms_own_averaged_over_the_people(name: str) -> None:
    queries, rate, people = WORKLOADS[name]
    found = gp.plan(queries, rate, 1000, people, CHEAP)
    work = Workload.of(queries, rate, 1000, people)
    assert len(found.options) >= 2
    for option in found.options:
        check_option(option, work, people)


def test_a_compiled_table_is_predicted_by_its_own_variance() -> None:
    queries, rate, people = WORKLOADS["threshold"]
    found = gp.plan(queries, rate, 1000, people)
    assert found.best.name == "Table, one report"
    check_option(found.best, Workload.of(queries, rate, 1000, people), people)


def test_every_mechanism_is_predicted_or_left_out_with_a_reason() -> None:
    found = gp.plan(thresholds(1), 1 / 8000, 1000, INCOMES)
    assert {o.mechanism for o in found.options} | set(found.left_out) == set(choice.MECHANISMS)
    assert "continuous slope" in found.left_out["InputLaplace"]


@pytest.mark.parametrize("count", [2, 3])
def test_splitting_epsilon_and_splitting_people_follow_their_formulas(count: int) -> None:
    queries, rate, n = thresholds(count), 1 / 8000, 1000
    noise = [gp.LipschitzLaplace.calibrate(query, rate).variance(INCOMES).mean() for query in queries]
    spread = [np.var(query(INCOMES)) for query in queries]
    people_split = (count * np.array(noise) + (count - 1) * np.array(spread)) / n
    epsilon_split = count**2 * np.array(noise) / n  # Laplace noise of ε/K has K² times the variance
    found = gp.plan(queries, rate, n, INCOMES, ["LipschitzLaplace"]).best
    assert found.arrangement == "people split"
    np.testing.assert_allclose(found.variances, people_split, rtol=1e-3)
    assert people_split.mean() < epsilon_split.mean()


def test_epsilon_is_split_where_that_is_better() -> None:
    """Chance of who is asked dominates when noise is small beside the spread of the answers."""
    queries = [gp.Threshold(t, 4.0) for t in (0.0, 1.0)]
    found = gp.plan(queries, 40.0, 1000, np.linspace(-8, 8, 801), ["LipschitzLaplace"]).best
    assert found.arrangement == "ε split"
    alone = [gp.LipschitzLaplace.calibrate(query, 20.0).variance([0.0])[0] / 1000 for query in queries]
    np.testing.assert_allclose(found.variances, alone, rtol=1e-9)


def simulated_people_split(
    queries: Sequence[gp.queries.Query], rate: float, people: FloatArray, surveys: int
) -> FloatArray:
    """Squared errors around the mean over the people, one a survey: groups are drawn, then noise."""
    rng, k = np.random.default_rng(4), len(queries)
    mechanism = gp.LipschitzLaplace.calibrate(queries[0], rate)
    truth, errors = float(queries[0](people).mean()), np.empty(surveys)
    for i in range(surveys):
        group = rng.permutation(len(people))[: len(people) // k]
        errors[i] = mechanism.simulate(people[group], rng).values.mean() - truth
    return errors**2


def test_the_error_of_split_people_is_what_simulation_shows() -> None:
    """Error rate: |z| ≤ 4.5 on 4,000 surveys, 7e-6; planted faults of leaving out either part are caught."""
    queries, people = [gp.Threshold(t, 2.0) for t in (0.0, 1.0, 2.0)], np.linspace(-6.0, 6.0, 300)
    found = gp.plan(queries, 2.0, 300, people, ["LipschitzLaplace"]).best
    assert found.arrangement == "people split"
    squares = simulated_people_split(queries, 2.0, people, 4000)
    sampling = squares.std() / math.sqrt(squares.size)
    # a finite population's variance has n − 1 under it, and the plan's has n
    assert abs(squares.mean() - found.variances[0]) < 4.5 * sampling + found.variances[0] / 300
    noise_only = 3 * gp.LipschitzLaplace.calibrate(queries[0], 2.0).variance([0.0])[0] / 300
    chance_only = 2 * np.var(queries[0](people)) / 300
    for fault in (noise_only, chance_only):
        assert abs(squares.mean() - fault) > 9 * sampling


@pytest.mark.parametrize("name", ["thresholds", "kernels"])
def test_a_table_that_was_not_compiled_could_not_have_won(name: str) -> None:
    queries, rate, people = WORKLOADS[name]
    queries = queries[:2]
    found = gp.plan(queries, rate, 1000, people)
    table = next(o for o in found.options if o.mechanism == "Table")
    if table.bound_only:
        compiled = gp.plan(queries, rate, 1000, people, ["Table"]).best
        assert table.error <= compiled.error
        assert found.best.error <= compiled.error
    assert found.best.error == min(o.error for o in found.options if not o.labelled_biased)


@pytest.mark.parametrize("name", [name for name in WORKLOADS if "corners" not in name])
def test_no_unbiased_option_is_below_the_floor(name: str) -> None:
    queries, rate, people = WORKLOADS[name]
    found = gp.plan(queries, rate, 1000, people, CHEAP)
    for option in found.options:
        if option.labelled_biased:
            assert math.isnan(found.efficiency(option))
        else:
            assert 0 < found.efficiency(option) <= 1


def test_a_plan_reads_as_a_table_and_a_sentence() -> None:
    queries, rate, people = WORKLOADS["kernels"]
    found = gp.plan(queries, rate, 1000, people, CHEAP)
    lines = str(found).splitlines()
    assert lines[0].split() == ["mechanism", "arrangement", "error", "worst", "bias", "efficiency"]
    assert len({len(line) for line in lines[: len(found.options) + 1]}) == 1
    assert found.why.startswith("InputLaplace has the least predicted error: one report answers all 3 queries")
    assert found.why in str(found)
    assert "one of the 3 queries with the whole ε" in gp.plan(queries, rate, 10, people, ["LeastScaleT"]).why


def test_noise_that_dominates_a_map_brings_the_suggestion_to_shrink() -> None:
    queries, rate, people = WORKLOADS["kernels"]
    few, many = (gp.plan(queries, rate, n, people, ["InputLaplace"]) for n in (100, 10_000_000))
    assert "shrink=True" in few.suggestion
    assert "biased" in few.suggestion
    assert many.suggestion == ""


@pytest.mark.parametrize("edge", ["linear", "smooth"])
def test_people_far_from_every_query_leave_no_error_and_a_plan_that_prints(edge: Any) -> None:
    found = gp.plan(gp.Threshold(0.0, 1.0, edge=edge), 1.0, 10, [-1e9], CHEAP)
    assert found.best.error == 0
    assert "least predicted error." in str(found)
    assert math.isnan(found.relative_error)


def test_so_many_people_make_every_interval_so_short() -> None:
    for name, mechanism in (("thresholds", "LeastScaleT"), ("kernels", "InputLaplace")):
        queries, rate, people = WORKLOADS[name]
        needed = gp.plan(queries, rate, 123, people, [mechanism]).people_for(0.02)
        assert gp.plan(queries, rate, needed, people, [mechanism]).half_widths().max() <= 0.02 * (1 + 1e-9)
        assert gp.plan(queries, rate, needed - 1, people, [mechanism]).half_widths().max() > 0.02


def test_an_error_is_half_of_the_interval_that_an_estimate_states() -> None:
    """20,000 people drawn from the prior: the stated interval is within 3 % of the plan's (4 chance errors)."""
    query, rng = gp.Threshold(100_000, 16_000, USD), np.random.default_rng(5)
    found = gp.plan(query, 1 / 8000, 20_000, INCOMES, ["LeastScaleT"])
    people = rng.choice(INCOMES, 20_000)
    stated = gp.estimate(m := gp.LeastScaleT.calibrate(query, 1 / 8000), m.simulate(people, rng))
    assert found.half_widths()[0] == pytest.approx((stated.high - stated.low) / 2, rel=0.03)
    assert found.people_for(float(found.half_widths()[0])) == pytest.approx(20_000, abs=1)
    noise_alone = 1.96 * found.best.standard_errors[0]
    assert noise_alone < 0.9 * found.half_widths()[0]  # a planted fault: that would leave out who the people are


def test_people_do_not_help_against_a_bias() -> None:
    found = gp.plan([gp.GaussianKernel((0.0, 0.0), 1.5, PLANE)], 1.0, 100, TOWN, ["Lattice"])
    bias = float(np.abs(found.best.biases).max())
    assert bias > 1e-7
    one = 100 * float(found.standard_errors()[0]) ** 2
    assert found.people_for(2 * bias) == pytest.approx(one * (1.959964 / bias) ** 2, rel=1e-6)
    with pytest.raises(gp.InvalidParameter, match="above the bias of Lattice"):
        found.people_for(bias)
    with pytest.raises(gp.InvalidParameter, match="error"):
        found.people_for(0.0)


@pytest.mark.parametrize("error", [0.025, 0.1])
@pytest.mark.parametrize("start", [0.3, 10.0])
def test_so_much_epsilon_gives_the_error_and_a_little_less_does_not(error: float, start: float) -> None:
    query, people = gp.GaussianKernel((0.0, 0.0), 1.5, PLANE), TOWN[:200]
    rate = gp.plan(query, start, 1000, people, CHEAP).epsilon_for(error)
    assert gp.plan(query, rate, 1000, people, CHEAP).half_widths().max() <= error * (1 + 1e-9)
    assert gp.plan(query, rate * 0.985, 1000, people, CHEAP).half_widths().max() > error


def test_epsilon_is_found_for_blurred_regions_too() -> None:
    query = gp.Blurred(gp.Ball((0.0, 0.0), 2.0, 0.5, PLANE), 1.0)
    rate = gp.plan(query, 1.0, 1000, TOWN).epsilon_for(0.06)
    assert gp.plan(query, rate, 1000, TOWN).half_widths().max() <= 0.06
    assert gp.plan(query, rate * 0.985, 1000, TOWN).half_widths().max() > 0.06


def test_an_epsilon_out_of_reach_is_refused() -> None:
    with pytest.raises(gp.InvalidParameter, match="within reach of so many people"):
        gp.plan(gp.LipschitzQuery(np.sin, 1.0), 1.0, 1, [0.0]).epsilon_for(1e-9)
    spread = gp.plan(gp.Threshold(0.0, 1.0), 1.0, 100, [-9.0, 9.0], ["LipschitzLaplace"])
    with pytest.raises(gp.InvalidParameter, match="within reach of so many people"):
        spread.epsilon_for(0.09)  # 100 people of whom half count err by 0.098 without any noise
    with pytest.raises(gp.InvalidParameter, match="'error'"):
        spread.epsilon_for(-1.0)


def test_a_prior_and_the_array_it_was_made_from_give_one_plan() -> None:
    query = gp.Threshold(100_000, 16_000, USD)
    first, second = (gp.plan(query, 1 / 8000, 100, p, CHEAP) for p in (INCOMES, gp.Prior.sample(INCOMES)))
    np.testing.assert_array_equal(first.best.variances, second.best.variances)
    doubled = gp.Prior.sample(np.tile(INCOMES, 2), np.repeat([3.0, 1.0], INCOMES.size))
    third = gp.plan(query, 1 / 8000, 100, doubled, CHEAP)
    assert third.best.error == pytest.approx(first.best.error, rel=1e-3)


def test_thinning_a_large_prior_keeps_means_on_a_line() -> None:
    many = np.random.default_rng(3).lognormal(11.5, 0.8, 50_000)
    work = Workload.of(gp.Threshold(100_000, 16_000, USD), 1 / 8000, 10, many)
    assert work.points.size <= 2048
    assert work.weights @ work.points == pytest.approx(many.mean(), rel=1e-12)
    assert work.answers[0][0] == pytest.approx(gp.Threshold(100_000, 16_000, USD)(many).mean(), abs=5e-5)


def test_thinning_a_large_prior_in_the_plane_keeps_what_kernels_see() -> None:
    rng = np.random.default_rng(3)
    many = np.concatenate([rng.normal(size=(30_000, 2)) * [5, 3], rng.normal([4, -3], size=(10_000, 2))])
    kernels = [gp.GaussianKernel((a, b), 1.5, PLANE) for a in (-4.0, 0.0, 4.0) for b in (-3.0, 0.0, 3.0)]
    work = Workload.of(kernels, 1.0, 10, many)
    assert len(work.points) == 2048
    exact = np.array([kernel(many).mean() for kernel in kernels])
    assert np.abs(work.answers[0] / exact - 1).max() < 0.05


def test_without_a_prior_people_are_where_they_can_be() -> None:
    ratios = Workload.of(gp.Threshold(20.0, 0.5, gp.LogLine(2.0, 10.0)), 1.0, 10, None)
    assert ratios.points.min() >= math.log2(10.0)
    city = gp.LocalPlane(south=40.5, west=-74.3, north=40.95, east=-73.65)
    edge = Workload.of(gp.Ball((40.51, -74.0), 3000.0, 1000.0, city), 1e-4, 10, None)
    assert (edge.points >= city.rectangle[0]).all()
    assert (edge.points <= city.rectangle[1]).all()


@pytest.mark.parametrize(
    "query",
    [
        gp.GaussianKernel((40.7, -74.0), 2000.0, gp.Earth()),
        gp.Ball((89.99, 10.0), 5000.0, 1000.0, gp.Earth()),
        gp.Ball((0.0, 179.99), 5000.0, 1000.0, gp.Earth()),
    ],
)
def test_on_earth_reports_of_the_answer_are_planned_and_noise_on_the_place_is_left_out(query: gp.queries.Query) -> None:
    found = gp.plan(query, 1e-3, 1000, mechanisms=["LeastScaleT", "InputLaplace", "InputLaplace plain", "Lattice"])
    assert found.best.mechanism == "LeastScaleT"
    assert 0 < found.efficiency(found.best) <= 1
    assert 0 < found.answers[0] < 1
    for name in ("InputLaplace", "InputLaplace plain", "Lattice"):
        assert "flat" in found.left_out[name]


def test_a_function_of_which_only_a_constant_is_known_is_planned_without_a_floor() -> None:
    found = gp.plan(gp.LipschitzQuery(np.sin, 1.0), 1.0, 1000)
    assert found.best.mechanism in ("LipschitzLaplace", "CoordinateLaplace")
    assert found.floor == 0
    assert "efficiency is" not in found.why
    assert "Table" in found.left_out


def test_queries_of_several_shapes_are_planned_together() -> None:
    mixed: list[gp.queries.Query] = [gp.Threshold(0.0, 2.0), gp.Range(-1.0, 3.0, 1.0), gp.GaussianKernel(1.0, 2.0)]
    people = np.linspace(-5, 5, 500)
    found = gp.plan(mixed, 1.0, 1000, people, CHEAP)
    for option in found.options:
        check_option(option, Workload.of(mixed, 1.0, 1000, people), people)


def test_a_map_of_thousands_of_kernels_is_planned_without_compiling_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("compiled")

    monkeypatch.setattr(gp.Table, "calibrate", refuse)
    kernels = [gp.GaussianKernel((a, b), 2.4, PLANE) for a in range(61) for b in range(61)]
    found = gp.plan(kernels, 0.5, 100_000, TOWN + 30, ["InputLaplace", "Lattice", "Table", "LipschitzLaplace"])
    assert found.best.name == "InputLaplace, one report"
    assert found.best.variances.shape == (3721,)
    table = next(o for o in found.options if o.mechanism == "Table")
    assert table.bound_only
    assert "≥" in str(found)


CITY = gp.LocalPlane(south=40.5, west=-74.3, north=40.95, east=-73.65)
CENTERS = [(x, y) for x in np.linspace(-5.0, 5.0, 5) for y in np.linspace(-3.0, 3.0, 4)]
RING = gp.shapes.PiecewiseLinear((1.0, 1.5, 2.0, 2.5), (0.0, 1.0, 1.0, 0.0))
DOWNTOWN = np.random.default_rng(3).normal(size=(150, 2)) * [0.05, 0.08] + [40.7, -74.0]
INPUTS = ("InputLaplace", "Lattice")

# moved regions share what is computed for the first of them
MOVED: dict[str, tuple[list[gp.queries.Query], float, FloatArray]] = {
    "rings": ([gp.Blurred(gp.RadialQuery(at, RING, PLANE), 1.0) for at in CENTERS], 1.0, TOWN[:100]),
    "balls": ([gp.Blurred(gp.Ball(at, 2.0, 1.0, PLANE), 1.0) for at in CENTERS], 1.0, TOWN[:100]),
    "large balls": ([gp.Blurred(gp.Ball(at, 30.0, 1.0, PLANE), 1.0) for at in CENTERS], 1.0, TOWN[:100] + 20.0),
    "corners of a map": (
        [gp.Blurred(gp.Orthant((40.65 + k / 50, -74.0 + k / 50), 1e3, CITY), 1e3) for k in range(3)],
        1e-3,
        DOWNTOWN,
    ),
    "many corners of a map": (
        [gp.Blurred(gp.Orthant((40.6 + k / 90, -74.0), 1e3, CITY), 1e3) for k in range(17)],
        1e-3,
        DOWNTOWN,
    ),
    "rings and balls": (
        [
            *(gp.Blurred(gp.RadialQuery(at, RING, PLANE), 1.0) for at in CENTERS[:2]),
            *(gp.Blurred(gp.Ball(at, 2.0, 1.0, PLANE), 1.0) for at in CENTERS[:2]),
        ],
        1.0,
        TOWN[:100],
    ),
}


@pytest.mark.parametrize("name", MOVED)
def test_regions_that_are_planned_together_have_the_errors_that_they_have_alone(name: str) -> None:
    """A fault shows: in degrees taken for metres, or with the border of a ball out of reach, errors are off by half."""
    queries, rate, people = MOVED[name]
    found = gp.plan(queries, rate, 1000, people, INPUTS)
    assert {option.mechanism for option in found.options} == set(INPUTS)
    for k in (0, len(queries) - 1):
        alone = {option.mechanism: option for option in gp.plan(queries[k], rate, 1000, people, INPUTS).options}
        for option in found.options:
            # grids do not move with a query, and of many queries the variance on a grid is read from a table
            near = 0.03 if option.mechanism == "Lattice" else 3e-3
            assert option.variances[k] == pytest.approx(alone[option.mechanism].variances[0], rel=near), option.name


def test_rings_are_planned_as_well_as_discs() -> None:
    discs = [gp.Blurred(gp.RadialQuery(at, gp.shapes.Ramp(1.0, 2.0, rising=False), PLANE), 1.0) for at in CENTERS]
    balls, rate, people = MOVED["balls"]
    first, second = (gp.plan(queries, rate, 1000, people, INPUTS).best for queries in (discs, balls))
    assert first.name == second.name == "InputLaplace, one report"
    np.testing.assert_allclose(first.variances, second.variances, rtol=1e-6)


@dataclass(frozen=True)
class _Stripe(Coordinate):
    """Distance to a line of the plane: a coordinate that says nothing of how it moves, or of what is like it."""

    line: float
    space: gp.spaces.Space = PLANE

    def __call__(self, points: FloatArray) -> FloatArray:
        return np.abs(points[..., 0] - self.line)

    @property
    def anchor(self) -> FloatArray:
        return np.array([self.line, 0.0])

    def reachable(self, s: FloatArray) -> tuple[FloatArray, FloatArray]:
        return s - self.line, s  # no two of them reach alike


@dataclass(frozen=True)
class _NearStripe(gp.queries.Query):
    line: float
    space: gp.spaces.Space = PLANE

    @property
    def geometry(self) -> Coordinate:
        return _Stripe(self.line)

    @property
    def profile(self) -> Profile:
        return gp.shapes.Ramp(1.0, 2.0, rising=False)


def test_a_kind_of_query_that_the_planner_does_not_know_gets_its_own_numbers() -> None:
    queries: list[gp.queries.Query] = [_NearStripe(line) for line in (0.5, 2.0, 4.0)]
    work = Workload.of(queries, 1.0, 1000, TOWN)
    for option in gp.plan(queries, 1.0, 1000, TOWN, ["LipschitzLaplace", "LeastScaleT", "Lattice"]).options:
        check_option(option, work, TOWN)
    alone = [float(floors(Workload.of(query, 1.0, 1000, TOWN), 1.0)[0]) for query in queries]
    assert floors(work, 1.0) == pytest.approx(alone, rel=1e-9)
    assert len(set(alone)) == 3


def test_tables_of_too_many_shapes_are_left_out() -> None:
    shapes = [gp.Threshold(0.0, 1.0 + k / 7) for k in range(17)]
    found = gp.plan(shapes, 1.0, 1000, np.linspace(-3, 3, 50), ["LipschitzLaplace", "Table"])
    assert "17 different shapes" in found.left_out["Table"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"queries": []}, "'queries' .* at least one query"),
        ({"queries": [3]}, "'queries' .* made of queries"),
        ({"queries": 3}, "'queries' .* one query or several"),
        ({"queries": "Threshold"}, "'queries' .* one query or several"),
        ({"queries": [gp.Threshold(0.0, 1.0), gp.Threshold(0.0, 1.0, USD)]}, "'queries' .* on one space"),
        ({"people": 0}, "'people'"),
        ({"people": 2.5}, "'people'"),
        ({"epsilon": -1.0}, "'epsilon'"),
        ({"epsilon": "1 per km"}, "unit"),
        ({"mechanisms": ["Tables"]}, r"'mechanisms' .* names among .* Got \['Tables'\]"),
        ({"mechanisms": []}, "'mechanisms'"),
        ({"prior": []}, "'prior' .* at least one value"),
        ({"prior": np.zeros((5, 2))}, "'prior' .* made of values of Line"),
        ({"prior": [0.0, np.nan]}, "finite"),
        ({"mechanisms": ["InputLaplace"]}, "No mechanism .* InputLaplace: .* continuous slope"),
        ({"mechanisms": ["InputLaplace plain"]}, "No mechanism"),
    ],
)
def test_bad_input_is_refused_with_a_sentence(arguments: dict[str, Any], sentence: str) -> None:
    whole: dict[str, Any] = {"queries": gp.Threshold(0.0, 1.0), "epsilon": 1.0, "people": 10, **arguments}
    with pytest.raises(gp.InvalidParameter, match=sentence):
        gp.plan(**whole)


def test_a_prior_outside_the_space_is_blamed_on_the_prior() -> None:
    with pytest.raises(gp.InvalidParameter, match=r"'prior' parameter of plan .*Latitudes"):
        gp.plan(gp.Ball((40.7, -74.0), 2000.0, 500.0, gp.Earth()), 1e-3, 10, prior=[(100.0, 3.0)])


def test_a_plan_of_one_query_on_a_line_is_judged_by_the_floor_over_all_reports() -> None:
    """Theory T12: nearly twice the floor of each person alone, and below what the table has."""
    found = gp.plan(gp.Threshold(0.0, 2.0), 1.0, 1000, np.linspace(-4, 4, 81), ["Table", "LeastScaleT"])
    assert 1.7 * found.floor < found.least < float(np.mean(found.best.variances))
    assert 0.85 < found.efficiency(found.best) < 1


def test_a_bound_is_never_more_efficient_than_possible() -> None:
    found = gp.plan(gp.Threshold(0.0, 2.0), 1.0, 1000, np.linspace(-4, 4, 81), ["LeastScaleT"])
    assert found.efficiency(replace(found.best, variances=np.array([found.floor]), bound_only=True)) == 1


def test_whole_distributions_are_compared_with_the_floor_without_edges() -> None:
    """Theory T11, where one Lattice report answers them; not of two thresholds, and not of a table."""
    curve = gp.Distribution("curve", tuple(range(0, 120, 10)), 40.0, gp.Line())
    grid = gp.Lattice.calibrate(curve.space, 0.1, queries=curve.queries)
    shares = whole_shares(gp.Design("one", (grid,), (), (curve,)))
    assert 0.7 < shares["curve"] < 1
    few = gp.Distribution("few", (0, 10), 40.0, gp.Line())
    assert not whole_shares(gp.Design("one", (grid,), (), (few,)))
