"""What a plan says of its questions: each number in its unit, soft or plain, and nothing that is no number."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import geopriv as gp
from geopriv.commands.expectations import in_units, question_documents
from geopriv.pages.notebook import notebook_html
from geopriv.spaces.words import NARROW
from geopriv.surveys.planning.plain_tables import tables_of
from geopriv.surveys.planning.targets import Needs
from geopriv.surveys.planning.values import grid_of, workload_of

USD = gp.Line("USD")
ABOVE = gp.Share("above", gp.Threshold(100_000.0, 32_000.0, USD, "smooth"))
MEDIAN = gp.queries.Quantile("median", (0.5,), USD, 0.0, 2e6)
MEAN = gp.queries.Mean("mean", USD, low=(0.0,), high=(2e6,))


@cache
def planned(*questions: gp.queries.Question) -> gp.surveys.SurveyPlan:
    source = gp.Source(("income",), (0.0,), (2e6,))
    return gp.plan(gp.Survey("incomes", USD, 1 / 8000, questions, 50_000, source))


def test_the_interval_of_a_value_is_plain_and_its_standard_error_is_half_of_that() -> None:
    found = planned(ABOVE, MEAN, MEDIAN)
    for question in (MEAN, MEDIAN):
        assert found.plain_half_width(question) == pytest.approx(1.96 * found.expected(question), rel=1e-3)
    assert found.plain_half_width(ABOVE) == found.plain["above"]


def test_the_rows_for_machines_have_units_for_all_but_shares() -> None:
    rows = {row["name"]: row for row in question_documents(planned(ABOVE, MEAN, MEDIAN))}
    assert [rows[name]["unit"] for name in ("above", "mean", "median")] == [None, "USD", "USD"]
    assert all(row["plain_half_width_expected"] > row["standard_error_expected"] for row in rows.values())


def test_a_plan_counts_questions_and_not_only_those_about_shares() -> None:
    assert "answers all 3 questions" in planned(ABOVE, MEAN, MEDIAN).why


def test_a_notebook_has_a_dash_where_there_is_no_number() -> None:
    shown = notebook_html(planned(ABOVE, MEAN, MEDIAN))
    assert "nan" not in shown
    assert "<td>–</td>" in shown
    assert "plain ±" in shown


def test_large_errors_are_said_in_words() -> None:
    assert in_units(MEAN, 6.2e9).replace(NARROW, " ") == "6.2 billion USD"
    assert in_units(MEAN, float("nan")) == "–"


def test_what_the_edges_leave_is_never_said_to_be_what_is_wanted() -> None:
    first, _ = Needs(0.01, None, None, 0.010004).sentences(planned(ABOVE, MEAN, MEDIAN))
    assert "plain ± 1 point" in first
    assert "plain answers to ± 1.01." in first


def test_a_target_for_a_survey_without_shares_is_named_in_the_refusal() -> None:
    with pytest.raises(gp.InvalidParameter, match="Got '2 points' instead"):
        planned(MEAN).needs(0.02)


def test_plain_answers_need_more_people_than_soft_ones() -> None:
    found = planned(ABOVE, MEAN, MEDIAN)
    people = found.needs(0.02).people
    assert people is not None
    assert people > 5 * found.plan.people_for(0.02, found.option)
    assert people == found.people_for(0.02)


def test_a_plan_says_how_many_tables_it_compiles() -> None:
    assert tables_of((ABOVE,), 1 / 8000) == 1
    assert tables_of((ABOVE, MEAN), 1 / 8000) == tables_of((ABOVE, ABOVE), 1 / 8000) == 0


def test_a_large_epsilon_for_a_quantile_takes_a_coarser_grid_and_a_larger_one_is_named() -> None:
    source = gp.Source(("income",), (0.0,), (2e6,))
    fine = gp.Survey("incomes", USD, 1.0, (MEDIAN,), 50_000, source)
    lattice = grid_of(fine, workload_of(fine))
    assert 0.05 < lattice.step <= 0.5
    with pytest.raises(gp.InvalidParameter, match="'epsilon' parameter of plan must be at most about 1 per"):
        gp.plan(replace(fine, epsilon=100.0), yes=True)


def test_the_floor_of_quantiles_is_of_reports_that_are_unbiased_in_the_public_range() -> None:
    survey = gp.Survey("incomes", USD, 1 / 8000, (MEDIAN,), 50_000, gp.Source(("income",), (0.0,), (2e6,)))
    ends = workload_of(survey).ends
    assert ends is not None
    assert np.ravel(ends).tolist() == [0.0, 2e6]
