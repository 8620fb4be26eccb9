"""Errors carry what they say as fields, so that nobody has to read their English."""

from __future__ import annotations

import pickle

import pytest

import geopriv as gp
from geopriv.device.reading import refuse
from geopriv.surveys import Survey

SURVEY = """
name = "Incomes"
epsilon = 1.0
per = "8,000 USD"
people = 200_000
space = { kind = "line", unit = "USD", range = [0, 2_000_000] }
query = [{ kind = "range", low = 10_000, high = 20_000, width = WIDTH }]
"""


def fields(error: gp.GeoprivError) -> tuple[str, str, str, str]:
    return error.owner, error.parameter, error.rule, error.value


def test_an_error_names_owner_parameter_rule_and_value() -> None:
    with pytest.raises(gp.InvalidParameter) as caught:
        gp.Threshold(at=0.0, width=-1.0)
    assert fields(caught.value) == ("Threshold", "width", "a positive finite number", "-1.0")


def test_the_fields_survive_pickling() -> None:
    error = gp.InvalidParameter.of("Threshold", "function", "a number", lambda: 0)
    again = pickle.loads(pickle.dumps(error))
    assert fields(again) == fields(error)
    assert str(again) == str(error)


def test_a_long_value_is_cut() -> None:
    assert len(gp.InvalidParameter.of("Prior", "values", "short", "x" * 10_000).value) == 301


def test_an_error_about_no_parameter_has_empty_fields() -> None:
    assert fields(gp.ReportRejected("There must be at least one report.")) == ("", "", "", "")


@pytest.mark.parametrize("width", ["0", "50_000"])
def test_errors_of_surveys_name_their_place_and_key(width: str) -> None:
    with pytest.raises(gp.InvalidParameter) as caught:
        Survey.parse(SURVEY.replace("WIDTH", width))
    assert fields(caught.value)[:2] == ("query 1", "width")
    assert caught.value.rule


def test_errors_of_designs_name_their_place() -> None:
    assert fields(refuse("Line.unit", "a text", "\x1b[2J")) == ("design", "Line.unit", "a text", r"\x1b[2J")
