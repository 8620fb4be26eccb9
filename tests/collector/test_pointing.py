"""The participant's map and the picture of the promise, in a real Chromium: by pointer, by keys, on a small phone."""

from __future__ import annotations

import json
import math
import re
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import shapely

import geopriv as gp
from geopriv.collector.app import Service
from geopriv.collector.coarse import coarse
from geopriv.collector.pages import participant_pages
from geopriv.collector.places import WIDE, chart_of
from geopriv.surveys.design import Design
from tests.browser import Browser, Tab
from tests.collector.servers import running
from tests.collector.test_participant import SIZES, everything_sent, invitation
from tests.designs import grouped_design, small_table

BRITAIN = gp.LocalPlane(49.8, -8.7, 60.9, 1.9)
SOUTH = gp.Share("the south", gp.Geofence(shapely.box(-3.3, 50.9, 0.4, 52.6), width=6e4, space=BRITAIN))
STORM = Design("storm", (gp.Lattice.calibrate(BRITAIN, 1 / 20_000, step=2_500.0),), (), (SOUTH,))
OVERFLOWS = "[...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > innerWidth + 1)"
CONTRASTS = """
(() => {
  const numbers = (colour) => colour.match(/[0-9.]+/g).map(Number);
  const light = (colour) => {
    const linear = (c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = numbers(colour).map((c) => linear(c / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (e) => {
    for (let at = e; at; at = at.parentElement) {
      const { backgroundColor } = getComputedStyle(at);
      if (numbers(backgroundColor)[3] !== 0) return backgroundColor;
    }
  };
  const own = (e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
  const written = (e) => own(e) && e.getClientRects().length;
  return [...document.querySelectorAll("body *")].filter((e) => written(e) && !e.disabled).map((e) => {
    const ink = e.namespaceURI.endsWith("svg") ? getComputedStyle(e).fill : getComputedStyle(e).color;
    const [a, b] = [light(ink), light(behind(e))];
    return [e.textContent.slice(0, 40), (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)];
  });
})()
"""


@pytest.fixture(scope="module")
def storm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Service]]:
    with running(STORM, f"sqlite:///{tmp_path_factory.mktemp('storm')}/survey.sqlite") as found:
        yield found


@contextmanager
def pointing(
    browser: Browser, storm: tuple[str, Service], host: str, size: tuple[int, int], dark: bool = False
) -> Iterator[Tab]:
    """The page of a map, ready to be pointed at; a host of its own has a ledger of its own."""
    address = storm[0].replace("127.0.0.1", f"{host}.localhost")
    with browser.tab(f"{address}#{invitation(storm[1])}", size, dark=dark) as tab:
        tab.until("document.getElementById('map').getAttribute('height') && !document.getElementById('ask').hidden")
        yield tab


def fields(tab: Tab) -> list[float]:
    return [float(each) for each in tab.run("[...document.querySelectorAll('#fields input')].map((e) => e.value)")]


def click(tab: Tab, x: float, y: float) -> None:
    """A click on the map, at shares of its width and height."""
    box = tab.box("#map")
    for kind in ("mousePressed", "mouseReleased"):
        where = box["x"] + x * box["width"], box["y"] + y * box["height"]
        tab.mouse(kind, *where, button="left", clickCount=1)


@pytest.mark.parametrize("size", SIZES)
def test_a_place_that_is_pointed_at_is_in_the_fields_and_in_no_request(
    browser: Browser, storm: tuple[str, Service], size: str, tmp_path: Path
) -> None:
    service, counted = storm[1], storm[1].live.store.counted()
    with pointing(browser, storm, f"point-{size}", SIZES[size], dark=size == "phone") as tab:
        click(tab, 0.5, 0.5)
        latitude, longitude = fields(tab)
        assert latitude == pytest.approx((49.8 + 60.9) / 2, abs=0.1)
        assert longitude == pytest.approx((-8.7 + 1.9) / 2, abs=0.1)
        assert tab.run("document.getElementById('where').textContent") == (
            f"The pin is at {latitude:.3f}° north, {-longitude:.3f}° west."
        )
        tab.screenshot(tmp_path / "pointed.png")
        assert "the south" in tab.run("document.querySelector('.names').textContent")
        tab.run("document.getElementById('make').click()")
        tab.until("!document.getElementById('made').hidden")
        assert tab.run("document.getElementById('where').textContent") == "No place is chosen yet."
        tab.run("document.getElementById('send').click()")
        tab.until("document.getElementById('said').textContent.includes('so far')")
        network = everything_sent(tab)
        assert not tab.events("Log.entryAdded")
        assert not tab.events("Runtime.exceptionThrown")
        # planted: a page that tells a place to its own host would be seen
        tab.run(f"fetch('v1/live?{latitude:.3f}').then((found) => found.text())")
        assert f"{latitude:.3f}" in everything_sent(tab)
    assert service.live.store.counted() == counted + 1
    assert f"{latitude:.3f}" not in network
    assert f"{-longitude:.3f}" not in network


