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
from geopriv.device import timing
from geopriv.device.designs import VerifiedDesign, verify
from geopriv.device.regions import FlatRegion
from geopriv.device.timing import Clock, long_enough
from geopriv.errors import Refused
from tests.designs import table_design
from tests.hostile import Steps, look_at_near_edges_only, shared
from tests.policies import allowed, arguments_of

VECTORS = Path(__file__).parents[2] / "docs" / "vectors"
STEPS = 55_000  # instructions of a draw of the design below, about


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
        def slow(self: VerifiedDesign, value: Any, source: Any, group: int | None = None) -> str:
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


class Slow(Steps):
    """A clock on which every instruction of Python takes a time, and nothing else does."""

    def __init__(self, tick: float) -> None:
        super().__init__()
        self.tick, self.slept = tick, 0.0

    def sleep(self, seconds: float) -> None:
        self.slept += seconds

    def clock(self) -> Clock:
        return Clock(lambda: self.count * self.tick + self.slept, self.sleep)


HOME, AWAY = (0.5, 0.0), (1e6, 1e6)
WALKED = [(0.0, 0.0), (1.0, 0.0)] * 300 + [(1.0, 1.0), (0.0, 0.0)]  # one edge walked up and down, beside one home
TRIANGLE = [(1e6, 1e6), (1e6 + 1, 1e6), (1e6, 1e6 + 1), (1e6, 1e6)]


def waited(folder: Path, tick: float) -> list[float]:
    """When reports leave that are made beside many edges and beside few, where one is due after a second."""
    (folder / "design.json").write_bytes(shared([WALKED, TRIANGLE]))
    found = []
    with Slow(tick) as slow:
        client = Client(folder / "design.json", folder / "ledger", allowed(unit="m", after=1.0), slow.clock())
        for k, value in enumerate((HOME, AWAY)):
            began = slow.clock().now()
            client.report(value, person=str(k))
            found.append(slow.clock().now() - began)
    return found


@pytest.mark.parametrize("long", [0.1, 0.45, 1.5, 7.0])
def test_on_a_slow_device_reports_leave_at_one_time_beside_many_edges_and_beside_few(
    long: float, tmp_path: Path
) -> None:
    """A draw takes so many seconds: the time is doubled until it is four times that, before anything is asked."""
    near, far = waited(tmp_path, long / STEPS)
    assert near == pytest.approx(far, rel=0.01)
    assert 4 * long < near < 16 * max(long, 0.1)


def test_where_draws_differ_and_the_time_is_not_measured_it_tells_where_somebody_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted, both: each alone is made up for by the other."""
    look_at_near_edges_only(monkeypatch)
    near, far = waited(tmp_path, 1.5 / STEPS)
    assert near == pytest.approx(far, rel=0.01)
    monkeypatch.setattr(timing, "long_enough", lambda design, after, clock: after)
    (tmp_path / "ledger").unlink()
    near, far = waited(tmp_path, 1.5 / STEPS)
    assert near > 1.9 * far
    monkeypatch.undo()
    monkeypatch.setattr(timing, "long_enough", lambda design, after, clock: after)
    (tmp_path / "ledger").unlink()
    near, far = waited(tmp_path, 1.5 / STEPS)
    assert near == pytest.approx(far, rel=0.01)


def slow_at(monkeypatch: pytest.MonkeyPatch, seconds: Seconds, takes: Callable[[Any], float]) -> None:
    """Let enclosures of polygons take a time that depends on the point."""
    enclose = FlatRegion.enclose

    def slow(self: FlatRegion, point: Any) -> Any:
        seconds.work(takes([float(part.middle()) for part in point]))
        return enclose(self, point)

    monkeypatch.setattr(FlatRegion, "enclose", slow)


@pytest.mark.parametrize(
    ("takes", "after"), [(0.01, 0.5), (0.1, 0.5), (0.13, 1.0), (0.3, 2.0), (7.0, 32.0), (14.0, 64.0)]
)
def test_a_draw_that_is_slow_at_a_corner_of_the_design_makes_all_reports_wait(
    takes: float, after: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No value is needed to find out."""
    (tmp_path / "design.json").write_bytes(shared([TRIANGLE]))
    seconds = Seconds()
    slow_at(monkeypatch, seconds, lambda place: takes if place == [1e6, 1e6 + 1] else 0.0)
    client = Client(tmp_path / "design.json", tmp_path / "ledger", allowed(unit="m", after=0.5), seconds.clock())
    assert client.after == after
    assert (
        Client(tmp_path / "design.json", tmp_path / "ledger", allowed(unit="m", after=0.0), seconds.clock()).after
        == 0.0
    )


def test_a_design_that_is_too_slow_for_a_device_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "design.json").write_bytes(shared([TRIANGLE]))
    seconds = Seconds()
    slow_at(monkeypatch, seconds, lambda place: 15.1)
    with pytest.raises(Refused, match="at most 15 seconds on this device"):
        Client(tmp_path / "design.json", tmp_path / "ledger", allowed(unit="m", after=0.5), seconds.clock())
    assert not (tmp_path / "ledger").exists()


@pytest.mark.parametrize("name", sorted(path.name for path in VECTORS.glob("*.design.json")))
def test_every_kind_of_design_is_measured_at_places_that_its_space_has(name: str) -> None:
    design = verify((VECTORS / name).read_bytes())
    drawn: list[Any] = []

    def now() -> float:
        drawn.append(None)
        return 0.0

    assert long_enough(design, 1.0, Clock(now)) == 1.0
    assert 2 * len(design.mechanisms) + 2 <= len(drawn) < 50


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
