"""What objects look like in a notebook: well-formed, escaped, small, nothing from outside, and every error."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import geopriv as gp
from geopriv.pages import sketches

USD = gp.Line("USD")
QUERY = gp.Threshold(at=100_000, width=16_000, space=USD)
USD_STEPS = gp.Line("USD")
ABOVE = gp.Threshold(at=100_000, width=16_000, space=USD_STEPS)
CITY = gp.LocalPlane(south=40.5, west=-74.3, north=40.95, east=-73.65)
PROMISE = gp.Guarantee(1 / 8000, unit="USD", reference="theory T1 <&>")
ESTIMATE = gp.answers.Estimate(0.4896, 0.0025, 0.4847, 0.4945, 50_000, True, 0.95, 0.0)
CURVE = gp.Distribution("incomes", (10_000.0, 50_000.0, 100_000.0), 32_000, USD)
MAP = gp.DensityMap("density", 2_000.0, (-9_000.0, -9_000.0), (9_000.0, 9_000.0), CITY, columns=61, rows=41)
LATTICE = gp.Lattice.calibrate(CITY, "1 per 1 km")


def estimates(values: Any, bias: float = 0.0) -> gp.answers.Estimates:
    array = np.asarray(values, dtype=np.float64)
    return gp.answers.Estimates(array, np.full_like(array, 0.01), 1_000, bias, 0.95)


def waves() -> gp.answers.Estimates:
    """A map of 61 × 41 of many colours."""
    return estimates(np.sin(np.arange(61) / 3)[:, None] * np.cos(np.arange(41) / 4)[None, :])


def answers() -> gp.Answers:
    curve = gp.answers.Answer(CURVE, estimates([0.9, 0.7, 0.5]), band=gp.answers.Band(np.zeros(3), np.ones(3)))
    share = gp.answers.Answer(gp.Share("above 100,000 USD", QUERY), estimates(0.4896))
    parts = (curve, share, gp.answers.Answer(MAP, waves()))
    return gp.Answers("a <survey> & more", "0" * 64, PROMISE, USD, parts, 1_000, {"malformed": 3, "truncated": 0})


SHOWN: dict[str, Any] = {
    "estimate": ESTIMATE,
    "biased estimate": replace(ESTIMATE, unbiased=False, bias=float("nan")),
    "share": estimates(0.4896),
    "curve": estimates([0.9, 0.7, 0.5]),
    "map": waves(),
    "cube": estimates(np.zeros((2, 2, 2))),
    "guarantee": PROMISE,
    "local guarantee": gp.Guarantee(1.0, metric="discrete"),
    "guarantee within a radius": gp.Guarantee(0.001, 1e-6, 500.0, "m"),
    "audit": gp.proofs.Audit(True, 0.66, (1.0, (2.0, 3.0), np.zeros(2)), 23_691),
    "plan": gp.plan(QUERY, 1 / 8000, 1_000, mechanisms=["SmoothT", "LipschitzLaplace", "InputLaplace"]),
    "survey plan": gp.plan(gp.Survey("a <survey>", USD_STEPS, 1 / 8000, (gp.Share("above", ABOVE),), 1_000)),
    "design": gp.Design("a <survey>", (LATTICE,), questions=(MAP,)),
    "answer": answers().answers[0],
    "answers": answers(),
}


def text(shown: Any) -> str:
    """What is read, without tags."""
    return " ".join(" ".join(ElementTree.fromstring(shown._repr_html_()).itertext()).split())


@pytest.mark.parametrize("shown", SHOWN.values(), ids=SHOWN)
def test_what_is_shown_is_well_formed_small_and_needs_nothing_from_outside(shown: Any) -> None:
    html = shown._repr_html_()
    ElementTree.fromstring(html)
    assert len(html) < 40_000
    assert not re.search(r"://|<script|<style|<link|\burl\(|src=|href=|\son\w+=", html)


@pytest.mark.parametrize("name", ["design", "answers", "guarantee"])
def test_what_people_wrote_is_escaped(name: str) -> None:
    assert "<survey>" not in SHOWN[name]._repr_html_()
    assert "<&>" not in SHOWN[name]._repr_html_()
    assert "<survey>" in text(SHOWN[name]) or "<&>" in text(SHOWN[name])


def test_an_estimate_shows_its_interval_and_whether_it_is_biased() -> None:
    said = text(ESTIMATE)
    assert "0.4896 0.4847 to 0.4945 (95 %) 0.0025 50,000" in said
    assert "biased" not in said
    assert "biased" in text(SHOWN["biased estimate"])
    assert "biased by at most 0.002" in text(replace(ESTIMATE, unbiased=False, bias=0.002))
    assert "They are biased." in text(estimates([0.1, 0.2], bias=float("nan")))


def test_the_chosen_option_of_a_plan_is_marked_and_only_it() -> None:
    plan = SHOWN["plan"]
    rows = ElementTree.fromstring(plan._repr_html_()).findall(".//tbody/tr")
    marked = [row for row in rows if "bold" in row.get("style", "")]
    assert len(rows) == len(plan.options)
    assert [("▸" in "".join(row.itertext())) for row in rows].count(True) == len(marked) == 1
    assert plan.best.mechanism in "".join(marked[0].itertext())
    assert plan.why in text(plan)
    for name in plan.left_out:
        assert name in text(plan)


def test_a_broken_promise_is_said_first() -> None:
    assert text(gp.proofs.Audit(False, 1.2, (0.0, 1.0, 2.0), 10)).startswith("The promise is BROKEN")
    assert text(SHOWN["audit"]).startswith("The promise holds")


def test_factors_are_given_only_where_the_promise_reaches() -> None:
    assert "8,000 USD 2.72" in text(PROMISE)
    assert "300 m 1.35" in text(SHOWN["guarantee within a radius"])
    assert "1,000 m" not in text(SHOWN["guarantee within a radius"])


def test_answers_count_what_was_rejected_and_say_the_promise() -> None:
    said = text(SHOWN["answers"])
    assert "Rejected: 3 malformed." in said
    assert "truncated" not in said
    assert str(PROMISE) in said
    assert "holds all of the curve at once" in said


def test_a_single_report_has_no_band_and_no_picture() -> None:
    alone = replace(estimates([0.1, 0.2]), standard_errors=np.full(2, np.inf), n=1)
    assert "<svg" not in alone._repr_html_()
    assert "inf" in text(alone)


def test_a_map_has_its_first_axis_to_the_right_and_its_second_upwards() -> None:
    values = np.zeros((3, 2))
    values[2, 0] = 1.0  # the last column, the lowest row
    bright = re.findall(r'<path fill="#bddf26" d="([^"]+)"', sketches.heat(values))
    assert bright == ["M2 1h1v1h-1z"]


def test_every_cell_of_a_map_is_drawn_once() -> None:
    values = waves().values
    drawn = np.zeros((61, 41), dtype=int)
    for x, y, width in re.findall(r"M(\d+) (\d+)h(\d+)v1", sketches.heat(values)):
        drawn[int(x) : int(x) + int(width), 40 - int(y)] += 1
    assert (drawn == 1).all()


def test_a_curve_lies_within_its_band() -> None:
    rng = np.random.default_rng(0)
    values = rng.random(20)
    picture = sketches.curve(values, values - 0.1, values + 0.2, np.arange(20.0) ** 2)
    paths = re.findall(r'points="([^"]+)"', picture)
    band, line = (np.array([p.split(",") for p in path.split()], dtype=np.float64) for path in paths)
    low, high = band[:20], band[20:][::-1]
    assert (low[:, 1] > line[:, 1]).all()
    assert (line[:, 1] > high[:, 1]).all()
    assert (np.diff(line[:, 0]) > 0).all()
    assert band.min() >= 0
    assert band[:, 0].max() <= sketches.WIDTH
