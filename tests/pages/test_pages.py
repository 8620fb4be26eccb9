"""report.html: whole, honest about what is not known, readable by everyone, and the same for the same answers."""

from __future__ import annotations

import base64
import datetime
import hashlib
import json
import math
import re
from dataclasses import replace
from html.parser import HTMLParser
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
from matplotlib.image import imread

import geopriv as gp
from geopriv.errors import InvalidParameter
from geopriv.pages import page_html
from geopriv.pages.frames import Frame
from tests.answered import (
    CITY,
    HASH,
    USD,
    answer,
    city,
    incomes,
)

VOID = {"meta", "img", "path", "input"}
ABOVE = gp.Share("Above 100,000 USD", gp.Threshold(100_000, 16_000, USD))


class Page(HTMLParser):
    """Reads a page and keeps what tests ask about."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []
        self.text = re.sub(r"\s+", " ", "".join(self.words))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and not {"style", "script", "template"} & set(self.open):
            self.words.append(data)

    def named(self, *names: str) -> list[tuple[str, dict[str, str | None]]]:
        return [(tag, attributes) for tag, attributes in self.tags if tag in names]


def survey(*answers: gp.answers.Answer, n: int = 1000, name: str = "A survey") -> gp.Answers:
    promise = gp.Guarantee(1 / 8000, unit="USD", reference="theory T5")
    return gp.Answers(name, HASH, promise, answers[0].question.space, answers, n)


def share(value: float, error: float, n: int = 1000, bias: float = 0.0) -> str:
    return Page(page_html(survey(answer(ABOVE, value, error, n, bias), n=n))).text


@pytest.fixture(scope="module")
def income_page() -> str:
    return page_html(incomes(60_000))


@pytest.fixture(scope="module")
def city_page() -> str:
    return page_html(city(20_000), shapely.box(-74.2, 40.55, -73.7, 40.9))


@pytest.fixture(params=["income_page", "city_page"])
def html(request: pytest.FixtureRequest) -> str:
    found: str = request.getfixturevalue(request.param)
    return found


def test_tags_are_balanced_and_ids_are_unique(html: str) -> None:
    page = Page(html)
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids)) > 3
    for _, attributes in page.tags:
        for reference in ("aria-labelledby", "aria-describedby"):
            assert set((attributes.get(reference) or "").split()) <= set(ids)


def test_a_tag_that_is_not_closed_is_found() -> None:
    with pytest.raises(AssertionError):
        Page("<p><b>x</p>")


def test_headings_are_in_order_and_there_is_one_title(html: str) -> None:
    page = Page(html)
    levels = [int(tag[1]) for tag, _ in page.named("h1", "h2", "h3", "h4")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b <= a + 1 for a, b in pairwise(levels))
    assert page.named("html")[0][1]["lang"] == "en"
    assert page.named("meta")[1][1]["name"] == "viewport"


def test_every_picture_has_words_and_every_wide_table_can_be_reached_by_keyboard(html: str) -> None:
    page = Page(html)
    pictures = page.named("svg", "img")
    assert len(pictures) > 2
    titled = re.findall(r"<svg[^>]*>\s*<title", html)
    worded = [a for tag, a in pictures if tag == "img" and len(a["alt"] or "") > 20]
    labelled = [a for tag, a in pictures if tag == "svg" and a.get("aria-label")]
    assert len(titled) + len(worded) + len(labelled) == len(pictures)
    assert all(attributes["role"] == "img" for tag, attributes in pictures if tag == "svg")
    for _, attributes in page.tags:
        if attributes.get("class") == "scroll":
            assert attributes["tabindex"] == "0"
            assert attributes.get("aria-label") or attributes.get("aria-labelledby")
    assert all(attributes.get("scope") for _, attributes in page.named("th"))


def test_nothing_is_loaded_and_only_the_script_runs_that_the_page_names(html: str) -> None:
    assert "://" not in html
    assert not Page(html).named("link", "iframe", "object")
    (data, script) = Page(html).named("script")
    assert data[1] == {"type": "application/json", "id": "data"}  # is only read
    assert script[1] == {}
    (code,) = re.findall(r"<script>(.*?)</script>", html, flags=re.DOTALL)
    told = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    (policy,) = (a["content"] or "" for _, a in Page(html).named("meta") if "http-equiv" in a)
    assert policy.startswith(f"default-src 'none'; script-src 'sha256-{told}';")
    assert not re.search(r"innerHTML|insertAdjacentHTML|document\.write|eval\(|fetch\(|XMLHttp|import\(", code)
    assert not re.search(r"url\(|@import", html)
    assert all((a["src"] or "").startswith("data:image/png;base64,") for _, a in Page(html).named("img"))
    assert len(html.encode()) < 3_000_000


def test_the_page_holds_every_answer_with_its_interval(income_page: str) -> None:
    text, answers = Page(income_page).text, incomes(60_000)
    for found in answers.answers[:2]:
        one = found.estimates[()]
        after = re.search(rf"{100 * one.value:.1f}\s% of people .*? \(95\s% interval ([\d.]+) to ([\d.]+)\s%\)", text)
        assert after
        low, high = float(after[1]), float(after[2])
        assert 100 * one.low - 0.1 < low <= 100 * one.low < 100 * one.high <= high < 100 * one.high + 0.1
    curve = answers.answers[3]
    table = re.findall(r'<tr><th scope="row">[\d,]+\sUSD</th>(.*?)</tr>', income_page)
    assert len(table) - 5 == len(curve.estimates) == 60  # and five distances of the promise
    for k, row in enumerate(table[:60]):
        value, low, high, least, most = (float(number) for number in re.findall(r"[\d.]+", re.sub("<.*?>", " ", row)))
        assert abs(value - 100 * curve.estimates.values[k]) < 0.1
        assert least <= low <= value <= high <= most


def test_the_curve_names_the_quartiles_and_the_truth_is_among_them(income_page: str) -> None:
    text = Page(income_page).text
    for words, truth in (("Half of all people are", 98_100), ("One quarter is", 171_600)):
        ends = re.search(rf"{words} above a value between ([\d,]+) and ([\d,]+)\sUSD", text)
        assert ends
        assert float(ends[1].replace(",", "")) <= truth <= float(ends[2].replace(",", ""))
    assert "counting people within 16,000 USD of each value in part" in _spaced(text)


def test_the_map_shows_where_people_are_how_sure_that_is_and_the_regions_that_were_asked_about(city_page: str) -> None:
    page = Page(city_page)
    assert len(page.named("img")) == 2
    assert "Estimate" in page.text
    assert "Standard error" in page.text
    assert "% of people per km²" in page.text
    assert "cannot be told from zero" in page.text
    for name in ("Old town", "Harbour", "Far marsh"):
        assert page.text.count(name) >= 3
    assert re.search(r"10\skm.*5\smi", page.text)
    assert "40.6°\xa0N" in city_page
    assert "74.0°\xa0W" in city_page
    assert city_page.count('class="casing"') == 2
    # the two densest districts are 6 km east and 9 km north, and in the middle
    assert re.search(r"highest near 40\.7[78]\d° N, 73\.8[78]\d° W", page.text)


def test_the_promise_is_said_in_words_and_numbers(income_page: str, city_page: str) -> None:
    assert "Two places 300 m apart look alike up to a factor of 1.35" in Page(city_page).text
    text = Page(income_page).text
    for words in ("800 USD 1.11", "8,000 USD 2.72 73.2 %", HASH, "60,000", "12: the same report again", "audit"):
        assert words.replace(" ", "") in re.sub(r"\s", "", text)
    assert "theory T2, T5 and T8" in text


def test_the_same_answers_give_the_same_bytes_and_a_date_only_where_one_is_given(tmp_path: Path) -> None:
    for name in ("one", "two"):
        city(20_000).write_page(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    dated = page_html(incomes(60_000), date=datetime.date(2031, 5, 4))
    assert "4 May 2031" in dated
    assert not re.search(r"\b20\d\d\b", re.sub("<style.*?</style>", "", page_html(incomes(60_000)), flags=re.DOTALL))


def test_names_from_files_are_only_ever_text() -> None:
    hostile = "x</title><script>alert(1)</script>\"'><img src=x onerror=alert(1)>{{ 7*7 }}"
    found = replace(incomes(60_000), survey=hostile, rejected={hostile: 2}, design=hostile)
    share, *_, curve = found.answers
    for question in (share.question, curve.question):
        object.__setattr__(question, "name", hostile)  # past the check of names, as a second lock on the door
    try:
        html = page_html(found)
        page = Page(html)
        assert html.count("<script") == 2  # the page's own: its data, and what reads them
        (data,) = re.findall(r'id="data">(.*?)</script>', html, flags=re.DOTALL)
        assert json.loads(data)["curves"][0]["name"] == hostile
        assert page.text.count("alert(1)") >= 8
        assert not page.named("img")
        assert all("onerror" not in attributes for _, attributes in page.tags)
        assert "{{ 7*7 }}" in page.text
    finally:
        object.__setattr__(share.question, "name", "Above 100,000 USD")
        object.__setattr__(curve.question, "name", "Distribution of household income")


SOFTLY = "at or above 100,000 USD, counting people within 8,000 USD of the line in part"


def test_a_share_is_a_sentence_with_its_interval_and_its_soft_edge() -> None:
    text = share(0.4873, 0.0023)
    assert f"48.7 % of people are {SOFTLY} (95 % interval 48.2 to 49.2 %)" in _spaced(text)
    assert "biased" not in text.replace("no estimate here is biased", "")


@pytest.mark.parametrize(
    ("value", "error", "said"),
    [
        (
            0.001,
            0.002,
            "At most 0.5 % of people are at or above 100,000 USD, counting people within 8,000 USD of the line in part",
        ),
        (
            -0.02,
            0.002,
            "of the line in part. That cannot be told from zero with these reports (95 % interval 0.00 to 0.40 %)",
        ),
        (
            0.999,
            0.002,
            "of the line in part. That cannot be told from everyone with these reports (95 % interval 99.5 to 100.0 %)",
        ),
        (0.4, 0.9, "No number These reports cannot tell what share of people are at or above 100,000 USD"),
    ],
)
def test_a_share_below_the_noise_says_so(value: float, error: float, said: str) -> None:
    assert said in _spaced(share(value, error))


def test_a_share_just_above_the_noise_is_a_number() -> None:
    assert "0.40 % of people" in _spaced(share(0.004, 0.0009))
    assert "told from zero" not in share(0.004, 0.0009)


@pytest.mark.parametrize(("n", "error"), [(1, math.inf), (5, 0.0), (0, math.nan)])
def test_without_an_error_bar_there_is_no_number(n: int, error: float) -> None:
    text = share(0.4873, error, n)
    assert "No number" in text
    assert "48.7" not in text
    assert "no error bar" in text


def test_without_error_bars_there_is_no_curve_and_no_map() -> None:
    curve = gp.Distribution("Curve", (1.0, 2.0, 3.0), 1.0, USD)
    chart = gp.DensityMap("Map", 2000.0, (-9000, -9000), (9000, 9000), CITY, columns=3, rows=4)
    for question in (curve, chart):
        nothing = answer(question, np.full(question.shape, 0.123), np.full(question.shape, np.inf), 1)
        page = Page(page_html(survey(nothing, n=1)))
        assert not page.named("img", "svg")
        assert "1 report cannot tell" in page.text
        assert "0.123" not in page.text
        assert "12.3" not in page.text


def test_biased_estimates_are_labelled_and_a_bias_is_no_evidence_of_people() -> None:
    text = _spaced(share(0.4, 0.01, bias=0.00123))
    assert "Biased by at most 0.13 points, less than half of the standard error." in text
    large = page_html(survey(answer(ABOVE, 0.4, 0.001, 1000, 0.00123)))
    assert '<span class="label">biased by at most 0.13' in _spaced(large)
    assert '<span class="label">' not in page_html(survey(answer(ABOVE, 0.4, 0.01, 1000, 0.00123)))
    assert "biased by an unknown amount" in share(0.4, 0.01, bias=math.nan)
    assert "cannot be told from zero" not in share(0.01, 0.002)
    assert "At most 2.4 %" in _spaced(share(0.01, 0.002, bias=0.01))


def test_intervals_for_any_number_of_reports_and_consistent_values_are_shown_as_what_they_are() -> None:
    found = replace(
        answer(ABOVE, 0.4, 0.01, 50), finite=gp.answers.Band(np.array(0.31), np.array(0.52)), consistent=np.array(0.41)
    )
    text = _spaced(Page(page_html(survey(found))).text)
    assert "holds for any number of reports (empirical Bernstein): 31 to 52 %" in text
    assert "biased by that: 41 %" in text
    curve = gp.Distribution("Curve", (1.0, 2.0, 3.0), 1.0, USD)
    held = replace(answer(curve, [0.9, 0.95, 0.1], [0.02, 0.02, 0.02], 50), consistent=np.array([0.92, 0.92, 0.1]))
    html = page_html(survey(held))
    assert 'class="consistent"' in html
    assert "made monotone (biased)" in html


def test_near_zero_the_interval_is_the_one_that_holds_for_any_number_of_reports() -> None:
    for error in (0.001, 0.0):
        found = replace(answer(ABOVE, 0.0, error, 50), finite=gp.answers.Band(np.array(-0.07), np.array(0.073)))
        text = _spaced(Page(page_html(survey(found))).text)
        assert f"At most 8 % of people are {SOFTLY}. That cannot be told from zero" in text
        assert "(95 % interval for any number of reports 0 to 8 %)" in text


def test_a_little_of_a_map_is_not_called_nothing() -> None:
    chart = gp.DensityMap("Map", 2000.0, (-9000, -9000), (9000, 9000), CITY, columns=15, rows=15)
    one = np.zeros((15, 15))
    one[3, 4] = 0.1
    text = _spaced(Page(page_html(survey(answer(chart, one, np.full((15, 15), 0.001), 500)))).text)
    assert "told from zero on less than 1 % of the map" in text


def test_a_map_is_not_shown_where_it_cannot_be_told_from_zero() -> None:
    chart = gp.DensityMap("Map", 2000.0, (-9000, -9000), (9000, 9000), CITY, columns=10, rows=10)
    noise = np.random.default_rng(0).normal(0, 0.001, (10, 10))
    text = Page(page_html(survey(answer(chart, noise, np.full((10, 10), 0.001), 500)))).text
    assert "No place on this map can be told from zero" in text


def test_a_map_of_a_large_country_says_how_much_shorter_its_distances_are() -> None:
    """It said so beside shares alone."""
    states = gp.LocalPlane(24.3, -125.0, 49.5, -66.8)
    low, high = (tuple(corner.tolist()) for corner in states.rectangle)
    chart = gp.DensityMap("Map", 15_000.0, low, high, states, columns=12, rows=12)
    values = np.full((12, 12), 1e-3)
    text = _spaced(Page(page_html(survey(answer(chart, values, values / 50, 5000)))).text)
    assert "People outside the region of the survey count at its border." in text
    assert "Distances are those of a flat map, up to 15 % shorter than on the ground." in text


def test_maps_of_other_units_have_axes_in_place_of_a_compass() -> None:
    plane = gp.Plane("USD")
    chart = gp.DensityMap("Income and debt", 10_000.0, (0, 0), (200_000, 100_000), plane, columns=21, rows=11)
    values = np.exp(-((np.arange(21)[:, None] - 5) ** 2 + (np.arange(11) - 4) ** 2) / 20) / 10
    page = Page(page_html(survey(answer(chart, values, values / 50 + 1e-4, 5000))))
    assert "thousand USD" in page.text
    assert "North" not in str(page.tags)
    assert "% of people per square of 10,000 USD by 10,000 USD" in page.text
    (box,) = {a["viewbox"] for tag, a in page.named("svg") if "viewbox" in a}
    assert box == "0 0 1000 500.0"
    assert "count at its border" not in page.text  # only a map has a region
    biased = Page(page_html(survey(answer(chart, values, values / 50 + 1e-4, 5000, 1e-4)))).text
    said = (
        r"Biased by at most \S+ % per square of 10,000 USD by 10,000 USD, less than half of the largest standard error"
    )
    assert re.search(said, _spaced(biased))


def test_a_score_that_is_no_share_is_a_plain_number() -> None:
    score = gp.Share("Mean score", gp.LinearQuery((1.0, 1.0), gp.shapes.Identity(), space=gp.Plane("USD")))
    text = Page(page_html(survey(answer(score, 1234.5, 20.0, 100)))).text
    alone = Page(page_html(survey(answer(score, 1234.5, math.inf, 1), n=1))).text
    assert "1 report cannot tell how large “Mean score” is. There is no error bar yet." in _spaced(alone)
    assert "1,234 is the mean of “Mean score” over all people (95 % interval 1,195 to 1,274)" in _spaced(text)


def test_ratios_are_ratios_on_a_log_line() -> None:
    space = gp.LogLine(base=2, floor=1000, unit="USD")
    curve = gp.Distribution("Incomes", (5_000.0, 50_000.0, 500_000.0), 1.0, space)
    promise = gp.Guarantee(1.0, unit=space.distance_unit, reference="theory T8")
    found = answer(curve, [0.95, 0.5, 0.02], [0.01, 0.01, 0.01], 900)
    text = _spaced(Page(page_html(gp.Answers("Ratios", HASH, promise, space, (found,), 900))).text)
    assert "Two values a factor of 1.2 apart look alike up to a factor of 1.31" in text
    assert "ε = 1 per factor of 2" in text
    assert "people within a factor of 1.41 of each value count in part" in text


@pytest.mark.parametrize(
    ("outline", "message"),
    [
        (shapely.Point(0, 0), "polygons or lines"),
        (shapely.Polygon(), "not empty"),
        ("coast", "a shapely geometry"),
        (shapely.box(10, 40, 11, 41), "within 60°"),
        (shapely.box(4e5, 4e6, 5e5, 5e6), "in degrees"),
    ],
)
def test_an_outline_that_cannot_be_drawn_is_refused(outline: Any, message: str) -> None:
    with pytest.raises(InvalidParameter, match=message):
        page_html(city(20_000), outline)


def test_a_picture_has_north_at_the_top_and_east_on_the_right() -> None:
    chart = gp.DensityMap("Map", 2000.0, (-9000, -9000), (9000, 9000), CITY, columns=19, rows=19)
    values = np.full((19, 19), 1e-6)
    values[15, 12] = 0.1  # 6 km east, 3 km north
    html = page_html(survey(answer(chart, values, np.full((19, 19), 0.001), 500)))
    estimate, error = (
        imread(BytesIO(base64.b64decode(found)), format="png") for found in re.findall(r"base64,([\w+/=]+)", html)
    )
    assert estimate.shape == (480, 480, 4)
    assert estimate[0, 0, 3] == 0  # nothing is shown where nothing can be told
    assert (error[..., 3] == 1).all()
    row, column = np.argwhere(estimate[..., 3] > 0).mean(axis=0) / 480
    assert column == pytest.approx(15 / 18, abs=0.01)
    assert row == pytest.approx(1 - 12 / 18, abs=0.01)


def test_scale_bars_and_degrees_are_where_they_belong() -> None:
    chart = city(20_000).answers[-1].question
    assert isinstance(chart, gp.DensityMap)
    frame = Frame.of(chart)
    (km, mi), (bottom, left) = frame.scale_bars, frame.axes
    assert (km.label, mi.label) == ("10\u202fkm", "5\u202fmi")
    assert km.at == pytest.approx(100 * 10 / 44, abs=0.01)
    assert mi.at == pytest.approx(100 * 5 * 1.609344 / 44, abs=0.01)
    west = {tick.label: tick.at for tick in bottom.ticks}["74.0°\u00a0W"]
    south = {tick.label: tick.at for tick in left.ticks}["40.6°\u00a0N"]
    corner = CITY.project((CITY.values(np.array([frame.low]))[0, 0], -74.0))
    assert west == pytest.approx(100 * (corner[0] + 22_000) / 44_000, abs=0.05)
    assert south == pytest.approx(100 * (CITY.project((40.6, -74.236))[1] + 21_000) / 42_000, abs=0.05)


def test_an_outline_is_drawn_where_it_is_and_cut_at_the_frame() -> None:
    chart = city(20_000).answers[-1].question
    assert isinstance(chart, gp.DensityMap)
    frame = Frame.of(chart)
    path = frame.path(shapely.LineString([(-11_000, 0), (99_000, 0)]))
    assert path == "M250.0 477.2L1000.0 477.2"
    assert frame.path(shapely.LineString([(50_000, 0), (99_000, 0)])) == ""


def test_an_answer_of_another_kind_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="answers"):
        page_html("answers")  # type: ignore[arg-type]


def _spaced(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def _schemes() -> dict[str, dict[str, str]]:
    """Colours by name, of each scheme of the page."""
    html = page_html(survey(answer(ABOVE, 0.4, 0.01, 1000)))
    blocks = re.findall(r":root \{(.*?)\}", html, flags=re.DOTALL)
    found = [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block)) for block in blocks]
    return dict(zip(("light", "dark", "print"), found, strict=True))


def _contrast(first: str, second: str) -> float:
    """By WCAG 2.2: (L1 + 0.05)/(L2 + 0.05) of relative luminances."""

    def luminance(colour: str) -> float:
        parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_computed_as_published() -> None:
    assert _contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert _contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)  # the known grey that just fails


@pytest.mark.parametrize("scheme", ["light", "dark", "print"])
def test_words_and_lines_stand_out_in_every_scheme(scheme: str) -> None:
    colours = _schemes()[scheme]
    assert set(colours) == set(_schemes()["light"])
    for paper in ("paper", "panel"):
        for ink in ("ink", "soft", "accent"):
            assert _contrast(colours[ink], colours[paper]) >= 4.5
    assert _contrast(colours["warn"], colours["warn-paper"]) >= 4.5
    assert _contrast(colours["accent"], colours["together"]) >= 3  # lines of a picture on its band
    assert _contrast(colours["accent"], colours["each"]) >= 2.5


def test_an_area_that_is_small_beside_its_blur_says_so() -> None:
    place = gp.Ball((40.7, -74.0), 300.0, 300.0, CITY)
    said = gp.Blurred(place, 600.0).small_region.replace("\u202f", " ")
    assert said == "ask about an area at least 2.6 km across, or ask with 1/ε (and a blur) of at most 130 m"
    wider = gp.Blurred(gp.Ball((40.7, -74.0), 900.0, 300.0, CITY), 600.0).small_region.replace("\u202f", " ")
    assert wider == "ask about an area at least 2.6 km across, or a blur of at most 410 m"
    assert not gp.Blurred(gp.Ball((40.7, -74.0), 5_000.0, 300.0, CITY), 600.0).small_region
    assert not place.small_region
