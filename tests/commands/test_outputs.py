"""What commands refuse to write over: what they did not write, and what nobody could make again."""

from __future__ import annotations

from pathlib import Path

import pytest

from geopriv.commands.outputs import require_replaceable
from geopriv.errors import InvalidParameter
from tests.commands.test_estimate_command import Run, command, folder  # noqa: F401 # fixtures

WRITTEN = {"design": "design.json", "estimates": "estimates.json", "page": "report.html", "tally": "counts.parquet"}
OTHERS = ("people.csv", "reports/a.parquet", "reports/b.ndjson")


@pytest.fixture
def written(folder: Path, command: Run) -> Path:  # noqa: F811
    """A folder with a file of every kind."""
    (folder / "people.csv").write_text("income\n52000\n", encoding="utf-8")
    assert command("estimate", "design.json", "reports", "--tally", "counts.parquet")[0] == 0
    return folder


def test_a_file_is_replaced_by_one_of_its_kind_and_by_no_other(written: Path) -> None:
    for what, name in WRITTEN.items():
        require_replaceable(written / name, what)
        for other in {*WRITTEN.values(), *OTHERS} - {name}:
            with pytest.raises(InvalidParameter, match="something else"):
                require_replaceable(written / other, what)


def test_a_new_file_an_empty_one_and_a_device_are_no_loss(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    for path in (tmp_path / "new", tmp_path / "empty", Path("/dev/null")):
        require_replaceable(path, "design")


def test_a_folder_that_is_not_there_is_named_as_it_was_given(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameter, match="no folder"):
        require_replaceable(tmp_path / "missing" / "design.json", "design")
    with pytest.raises(InvalidParameter, match="that is a folder"):
        require_replaceable(tmp_path, "page")


@pytest.mark.parametrize("option", ["--output", "--page", "--tally"])
def test_estimate_refuses_before_it_writes_anything(option: str, written: Path, command: Run) -> None:  # noqa: F811
    before = {path: path.read_bytes() for path in written.rglob("*") if path.is_file()}
    code, _, said = command("estimate", "design.json", "reports", option, "reports/a.parquet")
    assert code == 2
    assert "something else" in said
    assert {path: path.read_bytes() for path in written.rglob("*") if path.is_file()} == before
