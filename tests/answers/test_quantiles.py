"""Quantiles of the plain distribution: intervals that hold for every population, heaps included."""

from __future__ import annotations

import numpy as np
import pytest

import geopriv as gp
from geopriv.answers import Answer
from geopriv.commands.populations import income_quantiles
from geopriv.mechanisms.lattice.moments import interpolant
from geopriv.mechanisms.lattice.steps import Reading, risen
from geopriv.pages.forms import form_of
from geopriv.reports.files import ReportBatch
from geopriv.spaces.checks import FloatArray
from geopriv_paper.benchmarks.values import plain_quantiles, quantile_intervals
from tests.surveys.files import LINE, LOG

USD = gp.Line("USD")
LATTICE = gp.Lattice.calibrate(USD, "1 per 8,000 USD", step=800.0)
QUARTILES = gp.Quantile("quartiles", (0.25, 0.5, 0.75), USD, 0.0, 2e6, reach=6400.0, of="income")


def answered(
    question: gp.Quantile, values: FloatArray, lattice: gp.Lattice = LATTICE, confidence: float = 0.95
) -> Answer:
    design = gp.Design("incomes", (lattice,), questions=(question,), source=gp.Source((), *question.limits))
    reports = lattice.simulate(values, np.random.default_rng(2)).values
    tally = gp.Tally(design)
    tally.add(ReportBatch(0, reports.astype(np.int64)[:, None]))
    return gp.estimate(design, tally, confidence=confidence).answers[0]


def heaps() -> tuple[FloatArray, FloatArray]:
    """A third of people at 60,000 exactly, a fifth at 90,400, the others spread; quantiles are on heaps and beside."""
    values = np.concatenate([np.full(3_000, 60_000.0), np.full(1_800, 90_400.0), income_quantiles(4_200)])
    return values, np.full(values.size, 1 / values.size)


def test_a_step_bends_as_little_as_it_can_and_its_ends_are_0_and_1() -> None:
    for cells in (2, 3, 8, 15):
        step = risen(cells)
        assert step[0] == 0
        assert step[-1] == 1
        wide = np.concatenate([[0.0], step, [1.0]])
        assert np.abs(np.diff(wide, 2)).max() <= 4 / cells**2 + 1e-12


@pytest.mark.parametrize("values", [income_quantiles(500), heaps()[0]], ids=["spread", "heaps"])
def test_the_curve_and_its_shift_hold_the_share_above_every_cell(values: FloatArray) -> None:
    """In expectation, without noise: M(k) ≤ P(x > t) and P(x ≥ t) ≤ M(k − m), for cells t, which some people are on."""
    reading = Reading.of(LATTICE, 6400.0, 0.0, 2e6)
    values = np.clip(np.concatenate([values, reading.points(np.arange(60, 130, dtype=np.float64))]), 0.0, 2e6)
    means, _ = reading.curve(reading.law(values, np.full(values.size, 1 / values.size)), 10)
    cells = np.arange(reading.edge, reading.size)
    at = reading.points((cells + reading.first).astype(np.float64))
    beyond, here = ((values > at[:, None]).mean(axis=1), (values >= at[:, None]).mean(axis=1))
    assert (means[cells] <= beyond + 1e-9).all()
    assert (here <= means[cells - reading.edge] + 1e-9).all()
    assert (here > beyond).sum() >= 70


def test_curves_are_those_of_the_stencil_on_the_step_cell_by_cell() -> None:
    """Means and variances from counts are those of contributions one by one, and their mean is the interpolant."""
    reading = Reading.of(LATTICE, 4000.0, 20_000.0, 60_000.0)
    step, k = risen(reading.edge), reading.first + 20

    def after(cells: FloatArray) -> FloatArray:
        return np.asarray(np.interp(cells[..., 0] - k, np.arange(step.size), step))

    reports = np.random.default_rng(0).integers(-50, 200, 3_000).astype(np.float64)
    c = LATTICE.curvature
    shares = (1 + 2 * c) * after(reports[:, None]) - c * (after(reports[:, None] - 1) + after(reports[:, None] + 1))
    rows, times = np.unique(reports.astype(np.int64), return_counts=True)
    means, variances = reading.curve(reading.counted(gp.mechanisms.counts.Counts(rows[:, None], times)), 3_000)
    assert means[20] == pytest.approx(shares.mean(), abs=1e-10)
    assert variances[20] == pytest.approx(shares.var(ddof=1), rel=1e-9)
    person = np.array([[31_234.0]])
    lower, share = LATTICE.place(person)
    expected, _ = reading.curve(reading.law(person[0], np.ones(1)), 2)
    assert expected[20] == pytest.approx(float(interpolant(after, lower, share)[0]), abs=1e-9)
    assert reading.spread >= shares.max() - shares.min() - 1e-12


