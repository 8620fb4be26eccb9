"""[groups] and counted: public labels and known sizes, from a survey to a design; anything else is one sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import geopriv as gp
from geopriv.device.designs import verify
from geopriv.queries import Groups
from geopriv.surveys import Survey
from tests.designs import document_of, grouped_design, rehashed, table_design
from tests.structure import errors_of

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "schemas" / "design.schema.json").read_text("utf-8"))
COUNTIES = '[groups]\ncolumn = "county"\nnames = ["Kings", "Queens"]\n'


def text(groups: str = COUNTIES, more: str = "", space: str = "") -> str:
    return f"""name = "Incomes"
epsilon = 1.0
per = "8,000 USD"
people = 200_000
{more}
[space]
kind = "line"
unit = "USD"
columns = ["income"]
person = "who"
range = [0, 2_000_000]
{space}
{groups}
[[query]]
kind = "threshold"
at = 100_000
"""


def test_groups_and_who_is_counted_reach_the_design() -> None:
    survey = Survey.parse(text(more='counted = "households"'))
    assert survey.groups == Groups("county", ("Kings", "Queens"))
    design = gp.plan(survey).design
    assert (design.groups, design.counted) == (survey.groups, "households")
    assert gp.Design.parse(design.to_bytes()) == design
    assert errors_of(SCHEMA, document_of(design)) == []


def test_weights_name_the_groups_where_names_are_left_out() -> None:
    weights = "[groups]\nweights = { Kings = 2736074, Queens = 2_405_464.5 }\n"
    groups = Survey.parse(text(weights)).groups
    assert groups == Groups("", ("Kings", "Queens"), (2736074.0, 2405464.5))
    ordered = weights.replace("[groups]", '[groups]\nnames = ["Queens", "Kings"]')
    found = Survey.parse(text(ordered)).groups
    assert found is not None
    assert (found.names, found.weights) == (("Queens", "Kings"), (2405464.5, 2736074.0))
    assert found.shares.sum() == pytest.approx(1.0, abs=1e-15)


def test_a_survey_and_a_design_without_groups_stay_what_they_were() -> None:
    survey = Survey.parse(text(""))
    assert (survey.groups, survey.counted) == (None, "people")
    assert not {"groups", "counted"} & document_of(table_design()).keys()


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        ('names = ["Kings"]', ["groups, 'names'", "2 to 1,000"]),
        ('names = ["Kings", "Kings"]', ["groups, 'names'", "none of them twice"]),
        ('names = ["Kings", " Queens"]', ["groups, 'names'", "without spaces at their ends"]),
        ('names = ["Kings", "Queens\\u200b"]', ["groups, 'names'", "printed and seen"]),
        ('names = ["Kings", 5]', ["groups, 'names'", "texts"]),
        (f'names = ["Kings", "{"q" * 61}"]', ["groups, 'names'", "at most 60 characters"]),
        (f"names = {[str(k) for k in range(1001)]}", ["groups, 'names'", "2 to 1,000"]),
        ('column = "county"', ["'groups' lacks 'names'", "'weights'"]),
        ('names = ["a", "b"]\nnmae = 1', ["groups, 'nmae'", "did you mean 'names'"]),
        ('names = ["a", "b"]\nzzz = 1', ["groups, 'zzz'", "the table [groups]", "column, names and weights"]),
        ('column = "income"\nnames = ["a", "b"]', ["groups, 'column'", "told openly", "'income'"]),
        ('column = "who"\nnames = ["a", "b"]', ["groups, 'column'", "told openly", "'who'"]),
        ('names = ["a", "b"]\nweights = { a = 1 }', ["groups, 'weights'", "2 to 1,000"]),
        ('names = ["a", "b"]\nweights = { a = 1, c = 2 }', ["groups, 'weights'", "'b' is in one only"]),
        ("weights = { a = 1, b = 0 }", ["groups, 'weights'", "how many people"]),
        ('weights = { a = 1, b = "many" }', ["groups, 'weights'", "how many people"]),
        ("weights = { a = 1e308, b = 1e308 }", ["groups, 'weights'", "a share of their sum"]),
        ('column = "county"\nweights = "w"', ["groups, 'weights'", "a second value, sent unprotected"]),
        ('names = ["a", "b"]\nweight = "w"', ["groups, 'weight'", "a second value, sent unprotected"]),
    ],
    ids=str,
)
def test_bad_groups_are_one_sentence(groups: str, words: list[str]) -> None:
    with pytest.raises(gp.InvalidParameter) as error:
        Survey.parse(text(f"[groups]\n{groups}\n"))
    assert all(word in str(error.value) for word in words), str(error.value)


@pytest.mark.parametrize(
    "changes",
    [
        {"more": 'weights = "w"'},
        {"more": 'weights = { column = "w", public = true }'},
        {"space": 'weight = "w"'},
        {"groups": ""} | {"space": 'weight_column = "w"'},
    ],
    ids=str,
)
def test_a_weight_of_each_person_is_refused_with_the_reason_and_the_way(changes: dict[str, str]) -> None:
    with pytest.raises(gp.InvalidParameter, match=r"a second value.*make each class of weights a name"):
        Survey.parse(text(**changes))


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ('counted = ""', "'counted' must be who reports"),
        ("counted = 7", "'counted' must be who reports"),
        ('counted = " households"', "'counted' must be a text of 1 to 60"),
    ],
)
def test_who_is_counted_is_a_short_text(more: str, words: str) -> None:
    with pytest.raises(gp.InvalidParameter, match=words):
        Survey.parse(text(more=more))


def test_households_in_the_place_of_their_number_are_told_where_they_go() -> None:
    with pytest.raises(gp.InvalidParameter, match=r"'people' must be the whole number.*counted = '…' says who"):
        Survey.parse(text().replace("200_000", '"households"', 1))


GROUPS: dict[str, Any] = document_of(grouped_design())["groups"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("groups", None),
        ("groups", []),
        ("groups", GROUPS | {"names": ["Kings"]}),
        ("groups", GROUPS | {"names": ["Kings", "Kings"]}),
        ("groups", GROUPS | {"names": ["Kings", "\u202esneeuQ"]}),
        ("groups", GROUPS | {"names": ["Kings", "x" * 61]}),
        ("groups", GROUPS | {"names": [f"{k}" for k in range(1001)]}),
        ("groups", GROUPS | {"names": "Kings"}),
        ("groups", GROUPS | {"weights": [1.0, 2.0]}),
        ("groups", GROUPS | {"weights": [1.0, 2.0, 0.0]}),
        ("groups", GROUPS | {"weights": [1.0, 2.0, "inf"]}),
        ("groups", GROUPS | {"column": " county"}),
        ("groups", GROUPS | {"more": 1}),
        ("counted", "people"),
        ("counted", "house\u200bholds"),
        ("counted", " households"),
        ("counted", "x" * 61),
        ("counted", None),
    ],
    ids=str,
)
def test_a_device_and_the_library_refuse_what_is_no_group(key: str, value: object) -> None:
    data = rehashed(document_of(grouped_design()) | {key: value})
    for read in (verify, gp.Design.parse):
        with pytest.raises(gp.InvalidDesign):
            read(data)


def test_a_device_reads_the_names_that_the_library_wrote() -> None:
    design = grouped_design((1.0, 2.5, 3.0))
    assert design.groups is not None
    assert verify(design.to_bytes()).groups.names == design.groups.names
    assert gp.Design.parse(design.to_bytes()).groups == design.groups


def test_a_groups_column_may_not_hold_the_value() -> None:
    with pytest.raises(gp.InvalidParameter, match="told openly"):
        grouped_design(column="income")
