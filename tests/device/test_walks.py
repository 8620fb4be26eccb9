"""A device on a walk: what it keeps, what it refuses, and what an enemy's design cannot make it do."""

from __future__ import annotations

import json
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import geopriv as gp
from geopriv.client import Client, main
from geopriv.device.designs import verify
from geopriv.device.ledger import Ledger
from geopriv.device.walks import Walked
from geopriv.errors import BudgetExhausted, InvalidDesign, InvalidParameter, OutOfDomain, Refused
from geopriv.mechanisms import WalkingLattice
from tests.designs import document_of, rehashed
from tests.policies import allowed, arguments_of

USD = gp.Line("USD")
ALLOWED = allowed(unit="USD", total=1 / 8000, most_rounds=4)


@cache
def design() -> gp.Design:
    walk = WalkingLattice.on_grid(USD, 1 / 8000, 1600.0, 4)
    return gp.Design("walk", (walk,), source=gp.Source((), (0.0,), (400_000.0,)))


@pytest.fixture
def device(tmp_path: Path) -> Client:
    design().write(tmp_path / "design.json")
    return Client(tmp_path / "design.json", tmp_path / "ledger", ALLOWED)


def report_of(line: str) -> list[int]:
    found: list[int] = json.loads(line)["report"]
    return found


def changed(folder: Path, command: str, *parameters: Any) -> None:
    connection = sqlite3.connect(folder / "ledger")
    connection.execute(command, parameters)
    connection.commit()
    connection.close()


def state_of(folder: Path) -> Walked:
    connection = sqlite3.connect(folder / "ledger")
    (text,) = connection.execute("SELECT state FROM walks").fetchone()
    connection.close()
    return Walked.parse(text)


def test_a_walk_is_charged_once_and_every_round_is_answered_once(device: Client, tmp_path: Path) -> None:
    lines = [device.report(52_000.0 + t, round=t) for t in (1, 2, 3, 4)]
    assert [report_of(line)[:2] for line in lines] == [[1, 1], [2, 2], [3, 3], [4, 4]]
    assert len({json.loads(line)["id"] for line in lines}) == 4
    assert Ledger(tmp_path / "ledger", "USD", 1.0).spent("me") == Fraction(1 / 8000)
    for t in (5, 0, -1):
        with pytest.raises(InvalidParameter, match="from 1 to 4"):
            device.report(52_000.0, round=t)


def test_a_round_asked_for_again_gets_the_same_report_whatever_the_value_is(device: Client, tmp_path: Path) -> None:
    device.report(52_000.0, round=1)
    first = device.report(60_000.0, round=2)
    before = state_of(tmp_path)
    assert device.report(1e6, round=2) == first
    assert state_of(tmp_path) == before
    with pytest.raises(BudgetExhausted, match="Round 1 of this walk is over"):
        device.report(52_000.0, round=1)


def test_who_skips_rounds_says_how_many_steps_were_taken(device: Client, tmp_path: Path) -> None:
    device.report(52_000.0, round=2)
    assert report_of(device.report(53_000.0, round=4))[:2] == [4, 2]
    assert state_of(tmp_path).value == 53_000


def test_what_is_kept_is_the_exact_clamped_value_and_what_was_sent(device: Client, tmp_path: Path) -> None:
    line = device.report(Fraction(1, 3), round=1)
    walked = state_of(tmp_path)
    assert (walked.value, walked.report) == (Fraction(1, 3), tuple(report_of(line)))
    device.report(1e9, round=2)
    assert state_of(tmp_path).value == 400_000
    mode = (tmp_path / "ledger").stat().st_mode
    assert stat.S_IMODE(mode) == 0o600


@pytest.mark.parametrize(
    "damage",
    [
        ("DELETE FROM walks",),
        ("DELETE FROM spent",),
        ("UPDATE walks SET state = ?", Walked(1, 1, 5, Fraction(9)).text),
        ("UPDATE walks SET seal = ''",),
        ("UPDATE walks SET person = 'you'",),
        ("UPDATE spent SET report = '{}'",),
    ],
    ids=lambda damage: damage[0],
)
def test_a_walk_whose_state_is_lost_or_changed_ends_for_ever(device: Client, tmp_path: Path, damage: Any) -> None:
    device.report(52_000.0, round=1)
    changed(tmp_path, *damage)
    for t in (1, 2, 3):
        with pytest.raises(BudgetExhausted, match="lost or was changed"):
            device.report(52_000.0, round=t)


