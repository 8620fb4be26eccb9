"""The register: a second run of a survey is refused unless said aloud, whatever happens to the first."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

import geopriv as gp
from geopriv.commands import cli
from geopriv.reports.register import Register
from geopriv.surveys.design import Design
from tests.designs import small_table

INCOME = gp.Source(("income",), low=(-4.0,), high=(4.0,))
DESIGN = Design("survey", (small_table(gp.Threshold(0.0, 2.0), 1.0),), source=INCOME)
PEOPLE = pa.table({"income": [1.0, 2.0, 3.0]})
SECOND = "privatised before: 3 reports on"


def rows() -> list[tuple[object, ...]]:
    """What the register of this test holds."""
    connection = sqlite3.connect(os.environ["GEOPRIV_REGISTER"])
    try:
        return connection.execute("SELECT survey, design, reports, complete FROM runs").fetchall()
    finally:
        connection.close()


@pytest.mark.parametrize(
    "second",
    [
        DESIGN,
        replace(DESIGN, source=gp.Source(("income",), low=(-3.0,), high=(3.0,))),
        replace(DESIGN, survey="Ｓｕｒｖｅｙ"),
    ],
    ids=["the same design", "another design of the same survey", "a name that looks the same"],
)
def test_a_second_run_of_a_survey_is_refused_wherever_it_writes(second: Design, tmp_path: Path) -> None:
    gp.privatize(DESIGN, PEOPLE, tmp_path / "first.parquet")
    with pytest.raises(gp.InvalidParameter, match=f"{SECOND}.*2 times ε.*--again"):
        gp.privatize(second, PEOPLE, tmp_path / "second.parquet")
    assert [path.name for path in tmp_path.iterdir()] == ["first.parquet"]
    assert gp.privatize(second, PEOPLE, tmp_path / "second.parquet", again=True).earlier == 1
    with pytest.raises(gp.InvalidParameter, match="3 times ε"):
        gp.privatize(DESIGN, PEOPLE, tmp_path / "third.parquet")


def test_who_replaces_the_file_gives_a_second_report_all_the_same(tmp_path: Path) -> None:
    """The first file may have been handed on."""
    gp.privatize(DESIGN, PEOPLE, tmp_path / "r.parquet")
    before = (tmp_path / "r.parquet").read_bytes()
    with pytest.raises(gp.InvalidParameter, match="also where it replaces the first file"):
        gp.privatize(DESIGN, PEOPLE, tmp_path / "r.parquet", overwrite=True)
    assert (tmp_path / "r.parquet").read_bytes() == before
    gp.privatize(DESIGN, PEOPLE, tmp_path / "r.parquet", overwrite=True, again=True)


def test_another_survey_is_another_row(tmp_path: Path) -> None:
    other = replace(DESIGN, survey="another")
    gp.privatize(DESIGN, PEOPLE, tmp_path / "a.parquet")
    assert gp.privatize(other, PEOPLE, tmp_path / "b.parquet").earlier == 0
    assert rows() == [("survey", DESIGN.hash, 3, 1), ("another", other.hash, 3, 1)]


def test_a_run_of_which_nobody_saw_a_report_leaves_no_row(tmp_path: Path) -> None:
    def late(*_: object) -> None:
        (tmp_path / "r.parquet").write_bytes(b"another's")

    with pytest.raises(gp.InvalidParameter, match="no column"):
        gp.privatize(DESIGN, pa.table({"other": [1.0]}), tmp_path / "r.parquet")
    with pytest.raises(gp.InvalidParameter, match="already"):
        gp.privatize(DESIGN, PEOPLE, tmp_path / "r.parquet", progress=late)
    assert rows() == []
    gp.privatize(DESIGN, PEOPLE, tmp_path / "s.parquet")


def test_reports_that_got_their_name_before_an_error_stay_in_the_register(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(fresh: Path, output: Path, overwrite: bool) -> None:
        os.link(fresh, output)
        raise OSError(5, "on the way to the disk")

    monkeypatch.setattr("geopriv.reports.engines.local.publish", stopped)
    with pytest.raises(OSError, match="may be there"):
        gp.privatize(DESIGN, PEOPLE, tmp_path / "r.parquet")
    with pytest.raises(gp.InvalidParameter, match="interrupted while they were written"):
        gp.privatize(DESIGN, PEOPLE, tmp_path / "s.parquet")


KILLED = """
import os, signal, sys, pyarrow as pa, geopriv as gp
from geopriv.reports.engines import local
whole = local.publish
def publish(*given):
    if sys.argv[3] == "after":
        whole(*given)
    os.kill(os.getpid(), signal.SIGKILL)
def write(*given):
    os.kill(os.getpid(), signal.SIGKILL)
if sys.argv[3] == "writing":
    local.write_records = write
local.publish = publish
gp.privatize(gp.Design.read(sys.argv[1]), pa.table({"income": [1.0, 2.0, 3.0]}), sys.argv[2])
"""


@pytest.mark.parametrize(
    ("when", "refused"), [("writing", False), ("before", True), ("after", True)], ids=["writing", "before", "after"]
)
def test_a_killed_run_lets_no_second_one_pass_in_silence_and_blocks_none_for_ever(
    when: str, refused: bool, tmp_path: Path
) -> None:
    """Before its row is written, nobody can have seen a report. From then on it cannot be known."""
    DESIGN.write(tmp_path / "design.json")
    command = [sys.executable, "-c", KILLED, str(tmp_path / "design.json"), str(tmp_path / "r.parquet"), when]
    assert subprocess.run(command, check=False, timeout=120).returncode == -signal.SIGKILL
    assert (tmp_path / "r.parquet").exists() == (when == "after")
    if refused:
        with pytest.raises(gp.InvalidParameter, match="interrupted while they were written"):
            gp.privatize(DESIGN, PEOPLE, tmp_path / "s.parquet")
    assert gp.privatize(DESIGN, PEOPLE, tmp_path / "s.parquet", again=refused).reports == 3


AT_ONCE = """
import sys, time, pyarrow as pa, geopriv as gp
def wait(stage, rows, share):
    if stage == "writing":
        print("ready", flush=True)
        sys.stdin.readline()
