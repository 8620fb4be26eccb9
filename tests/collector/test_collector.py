"""The collector over HTTP: what counts, what is refused in which words, and what is never lost, doubled or echoed."""

from __future__ import annotations

import json
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

import geopriv as gp
from geopriv.collector.app import Service
from geopriv.collector.server import Settings, service_of
from geopriv.collector.verdicts import Sent, Verdict
from geopriv.device.designs import verify
from geopriv.errors import InvalidParameter, Unavailable
from tests.collector.conftest import DESIGN, HEADERS
from tests.designs import Stream

DEVICE = verify(DESIGN.to_bytes())


def line(seed: int, value: float = 0.3) -> str:
    return DEVICE._line(value, Stream(seed))


def send(client: TestClient, token: str | None, body: str | bytes) -> tuple[int, str]:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    answer = client.post("/v1/reports", content=body, headers=headers)
    return answer.status_code, answer.json()["verdict"]


def test_a_report_counts_once_however_often_it_is_sent(
    client: TestClient, invited: list[str], service: Service
) -> None:
    assert send(client, invited[0], line(1)) == (201, "counted")
    assert send(client, invited[0], line(1)) == (200, "counted before")
    assert service.live.store.counted() == 1
    assert service.live.store.invitations() == (60, 1)


def test_a_token_is_for_one_report(client: TestClient, invited: list[str], service: Service) -> None:
    assert send(client, invited[0], line(1)) == (201, "counted")
    for k in (1, 2):
        assert send(client, invited[0], line(k)) == (200, "counted before")
    assert (service.live.store.counted(), service.live.store.invitations()) == (1, (60, 1))


@pytest.mark.parametrize("was_counted", [True, False])
def test_nobody_can_ask_whether_another_person_s_report_was_counted(
    client: TestClient, invited: list[str], service: Service, was_counted: bool
) -> None:
    """By a token of one's own, spent or not, with the report, or another one under its id: all is said alike."""
    others, mine = line(1), line(2)
    forged = json.dumps(json.loads(others) | {"report": [1]})
    if was_counted:
        assert send(client, invited[0], others) == (201, "counted")
    assert send(client, invited[1], mine) == (201, "counted")
    for one in (others, forged):
        assert send(client, invited[1], one) == (200, "counted before")
    assert send(client, invited[2], others) == (201, "counted")
    assert send(client, invited[3], forged) == (201, "counted")
    batch = client.post("/v1/batch", content="\n".join(f"{invited[k]} {others}" for k in (1, 4, 4)))
    assert batch.json()["verdicts"] == ["counted before", "counted", "counted before"]
    # and each token counts one report, whichever id it has
    assert service.live.store.counted() == service.live.store.invitations()[1] == 4 + was_counted


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"design": "0" * 64}, (409, "wrong design")),
        ({"report": [1 << 60]}, (422, "out of range")),
        ({"mechanism": 7}, (422, "out of range")),
        ({"group": 0}, (422, "wrong group")),
        ({"report": [1.5]}, (400, "malformed")),
        ({"id": "x"}, (400, "malformed")),
        ({"more": 1}, (400, "malformed")),
    ],
)
def test_what_is_no_report_is_refused_by_its_reason(
    client: TestClient, invited: list[str], service: Service, change: dict[str, Any], said: tuple[int, str]
) -> None:
    assert send(client, invited[0], json.dumps(json.loads(line(1)) | change)) == said
    assert service.live.store.counted() == 0
    assert send(client, invited[0], line(1)) == (201, "counted")  # the token was not spent


@pytest.mark.parametrize("body", [b"", b"[]", b"\xff\xfe", b"{", b"null", b"[" * 4000, b'{"a":1e999}'])
def test_garbage_is_malformed_and_echoes_nothing(client: TestClient, invited: list[str], body: bytes) -> None:
    answer = client.post("/v1/reports", content=body, headers={"Authorization": f"Bearer {invited[0]}"})
    assert (answer.status_code, answer.json()) == (400, {"verdict": "malformed"})


def test_without_a_token_or_with_an_unknown_one_nothing_is_taken(client: TestClient, invited: list[str]) -> None:
    assert send(client, None, line(1)) == (401, "no token")
    assert send(client, "short", line(1)) == (401, "no token")
    assert send(client, "A" * 22, line(1)) == (403, "unknown token")
    assert send(client, invited[0], b"x" * 5_000) == (413, "too large")


