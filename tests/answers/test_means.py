"""Means of values: unbiased, in the unit, with intervals that hold as often as they say."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

import geopriv as gp
from geopriv.answers import Answer, Answers
from geopriv.answers.intervals import bernstein_reach
from geopriv.commands.plan import plan_document, print_plan
from geopriv.commands.populations import income_quantiles
from geopriv.pages.amounts import amount_of
from geopriv.reports.files import ReportBatch
from geopriv.spaces.checks import FloatArray
from tests.surveys.files import LINE, LOG

USD, RATE = gp.Line("USD"), "1 per 8,000 USD"
MEAN = gp.Mean("mean income", USD, of="income", low=(0.0,), high=(2e6,))
RANGE = gp.Source(("income",), (0.0,), (2e6,))
ABOVE = gp.Share("above 100,000", gp.Threshold(100_000.0, 32_000.0, USD, "smooth"))
PLANE = """name = "Debts"
epsilon = 1.0
per = "8,000 USD"
people = 20_000
[space]
kind = "plane"
unit = "USD"
columns = ["income", "debt"]
range = [[0, 1_000_000], [0, 500_000]]
[[query]]
kind = "mean"
"""


def answered(design: gp.Design, values: FloatArray, consistent: bool = False) -> Answers:
    """What a design's one lattice answers of simulated reports."""
    reports = design.mechanisms[0].simulate(values, np.random.default_rng(2)).values
    tally = gp.Tally(design)
    tally.add(ReportBatch(0, reports.astype(np.int64).reshape(len(values), -1)))
    return gp.estimate(design, tally, consistent=consistent)


def of_incomes(n: int = 20_000) -> tuple[Answer, float]:
    """The answer to MEAN, and the truth."""
    values = np.random.default_rng(1).lognormal(11.5, 0.8, n).clip(0, 2e6)
    lattice = gp.Lattice.calibrate(USD, RATE, step=160.0)
    design = gp.Design("incomes", (lattice,), questions=(MEAN,), source=RANGE)
    return answered(design, values).answers[0], float(values.mean())


def test_intervals_of_a_mean_hold_as_often_as_they_say_and_shorter_ones_do_not() -> None:
    """2,000 surveys of 400 people: 95 % of intervals ± four standard errors of that share, 1.9 points."""
    lattice = gp.Lattice.calibrate(USD, RATE, step=800.0)
    rng, people = np.random.default_rng(5), income_quantiles(10_000)
    cells = lattice.simulate(rng.choice(people, (2_000, 400)), rng).values
    contributions = lattice.at_cells(cells.reshape(-1, 1), MEAN.query).reshape(cells.shape)
    means, errors = contributions.mean(axis=1), contributions.std(axis=1, ddof=1) / 20
    ratio = np.abs(means - people.mean()) / (1.96 * errors)
    # incomes are lopsided, which costs a normal interval some two points at 400 people
    assert 0.91 < (ratio <= 1).mean() < 0.969
    assert (ratio <= 0.8).mean() < 0.91
    assert means.mean() == pytest.approx(people.mean(), abs=4 * means.std() / np.sqrt(2_000))


def test_a_report_is_the_value_and_noise_of_two_over_epsilon_squared() -> None:
    lattice = gp.Lattice.calibrate(USD, RATE, step=160.0)
    at = np.array([50_000.0, 50_080.0])
    assert lattice.target(at, MEAN.query) == pytest.approx(at, rel=1e-12)
    assert lattice.largest_bias(MEAN.query) == 0
    rounding = (
        np.array([0.0, 0.25])
        if lattice.place(at)[1][0] == 0
        else np.prod([lattice.place(at)[1], 1 - lattice.place(at)[1]], axis=0)
    )
    expected = 160.0**2 * (2 * lattice.curvature + rounding)
    assert lattice.variance(at, MEAN.query) == pytest.approx(expected, rel=1e-6)
    assert expected / 8000**2 == pytest.approx(2.04, rel=0.01)


