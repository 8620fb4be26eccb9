"""The analyst's page in a real Chromium, on a phone and on a desktop: what is asked for, shown, changed and renewed."""

from __future__ import annotations

import csv
import io
import json
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import geopriv as gp
from geopriv.collector.app import Service
from geopriv.collector.verdicts import Sent, Verdict
from geopriv.surveys.design import Design
from tests.browser import Browser, Tab
from tests.collector.conftest import DESIGN, HEADERS, KEY
from tests.collector.servers import running

SIZES = {"phone": (390, 844), "desktop": (1200, 900)}
CITY = gp.LocalPlane(40.5, -74.3, 40.95, -73.7)
MAP = Design(
    "A city",
    (gp.Lattice.calibrate(CITY, 1e-3, step=250.0, noise="product"),),
    (),
    (
        gp.DensityMap(
            "where people are", 3_000.0, (-20_000.0, -20_000.0), (20_000.0, 20_000.0), CITY, columns=11, rows=11
        ),
        gp.Share("harbour", gp.Ball((40.7, -74.0), 5_000.0, 4_000.0, CITY)),
    ),
)


def fill(service: Service, n: int, start: int = 0) -> None:
    """Reports of made-up people, the same for the same numbers."""
    made, rng = service.design.mechanisms[0], np.random.default_rng(start)
    spread = rng.normal(size=n)
    people = spread if made.space.dimension == 1 else np.stack([40.7 + spread / 20, -74.0 - spread / 20], axis=1)
    rows = np.asarray(made.simulate(people, rng)).reshape(n, -1)
    sent = [
        Sent((start + k).to_bytes(16, "big"), 0, None, json.dumps([int(one) for one in row]), None)
        for k, row in enumerate(rows)
    ]
    assert service.live.store.take(sent) == [Verdict.COUNTED] * n


@pytest.fixture
def survey(tmp_path: Path) -> Iterator[tuple[str, Service]]:
    with running(DESIGN, f"sqlite:///{tmp_path}/survey.sqlite", invited=False, target=0.02) as found:
        yield found


@contextmanager
def entered(browser: Browser, address: str, size: str = "desktop", dark: bool = False) -> Iterator[Tab]:
    """The page of who has typed the key."""
    browser("Storage.clearCookies")
    with browser.tab(f"{address}analyst", SIZES[size], dark=dark) as tab:
        tab.until("!document.getElementById('enter').hidden")
        type_key(tab, KEY.words)
        tab.until("!document.getElementById('shown').hidden")
        tab.run("document.getElementById('auto').checked = false")
        yield tab


def type_key(tab: Tab, words: str) -> None:
    tab.choose("#key", words)
    tab.run("document.querySelector('#enter button').click()")


def text(tab: Tab, selector: str) -> str:
    found: str = tab.run(f"document.querySelector({json.dumps(selector)}).innerText")
    return found


def framed(tab: Tab) -> str:
    """What the page of answers says, once it is there."""
    tab.until("document.getElementById('answers').contentDocument?.querySelector('main')")
    tab.until("document.getElementById('answers').style.height")
    found: str = tab.run("document.getElementById('answers').contentDocument.body.innerText")
    return found


def asked(address: str, path: str) -> Any:
    with urllib.request.urlopen(urllib.request.Request(f"{address}{path}", headers=HEADERS)) as answer:
        return json.load(answer)


@pytest.mark.parametrize("size", SIZES)
def test_a_wrong_key_shows_nothing_and_the_right_one_all(
    browser: Browser, survey: tuple[str, Service], size: str, tmp_path: Path
) -> None:
    address, service = survey
    fill(service, 400)
    service.live.store.reject(Counter({Verdict.UNKNOWN_TOKEN: 3}))
    with browser.tab(f"{address}analyst", SIZES[size]) as tab:
        tab.until("!document.getElementById('enter').hidden")
        for wrong in ("a key of somebody else", "no-key-but-letters", "schlüssel"):
            type_key(tab, wrong)
            tab.until("document.getElementById('wrong').textContent.includes('not the key')")
            assert tab.run("document.getElementById('shown').hidden")
        type_key(tab, KEY.words)
        tab.until("!document.getElementById('shown').hidden")
        assert tab.run("document.getElementById('wrong').hidden && document.getElementById('enter').hidden")
        assert "above" in framed(tab)
        assert text(tab, "#count") == "400 reports so far"
        assert "with an invitation that was never given out\t3" in text(tab, "#rejected")
        assert "± 2 points" in text(tab, "#progress")
        assert tab.run("document.documentElement.scrollWidth <= innerWidth")
        tab.screenshot(tmp_path / "page.png")
        assert not tab.events("Runtime.exceptionThrown")
        assert KEY.words not in json.dumps([one["request"]["url"] for one in tab.events("Network.requestWillBeSent")])
        assert tab.run("document.cookie + JSON.stringify([localStorage, sessionStorage])") == "[{},{}]"
        tab.run("document.getElementById('leave').click()")
        tab.until("!document.getElementById('enter').hidden")


def test_files_say_the_numbers_of_the_answers(browser: Browser, survey: tuple[str, Service], tmp_path: Path) -> None:
    address, service = survey
    fill(service, 300)
    folder = tmp_path / "files"
    folder.mkdir()
    with entered(browser, address) as tab:
        names = tab.run("[...document.querySelectorAll('#files a')].map((link) => link.download)")
        assert names == ["report.html", "estimates.json", "answers.csv"]
        files = {name: tab.download(f"#files a[download='{name}']", folder) for name in names}
    found = asked(address, "v1/answers")
    assert json.loads(files["estimates.json"].read_text()) == found
    (row,) = csv.DictReader(io.StringIO(files["answers.csv"].read_text()))
    assert float(row["value"]) == pytest.approx(100 * found["answers"][0]["soft"]["value"])
    assert "300 people" in files["report.html"].read_text()