gp.privatize(gp.Design.read(sys.argv[1]), pa.table({"income": [1.0, 2.0, 3.0]}), sys.argv[2], progress=wait)
"""


def test_of_two_runs_at_once_one_is_refused(tmp_path: Path) -> None:
    DESIGN.write(tmp_path / "design.json")
    command = [sys.executable, "-c", AT_ONCE, str(tmp_path / "design.json")]
    pipe = subprocess.PIPE
    running = [
        subprocess.Popen(
            [*command, str(tmp_path / f"{k}.parquet")], stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True
        )
        for k in range(2)
    ]
    for process in running:  # both have begun when there was no row, and drawn all reports
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in running:
        process.communicate("go\n", timeout=60)
    assert sorted(process.returncode for process in running) == [0, 1]
    assert len(list(tmp_path.glob("*.parquet"))) == 1


def _linked(path: Path) -> None:
    path.with_name("elsewhere").touch(0o600)
    path.symlink_to(path.with_name("elsewhere"))


def _readable(path: Path) -> None:
    path.touch()
    path.chmod(0o644)


def _damaged(path: Path) -> None:
    path.write_bytes(b"no database, but a text that is long enough")
    path.chmod(0o600)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (_linked, "no link"),
        (_readable, "nobody else"),
        (_damaged, "cannot be used: file is not a database"),
        (lambda path: path.mkdir(), "a file of your own"),
    ],
    ids=["a link", "open to others", "damaged", "a folder"],
)
def test_a_register_that_cannot_be_trusted_stops_the_run(
    make: Callable[[Path], None], words: str, tmp_path: Path
) -> None:
    make(tmp_path / "register.sqlite")
    with pytest.raises(gp.InvalidParameter, match=words):
        gp.privatize(DESIGN, PEOPLE, tmp_path / "r.parquet", register=tmp_path / "register.sqlite")
    assert not (tmp_path / "r.parquet").exists()


def test_a_register_that_others_could_remove_stops_the_run(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared").chmod(0o777)
    with pytest.raises(gp.InvalidParameter, match="nobody else may write"):
        gp.privatize(DESIGN, PEOPLE, tmp_path / "r.parquet", register=tmp_path / "shared" / "register.sqlite")


def test_a_register_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Register.of(tmp_path / "register.sqlite").require_new(DESIGN, again=False)
    monkeypatch.setattr("os.geteuid", lambda: (tmp_path / "register.sqlite").stat().st_uid + 1)
    with pytest.raises(gp.InvalidParameter, match="of your own"):
        gp.privatize(DESIGN, PEOPLE, tmp_path / "r.parquet", register=tmp_path / "register.sqlite")


def test_it_lies_in_the_folder_for_state_and_is_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GEOPRIV_REGISTER")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    gp.privatize(DESIGN, PEOPLE, tmp_path / "r.parquet")
    path = tmp_path / "state" / "geopriv" / "register.sqlite"
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    monkeypatch.setenv("XDG_STATE_HOME", "not/absolute")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert Register.of().path == tmp_path / ".local" / "state" / "geopriv" / "register.sqlite"


def test_it_holds_no_path_and_no_value(tmp_path: Path) -> None:
    gp.privatize(DESIGN, pa.table({"income": [1.2345678]}), tmp_path / "a-private-name.parquet")
    held = Path(os.environ["GEOPRIV_REGISTER"]).read_bytes()
    assert b"a-private-name" not in held
    assert b"1.234" not in held
    assert b"income" not in held


def test_the_command_refuses_a_second_run_and_tells_what_it_costs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    DESIGN.write("design.json")
    Path("people.csv").write_text("income\n1\n2\n3\n")

    def run(*words: str) -> int:
        monkeypatch.setattr(sys, "argv", ["geopriv", "privatize", "design.json", *words])
        with pytest.raises(SystemExit) as stopped:
            cli.main()
        return int(stopped.value.code or 0)

    assert run("people.csv") == 0
    assert "times ε" not in capsys.readouterr().out
    assert run("people.csv", "-o", "b.parquet") == 2
    assert SECOND in capsys.readouterr().err
    assert run("--query", "select 1 as income", "-o", "b.parquet") == 2
    assert run("people.csv", "--engine", "duckdb", "-o", "b.parquet") == 2
    assert run("people.csv", "-o", "b.parquet", "--again") == 0
    assert "Run 2 of this survey: who was in the others too has 2 times ε" in capsys.readouterr().out
    assert run("people.csv", "-o", "c.parquet") == 2
    assert "privatised 2 times before, the last time 3 reports on" in capsys.readouterr().err
    assert run("people.csv", "-o", "b.parquet", "--again") == 2
    assert "--overwrite" in capsys.readouterr().err


def test_a_register_in_a_folder_that_is_not_there_is_no_empty_one(tmp_path: Path) -> None:
    """A misspelt folder would begin a register in which nobody has reported yet."""
    with pytest.raises(gp.InvalidParameter, match="cannot be used"):
        Register.of(tmp_path / "mispelt" / "register.sqlite").require_new(DESIGN, again=False)
    assert not (tmp_path / "mispelt").exists()
