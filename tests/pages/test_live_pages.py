"""The page in a real browser: what it tells where somebody points, how it is looked at, and what is taken away."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.image import imread

import geopriv as gp
from geopriv.answers.features import geojson
from geopriv.answers.rows import table_of
from geopriv.pages.density import Density
from geopriv.pages.numbers import decimals_for, fixed, outward
from geopriv.pages.scales import LOGARITHMIC, ROOT
from tests.answered import CITY, HASH, USD, answer
from tests.browser import Browser, Tab

COLUMNS, ROWS = 24, 19
DENSEST = (15, 6)
STAGE, READOUT = ".stage", ".mapped .readout"


def _map() -> gp.answers.Answer:
    chart = gp.DensityMap(
        "Where people were", 2_000.0, (-18_000, -14_000), (18_000, 14_000), CITY, columns=COLUMNS, rows=ROWS
    )
    x, y = np.meshgrid(np.arange(COLUMNS), np.arange(ROWS), indexing="ij")
    values = 0.3 * np.exp(-((x - DENSEST[0]) ** 2 + (y - DENSEST[1]) ** 2) / 9) + 1e-3 * np.sin(3 * x + y)
    errors = 0.002 + 0.003 * np.sqrt(np.maximum(values, 0))
    found = answer(chart, values, errors, 5000)
    return replace(found, consistent=np.maximum(values, 0.0), leverage=0.0007)  # thin where errors are below 0.0022


MAP = _map()
CURVE = answer(
    gp.Distribution("Incomes", tuple(np.linspace(10_000, 90_000, 9)), 8_000, USD),
    np.linspace(0.95, 0.05, 9),
    np.full(9, 0.011),
    900,
)


def _answers(found: gp.answers.Answer) -> gp.Answers:
    promise = gp.Guarantee(1e-3, unit=found.question.space.distance_unit, reference="theory T8")
    return gp.Answers("A survey", HASH, promise, found.question.space, (found,), found.estimates.n)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    for name, found in (("map", MAP), ("curve", CURVE)):
        _answers(found).write_page(folder / f"{name}.html")
    return folder


@pytest.fixture
def on_map(browser: Browser, pages: Path) -> Iterator[Tab]:
    with browser.tab(pages / "map.html") as tab:
        tab.until("document.querySelector('.lively canvas')?.width > 100")
        yield tab
        assert not tab.events("Runtime.exceptionThrown")
        assert not tab.events("Log.entryAdded")


def _said(tab: Tab) -> str:
    return re.sub(r"\s", " ", tab.run(f"document.querySelector({json.dumps(READOUT)}).textContent"))


def _point_at(tab: Tab, i: int, j: int) -> None:
    box = tab.box(f"{STAGE} canvas")
    x, y = box["x"] + box["width"] * i / (COLUMNS - 1), box["y"] + box["height"] * (1 - j / (ROWS - 1))
    tab.mouse("mouseMoved", min(x + 3, box["right"] - 3), max(y - 3, box["top"] + 3))


def _words(i: int, j: int) -> tuple[str, ...]:
    """What must be told of a place, from the answers by themselves."""
    density, found = Density.of(MAP), MAP.estimates
    digits = decimals_for(density.errors[i, j], 6)
    interval = outward(density.percent * found.low[i, j], density.percent * found.high[i, j], digits)
    band = outward(density.band.low[i, j], density.band.high[i, j], digits)
    x, y = (axis[k] for axis, k in zip(density.question.axes, (i, j), strict=True))
    place = CITY.place_words(CITY.values(np.array([x, y])).tolist()).replace("\xa0", " ")
    value = f"{fixed(density.values[i, j], digits)} % of people per km²"
    return place, value, f"95 % interval {' to '.join(interval)}", f"band for the whole map {' to '.join(band)}"


def test_a_place_that_is_pointed_at_tells_its_value_its_interval_and_its_error(on_map: Tab) -> None:
    for i, j in (DENSEST, (3, 4), (COLUMNS - 1, ROWS - 1)):
        _point_at(on_map, i, j)
        said = _said(on_map)
        assert all(words in said for words in _words(i, j)), said
        error = float(re.findall(r"standard error ([\d.]+\d)", said)[0])
        assert error == pytest.approx(Density.of(MAP).errors[i, j], rel=0.05)
    assert "Cannot be told from zero" in said  # in the corner
    assert not set(_words(4, 4)) <= set(said)


def test_a_place_whose_interval_rests_on_few_reports_says_so(on_map: Tab) -> None:
    assert MAP.thin[0, ROWS - 1]
    assert not MAP.thin[DENSEST]
    for at, thin in (((0, ROWS - 1), True), (DENSEST, False)):
        _point_at(on_map, *at)
        assert ("(too short: few people are near)" in _said(on_map)) is thin


def test_the_keyboard_finds_the_densest_place_and_walks_from_it(on_map: Tab) -> None:
    on_map.run(f"document.querySelector('{STAGE}').focus()")
    i, j = DENSEST
    for key, at in (("Home", (i, j)), ("ArrowRight", (i + 1, j)), ("ArrowUp", (i + 1, j + 1))):
        on_map.press(key)
        assert all(words in _said(on_map) for words in _words(*at))
    assert on_map.run("document.querySelector('.readout').ariaLive") == "polite"


def _view(tab: Tab) -> list[float]:
    box: list[float] = tab.run(f"document.querySelector('{STAGE} svg').getAttribute('viewBox').split(' ').map(Number)")
    return box


def test_a_map_is_looked_at_more_closely_by_button_key_and_wheel(on_map: Tab) -> None:
    whole = _view(on_map)
    ruler = "document.querySelector('.lively .ruler + span').textContent"
    length = on_map.run(ruler)
    on_map.run("document.querySelector('[data-do=in]').click()")
    assert _view(on_map)[2] == pytest.approx(1000 / 1.6)
    on_map.run(f"document.querySelector('{STAGE}').focus()")
    on_map.press("+")
    on_map.press("+")
    assert _view(on_map)[2] == pytest.approx(1000 / 1.6**3)
    assert on_map.run(ruler) != length
    on_map.press("Home")  # is brought into view
    x, y, wide, tall = _view(on_map)
    place = 1000 * DENSEST[0] / (COLUMNS - 1), whole[3] * (1 - DENSEST[1] / (ROWS - 1))
    assert x <= place[0] <= x + wide
    assert y <= place[1] <= y + tall
    on_map.press("0")
    assert _view(on_map) == whole
    box = on_map.box(f"{STAGE} canvas")
    on_map.mouse("mouseWheel", box["x"] + 5, box["y"] + 5, deltaX=0, deltaY=-400)
    on_map.until(f"!document.querySelector('{STAGE} svg').getAttribute('viewBox').startsWith('0 0 1000 ')")
    assert _view(on_map)[0] < 20  # about the place of the pointer


def _marks(tab: Tab) -> list[str]:
    """What stands along the sides, as far as it is seen."""
    code = "[...document.querySelectorAll('.lively .stage .tick')].filter(e => !e.hidden).map(e => e.textContent)"
    found: list[str] = tab.run(code)
    return found


def test_a_place_that_was_chosen_stays_where_it_is_and_degrees_stand_along_every_part_of_a_map(on_map: Tab) -> None:
    """The middle was looked at, and of eight steps to the densest place none ended near it, or had a mark."""
    whole = _marks(on_map)
    on_map.run(f"document.querySelector('{STAGE}').focus()")
    on_map.press("Home")
    before = on_map.run("[...'lt'].map(k => document.querySelector('.marker').style[{l: 'left', t: 'top'}[k]])")
    for _ in range(8):
        on_map.press("+")
    after = on_map.run("[...'lt'].map(k => document.querySelector('.marker').style[{l: 'left', t: 'top'}[k]])")
    assert [float(side[:-1]) for side in after] == pytest.approx([float(side[:-1]) for side in before])
    assert not on_map.run("document.querySelector('.marker').hidden")
    axes = Density.of(MAP).question.axes
    latitude, longitude = CITY.values(np.array([axis[k] for axis, k in zip(axes, DENSEST, strict=True)]))
    for angle, letter in ((latitude, "N"), (-longitude, "W")):
        seen = [float(mark.split("°")[0]) for mark in _marks(on_map) if mark.endswith(letter)]
        assert len(seen) >= 2
        assert abs(np.mean(seen) - angle) < 0.02
    on_map.run("document.querySelector('[data-do=whole]').click()")
    assert _marks(on_map) == whole


def test_marks_along_a_part_of_a_map_are_where_those_of_the_whole_are(on_map: Tab) -> None:
    """Other code writes them."""
    marks = "[...document.querySelectorAll('.stage .tick.y')].filter(e => !e.hidden)"
    code = f"{marks}.map(e => [parseFloat(e.textContent), parseFloat(e.style.bottom) / 100])"
    whole, high = dict(on_map.run(code)), _view(on_map)[3]
    on_map.run("document.querySelector('[data-do=in]').click()")
    _, y, _, tall = _view(on_map)
    part = {number: 1 - (y + tall * (1 - at)) / high for number, at in on_map.run(code)}
    assert len(part) >= 2
    assert part.keys() & whole.keys()
    assert all(part[number] == pytest.approx(whole[number], abs=1e-3) for number in part.keys() & whole.keys())


def _colour(tab: Tab, i: int, j: int) -> list[int]:
    """Red, green, blue and opacity at a point of the grid."""
    share = f"{i / (COLUMNS - 1)}", f"{1 - j / (ROWS - 1)}"
    at = f"Math.floor(c.width * {share[0]} * 0.999), Math.floor(c.height * {share[1]} * 0.999)"
    code = f"[...c.getContext('2d').getImageData({at}, 1, 1).data]"
    colour: list[int] = tab.run(f"(c => {code})(document.querySelector('canvas'))")
    return colour


def test_it_shows_the_estimate_the_error_and_where_it_is_surely_above_a_number(on_map: Tab) -> None:
    corner = (1, ROWS - 2)
    assert _colour(on_map, *corner)[3] == 0  # hatched: cannot be told from zero
    assert _colour(on_map, *DENSEST)[:3] == pytest.approx([253, 231, 37], abs=12)  # the end of viridis
    on_map.choose("[name=show]", "error")
    assert _colour(on_map, *corner)[3] == 255
    on_map.choose("[name=show]", "consistent")
    assert "biased by that" in on_map.run("document.querySelector('.lively .tools').textContent")
    on_map.choose("[name=show]", "typed")
    middle = float(Density.of(MAP).values[DENSEST]) / 2
    on_map.choose("[name=typed]", f"{middle:.4g}")
    assert _colour(on_map, *DENSEST) == [0xE6, 0x9F, 0x00, 255]
    assert _colour(on_map, *corner) == [0x00, 0x72, 0xB2, 255]
    assert "band that holds the whole map at once" in on_map.run("document.querySelector('.judged').textContent")
    on_map.choose("[name=typed]", f"{2 * middle:.4g}")
    assert _colour(on_map, *DENSEST)[3] == 0  # may be either


def test_colours_are_spread_evenly_by_roots_or_by_logarithms(on_map: Tab) -> None:
    seen = [_colour(on_map, DENSEST[0] - 3, DENSEST[1])]
    data = on_map.run("JSON.parse(document.getElementById('data').textContent).maps[0].keys.estimate.scales")
    for name in (ROOT, LOGARITHMIC):
        on_map.choose("[name=scale]", name)
        seen.append(_colour(on_map, DENSEST[0] - 3, DENSEST[1]))
        labels = on_map.run("[...document.querySelectorAll('.lively .live .colours .tick')].map(e => e.textContent)")
        assert labels == [tick[1] for tick in data[name]["ticks"]]
    assert seen[0][1] < seen[1][1] < seen[2][1]  # each brighter than the one before


def test_files_hold_the_rows_of_all_exports(on_map: Tab, tmp_path: Path) -> None:
    answers = _answers(MAP)
    table = table_of(answers)
    with on_map.download("[data-do=csv]", tmp_path).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == table.column_names
    _same_rows(rows, table.to_pylist())
    features = json.loads(on_map.download("[data-do=geojson]", tmp_path).read_text(encoding="utf-8"))["features"]
    wanted = geojson(answers)["features"]
    _same_rows([each["properties"] for each in features], [each["properties"] for each in wanted])
    for one, other in zip(features, wanted, strict=True):
        corners = np.asarray(one["geometry"]["coordinates"][0])
        assert corners == pytest.approx(np.asarray(other["geometry"]["coordinates"][0]), abs=2e-7)
    picture = imread(on_map.download("[data-do=png]", tmp_path))
    assert picture.shape[1] == 1280
    assert len(np.unique(picture.reshape(-1, picture.shape[2]), axis=0)) > 100
    on_map.run("document.querySelector('[data-do=in]').click()")
    (tmp_path / "closer").mkdir()
    closer = on_map.download("[data-do=csv]", tmp_path / "closer").read_text(encoding="utf-8").splitlines()
    assert len(closer) < len(rows) / 2  # what is shown


def _same_rows(rows: list[dict[str, Any]], wanted: list[dict[str, Any]]) -> None:
    """As numbers where these are, to a hundredth of the least error."""
    slack = min(row["standard_error"] for row in wanted) / 100
    assert len(rows) == len(wanted)
    for row, other in zip(rows, wanted, strict=True):
        for name, value in other.items():
            if isinstance(value, float):
                assert float(row[name]) == pytest.approx(value, abs=1e-6 if "itude" in name else slack)
            else:
                # a file of text has "false" and nothing, where JSON has these themselves
                assert _text(row[name]) == _text(value)


def _text(value: object) -> str:
    return "" if value is None else str(value).lower()


def test_a_curve_tells_its_values_and_is_taken_away(browser: Browser, pages: Path, tmp_path: Path) -> None:
    with browser.tab(pages / "curve.html") as tab:
        box = tab.box(".curved .plot svg")
        tab.mouse("mouseMoved", box["x"] + box["width"] * 0.51, box["y"] + 20)
        said = re.sub(r"\s", " ", tab.run("document.querySelector('.curved .readout').textContent"))
        assert "At or above 50,000 USD: 50 %" in re.sub(" +", " ", said)
        assert "95 % interval 47 to 53 %; band 46 to 54 %" in said
        tab.run("document.querySelector('.curved .plot').focus()")
        tab.press("ArrowRight")
        assert "60,000 USD" in tab.run("document.querySelector('.curved .readout').textContent").replace("\u202f", " ")
        with tab.download("[data-do=csv]", tmp_path).open(encoding="utf-8", newline="") as file:
            _same_rows(list(csv.DictReader(file)), table_of(_answers(CURVE)).to_pylist())
        assert not tab.events("Runtime.exceptionThrown")


def test_nothing_is_asked_of_any_network_and_no_other_script_runs(on_map: Tab) -> None:
    _point_at(on_map, 3, 3)
    asked = [event["request"]["url"] for event in on_map.events("Network.requestWillBeSent")]
    assert asked
    assert all(url.startswith(("file:", "data:", "blob:")) for url in asked), asked
    plant = "(() => { const s = document.createElement('script'); s.textContent = 'window.planted = 1'; "
    assert on_map.run(plant + "document.body.append(s); return window.planted ?? 0 })()") == 0
    assert on_map.run("fetch('data:,x').then(() => 1, () => 0)") == 0
    # the browser tells of both, which are no faults of the page
    on_map.browser.events = [event for event in on_map.browser.events if event["method"] != "Log.entryAdded"]


def test_without_scripts_everything_is_there(browser: Browser, pages: Path) -> None:
    with browser.tab(pages / "map.html", scripts=False) as tab:
        shown = tab.run("[...document.querySelectorAll('.maps img')].filter(e => e.clientWidth > 100).length")
        assert shown == 3
        assert tab.run("document.querySelectorAll('.live, canvas').length") == 0
        assert "Standard error" in tab.run("document.body.innerText")


def test_on_a_phone_a_place_is_tapped_and_nothing_is_wider_than_the_screen(browser: Browser, pages: Path) -> None:
    with browser.tab(pages / "map.html", (390, 844), dark=True) as tab:
        tab.until("document.querySelector('.lively canvas')?.width > 100")
        assert tab.run("document.documentElement.scrollWidth") <= 390
        assert _said(tab).startswith("Tap a place")
        box = tab.box(f"{STAGE} canvas")
        x, y = (
            box["x"] + box["width"] * DENSEST[0] / (COLUMNS - 1),
            box["y"] + box["height"] * (1 - DENSEST[1] / (ROWS - 1)),
        )
        tab("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        tab("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        assert all(words in _said(tab) for words in _words(*DENSEST))
        apart = [[{"x": x - d, "y": y, "id": 0}, {"x": x + d, "y": y, "id": 1}] for d in (20, 30, 45)]
        for kind, points in zip(("touchStart", "touchMove", "touchMove"), apart, strict=True):
            tab("Input.dispatchTouchEvent", type=kind, touchPoints=points)
        tab.until(f"Number(document.querySelector('{STAGE} svg').getAttribute('viewBox').split(' ')[2]) < 700")
        assert not tab.events("Runtime.exceptionThrown")
