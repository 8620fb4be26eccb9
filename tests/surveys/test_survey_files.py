"""Files of surveys: lines of keys, the published schema, the examples, and texts that are no surveys."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import geopriv as gp
from geopriv.surveys import Survey
from geopriv.surveys.lines import key_lines, line_of
from geopriv.surveys.schema import json_schema
from tests.structure import errors_of
from tests.surveys.files import (
    BAD,
    GOOD,
    LINE,
    changed,
    survey_in,
    write_files,
)

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "docs" / "schemas" / "survey.schema.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_files(tmp_path_factory.mktemp("survey"))


def test_files_that_cannot_be_read_get_one_sentence(tmp_path: Path) -> None:
    def refusal(path: str | Path) -> str:
        with pytest.raises(gp.InvalidParameter) as caught:
            gp.Survey.read(path)
        return str(caught.value)

    file = tmp_path / "survey.toml"
    assert refusal(file) == f"{file} cannot be read: No such file or directory."
    assert refusal(tmp_path) == f"{tmp_path} is a folder; name the survey.toml in it."
    assert "cannot be read" in refusal("a\0b")
    file.write_bytes(b"")
    assert "line 1: the survey is empty" in refusal(file)
    file.write_text("# nothing\n\n")
    assert "the survey is empty" in refusal(file)
    file.write_bytes(b'name = "a"\nper = "\xff\xfe"\n')
    assert "line 2" in refusal(file)
    assert "UTF-8" in refusal(file)
    file.write_text("a = " + "[" * 5_000)
    assert "nested too deep" in refusal(file)
    file.write_text(changed(LINE, [("200_000", "0x" + "f" * 9_000)]))
    assert "'people'" in refusal(file)
    file.write_text(changed(LINE, [("200_000", "9" * 9_000)]))
    assert "no TOML" in refusal(file)


def test_a_file_with_a_mark_of_its_encoding_and_other_ends_of_lines_is_read(tmp_path: Path) -> None:
    file = tmp_path / "survey.toml"
    file.write_bytes(b"\xef\xbb\xbf" + LINE.replace("\n", "\r\n").encode())
    assert gp.Survey.read(file).name == "Household incomes"
    file.write_bytes(changed(LINE, [("step", "stop")]).replace("\n", "\r\n").encode())
    with pytest.raises(gp.InvalidParameter, match="line 17: query 2, 'stop'"):
        gp.Survey.read(file)


def test_lines_are_found_past_strings_comments_lists_and_tables_of_every_form() -> None:
    text = '''# [[query]]
name = "[space] # = \\" 1"  # x = 3
"quoted.key" = 1
a.b.c = 2
text = """
[space]
x = "1"
\\"""
"""
literal = \'\'\'
[fake]
\'\'\'
[space]
region = { south = 1, "x]" = "}" }
range = [ # ]
  [0, 1],
  [2, 3] ]
