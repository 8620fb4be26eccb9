"""Covariances of two axes: unbiased from one report, with intervals that hold."""

from __future__ import annotations

import numpy as np
import pytest

import geopriv as gp
from geopriv.commands.expectations import in_units
from geopriv.pages.forms import form_of
from geopriv.queries import Covariance
from geopriv.reports.files import ReportBatch
from geopriv.spaces.checks import FloatArray
from tests.answers.test_means import PLANE

USD = gp.Plane("USD")
BOTH = Covariance("covariance", USD, of=("income", "debt"))
LATTICE = gp.Lattice.calibrate(USD, "1 per 8,000 USD", step=800.0)


def answered(design: gp.Design, people: FloatArray, seed: int) -> gp.answers.Answer:
    tally = gp.Tally(design)
    reports = design.mechanisms[0].simulate(people, np.random.default_rng(seed)).values
    tally.add(ReportBatch(0, reports.astype(np.int64)))
    return gp.estimate(design, tally).answers[-1]


def drawn(n: int, rng: np.random.Generator) -> FloatArray:
    z = rng.standard_normal((n, 2)) @ np.array([[1.0, 0.6], [0.0, 0.8]])
    return np.asarray(50_000 + 12_000 * z)


def test_intervals_of_a_covariance_hold_as_often_as_they_say_and_shorter_ones_do_not() -> None:
    """400 surveys of 1,000 people: 95 % ± four standard errors, 4.4 points; of 0.7 of the length some 83 %."""
    design, rng, truth = gp.Design("two", (LATTICE,), questions=(BOTH,)), np.random.default_rng(3), 0.6 * 12_000**2
    found = [answered(design, drawn(1_000, rng), seed).estimates[()] for seed in range(400)]
    ratio = np.array([abs(one.value - truth) / (one.high - one.value) for one in found])
    assert 0.906 < (ratio <= 1).mean() < 0.994
    assert (ratio <= 0.7).mean() < 0.9
    values = np.array([one.value for one in found])
    assert values.mean() == pytest.approx(truth, abs=4 * values.std() / 20)


def test_a_survey_asks_for_it_beside_the_means_and_the_plan_predicts_it() -> None:
    """The stated error is within 15 % of the prediction, for people spread evenly over the range."""
    survey = gp.Survey.parse(PLANE + "covariance = true\n")
    plan = gp.plan(survey)
    question = survey.questions[-1]
    assert [q.name for q in survey.questions] == ["mean income", "mean debt", "covariance of income and debt"]
    people = np.random.default_rng(4).uniform((0, 0), (1_000_000, 500_000), (20_000, 2))
    answer = answered(plan.design, people, 5)
    assert plan.half_width(question) == pytest.approx(1.96 * float(answer.estimates.standard_errors), rel=0.15)
    assert abs(float(answer.estimates.values)) < 4 * float(answer.estimates.standard_errors)
    assert in_units(question, plan.expected(question)).endswith("USD²")
    assert "cannot be told from zero" in answer._repr_html_()
    assert "USD²" in form_of(question).lines(answer)[0]
    assert gp.Design.parse(plan.design.to_bytes()).questions == plan.design.questions


@pytest.mark.parametrize("keys", ["axis = 0", "weights = [1, 1]"])
def test_a_covariance_of_one_axis_is_refused(keys: str) -> None:
    with pytest.raises(gp.InvalidParameter, match="'covariance' must be left out"):
        gp.Survey.parse(PLANE + f"covariance = true\n{keys}\n")
    with pytest.raises(gp.InvalidParameter, match="'axes'"):
        Covariance("none", USD, (1, 1))
    with pytest.raises(gp.InvalidParameter, match="asked in a design"):
        gp.estimate(LATTICE, np.ones((3, 2)), BOTH)
