"""`kind = "function"`: formulas are read by a list of what is allowed, planned as a grid, and answered softly."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import geopriv as gp
from geopriv.queries import Formula
from geopriv.spaces.documents import from_document, to_document

PLANE = gp.Plane("km")
SURVEY = """name = "Wave"
epsilon = 1.0
per = "1 km"
people = 20_000
[space]
kind = "plane"
unit = "km"
columns = ["x", "y"]
range = [[-9, 9], [-9, 9]]
[prior]
kind = "uniform"
[[query]]
kind = "function"
formula = "{formula}"
"""
WAVE = "0.5 * (1 + tanh(x)) * exp(-y**2 / 8)"


def made(text: str) -> Formula:
    return Formula(text, ("x", "y"), PLANE, (-9.0, -9.0), (9.0, 9.0))


def test_a_formula_says_what_numpy_says_and_comes_back_from_its_document() -> None:
    x = np.random.default_rng(0).uniform(-9, 9, (500, 2))
    query = made("minimum(abs(x) / 9, 1 - hypot(x, y) / 20) + clip(+y, -1, 1)**2 * -0.1")
    expected = np.minimum(abs(x[:, 0]) / 9, 1 - np.hypot(*x.T) / 20) - 0.1 * np.clip(x[:, 1], -1, 1) ** 2
    np.testing.assert_allclose(query(x), expected, atol=1e-14)
    assert from_document(Formula, json.loads(json.dumps(to_document(query)))) == query
    assert made("0.25")(x).tolist() == [0.25] * 500


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "x.real",
        "(lambda: 1)()",
        "x if y else 1",
        "z",
        "x < 1",
        "exp(x, y)",
        "clip(x, 0)",
        "floor(x)",
        "x // 2",
        "x % 2",
        "[x]",
        "x; y",
        "'a'",
        "True * x",
        "1j * x",
        "1e400 * x",
        "9**9**9**9",
        "log(x)",
        "1 / (x - 0.1)**0.5",
        "x" * 600,
        "+".join(["x"] * 240) + "(",
        "-" * 300 + "x",
        "",
    ],
)
def test_what_is_no_formula_gets_a_sentence(text: str) -> None:
    with pytest.raises(gp.InvalidParameter):
        made(text)


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ("x.real", "formula"),
        ("x", "between 0 and 1"),
        ("clip(20 * x, 0, 1)", "too steep"),
        ("sqrt(abs(x) / 9)", "too steep"),
        ("income", "made of x, y"),
    ],
)
def test_a_survey_names_its_line_and_what_is_wrong(formula: str, words: str) -> None:
    with pytest.raises(gp.InvalidParameter, match=words) as told:
        gp.Survey.parse(SURVEY.format(formula=formula))
    assert "line 13" in str(told.value) or "line 14" in str(told.value)


def test_a_survey_asks_a_formula_from_start_to_end(tmp_path: Any) -> None:
    survey = gp.Survey.parse(SURVEY.format(formula=WAVE))
    plan = gp.plan(survey)
    plan.design.write(tmp_path / "design.json")
    design = gp.Design.read(tmp_path / "design.json")
    assert gp.audit(design).passed
    people = np.random.default_rng(0).normal(0, 3, (20_000, 2))
    table = pa.table({"x": people[:, 0], "y": people[:, 1]})
    gp.privatize(design, table, tmp_path / "reports.parquet", register=tmp_path / "register")
    answers = gp.estimate(design, gp.tally(design, tmp_path / "reports.parquet"))
    answers.write_page(tmp_path / "report.html")
    estimate = answers.answers[0].estimates
    truth = survey.questions[0].queries[0](people).mean()
    bias = plan.largest_bias
    assert 0 < bias < 0.003
    assert abs(float(estimate.values) - truth) < 5 * float(estimate.standard_errors) + bias
    assert plan.expected(survey.questions[0]) == pytest.approx(float(estimate.standard_errors), rel=0.4)


def test_interpolation_is_bounded_by_how_much_the_gradient_varies() -> None:
    """Above every bias that is found, and within six times the largest."""
    for text in (WAVE, "exp(-(x**2 + y**2) / 8)", "clip(0.5 + x / 4.13, 0, 1)"):
        query = made(text)
        for step in (0.12, 0.05):
            lattice = gp.Lattice.on_grid(PLANE, 1.0, step, noise="product")
            x = np.random.default_rng(1).uniform(-6, 6, (20_000, 2))
            found, bound = float(np.abs(lattice.bias(x, query)).max()), query.interpolation_bias(step)
            assert found <= bound < 8 * found
            assert bound < math.sqrt(2) * step / 4
