"""How much one report counts: exact of tables, a bound of grids, of the right share of all reports."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import geopriv as gp
from geopriv.surveys.contributions import Contribution
from tests.commands.test_cli import run
from tests.designs import small_table

STEP, HIGH, CURVE = gp.Threshold(0.0, 2.0), gp.Threshold(3.0, 2.0), gp.Threshold(0.0, 4.0, edge="smooth")


def asked(*queries: gp.queries.Query) -> tuple[gp.Share, ...]:
    return tuple(gp.Share(f"share {k}", query, plain=False) for k, query in enumerate(queries))


def table_design() -> gp.Design:
    return gp.Design("table", (small_table(STEP, 1.0),), questions=asked(STEP))


def two_tables() -> gp.Design:
    return gp.Design("tables", (small_table(STEP, 1.0), small_table(HIGH, 1.0)), (3, 1), asked(STEP, HIGH))


def lattice_design() -> gp.Design:
    return gp.Design("grid", (gp.Lattice.calibrate(gp.Line(), 1.0, queries=[CURVE]),), questions=asked(CURVE))


def test_of_a_table_it_is_the_range_of_its_values_exactly() -> None:
    design = table_design()
    (one,) = design.contributions
    (table,) = design.mechanisms
    assert isinstance(table, gp.Table)
    assert (one.largest, one.exact, one.share) == (np.ptp(table.values), True, Fraction(1))


def test_where_each_person_answers_one_of_several_a_liar_moves_it_by_more() -> None:
    design = two_tables()
    for one, mechanism, drawn in zip(design.contributions, design.mechanisms, design.shares, strict=True):
        assert isinstance(mechanism, gp.Table)
        assert one.share == Fraction(drawn, sum(design.shares)) < 1
        assert one.moved(3, 1_000) == pytest.approx(3 * np.ptp(mechanism.values) / (1_000 * float(one.share)))


def test_of_a_grid_it_is_a_bound_and_said_to_be() -> None:
    assert [one.exact for one in lattice_design().contributions] == [False]


def test_stating_it_changes_no_design() -> None:
    design = table_design()
    before = design.to_bytes()
    assert design.contributions
    assert design.to_bytes() == before
    assert "contribution" not in design.document


def test_audit_says_it_in_words_and_in_json(tmp_path: Path) -> None:
    design = table_design()
    design.write(tmp_path / "design.json")
    said = " ".join(run("audit", "design.json", cwd=tmp_path).stdout.split())
    assert design.contributions[0].words in said
    found = json.loads(run("audit", "design.json", "--json", cwd=tmp_path).stdout)["contributions"]
    assert [(part["largest"], part["exact"]) for part in found] == [(design.contributions[0].largest, True)]


def test_words_round_up_and_name_what_is_moved() -> None:
    assert "2.18·k/n; 1 in 100: 2.18 points" in Contribution("a", 2.1701, True, Fraction(1)).words
    assert "4·k/n; 1 in 100: 4 points" in Contribution("a", 2.0, True, Fraction(1, 2)).words
    assert "163·k/n; 1 in 100: to anything." in Contribution("a", 163.0, False, Fraction(1)).words
    number = Contribution("a", 5_000.0, True, Fraction(1), "households").words
    assert "this number could move by at most 5,000·k/n households; 1 in 100: 50 households." in number
    assert "no bound is known" in Contribution("a", np.inf, False, Fraction(1)).words
