"""Answers: estimates.json there and back, what its schema says, what is refused, and the text people read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import geopriv as gp
from tests.answers.test_survey_estimates import (
    ABOVE,
    CURVE,
    MAP,
    REGION,
    incomes,
    lattice_design,
    places,
    reported,
)
from tests.structure import errors_of

SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"
SCHEMA, DESIGNS = (json.loads((SCHEMAS / f"{name}.schema.json").read_text("utf-8")) for name in ("estimates", "design"))


def answered(*questions: gp.queries.Question, consistent: bool = False) -> gp.Answers:
    design = lattice_design(*questions)
    tally, _ = reported(design, incomes(2000) if questions[0].space == ABOVE.space else places(500))
    tally.rejected["wrong design"] = 7
    return gp.estimate(design, tally, confidence=0.9, consistent=consistent)


INCOMES, PLACES = answered(ABOVE, CURVE, consistent=True), answered(MAP, REGION)


@pytest.mark.parametrize("answers", [INCOMES, PLACES], ids=["incomes", "places"])
def test_answers_come_back_from_their_file_to_the_last_bit(answers: gp.Answers, tmp_path: Path) -> None:
    answers.write(tmp_path / "estimates.json")
    again = gp.Answers.read(tmp_path / "estimates.json")
    assert again.to_document() == answers.to_document()
    for one, other in zip(answers.answers, again.answers, strict=True):
        assert one.question == other.question
        assert np.array_equal(one.estimates.values, other.estimates.values)
        assert np.array_equal(one.estimates.low, other.estimates.low)
        assert one.estimates.values.shape == other.estimates.values.shape
    names = ("survey", "design", "guarantee", "space", "n", "rejected")
    assert all(getattr(answers, name) == getattr(again, name) for name in names)


@pytest.mark.parametrize("answers", [INCOMES, PLACES], ids=["incomes", "places"])
def test_the_file_fits_the_schema_and_every_value_has_its_interval(answers: gp.Answers) -> None:
    document = json.loads(json.dumps(answers.to_document(), allow_nan=False))
    assert errors_of(SCHEMA, document) == []
    for answer in document["answers"]:
        soft = answer["soft"]
        low, value, high = (np.asarray(soft[name]) for name in ("low", "value", "high"))
        assert (low < value).all()
        assert (value < high).all()
        if answer["question"]["type"] != "Share":
            assert (np.asarray(soft["band"]["low"]) <= low).all()
        assert (np.asarray(soft["finite"]["high"]) > high).all()
        assert soft["edge"]


def test_the_schemas_of_designs_and_estimates_agree() -> None:
    shared = set(SCHEMA["$defs"]) & set(DESIGNS["$defs"])
    assert {"Share", "Distribution", "DensityMap", "Space", "Guarantee"} <= shared
    assert all(SCHEMA["$defs"][name] == DESIGNS["$defs"][name] for name in shared)


def test_infinite_errors_are_written_as_text() -> None:
    (share, _) = INCOMES.answers
    single = gp.answers.Estimates(np.array(0.5), np.array(np.inf), 1, np.nan, 0.95)
    answers = gp.Answers(
        "one", INCOMES.design, INCOMES.guarantee, INCOMES.space, (gp.answers.Answer(share.question, single),), 1
    )
    document = answers.to_document()
    assert errors_of(SCHEMA, document) == []
    assert document["answers"][0]["soft"]["high"] == "inf"
    assert document["answers"][0]["soft"]["bias"] is None
    again = gp.Answers.from_document(document).answers[0].estimates
    assert again.low == -np.inf
    assert np.isnan(again.bias)


CHANGES: list[dict[str, Any]] = [
    {"version": 1},
    {"type": "Design"},
    {"n": -1},
    {"n": 1.5},
    {"extra": 1},
    {"survey": 3},
    {"rejected": {"malformed": -1}},
    {"rejected": []},
    {"answers": {}},
    {"answers": [3]},
    {"space": {"type": "Ramp", "width": 1.0}},
]
SOFT_CHANGES: list[dict[str, Any]] = [
    {"value": 0.5},
    {"value": [0.5]},
    {"value": ["0.5"] * len(CURVE.at)},
    {"value": [True] * len(CURVE.at)},
    {"value": [None] * len(CURVE.at)},
    {"value": [10**400] * len(CURVE.at)},
    {"standard_error": [-0.1] * len(CURVE.at)},
    {"band": {"low": [0.0]}},
    {"consistent": "yes"},
    {"extra": 1},
]
ANSWER_CHANGES: list[dict[str, Any]] = [
    {"confidence": 1.0},
    {"plain": {"low": [0.0]}},
    {"plain": 3},
    {"soft": None},
    {"question": {"type": "Ramp", "width": 1.0, "center": 0.0, "rising": True}},
    {"n": "many"},
]


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_a_damaged_document_is_refused(change: dict[str, Any]) -> None:
    document = INCOMES.to_document() | change
    with pytest.raises(gp.GeoprivError):
        gp.Answers.from_document(document)
    assert errors_of(SCHEMA, document) != []


@pytest.mark.parametrize("change", ANSWER_CHANGES, ids=lambda change: str(change)[:40])
def test_a_damaged_answer_is_refused(change: dict[str, Any]) -> None:
    document = INCOMES.to_document()
    document["answers"][1] |= change
    with pytest.raises(gp.GeoprivError):
        gp.Answers.from_document(document)


@pytest.mark.parametrize("change", SOFT_CHANGES, ids=lambda change: str(change)[:40])
def test_a_damaged_soft_answer_is_refused(change: dict[str, Any]) -> None:
    document = INCOMES.to_document()
    document["answers"][1]["soft"] |= change
    with pytest.raises(gp.GeoprivError):
        gp.Answers.from_document(document)


@pytest.mark.parametrize("text", ["", "{", "[]", "NaN", '{"n": NaN}', "\xff"])
def test_a_file_that_holds_no_estimates_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "estimates.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(gp.InvalidParameter):
        gp.Answers.read(tmp_path / "estimates.json")


def test_values_that_are_no_numbers_are_not_written() -> None:
    (share, _) = INCOMES.answers
    broken = gp.answers.Estimates(np.array(np.nan), np.array(1.0), 5, 0.0, 0.95)
    answers = gp.Answers(
        "x", INCOMES.design, INCOMES.guarantee, INCOMES.space, (gp.answers.Answer(share.question, broken),), 5
    )
    with pytest.raises(gp.InvalidParameter):
        answers.to_document()


def test_the_text_gives_the_answers_first_with_their_intervals() -> None:
    lines = str(INCOMES).splitlines()
    share = INCOMES["above 100,000"].estimates[()]
    said = f"counting people {ABOVE.in_part} in part: {100 * share.value:.0f}"
    assert lines[0].startswith(f"above 100,000: {said}")
    curve = next(k for k, line in enumerate(lines) if line.startswith("distribution"))
    assert lines[curve].startswith(f"distribution: % at or above, counting people {CURVE.in_part} in part")
    assert "off by at most" in "".join(lines[curve : curve + 3])
    assert sum("off by at most" in line for line in lines[curve:]) == 1
    assert any(line.lstrip().startswith("20,000 USD  9") for line in lines)
    assert max(map(len, lines)) <= 100
    assert "2,000 reports counted, 7 rejected (7 wrong design)" in lines
    assert any("look alike up to a factor" in line for line in lines)
    assert INCOMES.design in lines[-1]


def test_the_text_of_a_map_says_where_it_is_highest() -> None:
    text = str(PLACES)
    found = PLACES["density"].estimates.values
    center = MAP.queries[int(found.argmax())].center  # type: ignore[attr-defined]
    assert "7 × 5 places" in text
    assert f"{center[0]:.3f}" in text
    percent = 100 * 1e6 / (2 * np.pi * MAP.bandwidth**2)  # a square kilometre, as on the page
    assert f"in % of people per km²: {percent * found.max():.3f}" in text


@pytest.mark.parametrize("error", [0.0, 3e-18, 0.02])
def test_an_interval_of_no_length_where_nobody_reported_is_not_shown(error: float) -> None:
    """Reports that are all alike have no spread, and that says nothing about the truth."""
    share = gp.Share("rare", gp.Threshold(100.0, 10.0))
    nobody = gp.answers.Estimates(np.array(-1e-17), np.array(error), 300, 0.0, 0.95)
    found = gp.answers.Answer(share, nobody, finite=gp.answers.Band(np.array(-0.0312), np.array(0.0312)))
    answers = gp.Answers("x", "0" * 64, INCOMES.guarantee, gp.Line(), (found,), 300)
    text = str(answers).replace("\u202f", " ")
    assert text.startswith("rare: counting people within 5 units of the line in part: at most 3.2 % (95 % interval for")
    for shown in (answers._repr_html_(), found._repr_html_()):
        assert "<strong>At most 3.2\u202f%</strong> of people" in shown
        assert "(95\u202f% interval for any number of reports 0.0 to 3.2\u202f%)" in shown


def test_the_text_says_what_was_made_consistent() -> None:
    share = gp.Share("rare", gp.Threshold(100.0, 10.0))
    below = gp.answers.Estimates(np.array(-0.01), np.array(0.02), 10, 0.0, 0.95)
    found = gp.answers.Answer(share, below, consistent=np.array(0.0))
    answers = gp.Answers("x", "0" * 64, INCOMES.guarantee, gp.Line(), (found,), 10)
    assert "  made consistent, and biased by that: 0" in str(answers).splitlines()


def test_a_long_curve_is_cut_short() -> None:
    curve = gp.Distribution("long", tuple(float(k) for k in range(100)), 40.0, gp.Line())
    found = gp.answers.Estimates(np.linspace(1, 0, 100), np.full(100, 0.01), 10, 0.0, 0.95)
    answers = gp.Answers("x", "0" * 64, INCOMES.guarantee, gp.Line(), (gp.answers.Answer(curve, found),), 10)
    assert "12 of 100 rows shown" in str(answers)
    assert ", none rejected" in str(answers)


def test_one_answer_is_printed_as_its_own_lines() -> None:
    assert str(INCOMES).startswith(str(INCOMES["above 100,000"]))
    assert "distribution" not in str(INCOMES["above 100,000"])


def test_a_name_that_is_not_there_is_told_with_those_that_are() -> None:
    with pytest.raises(KeyError, match=r"no question 'above 10,000'. Did you mean 'above 100,000'\? There are: 'above"):
        INCOMES["above 10,000"]
    with pytest.raises(KeyError, match=r"no group 'Kings'. There are: none"):
        INCOMES.group("Kings")
