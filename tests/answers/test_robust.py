"""Robust intervals hold for the honest whatever liars send, where the usual ones do not."""

from __future__ import annotations

import itertools
import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import geopriv as gp
from geopriv.answers.robust import made_up_of, trimmed_means
from geopriv.errors import InvalidParameter
from geopriv.mechanisms import SharedTables
from geopriv.mechanisms.sendable import Integers, Sendable
from geopriv.mechanisms.sums import Sums, moments_of, repeated
from geopriv.pages.made_up import robust_words
from geopriv.reports.files import ReportBatch
from tests.rows import PLANE, USD

N, LIARS, SURVEYS = 2_000, 100, 100
# of surveys that miss with a probability of 5 % each, more than these do so with one of less than 1e-8
MOST_MISSES = 22
DISCS = tuple(gp.Ball((9.0 * k, 0.0), 1.0, 1.0, PLANE) for k in range(2))
STEP, LINE = gp.Threshold(100_000, 32_000, USD, "smooth"), gp.Threshold(0.0, 2.0)
WAYS = ("table", "bracket table", "shared tables", "grid")


@cache
def design_of(way: str) -> gp.Design:
    if way == "shared tables":
        shared = SharedTables.of([gp.Table.calibrate(disc, 1.0, straight=True) for disc in DISCS])
        asked = tuple(gp.Share(f"disc {k}", disc, plain=False) for k, disc in enumerate(DISCS))
        return gp.Design(way, (shared,), questions=asked)
    if way == "table":
        own: Sendable = gp.Table.calibrate(gp.Threshold(100_000, 16_000, USD), 1 / 8000)
        return gp.Design(way, (own,), questions=(gp.Share("above", gp.Threshold(100_000, 16_000, USD), plain=False),))
    if way == "bracket table":
        own = gp.mechanisms.BracketTable.for_plain(LINE, 1.0, 10_000)
        return gp.Design(way, (own,), questions=(gp.Share("above", LINE),))
    own = gp.Lattice.on_grid(USD, 1 / 8000, 800.0)
    return gp.Design(way, (own,), questions=(gp.Share("above", STEP, reach=6_000.0),))


def people_of(way: str, rng: np.random.Generator, n: int) -> np.ndarray:
    if way in ("shared tables", "bracket table"):
        return rng.normal(0.0, 4.0, (n, 2) if way == "shared tables" else n)
    return rng.lognormal(11.5, 0.8, n)


@cache
def worst_of(way: str) -> tuple[Integers, Integers]:
    """The reports that count least and most for the first question."""
    own = design_of(way).mechanisms[0]
    rows = np.arange(own.limits[2])[:, None] if way != "grid" else np.arange(-200, 400)[:, None]
    counted = own.contributions(own.released(rows), design_of(way).questions[0].queries[0])
    return rows[[int(np.argmin(counted))]], rows[[int(np.argmax(counted))]]


def survey(way: str, rng: np.random.Generator, made_up: Integers | None) -> tuple[gp.Answers, np.ndarray]:
    """The answers with as many honest reports fewer as are made up, told of all of these; and who was honest."""
    design = design_of(way)
    own, tally = design.mechanisms[0], gp.Tally(design)
    people = people_of(way, rng, N - (0 if made_up is None else len(made_up)))
    rows = own.written(own.simulate(people, rng).values)
    tally.add(ReportBatch(0, rows if made_up is None else np.concatenate([rows, made_up])))
    return gp.estimate(design, tally, robust=LIARS), people


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("end", [0, 1])
def test_they_cover_the_honest_answer_where_the_usual_intervals_fail(way: str, end: int) -> None:
    """A hundred say what counts least, or most: the usual interval is the planted fault, and must be caught."""
    rng, missed, usual = np.random.default_rng(17 + end), 0, 0
    query = design_of(way).questions[0].queries[0]
    for _ in range(SURVEYS):
        answers, people = survey(way, rng, np.repeat(worst_of(way)[end], LIARS, axis=0))
        answer, truth = answers.answers[0], float(query(people).mean())
        assert answer.robust is not None
        missed += not answer.robust.soft.low <= truth <= answer.robust.soft.high
        usual += not answer.estimates.low <= truth <= answer.estimates.high
        if answer.plain is not None and answer.robust.plain is not None:
            plain = float((people >= (0 if way == "bracket table" else 100_000)).mean())
            missed += not answer.robust.plain.low <= plain <= answer.robust.plain.high
    assert missed <= MOST_MISSES
    assert usual > MOST_MISSES