def test_a_mean_is_answered_in_its_unit_with_a_plain_interval_and_no_band() -> None:
    answer, truth = of_incomes()
    assert answer.plain is not None
    assert answer.plain.low < truth < answer.plain.high
    assert answer.estimates.unbiased
    assert answer.band is None


@pytest.mark.parametrize(("n", "rare"), [(100, 0.01), (1_000, 0.001)])
def test_the_interval_for_any_number_of_reports_holds_for_few_very_large_values_and_the_normal_one_does_not(
    n: int, rare: float
) -> None:
    """300 surveys: of intervals that hold for sure nearly all do. Planted: the normal one, held in two thirds."""
    lattice, rng = gp.Lattice.calibrate(USD, RATE, step=800.0), np.random.default_rng(11)
    design = gp.Design("incomes", (lattice,), questions=(MEAN,), source=RANGE)
    truth, held = 50_000 + rare * 1.95e6, []
    for _ in range(300):
        values = np.where(rng.random(n) < rare, 2e6, 50_000.0)
        tally = gp.Tally(design)
        tally.add(ReportBatch(0, lattice.simulate(values, rng).values.astype(np.int64)[:, None]))
        answer = gp.estimate(design, tally).answers[0]
        bands = (answer.finite, answer.plain)
        held.append([band is not None and bool(band.low <= truth <= band.high) for band in bands])
    finite, normal = np.mean(held, axis=0)
    assert finite >= 0.95
    assert normal < 0.8


def test_on_ordinary_values_it_is_longer_than_the_normal_one_and_within_the_range() -> None:
    answer, truth = of_incomes()
    assert answer.plain is not None
    assert answer.finite is not None
    assert 0 < answer.finite.low < answer.plain.low < truth < answer.plain.high < answer.finite.high < 2e6
    assert answer.finite.high - answer.finite.low < 3 * (answer.plain.high - answer.plain.low)
    few = of_incomes(3)[0].finite
    assert few is not None
    assert (float(few.low), float(few.high)) == (0.0, 2e6)


def test_its_half_is_the_bernstein_bound_of_the_range_and_of_noise_that_is_cut_off() -> None:
    lattice = gp.Lattice.calibrate(USD, RATE, step=160.0)
    answer, _ = of_incomes()
    assert answer.finite is not None
    cells = 12_500 + 2 * lattice.noise_reach(20_000, 0.005)
    variance = answer.estimates.standard_errors**2 * 20_000
    half = bernstein_reach(variance, 20_000, np.asarray(160.0 * cells), 0.955)
    assert (answer.finite.high - answer.finite.low) / 2 == pytest.approx(float(half), rel=1e-9)


@pytest.mark.parametrize(("n", "chance"), [(2, 0.5), (1_000, 0.005), (10**6, 1e-4)])
def test_noise_is_beyond_its_reach_as_rarely_as_is_said_and_no_reach_is_shorter(n: int, chance: float) -> None:
    lattice = gp.Lattice.calibrate(gp.Plane("USD"), 1.0, step=0.5, noise="product")
    far = lattice.noise_reach(n, chance)
    beyond = [1 - sum(lattice.noise_probability(m) for m in range(-r, r + 1)) for r in (far, far - 1)]
    assert 2 * n * beyond[0] <= chance < 2 * n * beyond[1]


def test_without_a_range_no_interval_holds_for_any_number_of_reports() -> None:
    design = gp.Design("incomes", (gp.Lattice.calibrate(USD, RATE),), questions=(gp.Mean("mean", USD),))
    answer = answered(design, income_quantiles(500)).answers[0]
    assert answer.finite is None
    assert "Without a public range" in answer._repr_html_()


def test_a_mean_is_said_as_a_sentence_with_its_range() -> None:
    answer, _ = of_incomes()
    page, text = answer._repr_html_(), str(gp.pages.forms.form_of(MEAN).lines(answer)[0])
    assert "is the mean income" in page
    assert "USD</strong>" in page
    assert "values outside count as its ends" in page
    assert "rests on the normal law" in page
    assert re.search(r"holds for any number of reports \(empirical Bernstein\): 1[23]\d,\d+ to 1[34]\d,\d+", page)
    assert text.startswith("mean income: 13")
    assert "USD (95 % confidence, " in text