def test_another_number_of_liars_changes_the_sentence(browser: Browser, survey: tuple[str, Service]) -> None:
    address, service = survey
    fill(service, 1000)
    with entered(browser, address) as tab:
        tab.until("document.getElementById('moved').innerText.includes('If 10 of 1,000 reports')")
        first = text(tab, "#moved")
        tab.choose("#some", "3")
        tab.until("document.getElementById('moved').innerText.includes('If 3 of 1,000 reports')")
        few = asked(address, "v1/overview?made_up=3")["made_up"]["questions"][0]["words"]
        assert text(tab, "#moved") == f"above {few}" != first
        tab.choose("#some", "0")  # the field says what is wrong, and the sentence stays true
        assert not tab.run("document.getElementById('some').validity.valid")
        assert "If 3 of" in text(tab, "#moved")


def test_new_reports_are_seen_and_what_is_in_use_stays(browser: Browser, survey: tuple[str, Service]) -> None:
    address, service = survey
    fill(service, 200)
    with entered(browser, address) as tab:
        assert "from 200 reports" in framed(tab)
        fill(service, 100, start=1000)
        tab.run("document.getElementById('refresh').click()")
        tab.until("document.getElementById('count').textContent.startsWith('300 reports')")
        tab.until("document.getElementById('answers').contentDocument?.body?.innerText.includes('from 300 reports')")
        assert text(tab, "#said") == "100 more since the last look."
        tab.run("document.getElementById('answers').focus()")
        fill(service, 50, start=2000)
        tab.run("document.getElementById('refresh').click()")
        tab.until("!document.getElementById('waiting').hidden")
        assert "from 300 reports" in framed(tab)
        tab.run("document.getElementById('renew').click()")
        tab.until("document.getElementById('answers').contentDocument?.body?.innerText.includes('from 350 reports')")


def test_the_page_looks_by_itself_unless_that_is_switched_off(browser: Browser, survey: tuple[str, Service]) -> None:
    address, service = survey
    with entered(browser, address) as tab:
        fill(service, 5)
        time.sleep(1.5)  # it looks every second where it is left to
        assert text(tab, "#count") == "0 reports so far"
        tab.run("document.getElementById('auto').click()")
        tab.until("document.getElementById('count').textContent.startsWith('5 reports')")


def test_none_and_too_few_reports_are_said_in_words(browser: Browser, survey: tuple[str, Service]) -> None:
    address, service = survey
    with entered(browser, address, "phone") as tab:
        assert text(tab, "#count") == "0 reports so far"
        assert "too few reports" in text(tab, "#none")
        assert tab.run("['answers', 'liars', 'take', 'progress'].every((id) => document.getElementById(id).hidden)")
        assert text(tab, "#rejected") == "Nothing was rejected so far."
        fill(service, 1)
        tab.run("document.getElementById('refresh').click()")
        tab.until("document.getElementById('count').textContent === '1 report so far'")
        assert "too few reports" in text(tab, "#none")


def test_every_field_is_named_and_what_changes_is_told_once(browser: Browser, survey: tuple[str, Service]) -> None:
    address, service = survey
    fill(service, 100)
    with entered(browser, address) as tab:
        framed(tab)
        assert tab.run("[...document.querySelectorAll('input, select')].every((one) => one.labels.length)")
        assert tab.run("document.querySelector('iframe').title.length > 0 && document.documentElement.lang === 'en'")
        assert tab.run("document.querySelector('[role=status]') && document.querySelector('[role=alert]')") != ""
        tab.run(
            "window.told = 0; new MutationObserver(() => window.told++)"
            ".observe(document.getElementById('moved'), { childList: true, subtree: true })"
        )
        service.live.store.reject(Counter({Verdict.MALFORMED: 2}))
        tab.run("document.getElementById('refresh').click()")
        tab.until("document.getElementById('rejected').innerText.includes('not a report')")
        assert tab.run("window.told") == 0
    with browser.tab(f"{address}analyst", scripts=False) as tab:
        assert tab.run("document.querySelector('noscript') !== null && document.getElementById('shown').hidden")


@pytest.mark.parametrize("size", SIZES)
def test_a_map_is_shown_and_fits(browser: Browser, tmp_path: Path, size: str) -> None:
    with running(MAP, f"sqlite:///{tmp_path}/map.sqlite", invited=False, open_answers=True, together=1) as (
        address,
        service,
    ):
        fill(service, 2_000)
        with browser.tab(f"{address}analyst", SIZES[size], dark=size == "phone") as tab:
            tab.until("!document.getElementById('shown').hidden")  # nobody asks for a key
            assert "where people are" in framed(tab)
            tab.until("document.getElementById('answers').contentDocument.querySelector('canvas')")
            assert "answers.geojson" in text(tab, "#files")
            inside = "document.getElementById('answers').contentDocument.documentElement"
            assert tab.run(f"{inside}.scrollWidth <= {inside}.clientWidth")
            assert tab.run("document.documentElement.scrollWidth <= innerWidth")
            tab.until(f"{inside}.scrollHeight <= document.getElementById('answers').clientHeight")
            assert tab.run(f"{inside}.querySelector('.stage').getBoundingClientRect().height <= innerHeight")
            tab.screenshot(tmp_path / "map.png")
            assert not tab.events("Runtime.exceptionThrown")
            assert not [one for one in tab.events("Log.entryAdded") if one["entry"]["level"] == "error"]