def test_a_ledger_that_began_anew_would_be_seen(
    device: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planted fault: a lost state taken for none reports the value itself again, and charges nothing."""
    device.report(52_000.0, round=1)
    changed(tmp_path, "DELETE FROM walks")
    monkeypatch.setattr(Ledger, "_walked", lambda *rest: None)
    with pytest.raises(BudgetExhausted, match="total"):  # even then the total holds
        device.report(52_000.0, round=2)


def test_nothing_is_spent_or_moved_by_what_cannot_be_read_or_is_not_written(
    device: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(OutOfDomain):
        device.report("52", round=1)
    assert Ledger(tmp_path / "ledger", "USD", 1.0).spent("me") == 0
    first = device.report(52_000.0, round=1)
    before = state_of(tmp_path)

    def broken(*given: object) -> str:
        raise OSError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr("geopriv.device.ledger.Ledger._write", broken)
        with pytest.raises(OSError, match="full"):
            device.report(70_000.0, round=2)
    assert state_of(tmp_path) == before
    assert device.report(0.0, round=1) == first
    assert report_of(device.report(70_000.0, round=2))[:2] == [2, 2]


def test_devices_that_ask_at_once_take_turns(tmp_path: Path) -> None:
    design().write(tmp_path / "design.json")

    def ask(k: int) -> str:
        return Client(tmp_path / "design.json", tmp_path / "ledger", ALLOWED).report(1000.0 * k, round=1)

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(ask, range(8)))) == 1
    command = [sys.executable, "-m", "geopriv.client", str(tmp_path / "design.json")]
    command += ["--ledger", str(tmp_path / "ledger"), "--value", "9", "--round", "2", "--most-rounds", "4"]
    both = [
        subprocess.Popen([*command, *arguments_of(ALLOWED)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    lines = {process.communicate(timeout=60)[0] for process in both}
    assert [process.returncode for process in both] == [0, 0]
    assert len(lines) == 1


def test_a_policy_allows_no_walk_unless_it_says_so(tmp_path: Path) -> None:
    design().write(tmp_path / "design.json")
    for rounds, words in ((1, "1, since no walk was allowed"), (3, "at most 3")):
        with pytest.raises(Refused, match=words):
            Client(tmp_path / "design.json", tmp_path / "ledger", allowed(unit="USD", most_rounds=rounds))
    with pytest.raises(InvalidParameter, match="most_rounds"):
        allowed(most_rounds=0)
    with pytest.raises(InvalidParameter, match="round"):
        Client(tmp_path / "design.json", tmp_path / "ledger", ALLOWED).report(1.0)
    with pytest.raises(BudgetExhausted):
        Client(tmp_path / "design.json", tmp_path / "ledger", allowed(unit="USD", total=1e-5, most_rounds=4)).report(
            1.0, round=1
        )


def test_the_command_says_what_a_walk_is_and_never_the_value(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    design().write(tmp_path / "design.json")
    assert main([str(tmp_path / "design.json"), "--verify"]) == 0
    assert "on trajectories of up to 4 rounds" in capsys.readouterr().out
    known = [str(tmp_path / "design.json"), "--ledger", str(tmp_path / "ledger"), *arguments_of(ALLOWED)]
    assert main([*known, "--value", "52123", "--most-rounds", "4", "--round", "1"]) == 0
    shown = capsys.readouterr()
    assert "each move is seen too" in shown.err
    assert "52123" not in shown.err + shown.out
    assert main([*known, "--value", "52123", "--most-rounds", "4"]) == 2
    assert "from 1 to 4" in capsys.readouterr().err


def test_the_group_of_a_later_round_is_said_to_be_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is a report of its own: not that of the first round, with the group of then."""
    replace(design(), groups=gp.queries.Groups("", ("Kings", "Queens"))).write(tmp_path / "design.json")
    known = [str(tmp_path / "design.json"), "--ledger", str(tmp_path / "ledger"), *arguments_of(ALLOWED)]
    known += ["--value", "52123", "--most-rounds", "4"]
    for number, group in enumerate(("Kings", "Queens")):
        assert main([*known, "--round", f"{number + 1}", "--group", group]) == 0
        shown = capsys.readouterr()
        assert json.loads(shown.out)["group"] == number
        assert f"the group '{group}' is told openly" in shown.err
        assert "whatever is given now" not in shown.err


def tampered(change: Callable[[dict[str, Any]], None]) -> bytes:
    document = document_of(design())
    change(document)
    return rehashed(document)


def put(*path: Any, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        *way, last = path
        for step in way:
            document = document[step]
        document[last] = value

    return change


def doubled(document: dict[str, Any]) -> None:
    document |= {"mechanisms": document["mechanisms"] * 2, "shares": [1, 1]}


FIRST = "mechanisms", 0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (put(*FIRST, "rounds", value=1), "rounds"),
        (put(*FIRST, "rounds", value=367), "rounds"),
        (put(*FIRST, "rounds", value=4.0), "rounds"),
        (put(*FIRST, "theta", value=[202, 1000]), "breaks its promise"),
        (put(*FIRST, "core", value=1), "keys"),
        (put(*FIRST, "origin", value=[0.0, 0.0]), "origin"),
        (put(*FIRST, "origin", value=[-1e300]), "within"),
        (put(*FIRST, "step", value=1e-9), "breaks its promise"),
        (put("source", "high", value=[1e30]), "within"),
        (put("source", value=None), "public range"),
        (put(*FIRST, "guarantee", "metric", value="distance"), "trajectories"),
        (put("guarantee", "metric", value="distance"), "trajectories"),
        (put("guarantee", "epsilon", value=1e-5), "weakest"),
        (put(*FIRST, "type", value="Lattice"), "keys"),
        (doubled, "one where noise walks"),
    ],
)
def test_an_enemys_walk_is_refused(change: Callable[[dict[str, Any]], None], words: str) -> None:
    with pytest.raises(InvalidDesign, match=words):
        verify(tampered(change))