def test_a_mean_that_no_values_can_have_is_no_answer() -> None:
    """Of reports that were made up it was 2·10^17 USD, in large type, where incomes end at 2 million."""
    answer, _ = of_incomes()
    for far in (2e17, -9e5, 2.1e6):
        moved = replace(answer.estimates, values=np.asarray(far), standard_errors=np.asarray(1e4))
        wrong = replace(answer, estimates=moved, plain=None)
        page, lines = wrong._repr_html_(), gp.pages.forms.form_of(MEAN).lines(wrong)
        assert "<strong>No possible mean</strong>" in page
        assert "No values within the public range have such a mean" in page
        assert "some of these reports were made up" in lines[1]
    for near in (-1.5e4, 2.015e6):  # within what chance does
        moved = replace(answer.estimates, values=np.asarray(near), standard_errors=np.asarray(1e4))
        assert "possible" not in replace(answer, estimates=moved, plain=None)._repr_html_()


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ((131_237.2, 130_897.0, 131_577.4), ("131,240", "130,890", "131,580")),
        ((-0.01234, -0.0234, 0.00111), ("−0.0123", "−0.0234", "0.0012")),
        ((7.0, 7.0, 7.0), ("7.00", "7.00", "7.00")),
    ],
)
def test_ends_are_rounded_outward(numbers: tuple[float, float, float], said: tuple[str, str, str]) -> None:
    amount = amount_of(*numbers, None)
    assert (amount.value, amount.low, amount.high) == said


def test_on_a_log_space_it_is_the_geometric_mean_and_says_so() -> None:
    survey = gp.Survey.parse(LOG + '[[query]]\nkind = "mean"\nname = "typical income"\n')
    values = np.random.default_rng(1).lognormal(11.5, 0.8, 5_000)
    answer = answered(gp.plan(survey).design, values)["typical income"]
    truth = float(np.exp(np.log(values).mean()))
    assert answer.plain is not None
    assert answer.plain.low < truth < answer.plain.high < values.mean()
    assert answer.finite is not None
    assert answer.finite.low < answer.plain.low
    assert answer.plain.high < answer.finite.high
    assert "is the geometric mean income" in answer._repr_html_()
    assert str(answer).startswith(f"{answer.question.name}, geometric mean: ")
    assert "mean of all logarithms" in answer._repr_html_()


def test_in_the_plane_there_is_a_mean_of_each_axis_of_one_and_of_a_score() -> None:
    survey = gp.Survey.parse(
        PLANE
        + '[[query]]\nkind = "mean"\nname = "what they owe"\naxis = "debt"\n'
        + '[[query]]\nkind = "mean"\nname = "excess"\nweights = [-0.36, 1.0]\n'
    )
    assert [q.name for q in survey.questions] == ["mean income", "mean debt", "what they owe", "excess"]
    people = np.random.default_rng(3).uniform((20_000, 0), (300_000, 90_000), (20_000, 2))
    answers = answered(gp.plan(survey).design, people)
    truths = [*people.mean(axis=0), people[:, 1].mean(), (people @ [-0.36, 1.0]).mean()]
    for answer, truth in zip(answers.answers, truths, strict=True):
        assert abs(answer.estimates.values - truth) < 4 * answer.estimates.standard_errors
        assert answer.finite is not None
        assert answer.finite.low < truth < answer.finite.high
    assert answers["what they owe"].estimates.values == pytest.approx(answers["mean debt"].estimates.values)


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ("axis = 2", "'axis' must be one of the columns income, debt, or a number from 0 to 1"),
        ('axis = "incom"', "'axis' must be one of the columns"),
        ("axis = 0\nweights = [1, 1]", "'axis' must be left out"),
        ("weights = [1]", "'weights' must be 2 numbers"),
        ("weights = [0, 0]", "'weights' must be 2 numbers"),
    ],
)
def test_what_no_axis_has_is_refused(keys: str, reason: str) -> None:
    with pytest.raises(gp.InvalidParameter, match=reason):
        gp.Survey.parse(PLANE + keys + "\n")


