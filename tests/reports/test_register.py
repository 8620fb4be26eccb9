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
from geopriv.commands.embedded.examples import example_files
from geopriv.reports.register import Register, questions_of
from geopriv.surveys.design import Design
from tests.designs import small_table
from tests.rows import EARTH

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
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first.parquet", "first.parquet.manifest"]
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


def of_dollars(
    epsilon: float, survey: str = "incomes", at: float = 1e5, width: float = 1e4, of: str = "rich"
) -> Design:
    """A survey of one question, at a promise."""
    space = gp.Line("USD")
    asked = gp.Threshold(at, width, space)
    source = gp.Source(("income",), low=(0.0,), high=(1e6,))
    return Design(survey, (gp.Lattice.calibrate(space, epsilon),), questions=(gp.Share(of, asked),), source=source)


def test_unlike_promises_are_added_exactly_and_not_multiplied(tmp_path: Path) -> None:
    """A promise of 1 per 100 USD and one of 1 per 8,000 USD are 81 times one of 1 per 8,000 USD."""
    gp.privatize(of_dollars(1 / 100), PEOPLE, tmp_path / "a.parquet", allow_odd=True)
    with pytest.raises(gp.InvalidParameter, match=r"ε = 1/100 \+ 1/8,000 = 81/8,000 per USD \(0\.010125\)\. For"):
        gp.privatize(of_dollars(1 / 8000), PEOPLE, tmp_path / "b.parquet", allow_odd=True)
    for k in range(2):
        done = gp.privatize(of_dollars(1 / 8000), PEOPLE, tmp_path / f"{k}.parquet", again=True, allow_odd=True)
    assert done.earlier == 2
    assert done.spent == "ε = 1/100 + 2 × 1/8,000 = 41/4,000 per USD (0.01025)"


def test_equal_promises_are_told_as_so_many_times_one_and_as_their_sum(tmp_path: Path) -> None:
    for k in range(3):
        third = 1 / 3000  # no decimal, and told as what it was meant to be
        done = gp.privatize(of_dollars(third), PEOPLE, tmp_path / f"{k}.parquet", again=k > 0, allow_odd=True)
    assert done.spent == "3 times ε, 1/1,000 per USD (0.001)"


def test_promises_in_unlike_units_are_not_added(tmp_path: Path) -> None:
    euros = Design("incomes", (gp.Lattice.calibrate(gp.Line("EUR"), 1 / 50),), source=of_dollars(1.0).source)
    gp.privatize(of_dollars(1 / 100), PEOPLE, tmp_path / "a.parquet", allow_odd=True)
    done = gp.privatize(euros, PEOPLE, tmp_path / "b.parquet", again=True, allow_odd=True)
    assert done.spent == "ε = 1/100 per USD (0.01) and ε = 1/50 per EUR (0.02), which do not add up to one number"


OLDER = (
    "CREATE TABLE runs (number INTEGER PRIMARY KEY, survey TEXT NOT NULL, design TEXT NOT NULL, "
    "day TEXT NOT NULL, reports INTEGER, complete INTEGER NOT NULL)"
)


@pytest.mark.parametrize("same", [True, False], ids=["of this design", "of another design"])
def test_an_older_register_is_read_and_what_it_did_not_keep_is_said(same: bool, tmp_path: Path) -> None:
    now = of_dollars(1 / 8000)
    before = now if same else of_dollars(1 / 100)
    connection = sqlite3.connect(os.environ["GEOPRIV_REGISTER"])
    with connection:
        connection.execute(OLDER)
        row = ("incomes", before.hash, "2026-01-02", 3, 1)
        connection.execute("INSERT INTO runs (survey, design, day, reports, complete) VALUES (?, ?, ?, ?, ?)", row)
    connection.close()
    os.chmod(os.environ["GEOPRIV_REGISTER"], 0o600)
    done = gp.privatize(now, PEOPLE, tmp_path / "b.parquet", again=True, allow_odd=True)
    assert done.earlier == 1
    known = "2 times ε, 1/4,000 per USD (0.00025)"
    unknown = "ε = 1/8,000 per USD (0.000125) and what 1 run cost of which an older register did not keep ε"
    assert done.spent == (known if same else unknown)


