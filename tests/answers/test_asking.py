"""Questions that are asked of reports that exist: the same numbers as if they had been planned, marked and counted."""

from __future__ import annotations

import json
import multiprocessing
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import geopriv as gp
from geopriv.answers import Asked
from geopriv.answers.log import log_beside, note
from geopriv.pages import notebook_html, page_html
from geopriv.surveys import read_questions
from geopriv.surveys.later import require_answers, settle
from tests.answers.test_groups import ABOVE as GROUP_ABOVE
from tests.answers.test_groups import SCHEMA, counted
from tests.answers.test_groups import design as grouped
from tests.answers.test_survey_estimates import (
    ABOVE,
    CITY,
    USD,
    incomes,
    lattice_design,
    places,
    reported,
    split_design,
)
from tests.structure import errors_of

DESIGN = replace(lattice_design(ABOVE), source=gp.Source(("income",), (0.0,), (2e6,)))
TALLY, _ = reported(DESIGN, incomes(5_000))
LATER = gp.Share("above 70,000", gp.Threshold(70_000, 32_000, USD, "smooth"))
MEDIAN = gp.Quantile("quartiles", (0.25, 0.5, 0.75), USD, 0.0, 2e6)
TOWN = gp.Design("town", (gp.Lattice.calibrate(CITY, "1 per 1 km"),))
PLACES, _ = reported(TOWN, places(3_000))


def test_a_question_asked_later_has_the_answer_that_a_plan_would_have_given() -> None:
    (settled,) = settle(DESIGN, LATER, TALLY.n)
    planned = replace(DESIGN, questions=(settled,))
    same, _ = reported(planned, incomes(5_000))
    known, asked = gp.estimate(planned, same).answers[0], gp.estimate(DESIGN, TALLY, LATER).answers[0]
    np.testing.assert_array_equal(asked.estimates.values, known.estimates.values)
    np.testing.assert_array_equal(asked.estimates.standard_errors, known.estimates.standard_errors)
    assert known.plain is not None
    assert asked.plain is not None
    np.testing.assert_array_equal((asked.plain.low, asked.plain.high), (known.plain.low, known.plain.high))
    assert (known.asked_after, asked.asked_after) == (False, True)


def test_plain_answers_hold_the_truth_and_how_is_not_chosen_by_reports() -> None:
    values = incomes(5_000)
    (plain,) = (answer.plain for answer in gp.estimate(DESIGN, TALLY, LATER).answers)
    assert plain is not None
    assert plain.low < (values >= 70_000).mean() < plain.high
    # other people who are as many: the same reach
    others, _ = reported(DESIGN, incomes(5_000, seed=9) * 3)
    reaches = [gp.estimate(DESIGN, tally, [LATER, MEDIAN]).answers for tally in (TALLY, others)]
    assert [a.question.reach for a in reaches[0]] == [a.question.reach for a in reaches[1]]
    assert all(answer.question.reach > 0 for answer in reaches[0])


def test_a_question_of_the_design_keeps_the_reach_of_its_plan() -> None:
    planned = replace(DESIGN, questions=(ABOVE.with_reach(16_000.0),))
    (settled,) = settle(planned, replace(ABOVE, name="again"), 5_000)
    assert settled.reach == 16_000.0


def test_maps_and_areas_are_answered_in_the_plane() -> None:
    chart = gp.DensityMap("map", 2_000, (-8_000, -8_000), (8_000, 8_000), CITY, columns=5, rows=4)
    area = gp.Share("middle", gp.Blurred(gp.Ball((40.7, -74.0), 5_000, 500, CITY), 1_000), plain=False)
    found = gp.estimate(TOWN, PLACES, [chart, area])
    assert found["map"].band is not None
    inside = area.query(places(3_000)).mean()
    assert abs(float(found["middle"].estimates.values) - inside) < 5 * float(found["middle"].estimates.standard_errors)


def test_a_border_too_sharp_for_round_noise_is_refused_with_what_helps() -> None:
    sharp = gp.Share("sharp", gp.Ball((40.7, -74.0), 5_000, 500, CITY))
    with pytest.raises(gp.InvalidParameter, match=r"cannot answer 'sharp'.*Blur its border, by about 1/ε = 1.km"):
        gp.estimate(TOWN, PLACES, sharp)


def test_reports_of_tables_answer_what_they_were_made_for_and_nothing_else() -> None:
    tables = split_design()
    rule = "cannot answer 'above 70,000'.*They answer what the design asks: 'above 50000', 'above 150000'.*a Lattice"
    with pytest.raises(gp.InvalidParameter, match=rule):
        gp.estimate(tables, gp.Tally(tables), LATER)
    require_answers(tables, (tables.questions[0],))


