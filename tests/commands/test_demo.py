"""The demonstration: question, design, reports, estimates and page, for incomes and for a city."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import geopriv as gp
from tests.commands.test_cli import run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("demo")
    people = pa.table({"income": np.geomspace(5_000.0, 500_000.0, 20_000), "more": ["x"] * 20_000})
    pq.write_table(people, path / "a.parquet")
    done = run("demo", "--people", "20000", "--incomes", "a.parquet", "--json", "-o", "out", cwd=path)
    assert done.returncode == 0, done.stderr
    (path / "answers.json").write_text(done.stdout, encoding="utf-8")
    assert "out/incomes/report.html" in done.stderr.replace("\n", "")
    return path


def test_every_step_leaves_its_file(folder: Path) -> None:
    for name in ("incomes", "city"):
        for file in ("survey.toml", "design.json", "reports.parquet", "estimates.json", "report.html"):
            assert (folder / "out" / name / file).stat().st_size > 0
        design = gp.Design.read(folder / "out" / name / "design.json")
        answers = gp.Answers.read(folder / "out" / name / "estimates.json")
        assert answers.design == design.hash
        assert answers.n == 20_000
        assert gp.Survey.read(folder / "out" / name / "survey.toml").people == 20_000
        page = (folder / "out" / name / "report.html").read_text(encoding="utf-8")
        assert answers.survey in page
        assert design.hash in page


def test_it_runs_a_second_time_and_leaves_the_operators_register_alone(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEOPRIV_REGISTER", str(folder / "none.sqlite"))
    shutil.copytree(folder / "out", folder / "twice")
    assert run("demo", "--people", "1000", "-o", "twice", cwd=folder).returncode == 0
    assert gp.Answers.read(folder / "twice" / "incomes" / "estimates.json").n == 1_000
    assert not (folder / "none.sqlite").exists()


def test_the_answers_are_near_the_truth(folder: Path) -> None:
    """Shares within 5 standard errors: a chance of 4e-6 to fail for the six of them."""
    for survey in json.loads((folder / "answers.json").read_text(encoding="utf-8")):
        for question in survey["questions"]:
            truth, low, high = (np.asarray(question[key]) for key in ("truth", "low", "high"))
            if truth.ndim == 0:
                assert abs(truth - (low + high) / 2) < 5 * (high - low) / 2 / 1.96
            else:
                assert ((low <= truth) & (truth <= high)).mean() > 0.5


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("--incomes", "nowhere.parquet"), "nowhere"),
        (("--places", "setup.py"), "setup.py"),
        (("--people", "1"), "people"),
    ],
)
def test_bad_input_is_refused(arguments: tuple[str, str], word: str, tmp_path: Path) -> None:
    done = run("demo", "--people", "100", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert word in done.stderr
    assert "Traceback" not in done.stderr
