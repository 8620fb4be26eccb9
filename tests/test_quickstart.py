"""The quickstart's commands, run one after the other as they stand."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import geopriv as gp

PAGE = (Path(__file__).parent.parent / "docs" / "quickstart.md").read_text(encoding="utf-8")


def plain(text: str) -> str:
    return " ".join(text.split())


def without_numbers(text: str) -> str:
    return re.sub(r"\d[\d,.]*\b", "#", plain(text))


def test_the_quickstart_runs_as_it_is_written(tmp_path: Path) -> None:
    blocks = re.findall(r"```(toml|python|sh)\n(.*?)```", PAGE, flags=re.DOTALL)
    shown = re.findall(r"```text\n(.*?)```", PAGE, flags=re.DOTALL)
    said = []
    assert [kind for kind, _ in blocks] == ["toml", "sh", "sh", "python", "sh", "sh", "python"]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for kind, text in blocks[:-1]:  # the last is a doctest
        if kind == "toml":
            (tmp_path / "survey.toml").write_text(text, encoding="utf-8")
            continue
        command = [sys.executable, "-c", text] if kind == "python" else ["sh", "-ec", text]
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env=os.environ | {"PATH": path, "COLUMNS": "100"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        said.append(plain(done.stdout) if kind == "sh" else "")
    planned, audited, _, privatised, estimated = said
    for output, block in zip((planned, audited, privatised), shown, strict=False):
        for paragraph in block.split("\n\n"):
            assert plain(paragraph) in output
    # reports are never seeded: numbers differ, and all words are the same
    for part in re.split(r"\n *…\n", shown[3]):
        assert without_numbers(part) in without_numbers(estimated)
    answers = gp.Answers.read(tmp_path / "estimates.json")
    assert answers.n == 50_000
    assert abs(answers["above 100,000 USD"].estimates[()].value - 0.49) < 0.02
    assert (tmp_path / "report.html").stat().st_size > 10_000
