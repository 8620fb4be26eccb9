"""Whether a file of the database tells in which order reports came: it does until it is written anew."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from itertools import combinations
from pathlib import Path

import pytest

from geopriv.collector import tokens
from geopriv.collector.store import Store
from geopriv.commands.cli import main
from tests.collector.conftest import DESIGN
from tests.collector.servers import free_port, serving, status
from tests.collector.test_collector import line

REPORTS = 50
PAIRS = REPORTS * (REPORTS - 1) // 2
Command = Callable[..., int]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """A command in the folder of a survey: its exit code."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "design.json").write_bytes(DESIGN.to_bytes())

    def run(*words: str) -> int:
        monkeypatch.setattr("sys.argv", ["geopriv", *words])
        with pytest.raises(SystemExit) as stopped:
            main()
        return int(stopped.value.code or 0)

    return run


def told(path: Path, came: list[bytes]) -> list[int]:
    """Of how many pairs each part of a file tells which came first: a page is filled from its end."""
    data = path.read_bytes()
    size = int.from_bytes(data[16:18], "big")
    places: dict[int, dict[bytes, int]] = {}
    for one in came:
        at = data.find(one)
        while at >= 0:
            places.setdefault(at // size, {})[one] = at
            at = data.find(one, at + 1)
    return [
        sum(places[page][a] > places[page][b] for a, b in combinations(came, 2))
        for page in sorted(places)
        if len(places[page]) == len(came)
    ]


def report(folder: Path, *more: str) -> tuple[list[bytes], list[bytes]]:
    """Ids and hashes of tokens, as they came one after the other to a collector that is stopped at the end."""
    design, port, invited = folder / "design.json", free_port(), list(tokens.issue(REPORTS))
    design.write_bytes(DESIGN.to_bytes())
    database = f"sqlite:///{folder}/survey.sqlite"
    with closing(Store(database)) as store:
        store.begin(DESIGN.hash, True)
        store.invite(map(tokens.digest, invited))
    lines = [line(k) for k in range(REPORTS)]
    with serving(design, database, port, *more) as process:
        for token, one in zip(invited, lines, strict=True):
            assert status(port, "POST", "/v1/reports", token, one) == 201
        shutil.copytree(folder, folder / "killed")  # as a kill would leave it
        process.terminate()
        assert process.wait(60) == 0
    return [bytes.fromhex(json.loads(one)["id"]) for one in lines], list(map(tokens.digest, invited))


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_collector_that_was_stopped_leaves_a_file_that_does_not_tell_who_came_when(
    tmp_path: Path, workers: str
) -> None:
    """Reports stand in the order of their ids, and what would be told by that alone is told of any order."""
    came, hashes = report(tmp_path, "--workers", workers)
    assert {path.name for path in tmp_path.iterdir()} == {"survey.sqlite", "design.json", "killed"}
    by_id, counted = told(tmp_path / "survey.sqlite", came)
    assert by_id == told_by_order(came, sorted(came))
    assert abs(counted - PAIRS / 2) < 5 * (PAIRS * (2 * REPORTS + 5) / 18) ** 0.5  # of Kendall's law: once in 10^6
    assert all(one in (tmp_path / "survey.sqlite").read_bytes() for one in hashes)
    with closing(Store(f"sqlite:///{tmp_path}/killed/survey.sqlite")) as store:
        assert store.counted() == REPORTS
    assert told(tmp_path / "killed" / "survey.sqlite", came) == [PAIRS, PAIRS]  # planted: nobody wrote it anew


def told_by_order(came: list[bytes], stand: list[bytes]) -> int:
    """How many pairs are told by things that stand in an order that has nothing to do with it."""
    return sum(stand.index(a) < stand.index(b) for a, b in combinations(came, 2))


def test_so_does_one_whose_reports_were_published_while_it_goes_on(tmp_path: Path, run: Command) -> None:
    came, _ = report(tmp_path)
    shutil.rmtree(tmp_path / "survey.sqlite", ignore_errors=True)
    for path in (tmp_path / "killed").iterdir():
        shutil.copy(path, tmp_path / path.name)
    port = free_port()
    with serving(tmp_path / "design.json", f"sqlite:///{tmp_path}/survey.sqlite", port):
        assert told(tmp_path / "survey.sqlite", came) == []  # all of it is in the log
        assert run("publish", "design.json") == 0
        assert told(tmp_path / "survey.sqlite", came)[0] == told_by_order(came, sorted(came))
        assert (tmp_path / "survey.sqlite-wal").stat().st_size == 0


def test_who_publishes_hears_that_the_order_is_still_there(
    tmp_path: Path, run: Command, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    report(tmp_path)
    with closing(sqlite3.connect(tmp_path / "survey.sqlite", isolation_level=None)) as reading:
        reading.execute("BEGIN")
        reading.execute("SELECT * FROM reports LIMIT 1").fetchone()
        monkeypatch.setattr("geopriv.collector.store._PATIENCE", 0)
        assert run("publish", "design.json", "--json") == 1
    said = capsys.readouterr()
    assert json.loads(said.out)["rewritten"] is False
    assert "still tells in which order" in said.err
    assert (tmp_path / "reports.parquet").exists()


@pytest.mark.skipif(os.name != "posix", reason="files have no such modes")
def test_a_copy_is_its_owner_s_alone_has_all_and_does_not_tell_the_order(tmp_path: Path, run: Command) -> None:
    came, _ = report(tmp_path)
    for path in (tmp_path / "killed").iterdir():
        shutil.copy(path, tmp_path / path.name)
    assert run("backup", "copy.sqlite") == 0
    copy = tmp_path / "copy.sqlite"
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert told(copy, came)[0] == told_by_order(came, sorted(came))
    assert run("backup", "copy.sqlite") == 2  # it is not replaced
    assert run("backup", "nowhere/copy.sqlite") == 2
    assert run("backup", "other.sqlite", "--database", "sqlite:///nothing.sqlite") == 2
    assert not [path for path in tmp_path.iterdir() if path.name not in {*os.listdir(tmp_path / "killed"), "killed"}
                and path != copy]  # fmt: skip
    with closing(Store(f"sqlite:///{copy}")) as store:
        assert (store.counted(), store.invitations()) == (REPORTS, (REPORTS, REPORTS))


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
def test_a_database_of_postgresql_is_copied_by_its_own_program(
    run: Command, capsys: pytest.CaptureFixture[str], database: str
) -> None:
    with closing(Store(database)) as store:
        store.begin(DESIGN.hash, True)
    assert run("backup", "copy.dump", "--database", database) == 2
    assert "pg_dump" in capsys.readouterr().err
