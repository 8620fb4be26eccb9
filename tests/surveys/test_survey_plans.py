"""Plans of surveys: the predictions come true, and the design is the best that devices can run."""

from __future__ import annotations

import io
import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from rich.console import Console

import geopriv as gp
from geopriv.commands.plan import plan_document, print_plan
from geopriv.commands.populations import income_quantiles, synthetic_city

USD = gp.Line("USD")
ABOVE = gp.Share("above 100,000", gp.Threshold(100_000.0, 32_000.0, USD))
SOFT = gp.Share("above 100,000", gp.Threshold(100_000.0, 32_000.0, USD), plain=False)
HALF = gp.Share("above 50,000", gp.Threshold(50_000.0, 32_000.0, USD))
NEAR = gp.Share("above 120,000", gp.Threshold(120_000.0, 32_000.0, USD))  # of as many people: the table of ABOVE
CURVE = gp.Distribution("distribution", tuple(np.arange(20_000.0, 300_000.0, 20_000.0).tolist()), 32_000.0, USD)
CITY = gp.LocalPlane(40.5, -74.26, 40.92, -73.70)
PARK = {"type": "Polygon", "coordinates": [[[-73.98, 40.76], [-73.94, 40.80], [-73.93, 40.79], [-73.97, 40.75]]]}
INCOMES = gp.Prior.sample(income_quantiles(2_000))


def survey(*questions: gp.queries.Question, people: int = 100_000) -> gp.Survey:
    return gp.Survey("incomes", USD, 1 / 8000, questions, people, gp.Source(("income",), (0.0,), (2e6,)), INCOMES)


@pytest.mark.parametrize(
    ("questions", "mechanism"), [((SOFT,), gp.Table), ((ABOVE, HALF, CURVE), gp.Lattice)], ids=["one", "many"]
)
def test_one_soft_question_takes_a_table_and_many_a_lattice(
    questions: tuple[gp.queries.Question, ...], mechanism: type[gp.mechanisms.Mechanism]
) -> None:
    found = gp.plan(survey(*questions))
    assert [type(m) for m in found.design.mechanisms] == [mechanism]
    assert [question.with_reach(0.0) for question in found.design.questions] == list(questions)
    assert all((question.reach > 0) == question.plain for question in found.design.questions)
    assert found.design.guarantee.epsilon == 1 / 8000
    assert found.option.error == min(
        o.error for o in found.plan.options if o.mechanism in ("Table", "Lattice") and not o.bound_only
    )
    assert mechanism.__name__ in found.why


@pytest.mark.parametrize("questions", [(SOFT,), (ABOVE,), (HALF, CURVE)], ids=["table", "plain", "lattice"])
def test_the_predicted_standard_error_is_the_one_that_estimates_state(
    questions: tuple[gp.queries.Question, ...],
) -> None:
    """100,000 simulated people: a stated error is within 4 % of the prediction (its own chance error is below 1 %)."""
    found = gp.plan(survey(*questions))
    rng = np.random.default_rng(3)
    people = rng.choice(income_quantiles(2_000), 100_000)
    mechanism = found.design.mechanisms[0]
    reports = mechanism.simulate(people, rng)
    stated = [gp.estimate(mechanism, reports, query).standard_error for query in found.survey.queries]
    assert stated == pytest.approx(found.standard_errors(), rel=0.04)
    assert found.expected(questions[-1]) == pytest.approx(max(stated[len(questions) - 1 :]), rel=0.04)


def test_so_many_people_make_intervals_so_short() -> None:
    found = gp.plan(survey(ABOVE, NEAR, people=200_000))
    again = gp.plan(survey(ABOVE, NEAR, people=found.plan.people_for(0.01, found.option)))
    assert 1.96 * again.standard_errors().max() + np.abs(again.option.biases).max() == pytest.approx(0.01, rel=1e-3)
    biased = next(o for o in found.plan.options if o.labelled_biased)
    with pytest.raises(gp.InvalidParameter, match="above the bias"):
        found.plan.people_for(float(np.abs(biased.biases).max()), biased)


def test_so_much_epsilon_makes_intervals_of_devices_so_short() -> None:
    found = gp.plan(survey(CURVE, people=20_000))
    rate = found.plan.epsilon_for(0.02)
    queries = found.survey.queries
    for factor, enough in ((1.0, True), (0.985, False)):
        there = gp.plan(queries, rate * factor, 20_000, INCOMES, ["Table", "Lattice"], for_devices=True)
        assert bool(there.half_widths().max() <= 0.02) is enough


def test_a_map_and_a_park_are_planned_together() -> None:
    low, high = CITY.rectangle
    density = gp.DensityMap("density", 2_000.0, tuple(low), tuple(high), CITY, columns=9, rows=9)
    park = gp.Share("park", gp.Blurred(gp.Geofence(PARK, 1_500.0, CITY), 1_500.0))
    homes = gp.Prior.sample(synthetic_city(2_000, np.random.default_rng(0)))
    found = gp.plan(gp.Survey("city", CITY, 1e-3, (density, park), 50_000, gp.Source(("lat", "lon")), homes))
    lattice = found.design.mechanisms[0]
    assert isinstance(lattice, gp.Lattice)
    alone = [np.mean(lattice.variance(homes.values, query)) for query in (density.queries[40], park.query)]
    assert found.option.variances[[40, 81]] * 50_000 == pytest.approx(alone, rel=0.08)
    assert 10 < found.bits < 40
    assert "InputLaplace would err" in found.why  # real numbers are left to studies
    assert found.plan.efficiency(found.option) >= 0


