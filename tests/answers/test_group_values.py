"""Means, quantiles, totals and covariances by group and by known sizes."""

from __future__ import annotations

import numpy as np
import pytest

import geopriv as gp
from geopriv.queries import Groups, Question
from geopriv.queries.covariance import Covariance
from geopriv.queries.total import Total
from geopriv.reports import ReportBatch
from geopriv.spaces.checks import FloatArray
from geopriv.surveys.design import Design
from tests.answers.test_groups import NAMES, SIZES

LINE = gp.Line("USD")
LATTICE = gp.Lattice.calibrate(LINE, 1.0, step=0.125)
MEAN = gp.Mean("mean", LINE, low=(-10.0,), high=(10.0,))
MEDIAN = gp.Quantile("median", (0.5,), LINE, -10.0, 10.0, reach=1.0)
ABOVE = Total("how many above", 10_000.0, gp.Threshold(0.0, 4.0, LINE, "smooth"))
MIDDLES, ASKED = np.array([-2.0, 0.5, 2.0]), (1000, 3500, 500)


def design(*questions: Question, weights: tuple[float, ...] = SIZES) -> Design:
    source = gp.Source((), (-10.0,), (10.0,))
    return Design("by county", (LATTICE,), (), questions, source, Groups("county", NAMES, weights))


def counted(made: Design, seed: int) -> gp.Tally:
    rng, groups = np.random.default_rng(seed), np.repeat(np.arange(3), ASKED)
    cells = LATTICE.simulate(rng.normal(MIDDLES[groups], 1.0), rng).values.astype(np.int64)
    total = gp.Tally(made)
    total.add(ReportBatch(0, cells.reshape(-1, 1), groups=groups))
    return total


def weighted_median() -> float:
    """Of the people in all groups, by their sizes."""
    fine: FloatArray = np.linspace(-10, 10, 200_001)
    density = sum(w * np.exp(-((fine - middle) ** 2) / 2) for w, middle in zip(SIZES, MIDDLES, strict=True))
    return float(fine[np.searchsorted(np.cumsum(density) / np.sum(density), 0.5)])


def test_means_and_medians_are_weighted_and_their_intervals_hold() -> None:
    """Of 200 surveys (seeds 0 to 199) 95 % of means ± 5.1, 3.3 standard errors; of medians 95 % less 5.1 at least.

    Planted: every report counts alike, which answers another question.
    """
    made = design(MEAN, MEDIAN)
    truths = {"mean": float(np.dot(SIZES, MIDDLES) / 10), "median": weighted_median()}
    held, planted = dict.fromkeys(truths, 0), dict.fromkeys(truths, 0)
    for seed in range(200):
        tally = counted(made, seed)
        for answers, found in ((gp.estimate(made, tally), held), (gp.estimate(made, tally, weighted=False), planted)):
            for name, truth in truths.items():
                plain = answers[name].plain
                assert plain is not None
                found[name] += bool(np.all((plain.low <= truth) & (truth <= plain.high)))
    assert 0.899 <= held["mean"] / 200 <= 1.0
    assert held["median"] / 200 >= 0.899
    assert planted["mean"] / 200 < 0.1
    assert planted["median"] / 200 < held["median"] / 200


def test_the_interval_for_any_number_of_reports_of_a_weighted_mean_of_one_group_is_nearly_its_own() -> None:
    """Its reports are stretched by n over those of the group; noise is cut off a little farther out."""
    made = design(MEAN, weights=(1.0, 1e9, 1.0))
    answers = gp.estimate(made, counted(made, 1))
    whole, own = answers["mean"].finite, answers.group("Queens")["mean"].finite
    assert whole is not None
    assert own is not None
    assert whole.high - whole.low == pytest.approx(float(own.high - own.low), rel=0.03)
    assert whole.low < MIDDLES[1] < whole.high


def test_a_weighted_median_of_one_group_is_its_own() -> None:
    """Where all weight is on one group, the answer for all is nearly that of the group, and as sure."""
    made = design(MEDIAN, weights=(1.0, 1e9, 1.0))
    answers = gp.estimate(made, counted(made, 1))
    whole, own = answers["median"], answers.group("Queens")["median"]
    for one, other in ((whole.plain, own.plain), (whole.finite, own.finite)):
        assert one is not None
        assert other is not None
        np.testing.assert_allclose([one.low, one.high], [other.low, other.high], atol=0.13)  # a cell


def test_a_total_of_a_group_is_of_the_people_in_it() -> None:
    made = design(ABOVE)
    answers = gp.estimate(made, counted(made, 2))
    parts = [answers.group(name)["how many above"].estimates[()].value for name in NAMES]
    assert answers["how many above"].estimates[()].value == pytest.approx(sum(parts))
    assert all(0 < part < 1000 * size for part, size in zip(parts, SIZES, strict=True))
    unknown = design(ABOVE, weights=())
    alone = gp.estimate(unknown, counted(unknown, 2))
    assert all(group.answers == () for group in alone.groups.values())  # nobody knows how many are in a group


def test_a_covariance_is_not_weighted_without_a_word() -> None:
    plane = gp.Plane("m")
    lattice = gp.Lattice.calibrate(plane, 1.0, step=0.5)
    groups = Groups("county", NAMES, SIZES)
    made = Design("by county", (lattice,), (), (Covariance("of both", plane),), None, groups)
    total = gp.Tally(made)
    rng = np.random.default_rng(3)
    total.add(ReportBatch(0, rng.integers(-9, 9, (300, 2)), groups=np.repeat(np.arange(3), 100)))
    with pytest.raises(gp.InvalidParameter, match="--unweighted"):
        gp.estimate(made, total)
    assert len(gp.estimate(made, total, weighted=False).group("Kings").answers) == 1
