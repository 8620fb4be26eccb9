"""The audit of design files: honest ones hold, and every planted fault is found with its size."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import geopriv as gp
from geopriv.commands.audit import _print
from geopriv.surveys.audits import DesignAudit
from tests.commands.test_cli import run
from tests.designs import (
    document_of,
    lattice_design,
    rehashed,
    table_design,
    two_tables,
)


@pytest.mark.parametrize("make", [table_design, two_tables, lattice_design], ids=["table", "tables", "lattice"])
def test_an_honest_design_holds(make: Callable[[], gp.Design], tmp_path: Path) -> None:
    design = make()
    design.write(tmp_path / "design.json")
    found = gp.audit(tmp_path / "design.json")
    assert found.passed
    assert not found.reason
    assert (found.hash, found.guarantee) == (design.hash, design.guarantee)
    assert len(found.audits) == len(design.mechanisms)
    assert found.worst is not None
    assert 0.3 < found.worst.worst_ratio <= 1


def _move_weight(document: dict[str, Any]) -> None:
    weights = document["mechanisms"][0]["weights"]
    moved = weights[0][0] * 7 // 8
    weights[0][0] -= moved
    weights[0][1] += moved


def _steeper(document: dict[str, Any]) -> None:
    theta = document["mechanisms"][0]["theta"]
    document["mechanisms"][0]["theta"] = [3 * theta[0], theta[1]]


@pytest.mark.parametrize(
    ("make", "fault"), [(table_design, _move_weight), (lattice_design, _steeper)], ids=["table", "lattice"]
)
def test_a_broken_promise_is_found_and_measured(
    make: Callable[[], gp.Design], fault: Callable[[dict[str, Any]], None], tmp_path: Path
) -> None:
    document = document_of(make())
    fault(document)
    (tmp_path / "design.json").write_bytes(rehashed(document))
    found = gp.audit(tmp_path / "design.json")
    assert not found.passed
    assert found.reason
    assert found.worst is not None
    assert found.worst.worst_ratio > 1.5
    done = run("audit", "design.json", cwd=tmp_path)
    assert done.returncode == 1
    assert "does NOT hold" in done.stdout
    assert "worst loss" in done.stdout


def test_a_file_that_is_no_design_promises_nothing(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("income\n52000\n", encoding="utf-8")
    done = run("audit", "people.csv", cwd=tmp_path)
    assert done.returncode == 1
    assert "every device refuses this file" in done.stdout
    assert "52000" not in done.stdout + done.stderr


@pytest.mark.parametrize("data", [b"", b"{}", b"[1]", b'{"mechanisms":[5]}', b'{"mechanisms":7}', b"\xff\xfe", b"nul"])
def test_what_is_no_design_does_not_pass(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "design.json").write_bytes(data)
    found = gp.audit(tmp_path / "design.json")
    assert (found.passed, found.audits, found.worst) == (False, (), None)


@pytest.mark.parametrize(
    ("key", "value"),
    [("step", "1e999999999"), ("theta", ["1e999999999", 1]), ("theta", [1]), ("step", 5e-324), ("step", 0.0)],
    ids=str,
)
def test_a_hostile_lattice_is_refused_at_once(key: str, value: Any, tmp_path: Path) -> None:
    """A number in a text could take hours to write out."""
    document = document_of(lattice_design())
    document["mechanisms"][0][key] = value
    (tmp_path / "design.json").write_bytes(rehashed(document))
    assert not gp.audit(tmp_path / "design.json").passed


def test_the_command_says_the_verdict_and_the_exit_code(tmp_path: Path) -> None:
    table_design().write(tmp_path / "design.json")
    done = run("audit", "design.json", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["passed"]
    assert result["mechanisms"][0]["worst_ratio"] <= 1
    changed = (tmp_path / "design.json").read_bytes().replace(b'"survey":"', b'"survey":"x')
    (tmp_path / "design.json").write_bytes(changed)
    assert run("audit", "design.json", cwd=tmp_path).returncode == 1
    assert run("audit", "nowhere.json", cwd=tmp_path).returncode == 2


def test_the_command_draws_what_is_shipped_and_says_what_it_could_have_seen(tmp_path: Path) -> None:
    table_design().write(tmp_path / "design.json")
    done = run("audit", "design.json", "--samples", "2000", "--seconds", "5", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    samples = json.loads(done.stdout)["samples"]
    assert samples["passed"]
    assert len(samples["paths"]) == 4
    assert all(path["draws"][1] <= 2000 and 0 < path["seen_excess"] < 1 for path in samples["paths"])
    assert 1 < samples["paths"][0]["seen_loss"] < 4
    text = run("audit", "design.json", "--samples", "1000", "--seconds", "1", cwd=tmp_path).stdout
    said = " ".join(text.split())
    for words in ("No fault was seen", "device: no fault seen in", "would have been seen", "No sampling sees:", "key"):
        assert words in said
    assert run("audit", "design.json", "--samples", "5", cwd=tmp_path).returncode == 2


def test_the_command_fails_where_a_fault_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A device that always sends its first letter."""
    from typer.testing import CliRunner

    from geopriv.commands.cli import app
    from geopriv.device.designs import VerifiedDesign

    table_design().write(tmp_path / "design.json")
    monkeypatch.setattr(VerifiedDesign, "_draw", lambda self, value, source: (0, (0,)))
    command = ["audit", str(tmp_path / "design.json"), "--samples", "500", "--seconds", "1"]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 1
    assert "does NOT keep it" in done.stdout
    document = json.loads(CliRunner().invoke(app, [*command, "--json"]).stdout)
    assert not document["passed"]
    assert [path["passed"] for path in document["samples"]["paths"]] == [True, True, True, False]
    assert document["samples"]["paths"][3]["faults"][0]["kind"] == "law"


