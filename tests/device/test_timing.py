"""When a report leaves: the time of drawing, which depends on the value, is not seen."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import geopriv as gp
from geopriv.client import Client, main
from geopriv.device.designs import VerifiedDesign
from geopriv.device.timing import Clock
from tests.designs import table_design
from tests.policies import allowed, arguments_of


class Seconds:
    """A clock that moves only where something takes time."""

    def __init__(self, wakes_early: float = 0.0) -> None:
        self.time, self.slept, self._early = 100.0, 0, wakes_early

    def sleep(self, seconds: float) -> None:
        assert seconds > 0
        self.slept += 1
        self.time += max(seconds - self._early, min(seconds, 1e-3))

    def work(self, seconds: float) -> None:
        self.time += seconds

    def clock(self) -> Clock:
        return Clock(lambda: self.time, self.sleep)


@pytest.fixture
def design(tmp_path: Path) -> Path:
    table_design().write(tmp_path / "design.json")
    return tmp_path / "design.json"


@pytest.fixture
def draws_for(monkeypatch: pytest.MonkeyPatch) -> Callable[[Seconds, Callable[[Any], float]], None]:
    """Let a draw take a time that depends on the value."""
    line = VerifiedDesign._line

    def let(seconds: Seconds, takes: Callable[[Any], float]) -> None:
        def slow(self: VerifiedDesign, value: Any, source: Any, group: int | None) -> str:
            seconds.work(takes(value))
            return line(self, value, source, group)

        monkeypatch.setattr(VerifiedDesign, "_line", slow)

    return let


def left(design: Path, folder: Path, seconds: Seconds, value: Any, after: float) -> float:
    """How long after it was asked for a report leaves, or an error."""
    client = Client(design, folder / "ledger", allowed(after=after), seconds.clock())
    began = seconds.time
    try:
        client.report(value, person=str(value))
    except gp.OutOfDomain:
        return seconds.time - began
    return seconds.time - began


def test_a_slow_and_a_quick_draw_leave_at_the_same_time(design: Path, tmp_path: Path, draws_for: Any) -> None:
    seconds = Seconds()
    draws_for(seconds, lambda value: {"0.0": 0.001, "1.0": 0.2, "2.0": 0.4999}.get(str(value), 0.0))
    asked: tuple[Any, ...] = (0.0, 1.0, 2.0, 2.0, "no number", [1.0, 2.0])
    assert [left(design, tmp_path, seconds, value, 0.5) for value in asked] == pytest.approx([0.5] * 6, abs=1e-9)


def test_the_time_would_show_a_draw_that_does_not_wait(design: Path, tmp_path: Path, draws_for: Any) -> None:
    """A planted fault: no fixed time."""
    seconds = Seconds()
    draws_for(seconds, lambda value: 0.001 if value == 0.0 else 0.2)
    assert left(design, tmp_path, seconds, 0.0, 0.0) == pytest.approx(0.001)
    assert left(design, tmp_path, seconds, 1.0, 0.0) == pytest.approx(0.2)


def test_a_draw_that_takes_longer_tells_only_how_often_the_time_is_doubled(
    design: Path, tmp_path: Path, draws_for: Any
) -> None:
    seconds = Seconds()
    draws_for(seconds, float)
    times = [left(design, tmp_path, seconds, value, 0.5) for value in (0.51, 0.9, 1.2, 1.7, 2.3)]
    assert times == pytest.approx([1.0, 1.0, 2.0, 2.0, 4.0])


def test_a_sleep_that_ends_early_is_continued() -> None:
    seconds = Seconds(wakes_early=0.2)
    assert seconds.clock().leave(lambda: 7, 1.0) == 7
    assert seconds.time - 100.0 >= 1.0
    assert seconds.slept > 1


def test_an_error_leaves_at_the_same_time_as_a_report() -> None:
    seconds = Seconds()
    with pytest.raises(ZeroDivisionError):
        seconds.clock().leave(lambda: 1 // 0, 0.25)
    assert seconds.time == pytest.approx(100.25)


def test_the_shell_waits_too_for_values_it_cannot_read(
    design: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not faster than the fixed time: how much slower is the machine's affair."""
    shell = [str(design), "--ledger", str(tmp_path / "ledger"), *arguments_of(allowed(after=0.4))]
    for value, code in (("0.5", 0), ("many", 2), ("1,2", 2), ("nan", 2)):
        began = time.monotonic()
        assert main([*shell, "--value", value, "--person", value]) == code
        assert time.monotonic() - began >= 0.4
    assert "report" in json.loads(capsys.readouterr().out)