@pytest.mark.parametrize("level", [0.2, 0.4, 0.5, 0.62, 0.8])
def test_intervals_hold_for_a_population_with_heaps_and_soft_ones_do_not(level: float) -> None:
    """2,000 surveys of 20,000 people: 95 % less four standard errors of that share. Planted fault: soft intervals."""
    values, weights = heaps()
    question = gp.Quantile("one", (level,), USD, 0.0, 2e6, reach=6400.0)
    found = quantile_intervals(LATTICE, question, values, weights, 20_000, 2_000, np.random.default_rng(7))
    assert found.covered.min() > 0.93


def test_intervals_of_a_wide_soft_curve_miss_the_plain_quantile() -> None:
    """The planted fault: with edges of 4/ε, taken for the truth, most of 500 surveys are wrong; brackets are right."""
    values, weights = heaps()
    wide = gp.Quantile("wide", (0.2, 0.4, 0.62), USD, 0.0, 2e6, reach=32_000.0)
    given = (values, weights, 20_000, 500)
    soft = quantile_intervals(LATTICE, wide, *given, np.random.default_rng(7), soft=True)
    assert soft.covered.min() < 0.2
    assert quantile_intervals(LATTICE, wide, *given, np.random.default_rng(7)).covered.min() > 0.93


def test_quantiles_beyond_which_hardly_anybody_is_hold_too() -> None:
    """2,000 surveys of 50 and 500 people: 95 % less four standard errors. Fault: the variance of the reports alone."""
    values, weights = income_quantiles(20_000), np.full(20_000, 1 / 20_000)
    far = gp.Quantile("far", (0.01, 0.9, 0.99, 0.998), USD, 0.0, 2e6, reach=12_000.0)
    for n in (50, 500):
        found = quantile_intervals(LATTICE, far, values, weights, n, 2_000, np.random.default_rng(7))
        assert found.covered.min() > 0.93
    reading = Reading.of(LATTICE, far.reach, 0.0, 2e6)
    law = reading.law(values, weights)
    means, variances = reading.curve(np.random.default_rng(7).multinomial(500, law, 2_000).astype(np.float64), 500)
    half = 1.96 * np.sqrt(variances / 500)
    low, high = (reading.points(end) for end in reading.inverted(means - half, means + half, 1 - 0.998))
    truth = plain_quantiles(values, weights, (0.998,))
    assert ((low <= truth) & (truth <= high)).mean() < 0.9


def test_plain_quantiles_are_the_least_values_that_enough_people_are_at_or_below() -> None:
    values, weights = np.array([3.0, 1.0, 2.0, 2.0]), np.full(4, 0.25)
    assert plain_quantiles(values, weights, (0.25, 0.26, 0.5, 0.75, 0.99)).tolist() == [1.0, 2.0, 2.0, 2.0, 3.0]


def test_an_answer_has_the_plain_interval_a_longer_finite_one_and_a_soft_value_between() -> None:
    values = np.random.default_rng(1).lognormal(11.5, 0.8, 20_000)
    answer = answered(QUARTILES, values)
    plain, finite = answer.plain, answer.finite
    assert plain is not None
    assert finite is not None
    truth = np.quantile(values, QUARTILES.levels)
    assert (plain.low < truth).all()
    assert (truth < plain.high).all()
    assert (finite.low <= plain.low).all()
    assert (plain.high <= finite.high).all()
    assert ((plain.low < answer.estimates.values) & (answer.estimates.values < plain.high)).all()
    assert not answer.estimates.unbiased
    assert answered(QUARTILES, values, confidence=0.5).plain.low[1] >= plain.low[1]  # type: ignore[union-attr]


