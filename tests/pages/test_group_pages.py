"""Groups on the page and in the terminal: a table a question, and what their intervals mean."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import geopriv as gp
from geopriv.pages.groups import group_lines, group_tables
from geopriv.reports import ReportBatch
from tests.answers.test_groups import ABOVE, CURVE, NAMES, SIZES, counted, design


def test_the_page_has_a_table_of_groups_for_each_number(tmp_path: Path) -> None:
    made = design(SIZES, ABOVE, CURVE)
    answers = gp.estimate(made, counted(made, 1), simultaneous=True)
    (table,) = group_tables(answers)
    assert [(row.name, row.n) for row in table.rows] == list(zip(NAMES, ("200", "700", "100"), strict=True))
    assert all("%" in row.soft for row in table.rows)
    answers.write_page(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text("utf-8")
    assert page.count('id="groups"') == 1
    assert all(f'<th scope="row">{name}</th>' in page for name in NAMES)
    assert "hold in all groups at once with 95" in page
    assert "weighted by the known sizes of the groups" in page
    assert "told openly" in page
    assert "By group" in answers._repr_html_()


def test_a_page_without_groups_says_nothing_of_them(tmp_path: Path) -> None:
    plain = gp.Design("alone", design().mechanisms, (), (ABOVE,))
    own, counts = gp.Tally(plain), counted(design(), 1).counts(0)
    own.add(ReportBatch(0, counts.rows.repeat(counts.times, axis=0)))
    answers = gp.estimate(plain, own)
    answers.write_page(tmp_path / "report.html")
    assert 'id="groups"' not in (tmp_path / "report.html").read_text("utf-8")
    assert group_lines(answers) == []


def test_names_of_groups_are_escaped(tmp_path: Path) -> None:
    groups = gp.queries.Groups("county", ("<b>Kings</b>", "Queens & co", "c"))
    made, total = gp.Design("by county", design().mechanisms, (), (ABOVE,), None, groups), counted(design(), 1)
    again = gp.Tally(made)
    for k in range(3):
        counts = total.counts(0, k)
        again.add(ReportBatch(0, counts.rows.repeat(counts.times, axis=0), groups=np.full(counts.n, k)))
    gp.estimate(made, again).write_page(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "<b>Kings" not in page
    assert "&lt;b&gt;Kings" in page


@pytest.mark.parametrize(("few", "words"), [(0, "0 reports: too few"), (1, "1 report: too few")])
def test_the_terminal_says_where_a_group_is_too_small(few: int, words: str) -> None:
    made = design(())
    said = str(gp.estimate(made, counted(made, 1, (200, 700, few))))
    assert f"New York, {words} for an error bar" in said
    assert "every report counts alike" in said
    assert "Each interval by itself" in said