def test_many_regions_of_many_shapes_are_planned_too() -> None:
    balls = tuple(
        gp.Share(f"disc {k}", gp.Blurred(gp.Ball((40.7, -74.0), 1_000.0 + 50 * k, 1_000.0, CITY), 1_500.0))
        for k in range(17)
    )
    found = gp.plan(gp.Survey("city", CITY, 1e-3, balls, 50_000))
    assert found.option.name == "Lattice, one report"
    assert np.isfinite(found.standard_errors()).all()


def test_a_hard_edge_beside_a_map_is_refused_with_the_reason() -> None:
    low, high = CITY.rectangle
    density = gp.DensityMap("density", 2_000.0, tuple(low), tuple(high), CITY, columns=9, rows=9)
    park = gp.Share("park", gp.Geofence(PARK, 100.0, CITY))
    with pytest.raises(gp.InvalidParameter, match=r"edges of 'park' are too hard.*blur"):
        gp.plan(gp.Survey("city", CITY, 1e-3, (density, park), 50_000))


def test_a_survey_has_its_own_epsilon_and_people() -> None:
    with pytest.raises(gp.InvalidParameter, match="left out"):
        gp.plan(survey(ABOVE), 1.0)  # type: ignore[call-overload]
    with pytest.raises(gp.InvalidParameter, match="given"):
        gp.plan(ABOVE.query)  # type: ignore[call-overload]


def test_a_table_that_beats_the_lattice_is_compiled_even_where_real_numbers_would_beat_it() -> None:
    smooth = gp.Share("above", gp.Threshold(100_000.0, 32_000.0, USD, "smooth"))
    found = gp.plan(survey(smooth))
    table = next(o for o in found.plan.options if o.mechanism == "Table")
    lattice = next(o for o in found.plan.options if o.mechanism == "Lattice")
    assert not table.bound_only or table.error >= lattice.error
    assert math.isfinite(found.option.error)


@cache
def many() -> gp.surveys.SurveyPlan:
    return gp.plan(survey(ABOVE, HALF, CURVE))


def test_the_bias_that_is_stated_before_is_the_one_that_estimates_state() -> None:
    """A mean over the expected people hides what a grid does to single values: it is no bound."""
    found = many()
    lattice = found.design.mechanisms[0]
    assert found.largest_bias == max(lattice.largest_bias(query) for query in found.survey.queries)
    assert np.abs(found.option.biases).max() < found.largest_bias / 10  # which was once shown as "at most"


def test_the_reason_compares_what_devices_run_by_the_errors_that_are_shown() -> None:
    found = many()
    table = next(o for o in found.plan.options if o.mechanism == "Table")
    assert table.bound_only
    ratio = found.error(table) / found.error()
    assert f"the next of these, Table, people split, has at least {ratio:.3g} times its error" in found.why
    assert ratio < 0.8 * table.error / found.option.error  # that would leave out who was asked
    assert not any(o.mechanism in found.why for o in found.plan.options if o.mechanism == "CoordinateLaplace")


def printed(found: gp.surveys.SurveyPlan) -> str:
    text = io.StringIO()
    print_plan(Console(width=200, file=text), found)
    return text.getvalue()


def row(found: gp.surveys.SurveyPlan, mechanism: str) -> list[str]:
    """Of the table of mechanisms, which comes first."""
    return next(line for line in printed(found).splitlines() if line.strip().startswith(f"{mechanism} ")).split()


def test_what_is_only_a_floor_is_printed_as_one_and_the_bias_as_a_bound() -> None:
    found = many()
    assert row(found, "Table").count("≥") == 1  # error
    assert row(found, "Table").count("≤") == 1  # efficiency
    assert row(found, "Lattice")[-2:] == ["≤", f"{100 * found.largest_bias:.2g}"]
    document = plan_document(found)
    assert document["largest_bias"] == found.largest_bias
    (chosen,) = [option for option in document["options"] if option["chosen"]]
    assert chosen["error"] == pytest.approx(np.sqrt(np.mean(np.square(chosen["standard_errors"]))))


def test_people_for_a_point_are_told_of_the_answer_that_a_page_prints_first() -> None:
    """Of soft answers where there are no plain ones, of each mechanism; else by --target, which takes its time."""
    soft = gp.plan(survey(replace(ABOVE, plain=False), people=50_000))
    assert not soft.plain
    assert "people, ±1" in printed(soft)
    assert f"{soft.people_for(0.01):,}" in row(soft, soft.option.mechanism)
    assert soft.people_for(0.01) == soft.plan.people_for(0.01, soft.option)
    (chosen,) = [option for option in plan_document(soft)["options"] if option["chosen"]]
    assert chosen["people_for_one_point"] == soft.people_for(0.01)
    plain = gp.plan(survey(ABOVE, CURVE, people=50_000))
    assert plain.plain
    assert "±1" not in printed(plain)
    assert {option["people_for_one_point"] for option in plan_document(plain)["options"]} == {None}
    assert plain.people_for(0.03) == plain.needs(0.03).people
    assert plain.people_for(0.03) > 5 * plain.plan.people_for(0.03, plain.option)


def test_the_errors_of_a_map_are_densities_and_no_number_of_people_makes_them_one_point() -> None:
    low, high = CITY.rectangle
    density = gp.DensityMap("density", 2_000.0, tuple(low), tuple(high), CITY, columns=5, rows=5)
    people = gp.Prior.sample(CITY.values(gp.Prior.uniform(*CITY.limits).values))
    found = gp.plan(gp.Survey("city", CITY, 1e-3, (density,), 50_000, prior=people))
    per_km2 = 100 * found.expected(density) * 1e6 / (2 * np.pi * 2_000.0**2)
    assert f"{per_km2:.2g} % per km²" in printed(found)
    assert row(found, "Lattice")[5] == "–"
    assert all(option["people_for_one_point"] is None for option in plan_document(found)["options"])