def test_a_batch_has_a_verdict_for_each_line(client: TestClient, invited: list[str]) -> None:
    lines = [f"{invited[k]} {line(k)}" for k in (1, 2, 2, 1)]
    lines += [f"{invited[3]} {line(1)}", "nonsense", f"{invited[1]} {line(9)}"]
    answer = client.post("/v1/batch", content="\n".join(lines))
    counted = ["counted", "counted", "counted before", "counted before"]
    assert answer.json()["verdicts"] == [*counted, "counted", "no token", "counted before"]


def test_answers_are_those_of_the_reports(client: TestClient, invited: list[str]) -> None:
    assert client.get("/v1/answers").status_code == 404
    lines = [line(k, 0.1 * k) for k in range(60)]
    client.post("/v1/batch", content="\n".join(f"{token} {one}" for token, one in zip(invited, lines, strict=True)))
    reader = gp.reports.ReportReader(DESIGN)
    counted = gp.reports.Tally(DESIGN)
    for batch in reader.accepted_of([[json.loads(one) for one in lines]]):
        counted.add(batch)
    expected = gp.estimate(DESIGN, counted).to_document()
    assert client.get("/v1/answers").json() == json.loads(json.dumps(expected))


def test_many_at_once_lose_and_double_nothing(client: TestClient, invited: list[str], service: Service) -> None:
    """Every token is tried by three clients with reports of their own: one of them counts."""
    tries = [(token, line(3 * k + j)) for k, token in enumerate(invited[:20]) for j in range(3)]
    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(lambda each: send(client, *each)[1], tries))
    assert Counter(said) == {"counted": 20, "counted before": 40}
    assert service.live.store.counted() == 20
    assert service.live.store.invitations() == (60, 20)


def test_two_processes_on_one_database_spend_a_token_once(service: Service, database: str, invited: list[str]) -> None:
    from geopriv.collector import tokens

    other = service_of(DESIGN, Settings(database, rate=0.0))
    pairs = [(tokens.digest(token), bytes([k]) * 16, bytes([100 + k]) * 16) for k, token in enumerate(invited[:30])]
    with ThreadPoolExecutor(2) as pool:
        mine = pool.map(lambda p: service.live.store.take([Sent(p[1], 0, None, "[1]", p[0])])[0], pairs)
        theirs = pool.map(lambda p: other.live.store.take([Sent(p[2], 0, None, "[1]", p[0])])[0], pairs)
        verdicts = Counter([*mine, *theirs])
    other.close()
    assert verdicts == {Verdict.COUNTED: 30, Verdict.AGAIN: 30}
    assert service.live.store.counted() == 30


def test_a_report_that_two_processes_take_at_once_is_the_same_report(service: Service, invited: list[str]) -> None:
    """One is written and not yet there for others when the other process looks for it: then all is judged anew."""
    from geopriv.collector import tokens
    from geopriv.collector.tables import BATCHES, REPORTS

    store, day = service.live.store, date(2030, 1, 1)
    token = tokens.digest(invited[0])
    row = {"id": b"1" * 16, "batch": 1, "mechanism": 0, "group": None, "report": "[1]"}
    same, other = Sent(b"1" * 16, 0, None, "[1]", None), Sent(b"1" * 16, 0, None, "[2]", None)
    with ThreadPoolExecutor(1) as pool:
        with store._engine.begin() as theirs:
            theirs.execute(BATCHES.insert().values(number=1, day=day, closed=False))
            theirs.execute(REPORTS.insert().values(row))
            mine = pool.submit(store.take, [same, other, replace(same, token=token), replace(same, token=token)])
            time.sleep(0.5)  # until it waits for them
        assert mine.result() == [Verdict.AGAIN, Verdict.REPEATED_ID, Verdict.COUNTED, Verdict.AGAIN]
    assert (store.counted(), store.invitations()) == (2, (60, 1))


def test_a_database_is_of_one_design_and_one_way_to_invite(service: Service, database: str) -> None:
    with pytest.raises(InvalidParameter, match="as it was begun"):
        service_of(DESIGN, Settings(database, invited=False))
    other = gp.Design("another", DESIGN.mechanisms, (), DESIGN.questions)
    with pytest.raises(InvalidParameter, match="must be of this design"):
        service_of(other, Settings(database))


