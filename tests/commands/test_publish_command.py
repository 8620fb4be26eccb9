"""`geopriv publish`: a collector's reports as a file that `geopriv estimate` takes."""

from __future__ import annotations

import json
import sys
from contextlib import closing
from pathlib import Path

import pytest

from geopriv.collector.store import Store
from geopriv.collector.verdicts import Sent
from geopriv.commands.cli import main
from tests.collector.conftest import DESIGN


@pytest.fixture
def survey(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a design and a database of forty reports."""
    monkeypatch.chdir(tmp_path)
    DESIGN.write("design.json")
    with closing(Store("sqlite:///survey.sqlite")) as store:
        store.begin(DESIGN.hash, False)
        store.take([Sent(bytes([k]) * 16, 0, None, f"[{k % 5}]", None) for k in range(40)])
    return tmp_path


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["geopriv", *words])
    try:
        main()
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def test_what_is_published_is_estimated(
    survey: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "publish", "design.json") == 0
    said = capsys.readouterr().out
    assert "40. No report enters these any more." in said
    assert "geopriv estimate design.json reports.parquet" in said
    assert run(monkeypatch, "estimate", "design.json", "reports.parquet", "--json") == 0
    assert json.loads(capsys.readouterr().out)["n"] == 40
    assert run(monkeypatch, "publish", "design.json", "-o", "reports.ndjson", "--batch", "1", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["reports"], found["batches"][0]["number"], found["design"]) == (40, 1, DESIGN.hash)
    lines = Path("reports.ndjson").read_bytes().splitlines(keepends=True)
    Path("reports.ndjson").write_bytes(b"".join(lines[:-1]))
    assert run(monkeypatch, "estimate", "design.json", "reports.ndjson", "-o", "cut.json") == 2
    assert "reports.ndjson.manifest tells of 40 reports" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-o", "reports.txt"), "a file of .parquet, .ndjson, .jsonl"),
        (("-o", "design.jsonl"), "already: name another file; say --overwrite"),
        (("-o", "design.jsonl", "--overwrite"), "already: name another file; it holds no reports"),
        (("-o", "nowhere/reports.parquet"), "There is no folder 'nowhere'"),
        (("--database", "sqlite:///other.sqlite"), "There is no file 'other.sqlite'"),
        (("--batch", "2"), "Got 2 instead"),
    ],
)
def test_what_is_wrong_is_told_and_nothing_is_closed(
    survey: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    said: str,
) -> None:
    DESIGN.write("design.jsonl")
    before = {path.name for path in survey.iterdir()}
    assert run(monkeypatch, "publish", "design.json", *words) == 2
    assert said in capsys.readouterr().err
    with closing(Store("sqlite:///survey.sqlite")) as store:
        assert not store.batches()[0].closed
    assert {path.name for path in survey.iterdir() if "sqlite" not in path.name} == {
        name for name in before if "sqlite" not in name
    }
