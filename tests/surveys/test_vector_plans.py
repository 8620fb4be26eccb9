"""Several narrow linear thresholds on a line are planned as one table, and the flow answers all of them."""

from __future__ import annotations

import numpy as np
import pytest

import geopriv as gp
from geopriv.mechanisms import VectorTable

TEXT = """
name = "incomes"
epsilon = 1
per = 8_000
people = 20000
[space]
kind = "line"
unit = "USD"
range = [0, 500_000]
[[query]]
kind = "threshold"
at = [50_000, 60_000]
width = 8_000
edge = "linear"
plain = false
"""
ASKED = [gp.Threshold(at, 8_000, gp.Line("USD")) for at in (50_000, 60_000)]


def test_one_table_for_all_beats_a_grid_and_tables_among_which_people_are_split() -> None:
    found = gp.plan(ASKED, 1 / 8000, 20_000, mechanisms=["Lattice", "Table", "VectorTable"], for_devices=True)
    assert found.taken.name == "VectorTable, one report"
    errors = {option.mechanism: option.error for option in found.options}
    assert errors["VectorTable"] ** 2 < 0.6 * errors["Lattice"] ** 2
    assert errors["VectorTable"] ** 2 < 0.65 * errors["Table"] ** 2  # of a Table a floor


def test_predicted_variances_are_the_tables_own() -> None:
    found = gp.plan(ASKED, 1 / 8000, 20_000, mechanisms=["VectorTable"], for_devices=True)
    table = VectorTable.calibrate(ASKED, 1 / 8000)
    for k, query in enumerate(ASKED):
        variance = found.work.weights @ table.moments(found.work.points, query)[1]
        assert found.best.variances[k] == pytest.approx(variance / 20_000, rel=1e-9)


@pytest.mark.parametrize("width", [40_000.0, 4 * 8_000.0 * 1.01])
def test_edges_that_are_wide_are_left_to_a_grid(width: float) -> None:
    wide = [gp.Threshold(at, width, gp.Line("USD")) for at in (50_000, 66_000)]
    found = gp.plan(wide, 1 / 8000, 20_000, mechanisms=["Lattice", "VectorTable"], for_devices=True)
    assert "narrower than 4/ε" in found.left_out["VectorTable"]


def test_a_survey_is_planned_reported_and_answered() -> None:
    """One design of 20,000 people, fixed seeds: estimates within 5.5 stated standard errors (error rate 4e-8 each)."""
    plan = gp.plan(gp.Survey.parse(TEXT))
    (table,) = plan.design.mechanisms
    assert isinstance(table, VectorTable)
    assert plan.option.name == "VectorTable, one report"
    assert "one report answers all 2 questions" in plan.why
    assert gp.Design.parse(plan.design.to_bytes()) == plan.design
    incomes = np.random.default_rng(5).lognormal(10.9, 0.4, 20_000)
    tally = gp.Tally(plan.design)
    values = table.simulate(incomes, np.random.default_rng(6)).values
    tally.add(gp.reports.ReportBatch(0, table.written(values)))
    answers = gp.estimate(plan.design, tally)
    for question in plan.design.questions:
        estimate = answers[question.name].estimates[()]
        truth = float(question.queries[0](incomes).mean())
        assert abs(estimate.value - truth) < 5.5 * estimate.standard_error
        assert estimate.unbiased
    swapped = abs(answers.answers[0].estimates[()].value - float(ASKED[1](incomes).mean()))
    assert swapped > 5.5 * answers.answers[0].estimates[()].standard_error  # the planted fault
    assert plan.worst(plan.design.questions[0]) > plan.expected(plan.design.questions[0])