def test_a_design_that_devices_verify_is_not_said_to_be_refused_by_them(tmp_path: Path) -> None:
    """What is asked is under the hash and changes nothing of what is sent, so devices do not read it."""
    document = document_of(table_design())
    document["questions"] = [{"type": "Nonsense"}]
    (tmp_path / "design.json").write_bytes(rehashed(document))
    found = gp.audit(tmp_path / "design.json")
    assert (found.passed, found.verified) == (False, True)
    done = run("audit", "design.json", cwd=tmp_path)
    assert done.returncode == 1
    assert "The promise holds, and the design cannot be used" in done.stdout
    assert "every device refuses" not in done.stdout


def test_a_file_of_any_size_is_read_as_far_as_a_design_may_go(tmp_path: Path) -> None:
    with (tmp_path / "design.json").open("wb") as file:
        file.truncate(40 << 20)
    found = gp.audit(tmp_path / "design.json")
    assert not found.passed
    assert "at most 33,554,432 bytes" in found.reason


@pytest.mark.parametrize("make", [table_design, lattice_design], ids=["table", "lattice"])
def test_mechanisms_of_a_refused_file_are_audited_like_any_other(make: Callable[[], gp.Design], tmp_path: Path) -> None:
    design = make()
    (tmp_path / "design.json").write_bytes(rehashed(document_of(design) | {"version": 2}))
    found = gp.audit(tmp_path / "design.json")
    assert (found.passed, found.verified) == (False, False)
    assert found.audits == tuple(gp.audit(mechanism) for mechanism in design.mechanisms)


def test_a_broken_promise_is_never_said_to_hold(capsys: pytest.CaptureFixture[str]) -> None:
    """Also where devices accept the file and the audit sees more than they do."""
    broken = gp.proofs.Audit(False, 1.5, ("cell 0", "cell 1", "any"), 1)
    for verified in (True, False):
        _print(Console(width=200), DesignAudit(False, "It loses more.", (broken,), verified=verified))
        said = capsys.readouterr().out
        assert "The promise does NOT hold." in said
        assert "The promise holds" not in said
