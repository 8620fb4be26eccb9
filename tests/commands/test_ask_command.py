"""`geopriv ask`, as a person would run it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import geopriv as gp
from geopriv.answers.log import log_beside
from geopriv.commands.cli import main
from geopriv.reports.files import ReportBatch, write_reports
from tests.answers.test_answers import SCHEMA
from tests.answers.test_survey_estimates import ABOVE, incomes, lattice_design, split_design
from tests.structure import errors_of

Run = Callable[..., tuple[int, str, str]]
DESIGN = replace(lattice_design(ABOVE), source=gp.Source(("income",), (0.0,), (2e6,)))
CELLS = DESIGN.mechanisms[0].simulate(incomes(3_000), np.random.default_rng(2)).values.astype(np.int64)[:, None]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A design, reports to it in a folder, their tally, and a question."""
    DESIGN.write(tmp_path / "design.json")
    (tmp_path / "reports").mkdir()
    write_reports(tmp_path / "reports" / "a.parquet", DESIGN, [ReportBatch(0, CELLS)])
    tally = gp.Tally(DESIGN)
    tally.add(ReportBatch(0, CELLS))
    tally.write(tmp_path / "week.parquet")
    (tmp_path / "questions.toml").write_text('[[query]]\nkind = "threshold"\nat = 70_000\n')
    return tmp_path


@pytest.fixture
def command(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command line in this process: exit code, standard output and standard error."""
    monkeypatch.chdir(folder)

    def run_here(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["geopriv", *arguments])
        with pytest.raises(SystemExit) as done:
            main()
        return int(done.value.code or 0), *capsys.readouterr()

    return run_here


def test_reports_and_their_tally_give_the_same_answers_and_one_log(folder: Path, command: Run) -> None:
    code, out, error = command("ask", "design.json", "reports", "questions.toml")
    assert code == 0
    assert "above 70,000 USD" in out
    assert "Asked after collecting: 1 question so far" in out
    assert "Written: asked.json, asked.html; questions are kept in asked-" in " ".join(error.split())
    first = (folder / "asked.json").read_bytes()
    code, _, _ = command("ask", "design.json", "questions.toml", "--tally", "week.parquet", "--no-page")
    assert code == 0
    assert (folder / "asked.json").read_bytes() == first
    assert len(json.loads(log_beside(folder / "reports", DESIGN).read_bytes())["questions"]) == 1
    assert "above 70,000 USD (asked after collecting)" in (folder / "asked.html").read_text(encoding="utf-8")


def test_json_is_what_is_written(folder: Path, command: Run) -> None:
    arguments = ("--tally", "week.parquet", "--simultaneous", "--of", "20", "--json", "--no-page", "--log", "kept.json")
    code, out, _ = command("ask", "design.json", "questions.toml", *arguments)
    assert code == 0
    document = json.loads(out)
    assert errors_of(SCHEMA, document) == []
    assert document["asked"] == {"so_far": 1, "of": 20, "confidence": 0.95}
    assert document["answers"][0]["asked_after"]
    assert json.loads((folder / "asked.json").read_bytes()) == document
    assert (folder / "kept.json").exists()
    assert not (folder / "asked.html").exists()


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("design.json", "questions.toml", "reports"), "come last"),
        (("design.json", "questions.toml"), "takes a file or folder"),
        (("tables.json", "reports", "questions.toml"), "cannot answer 'above 70,000"),
        (("design.json", "reports", "nothing.toml"), "nothing.toml cannot be read"),
        (("design.json", "reports", "survey.toml"), "survey.toml, line 1: 'name' belongs to the survey"),
        (("design.json", "reports", "questions.toml", "--of", "3"), "'of' parameter of estimate must be given with"),
        (("design.json", "reports", "questions.toml", "--log", "no/log.json"), "cannot be written"),
        (("design.json", "reports", "questions.toml", "-o", "week.parquet"), "would replace 'week.parquet'"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(
    folder: Path, command: Run, arguments: tuple[str, ...], word: str
) -> None:
    tables = split_design()
    tables.write(folder / "tables.json")
    (folder / "survey.toml").write_text('name = "a"\n[[query]]\nkind = "mean"\n')
    code, out, error = command("ask", *arguments, "--no-page")
    assert (code, out) == (2, "")
    assert word in error
    assert len(error.strip().splitlines()) == 1
    assert not list(folder.glob("asked*"))
