"""The flow in a few lines, which the README and `help(geopriv)` show first, runs as it stands there."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

import geopriv as gp
from geopriv.commands.embedded.people import write_incomes

ROOT = Path(__file__).parent.parent


def flow_of_the_package() -> str:
    assert gp.__doc__ is not None
    found = re.search(r"(?:^    .*\n|^\n)+", gp.__doc__, re.MULTILINE)
    assert found is not None
    return textwrap.dedent(found[0]).strip()


def flow_of_the_readme() -> str:
    found = re.search(r"```python\n(import geopriv as gp\n.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    assert found is not None
    return found[1].strip()


def test_the_readme_and_help_show_the_same_flow() -> None:
    lines = [
        [" ".join(line.split()) for line in flow.splitlines() if line]
        for flow in (flow_of_the_readme(), flow_of_the_package())
    ]
    assert lines[0] == lines[1]
    assert len(lines[0]) == 12


def test_the_flow_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    import pyarrow.csv
    import pyarrow.parquet

    monkeypatch.chdir(tmp_path)
    survey = (ROOT / "src" / "geopriv" / "commands" / "embedded" / "incomes.toml").read_text("utf-8")
    Path("survey.toml").write_text(survey.replace("200_000", "20_000"), "utf-8")
    write_incomes(Path("people.parquet"), 20_000, seed=1)
    pyarrow.csv.write_csv(pyarrow.parquet.read_table("people.parquet"), "people.csv")
    exec(flow_of_the_readme(), {})
    said = capsys.readouterr().out
    assert said.startswith("True\n")
    assert "20,000 reports counted" in said
    for name in ("design.json", "reports.parquet", "estimates.json", "report.html"):
        assert Path(name).stat().st_size > 0