def test_the_map_is_enlarged_to_the_pin_and_an_arrow_is_then_a_smaller_step(
    browser: Browser, storm: tuple[str, Service]
) -> None:
    with pointing(browser, storm, "zoom", SIZES["desktop"]) as tab:
        click(tab, 0.5, 0.5)
        tab.run("document.getElementById('map').focus()")
        steps = []
        for _ in range(3):
            before = fields(tab)
            tab.press("ArrowUp")
            steps.append(fields(tab)[0] - before[0])
            assert fields(tab)[1] == pytest.approx(before[1], abs=1e-3)
            tab.press("+")
        assert steps[1] == pytest.approx(steps[0] / 2, rel=0.02)
        assert steps[2] == pytest.approx(steps[0] / 4, rel=0.02)
        before = fields(tab)
        tab.press("ArrowRight", 8)
        assert fields(tab)[1] > before[1]
        pin = tab.run("document.querySelector('.pin').getAttribute('transform').match(/[0-9.]+/g).map(Number)")
        wide, high = tab.run(
            "['width', 'height'].map((k) => document.getElementById('map').getBoundingClientRect()[k])"
        )
        assert 0 < pin[0] < wide
        assert 0 < pin[1] < high
        click(tab, 0.5, 0.5)
        tab.run("for (let k = 0; k < 9; k++) document.getElementById('farther').click()")
        assert tab.run("document.getElementById('farther').disabled && !document.getElementById('nearer').disabled")


def test_the_pin_can_be_dragged_and_is_kept_in_the_region(browser: Browser, storm: tuple[str, Service]) -> None:
    with pointing(browser, storm, "drag", SIZES["desktop"]) as tab:
        click(tab, 0.5, 0.5)
        box = tab.box("#map")
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        tab.mouse("mousePressed", x, y - 19, button="left", clickCount=1)
        before = fields(tab)
        for k in range(1, 5):
            tab.mouse("mouseMoved", x + 20 * k, y - 10 * k, button="left", buttons=1)
        after = fields(tab)
        assert after[0] > before[0]
        assert after[1] > before[1]
        tab.mouse("mouseMoved", x, -2_000, button="left", buttons=1)
        assert fields(tab)[0] == 60.9
        tab.mouse("mouseReleased", x, -2_000, button="left", clickCount=1)
        tab.mouse("mouseMoved", x, y)
        assert fields(tab)[0] == 60.9


def test_the_position_of_the_device_moves_the_pin_and_is_sent_nowhere(
    browser: Browser, storm: tuple[str, Service]
) -> None:
    with pointing(browser, storm, "here", SIZES["phone"]) as tab:
        origin = tab.run("location.origin")
        browser("Browser.grantPermissions", origin=origin, permissions=["geolocation"])
        tab("Emulation.setGeolocationOverride", latitude=53.48095, longitude=-2.23743, accuracy=5)
        tab.run("document.getElementById('here').click()")
        tab.until("document.getElementById('where').textContent.startsWith('The pin')")
        assert fields(tab) == [53.48095, -2.23743]
        assert "53.48" not in everything_sent(tab)
        assert "sends it nowhere" in tab.run("document.getElementById('said').textContent")
        assert "their maker, who then learns" in tab.run("document.getElementById('found').innerText")


