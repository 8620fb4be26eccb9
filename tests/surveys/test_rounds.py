"""Asking again: what is stated of each way, and of a shuffler, beside a plan."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import geopriv as gp
from geopriv.errors import InvalidParameter
from geopriv.mechanisms.lattice.walks import Walk
from geopriv.surveys.planning.needs import REACH
from geopriv.surveys.planning.rounds import Rounds, rounds
from geopriv.surveys.planning.shuffling import read_within, shuffled
from geopriv.surveys.planning.walks import walk_errors

INCOMES = """
name = "Incomes"
epsilon = 1.0
per = "8,000 USD"
people = 20_000
space = { kind = "line", unit = "USD", columns = ["income"], range = [0, 400_000] }
query = [{ name = "mean", kind = "mean" }, { name = "median", kind = "quantile", level = 0.5 }]
"""
USD = gp.Line("USD")
SOFT = gp.Share("soft", gp.Blurred(gp.Threshold(100_000.0, 800.0, USD), 20_000.0))
HARD = gp.Share("hard", gp.Threshold(100_000.0, 32_000.0, USD, "smooth"))
SOURCE = gp.Source(("income",), (0.0,), (400_000.0,))
SHARES = gp.Survey("shares", USD, 1 / 8000, (SOFT, HARD), 50_000, SOURCE)


@cache
def asked() -> tuple[gp.surveys.SurveyPlan, Rounds]:
    found = gp.plan(gp.Survey.parse(INCOMES))
    return found, rounds(found, 4)


def test_fresh_people_are_a_part_of_all_and_the_same_people_add_errors_up() -> None:
    found, again = asked()
    fresh, same, split, _ = (way.expected["mean"] for way in again.ways)
    mean = found.survey.questions[0]
    fewer = gp.plan(replace(found.survey, people=5_000))
    less = gp.plan(replace(found.survey, epsilon=found.survey.epsilon / 4))
    assert again.people == 5_000
    assert again.needed == 80_000
    assert fresh.rounds == pytest.approx([fewer.half_width(mean)] * 4)
    assert fresh.change == pytest.approx(math.sqrt(2) * fewer.half_width(mean))
    assert same.rounds == pytest.approx([found.half_width(mean)] * 4)
    assert same.change == pytest.approx(2 * found.half_width(mean))
    assert split.rounds == pytest.approx([less.half_width(mean)] * 4)


def test_each_way_says_what_it_promises_and_the_walk_how_it_is_asked_for() -> None:
    fresh, same, split, walk = asked()[1].ways
    assert "ε in all" in fresh.promise
    assert "exp(4ε·d)" in same.promise
    assert "ε in all" in split.promise
    assert "trajectories" in walk.promise
    assert "[walk]" in walk.promise
    median = walk.expected["median"]
    assert set(median.rounds) == {None}
    assert median.change is None


def test_a_mean_walks_as_exactly_as_any_other_way_with_epsilon_in_all() -> None:
    ways = [way.expected["mean"].rounds for way in asked()[1].ways]
    fresh, same, split, walk = ([each for each in one if each is not None] for one in ways)
    assert len(walk) == 4
    assert walk == sorted(walk)
    assert walk[0] == pytest.approx(same[0], rel=0.05)
    assert all(w <= f and w <= s for w, f, s in zip(walk, fresh, split, strict=True))


def test_a_walk_has_the_errors_that_are_predicted() -> None:
    """400 surveys of 2,000 people who stay: their spread is within 18 %, 5 standard errors; √3 times round 1 is not."""
    survey = replace(SHARES, questions=(SOFT,), people=2_000)
    (predicted,) = walk_errors(survey, 3).values()
    assert None not in predicted
    rng, step, walk = np.random.default_rng(5), 0.4 * 8000, Walk(0.4, 3)
    x = rng.uniform(0.0, 200_000.0, (400, 2_000))  # as is expected without a prior
    y = np.floor(x / step + rng.random(x.shape))
    cells = np.arange(-300.0, 400.0)
    g = SOFT.query.answer(step * cells)
    for _ in range(3):
        y = y + rng.geometric(1 - walk.ratio, x.shape) - rng.geometric(1 - walk.ratio, x.shape)
        g[1:-1] = (1 + 2 * walk.curvature) * g[1:-1] - walk.curvature * (g[:-2] + g[2:])
    drawn = float(np.interp(y, cells, g).mean(axis=1).std())
    first, _, last = predicted
    assert last is not None
    assert first is not None
    # the chosen grid may be finer than the one that is drawn here, whose noise is a few per cent larger
    assert abs(drawn / last - 1) < 0.18
    assert abs(math.sqrt(3) * first / last - 1) > 0.18


def test_edges_that_are_undone_once_are_not_told_from_a_walk() -> None:
    found = walk_errors(SHARES, 4)
    assert found["hard"][0] is not None
    assert found["hard"][-1] is None
    assert found["soft"][-1] is not None
    assert REACH * found["soft"][-1] < 0.02


def test_walks_are_for_lines() -> None:
    plane = gp.Plane("m")
    near = gp.Share("near", gp.Blurred(gp.Ball((0.0, 0.0), radius=900.0, width=50.0, space=plane), 500.0), plain=False)
    survey = gp.Survey("places", plane, 1 / 500, (near,), 10_000)
    with pytest.raises(InvalidParameter, match="on a line"):
        walk_errors(survey, 2)


@pytest.mark.parametrize("number", [1, 0, 367, 10_001])
def test_numbers_of_rounds_that_make_no_sense_are_refused(number: int) -> None:
    with pytest.raises(InvalidParameter, match="rounds"):
        rounds(asked()[0], number)


def test_few_people_are_not_split_into_rounds_of_one() -> None:
    found = asked()[0]
    with pytest.raises(InvalidParameter, match="two people"):
        rounds(replace(found, survey=replace(found.survey, people=5)), 3)


def test_a_shuffler_is_stated_with_its_radius_and_delta_and_changes_no_guarantee() -> None:
    found = asked()[0]
    stated = shuffled(found.survey, 500, 8_000.0)
    assert 0 < stated.loss < stated.promised == 1.0
    assert stated.radius == pytest.approx(8_000.0)
    for words in ("stated and not promised", "trusted", "does not chain", "lone people", "1e-06", "500 others"):
        assert words in stated.sentence
    assert found.design.guarantee.delta == 0
    assert math.isinf(found.design.guarantee.radius)
    assert "add nothing" in shuffled(found.survey, 3, 8_000.0).sentence
    groups = gp.queries.Groups("region", ("north", "south"))
    assert "of your group" in shuffled(replace(found.survey, groups=groups), 500, 8_000.0).sentence
    with pytest.raises(InvalidParameter, match="neighbours"):
        shuffled(found.survey, 20_000, 8_000.0)


@pytest.mark.parametrize("text", ["0", "-3", "inf", "nan", "8 km", "some"])
def test_what_is_no_distance_is_refused(text: str) -> None:
    with pytest.raises(InvalidParameter, match="within"):
        read_within(USD, text)
