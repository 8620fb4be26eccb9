"""Are raw reports alike on all days? Chance says no at the stated rate; liars of one day are found."""

from __future__ import annotations

import json
from datetime import date

import numpy as np
import pytest

import geopriv as gp
from geopriv.answers.days import FEWEST, homogeneity, shifts
from geopriv.errors import InvalidParameter
from geopriv.reports import ReportBatch
from geopriv.reports.tallies import Tally
from tests.designs import grouped_design, lattice_design

LINE = gp.Design(
    "line",
    (gp.Lattice.on_grid(gp.Line(), 1.0, 0.25, (0.0,)),),
    (),
    (gp.Share("above", gp.Threshold(0.0, 4.0, edge="smooth")), gp.Share("far", gp.Threshold(9.0, 4.0, edge="smooth"))),
)
PLANE = lattice_design()


def day(rng: np.random.Generator, n: int, design: gp.Design = LINE, liars: int = 0, lie: int = 8) -> Tally:
    """Reports of people around 0, and of liars who all send the same."""
    axes = design.mechanisms[0].limits[0]
    rows = np.rint(rng.normal(0.0, 12.0, (n, axes))).astype(np.int64)
    rows[:liars, -1] = lie
    found = Tally(design)
    found.add(ReportBatch(0, rows))
    return found


@pytest.mark.parametrize(("design", "sizes"), [(LINE, (1000,) * 5), (PLANE, (300, 2000, 700)), (LINE, (400, 900))])
def test_days_that_are_alike_differ_as_often_as_is_stated(design: gp.Design, sizes: tuple[int, ...]) -> None:
    """A twentieth of 300 times by chance; 15 ± 3.8. A right test is outside of these limits once in 2,000 times."""
    rng = np.random.default_rng(20)
    found = [shifts({k: day(rng, n, design) for k, n in enumerate(sizes)}).p_value or 0.0 for _ in range(300)]
    assert 4 <= sum(p < 0.05 for p in found) <= 29


def test_the_chance_is_right_far_out_where_cells_are_few() -> None:
    """At 0.001, with 20 reports expected in a cell: 30 ± 5.5 of 30,000 rows."""
    rng = np.random.default_rng(21)
    tables = rng.multinomial(200, np.full(10, 0.1), (3000, 10))
    assert sum(int((homogeneity(table) < 1e-3).sum()) for table in tables) <= 52


@pytest.mark.parametrize("design", [LINE, PLANE])
def test_two_in_a_hundred_liars_of_one_day_are_found(design: gp.Design) -> None:
    """Who all send one usual report, on one of seven days of 10,000: in each of 20 surveys."""
    rng = np.random.default_rng(22)
    for _ in range(20):
        days = {date(2030, 1, 1 + k): day(rng, 10_000, design, 200 * (k == 4)) for k in range(7)}
        found = shifts(days)
        assert found.differ
        assert found.oddest is not None
        assert found.oddest.name == "2030-01-05"


def test_it_is_told_which_answer_moved_and_that_it_may_be_true() -> None:
    rng = np.random.default_rng(23)
    found = shifts({k: day(rng, 3_000, liars=300 * (k == 1), lie=60) for k in range(3)})
    assert found.moved is not None
    assert found.moved.question == "far"
    assert found.moved.there > found.moved.elsewhere + 5 * found.moved.error
    assert "'far'" in found.words
    assert "reports cannot tell which" in found.words
    document = json.loads(json.dumps(found.to_document()))
    assert document["differ"] is True
    assert document["oddest"] == "1"
    assert [each["reports"] for each in document["days"]] == [3_000] * 3
    assert document["words"] == found.words


def test_groups_and_mechanisms_are_compared_too() -> None:
    design, rng = grouped_design(), np.random.default_rng(24)

    def of_groups(shares: tuple[float, ...]) -> Tally:
        made = Tally(design)
        groups = rng.choice(3, 4_000, p=shares)
        made.add(ReportBatch(0, rng.integers(0, 4, (4_000, 1)), groups=groups))
        return made

    even, odd = (0.3, 0.3, 0.4), (0.4, 0.3, 0.3)
    assert not shifts({k: of_groups(even) for k in "abc"}).differ
    assert shifts({"a": of_groups(even), "b": of_groups(odd), "c": of_groups(even)}).differ


def test_days_of_few_reports_are_joined_with_the_next() -> None:
    rng = np.random.default_rng(25)
    sizes = {"1": 50, "2": 0, "3": 150, "4": 900, "5": 199}
    found = shifts({name: day(rng, n) for name, n in sizes.items()})
    assert [(each.name, each.reports) for each in found.days] == [("1 to 3", 200), ("4 to 5", 1099)]
    few = shifts({"1": day(rng, 199), "2": day(rng, 100)})
    assert few.p_value is None
    assert f"{FEWEST} reports on each of two days" in few.words
    assert shifts({}).to_document()["days"] == []


def test_reports_that_all_say_the_same_are_alike() -> None:
    same = Tally(LINE)
    same.add(ReportBatch(0, np.zeros((500, 1), dtype=np.int64)))
    assert shifts({"1": same, "2": same}).p_value == 1.0


def test_what_cannot_be_compared_is_refused() -> None:
    rng = np.random.default_rng(26)
    with pytest.raises(InvalidParameter, match="of one design"):
        shifts({1: day(rng, 300), 2: day(rng, 300, PLANE)})
    with pytest.raises(InvalidParameter, match="strictly between"):
        shifts({}, 0.0)
