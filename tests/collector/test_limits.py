"""What anybody may ask and send: it holds no memory, connection, thread or line of the log of the service for long."""

from __future__ import annotations

import asyncio
import os
import socket
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from geopriv.collector import tokens
from geopriv.collector.app import Service, application
from geopriv.collector.bodies import Room
from geopriv.collector.coarse import Look
from geopriv.collector.rates import Rates
from geopriv.collector.server import Settings, service_of
from geopriv.collector.store import Store
from geopriv.collector.verdicts import Sent
from geopriv.errors import Unavailable
from tests.collector.conftest import DESIGN, HEADERS, KEY
from tests.collector.servers import running, status
from tests.collector.test_collector import line, send


def reports(n: int, start: int = 0) -> list[Sent]:
    return [Sent((start + k).to_bytes(16, "big"), 0, None, f"[{k % 3}]", None) for k in range(n)]


def test_what_everybody_may_ask_tells_no_exact_number(client: TestClient, service: Service) -> None:
    """Who could watch the exact number would see when each report comes."""
    said = set()
    for n in range(3):
        service.live.store.take(reports(1, n))
        said.add((client.get("/v1/ready").text, client.get("/v1/count").text))
    assert len(said) == 1


def test_all_who_ask_how_many_share_one_look() -> None:
    looks = []

    def slow() -> int:
        looks.append(1)
        time.sleep(0.2)
        return 123

    async def ask_all(look: Look[int]) -> list[int]:
        return list(await asyncio.gather(*(look.seen() for _ in range(200))))

    assert set(asyncio.run(ask_all(about := Look(slow)))) == {123}
    assert asyncio.run(about.seen()) == 123  # of another loop
    assert len(looks) == 1
    down: Look[int] = Look(lambda: (_ for _ in ()).throw(Unavailable("The database cannot be used now.")))
    for _ in range(2):
        with pytest.raises(Unavailable, match="cannot be used"):
            asyncio.run(down.seen())


def test_a_database_that_is_back_is_seen_soon_however_long_it_kept_who_asked_waiting() -> None:
    """Where it is away a look takes half a minute: who waited ten times that was taken for dead five minutes more."""
    answers: list[Unavailable | int] = [Unavailable("The database cannot be used now."), 123]

    def look() -> int:
        found = answers.pop(0)
        if isinstance(found, Exception):
            time.sleep(0.3)
            raise found
        return found

    about = Look(look, age=0.1)
    with pytest.raises(Unavailable):
        asyncio.run(about.seen())
    time.sleep(0.2)
    assert asyncio.run(about.seen()) == 123


@pytest.mark.parametrize("old", [True, False])
def test_who_waits_too_long_hears_what_was_seen_before_or_that_nothing_is(old: bool) -> None:
    waits = [0.0, 1.0]

    def look() -> int:
        time.sleep(waits.pop(0))
        return len(waits)

    about = Look(look, age=0.0, old=old, patience=0.2)
    assert asyncio.run(about.seen()) == 1
    if old:
        assert asyncio.run(about.seen()) == 1
    else:
        with pytest.raises(Unavailable, match="does not answer"):
            asyncio.run(about.seen())