def test_answers_from_counts_are_those_of_the_benchmark() -> None:
    """One survey of the same cells, by both paths."""
    values = np.random.default_rng(1).lognormal(11.5, 0.8, 4_000)
    answer = answered(QUARTILES, values)
    reading = Reading.of(LATTICE, QUARTILES.reach, 0.0, 2e6)
    reports = LATTICE.simulate(values, np.random.default_rng(2)).values.astype(np.int64)
    rows, times = np.unique(reports, return_counts=True)
    means, variances = reading.curve(reading.counted(gp.mechanisms.counts.Counts(rows[:, None], times)), 4_000)
    half = 1.959963984540054 * np.sqrt(np.maximum(variances, 0.25) / 4_000)
    low, high = reading.inverted(means - half, means + half, 0.5)
    assert answer.plain is not None
    assert (answer.plain.low[1], answer.plain.high[1]) == pytest.approx(tuple(reading.points(np.array([low, high]))))


@pytest.mark.parametrize(
    ("value", "figure", "text"),
    [
        (-1e6, "At most", "at most"),
        (1e9, "At least", "at least"),
        (5e4, "The median income is between these two values", " to "),
    ],
)
def test_an_interval_that_reaches_to_the_end_of_the_range_is_said_as_open(value: float, figure: str, text: str) -> None:
    median = gp.Quantile("median income", (0.5,), USD, 0.0, 2e5, 6400.0, "income")
    answer = answered(median, np.clip(np.full(5_000, value), 0.0, 2e5))
    assert figure in answer._repr_html_()
    (line,) = form_of(median).lines(answer)
    assert text in line
    assert "USD" in line


def test_three_reports_cannot_tell_a_median() -> None:
    median = gp.Quantile("median income", (0.5,), USD, 0.0, 2e5, 6400.0)
    answer = answered(median, np.array([20_000.0, 100_000.0, 180_000.0]))
    assert "cannot tell the median" in answer._repr_html_()
    assert "cannot be told" in form_of(median).lines(answer)[0]


def test_on_a_log_space_quantiles_are_values() -> None:
    survey = gp.Survey.parse(LOG + '[[query]]\nkind = "quantile"\nlevels = [0.5, 0.9]\n')
    plan = gp.plan(survey)
    (question,) = [question for question in plan.design.questions if question.form == "quantile"]
    values = np.random.default_rng(1).lognormal(11.5, 0.8, 20_000)
    lattice = plan.design.mechanisms[0]
    assert isinstance(question, gp.Quantile)
    assert isinstance(lattice, gp.Lattice)
    answer = answered(question, values, lattice)
    assert answer.plain is not None
    assert (answer.plain.low < np.quantile(values, (0.5, 0.9))).all()
    assert (np.quantile(values, (0.5, 0.9)) < answer.plain.high).all()


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ("level = 0.5\nlevels = [0.5]", "'level' must be left out where 'levels' are given"),
        ("levels = [0.5, 0.5]", "'levels' must be at most 100 increasing numbers between 0 and 1"),
        ("level = 1.0", "'level' must be a share between 0 and 1"),
        ('reach = "2 km"', "'reach'"),
    ],
)
def test_what_is_no_quantile_is_refused(keys: str, reason: str) -> None:
    with pytest.raises(gp.InvalidParameter, match=reason):
        gp.Survey.parse(LINE + f'[[query]]\nkind = "quantile"\n{keys}\n')


def test_a_quantile_survives_a_design_and_must_have_a_reach_to_be_answered() -> None:
    source = gp.Source((), *QUARTILES.limits)
    design = gp.Design("incomes", (LATTICE,), questions=(QUARTILES,), source=source)
    assert gp.Design.parse(design.to_bytes()).questions == (QUARTILES,)
    open_reach = gp.Quantile("median", (0.5,), USD, 0.0, 2e6)
    with pytest.raises(gp.InvalidParameter, match="chosen by `plan`"):
        answered(open_reach, np.ones(5))
    with pytest.raises(gp.InvalidParameter, match="at least two cells"):
        answered(gp.Quantile("median", (0.5,), USD, 0.0, 2e6, reach=800.0), np.ones(5))
    with pytest.raises(gp.InvalidParameter, match="asked in a design"):
        gp.estimate(LATTICE, np.ones(5), QUARTILES)
    with pytest.raises(gp.InvalidParameter, match="answered by one of its mechanisms"):
        gp.Design("t", (gp.Table.calibrate(gp.Threshold(0.0, 2.0, USD), 1.0),), questions=(QUARTILES,), source=source)


