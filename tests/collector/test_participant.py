"""The participant's journey in a real Chromium, on a phone and on a desktop: the value is in no request."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import geopriv as gp
from geopriv.collector import tokens
from geopriv.collector.app import Service
from geopriv.collector.pages import participant_pages
from tests.browser import Browser, Tab
from tests.collector.servers import running
from tests.designs import grouped_design
from tests.node_device import CLIENT

SIZES = {"phone": (390, 844), "desktop": (1200, 900)}


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Service]]:
    with running(grouped_design(), f"sqlite:///{tmp_path_factory.mktemp('collector')}/survey.sqlite") as found:
        yield found


def invitation(service: Service) -> str:
    (token,) = tokens.issue(1)
    service.live.store.invite([tokens.digest(token)])
    return token


def said(tab: Tab) -> str:
    words: str = tab.run("document.getElementById('said').textContent")
    return words


def answer(tab: Tab, value: str, group: str) -> str:
    """Type a value, choose a group and make a report, which is shown."""
    tab.until("!document.getElementById('ask').hidden")
    tab.choose("#field0", value)
    tab.choose("#group", group)
    tab.run("document.getElementById('make').click()")
    tab.until("!document.getElementById('made').hidden")
    line: str = tab.run("document.getElementById('report').textContent")
    return line


def everything_sent(tab: Tab) -> str:
    """Addresses, headers and bodies; not the clock of the log, whose digits could be those of a place."""
    told = tab.events("Network.requestWillBeSent")
    return json.dumps([(one["documentURL"], one["request"]) for one in told])


@pytest.mark.parametrize("size", SIZES)
def test_a_participant_sees_the_report_sends_it_and_is_counted(
    browser: Browser, survey: tuple[str, Service], size: str, tmp_path: Path
) -> None:
    address, service = survey
    token, counted = invitation(service), service.live.store.counted()
    host = address.replace("127.0.0.1", "localhost") if size == "phone" else address  # a ledger for each
    with browser.tab(f"{host}#{token}", SIZES[size], dark=size == "phone") as tab:
        assert "above: how many households are at or above 0" in tab.run("document.body.innerText")
        line = answer(tab, "1.23456789", "Queens")
        tab.screenshot(tmp_path / "made.png")
        assert service.live.store.counted() == counted
        tab.run("document.getElementById('send').click()")
        tab.until("document.getElementById('said').textContent.includes('counted')")
        assert said(tab) == "Yours was counted. Thank you. There are fewer than 10 reports so far."
        tab.screenshot(tmp_path / "counted.png")
        assert tab.run("document.documentElement.scrollWidth <= innerWidth")
        network = everything_sent(tab)
        (sent,) = [
            one["request"] for one in tab.events("Network.requestWillBeSent") if one["request"]["method"] == "POST"
        ]
        assert sent["postData"] == line.ljust(512)
        assert sent["url"] == f"{host}v1/reports"
        assert all(one["request"]["url"].startswith(host) for one in tab.events("Network.requestWillBeSent"))
        assert "1.23456789" not in network
        assert "23456789" not in network
        assert not tab.events("Log.entryAdded")
        assert not tab.events("Runtime.exceptionThrown")
        assert tab.run("document.querySelector('#field0').value") == ""
    assert json.loads(line)["group"] == 1
    assert service.live.store.counted() == counted + 1


def test_a_browser_that_is_asked_again_says_the_same_and_counts_once(
    browser: Browser, survey: tuple[str, Service]
) -> None:
    address, service = survey
    token = invitation(service)
    host = address.replace("127.0.0.1", "again.localhost")
    lines, words = [], []
    for value, group, link in (("1", "Kings", token), ("-3", "Queens", token), ("2", "Kings", invitation(service))):
        with browser.tab(f"{host}#{link}") as tab:
            lines.append(answer(tab, value, group))
            tab.run("document.getElementById('send').click()")
            tab.until("document.getElementById('said').textContent.includes('counted')")
            words.append(said(tab))
    assert len(set(lines)) == 1
    assert words[0].startswith("Yours was counted. Thank you.")
    assert words[1].startswith("Yours was counted already")
    assert words[2].startswith("It was not counted again")
    with browser.tab(f"{address.replace('127.0.0.1', 'elsewhere.localhost')}#{token}") as tab:  # as another browser
        answer(tab, "1", "Kings")
        tab.run("document.getElementById('send').click()")
        tab.until("document.getElementById('said').textContent.includes('counted')")
        assert "tell who invited you" in said(tab)


def test_how_much_is_sent_does_not_depend_on_the_report(browser: Browser, tmp_path: Path) -> None:
    """TLS hides what is sent, and not how much. Answers far from each other make reports of unlike length."""
    design = gp.Design("wide", (gp.Lattice.on_grid(gp.Line(), 1.0, 0.25, (0.0,)),))
    lines, sizes = [], []
    with running(design, f"sqlite:///{tmp_path}/wide.sqlite") as (address, service):
        for host, value in (("near", "1"), ("far", "-1e14")):
            with browser.tab(f"{address.replace('127.0.0.1', f'{host}.localhost')}#{invitation(service)}") as tab:
                tab.until("!document.getElementById('ask').hidden")
                tab.choose("#field0", value)
                tab.run("document.getElementById('make').click()")
                tab.until("!document.getElementById('made').hidden")
                lines.append(tab.run("document.getElementById('report').textContent"))
                tab.run(
                    "document.getElementById('report').textContent = 'what a program for other languages made of it'"
                )
                tab.run("document.getElementById('send').click()")
                tab.until("document.getElementById('said').textContent.includes('Yours was counted')")
                told = [one["request"] for one in tab.events("Network.requestWillBeSent")]
                sizes += [len(one["postData"]) for one in told if one["method"] == "POST"]
    assert len(lines[1]) > len(lines[0]) + 10
    assert sizes == [512, 512]
    # the longest report on 16 axes; on more, there is room for 64 in what a collector takes
    # the longest report on 16 axes; on more, there is room for 64 in what a collector takes
    for axes, most in ((16, 512), (64, 4000)):
        report = [-(1 << 53)] * axes
        longest = {"design": "0" * 64, "group": 999, "id": "0" * 32, "mechanism": 4095, "report": report}
        assert len(json.dumps(longest, separators=(",", ":"))) <= most


def test_what_is_no_value_is_said_without_an_echo_and_nothing_is_sent(
    browser: Browser, survey: tuple[str, Service]
) -> None:
    address, service = survey
    with browser.tab(f"{address.replace('127.0.0.1', 'wrong.localhost')}#{invitation(service)}") as tab:
        tab.until("!document.getElementById('ask').hidden")
        tab.choose("#field0", "31337 dollars")
        tab.choose("#group", "Kings")
        tab.run("document.getElementById('make').click()")
        tab.until("document.getElementById('said').classList.contains('wrong')")
        assert said(tab).startswith("Type a number with nothing else")
        wrong = "document.getElementById('field0').getAttribute('aria-invalid')"
        assert tab.run(wrong) == "true"
        assert tab.run("document.activeElement.id") == "field0"
        assert "31337" not in said(tab)
        assert "31337" not in everything_sent(tab)
        assert tab.run("document.getElementById('made').hidden")
        tab.choose("#field0", "31337")
        assert (said(tab), tab.run(wrong)) == ("", None)


def test_what_may_be_thousands_or_decimals_is_asked_about(browser: Browser, survey: tuple[str, Service]) -> None:
    address, service = survey
    with browser.tab(f"{address.replace('127.0.0.1', 'either.localhost')}#{invitation(service)}") as tab:
        tab.until("!document.getElementById('ask').hidden")
        tab.choose("#group", "Kings")
        for value in ("3.000", "-52.125"):
            tab.choose("#field0", value)
            tab.run("document.getElementById('make').click()")
            tab.until("document.getElementById('said').classList.contains('wrong')")
            assert said(tab).startswith("Are these thousands or decimals? Type 3000 for three thousand, 3.0 for three")
            assert tab.run("document.getElementById('field0').getAttribute('aria-invalid')") == "true"
            assert tab.run("document.activeElement.id") == "field0"
            assert tab.run("document.getElementById('made').hidden")
        assert answer(tab, "0.125", "Kings")


def test_what_is_no_place_is_said_in_words_for_people(browser: Browser, tmp_path: Path) -> None:
    design = gp.Design("places", (gp.Lattice.calibrate(gp.LocalPlane(40.5, -74.3, 40.95, -73.7), 1e-3, step=250.0),))
    with running(design, f"sqlite:///{tmp_path}/map.sqlite") as (address, service):
        for place in (("40,7", "-74"), ("95", "10"), ("40.7° N", "74° W")):
            with browser.tab(f"{address.replace('127.0.0.1', 'words.localhost')}#{invitation(service)}") as tab:
                tab.until("!document.getElementById('ask').hidden")
                for k, part in enumerate(place):
                    tab.choose(f"#field{k}", part)
                tab.run("document.getElementById('make').click()")
                tab.until("document.getElementById('said').classList.contains('wrong')")
                assert said(tab).startswith("This is no place. Point at the map, or type two numbers")


def test_the_page_says_what_to_tell_it_before_what_it_is_for(survey: tuple[str, Service]) -> None:
    page = participant_pages(survey[1].design, True)["/"].content.decode()
    assert page.index("You are asked for one number") < page.index("worked out from all reports together")
    incomes = gp.Lattice.calibrate(gp.Line("USD"), "1 per 8,000 USD")
    source = gp.Source(("income",), (0.0,), (1e6,))
    curve = gp.Distribution("Incomes", (1e4, 1e5), 32_000, gp.Line("USD"))
    money = gp.Design("money", (incomes,), source=source, questions=(curve,))
    page = participant_pages(money, True)["/"].content.decode()
    assert "You are asked for one number in USD: income." in page
    assert "estimates" not in page


@pytest.mark.parametrize("link", ["", "short", "é" * 22, "A" * 22 + ".", "A" * 22 + "?from=mail"])
def test_a_link_that_is_none_is_said_so_before_anything_is_asked(
    browser: Browser, survey: tuple[str, Service], link: str
) -> None:
    """Such a token could not even be sent: that nobody answered would be wrong."""
    with browser.tab(f"{survey[0]}#{link}") as tab:
        tab.until("document.getElementById('said').classList.contains('wrong')")
        assert "no invitation" in said(tab)
        assert tab.run("document.getElementById('ask').hidden")


def test_no_service_of_the_browser_s_maker_is_asked_about_an_answer(
    browser: Browser, survey: tuple[str, Service]
) -> None:
    """Those that check spelling, translate and suggest send what is written on a page to others."""
    with browser.tab(f"{survey[0]}#{invitation(survey[1])}") as tab:
        tab.until("!document.getElementById('ask').hidden")
        told = "[e.autocomplete, e.spellcheck, e.translate, e.getAttribute('writingsuggestions')]"
        fields = tab.run(f"[...document.querySelectorAll('input')].map((e) => {told})")
        assert fields == [["off", False, False, "false"]]
        assert tab.run("document.getElementById('report').translate") is False
        assert tab.run("document.getElementById('said').translate") is True  # planted: what may be translated


def test_every_field_has_its_label_and_none_has_a_name(browser: Browser, survey: tuple[str, Service]) -> None:
    """A form without names sends nothing of its fields, whatever happens to the script."""
    with browser.tab(f"{survey[0]}#{invitation(survey[1])}") as tab:
        tab.until("!document.getElementById('ask').hidden")
        assert tab.run("[...document.querySelectorAll('input, select')].every((e) => e.labels.length && !e.name)")
        assert tab.run("document.querySelector('[role=status]') !== null && document.documentElement.lang === 'en'")
    with browser.tab(survey[0], scripts=False) as tab:
        assert tab.run("document.querySelector('noscript') !== null && document.getElementById('ask').hidden")
        assert said(tab) == ""  # nothing is being checked


def test_a_map_asks_for_a_latitude_and_a_longitude(browser: Browser, tmp_path: Path) -> None:
    plane = gp.LocalPlane(40.5, -74.3, 40.95, -73.7)
    design = gp.Design("places", (gp.Lattice.calibrate(plane, 1e-3, step=250.0),))
    with running(design, f"sqlite:///{tmp_path}/map.sqlite") as (address, service):
        with browser.tab(f"{address}#{invitation(service)}", SIZES["phone"]) as tab:
            tab.until("!document.getElementById('ask').hidden")
            labels = tab.run("[...document.querySelectorAll('label')].map((e) => e.textContent)")
            assert labels == ["Latitude", "Longitude"]
            assert not tab.run("document.getElementById('here').hidden")
            assert tab.run("document.getElementById('where').translate") is False
            tab.choose("#field0", "40.7128111")
            tab.choose("#field1", "-74.0060222")
            tab.run("document.getElementById('make').click()")
            tab.until("!document.getElementById('made').hidden")
            tab.run("document.getElementById('send').click()")
            tab.until("document.getElementById('said').textContent.includes('counted')")
            network = everything_sent(tab)
            tab.screenshot(tmp_path / "map.png")
        assert service.live.store.counted() == 1
    assert "40.7128" not in network
    assert "74.006" not in network


def test_the_page_runs_the_very_device_that_is_published(survey: tuple[str, Service]) -> None:
    pages = participant_pages(survey[1].design, True)
    sources = sorted((CLIENT / "src").glob("*.js"))
    assert {f"/client/{path.name}" for path in sources} == {path for path in pages if path.startswith("/client/")}
    assert all(pages[f"/client/{path.name}"].content == path.read_bytes() for path in sources)
