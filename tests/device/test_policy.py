"""What a person allows holds whatever a design says of itself."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import geopriv as gp
from geopriv.client import Client, main
from geopriv.device.designs import verify
from geopriv.device.policy import Policy
from geopriv.errors import Refused
from tests.designs import (
    document_of,
    lattice_design,
    rehashed,
    table_design,
)
from tests.policies import allowed, arguments_of
from tests.rows import CITY, EARTH

USD = gp.Threshold(0.0, 2.0, gp.Line("USD"))


def named(unit: str | None, survey: str) -> bytes:
    """A valid design on a line, in whatever unit its author likes."""
    document = document_of(table_design(USD, survey=survey))
    table = document["mechanisms"][0]
    for place in (table["space"], table["guarantee"], document["guarantee"]):
        place["unit"] = unit
    return rehashed(document)


def answered(data: bytes, folder: Path, policy: Policy) -> str:
    (folder / "design.json").write_bytes(data)
    return Client(folder / "design.json", folder / "ledger", policy).report(0.0)


def test_two_hundred_spellings_of_a_unit_get_one_report(tmp_path: Path) -> None:
    """Zero-width spaces, letters that look alike, capitals, and other names: all under a total for one report."""
    spellings = ["USD" + "\u200b" * i for i in range(60)]
    spellings += ["ＵＳＤ", "UЅD", "usd", "Usd", "US Dollars", "EUR", "m", "cents"]
    spellings += [f"USD {i}" for i in range(132)]
    policy, lines = allowed(unit="USD", total=1.0), []
    for i, unit in enumerate(spellings):
        try:
            lines.append(answered(named(unit, f"survey {i}"), tmp_path, policy))
        except (gp.InvalidDesign, Refused):
            continue
    assert len(spellings) == 200
    assert len(lines) == 1


def test_a_new_name_of_a_survey_costs_again_within_the_total(tmp_path: Path) -> None:
    policy = allowed(unit="USD", total=2.5)
    first = answered(named("USD", "income"), tmp_path, policy)
    assert answered(named("USD", "income"), tmp_path, policy) == first
    assert answered(named("USD", "income of March"), tmp_path, policy) != first
    with pytest.raises(gp.BudgetExhausted, match=r"2\.5 over all surveys"):
        answered(named("USD", "income of April"), tmp_path, policy)


def test_a_policy_says_how_many_surveys_are_answered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policy = allowed(unit="USD", most_surveys=2)
    for k in range(2):
        answered(named("USD", f"survey {k}"), tmp_path, policy)
    with pytest.raises(gp.BudgetExhausted, match="answered 2 surveys"):
        answered(named("USD", "survey 2"), tmp_path, policy)
    shell = [str(tmp_path / "design.json"), "--value", "0", "--ledger", str(tmp_path / "ledger"), *arguments_of(policy)]
    assert main([*shell, "--most-surveys", "2"]) == 1
    assert "answered 2 surveys, the most that the policy allows" in capsys.readouterr().err
    assert main([*shell, "--most-surveys", "3"]) == 0
    assert Policy(None, 1.0, 1.0, trust=True).most_surveys == 100


@pytest.mark.parametrize("unit", [None, "km", "usd", "US dollars"])
def test_a_design_in_another_unit_is_refused_and_makes_no_ledger(unit: str | None, tmp_path: Path) -> None:
    with pytest.raises(Refused, match="unit of the design must be 'USD'"):
        answered(named(unit, "income"), tmp_path, allowed(unit="USD"))
    assert not (tmp_path / "ledger").exists()


def test_a_line_cannot_call_its_unit_a_factor(tmp_path: Path) -> None:
    """Else 1 per dollar would pass for 1 per factor 2."""
    with pytest.raises(gp.InvalidDesign, match="names no factor"):
        answered(named("factor 2", "income"), tmp_path, allowed(unit="factor 2"))
    ratios = gp.Threshold(1000.0, 0.5, gp.LogLine(2.0))
    allowed(unit="factor 2").require(verify(table_design(ratios, 2.0).to_bytes()))
    with pytest.raises(Refused):
        allowed(unit="factor 4").require(verify(table_design(ratios, 2.0).to_bytes()))


def test_metres_are_not_read_as_degrees_nor_degrees_as_metres() -> None:
    """Someone 1 m away would be protected as someone 111 km away is."""
    flat = verify(lattice_design().to_bytes())
    globe = verify(table_design(gp.Ball((40.7, -74.0), 3000.0, 1e3, EARTH), 1e-3).to_bytes())
    city = verify(lattice_design(CITY).to_bytes())
    assert flat.unit == globe.unit == city.unit == "m"
    metres, degrees = allowed(unit="m"), allowed(unit="m", degrees=True)
    metres.require(flat)
    for design in (globe, city):
        degrees.require(design)
        with pytest.raises(Refused, match=r"must read numbers in the unit.*without --degrees"):
            metres.require(design)
    with pytest.raises(Refused, match="degrees"):
        degrees.require(flat)


def test_a_survey_cannot_ask_more_than_the_most(tmp_path: Path) -> None:
    design = verify(table_design(epsilon=0.1).to_bytes())
    allowed(most_epsilon=0.1).require(design)
    with pytest.raises(Refused, match="at most"):  # 0.1 in floats is a little more than a tenth
        allowed(most_epsilon=Fraction(1, 10)).require(design)


def test_another_design_than_the_published_one_is_refused() -> None:
    published, larger = table_design(), table_design(epsilon=2.0)
    policy = allowed(hash=published.hash.upper(), trust=False)
    policy.require(verify(published.to_bytes()))
    with pytest.raises(Refused, match=larger.hash):
        policy.require(verify(larger.to_bytes()))


def test_a_file_is_trusted_aloud_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    design = table_design()
    design.write(tmp_path / "design.json")
    Client(tmp_path / "design.json", tmp_path / "ledger", allowed(hash=design.hash, trust=False))
    assert capsys.readouterr().err == ""
    Client(tmp_path / "design.json", tmp_path / "ledger", allowed())
    aloud = capsys.readouterr().err
    assert "the file itself is trusted" in aloud
    assert design.hash in aloud
    shell = [str(tmp_path / "design.json"), "--value", "0", "--ledger", str(tmp_path / "ledger")]
    assert main([*shell, *arguments_of(allowed())]) == 0
    assert capsys.readouterr().err == aloud


@pytest.mark.parametrize(
    "changes",
    [
        {"unit": ""},
        {"unit": "USD\u200b"},
        {"unit": "m" * 41},
        {"unit": 3},
        {"most_epsilon": 0.0},
        {"most_epsilon": float("nan")},
        {"most_epsilon": float("inf")},
        {"most_epsilon": True},
        {"most_epsilon": "1"},
        {"total": -1.0},
        {"total": None},
        {"hash": "0" * 64},
        {"trust": False},
        {"trust": False, "hash": "0" * 63},
        {"trust": False, "hash": "\u0660" * 64},
        {"trust": False, "hash": "0" * 63 + "\n"},
        {"after": -0.1},
        {"after": float("nan")},
        {"after": 1e9},
        {"most_surveys": 0},
        {"most_surveys": 2.0},
        {"most_surveys": True},
    ],
    ids=str,
)
def test_a_policy_that_says_nothing_is_none(changes: dict[str, Any]) -> None:
    with pytest.raises(gp.InvalidParameter, match="of Policy must be") as caught:
        allowed(**changes)
    assert str(caught.value).isascii()


def test_a_policy_does_not_change() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        allowed().total = 1e9  # type: ignore[misc]


def test_a_report_waits_unless_it_is_said_otherwise() -> None:
    assert Policy(None, 1.0, 1.0, trust=True).after == 1.0
