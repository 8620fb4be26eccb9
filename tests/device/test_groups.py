"""A group on a device: told openly, said so, and refused where it is missing, unknown or not asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import geopriv as gp
from geopriv.client import Client, main
from geopriv.device.designs import verify
from geopriv.device.groups import read_groups
from geopriv.queries.groups import Groups
from tests.designs import Given, grouped_design, table_design
from tests.policies import allowed, arguments_of
from tests.structure import errors_of

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "schemas" / "reports.schema.json").read_text("utf-8"))
FREE = arguments_of(allowed())


@pytest.fixture
def design(tmp_path: Path) -> Path:
    grouped_design().write(tmp_path / "design.json")
    return tmp_path / "design.json"


def test_a_report_carries_the_number_of_its_group(design: Path, tmp_path: Path) -> None:
    client = Client(design, tmp_path / "ledger", allowed())
    lines = [client.report(0.3, f"person {k}", name) for k, name in enumerate(client.design.groups.names)]
    assert [json.loads(line)["group"] for line in lines] == [0, 1, 2]
    assert [list(json.loads(line)) for line in lines] == [["design", "group", "id", "mechanism", "report"]] * 3
    assert all(errors_of(SCHEMA, json.loads(line)) == [] for line in lines)


def test_the_group_changes_nothing_else_of_a_report() -> None:
    device = verify(grouped_design().to_bytes())
    told = [json.loads(device._line(0.3, Given(bytes(range(64))), group)) for group in (0, 2)]
    assert told[0] | {"group": 2} == told[1]


@pytest.mark.parametrize("group", [None, "kings", "Kings ", "", "0", "0.7318205946"])
def test_a_group_that_is_missing_or_unknown_is_refused_and_nothing_is_spent(
    group: str | None, design: Path, tmp_path: Path
) -> None:
    client = Client(design, tmp_path / "ledger", allowed())
    with pytest.raises(gp.InvalidParameter, match=r"one of the design's.*one of 3: .Kings., .Queens.") as error:
        client.report(0.3, group=group)
    assert "0.7318205946" not in str(error.value)
    assert client._ledger.spent("me") == 0


def test_a_group_that_nobody_asked_for_is_not_told(tmp_path: Path) -> None:
    table_design().write(tmp_path / "design.json")
    client = Client(tmp_path / "design.json", tmp_path / "ledger", allowed())
    with pytest.raises(gp.InvalidParameter, match="asks for no group"):
        client.report(0.3, group="Kings")
    assert "group" not in json.loads(client.report(0.3))


def test_who_is_asked_again_sends_the_same_report_whatever_the_group_is_by_then(design: Path, tmp_path: Path) -> None:
    client = Client(design, tmp_path / "ledger", allowed())
    assert client.report(0.3, group="Kings") == client.report(-2.0, group="Queens")


def test_the_command_says_that_the_group_is_told_openly(
    design: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ledger = ["--ledger", str(tmp_path / "ledger")]
    assert main([str(design), *FREE, *ledger, "--value", "0.3", "--group", "Queens"]) == 0
    out, said = capsys.readouterr()
    assert json.loads(out)["group"] == 1
    assert "the group 'Queens' is told openly; only the value is protected" in said


def test_the_command_says_that_an_earlier_report_is_sent_again_with_its_own_group(
    design: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [str(design), *FREE, "--ledger", str(tmp_path / "ledger"), "--value", "0.3", "--group"]
    assert main([*words, "Queens"]) == 0
    first, _ = capsys.readouterr()
    assert main([*words, "Kings"]) == 0
    again, said = capsys.readouterr()
    assert again == first
    assert "a report was made before, and it is sent again with its own value and group" in said
    assert "Kings" not in said
    assert main([*words, "Kings", "--person", "another"]) == 0
    assert "the group 'Kings' is told openly" in capsys.readouterr().err


@pytest.mark.parametrize("group", [[], ["--group", "Bronx"]], ids=str)
def test_the_command_refuses_a_missing_or_unknown_group(
    group: list[str], design: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(design), *FREE, "--ledger", str(tmp_path / "ledger"), "--value", "0.3", *group]) == 2
    out, said = capsys.readouterr()
    assert out == ""
    assert '"Kings", "Queens", "New York"' in said


def test_verify_says_which_groups_are_asked_for(design: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(design), "--verify"]) == 0
    verdict, groups = capsys.readouterr().out.splitlines()
    assert verdict.startswith("verified: design ")
    assert groups == 'A report tells a group openly, one of 3: "Kings", "Queens", "New York".'


@pytest.mark.parametrize("mark", ['"', "“", "»"])
def test_a_label_that_could_go_on_in_our_words_is_refused(mark: str) -> None:
    with pytest.raises(gp.InvalidDesign, match="quotation marks"):
        read_groups({"type": "Groups", "column": "", "names": [f"A{mark}. It stays on your phone", "B"], "weights": []})
    with pytest.raises(gp.InvalidParameter, match="quotation marks"):
        Groups("county", (f"A{mark}", "B"))
