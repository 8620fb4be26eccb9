"""What a plan predicts is about the people whom a question concerns, and nobody can make it worse than at worst."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import geopriv as gp
from geopriv.commands.populations import income_quantiles
from geopriv.spaces.words import NARROW
from geopriv.surveys.planning.around import box_around, even_crowd
from geopriv.surveys.planning.crowds import expected_words
from geopriv.surveys.planning.needs import REACH
from geopriv.surveys.planning.targets import needs, read_target, sweep
from geopriv.surveys.planning.workload import Workload
from geopriv.surveys.planning.worst import largest_spread

USD = gp.Line("USD")
HIGH = gp.Share("above 100,000", gp.Threshold(100_000.0, 32_000.0, USD, "smooth"))
MIDDLE = gp.Share("above 200,000", gp.Threshold(200_000.0, 32_000.0, USD, "smooth"))
FAR = gp.Share("above 900,000", gp.Threshold(900_000.0, 32_000.0, USD, "smooth"))
SOURCE = gp.Source(("income",), (0.0,), (2e6,))


def survey(*questions: gp.queries.Question, **changes: object) -> gp.Survey:
    whole = gp.Survey("incomes", USD, 1 / 8000, questions, 100_000, SOURCE)
    return replace(whole, **changes)  # type: ignore[arg-type]


@cache
def planned() -> gp.surveys.SurveyPlan:
    return gp.plan(survey(HIGH, FAR, MIDDLE, prior=gp.Prior.sample(income_quantiles(2_000))))


def test_without_a_prior_a_question_is_predicted_as_if_it_were_alone() -> None:
    """It was once predicted for people spread over a box around all questions."""
    ends = np.array([0.0]), np.array([2e6])
    both = Workload.of((HIGH.query, FAR.query), 1 / 8000, 100, None, (1, 1), ends)
    alone = Workload.of(HIGH.query, 1 / 8000, 100, None, (), ends)
    pooled = Workload.of((HIGH.query, FAR.query), 1 / 8000, 100, None, (), ends)
    assert both.answers[1][0] == pytest.approx(alone.answers[1][0])
    assert pooled.answers[1][0] < 0.5 * both.answers[1][0]
    words = expected_words(survey(HIGH, FAR)).replace(NARROW, " ")
    assert "between 0 and 200,000 USD for 'above 100,000', between 0 and 1,800,000 USD for 'above 900,000'" in words


def test_half_widths_are_those_of_the_option_that_the_design_takes() -> None:
    """They were once those of the best option of the table, which the design may not take."""
    found = planned()
    for option in found.plan.options:
        other = replace(found, option=option)
        errors = REACH * other.standard_errors() + np.abs(option.biases)
        halves = [other.half_width(question) for question in found.survey.questions]
        assert halves == pytest.approx(errors.tolist())


@pytest.mark.parametrize(
    "query", [gp.Threshold(100_000.0, 32_000.0, USD), gp.Range(60_000.0, 180_000.0, 9_000.0, space=USD)]
)
def test_without_a_prior_people_are_the_same_at_every_epsilon(query: gp.queries.Query) -> None:
    """They were once within 3/ε of what is asked, so that every ε had the same share of them in its edge."""
    ends = np.array([0.0]), np.array([2e6])
    near, far = (box_around([query], rate, ends) for rate in (1 / 500, 1 / 8000))
    assert near == far
    assert float(near[0][0]) == 0.0


def test_points_that_stand_for_people_follow_an_edge_that_is_a_millionth_of_their_range() -> None:
    ends = np.array([0.0]), np.array([2e6])
    points, weights = even_crowd([gp.Threshold(100_000.0, 1.0, USD)], 5.0, ends)
    assert weights.sum() == pytest.approx(1.0)
    inside = np.abs(points - 100_000.0) < 0.5
    assert weights[inside].sum() == pytest.approx(1 / 200_000, rel=0.1)  # even points alone have 0 there, or 1/2048


def test_people_even_around_a_border_without_an_end_are_all_over_the_range() -> None:
    ends = np.array([0.0, 0.0]), np.array([2e6, 4e6])
    ratio = gp.Score((-2.0, 1.0), 0.0, 40_000.0, gp.Plane("USD"))
    low, high = box_around([ratio], 1 / 20_000, ends)
    assert (low == ends[0]).all()
    assert (high == ends[1]).all()


@pytest.mark.parametrize("per", [500.0, 8_000.0])
def test_a_plan_at_the_epsilon_for_a_target_confirms_it(per: float) -> None:
    """Without a prior too, where it was once ± 4.6 at every ε."""
    question = gp.Share("above 150,000", gp.Threshold(150_000.0, 4 * per, USD, "smooth"))
    asked = survey(question, FAR, HIGH, epsilon=1 / per, people=50_000)
    wanted = needs(gp.plan(asked), 0.01)
    assert wanted.epsilon is not None
    again = gp.plan(replace(asked, epsilon=wanted.epsilon))
    assert max(again.plain.values()) == pytest.approx(0.01, rel=0.04)


def test_without_a_prior_people_lie_in_the_public_range() -> None:
    low = gp.Share("above 5,000", gp.Threshold(5_000.0, 8_000.0, USD))
    found = gp.plan(survey(low, HIGH))
    assert found.plan.work.crowd(0)[0].min() >= 0


def test_without_a_prior_people_on_a_map_are_even_over_the_region() -> None:
    city = gp.LocalPlane(40.5, -74.26, 40.92, -73.70)
    disc = gp.Share("disc", gp.Blurred(gp.Ball((40.7, -74.0), 3_000.0, 500.0, city), 1_000.0))
    found = gp.plan(gp.Survey("city", city, 1e-3, (disc,), 50_000))
    low, high = city.rectangle
    share = math.pi * 3_000**2 / float(np.prod(high - low))
    assert found.plan.answers[0] == pytest.approx(share, rel=0.1)
    assert "evenly over the region" in expected_words(found.survey)


def test_the_largest_spread_is_that_of_the_best_of_all_pairs() -> None:
    """Against every mixture of two laws; the largest noise alone, without who is asked, is less."""
    rng = np.random.default_rng(5)
    mean, noise = rng.random(40), 0.2 * rng.random(40)
    square, share = noise + mean**2, np.linspace(0, 1, 201)
    first, second = mean[:, None, None], mean[None, :, None]
    squares = share * square[:, None, None] + (1 - share) * square[None, :, None]
    brute = float((squares - (share * first + (1 - share) * second) ** 2).max())
    assert brute <= largest_spread(mean, square) <= brute + 1e-4
    assert noise.max() < 0.8 * brute


def test_no_people_have_a_larger_error_than_at_worst_and_some_have_nearly_that() -> None:
    found, rng = planned(), np.random.default_rng(7)
    lattice = found.design.mechanisms[0]
    largest = 0.0
    for _ in range(300):
        places = rng.uniform(60_000, 140_000, rng.integers(1, 4))
        weights = rng.dirichlet(np.ones(len(places)))
        bias, noise = lattice.moments(places, HIGH.query)
        mean = HIGH.query(places) + bias
        variance = weights @ (noise + mean**2) - (weights @ mean) ** 2
        largest = max(largest, math.sqrt(variance / found.survey.people))
    worst = found.worst(HIGH)
    assert 0.95 * worst < largest <= worst * 1.0001
    assert found.expected(HIGH) <= worst


def test_a_question_about_few_people_is_expected_to_err_less_and_not_at_worst() -> None:
    found = planned()
    assert found.expected(FAR) < 0.3 * found.worst(FAR)
    assert found.worst(FAR) == pytest.approx(found.worst(HIGH), rel=0.05)


def test_a_mean_errs_most_for_people_at_both_ends_of_the_range() -> None:
    mean = gp.queries.Mean("mean", USD, low=(0.0,), high=(2e6,))
    found = gp.plan(survey(mean))
    noise = found.design.mechanisms[0].moments(np.array([0.0, 2e6]), mean.query)[1]
    halves = math.sqrt((noise.mean() + 1e12) / found.survey.people)
    assert found.worst(mean) == pytest.approx(halves, rel=1e-4)
    assert found.expected(mean) < found.worst(mean)
    assert math.isnan(found.worst(gp.queries.Quantile("median", (0.5,), USD, 0.0, 2e6)))  # no bound is known


def test_the_people_for_a_target_are_enough_and_fewer_are_not() -> None:
    found = planned()
    wanted = needs(found, 0.02)
    assert wanted.people is not None
    assert wanted.epsilon is not None
    for people, enough in ((wanted.people, True), (wanted.people // 2, False)):
        again = gp.plan(replace(found.survey, people=people))
        assert (max(again.plain.values()) <= 0.02 * 1.03) is enough
    assert found.survey.epsilon < wanted.epsilon < 4 * found.survey.epsilon
    # one meaning, in Python and on the command line
    assert (found.people_for(0.02), found.epsilon_for(0.02)) == (wanted.people, wanted.epsilon)
    first, second = wanted.sentences(found)
    assert f"{wanted.people:,} people" in first
    assert "with 100,000 people: ε = 1 per" in second


def test_a_target_that_no_people_reach_is_said() -> None:
    wanted = needs(planned(), 0.0005)
    assert wanted.people is None
    assert "No number of people" in wanted.sentences(planned())[0]
    with pytest.raises(gp.InvalidParameter, match=r"above 0\.0.*, which no number of people goes below"):
        planned().people_for(0.0005)


@pytest.mark.parametrize("text", ["1", "0pt", "60pt", "one point", "-1pt", "1 USD"])
def test_a_target_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(gp.InvalidParameter, match="percentage points"):
        read_target(text)


def test_a_sweep_falls_with_people_and_with_epsilon_and_meets_the_plan() -> None:
    found = planned()
    swept = sweep(found)
    rows = swept.widths[HIGH.name]
    assert (np.diff(rows, axis=0) < 0).all()
    assert (np.diff(rows, axis=1) < 0).all()
    assert swept.widths[HIGH.name][2][2] == pytest.approx(found.plain[HIGH.name], rel=0.02)


@pytest.mark.parametrize(
    ("epsilon", "people", "words"),
    [
        (200.0, 100_000, "below 0.01 USD"),
        (1e-7, 100_000, "more than the whole public range"),
        (1 / 8000, 2, "± 50 percentage points"),
    ],
)
def test_an_epsilon_that_makes_no_sense_is_said_in_a_sentence_and_not_refused_where_it_is_meant(
    epsilon: float, people: int, words: str
) -> None:
    width = 4 / epsilon
    question = gp.Share("above", gp.Threshold(100_000.0, min(width, 1e9), USD))
    found = gp.plan(survey(question, epsilon=epsilon, people=people), yes=True)
    assert any(words in warning for warning in found.warnings)


def test_an_epsilon_that_makes_sense_is_not_spoken_of() -> None:
    assert planned().warnings == ()


def test_a_metre_is_the_least_on_a_map() -> None:
    city = gp.LocalPlane(40.7, -74.0, 40.7001, -73.9999)
    disc = gp.Share("disc", gp.Blurred(gp.Ball((40.70005, -73.99995), 3.0, 1.0, city), 2.0))
    found = gp.plan(gp.Survey("square", city, 2.0, (disc,), 50_000))
    assert any("below a metre" in warning for warning in found.warnings)
