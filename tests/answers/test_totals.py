"""Totals: a share or a mean times a public number, in people or in the unit of values."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

import geopriv as gp
from geopriv.answers import Answer, Answers
from geopriv.answers.comparison import compare
from geopriv.commands.plan import print_plan
from geopriv.commands.populations import income_quantiles
from geopriv.device.files import canonical
from geopriv.pages.comparison import comparison_text
from geopriv.pages.forms import form_of
from geopriv.reports.files import ReportBatch
from tests.surveys.files import LINE, LOG

TOTALS = """[prior]
kind = "lognormal"
median = 90_000
sigma = 0.8
[[query]]
kind = "total"
number = 1_000_000
[[query]]
kind = "total"
name = "rich"
number = 1_000_000
at = 100_000
[[query]]
kind = "mean"
[[query]]
name = "share"
kind = "threshold"
at = 100_000
"""
SURVEY = LINE.split("[[query]]", maxsplit=1)[0] + TOTALS


def answers(n: int = 20_000) -> tuple[Answers, gp.surveys.SurveyPlan]:
    plan = gp.plan(gp.Survey.parse(SURVEY))
    design = plan.design
    reports = design.mechanisms[0].simulate(people(n), np.random.default_rng(2)).values
    tally = gp.Tally(design)
    tally.add(ReportBatch(0, reports.astype(np.int64)[:, None]))
    return gp.estimate(design, tally, consistent=True), plan


def people(n: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.random.default_rng(1).choice(income_quantiles(4_000), n)


def _ends(answer: Answer) -> tuple[float, float]:
    assert answer.plain is not None
    return float(answer.plain.low), float(answer.plain.high)


def test_totals_are_the_number_times_what_is_estimated_and_hold_the_truth() -> None:
    found, _ = answers()
    total, rich = found["total income"], found["rich"]
    assert total.estimates.values == pytest.approx(1e6 * found["mean income"].estimates.values)
    assert total.estimates.standard_errors == pytest.approx(1e6 * found["mean income"].estimates.standard_errors)
    assert rich.estimates.values == pytest.approx(1e6 * found["share"].estimates.values)
    assert _ends(rich) == pytest.approx(tuple(1e6 * end for end in _ends(found["share"])))
    assert rich.finite is not None
    assert total.finite is not None
    mean = found["mean income"].finite
    assert mean is not None
    assert (total.finite.low, total.finite.high) == pytest.approx((1e6 * mean.low, 1e6 * mean.high))
    truth = 1e6 * float((people(20_000) >= 100_000).mean())
    assert _ends(rich)[0] < truth < _ends(rich)[1]
    sums = 1e6 * float(people(20_000).clip(0, 2e6).mean())
    assert _ends(total)[0] < sums < _ends(total)[1]


def test_a_total_says_what_it_counts_and_the_number_that_it_rests_on() -> None:
    found, _ = answers()
    page = found["rich"]._repr_html_()
    assert "people</strong> are at or above 100,000" in page
    assert "1,000,000 people, a public number" in page
    assert "of the line in part" in page
    whole = found["total income"]._repr_html_()
    assert "is the total income of 1,000,000 people" in whole
    assert "holds for any number of reports" in whole
    plain, soft = form_of(found["rich"].question).lines(found["rich"])
    assert plain.endswith(" people (95 % confidence)")
    assert soft.startswith("  Counting people within 16,000 USD of the line in part: ")
    assert "; off by at most" in str(found)
    written = canonical(found.to_document())
    assert canonical(Answers.from_document(json.loads(written)).to_document()) == written


def test_a_plan_says_totals_in_people_and_in_the_unit() -> None:
    _, plan = answers(2_000)
    console = Console(file=io.StringIO(), width=120)
    print_plan(console, plan)
    told = console.file.getvalue()  # type: ignore[attr-defined]
    assert " people" in told
    total, mean = (plan.half_width(plan.survey.questions[k]) for k in (0, 2))
    assert total == pytest.approx(1e6 * mean)
    assert not plan.survey.questions[1].valued
    assert plan.expected(plan.survey.questions[1]) == pytest.approx(1e6 * plan.expected(plan.survey.questions[3]))
    assert " people</td>" in plan._repr_html_()


def test_two_waves_of_totals_means_and_quantiles_are_compared_in_their_units() -> None:
    found, _ = answers()
    text = comparison_text(compare(found, replace(found, n=found.n + 1)))
    assert "nan" not in text
    changes = text.split("rich (95 % confidence):")[1].splitlines()
    assert changes[1].endswith(" people")
    assert "    0 people (−" in changes[3]
    assert "USD" in text.split("mean income (95 % confidence):")[1].splitlines()[1]


@pytest.mark.parametrize(
    ("survey", "keys", "reason"),
    [
        (LINE, "number = 0", "'number'"),
        (LINE, "number = 5\nwidth = 3", "'width' must be left out without 'at'"),
        (LINE, 'number = 5\nat = 10\naxis = "income"', "'at' must be left out with 'axis'"),
        (LOG, "number = 5", "'at' must be given on a log space"),
    ],
)
def test_what_is_no_total_is_refused(survey: str, keys: str, reason: str) -> None:
    with pytest.raises(gp.InvalidParameter, match=reason):
        gp.Survey.parse(survey + f'[[query]]\nkind = "total"\n{keys}\n')


def test_a_total_of_a_mechanism_is_refused_and_a_made_consistent_one_stays_in_its_bounds() -> None:
    question = gp.queries.Total("above", 50.0, gp.Threshold(0.0, 2.0))
    lattice = gp.Lattice.calibrate(gp.Line(), 1.0)
    with pytest.raises(gp.InvalidParameter, match="asked in a design"):
        gp.estimate(lattice, np.ones(5), question)
    tally = gp.Tally(gp.Design("t", (lattice,), questions=(question,)))
    tally.add(ReportBatch(0, np.array([[4], [-4], [-20]])))
    answer = gp.estimate(tally.design, tally, consistent=True).answers[0]
    assert answer.consistent is not None
    assert 0 <= answer.consistent <= 50