def test_answers_for_everybody_change_by_several_reports_at_once(tmp_path: Path) -> None:
    """Else the difference of two looks is one report, with the time at which it came."""
    settings = Settings(f"sqlite:///{tmp_path}/survey.sqlite", rate=0.0, age=0.0, key=KEY, invited=False)
    with (
        closing(service_of(DESIGN, replace(settings, open_answers=True))) as open_,
        closing(service_of(DESIGN, settings)) as closed,
    ):
        told = []
        with TestClient(application(open_)) as everybody, TestClient(application(closed)) as analyst:
            for n in range(25):
                open_.live.store.take(reports(1, n))
                found = everybody.get("/v1/overview").json()
                told.append((found["reports"], found["answered"]))
                assert analyst.get("/v1/overview", headers=HEADERS).json()["reports"] == n + 1
    assert told == [(n // 10 * 10, n >= 10) for n in range(1, 26)]


def test_open_answers_are_limited_as_reports_are(service: Service) -> None:
    service.analyst.rates.rate, service.analyst.rates.burst = 1e-3, 2
    with TestClient(application(service)) as client:
        assert [client.get("/v1/overview").status_code for _ in range(3)] == [200, 200, 429]


def test_whether_it_is_ready_is_told_while_many_wait_for_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answers that are made anew keep all who ask for them waiting; who looks after the service would end it."""
    with running(DESIGN, f"sqlite:///{tmp_path}/survey.sqlite", invited=False, open_answers=True) as (address, service):
        now = service.live.now

        def slowly() -> Any:
            time.sleep(3)
            return now()

        monkeypatch.setattr(service.live, "now", slowly)
        port = int(address.rstrip("/").rpartition(":")[2])
        with ThreadPoolExecutor(50) as pool:
            waiting = [pool.submit(status, port, "GET", "/v1/overview", "", "") for _ in range(50)]
            time.sleep(0.5)
            began = time.monotonic()
            assert [status(port, "GET", f"/v1/{name}", "", "") for name in ("ready", "count")] == [200, 200]
            assert time.monotonic() < began + 1.5
            assert not any(one.done() for one in waiting)


def test_batches_that_come_at_once_have_bounded_memory(
    client: TestClient, invited: list[str], service: Service
) -> None:
    one = f"{invited[0]} {line(0)}"
    with service._room.taken("elsewhere") as take:
        service._room.share, all_but = 1 << 26, service._room.left - len(one) + 1
        take(all_but)
        answer = client.post("/v1/batch", content=one)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
        assert send(client, invited[1], line(1)) == (201, "counted")  # single reports come through
    assert client.post("/v1/batch", content=one).json()["verdicts"] == ["counted"]
    assert service._room == Room(share=1 << 26)


def test_one_address_takes_a_part_of_the_memory_for_batches_only(
    client: TestClient, invited: list[str], service: Service
) -> None:
    with service._room.taken("testclient") as take, service._room.taken("elsewhere") as other:
        take(service._room.share)
        assert client.post("/v1/batch", content=f"{invited[0]} {line(0)}").status_code == 503
        other(1)
    assert client.post("/v1/batch", content=f"{invited[0]} {line(0)}").status_code == 200
    assert service._room == Room()


def test_memory_is_counted_as_batches_come_and_not_as_they_say(tmp_path: Path) -> None:
    """Who announced 4 MB, and sent nothing, kept others out."""
    with running(DESIGN, f"sqlite:///{tmp_path}/survey.sqlite", invited=False) as (address, service):
        head = "POST /v1/batch HTTP/1.1\r\nHost: a\r\nContent-Length: 4000000\r\n\r\n"
        port = int(address.rstrip("/").rpartition(":")[2])
        with ExitStack() as open_:
            for _ in range(20):
                one = open_.enter_context(socket.create_connection(("127.0.0.1", port), timeout=10))
                one.sendall(head.encode() + b"{" * 1000)
            began = time.monotonic()
            while service._room.left != (1 << 26) - 20_000 and time.monotonic() < began + 5:
                time.sleep(0.01)
            assert service._room.left == (1 << 26) - 20_000


def test_one_subscriber_of_ipv6_is_one_address(service: Service) -> None:
    service.rates.rate, service.rates.burst = 1e-3, 3
    said = []
    for k in range(5):
        with TestClient(application(service), client=(f"2001:db8::{k}:1", 50_000)) as client:
            said.append(client.post("/v1/reports", content=b"").status_code)
    assert said == [401, 401, 401, 429, 429]
    assert Rates(1e-3, 1).allow("2001:db8:0:1::")


def test_tokens_that_nobody_has_count_as_requests_each(tmp_path: Path) -> None:
    """A thousand tokens were tried in one. Such as are known cost nothing more."""
    settings = Settings(f"sqlite:///{tmp_path}/survey.sqlite", rate=1e-3, burst=100, key=KEY)
    with closing(service_of(DESIGN, settings)) as service, TestClient(application(service)) as client:
        known = list(tokens.issue(60))
        service.live.store.invite(map(tokens.digest, known))
        batch = "\n".join(f"{token} {line(k)}" for k, token in enumerate(known))
        assert set(client.post("/v1/batch", content=batch).json()["verdicts"]) == {"counted"}
        for n, heard in ((60, 200), (60, 200), (1, 429)):  # 1 + 60 + 60 of 100: who owes is refused
            batch = "\n".join(f"{token} {line(0)}" for token in tokens.issue(n))
            assert client.post("/v1/batch", content=batch).status_code == heard
        assert send(client, known[0], line(0))[0] == 429


SITE = "https://survey.example"


@pytest.mark.parametrize(
    ("headers", "heard"),
    [
        ({}, 201),  # a program
        ({"Origin": SITE, "Sec-Fetch-Site": "same-origin"}, 201),
        ({"Origin": SITE, "Sec-Fetch-Site": "cross-site"}, 403),
        ({"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}, 403),
        ({"Origin": "https://other.survey.example", "Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": "https://evil.example"}, 403),  # of an older browser
        ({"Origin": "null"}, 403),
        ({"Origin": "https://["}, 403),  # no address
        ({"Origin": SITE}, 201),
        ({"Origin": "https://friend.example", "Sec-Fetch-Site": "cross-site"}, 201),
    ],
)
@pytest.mark.parametrize("path", ["/v1/reports", "/v1/batch"])
def test_no_page_of_elsewhere_sends_reports_in_a_visitor_s_name(
    tmp_path: Path, path: str, headers: dict[str, str], heard: int
) -> None:
    """A form or a script of any page could, where no invitation is asked for."""
    settings = Settings(f"sqlite:///{tmp_path}/survey.sqlite", rate=0.0, invited=False, key=KEY)
    settings = replace(settings, origins=("https://friend.example",))
    with closing(service_of(DESIGN, settings)) as service, TestClient(application(service), base_url=SITE) as client:
        answer = client.post(path, content=line(1), headers=headers | {"Content-Type": "text/plain"})
        assert (answer.status_code == 403) == (heard == 403)
        assert service.live.store.counted() == (heard == 201)
        if heard == 403:
            assert answer.json() == {"verdict": "other site"}


@pytest.mark.skipif(os.name != "posix", reason="files have no such modes")
def test_a_database_of_sqlite_is_its_owner_s_alone(tmp_path: Path) -> None:
    """Whoever reads it has the reports, and which invitations were used."""
    with closing(Store(f"sqlite:///{tmp_path}/survey.sqlite")) as store:
        store.begin(DESIGN.hash, False)
        store.take(reports(1))
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes == dict.fromkeys(("survey.sqlite", "survey.sqlite-wal", "survey.sqlite-shm"), 0o600)


@pytest.mark.skipif(os.name != "posix", reason="files have no such modes")
@pytest.mark.parametrize(
    "form", ["linked.sqlite", "file:{}/survey.sqlite?uri=true", "file:{}/survey.sqlite?mode=rwc&uri=true"]
)
def test_so_it_is_behind_a_link_and_by_an_address_of_sqlite_s_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    (tmp_path / "linked.sqlite").symlink_to("survey.sqlite")  # which is not there yet
    monkeypatch.chdir(tmp_path)
    with closing(Store(f"sqlite:///{form.format(tmp_path)}")) as store:
        store.begin(DESIGN.hash, False)
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir() if not path.is_symlink()}
    assert modes == dict.fromkeys(("survey.sqlite", "survey.sqlite-wal", "survey.sqlite-shm"), 0o600)


def test_no_file_is_made_for_who_only_reads(tmp_path: Path) -> None:
    with pytest.raises(Unavailable):
        Store(f"sqlite:///file:{tmp_path}/survey.sqlite?mode=ro&uri=true")
    assert list(tmp_path.iterdir()) == []


def test_reports_go_on_where_counts_of_rejections_cannot_be_written(
    client: TestClient, invited: list[str], service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(reasons: object) -> None:
        raise RuntimeError

    with monkeypatch.context() as patched:
        patched.setattr(service.live.store, "reject", broken)
        assert send(client, None, line(0))[1] == "no token"
        time.sleep(1.5)  # until it was tried
        assert send(client, invited[0], line(1)) == (201, "counted")
    service.receiver.close()
    assert service.live.store.rejected() == {"no token": 1}


def test_the_log_says_how_many_reports_a_database_did_not_take(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(sent: object) -> None:
        raise Unavailable("The database cannot be used now; nothing was written. Try again.")

    monkeypatch.setattr(service.live.store, "take", full)
    with pytest.raises(Unavailable):
        service.receiver.take(reports(3)).result(timeout=20)
    assert service.receiver.unwritten == 3
