"""Answers by group, and for all by known sizes: what they are, how sure, and where there is none."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import geopriv as gp
from geopriv.answers.comparison import compare
from geopriv.answers.intervals import bernstein_reach
from geopriv.answers.pools import Pool, pooled
from geopriv.mechanisms.sums import Sums
from geopriv.queries import Groups
from geopriv.reports import ReportBatch
from geopriv.surveys.design import Design
from tests.structure import errors_of

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "schemas" / "estimates.schema.json").read_text("utf-8"))
NAMES, SIZES = ("Kings", "Queens", "New York"), (5.0, 3.0, 2.0)
QUERY = gp.Threshold(0.0, 4.0, edge="smooth")
ABOVE = gp.Share("above", QUERY)
CURVE = gp.Distribution("curve", (-2.0, 0.0, 2.0), 4.0, gp.Line())
LATTICE = gp.Lattice.calibrate(gp.Line(), 1.0, queries=(QUERY, *CURVE.queries))
MIDDLES, ASKED = (-2.0, 0.5, 2.0), (200, 700, 100)  # where groups are, and how many of each report


def design(weights: tuple[float, ...] = SIZES, *questions: gp.queries.Question) -> Design:
    groups = Groups("county", NAMES, weights)
    return Design("by county", (LATTICE,), (), questions or (ABOVE,), None, groups, "households")


def people(seed: int, asked: tuple[int, ...] = ASKED) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(3), asked)
    return rng.normal(np.array(MIDDLES)[groups], 1.0), groups


def counted(made: Design, seed: int, asked: tuple[int, ...] = ASKED) -> gp.Tally:
    values, groups = people(seed, asked)
    cells = LATTICE.simulate(values, np.random.default_rng(seed + 10_000)).values.astype(np.int64)
    total = gp.Tally(made)
    total.add(ReportBatch(0, cells.reshape(-1, 1), groups=groups))
    return total


def document_of(answers: gp.Answers) -> dict[str, Any]:
    """As it is read from a file."""
    found: dict[str, Any] = json.loads(json.dumps(answers.to_document()))
    return found


def test_each_group_has_the_answers_of_its_own_reports() -> None:
    made = design((), ABOVE, CURVE)
    total = counted(made, 1)
    answers = gp.estimate(made, total)
    assert list(answers.groups) == list(NAMES)
    alone = Design("alone", (LATTICE,), (), (ABOVE, CURVE))
    for k, name in enumerate(NAMES):
        own = gp.Tally(alone)
        counts = total.counts(0, k)
        own.add(ReportBatch(0, np.repeat(counts.rows, counts.times, axis=0)))
        expected, found = gp.estimate(alone, own), answers.group(name)
        assert found.n == expected.n == ASKED[k]
        for question in ("above", "curve"):
            np.testing.assert_array_equal(found[question].estimates.low, expected[question].estimates.low)
            for one, other in zip((found[question].band,), (expected[question].band,), strict=True):
                assert (one is None) == (other is None)
                assert one is None or other is None or np.array_equal(one.low, other.low)
    assert answers.counted == "households"
    with pytest.raises(KeyError):
        answers.group("Bronx")


def test_without_weights_every_report_counts_alike() -> None:
    total = counted(design(()), 2)
    plain = Design("alone", (LATTICE,), (), (ABOVE,))
    own, counts = gp.Tally(plain), total.counts(0)
    own.add(ReportBatch(0, np.repeat(counts.rows, counts.times, axis=0)))
    answers = gp.estimate(design(()), total)
    assert not answers.weighted
    assert answers["above"].estimates[()] == gp.estimate(plain, own)["above"].estimates[()]
    weighted = gp.estimate(design(), counted(design(), 2), weighted=False)
    assert weighted["above"].estimates[()] == answers["above"].estimates[()]


def test_a_weighted_answer_is_the_mean_of_the_groups_with_their_errors() -> None:
    made = design(SIZES, ABOVE, CURVE)
    answers = gp.estimate(made, counted(made, 3))
    shares = np.array(SIZES) / 10
    for name in ("above", "curve"):
        parts = [answers.group(group)[name].estimates for group in NAMES]
        found = answers[name]
        value = sum(w * part.values for w, part in zip(shares, parts, strict=True))
        error = np.sqrt(sum((w * part.standard_errors) ** 2 for w, part in zip(shares, parts, strict=True)))
        np.testing.assert_allclose(found.estimates.values, value, rtol=1e-12)
        np.testing.assert_allclose(found.estimates.standard_errors, error, rtol=1e-12)
        assert found.estimates.n == 1000
        assert found.finite is not None
        assert (found.finite.high - found.finite.low > found.estimates.high - found.estimates.low).all()
    band = answers["curve"].band
    assert band is not None
    assert (band.high - band.low > answers["curve"].estimates.high - answers["curve"].estimates.low).all()
    assert answers.weighted


def test_pooled_sums_are_those_of_reports_that_were_weighed_one_by_one() -> None:
    rng = np.random.default_rng(4)
    shares, values = (0.6, 0.3, 0.1), [rng.exponential(size=(n, 2)) for n in (40, 7, 200)]
    sums = []
    for x in values:
        middle = x - x.mean(axis=0)
        thirds, covariance = (middle**3).mean(axis=0), np.cov(x.T)
        ends = (-np.ones(2), np.ones(2))
        sums.append(Sums(len(x), x.mean(axis=0), x.var(axis=0, ddof=1), thirds, covariance, *ends, 0.1))
    found = pooled(iter(zip(shares, sums, strict=True)))
    scale = [247 * w / len(x) for w, x in zip(shares, values, strict=True)]
    weighed = [c * x for c, x in zip(scale, values, strict=True)]
    np.testing.assert_allclose(found.means, np.concatenate(weighed).mean(axis=0))
    within = np.sum([np.cov(y.T) * len(y) for y in weighed], axis=0) / 247
    assert isinstance(found.covariance, np.ndarray)
    np.testing.assert_allclose(found.covariance, within)
    np.testing.assert_allclose(found.variances, np.diag(within))
    cubes = sum(((y - y.mean(axis=0)) ** 3).sum(axis=0) for y in weighed) / 247
    np.testing.assert_allclose(found.thirds, cubes)
    np.testing.assert_allclose([found.low, found.high], np.outer([-max(scale), max(scale)], np.ones(2)))
    assert (found.n, found.fewest, round(found.bias, 12)) == (247, 7, 0.1)
    assert pooled(iter([(1.0, sums[0])])) is sums[0]


def test_weighted_intervals_hold_and_unweighted_ones_do_not() -> None:
    """Of 400 surveys (seeds 0 to 399) with one group asked too often, 95 % ± 3.6 hold: 3.3 standard errors.

    Planted: every report counts alike, which answers another question.
    """
    made = design()
    fine = np.linspace(-8, 8, 4001)
    law = [np.exp(-((fine - middle) ** 2) / 2) for middle in MIDDLES]
    truth = sum(w / 10 * (QUERY(fine) * p).sum() / p.sum() for w, p in zip(SIZES, law, strict=True))
    held, planted, finite = 0, 0, 0
    for seed in range(400):
        tally = counted(made, seed)
        answer = gp.estimate(made, tally)["above"]
        one, other = answer.estimates[()], gp.estimate(made, tally, weighted=False)["above"].estimates[()]
        assert answer.finite is not None
        held += one.low <= truth <= one.high
        finite += bool(answer.finite.low <= truth <= answer.finite.high)
        planted += other.low <= truth <= other.high
    assert 0.914 <= held / 400 <= 0.986
    assert finite >= 398
    assert planted / 400 < 0.2


def test_the_finite_bound_of_few_is_that_of_all_where_there_is_one_group() -> None:
    variance, spread = np.array([0.3]), np.array([2.0])
    alike, one = (bernstein_reach(variance, 500, spread, 0.95, fewest) for fewest in (0, 500))
    assert one <= alike
    assert one > 0.99 * alike
    assert bernstein_reach(variance, 500, spread, 0.95, 2) > one


@pytest.mark.parametrize(("few", "words"), [(0, "no reports"), (1, "1 report"), (29, "29 reports")])
def test_a_group_of_too_few_has_no_answer_and_leaves_no_weighted_one(few: int, words: str) -> None:
    made = design()
    tally = counted(made, 5, (200, 700, few))
    with pytest.raises(gp.ReportRejected, match=rf"has {words} of the group 'New York'.*--unweighted"):
        gp.estimate(made, tally)
    answers = gp.estimate(made, tally, weighted=False)
    assert (answers.group("New York").n, answers.group("New York").answers) == (few, ())
    assert len(answers.group("Kings").answers) == 1
    assert gp.Answers.from_document(document_of(answers)).group("New York").n == few
    assert "New York" in str(answers)


def test_simultaneous_intervals_are_those_of_the_product_of_chances() -> None:
    made = design(SIZES, ABOVE, CURVE)
    tally = counted(made, 6)
    each, together = gp.estimate(made, tally), gp.estimate(made, tally, simultaneous=True)
    assert together.simultaneous
    for name in NAMES:
        found = together.group(name)["above"].estimates
        assert found.confidence == pytest.approx(0.95 ** (1 / 3))
        alone = each.group(name)["above"].estimates
        assert found.high - found.low > alone.high - alone.low
    assert together["above"].estimates[()] == each["above"].estimates[()]
    with pytest.raises(gp.InvalidParameter, match="a design that has groups"):
        gp.estimate(Design("alone", (LATTICE,), (), (ABOVE,)), gp.Tally(Design("alone", (LATTICE,), (), (ABOVE,))),
                    simultaneous=True)  # fmt: skip


def test_waves_are_compared_by_group_and_never_weighted_with_unweighted() -> None:
    made = design()
    first, second = (gp.estimate(made, counted(made, seed)) for seed in (11, 12))
    change = compare(first.group("Kings"), second.group("Kings"))["above"]
    parts = [wave.group("Kings")["above"].estimates[()].value for wave in (first, second)]
    assert float(change.values) == pytest.approx(parts[1] - parts[0])
    with pytest.raises(
        gp.InvalidParameter, match="first estimates are weighted by the known sizes of groups, the second are not"
    ):
        compare(first, gp.estimate(made, counted(made, 12), weighted=False))


def test_plain_answers_are_by_group_and_weighted_too() -> None:
    asked = dataclasses.replace(ABOVE, reach=1.0)
    made = design(SIZES, asked)
    answers = gp.estimate(made, counted(made, 7))
    whole, parts = answers["above"].plain, [answers.group(name)["above"].plain for name in NAMES]
    assert whole is not None
    values, groups = people(7)
    for k, part in enumerate(parts):
        assert part is not None
        assert part.low <= (values[groups == k] >= 0).mean() <= part.high
    inner, outer = Pool(counted(made, 7), weighted=True).bracket_sums(0, asked, [0]) or (None, None)
    assert inner is not None
    assert outer is not None
    assert whole.low < inner.means[0] < outer.means[0] < whole.high


def test_answers_by_group_come_back_from_their_file_in_the_order_of_the_design(tmp_path: Path) -> None:
    made = design(SIZES, ABOVE, CURVE)
    answers = gp.estimate(made, counted(made, 8), simultaneous=True)
    answers.write(tmp_path / "estimates.json")
    document = json.loads((tmp_path / "estimates.json").read_text("utf-8"))
    assert errors_of(SCHEMA, document) == []
    again = gp.Answers.read(tmp_path / "estimates.json")
    assert again.to_document() == answers.to_document()
    assert list(again.groups) == list(NAMES)
    assert (again.counted, again.weighted, again.simultaneous) == ("households", True, True)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("groups", {}),
        ("groups", [{"name": "a"}]),
        ("groups", "a"),
        ("counted", 7),
        ("weighted", 1),
        ("simultaneous", 0),
    ],
)
def test_a_file_with_other_groups_is_refused(key: str, value: object) -> None:
    made = design()
    document = document_of(gp.estimate(made, counted(made, 9)))
    with pytest.raises(gp.InvalidParameter, match=key):
        gp.Answers.from_document(document | {key: value})
    twice = document | {"groups": [document["groups"][0]] * 2}
    with pytest.raises(gp.InvalidParameter, match="a name of its own"):
        gp.Answers.from_document(twice)