@pytest.mark.parametrize(
    ("query", "rule"),
    [
        ((), "a question of a survey"),
        (LATER.query, "a question of a survey"),
        ((LATER, LATER), "of a name of its own"),
        (gp.Share("m", gp.Threshold(1.0, 1.0, gp.Line("m"))), "on the space of the reports"),
        (gp.Mean("mean", USD, low=(0.0,), high=(5.0,)), "those of the design's source"),
    ],
)
def test_what_cannot_be_asked_is_refused(query: Any, rule: str) -> None:
    with pytest.raises(gp.InvalidParameter, match=rule):
        gp.estimate(DESIGN, TALLY, query if isinstance(query, tuple) else [query])


def test_groups_are_answered_too() -> None:
    made = grouped()
    share = gp.Share("above 1", gp.Threshold(1.0, 4.0, edge="smooth"))
    found = gp.estimate(made, counted(made, 1), share, simultaneous=True, of=4)
    assert list(found.groups) == ["Kings", "Queens", "New York"]
    group = found.group("Kings")["above 1"]
    assert group.asked_after
    each = 1 - 0.05 / 4
    assert found["above 1"].estimates.confidence == pytest.approx(each)
    assert group.estimates.confidence == pytest.approx(each ** (1 / 3))
    assert GROUP_ABOVE.name not in [answer.question.name for answer in found.answers]


def test_every_answer_says_that_it_was_asked_after_collecting() -> None:
    found = gp.estimate(DESIGN, TALLY, [LATER, MEDIAN])
    assert str(found).count("asked after collecting") == 2
    for html in (page_html(found), notebook_html(found)):
        assert "above 70,000 (asked after collecting)" in html
        assert "Asked after collecting: 4 questions so far of these reports." in html
        assert "does not depend on these reports" in html
    assert "fixed before anybody reported" not in page_html(found)
    assert "(asked after collecting)" in notebook_html(found.answers[0])
    assert set(found.to_arrow()["asked_after"].to_pylist()) == {True}
    document = json.loads(json.dumps(found.to_document()))
    assert errors_of(SCHEMA, document) == []
    assert document["asked"] == {"so_far": 4, "of": None, "confidence": 0.95}
    again = gp.Answers.from_document(document)
    assert again.asked == found.asked
    assert again.answers[0].asked_after
    assert str(again) == str(found)


def test_planned_answers_say_nothing_of_it() -> None:
    found = gp.estimate(DESIGN, TALLY)
    assert found.asked is None
    assert "asked after" not in str(found) + page_html(found) + notebook_html(found)
    planned = replace(DESIGN, questions=(MEDIAN.with_reach(16e3),))
    assert "fixed before anybody reported" in page_html(gp.estimate(planned, reported(planned, incomes(500))[0]))


def test_questions_hold_at_once_at_the_level_that_their_number_asks_for() -> None:
    found = gp.estimate(DESIGN, TALLY, [LATER, MEDIAN], simultaneous=True, of=10)
    assert found.asked == Asked(4, 10, 0.95)
    assert {answer.estimates.confidence for answer in found.answers} == {1 - 0.05 / 10}
    assert "10 questions hold at once with 95" in str(found)
    bare = gp.estimate(DESIGN, TALLY, [LATER, MEDIAN], simultaneous=True)
    assert bare.asked == Asked(4, 4, 0.95)
    with pytest.raises(gp.InvalidParameter, match="at least the 4 that were asked"):
        gp.estimate(DESIGN, TALLY, [LATER, MEDIAN], simultaneous=True, of=3)
    with pytest.raises(gp.InvalidParameter, match="given with simultaneous"):
        gp.estimate(DESIGN, TALLY, LATER, of=3)


