"""What an analyst reads over HTTP: with the key and without it, in numbers that agree, and at little cost."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from starlette.testclient import TestClient

import geopriv as gp
from geopriv.collector.app import Service, application
from geopriv.collector.keys import Key
from geopriv.collector.problems import Problem
from geopriv.collector.server import Settings, service_of
from geopriv.collector.verdicts import Sent, Verdict
from geopriv.errors import InvalidParameter
from geopriv.pages.page import page_html
from tests.collector.conftest import DESIGN, HEADERS, KEY

LOCKED = (
    "/v1/answers",
    "/v1/answers.csv",
    "/v1/answers.geojson",
    "/v1/report.html",
    "/v1/overview",
    "/v1/shifts",
    "/metrics",
)


def sent(number: int, report: str, mechanism: int = 0) -> Sent:
    return Sent(number.to_bytes(16, "big"), mechanism, None, report, None)


def fill(service: Service, n: int, start: int = 0) -> None:
    """Reports as the design could have them."""
    rows = [sent(start + k, f"[{k % 9 - 3}]") for k in range(n)]
    assert service.live.store.take(rows) == [Verdict.COUNTED] * n


def made(tmp_path: Path, design: gp.Design = DESIGN, **more: Any) -> Service:
    """A collector on SQLite whose answers take the key, and are always new."""
    settings = Settings(f"sqlite:///{tmp_path}/survey.sqlite", rate=0.0, age=0.0, key=KEY, invited=False)
    return service_of(design, replace(settings, **more))


def made_again(service: Service) -> Service:
    """Another process at the same database."""
    return made(Path(service.live.store._path).parent)


@pytest.fixture
def locked(tmp_path: Path) -> Iterator[Service]:
    found = made(tmp_path)
    yield found
    found.close()


def ask(service: Service) -> TestClient:
    return TestClient(application(service), base_url="https://testserver", raise_server_exceptions=False)


@pytest.mark.parametrize("path", LOCKED)
def test_what_was_learnt_takes_the_key_and_says_why_not(locked: Service, path: str) -> None:
    fill(locked, 3)
    client = ask(locked)
    none, wrong = client.get(path), client.get(path, headers={"Authorization": "Bearer wrong-key-of-somebody"})
    assert (none.status_code, none.json()["reason"]) == (401, "no key")
    assert (wrong.status_code, wrong.json()["reason"]) == (401, "wrong key")
    assert none.headers["www-authenticate"] == wrong.headers["www-authenticate"] == "Bearer"
    assert "somebody" not in wrong.text
    assert client.get(f"{path}?key={KEY.words}").status_code == 401  # never in an address
    assert client.get(path, headers=HEADERS).status_code == (404 if path.endswith("geojson") else 200)


def test_a_browser_is_given_a_pass_that_no_script_and_no_other_page_has(locked: Service) -> None:
    client = ask(locked)
    assert client.post("/v1/session").json()["reason"] == "no key"
    given = client.post("/v1/session", headers=HEADERS)
    cookie = given.headers["set-cookie"]
    assert all(words in cookie for words in ("HttpOnly", "SameSite=strict", "Secure", "Max-Age=43200"))
    assert KEY.words not in cookie
    assert client.get("/v1/overview").status_code == 200
    client.delete("/v1/session")
    assert client.get("/v1/overview").json()["reason"] == "no key"


def test_a_pass_is_good_for_nobody_once_its_browser_has_left(locked: Service) -> None:
    """Also of a copy; other browsers keep theirs, and after a while it is not remembered that it was one."""
    here, there = (ask(locked) for _ in range(2))
    for client in (here, there):
        client.post("/v1/session", headers=HEADERS)
    shown = f"geopriv-{DESIGN.hash[:12]}={next(iter(here.cookies.values()))}"
    assert here.delete("/v1/session").status_code == 204
    assert ask(locked).get("/v1/overview", headers={"Cookie": shown}).json()["reason"] == "no key"
    assert there.get("/v1/overview").status_code == 200
    again = made_again(locked)
    assert ask(again).get("/v1/overview", headers={"Cookie": shown}).status_code == 401  # of another process
    again.close()
    for words in (shown, shown[:-1] + "0", "nothing"):
        assert ask(locked).delete("/v1/session", headers={"Cookie": words}).status_code == 204
    with locked.live.store._engine.begin() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM ended").scalar() == 1
        connection.exec_driver_sql("UPDATE ended SET until = '2001-01-01'")
    there.delete("/v1/session")
    with locked.live.store._engine.begin() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM ended").scalar() == 1


def test_a_pass_of_another_key_or_another_time_is_none(locked: Service) -> None:
    client = ask(locked)
    name = f"geopriv-{DESIGN.hash[:12]}"
    for shown in (Key.random().new_pass(4e9), KEY.new_pass(0.0), "", ".", "9999999999.", "9" * 4000 + ".0"):
        assert client.get("/v1/overview", headers={"Cookie": f"{name}={shown}"}).status_code == 401
    shown = KEY.new_pass(4e9)
    assert client.get("/v1/overview", headers={"Cookie": f"{name}={shown}"}).status_code == 200


def test_nobody_tries_many_keys(tmp_path: Path) -> None:
    service = made(tmp_path, rate=0.001, burst=3)
    client = ask(service)
    wrong = [client.get("/v1/answers", headers={"Authorization": f"Bearer {k}"}).status_code for k in range(5)]
    assert wrong == [401, 401, 401, 429, 429]
    assert (
        client.post("/v1/session", headers=HEADERS).json()["reason"] == "too fast"
    )  # else it would tell the right one
    service.close()


@pytest.mark.parametrize("words", ["short", "sixteen letters with spaces", "ümlaut-of-sixteen-letters", "x" * 257])
def test_a_key_that_is_weak_or_cannot_be_sent_is_refused_without_an_echo(words: str) -> None:
    with pytest.raises(InvalidParameter) as caught:
        Key(words)
    assert words not in str(caught.value)
    assert words not in repr(Key("x" * 16))


def test_open_answers_are_for_everybody_and_counts_still_are_not(tmp_path: Path) -> None:
    service = made(tmp_path, open_answers=True, together=1)
    fill(service, 3)
    client = ask(service)
    assert client.get("/v1/answers").status_code == client.get("/v1/report.html").status_code == 200
    assert client.get("/metrics").status_code == 401
    service.close()


def test_files_and_page_say_what_the_answers_say(locked: Service) -> None:
    fill(locked, 400)
    client = ask(locked)
    client.headers.update(HEADERS)
    soft = client.get("/v1/answers").json()["answers"][0]["soft"]
    (row,) = csv.DictReader(io.StringIO(client.get("/v1/answers.csv").text))
    assert float(row["value"]) == pytest.approx(100 * soft["value"], rel=1e-12)
    assert float(row["low"]) == pytest.approx(100 * soft["low"], rel=1e-12)
    assert row["n"] == "400"
    page = client.get("/v1/report.html")
    assert page.text == page_html(locked.live.answers())
    assert "frame-ancestors 'self'" in page.headers["content-security-policy"]
    assert "script-src 'sha256-" in page.headers["content-security-policy"]


def test_zero_and_too_few_reports_are_said(locked: Service) -> None:
    client = ask(locked)
    client.headers.update(HEADERS)
    for n in (0, 1):
        fill(locked, n)
        found = client.get("/v1/overview").json()
        assert (found["reports"], found["answered"], found["made_up"]) == (n, False, None)
        assert found["problem"]["reason"] == client.get("/v1/answers").json()["reason"] == "too few reports"
        assert client.get("/v1/report.html").status_code == 404


def test_more_made_up_reports_move_more(locked: Service) -> None:
    fill(locked, 1000)
    client = ask(locked)
    client.headers.update(HEADERS)
    usual = client.get("/v1/overview").json()["made_up"]
    assert (usual["some"], usual["of"]) == (10, 1000)
    five = client.get("/v1/overview?made_up=5").json()["made_up"]["questions"][0]
    assert five["name"] == "above"
    leverage = locked.live.answers()["above"].leverage
    assert leverage is not None
    said = float(five["words"].split("at most ")[1].split(" points")[0])
    assert 500 * leverage <= said <= 500 * leverage * 1.1
    assert five["words"].startswith("If 5 of 1,000 reports were made up")
    assert "anything" in client.get("/v1/overview?made_up=1000").json()["made_up"]["questions"][0]["words"]
    for wrong in ("0", "1001", "-1", "1e3", "٣", "9" * 30, ""):
        assert client.get("/v1/overview", params={"made_up": wrong}).json()["reason"] == "wrong number"


def test_how_far_is_told_by_the_error_that_is_wanted(tmp_path: Path) -> None:
    service = made(tmp_path, target=0.02)
    client = ask(service)
    client.headers.update(HEADERS)
    fill(service, 500)
    (near,) = client.get("/v1/overview").json()["progress"]["questions"]
    answer = service.live.answers()["above"].estimates[()]
    assert near["done"] == pytest.approx((0.02 / ((answer.high - answer.low) / 2)) ** 2)
    assert "± 2 points takes about" in near["words"]
    fill(service, int(500 / near["done"]), start=10_000)  # as many again as were said to be needed
    assert client.get("/v1/overview").json()["progress"]["questions"][0]["done"] == 1.0
    service.close()


def test_rejections_are_told_in_words(locked: Service) -> None:
    locked.live.store.reject(Counter({Verdict.UNKNOWN_TOKEN: 2, Verdict.MALFORMED: 5}))
    client = ask(locked)
    found = client.get("/v1/overview", headers=HEADERS).json()["rejected"]
    assert [(one["reason"], one["times"]) for one in found] == [("malformed", 5), ("unknown token", 2)]
    assert found[1]["words"] == "with an invitation that was never given out"


def test_every_rejection_has_words() -> None:
    from geopriv.collector.overview import _REASONS

    assert {verdict.words for verdict in Verdict if not verdict.kept} <= set(_REASONS)


def test_a_walk_is_answered_round_by_round(tmp_path: Path) -> None:
    from tests.mechanisms.test_walking import design

    service = made(tmp_path, design())
    client = ask(service)
    client.headers.update(HEADERS)
    rows = [sent(k, f"[{1 + k % 2}, 1, {50 + k % 7}]") for k in range(40)]
    assert set(service.live.store.take(rows)) == {Verdict.COUNTED}
    missing = client.get("/v1/answers")
    assert (missing.status_code, missing.json()["reason"]) == (400, "no round")
    found = client.get("/v1/overview").json()
    assert found["rounds"] == [{"round": 1, "reports": 20}, {"round": 2, "reports": 20}]
    assert found["problem"]["reason"] == "no round"
    assert client.get("/v1/answers?round=2").json()["n"] == 20
    assert client.get("/v1/report.html?round=2").status_code == 200
    assert client.get("/v1/answers?round=99").json()["reason"] == "wrong round"
    assert client.get("/v1/answers?round=3").json()["reason"] == "too few reports"
    service.close()


def test_only_a_walk_has_rounds(locked: Service) -> None:
    fill(locked, 3)
    assert ask(locked).get("/v1/answers?round=1", headers=HEADERS).json()["reason"] == "wrong round"


def test_reports_are_counted_again_only_when_some_came(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    service = made(tmp_path)
    fill(service, 5)
    counted = Mock(side_effect=service.live.store.counts)
    monkeypatch.setattr(service.live.store, "counts", counted)
    first = service.live.now()
    assert service.live.now() is first
    assert counted.call_count == 1
    fill(service, 1, start=100)
    assert service.live.now().counted.n == 6
    assert first.answers().n == 5  # a moment stays what it was
    service.live.store.reject(Counter({Verdict.MALFORMED: 1}))
    assert service.live.now().counted.rejected == {"malformed": 1}
    service.close()


def test_what_took_long_is_made_anew_seldom(tmp_path: Path) -> None:
    service = made(tmp_path, age=10.0)
    fill(service, 5)
    first = service.live.now()
    first.spent = 3.0
    fill(service, 1, start=100)
    service.live._then -= 25.0
    assert service.live.now() is first
    service.live._then -= 6.0
    assert service.live.now().counted.n == 6
    service.close()


def test_the_description_names_every_problem_and_address(locked: Service) -> None:
    found = ask(locked).get("/v1/openapi.json").json()
    assert set(LOCKED) <= set(found["paths"])
    assert all(json.dumps(problem.reason) in json.dumps(found) for problem in Problem)