@pytest.mark.parametrize("way", WAYS)
def test_the_interval_of_the_honest_alone_lies_within_whatever_others_say(way: str) -> None:
    """Not most of the time: always (theory T17). So they cover whenever that does."""
    rng, design = np.random.default_rng(5), design_of(way)
    own = design.mechanisms[0]
    low, high = worst_of(way)
    for liars in (np.repeat(low, LIARS, axis=0), np.repeat(np.concatenate([low, high]), LIARS // 2, axis=0)):
        rows = own.written(own.simulate(people_of(way, rng, N - LIARS), rng).values)
        found = []
        for more in (rows, np.concatenate([rows, liars])):
            tally = gp.Tally(design)
            tally.add(ReportBatch(0, more))
            found.append(gp.estimate(design, tally, robust=LIARS))
        for honest, all_ in zip(found[0].answers, found[1].answers, strict=True):
            assert all_.robust is not None
            assert all_.robust.soft.low <= honest.estimates.low
            assert all_.robust.soft.high >= honest.estimates.high
            if honest.plain is not None:
                assert all_.robust.plain is not None
                assert all_.robust.plain.low <= honest.plain.low
                assert all_.robust.plain.high >= honest.plain.high


def test_an_interval_told_of_half_the_liars_misses() -> None:
    rng, missed = np.random.default_rng(3), 0
    design, query = design_of("table"), design_of("table").questions[0].queries[0]
    own = design.mechanisms[0]
    for _ in range(50):
        people = people_of("table", rng, N - 400)
        rows = own.written(own.simulate(people, rng).values)
        tally = gp.Tally(design)
        tally.add(ReportBatch(0, np.concatenate([rows, np.repeat(worst_of("table")[1], 400, axis=0)])))
        robust = gp.estimate(design, tally, robust=200)["above"].robust
        assert robust is not None
        missed += not robust.soft.low <= float(query(people).mean()) <= robust.soft.high
    assert missed > 40


def test_trimmed_means_are_the_extremes_over_all_choices_of_the_honest() -> None:
    rng = np.random.default_rng(8)
    values, times = rng.normal(size=(5, 3)), np.array([1.0, 3.0, 2.0, 1.0, 1.0])
    blocks = repeated(values, times)
    sums = Sums(8, *moments_of(blocks, 8, 3), np.full(3, -9.0), np.full(3, 9.0), 0.0, blocks=blocks)
    each = np.repeat(values, times.astype(int), axis=0)
    kept = [each[list(some)].mean(axis=0) for some in itertools.combinations(range(8), 5)]
    low, high = trimmed_means(sums, 3)
    assert low == pytest.approx(np.min(kept, axis=0))
    assert high == pytest.approx(np.max(kept, axis=0))


def test_without_the_reports_the_range_says_less_and_still_holds() -> None:
    rng = np.random.default_rng(9)
    values = rng.uniform(-1.0, 2.0, (50, 1))
    blocks, ends = repeated(values, np.ones(50)), (np.full(1, -1.0), np.full(1, 2.0))
    moments = moments_of(blocks, 50, 1)
    near = trimmed_means(Sums(50, *moments, *ends, 0.0, blocks=blocks), 5)
    far = trimmed_means(Sums(50, *moments, *ends, 0.0), 5)
    assert far[0] < near[0] < values.mean() < near[1] < far[1]


def test_a_map_and_groups_have_them_and_values_and_weights_are_refused(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    bells = gp.DensityMap("crowd", 3.0, (-4.0, -4.0), (4.0, 4.0), PLANE, 5, 4)
    grid = gp.Lattice.calibrate(PLANE, 1.0, queries=bells.queries[:1])
    groups = gp.queries.Groups("side", ("left", "right"), (1.0, 3.0))
    design = gp.Design("map", (grid,), questions=(bells,), groups=groups)
    tally = gp.Tally(design)
    rows = grid.written(grid.simulate(rng.normal(0.0, 2.0, (600, 2)), rng).values)
    tally.add(ReportBatch(0, rows, groups=np.repeat([0, 1], [100, 500])))
    answers = gp.estimate(design, tally, robust=0.01, weighted=False)
    whole, few = answers["crowd"].robust, answers.group("left")["crowd"].robust
    assert whole is not None
    assert few is not None
    assert whole.made_up == few.made_up == 6  # all liars may be in one group
    assert whole.soft.low.shape == bells.shape
    assert (few.soft.high - few.soft.low > whole.soft.high - whole.soft.low).all()
    assert "Whatever any 6 of the 600 reports say" in gp.pages.page.page_html(answers)
    with pytest.raises(InvalidParameter, match="known sizes"):
        gp.estimate(design, tally, robust=0.01)
    mean = gp.queries.Mean("mean", gp.Line(), low=(-9.0,), high=(9.0,))
    design = gp.Design("mean", (gp.Lattice.calibrate(gp.Line(), 1.0),), (), (mean,), gp.Source(("x",), (-9.0,), (9.0,)))
    tally = gp.Tally(design)
    tally.add(ReportBatch(0, np.arange(9)[:, None]))
    with pytest.raises(InvalidParameter, match="values"):
        gp.estimate(design, tally, robust=1)


def test_all_reports_but_one_made_up_say_nothing() -> None:
    answers, _ = survey("bracket table", np.random.default_rng(1), None)
    design, tally = design_of("bracket table"), gp.Tally(design_of("bracket table"))
    tally.add(ReportBatch(0, np.zeros((5, 1), dtype=np.int64)))
    robust = gp.estimate(design, tally, robust=4)["above"].robust
    assert robust is not None
    assert (float(robust.soft.low), float(robust.soft.high)) == (-np.inf, np.inf)
    assert robust.plain is not None
    assert (float(robust.plain.low), float(robust.plain.high)) == (0.0, 1.0)
    assert answers["above"].robust is not None


def test_they_are_written_read_and_said(tmp_path: Path) -> None:
    answers, _ = survey("bracket table", np.random.default_rng(4), None)
    answers.write(tmp_path / "estimates.json")
    again, first = gp.Answers.read(tmp_path / "estimates.json")["above"].robust, answers["above"].robust
    assert first is not None
    assert again is not None
    assert (again.made_up, again.soft.low, again.soft.high) == (LIARS, first.soft.low, first.soft.high)
    said = robust_words(answers["above"], 100.0, " points")
    assert said.startswith("Whatever any 100 of the 2,000 reports say, the honest people's answer is, at 95 %: plain ")
    assert said in " ".join(str(answers).split())
    older = json.loads((tmp_path / "estimates.json").read_bytes())
    del older["answers"][0]["robust"]
    assert gp.Answers.from_document(older)["above"].robust is None


@pytest.mark.parametrize("wrong", [0, -0.1, 1.5, True, float("nan")])
def test_a_number_of_liars_is_a_share_or_whole(wrong: float) -> None:
    with pytest.raises(InvalidParameter, match="share between 0 and 1"):
        made_up_of(wrong, 100)
