"""What made-up reports could do: a bound that nobody can go beyond, and that somebody can reach, in every place."""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import geopriv as gp
from geopriv.mechanisms import SharedTables
from geopriv.mechanisms.sendable import Sendable
from geopriv.pages.made_up import made_up_words
from geopriv.reports.files import ReportBatch
from tests.rows import PLANE

N, LIARS = 4_000, 40
DISCS = tuple(gp.Ball((9.0 * k, 0.0), 1.0, 1.0, PLANE) for k in range(2))
STEP = gp.Threshold(0.0, 2.0)
CURVE = gp.Threshold(0.0, 4.0, edge="smooth")


@cache
def mechanism(name: str) -> Sendable:
    if name == "SharedTables":
        return SharedTables.of([gp.Table.calibrate(disc, 1.0, straight=True) for disc in DISCS])
    if name == "Table":
        return gp.Table.calibrate(STEP, 1.0)
    return gp.Lattice.calibrate(gp.Line(), 1.0, queries=[CURVE])


QUERIES: dict[str, gp.queries.Query] = {"SharedTables": DISCS[1], "Table": STEP, "Lattice": CURVE}


@pytest.mark.parametrize("name", QUERIES)
def test_liars_reach_what_is_stated_and_never_go_beyond(name: str) -> None:
    """Forty of 4,000 honest reports are replaced by one that counts most or least, from one end to the other."""
    asked = gp.Share("share", QUERIES[name], plain=False)
    design, own = gp.Design("liars", (mechanism(name),), questions=(asked,)), mechanism(name)
    rng = np.random.default_rng(1)
    shape = (N, *QUERIES[name].space.point_shape)
    honest = own.written(own.simulate(rng.uniform(-3.0, 12.0, shape), rng).values)
    every = np.unique(np.concatenate([honest, np.arange(-30, 31)[:, None] if name == "Lattice" else honest]), axis=0)
    if name != "Lattice":
        every = np.arange(own.limits[2])[:, None]
    counted = own.contributions(own.released(every), QUERIES[name])
    ends = [np.repeat(every[[int(pick(counted))]], LIARS, axis=0) for pick in (np.argmin, np.argmax)]
    found = []
    for made_up in ends:
        tally = gp.Tally(design)
        tally.add(ReportBatch(0, np.concatenate([honest[LIARS:], made_up])))
        found.append(gp.estimate(design, tally)["share"])
    moved = float(found[1].estimates.values - found[0].estimates.values)
    leverage = found[0].leverage
    assert leverage is not None
    assert moved <= LIARS * leverage * (1 + 1e-9)
    assert moved >= (0.5 if name == "Lattice" else 1 - 1e-9) * LIARS * leverage  # ends of stencils are bounds
    assert design.contributions[0].moved(1, N) == pytest.approx(leverage)


def test_of_tables_that_share_a_report_it_is_the_range_over_mu_n() -> None:
    shared = mechanism("SharedTables")
    assert isinstance(shared, SharedTables)
    design = gp.Design("liars", (shared,), questions=(gp.Share("share", DISCS[0], plain=False),))
    values = np.append(shared.tables[0].values, 0.0)
    stated = design.contributions[0].moved(1, N)
    assert stated == pytest.approx(np.ptp(values) / (float(shared.share) * N), rel=1e-6)
    assert stated == pytest.approx(shared.leverage(DISCS[0], N))


def test_the_plain_answer_counts_too() -> None:
    table = gp.mechanisms.BracketTable.for_plain(STEP, 1.0, 10_000)
    asked = gp.Share("share", STEP)
    stated = gp.Design("liars", (table,), questions=(asked,)).contributions[0].moved(1, N)
    assert stated == pytest.approx(max(map(np.ptp, (table.values, table.inner, table.outer))) / N)


def test_what_is_said() -> None:
    assert made_up_words(None, 1000) == ""
    assert "No bound is known" in made_up_words(math.inf, 1000)
    assert "If 10 of 1,000 reports were made up, this could move by at most 5 points" in made_up_words(
        0.005, 1000, 100.0, " points", 1.0
    )
    assert "to anything" in made_up_words(0.2, 1000, 100.0, " points", 1.0)


def test_page_terminal_and_file_all_say_it(tmp_path: Path) -> None:
    asked = gp.Share("share", STEP, plain=False)
    design = gp.Design("liars", (mechanism("Table"),), questions=(asked,))
    own, tally = mechanism("Table"), gp.Tally(design)
    rng = np.random.default_rng(2)
    tally.add(ReportBatch(0, own.written(own.simulate(rng.normal(size=N), rng).values)))
    answers = gp.estimate(design, tally)
    said = made_up_words(answers["share"].leverage, N, 100.0, " points", 1.0)
    assert "If 40 of 4,000 reports were made up" in said
    assert said in " ".join(str(answers).split())
    assert said in gp.pages.page.page_html(answers)
    path = tmp_path / "estimates.json"
    answers.write(path)
    assert gp.Answers.read(path)["share"].leverage == answers["share"].leverage
    older = json.loads(path.read_bytes())
    for part in older["answers"]:
        del part["leverage"]
    assert gp.Answers.from_document(older)["share"].leverage is None


@pytest.mark.parametrize("asked", [True, False], ids=["plain", "soft"])
def test_a_plan_says_of_an_area_what_its_answer_will_say(asked: bool) -> None:
    """On round noise the plan looks at no report: with brackets, and without, it says what two reports would."""
    own = gp.Lattice.calibrate(gp.Plane("m"), 1.0, step=0.1)
    query = gp.queries.Blurred(gp.Ball((0.0, 0.0), 3.0, 1.0, gp.Plane("m")), bandwidth=1.0)
    share = gp.Share("disc", query, plain=asked, reach=2.5 if asked else 0.0)
    tally = gp.Tally(gp.Design("liars", (own,), questions=(share,)))
    tally.add(ReportBatch(0, np.zeros((N, 2), dtype=np.int64)))
    told = gp.estimate(tally.design, tally)["disc"].leverage
    assert tally.design.contributions[0].moved(1, N) == pytest.approx(told)
