"""Plain questions about far areas share one report: what the plan says, what is answered, and what devices verify."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import geopriv as gp
from geopriv.mechanisms import SharedTables
from geopriv.reports.files import ReportBatch
from geopriv.surveys.planning.plain_tables import tables_of
from geopriv.surveys.planning.table_widths import Seat, tabled
from geopriv.surveys.planning.widths import half_widths

PEOPLE = 64_000
CENTERS = [(11.0 * (k % 4), 11.0 * (k // 4)) for k in range(8)]
AREAS = "\n".join(
    f"""
[[query]]
kind = "ball"
name = "area {k}"
center = [{x}, {y}]
radius = 1.5
width = 2.0
"""
    for k, (x, y) in enumerate(CENTERS)
)
SURVEY = f"""
name = "Eight areas"
epsilon = 1.0
per = "1 km"
people = {PEOPLE}
space = {{ kind = "plane", unit = "km", range = [[-8, 41], [-8, 19]] }}
prior = {{ kind = "uniform" }}
{AREAS}
"""


@cache
def planned() -> gp.surveys.SurveyPlan:
    return gp.plan(gp.Survey.parse(SURVEY))


def test_eight_far_areas_of_a_survey_share_one_report() -> None:
    found = planned()
    assert found.option.name == "SharedTables, shared report"
    (mechanism,) = found.design.mechanisms
    assert isinstance(mechanism, SharedTables)
    assert set(found.beside) == {"Lattice", "BracketTable", "SharedTables"}
    assert found.beside["SharedTables"] < 0.7 * min(found.beside["BracketTable"], found.beside["Lattice"])
    assert "each person answering all 8 questions, which are far apart, in one report" in found.why
    assert "BracketTable (people split) plain ±" in found.why
    assert gp.audit(found.design).passed


def test_what_is_predicted_is_what_reports_give_and_holds_the_truth() -> None:
    """People are even, as the plan expects. Eight halves of intervals have a chance error of some 5 % on average."""
    found, rng = planned(), np.random.default_rng(3)
    (mechanism,) = found.design.mechanisms
    people = rng.uniform((-8.0, -8.0), (41.0, 19.0), (PEOPLE, 2))
    tally = gp.Tally(found.design)
    tally.add(ReportBatch(0, mechanism.written(mechanism.simulate(people, rng).values)))
    answers, halves = gp.estimate(found.design, tally), list[float]()
    for answer, center in zip(answers.answers, CENTERS, strict=True):
        assert answer.plain is not None
        truth = float((np.linalg.norm(people - center, axis=1) <= 1.5).mean())
        assert answer.plain.low <= truth <= answer.plain.high
        halves.append(float(answer.plain.high - answer.plain.low) / 2)
        predicted = found.expected(answer.question)
        assert answer.estimates[()].standard_error == pytest.approx(predicted, rel=0.25)
    assert np.mean(halves) == pytest.approx(np.mean(list(found.plain.values())), rel=0.2)


def test_the_halves_of_the_plan_are_those_that_targets_look_at() -> None:
    found = planned()
    here = half_widths(found.survey, "SharedTables", found.survey.epsilon)
    assert {name: width(PEOPLE) for name, width in here.items()} == pytest.approx(found.plain, rel=0.02)


def test_at_a_smaller_epsilon_areas_are_near_each_other_and_people_are_split() -> None:
    """Areas 11 km apart: at 1/ε = 32 km they are no longer far, and nothing is shared."""
    work = planned().plan.work
    assert {width.seat for width in tabled(work, work.rate, sharing=False)} == {Seat(8, 1.0)}
    (seat,) = {width.seat for width in tabled(work, work.rate, sharing=True)}
    (mechanism,) = planned().design.mechanisms
    assert isinstance(mechanism, SharedTables)
    assert seat.parts == 1
    assert seat.share == pytest.approx(float(mechanism.share), rel=0.1)
    assert {width.seat for width in tabled(work, work.rate / 32, sharing=True)} == {Seat(8, 1.0)}


def test_tables_are_looked_at_for_many_far_areas_but_not_for_many_that_touch() -> None:
    far, touching = (
        [gp.Share(str(k), gp.Ball((apart * k, 0.0), 1.5, 2.0, gp.Plane("km"))) for k in range(12)]
        for apart in (11.0, 3.0)
    )
    assert tables_of(far, 1.0) == 12
    assert tables_of(touching[:8], 1.0) == 8
    assert tables_of([gp.Share(str(k), gp.Threshold(10.0 * k, 2.0)) for k in range(4)], 1.0) == 0


@pytest.mark.parametrize(("apart", "kind"), [(14.0, gp.Ball), (2.5, gp.Blurred)])
def test_more_than_eight_areas_have_linear_borders_only_where_they_are_far(apart: float, kind: type) -> None:
    areas = [
        f'[[query]]\nkind = "ball"\nname = "{k}"\ncenter = [{apart * (k % 4)}, {apart * (k // 4)}]\nradius = 2'
        for k in range(12)
    ]
    space = 'space = { kind = "plane", unit = "km", range = [[-8, 50], [-8, 50]] }'
    lines = ['name = "Twelve"', "epsilon = 1", 'per = "1 km"', "people = 20000", space, *areas]
    survey = gp.Survey.parse("\n".join(lines))
    assert {type(query) for query in survey.queries} == {kind}
