"""Hostile requests, a few of those of bench/hostile.py: no 500, no traceback, no echo; and planted faults are seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.collector.hostility import visit
from tests.collector.malformed import Judged

REQUESTS = 600


def test_hostile_requests_are_refused_without_a_fault_and_without_an_echo(tmp_path: Path) -> None:
    judged = visit(REQUESTS, tmp_path)
    assert judged.faults == []
    assert judged.statuses.total() == REQUESTS
    assert {200, 400, 401, 404, 405} <= set(judged.statuses)  # they came as far as each of these
    assert judged.statuses[0] < REQUESTS / 4


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (b"HTTP/1.1 500 Internal Server Error\r\n\r\n", "status 500"),
        (b"HTTP/1.1 307 Temporary Redirect\r\nlocation: http://mark/\r\n\r\n", "an echo"),
        (b'HTTP/1.1 200 OK\r\n\r\nTraceback (most recent call last):\n  File "x"', "a traceback"),
        (b"what is this", "no HTTP"),
    ],
)
def test_what_no_answer_may_be_is_seen(answer: bytes, fault: str) -> None:
    judged = Judged()
    judged.judge(b"GET / HTTP/1.1\r\n\r\n", "mark", answer)
    assert judged.faults[0].startswith(fault)