def test_what_is_typed_moves_the_pin_and_a_place_outside_is_said_to_be(
    browser: Browser, storm: tuple[str, Service]
) -> None:
    where = "document.getElementById('where').textContent"
    with pointing(browser, storm, "typed", SIZES["desktop"]) as tab:
        tab.choose("#field0", "51.5")
        assert tab.run(where) == "No place is chosen yet."
        tab.choose("#field1", "-0.12")
        assert tab.run(where) == "The pin is at 51.5000° north, 0.1200° west."
        assert tab.run("document.getElementById('map').classList.contains('chosen')")
        tab.choose("#field1", "359.88")
        assert tab.run(where) == "The pin is at 51.5000° north, 0.1200° west."
        tab.choose("#field0", "40.7")
        assert "outside of the region" in tab.run(where)
        tab.choose("#field0", "nowhere")
        assert tab.run(where) == "No place is chosen yet."


def test_a_place_can_be_chosen_reported_and_sent_by_keys_alone(browser: Browser, storm: tuple[str, Service]) -> None:
    counted = storm[1].live.store.counted()
    with pointing(browser, storm, "keys", SIZES["desktop"]) as tab:
        passed = []
        for key in ("Tab",) * 12:
            tab.press(key)
            passed.append(tab.run("document.activeElement.id"))
            if passed[-1] == "map":
                tab.press("ArrowLeft")
            if passed[-1] == "make":
                break
        assert passed[-6:] == ["map", "nearer", "field0", "field1", "here", "make"]
        assert tab.run("getComputedStyle(document.activeElement).outlineStyle") == "solid"
        assert fields(tab)[0] == pytest.approx(55.35, abs=0.1)
        tab.press("Enter")
        tab.until("!document.getElementById('made').hidden")
        assert tab.run("document.activeElement.id") == "made"
        tab.press("Tab")
        tab.press("Enter")
        tab.until("document.getElementById('said').textContent.includes('so far')")
    assert storm[1].live.store.counted() == counted + 1


@pytest.mark.parametrize("dark", [False, True])
def test_a_small_phone_shows_all_of_the_map_page_and_every_word_can_be_read(
    browser: Browser, storm: tuple[str, Service], dark: bool
) -> None:
    with pointing(browser, storm, f"small-{dark}".lower(), (320, 640), dark) as tab:
        click(tab, 0.4, 0.6)
        tab.run("document.querySelector('details').open = true")
        assert tab.run("document.documentElement.scrollWidth") == 320
        assert tab.run(f"{OVERFLOWS}.filter((e) => !e.closest('svg')).length") == 0
        contrasts = tab.run(CONTRASTS)
        assert len(contrasts) > 30
        assert not [each for each in contrasts if each[1] < 4.5]
        tab.run("document.querySelector('h1').style.color = getComputedStyle(document.body).backgroundColor")
        assert [each for each in tab.run(CONTRASTS) if each[1] < 4.5]


def test_the_page_shows_how_alike_answers_are_as_the_promise_has_it(storm: tuple[str, Service]) -> None:
    page = participant_pages(STORM, True)["/"].content.decode()
    rows = re.findall(r'<rect class="full" width="([0-9.]+)" height="8"/></svg>([0-9,]+) times', page)
    assert rows[0] == ("100", "1,000")
    # 2, 6, 20, 40 and 100 km at 1 per 20 km
    losses = [0.1, 0.3, 1.0, 2.0, 5.0]
    assert [int(times) for _, times in rows[1:]] == [math.floor(1000 * math.exp(-loss)) for loss in losses]
    for (wide, _), loss in zip(rows[1:], losses, strict=True):
        assert 0 < 100 * math.exp(-loss) - float(wide) < 0.11


def test_the_map_has_coasts_where_they_are_known_and_the_surveys_own_lines_before_them() -> None:
    coasts = chart_of(STORM)
    assert coasts is not None
    assert "Natural Earth" in coasts.source
    numbers = [float(each) for each in re.findall(r"[0-9.]+", coasts.outline)]
    assert max(numbers) <= WIDE
    assert len(numbers) > 1_000
    (south,) = coasts.asked
    assert south.name == "the south"
    unit = WIDE / (60.9 - 49.8)
    # the highest point of its border: on the map, lines between corners bend
    assert south.y == pytest.approx((60.9 - 52.6) * unit, abs=8)
    assert south.x == pytest.approx((8.7 - 1.45) * math.cos(math.radians(55.35)) * unit, abs=2)
    city = gp.LocalPlane(40.5, -74.3, 40.95, -73.7)
    lattice = (gp.Lattice.calibrate(city, 1e-3, step=250.0),)
    bare = chart_of(Design("city", lattice))
    assert bare is not None
    assert (bare.outline, bare.asked) == ("", ())
    line = ((-74.2, 40.6), (-73.8, 40.6))
    own = gp.DensityMap("where", 2e3, (-2e4, -2e4), (2e4, 2e4), city, 8, 8, (line,))
    drawn = chart_of(Design("city", lattice, (), (own,)))
    assert drawn is not None
    # a sixth and five sixths along the width, 0.35 of 0.45 degrees down; degrees of longitude are shorter
    narrow = math.cos(math.radians(40.725))
    unit = WIDE / max(0.6 * narrow, 0.45)
    expected = f"M{0.1 * narrow * unit:.2f} {0.35 * unit:.2f}L{0.5 * narrow * unit:.2f} {0.35 * unit:.2f}"
    assert drawn.outline == expected
    assert chart_of(grouped_design()) is None