def test_a_database_that_is_down_is_said_so_and_is_used_again(
    client: TestClient, invited: list[str], service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    def down(*_: object) -> None:
        raise Unavailable("The database cannot be used now; nothing was written. Try again.")

    with monkeypatch.context() as broken:
        broken.setattr(service.live.store, "take", down)
        answer = client.post("/v1/reports", content=line(1), headers={"Authorization": f"Bearer {invited[0]}"})
        assert answer.status_code == 503
        assert answer.headers["retry-after"]
    assert send(client, invited[0], line(1)) == (201, "counted")


def test_every_answer_has_headers_that_keep_pages_to_themselves(client: TestClient) -> None:
    for path in ("/v1/design", "/v1/ready", "/nowhere", "/metrics"):
        headers = client.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in headers


def test_the_description_names_every_verdict(client: TestClient) -> None:
    found = json.dumps(client.get("/v1/openapi.json").json())
    assert all(verdict.words in found for verdict in Verdict)


def test_counts_are_told_to_prometheus(client: TestClient, invited: list[str], service: Service) -> None:
    send(client, invited[0], line(1))
    send(client, None, line(2))
    service.receiver.close()
    text = client.get("/metrics", headers=HEADERS).text
    assert "geopriv_reports 1\n" in text
    assert 'geopriv_rejected{reason="no token"} 1\n' in text


def test_no_table_joins_reports_with_tokens_or_times(service: Service) -> None:
    from geopriv.collector.tables import METADATA, REPORTS, TOKENS

    assert set(REPORTS.columns.keys()) == {"id", "batch", "mechanism", "group", "report"}
    assert set(TOKENS.columns.keys()) == {"hash", "spent"}
    assert not any(column.foreign_keys for table in METADATA.tables.values() for column in table.columns)


def test_a_batch_has_no_more_lines_than_were_counted(client: TestClient) -> None:
    """Other ends of lines would make millions of lines of a body in which none was counted."""
    answer = client.post("/v1/batch", content=b"\r" * 3_000)
    assert answer.json()["verdicts"] == ["no token"]
    assert client.post("/v1/batch", content=b"").json()["verdicts"] == []


def test_the_database_counts_as_a_tally_does(service: Service) -> None:
    store, numbers = service.live.store, [3, -1, 3, 0, 3, -1]
    assert service.live.counted() == gp.reports.Tally(DESIGN)
    sent = [Sent(bytes([k]) * 16, 0, None, f"[{one}]", None) for k, one in enumerate(numbers)]
    store.take(sent)
    store.reject(Counter({Verdict.MALFORMED: 2}))
    expected = gp.reports.Tally(DESIGN, Counter(malformed=2))
    expected.add(gp.reports.ReportBatch(0, np.array(numbers)[:, None]))
    assert service.live.counted() == expected
    assert sum(len(rows) for rows in store.counts()) == 3  # rows that are read grow with distinct reports


def test_what_somebody_else_wrote_into_the_database_is_not_counted(client: TestClient, service: Service) -> None:
    service.live.store.take([Sent(bytes([k]) * 16, 0, None, f"[{1 << 60}]", None) for k in (1, 2)])
    with pytest.raises(InvalidParameter, match="reports that the design can have"):
        service.live.counted()
    assert client.get("/v1/answers").status_code == 400


def test_reports_are_written_while_answers_are_made(service: Service, invited: list[str]) -> None:
    from geopriv.collector import tokens

    one, two = (Sent(bytes([k]) * 16, 0, None, "[1]", tokens.digest(invited[k])) for k in (0, 1))
    service.live.store.take([one])
    reading = service.live.store.reports()
    with ThreadPoolExecutor(1) as pool:
        try:
            rows = next(reading)
            written = pool.submit(service.live.store.take, [two])
            assert written.result(timeout=20) == [Verdict.COUNTED]
        finally:
            reading.close()  # type: ignore[attr-defined]
    assert len(rows) == 1  # as it was when reading began


def test_who_no_longer_waits_for_a_verdict_keeps_nobody_else_from_one(service: Service, invited: list[str]) -> None:
    """A task that is cancelled, when the service stops, cancels what it waits for."""
    from geopriv.collector import tokens

    sent = [Sent(bytes([k]) * 16, 0, None, "[1]", tokens.digest(invited[k])) for k in (0, 1)]
    gone = service.receiver.take(sent[:1])
    assert not gone.cancel()
    assert service.receiver.take(sent[1:]).result(timeout=20) == [Verdict.COUNTED]
    assert gone.result(timeout=20) == [Verdict.COUNTED]
