"""Plain answers hold the plain truth as often as they say, whoever the people are."""

from __future__ import annotations

import numpy as np
import pytest

import geopriv as gp
from geopriv.commands.populations import income_quantiles
from geopriv.mechanisms.sums import Sums
from geopriv.reports.files import ReportBatch
from geopriv.spaces.checks import FloatArray

USD = gp.Line("USD")
RATE = 1 / 8000
SURVEYS = 400
# of surveys that miss with a probability of 5 % each, more than these do so with one of less than 1e-6
MOST_MISSES = 44


def populations() -> dict[str, FloatArray]:
    smooth = income_quantiles(4_000)
    heap = np.where(np.arange(4_000) % 100 == 0, 100_000.0, smooth)
    return {"smooth": smooth, "heaped": heap, "all just below": np.full(4_000, 99_999.0), "all there": np.full(9, 1e5)}


def question(reach: float = 6_000.0, width: float = 32_000.0) -> gp.Share:
    return gp.Share("above", gp.Threshold(100_000, width, USD, "smooth"), reach=reach)


def misses(people: FloatArray, n: int, asked: gp.Share, plain: bool = True) -> int:
    """In how many surveys of n people the interval does not hold the plain share."""
    lattice = gp.Lattice.on_grid(USD, RATE, 800.0)
    design = gp.Design("incomes", (lattice,), questions=(asked,))
    rng, truth, missed = np.random.default_rng(n), float((people >= 100_000).mean()), 0
    for _ in range(SURVEYS):
        tally = gp.Tally(design)
        reports = lattice.simulate(rng.choice(people, n), rng).values
        tally.add(ReportBatch(0, reports.astype(np.int64).reshape(-1, 1)))
        answer = gp.estimate(design, tally).answers[0]
        assert answer.plain is not None
        ends = (answer.plain.low, answer.plain.high) if plain else (answer.estimates.low, answer.estimates.high)
        missed += not ends[0] <= truth <= ends[1]
    return missed


@pytest.mark.parametrize("name", populations())
@pytest.mark.parametrize("n", [300, 5_000])
def test_plain_intervals_hold_the_plain_share(name: str, n: int) -> None:
    assert misses(populations()[name], n, question()) <= MOST_MISSES


def test_soft_intervals_do_not_hold_the_plain_share_where_people_are_heaped() -> None:
    """The planted fault: what a soft question says of a plain one."""
    assert misses(populations()["all just below"], 300, question(), plain=False) > MOST_MISSES


def test_a_question_without_a_reach_has_no_plain_answer() -> None:
    design = gp.Design("incomes", (gp.Lattice.on_grid(USD, RATE, 800.0),), questions=(question(reach=0.0),))
    tally = gp.Tally(design)
    tally.add(ReportBatch(0, np.arange(100).reshape(-1, 1)))
    assert gp.estimate(design, tally).answers[0].plain is None


def test_a_plain_distribution_has_an_interval_at_each_value() -> None:
    curve = gp.Distribution("curve", (50_000, 100_000, 200_000), 32_000, USD, reach=6_000)
    design = gp.Design("incomes", (gp.Lattice.on_grid(USD, RATE, 800.0),), questions=(curve,))
    rng, tally, people = np.random.default_rng(0), gp.Tally(design), income_quantiles(50_000)
    reports = design.mechanisms[0].simulate(people, rng).values
    tally.add(ReportBatch(0, reports.astype(np.int64).reshape(-1, 1)))
    found = gp.estimate(design, tally).answers[0].plain
    assert found is not None
    truth = [(people >= at).mean() for at in curve.at]
    assert (found.low <= truth).all()
    assert (truth <= found.high).all()
    assert (found.high - found.low < 0.12).all()


@pytest.mark.parametrize("bad", [-1.0, np.inf, np.nan])
def test_a_reach_that_is_no_length_is_refused(bad: float) -> None:
    with pytest.raises(gp.InvalidParameter, match="reach"):
        question(reach=bad)
    with pytest.raises(gp.InvalidParameter, match="no plain answer"):
        gp.Share("above", gp.Threshold(0.0, 1.0), plain=False, reach=1.0)


def test_parts_of_sums_are_those_of_some_queries() -> None:
    arrays = [np.arange(4.0) + k for k in range(5)]
    whole = Sums(9, arrays[0], arrays[1], arrays[2], None, arrays[3], arrays[4], 0.5)
    part = whole.part(slice(2, None))
    assert part.n == 9
    assert part.means.tolist() == [2.0, 3.0]
    assert part.high.tolist() == [6.0, 7.0]