def test_weights_on_a_line_are_refused_and_so_is_a_mean_of_places() -> None:
    with pytest.raises(gp.InvalidParameter, match="'weights' must be left out with one axis"):
        gp.Survey.parse(LINE + '[[query]]\nkind = "mean"\nweights = [2.0]\n')
    with pytest.raises(gp.InvalidParameter, match="Line, LogLine, Plane or Euclidean"):
        gp.Mean("middle", gp.LocalPlane(40.5, -74.3, 40.95, -73.65), (1.0, 0.0))


def test_a_mean_survives_a_design_and_refuses_a_range_without_inside() -> None:
    lattice = gp.Lattice.calibrate(USD, RATE)
    design = gp.Design("incomes", (lattice,), questions=(MEAN,), source=RANGE)
    assert gp.Design.parse(design.to_bytes()).questions == (MEAN,)
    with pytest.raises(gp.InvalidParameter, match="'high'"):
        gp.Mean("mean", USD, low=(5.0,), high=(5.0,))
    with pytest.raises(gp.InvalidParameter, match="'of'"):
        gp.Mean("mean", USD, of="<b>")


def test_made_consistent_a_mean_stays_in_the_public_range() -> None:
    values = np.zeros(50)
    design = gp.Design("none", (gp.Lattice.calibrate(USD, RATE),), questions=(MEAN,), source=RANGE)
    answer = answered(design, values, consistent=True).answers[0]
    assert answer.consistent is not None
    assert answer.consistent >= 0
    assert answer.estimates.low < 0  # as it is, it may be below the range, and is unbiased


def _survey(*questions: gp.queries.Question) -> gp.Survey:
    prior = gp.Prior.sample(income_quantiles(2_000))
    return gp.Survey("incomes", USD, 1 / 8000, questions, 20_000, gp.Source(("income",), (0.0,), (2e6,)), prior)


def test_the_predicted_interval_of_a_mean_is_the_one_that_it_gets() -> None:
    """20,000 people: the stated error is within 8 % of the prediction; heavy tails make it vary by some 3 %."""
    plan = gp.plan(_survey(MEAN))
    people = np.random.default_rng(3).choice(income_quantiles(2_000), 20_000)
    stated = answered(plan.design, people).answers[0].estimates
    assert plan.half_width(MEAN) == pytest.approx(1.96 * float(stated.standard_errors), rel=0.08)


def test_errors_of_shares_in_a_plan_are_not_mixed_with_those_of_means() -> None:
    shares = (ABOVE, ABOVE_LESS, ABOVE_MORE)
    alone, both = gp.plan(_survey(*shares)), gp.plan(_survey(*shares, MEAN))
    assert both.design.mechanisms == alone.design.mechanisms
    assert both.error() == pytest.approx(alone.error(), rel=1e-9)
    assert both.plan.people_for(0.01) == alone.plan.people_for(0.01)
    assert both.expected(ABOVE) == pytest.approx(alone.expected(ABOVE), rel=1e-9)
    assert both.expected(MEAN) > 100


ABOVE_LESS = gp.Share("above 50,000", gp.Threshold(50_000.0, 32_000.0, USD, "smooth"))
ABOVE_MORE = gp.Share("above 200,000", gp.Threshold(200_000.0, 32_000.0, USD, "smooth"))


def test_a_plan_shows_a_mean_in_its_unit() -> None:
    plan = gp.plan(_survey(ABOVE, MEAN))
    console = Console(file=io.StringIO(), width=120)
    print_plan(console, plan)
    told = console.file.getvalue()  # type: ignore[attr-defined]
    assert re.search(r"[\d,]+ USD +[\d,]+ USD +[\d,]+ USD", told)  # expected, and at worst
    units = [question["unit"] for question in plan_document(plan)["questions"]]
    assert units == [None, "USD"]
    print_plan(console, gp.plan(_survey(MEAN)))
    assert "standard error in USD (root mean square over all means)" in console.file.getvalue()  # type: ignore[attr-defined]
