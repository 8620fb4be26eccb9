"""The command line, as a person would run it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import geopriv as gp
from geopriv.commands.cli import app, main


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "geopriv", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300, check=False)


def test_the_comparison_prints_a_table_and_draws_a_picture(tmp_path: Path) -> None:
    done = run("bench", "mechanisms", "--people", "5000", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for name in (
        "LipschitzLaplace",
        "SmoothT",
        "LeastScaleT",
        "SmoothCauchy",
        "SmoothLaplace",
        "InputLaplace",
        "LocalLaplace",
    ):
        assert name in done.stdout
    assert "look alike up to a factor" in done.stdout
    assert (tmp_path / "geopriv-mechanisms.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_the_comparison_speaks_json_with_intervals_for_every_number(tmp_path: Path) -> None:
    done = run("bench", "mechanisms", "--people", "20000", "--json", "--output", "other.png", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert (tmp_path / "other.png").exists()
    assert len(result["mechanisms"]) == 11
    for outcome in result["mechanisms"]:
        answer = outcome["estimate"]
        assert answer["low"] < answer["value"] < answer["high"]
        # the true error is a draw whose root mean square is the predicted one
        assert abs(outcome["error"]) < 5 * outcome["predicted_error"]
        assert (abs(outcome["bias"]) < 1e-9) == answer["unbiased"]
        assert outcome["efficiency"] is None or 0 < outcome["efficiency"] < 1
    efficiency = {outcome["name"]: outcome["efficiency"] for outcome in result["mechanisms"]}
    assert efficiency["SmoothT"] < efficiency["LeastScaleT"] < efficiency["Table"]
    assert efficiency["CoordinateLaplace"] is efficiency["LocalLaplace"] is None


def test_the_same_seed_gives_the_same_numbers(tmp_path: Path) -> None:
    first, second = (run("bench", "mechanisms", "--people", "1000", "--json", cwd=tmp_path).stdout for _ in range(2))
    assert first == second


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("--epsilon", "1 per 10 km"), "unit"),
        (("--epsilon", "-1"), "epsilon"),
        (("--epsilon", "lots"), "epsilon"),
        (("--width", "0"), "width"),
        (("--people", "0"), "people"),
        (("--at", "nan"), "at"),
        (("--output", "no/such/folder/x.png"), "no/such/folder"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, str],
    word: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["geopriv", "bench", "mechanisms", "--people", "100", *arguments])
    with pytest.raises(SystemExit) as done:
        main()
    assert done.value.code == 2
    said = capsys.readouterr().err
    assert word in said
    assert "Traceback" not in said
    assert len(said.strip().splitlines()) == 1


def test_square_brackets_are_shown_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """They would be taken for markup, which fails in the middle of a sentence, or hides what is between them."""
    monkeypatch.chdir(tmp_path)
    folder = Path("a[", "b]")
    folder.mkdir(parents=True)
    (folder / "people.csv").write_text("x\n1\n2\n")
    lattice = gp.Lattice.calibrate(gp.Line("m[/]"), 1.0)
    gp.Design("[/c]", (lattice,), source=gp.Source(("x",))).write(folder / "design.json")
    for command, *arguments in (
        ("audit", f"{folder}/design.json"),
        ("privatize", f"{folder}/design.json", f"{folder}/people.csv", "-o", f"{folder}/r.parquet"),
    ):
        monkeypatch.setattr("sys.argv", ["geopriv", command, *arguments])
        with pytest.raises(SystemExit) as done:
            main()
        assert not done.value.code
        assert "per m[/]" in capsys.readouterr().out


def test_an_error_that_nobody_foresaw_shows_no_variables() -> None:
    assert app.pretty_exceptions_show_locals is False


def test_help_and_version_are_there(tmp_path: Path) -> None:
    assert "demo" in run("--help", cwd=tmp_path).stdout
    assert "Examples" in run("demo", "--help", cwd=tmp_path).stdout
    lines = [line.strip() for line in run("privatize", "-h", cwd=tmp_path).stdout.splitlines()]
    assert "geopriv privatize design.json people.csv" in lines  # to copy, one a line
    assert "accuracy" in run("bench", "-h", cwd=tmp_path).stdout
    assert run("--version", cwd=tmp_path).stdout.strip() == "0.1.0"
    assert run("nonsense", cwd=tmp_path).returncode == 2


def test_commands_of_a_package_that_is_absent_say_so() -> None:
    """The library stands alone: without geopriv_paper only its two commands are missing."""
    code = (
        "import importlib.util, sys; known = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name: None if name == 'geopriv_paper' else known(name)\n"
        "from geopriv.commands.cli import main; main()"
    )
    for command in (("reproduce", "one-way", "--full"), ("bench", "accuracy")):
        done = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert (
            done.stderr
            == f"geopriv: '{command[0]}' comes with the package geopriv_paper, which is not installed here.\n"
        )