def test_names_of_areas_do_not_cover_each_other_and_come_back_when_there_is_room(
    browser: Browser, tmp_path: Path
) -> None:
    """Two names within each other could not be read, and one was behind the buttons."""
    names = ("a long name of the first", "a long name of the second", "far away")
    boxes = [(-2.1, 53.0, -2.0, 53.1), (-2.0, 53.1, -1.9, 53.2), (-6.0, 50.5, -5.9, 50.6)]
    areas = tuple(
        gp.Share(name, gp.Geofence(shapely.box(*box), width=6e4, space=BRITAIN))
        for name, box in zip(names, boxes, strict=True)
    )
    seen = "[...document.querySelectorAll('#map .names text')].filter(e => e.getAttribute('visibility') !== 'hidden')"
    design = Design("areas", STORM.mechanisms, (), areas)
    with (
        running(design, f"sqlite:///{tmp_path}/areas.sqlite") as service,
        pointing(browser, service, "areas", SIZES["phone"]) as tab,
    ):
        assert tab.run(f"{seen}.map(e => e.textContent)") == [names[0], names[2]]
        tab.choose("#field0", "53.1")
        tab.choose("#field1", "-2")
        for _ in range(6):
            tab.run("document.getElementById('nearer').click()")
        assert set(names[:2]) <= set(tab.run(f"{seen}.map(e => e.textContent)"))


def test_a_region_across_the_antimeridian_is_one_map() -> None:
    fiji = gp.LocalPlane(-20.0, 176.0, -15.0, -178.0)
    chart = chart_of(Design("fiji", (gp.Lattice.calibrate(fiji, 1 / 20_000, step=2_500.0),)))
    assert chart is not None
    assert (chart.west, chart.east) == (176.0, 182.0)
    across = [float(each) for each in re.findall(r"[ML]([0-9.]+) ", chart.outline)]
    assert min(across) < WIDE / 3
    assert max(across) > WIDE / 3 * 2


def test_places_on_earth_are_pointed_at_on_a_map_of_all_of_it(browser: Browser, tmp_path: Path) -> None:
    ball = gp.Ball((48.2, 16.37), radius=5e5, width=2e5, space=gp.Earth())
    design = Design("earth", (small_table(ball, 1e-5),), (), (gp.Share("near Vienna", ball),))
    chart = chart_of(design)
    assert chart is not None
    assert 20_000 < len(chart.outline) < 200_000
    with (
        running(design, f"sqlite:///{tmp_path}/earth.sqlite") as earth,
        pointing(browser, earth, "earth", SIZES["phone"]) as tab,
    ):
        click(tab, (180 + 16.37) / 360, (90 - 48.2) / 180)
        assert fields(tab) == pytest.approx([48.2, 16.37], abs=1.5)  # a dot of the window is a degree
        assert tab.run("document.documentElement.scrollWidth") == SIZES["phone"][0]
        tab.screenshot(tmp_path / "earth.png")
        tab.run("document.getElementById('make').click()")
        tab.until("!document.getElementById('made').hidden")


def test_how_many_were_counted_is_one_coarse_number(storm: tuple[str, Service]) -> None:
    with urllib.request.urlopen(f"{storm[0]}v1/count", timeout=60) as answer:
        assert json.load(answer) == {"at_least": 0}
        assert answer.headers["cache-control"] == "no-store"
    assert [coarse(n) for n in (9, 10, 19, 20, 340, 12_345)] == [0, 10, 10, 20, 300, 10_000]
