"""What objects look like in a notebook: well-formed, escaped, small, nothing from outside, and every error."""

from __future__ import annotations

import base64
import re
from dataclasses import replace
from functools import cache
from io import BytesIO
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.image import imread

import geopriv as gp
from geopriv.pages import page_html
from geopriv.pages.distribution import HIGH, WIDE

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
    "design": gp.Design("a <survey>", (LATTICE,), questions=(MAP,)),
    "answer": answers().answers[0],
    "answers": answers(),
}
NAMES = (*SHOWN, "survey plan")


@pytest.fixture
def shown(name: str) -> Any:
    """What is shown; the plan of a survey, which compiles a table, when it is first asked for."""
    return survey_plan() if name == "survey plan" else SHOWN[name]


@cache
def survey_plan() -> gp.surveys.SurveyPlan:
    # of as many people as in tests.rows, whose table it then is
    return gp.plan(gp.Survey("a <survey>", USD_STEPS, 1 / 8000, (gp.Share("above", ABOVE),), 10_000))


def text(shown: Any) -> str:
    """What is read, without tags."""
    html = re.sub("<style>.*?</style>", "", shown._repr_html_(), flags=re.DOTALL)
    return " ".join(" ".join(ElementTree.fromstring(html).itertext()).split())


@pytest.mark.parametrize("name", NAMES)
def test_what_is_shown_is_well_formed_small_and_needs_nothing_from_outside(shown: Any) -> None:
    html = shown._repr_html_()
    ElementTree.fromstring(html)
    assert len(html) < (150_000 if "<img" in html else 20_000)
    assert not re.search(r"://|<script|<link|@import|\burl\(|href=|\sid=|\son\w+=", html)
    assert html.count("src=") == html.count('src="data:image/png;base64,')


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
    marked = [row for row in rows if row.get("class") == "chosen"]
    assert len(rows) == len(plan.options)
    assert re.search(r"\.chosen \{ font-weight: 700;", plan._repr_html_())
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
    assert "Reports rejected 3: not a report Promise" in said
    assert "cut off" not in said
    assert str(PROMISE) in said
    assert "band for the whole curve at once" in said


def test_a_single_report_has_no_band_and_no_picture() -> None:
    alone = replace(estimates([0.1, 0.2]), standard_errors=np.full(2, np.inf), n=1)
    assert "<svg" not in alone._repr_html_()
    assert "inf" in text(alone)


@pytest.mark.parametrize("k", [0, 1, 2], ids=["distribution", "share", "density map"])
def test_an_answer_is_shown_as_on_the_page(k: int) -> None:
    one = answers().answers[k]
    page, html = page_html(replace(answers(), answers=(one,))), one._repr_html_()
    figures: list[str] = re.findall(r"<(?:article|figure).*?</(?:article|figure)>", page, flags=re.DOTALL)
    assert len(figures) == (2 if k == 2 else 1)
    for figure in figures:
        assert figure in html
    sentences = re.findall(r"<p.*?</p>", page[page.index("<main>") : page.index('<section aria-labelledby="promise">')])
    assert len(sentences) >= 2
    assert all(sentence in html for sentence in sentences)


def test_answers_are_shown_as_on_the_page_one_form_after_the_other() -> None:
    html = SHOWN["answers"]._repr_html_()
    page = page_html(SHOWN["answers"])
    shown = page[
        page.index('<section aria-label="What was learnt">') : page.index('<section aria-labelledby="promise">')
    ]
    assert shown in html
    assert "% of people per km²" in shown
    assert "thousand USD" in shown


def test_the_style_reaches_no_further_than_what_is_shown_and_brings_its_own_paper() -> None:
    (style,) = re.findall(r"<style>(.*?)</style>", ESTIMATE._repr_html_(), flags=re.DOTALL)
    bare = re.sub(r"/\*.*?\*/|\s*\n\s*", "", style, flags=re.DOTALL)
    depth, outside = 0, ""
    for letter in bare:
        depth += (letter == "{") - (letter == "}")
        outside += letter if depth == 0 else ""
    dark_hosts = ':is([data-jp-theme-light="false"], .vscode-dark, [theme="dark"], [data-theme="dark"])'
    assert depth == 0
    name = 3 * ".geopriv"
    assert outside == f"{name} }}{dark_hosts} {name} }}"
    light, dark = (dict(re.findall(r"--([\w-]+): (#\w+);", part)) for part in style.split("/* JupyterLab"))
    assert light.keys() == dark.keys()
    assert light["paper"] == "#ffffff"
    assert dark["ink"] != light["ink"]
    assert "background: var(--paper)" in style
    assert "color: var(--ink)" in style


def image(shown: Any) -> Any:
    (found,) = re.findall(r"base64,([\w+/=]+)", shown._repr_html_())
    return imread(BytesIO(base64.b64decode(found)), format="png")


def test_a_map_has_its_first_axis_to_the_right_and_its_second_upwards() -> None:
    values = np.zeros((3, 2))
    values[2, 0] = 1.0  # the last column, the lowest row
    pixels = image(estimates(values))
    assert pixels.shape == (2, 3, 4)
    brightest = np.unravel_index(pixels[..., :3].sum(axis=-1).argmax(), (2, 3))
    assert brightest == (1, 2)


def test_every_cell_of_a_map_is_drawn_in_the_order_of_its_value() -> None:
    values, pixels = waves().values, image(waves())
    assert pixels.shape == (41, 61, 4)
    assert (pixels[..., 3] == 1).all()
    light = (pixels[..., :3] @ [0.2126, 0.7152, 0.0722])[::-1].T
    order = np.argsort(values, axis=None)
    assert (np.diff(light.ravel()[order]) >= -1e-6).all()
    assert np.ptp(light) > 0.5


def test_a_curve_lies_within_its_band() -> None:
    values = np.random.default_rng(0).random(20)
    html = estimates(values)._repr_html_()
    paths: dict[str, str] = dict(re.findall(r'class="(each|estimate)" d="M([^"Z]+)', html))
    band, line = (
        np.array([point.split() for point in paths[name].split("L")], dtype=np.float64) for name in ("each", "estimate")
    )
    high, low = band[:20], band[20:][::-1]
    assert (low[:, 1] > line[:, 1]).all()
    assert (line[:, 1] > high[:, 1]).all()
    assert (np.diff(line[:, 0]) > 0).all()
    assert band.min() >= 0
    assert band[:, 0].max() <= WIDE
    assert band[:, 1].max() <= HIGH


def test_estimates_that_are_all_the_same_are_drawn() -> None:
    flat = replace(estimates(np.ones((2, 2))), standard_errors=np.zeros((2, 2)))
    assert image(flat).shape == (2, 2, 4)
    assert "<svg" in replace(flat, values=np.ones(2), standard_errors=np.zeros(2))._repr_html_()
