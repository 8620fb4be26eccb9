"""Questions, sources and surveys: what they refuse, and designs that hold them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import geopriv as gp

USD = gp.Line("USD")
CITY = gp.LocalPlane(40.5, -74.3, 40.95, -73.65)
ABOVE = gp.Share("above 100,000", gp.Threshold(100_000, 16_000, USD))
CURVE = gp.Distribution("distribution", (50_000, 100_000, 150_000), 32_000, USD)
MAP = gp.DensityMap("density", 2_000, (-20_000, -20_000), (20_000, 20_000), CITY, columns=5, rows=4)


def test_a_map_has_a_kernel_for_every_point_of_its_grid() -> None:
    x, y = MAP.axes
    assert MAP.shape == (x.size, y.size) == (5, 4)
    centers = np.array([CITY.project(query.center) for query in MAP.queries])  # type: ignore[attr-defined]
    assert np.abs(centers.reshape(5, 4, 2)[3, 2] - [x[3], y[2]]).max() < 1e-6


@pytest.mark.parametrize("questions", [(ABOVE, CURVE), (CURVE,)], ids=["two", "one"])
def test_a_design_keeps_its_questions_and_its_source(
    questions: tuple[gp.queries.Question, ...], tmp_path: Path
) -> None:
    queries = [query for question in questions for query in question.queries]
    lattice = gp.Lattice.calibrate(USD, "1 per 8,000 USD", queries=queries)
    source = gp.Source(("income",), (0.0,), (1e6,), person="id")
    design = gp.Design("income", (lattice,), questions=questions, source=source)
    design.write(tmp_path / "design.json")
    again = gp.Design.read(tmp_path / "design.json")
    assert again.questions == questions
    assert again.source == source
    assert again.hash == design.hash


def test_a_query_is_answered_by_its_own_table_first() -> None:
    other = gp.Threshold(50_000, 16_000, USD)
    table = gp.Table.calibrate(ABOVE.query, "1 per 8,000 USD")
    lattice = gp.Lattice.calibrate(USD, "1 per 8,000 USD", queries=[other])
    design = gp.Design("both", (lattice, table), questions=(ABOVE, gp.Share("above 50,000", other)))
    assert [design.answering(question.queries[0]) for question in design.questions] == [1, 0]


def test_a_question_that_no_mechanism_answers_is_refused() -> None:
    table = gp.Table.calibrate(ABOVE.query, "1 per 8,000 USD")
    with pytest.raises(gp.InvalidParameter, match="answered by one of its mechanisms"):
        gp.Design("income", (table,), questions=(CURVE,))


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: gp.Share("", ABOVE.query), "name"),
        (lambda: gp.Share("a\nb", ABOVE.query), "name"),
        (lambda: gp.Share("<script>", ABOVE.query), "name"),
        (lambda: gp.Share("x", 5), "query"),  # type: ignore[arg-type]
        (lambda: gp.Distribution("x", (1.0,), 1.0, USD), "at"),
        (lambda: gp.Distribution("x", (2.0, 1.0), 1.0, USD), "at"),
        (lambda: gp.Distribution("x", (1.0, 2.0), 0.0, USD), "width"),
        (lambda: gp.DensityMap("x", 1.0, (0, 0), (1, 1), USD), "space"),
        (lambda: gp.DensityMap("x", 1.0, (0, 0), (1, 0), CITY), "high"),
        (lambda: gp.DensityMap("x", 1.0, (0, 0), (1, 1), CITY, rows=1), "rows"),
        (lambda: gp.DensityMap("x", 1.0, (0, 0), (1, 1), CITY, 1000, 1000), "rows"),
        (lambda: gp.Source(()), "columns"),
        (lambda: gp.Source(("a", "a")), "columns"),
        (lambda: gp.Source(("a",), person="a"), "columns"),
        (lambda: gp.Source(("a",), (1.0,), ()), "high"),
        (lambda: gp.Source(("a",), (1.0,), (1.0,)), "high"),
        (lambda: gp.Source(("a", "b"), (0.0,), (1.0,)), "low"),
        (lambda: gp.Source(("a", "b"), (0.0, 0.0), (1.0, 1.0)).require_fit(CITY), "low"),
        (lambda: gp.Source(("a", "b")).require_fit(USD), "columns"),
        (lambda: gp.Survey("x", USD, 0.0, (ABOVE,), 10), "epsilon"),
        (lambda: gp.Survey("x", USD, 1.0, (), 10), "questions"),
        (lambda: gp.Survey("x", USD, 1.0, (ABOVE, ABOVE), 10), "questions"),
        (lambda: gp.Survey("x", CITY, 1.0, (ABOVE,), 10), "questions"),
        (lambda: gp.Survey("x", USD, 1.0, (ABOVE,), 0), "people"),
    ],
)
def test_what_is_no_question_is_refused_by_name(make, word: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(gp.InvalidParameter, match=f"'{word}'"):
        make()