@pytest.mark.parametrize(
    ("high", "reach", "reason"),
    [
        (2e6, 1e9, "'reach' .* at most 4,096 cells of the grid, 3.2768e\\+06"),
        (2e6, 1e308, "'reach' .* at most 4,096 cells"),
        (3e9, 3e5, "'reach' .* at most 286 cells of the grid"),
        (6e9, 6400.0, "'high' .* at most 4,194,304 cells of 800 above low"),
        (1e308, 6400.0, "'high' .* at most 4,194,304 cells of 800 above low"),
    ],
)
def test_a_design_that_would_keep_the_analyst_waiting_is_refused(high: float, reach: float, reason: str) -> None:
    with pytest.raises(gp.InvalidParameter, match=reason):
        answered(gp.Quantile("some", (0.25, 0.5), USD, 0.0, high, reach=reach), np.ones(5))


def test_more_quantiles_than_a_hundred_are_refused() -> None:
    levels = tuple((np.arange(101) + 0.5) / 101)
    with pytest.raises(gp.InvalidParameter, match="at most 100 increasing"):
        gp.Quantile("many", levels, USD, 0.0, 2e6)
    assert gp.Quantile("many", levels[1:], USD, 0.0, 2e6).shape == (100,)


def _plan(people: int, *questions: gp.queries.Question) -> gp.surveys.SurveyPlan:
    prior, source = gp.Prior.sample(income_quantiles(2_000)), gp.Source(("income",), (0.0,), (2e6,))
    return gp.plan(gp.Survey("incomes", USD, 1 / 8000, questions, people, source, prior))


def test_the_plan_fixes_a_reach_that_is_wider_for_fewer_people() -> None:
    median = gp.Quantile("median", (0.5,), USD, 0.0, 2e6)
    few, many = (_plan(people, median).design.questions[0] for people in (2_000, 200_000))
    assert isinstance(few, gp.Quantile)
    assert isinstance(many, gp.Quantile)
    assert few.reach > 8_000 > many.reach > 3_000
    given = gp.Quantile("median", (0.5,), USD, 0.0, 2e6, reach=10_000.0)
    assert _plan(2_000, given).design.questions == (given,)


def test_without_a_prior_the_reach_is_that_of_the_number_of_people_and_a_range_of_too_many_cells_is_refused() -> None:
    source = gp.Source(("income",), (0.0,), (2e6,))
    median = gp.Quantile("median", (0.5,), USD, 0.0, 2e6)
    fixed = gp.plan(gp.Survey("incomes", USD, 1 / 8000, (median,), 20_000, source)).design.questions[0]
    assert isinstance(fixed, gp.Quantile)
    assert fixed.reach == pytest.approx(8_000, abs=400)
    wide = gp.Quantile("median", (0.5,), USD, 0.0, 1e12, reach=8_000.0)
    with pytest.raises(gp.InvalidParameter, match="too many for their range"):
        gp.plan(gp.Survey("incomes", USD, 1 / 8000, (wide,), 20_000, source))


@pytest.mark.parametrize("people", [2_000, 50_000])
def test_the_predicted_interval_is_about_as_long_as_those_that_are_found(people: int) -> None:
    """Within 12 %: both are means over surveys, 32 and 200, of lengths that vary by some 20 %."""
    plan = _plan(people, gp.Quantile("median", (0.5,), USD, 0.0, 2e6))
    (question,), (lattice,) = plan.design.questions, plan.design.mechanisms
    assert isinstance(question, gp.Quantile)
    assert isinstance(lattice, gp.Lattice)
    values = income_quantiles(2_000)
    rng = np.random.default_rng(3)
    found = quantile_intervals(lattice, question, values, np.full(2_000, 1 / 2_000), people, 200, rng)
    assert plan.half_width(question) == pytest.approx(float(found.half[0]), rel=0.12)