def test_all_hold_at_once_and_would_not_if_each_stood_for_itself() -> None:
    """Half of 60 surveys, six questions: by chance fewer than 20 hold at once with a probability below 0.4 %."""
    line, n = gp.Line(), 300
    questions = [
        gp.Share(f"above {at}", gp.Threshold(2.0 * at - 5.0, 3.0, line, "smooth"), plain=False) for at in range(6)
    ]
    lattice = gp.Lattice.calibrate(line, 1.0, queries=[question.query for question in questions])
    made, rng = gp.Design("many", (lattice,)), np.random.default_rng(5)
    values = rng.normal(size=n) * 3
    truths = np.array([question.query(values).mean() for question in questions])
    held = np.zeros(2, dtype=int)
    for _ in range(60):
        tally = gp.Tally(made)
        tally.add(gp.reports.ReportBatch(0, lattice.simulate(values, rng).values.astype(np.int64)[:, None]))
        for k, at_once in enumerate((True, False)):
            found = gp.estimate(made, tally, questions, 0.5, simultaneous=at_once)
            ends = np.array([(answer.estimates.low, answer.estimates.high) for answer in found.answers])
            held[k] += bool(((ends[:, 0] <= truths) & (truths <= ends[:, 1])).all())
    assert held[0] >= 20
    assert held[1] < 20


def test_the_log_counts_each_question_once_whatever_it_is_called(tmp_path: Path) -> None:
    log = log_beside(tmp_path / "reports.parquet", DESIGN)
    assert log.parent == tmp_path
    first = gp.estimate(DESIGN, TALLY, LATER, log=log)
    again = gp.estimate(DESIGN, TALLY, replace(LATER, name="the same"), log=log)
    more = gp.estimate(DESIGN, TALLY, MEDIAN, simultaneous=True, log=log)
    assert [found.asked and found.asked.so_far for found in (first, again, more)] == [1, 1, 4]
    assert more.asked is not None
    assert more.asked.of == 4
    kept = json.loads(log.read_bytes())
    assert kept["design"] == DESIGN.hash
    assert [row["name"] for row in kept["questions"]] == ["above 70,000", "quartiles"]


def test_who_tries_several_reaches_has_asked_as_many_questions(tmp_path: Path) -> None:
    """The shortest of many intervals errs more often than each: T14 holds for a reach that was fixed before."""
    log = tmp_path / "log.json"
    tried = [replace(LATER.with_reach(reach), name=f"{reach}") for reach in (4_000.0, 8_000.0, 16_000.0)]
    for question in tried:
        found = gp.estimate(DESIGN, TALLY, [question], log=log)
    assert found.asked is not None
    assert found.asked.so_far == 3
    chosen = gp.estimate(DESIGN, TALLY, LATER, simultaneous=True, log=log)
    assert chosen.asked is not None
    assert (chosen.asked.so_far, chosen.asked.of) == (4, 4)
    assert "each reach counts as another question" in str(chosen)


def test_a_question_that_is_refused_is_not_counted(tmp_path: Path) -> None:
    log = tmp_path / "log.json"
    with pytest.raises(gp.InvalidParameter):
        gp.estimate(DESIGN, TALLY, gp.Share("m", gp.Threshold(1.0, 1.0, gp.Line("m"))), log=log)
    with pytest.raises(gp.InvalidParameter):
        gp.estimate(DESIGN, TALLY, [LATER, MEDIAN], simultaneous=True, of=2, log=log)
    assert not log.exists()


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "null", '{"type":"Asked","version":1,"design":"x"}', '{"type":"Asked","version":2}']
)
def test_a_damaged_log_is_no_empty_one(content: str, tmp_path: Path) -> None:
    log = tmp_path / "log.json"
    log.write_text(content)
    with pytest.raises(gp.InvalidParameter, match="is damaged, so nobody knows how many"):
        gp.estimate(DESIGN, TALLY, LATER, log=log)
    assert log.read_text() == content


def test_the_log_of_another_design_is_refused(tmp_path: Path) -> None:
    log = tmp_path / "log.json"
    gp.estimate(TOWN, PLACES, gp.DensityMap("m", 2_000, (0, 0), (9e3, 9e3), CITY, 2, 2), log=log)
    with pytest.raises(gp.InvalidParameter, match="of the design"):
        gp.estimate(DESIGN, TALLY, LATER, log=log)


def test_a_log_that_cannot_be_written_is_an_error_and_no_answer(tmp_path: Path) -> None:
    with pytest.raises(gp.InvalidParameter, match=r"cannot be written.*--log"):
        gp.estimate(DESIGN, TALLY, LATER, log=tmp_path / "nowhere" / "log.json")


def _ask_many(log: str, first: int) -> None:
    for at in range(first, first + 10):
        note(DESIGN, [gp.Share(f"above {at}", gp.Threshold(1_000.0 * at, 32_000, USD))], 0.95, False, None, log)


def test_two_who_ask_at_the_same_time_take_turns(tmp_path: Path) -> None:
    log = str(tmp_path / "log.json")
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=_ask_many, args=(log, first)) for first in (10, 50, 90)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    assert len(json.loads(Path(log).read_bytes())["questions"]) == 30


