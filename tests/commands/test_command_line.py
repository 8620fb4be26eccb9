"""What a person meets at the command line: help, pipes, quiet, mistakes, and surveys to begin with."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner, Result

import geopriv as gp
from geopriv.client import load
from geopriv.commands.cli import app, main
from geopriv.commands.streams import piped_in
from geopriv.device.kinds import KINDS, require_kind
from geopriv.errors import GeoprivError
from geopriv.surveys.design import Design

SURVEY = """
name = "Incomes"
epsilon = 1.0
per = "8,000 USD"
people = 2_000
space = { kind = "line", unit = "USD", columns = ["income"], range = [0, 600_000] }

[[query]]
kind = "distribution"
from = 20_000
to = 300_000
step = 20_000
"""
PEOPLE = "income\n" + "\n".join(str(200 * k) for k in range(2_000)) + "\n"

Run = Callable[..., Result]


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """One flow, as files."""
    folder = tmp_path_factory.mktemp("flow")
    (folder / "survey.toml").write_text(SURVEY, encoding="utf-8")
    (folder / "people.csv").write_text(PEOPLE, encoding="utf-8")
    design = gp.plan(gp.Survey.read(folder / "survey.toml")).design
    design.write(folder / "design.json")
    gp.privatize(design, folder / "people.csv", folder / "reports.ndjson", register=folder / "register.sqlite")
    gp.estimate(design, gp.tally(design, folder / "reports.ndjson")).write(folder / "estimates.json")
    (folder / "register.sqlite").unlink()
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def run(tmp_path: Path, planned: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> Run:
    """A command in a folder with the files of a flow; errors as `main` gives them are raised."""
    for name, data in planned.items():
        (tmp_path / name).write_bytes(data)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GEOPRIV_REGISTER", str(tmp_path / "register.sqlite"))

    def command(*words: str, given: str | bytes | None = None) -> Result:
        done = CliRunner().invoke(app, list(words), input=given, catch_exceptions=True)
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done

    return command


COMMANDS = [["init"], ["check"], ["plan"], ["audit"], ["privatize"], ["estimate"], ["compare"], ["demo"]]
COMMANDS += [["reproduce"], ["bench", "accuracy"], ["bench", "mechanisms"]]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_help_with_examples_on_lines_of_their_own(
    command: list[str], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = run(*command, "-h")
    assert shown.exit_code == 0
    lines = [line.strip() for line in shown.stdout.partition("Examples:")[2].splitlines() if line.strip()]
    assert lines
    # a line that was broken would begin with something else
    assert all("geopriv " in line for line in lines)
    assert all(len(line) <= 80 for line in shown.stdout.splitlines())


def test_completion_is_offered(run: Run) -> None:
    assert "--install-completion" in run("--help").stdout


# --- one artefact where another belongs


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("plan", "design.json"), "'design.json' holds a design"),
        (("check", "estimates.json"), "holds estimates"),
        (("audit", "survey.toml"), "holds a survey (geopriv plan makes a design of it); expected is a design"),
        (("audit", "estimates.json"), "holds estimates"),
        (("privatize", "survey.toml", "people.csv"), "holds a survey"),
        (("privatize", "design.json", "design.json", "-o", "r.ndjson"), "expected is a table of people"),
        (("privatize", "design.json", "reports.ndjson", "-o", "r.ndjson"), "holds reports"),
        (("estimate", "reports.ndjson", "design.json"), "holds reports"),
        (("estimate", "design.json", "survey.toml"), "expected is reports"),
        (("estimate", "design.json", "people.csv", "-o", "new.json"), "look like people, not reports"),
        (("compare", "design.json", "estimates.json"), "expected is estimates"),
        (("audit", "."), "'.' is a folder; expected is a design"),
        (("plan", "survey.toml", "-o", "people.csv"), "something else"),
        (("compare", "-", "-"), "'-' comes once"),
        (("plan", "survey.toml", "-o", "-", "--json"), "both go to standard output"),
    ],
)
def test_what_is_mixed_up_is_called_by_its_name(words: tuple[str, ...], said: str, run: Run) -> None:
    with pytest.raises(GeoprivError, match=said.replace("(", r"\(").replace(")", r"\)").replace(".", r"\.")):
        run(*words)


def test_a_device_names_what_it_was_given(planned: dict[str, bytes], tmp_path: Path) -> None:
    for name, data in planned.items():
        (tmp_path / name).write_bytes(data)
    for name in ("survey.toml", "reports.ndjson", "estimates.json"):
        with pytest.raises(gp.InvalidParameter, match="expected is a design"):
            load(tmp_path / name)
    load(tmp_path / "design.json")


def test_files_are_known_by_their_look_and_others_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("income,per\n1,2\n", encoding="utf-8")
    for wanted in ("survey", "design", "estimates", "reports", "people"):
        require_kind(tmp_path / "notes.txt", wanted)
        require_kind(tmp_path / "missing", wanted)
    assert set(KINDS) >= {"survey", "design", "estimates", "reports"}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[[query]]", "[query]", "double brackets, [[query]]"),
        ('"8,000 USD"', '"8000"', "with its unit: '8000 USD'"),
        ('"8,000 USD"', '"8 km"', "8 km"),
    ],
)
def test_mistakes_in_a_survey_are_explained(old: str, new: str, said: str, run: Run) -> None:
    Path("survey.toml").write_text(SURVEY.replace(old, new), encoding="utf-8")
    with pytest.raises(gp.InvalidParameter) as caught:
        run("check", "survey.toml")
    assert said in str(caught.value)


# --- pipes


def test_a_design_goes_through_a_pipe(run: Run, planned: dict[str, bytes]) -> None:
    made = run("plan", "-", "-o", "-", "--quiet", given=planned["survey.toml"])
    assert made.stdout_bytes == planned["design.json"]
    assert made.stderr == ""
    assert run("audit", "-", "--quiet", given=made.stdout_bytes).exit_code == 0


def test_people_go_in_and_reports_come_out_and_nothing_is_left(run: Run, planned: dict[str, bytes]) -> None:
    before = {path.name for path in Path().iterdir()}
    made = run("privatize", "design.json", "-", "-o", "-", given=PEOPLE)
    lines = made.stdout.splitlines()
    assert len(lines) == 2_000
    assert json.loads(lines[0])["design"] == Design.parse(planned["design.json"]).hash
    assert "reports written" in made.stderr
    assert {path.name for path in Path().iterdir()} == before | {"register.sqlite"}
    known = run("estimate", "design.json", "-", "-o", "-", "--no-page", "-q", given=made.stdout)
    assert json.loads(known.stdout)["n"] == 2_000
    assert known.stderr == ""


def test_piped_people_are_read_as_strictly_as_a_file(run: Run) -> None:
    with pytest.raises(gp.InvalidParameter, match="semicolons between names"):
        run("privatize", "design.json", "-", "-o", "-", given="income;age\n1;2\n")
    with pytest.raises(gp.InvalidParameter, match="quote is not closed"):
        run("privatize", "design.json", "-", "-o", "-", given='income\n1\n"2\n3\n')


def test_a_comparison_is_as_wide_as_the_terminal(
    run: Run, planned: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("later.json").write_bytes(planned["estimates.json"].replace(b'"Incomes"', b'"Incomes, later"'))
    for width in (60, 80):
        monkeypatch.setenv("COLUMNS", str(width))
        lines = run("compare", "estimates.json", "later.json").stdout.splitlines()
        assert lines
        assert max(map(len, lines)) <= width


def test_a_wave_comes_through_a_pipe(run: Run, planned: dict[str, bytes]) -> None:
    assert "named twice" in run("compare", "-", "estimates.json", given=planned["estimates.json"]).stdout


def test_a_terminal_is_not_waited_for(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    typed = SimpleNamespace(closed=False, isatty=lambda: True, buffer=io.BytesIO())
    monkeypatch.setattr("geopriv.commands.streams.sys", SimpleNamespace(stdin=typed))
    with pytest.raises(gp.InvalidParameter, match="Nothing is piped in"):
        piped_in()


def test_a_reader_that_leaves_stops_nothing(tmp_path: Path, planned: dict[str, bytes]) -> None:
    """As with `| head -1`: the work is done, the exit code is the command's, and nothing is said."""
    (tmp_path / "survey.toml").write_bytes(planned["survey.toml"])
    command = [sys.executable, "-m", "geopriv", "plan", "survey.toml"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == b""
    assert running.returncode == 0
    assert (tmp_path / "design.json").read_bytes() == planned["design.json"]


# --- quiet, check, init


def test_quiet_writes_and_says_nothing(run: Run) -> None:
    for words in (("plan", "survey.toml", "-o", "d.json"), ("privatize", "d.json", "people.csv", "-o", "r.ndjson")):
        done = run(*words, "--quiet")
        assert (done.stdout, done.stderr, done.exit_code) == ("", "", 0)
    done = run("estimate", "d.json", "r.ndjson", "-o", "e.json", "--page", "p.html", "-q")
    assert (done.stdout, done.stderr) == ("", "")
    assert all(Path(name).stat().st_size for name in ("d.json", "r.ndjson", "e.json", "p.html"))


def test_no_row_of_a_curve_is_skipped_without_a_word(run: Run) -> None:
    told = run("estimate", "design.json", "reports.ndjson", "-o", "new.json", "--no-page").stdout
    rows = [line for line in told.splitlines() if " USD  " in line]
    assert len(rows) == 15 or f"{len(rows)} of 15 rows shown" in told


def test_check_says_what_is_asked_of_whom_and_what_is_promised(run: Run) -> None:
    told = " ".join(run("check", "survey.toml").stdout.split())
    for words in ("15 estimates", "2,000 people", "column 'income'", "from 0 to 600,000 USD", "8,000 USD: 2.72"):
        assert words in told
    document = json.loads(run("check", "survey.toml", "--json").stdout)
    assert document["epsilon"] == 1 / 8000
    assert document["questions"][0]["estimates"] == 15
    assert run("check", "survey.toml", "-q").stdout == ""


def test_five_answers_make_a_survey(run: Run) -> None:
    answers = "number\nincome in USD, 0 to 2000000\n50,000\n8,000 USD\n10000\n"
    run("init", "-o", "new.toml", given=answers)
    survey = gp.Survey.read("new.toml")
    assert survey.epsilon == 1 / 8000
    assert survey.people == 10_000
    assert [question.name for question in survey.questions] == ["above 50,000 USD"]
    # what is said in comments can be asked too
    text = Path("new.toml").read_text(encoding="utf-8")
    added = text.replace("# [[query]]", "[[query]]")
    for key in ("kind", "from", "to", "step"):
        added = added.replace(f"# {key} = ", f"{key} = ")
    assert len(gp.Survey.parse(added).questions) == 2


def test_options_answer_too_and_a_pipe_gets_the_survey(run: Run) -> None:
    given = ("--holds", "place", "--values", "40.5, -74.26, 40.92, -73.7", "--ask", "1.5 km", "--per", "500 m")
    made = run("init", *given, "--people", "5000", "-o", "-")
    assert gp.Survey.parse(made.stdout).space.geographic
    with pytest.raises(gp.InvalidParameter, match="--people answers it too"):
        run("init", *given, "-o", "other.toml", given="")
    assert not Path("other.toml").exists()


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--values", "income", "income in USD"),
        ("--values", "income in USD, 5 to 1", "range"),
        ("--ask", "many", "numbers"),
        ("--per", "8 km", "per"),
        ("--people", "-4", "people"),
        ("--people", "2.5", "whole number"),
        ("--ask", "5.000", "8.0 for eight"),
        ("--ask", "1, 12,50", "8.0 for eight"),
        ("--values", "income in USD, 0 to 9.500", "8.0 for eight"),
        ("--per", "1.000 USD", "8.0 for eight"),
    ],
)
def test_an_answer_that_makes_no_sense_writes_nothing(option: str, value: str, said: str, run: Run) -> None:
    given = {"--holds": "number", "--values": "income in USD, 0 to 9", "--ask": "5", "--per": "1 USD", "--people": "9"}
    words = [word for pair in (given | {option: value}).items() for word in pair]
    with pytest.raises(gp.InvalidParameter, match=said):
        run("init", "-o", "new.toml", *words)
    assert not Path("new.toml").exists()


@pytest.mark.parametrize("name", ["incomes", "map", "two-way"])
def test_an_example_is_ready(name: str, run: Run) -> None:
    run("init", "--example", name, "-o", "ready/survey.toml")
    survey = gp.Survey.read("ready/survey.toml")
    lines = Path("ready/people.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == survey.people + 1
    assert survey.source is not None
    assert lines[0].replace('"', "").split(",") == list(survey.source.columns)
    with pytest.raises(gp.InvalidParameter, match="already"):
        run("init", "--example", name, "-o", "ready/survey.toml")


def test_errors_of_main_are_one_sentence_and_exit_code_2(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["geopriv", "check", "design.json"])
    with pytest.raises(SystemExit) as done:
        main()
    assert done.value.code == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1