def test_a_walk_in_a_plane_is_refused() -> None:
    def to_plane(document: dict[str, Any]) -> None:
        document["mechanisms"][0] |= {"space": {"type": "Plane", "unit": "USD"}, "origin": [0.0, 0.0]}
        document["source"] |= {"low": [0.0, 0.0], "high": [1.0, 1.0]}
        document["mechanisms"][0]["theta"] = [1, 10]

    with pytest.raises(InvalidDesign, match="one axis"):
        verify(tampered(to_plane))


def test_an_ordinary_lattice_may_not_promise_trajectories() -> None:
    lattice = gp.Design("one", (gp.Lattice.on_grid(USD, 1 / 8000, 1600.0),), source=design().source)
    document = document_of(lattice)
    document["mechanisms"][0]["guarantee"]["metric"] = document["guarantee"]["metric"] = "trajectories"
    with pytest.raises(InvalidDesign, match="in the metric 'distance'"):
        verify(rehashed(document))


def test_reports_of_no_round_are_rejected_by_the_reader(tmp_path: Path) -> None:
    lines = [
        json.dumps({"design": design().hash, "id": f"{k:032x}", "mechanism": 0, "report": report})
        for k, report in enumerate(
            [[1, 1, 5], [4, 4, -3], [5, 1, 0], [1, 5, 0], [0, 1, 0], [1, 0, 0], [1, 1], [1, 1, 1 << 53]]
        )
    ]
    (tmp_path / "reports.ndjson").write_text("\n".join(lines) + "\n")
    for engine in ("arrow", "duckdb"):
        reports = tmp_path / "reports.ndjson"
        tally = gp.tally(design(), reports, engine=engine)
        assert tally.n == 2
        assert dict(tally.rejected) == {"out of range": 6}


KILLED = """
import os, signal, sys
from geopriv import client
from geopriv.device import ledger

def die(*arguments):
    os.kill(os.getpid(), signal.SIGKILL)

if sys.argv[1] == "between":  # what is spent is written, the state and the transaction are not
    ledger._seal = die
else:  # all is on the disk, and nothing is sent
    walk = ledger.Ledger.walk
    ledger.Ledger.walk = lambda *arguments: die(walk(*arguments))
client.main(sys.argv[2:])
"""


@pytest.mark.parametrize(("where", "kept"), [("between", 0), ("after", 1)])
def test_a_kill_leaves_spending_and_state_both_or_neither(tmp_path: Path, where: str, kept: int) -> None:
    design().write(tmp_path / "design.json")
    words = [tmp_path / "design.json", "--ledger", tmp_path / "ledger", "--value", "9", "--round", "1"]
    given = [*map(str, words), "--most-rounds", "4", *arguments_of(ALLOWED)]
    done = subprocess.run([sys.executable, "-c", KILLED, where, *given], capture_output=True, text=True, check=False)
    assert done.returncode < 0
    assert done.stdout == ""
    connection = sqlite3.connect(tmp_path / "ledger")
    rows = [connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("spent", "walks")]
    connection.close()
    assert rows == [kept, kept]
    line = Client(tmp_path / "design.json", tmp_path / "ledger", ALLOWED).report(70_000.0, round=1)
    assert state_of(tmp_path).value == (9 if kept else 70_000)
    assert state_of(tmp_path).report == tuple(report_of(line))