columns = ["a"]
[[ query ]]
kind = 'a#'
[query.sub]
z = 1
[[query]]
kind = "b"
'''
    found = {
        ("name",): 2, ("quoted.key",): 3, ("a",): 4, ("a", "b", "c"): 4, ("text",): 5, ("literal",): 10, ("space",): 13,
        ("space", "region"): 14, ("space", "range"): 15, ("space", "columns"): 18, ("query", 0): 19,
        ("query", 0, "kind"): 20, ("query", 0, "sub", "z"): 22, ("query", 1): 23, ("query", 1, "kind"): 24,
    }  # fmt: skip
    lines = key_lines(text)
    assert {path: lines.get(path) for path in found} == found
    assert ("fake",) not in lines
    assert ("space", "x") not in lines
    assert line_of(lines, ("space", "region", "south")) == 14
    assert line_of(lines, ("query", 1, "width")) == 23
    assert line_of(lines, ("epsilon",)) == 1


@pytest.mark.parametrize("text", GOOD.values(), ids=GOOD)
def test_good_surveys_fit_the_published_schema(text: str) -> None:
    assert errors_of(SCHEMA, tomllib.loads(text)) == []


@pytest.mark.parametrize(
    "case", ["unknown key", "missing key", "no kind", "epsilon 0", "people 0", "range of one", "a column as text"]
)
def test_the_published_schema_refuses_what_the_reader_refuses(case: str) -> None:
    (text, changes) = next(row[1:3] for row in BAD if row[0] == case)
    assert errors_of(SCHEMA, tomllib.loads(changed(text, changes)))


def test_the_published_schema_is_that_of_the_code_and_explains_every_key() -> None:
    assert json_schema() == SCHEMA, "run make schemas"
    tables = [SCHEMA, *SCHEMA["$defs"].values()]
    assert all(len(part["description"]) > 4 for table in tables for part in table["properties"].values())
    assert all(table["additionalProperties"] is False for table in tables)


EXAMPLES = {"incomes": 45, "crashes": 15_629, "income-debt": 4}


@pytest.mark.parametrize(("name", "queries"), EXAMPLES.items(), ids=EXAMPLES)
def test_the_examples_are_read_and_name_columns_of_their_data(name: str, queries: int, tmp_path: Path) -> None:
    found = gp.Survey.read(ROOT / "examples" / name / "survey.toml")
    assert len(found.queries) == queries
    script = ROOT / "examples" / "make_data.py"
    subprocess.run([sys.executable, str(script), name], cwd=tmp_path, check=True, capture_output=True)
    with (tmp_path / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert found.source is not None
    assert len(rows) == found.people
    values = np.array([[float(row[column]) for column in found.source.columns] for row in rows])
    assert found.space.read(values.reshape(-1, *found.space.point_shape)).size == values.size
    if found.source.person:
        assert len({row[found.source.person] for row in rows}) == len(rows)
    assert errors_of(SCHEMA, tomllib.loads((ROOT / "examples" / name / "survey.toml").read_text("utf-8"))) == []


NUMBERS = ["0", "-1", "1", "2", "0.5", "91", "-200", "1e9", "1e18", "-1e308", "1e308", "1e-320", "1e-9", "9" * 30]
VALUES = [
    "0", "-1", "1", "3", "1e300", "-1e308", "1e-320", "inf", "nan", "true", '""', '"x"', '"1 km"', '"factor 2"', "[]",
    "[[]]", "[1]", "[1, 2]", "[2, 1]", "[[0, 1], [1, 0]]", "[1, [2]]", "{}", "{ kind = 1 }", "1979-05-27", "9" * 30,
    "{ south = -90, west = -180, north = 90, east = 180 }", '"parks.geojson"', '"\\u0000"', '["a"]', '["lat", "lat"]',
]  # fmt: skip


@st.composite
def mutants(draw: st.DrawFn) -> str:
    """A good survey in which lines were dropped, doubled, moved, given other values or other characters."""
    lines = draw(st.sampled_from(list(GOOD.values()))).splitlines()
    for _ in range(draw(st.integers(1, 4))):
        where = draw(st.integers(0, len(lines) - 1))
        kind = draw(st.sampled_from(["number", "number", "number", "value", "drop", "double", "swap", "noise", "key"]))
        if kind == "number":  # of the right type, so that it gets past the schema
            places = [match.span() for match in re.finditer(r"-?\d[\d_.]*", "\n".join(lines))]
            start, end = draw(st.sampled_from(places)) if places else (0, 0)
            text = "\n".join(lines)
            lines = (text[:start] + draw(st.sampled_from(NUMBERS)) + text[end:]).split("\n")
        elif kind == "value" and "=" in lines[where]:
            lines[where] = lines[where].split("=")[0] + "= " + draw(st.sampled_from(VALUES))
        elif kind == "drop" and len(lines) > 1:
            del lines[where]
        elif kind == "double":
            lines.insert(draw(st.integers(0, len(lines))), lines[where])
        elif kind == "swap":
            other = draw(st.integers(0, len(lines) - 1))
            lines[where], lines[other] = lines[other], lines[where]
        elif kind == "noise":
            at = draw(st.integers(0, len(lines[where])))
            lines[where] = lines[where][:at] + draw(st.text(max_size=3)) + lines[where][at:]
        else:
            lines[where] = draw(st.sampled_from(["kind", "at", "width", "blur", "region", "range", "name"])) + " = 1"
    return "\n".join(lines)


@settings(deadline=None, derandomize=True, max_examples=250)
@given(text=mutants())
def test_a_mutated_survey_is_read_or_refused_in_one_line_and_nothing_else_happens(text: str, folder: Path) -> None:
    sentence = ""
    try:
        survey_in(folder, text)
    except gp.GeoprivError as error:
        sentence = str(error)
    assert not sentence or sentence.startswith(f"{folder / 'survey.toml'}, line ")
    assert "\n" not in sentence


@settings(deadline=None, derandomize=True, max_examples=100)
@given(text=st.text(max_size=40))
@example(text="[[query]]\n[[query]]\n")
@example(text='[""]\n"" = 1')
@example(text="query = [[1]]")
def test_any_text_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(gp.InvalidParameter, match=r"^survey\.toml, line \d+"):
        Survey.parse(text)