def test_what_fails_while_the_log_is_written_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log.json"
    gp.estimate(DESIGN, TALLY, LATER, log=log)
    before = log.read_bytes()

    def broken(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", broken)
        with pytest.raises(gp.InvalidParameter, match="No space left"):
            gp.estimate(DESIGN, TALLY, MEDIAN, log=log)
    assert log.read_bytes() == before
    assert {path.name for path in tmp_path.iterdir()} == {"log.json", ".log.json.lock"}
    assert gp.estimate(DESIGN, TALLY, MEDIAN, log=log).asked == Asked(4)


def test_a_file_of_questions_has_the_syntax_of_a_survey(tmp_path: Path) -> None:
    file = tmp_path / "questions.toml"
    file.write_text('[[query]]\nkind = "threshold"\nat = 70_000\n\n[[query]]\nkind = "quantile"\n')
    threshold, median = read_questions(file, DESIGN)
    assert (threshold.name, median.name) == ("above 70,000 USD", "median income")
    (query,) = threshold.queries
    assert query == gp.Threshold(70_000, 32_000, USD, "smooth")
    assert median.limits == ((0.0,), (2e6,))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1: there is no question; it needs tables [[query]]"),
        ('[[query]]\nkind = "threshold"\n', "line 1: query 1 lacks 'at'"),
        ('[[query]]\nkind = "threshold"\nat = -5\n', "line 3: query 1, 'at' must be in the range of the space"),
        (
            '[[query]]\nkind = "threshold"\nat = 5\nwdth = 3\n',
            "line 4: query 1, 'wdth' is no key of this kind of query",
        ),
        ('[[query]]\nkind = "ball"\ncenter = [1.0, 2.0]\nradius = 3\n', "line 2: query 1, 'kind' must be"),
        ('epsilon = 1\n[[query]]\nkind = "mean"\n', "line 1: 'epsilon' belongs to the survey, whose design has it"),
        ('qery = 1\n[[query]]\nkind = "mean"\n', "line 1: 'qery' is no key of the questions"),
        ('[[query]]\nkind = "mean"\n[[query]]\nkind = "mean"\n', "line 3: query 2, 'name' must be a name of its own"),
        ("[[query]\n", "this is no TOML"),
    ],
)
def test_what_is_wrong_in_a_file_of_questions_is_told_with_its_line(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "questions.toml"
    file.write_text(text)
    with pytest.raises(gp.InvalidParameter) as error:
        read_questions(file, DESIGN)
    assert str(error.value).startswith(f"{file}, line")
    assert said in str(error.value)


def test_estimates_of_the_version_before_are_still_read() -> None:
    document = json.loads(json.dumps(gp.estimate(DESIGN, TALLY).to_document()))
    old = {key: value for key, value in document.items() if key != "asked"} | {"version": 2}
    old["answers"] = [
        {key: value for key, value in part.items() if key not in ("map", "asked_after")} for part in old["answers"]
    ]
    assert gp.Answers.from_document(old).to_document() == document
    older = old | {"answers": [{k: v for k, v in part.items() if k != "leverage"} for part in old["answers"]]}
    assert gp.Answers.from_document(older).answers[0].leverage is None
    with pytest.raises(gp.InvalidParameter, match="'version' must be 3, or 2"):
        gp.Answers.from_document(document | {"version": 4})
    for broken in ({"answers": 3}, {"groups": [3]}, {"groups": 3}):
        with pytest.raises(gp.InvalidParameter):
            gp.Answers.from_document(old | broken)


def test_maps_of_estimates_have_degrees_and_the_densities_of_the_page() -> None:
    chart = gp.DensityMap("map", 2_000, (-8_000, -8_000), (8_000, 8_000), CITY, columns=5, rows=4)
    found = gp.estimate(TOWN, PLACES, chart)
    told, rows = found.to_document()["answers"][0]["map"], found.to_arrow()
    assert told["unit"] == rows["unit"][0].as_py()
    np.testing.assert_array_equal(np.ravel(told["value"]), rows["value"].to_numpy())
    np.testing.assert_array_equal(np.ravel(told["low"]), rows["band_low"].to_numpy())
    np.testing.assert_allclose(np.ravel(told["longitude"]), rows["longitude"].to_numpy(), atol=1e-7)
    np.testing.assert_allclose(np.ravel(told["latitude"]), rows["latitude"].to_numpy(), atol=1e-7)
    assert told["x"] is None
