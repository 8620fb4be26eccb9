"""Surveys that are wrong, as a person meets them: one sentence, exit code 2, no traceback, and nothing written."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import geopriv as gp
from geopriv.commands import cli
from tests.surveys.files import (
    BAD,
    Change,
    changed,
    write_files,
)


@pytest.mark.parametrize(
    ("text", "changes", "words"), [(row[1], row[2], row[4]) for row in BAD], ids=[row[0] for row in BAD]
)
def test_a_bad_survey_is_one_sentence_and_exit_code_2(
    text: str,
    changes: list[Change],
    words: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path)
    Path("survey.toml").write_text(changed(text, changes), encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["geopriv", "plan", "survey.toml"])
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == 2
    said = capfd.readouterr().err
    assert said.startswith("geopriv: ")
    assert len(said.strip().splitlines()) == 1
    assert "Traceback" not in said
    assert all(word in said for word in words)
    assert not Path("design.json").exists()


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="this system has no /dev/zero")
def test_a_file_without_end_is_no_survey() -> None:
    with pytest.raises(gp.InvalidParameter, match="more than"):
        gp.Survey.read("/dev/zero")