@pytest.mark.parametrize(
    ("second", "refused"),
    [
        (of_dollars(1 / 100, "wages", width=5e5, of="wealthy"), True),
        (of_dollars(1 / 8000, "wages", at=2e5), False),
    ],
    ids=["the same question", "another question"],
)
def test_questions_are_known_by_themselves_whatever_survey_and_promise_are_called(
    second: Design, refused: bool, tmp_path: Path
) -> None:
    gp.privatize(of_dollars(1 / 8000), PEOPLE, tmp_path / "a.parquet", allow_odd=True)
    if refused:
        with pytest.raises(gp.InvalidParameter, match="What 'wages' asks was privatised before, as another survey: 3"):
            gp.privatize(second, PEOPLE, tmp_path / "b.parquet", allow_odd=True)
    assert gp.privatize(second, PEOPLE, tmp_path / "b.parquet", again=refused, allow_odd=True).earlier == refused


@pytest.mark.parametrize("name", ["incomes", "map", "two-way"])
def test_a_plan_at_another_promise_asks_the_same(name: str, tmp_path: Path) -> None:
    """Widths, bandwidths and reaches that a plan chooses go with ε."""
    for file, data in example_files(name).items():
        (tmp_path / file).write_bytes(data)
    text = (tmp_path / "survey.toml").read_text(encoding="utf-8")
    asked = []
    for epsilon in ("1.0", "0.4"):
        changed = text.replace("epsilon = 1.0", f"epsilon = {epsilon}").replace('name = "', f'name = "{epsilon} ')
        (tmp_path / "survey.toml").write_text(changed, encoding="utf-8")
        asked.append(gp.plan(gp.Survey.read(tmp_path / "survey.toml")).design)
    assert questions_of(asked[0]) == questions_of(asked[1])
    assert asked[0].document["questions"] != asked[1].document["questions"]


@pytest.mark.parametrize("epsilon", ["much", "1/0", "nan", "-1", "0"])
def test_a_register_that_keeps_no_epsilon_where_one_should_be_is_damaged(epsilon: str, tmp_path: Path) -> None:
    """It ended in a traceback, or in a sum that was lower by it."""
    gp.privatize(DESIGN, PEOPLE, tmp_path / "a.parquet")
    connection = sqlite3.connect(os.environ["GEOPRIV_REGISTER"])
    connection.execute("UPDATE runs SET epsilon = ?", (epsilon,))
    connection.commit()
    connection.close()
    for again in (False, True):
        with pytest.raises(gp.InvalidParameter, match=r"register, .*, is damaged"):
            gp.privatize(DESIGN, PEOPLE, tmp_path / "b.parquet", again=again)


def test_a_map_has_other_points_at_another_promise_and_is_the_same_question() -> None:
    """A map without a bandwidth has 2/ε, and so many points as that asks for."""
    space = 'space = { kind = "plane", unit = "km", columns = ["x", "y"], range = [[0, 40], [0, 40]] }\n'
    asked = []
    for per in ("1 km", "3 km"):
        head = f'name = "per {per}"\nepsilon = 1.0\nper = "{per}"\npeople = 20_000\n'
        asked.append(gp.plan(gp.Survey.parse(head + space + '[[query]]\nkind = "density map"\n')).design)
    points = [design.document["questions"][0]["columns"] for design in asked]
    assert points[0] != points[1]
    assert questions_of(asked[0]) == questions_of(asked[1])


@pytest.mark.parametrize("name", ["incomes", "map", "two-way", "quickstart"])
def test_the_made_up_people_of_an_example_are_nobody_and_all_others_are_somebody(name: str, tmp_path: Path) -> None:
    people = tmp_path / "people.csv"
    if name == "quickstart":
        page = (Path(__file__).parents[2] / "docs" / "quickstart.md").read_text(encoding="utf-8")
        code = next(block for block in page.split("```") if block.startswith("python\nimport csv"))
        subprocess.run([sys.executable, "-c", code.removeprefix("python")], cwd=tmp_path, check=True, timeout=60)
    else:
        people.write_bytes(example_files(name)["people.csv"])
    asked: gp.queries.Query = gp.Threshold(1e5, 1e4, gp.Line("USD"))
    source = gp.Source(("income",), low=(0.0,), high=(2e6,))
    if name == "map":
        asked, source = gp.Ball((40.7, -74.0), 3e3, 1e3, EARTH), gp.Source(("lat", "lon"))
    design = Design("survey", (small_table(asked, 1e-3),), source=source)
    for k in range(2):
        assert gp.privatize(design, people, tmp_path / f"{k}.parquet").earlier == 0
    assert not Path(os.environ["GEOPRIV_REGISTER"]).exists()
    people.write_bytes(people.read_bytes().replace(b"1", b"2", 1))  # one of them is another
    gp.privatize(design, people, tmp_path / "c.parquet")
    with pytest.raises(gp.InvalidParameter, match="privatised before"):
        gp.privatize(design, people, tmp_path / "d.parquet")


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
