"""Tables that are wrong as a whole stop `geopriv privatize` with one sentence; what is only odd in places does not."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import geopriv as gp
from geopriv.commands.cli import main
from geopriv.surveys.design import Design
from tests.bad_data import BAD, INCOME, INCOMES, MAP, PLACES, WAGES, incomes, lines, require_stopped
from tests.designs import small_table

Command = Callable[..., tuple[int, str, str]]
ODD = ["in thousands", "one among thousands", "all above", "most above", "both sides", "one value", "swapped", "lost"]


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs `geopriv privatize` in a folder of its own, as if it were started in a shell."""
    monkeypatch.chdir(tmp_path)

    def run(design: Design, *words: str) -> tuple[int, str, str]:
        design.write("design.json")
        monkeypatch.setattr(sys, "argv", ["geopriv", "privatize", "design.json", *words])
        with pytest.raises(SystemExit) as done:
            main()
        return int(done.value.code or 0), *capsys.readouterr()

    return run


@pytest.mark.parametrize("engine", ["arrow", "duckdb"])
@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_stops_the_run_with_its_likely_reason(name: str, engine: str, command: Command) -> None:
    bad = BAD[name]
    Path("people.csv").write_text(bad.text)
    told = command(bad.design, "people.csv", "--engine", engine)
    require_stopped(bad, told, [Path("design.json"), Path("people.csv")])


@pytest.mark.parametrize("engine", ["arrow", "duckdb"])
def test_the_same_people_in_order_go_through(engine: str, command: Command) -> None:
    """So that none of the files above is stopped for another reason than its own."""
    for design, text in ((INCOME, incomes(str)), (WAGES, incomes(str)), (MAP, _places())):
        Path("people.csv").write_text(text)
        code, out, err = command(design, "people.csv", "--engine", engine, "--overwrite", "--json")
        assert code == 0, err
        assert json.loads(out)["reports"] == len(INCOMES)


def _places() -> str:
    return lines((f"{a},{b}" for a, b in PLACES), "lat,lon")


@pytest.mark.parametrize(
    ("bad", "words", "code"),
    [
        (3, (), 0),
        (4, (), 2),
        (15, ("--allow-unreadable", "5%"), 0),
        (15, ("--allow-unreadable", "0.05"), 0),
        (16, ("--allow-unreadable", "5 %"), 2),
        (87, ("--allow-unreadable", "29%"), 0),  # 0.29 · 300 is a little less in floats
        (1, ("--allow-unreadable", "0"), 2),
        (299, ("--allow-unreadable", "100%", "--allow-odd"), 0),
        (300, ("--allow-unreadable", "100%", "--allow-odd"), 2),
    ],
)
def test_one_row_in_a_hundred_may_be_unreadable_or_as_many_as_are_allowed(
    bad: int, words: tuple[str, ...], code: int, command: Command
) -> None:
    Path("people.csv").write_text(lines([*(f"p,{x}" for x in INCOMES[bad:]), *["p,unknown"] * bad]))
    assert command(INCOME, "people.csv", *words)[0] == code
    assert Path("reports.parquet").exists() == (code == 0)


@pytest.mark.parametrize("share", ["5", "-1%", "101%", "many", "nan"])
def test_a_share_of_rows_is_written_as_one(share: str, command: Command) -> None:
    Path("people.csv").write_text(incomes(str))
    code, _, err = command(INCOME, "people.csv", f"--allow-unreadable={share}")
    assert code == 2
    assert "such as 5% or 0.05" in err
    with pytest.raises(gp.InvalidParameter, match="from 0 to 1"):
        gp.privatize(INCOME, "people.csv", "reports.parquet", allow_unreadable=5)


@pytest.mark.parametrize("name", ODD)
def test_odd_values_that_are_meant_go_through(name: str, command: Command) -> None:
    Path("people.csv").write_text(BAD[name].text)
    code, out, err = command(BAD[name].design, "people.csv", "--allow-odd", "--json")
    assert code == 0, err
    told = {"output", "rows", "reports", "repeated", "unread", "earlier", "spent", "design", "guarantee"}
    assert json.loads(out).keys() == told


@pytest.mark.parametrize("inside", [150, 240])
def test_rows_outside_the_range_are_clamped_as_long_as_half_are_inside(inside: int, command: Command) -> None:
    """And nothing that is told depends on how many there are."""
    rows = [*(f"p,{x}" for x in INCOMES[:inside]), *(f"p,{x}987" for x in INCOMES[inside:])]
    Path("people.csv").write_text(lines(rows))
    code, out, err = command(INCOME, "people.csv")
    assert code == 0, err
    Path("others.csv").write_text(incomes(str))
    again = command(INCOME, "others.csv", "--overwrite", "--again")[1]
    sums = r"Run 2 of this survey: who was in the others too has 2 times ε, 1/4,000 per USD\s+\(0.00025\).\n"
    assert re.sub(sums, "", again) == out


def test_a_few_places_at_zero_are_clamped_like_all_outside_the_region(command: Command) -> None:
    Path("people.csv").write_text(lines([*(f"{a},{b}" for a, b in PLACES[3:]), *["0,0"] * 3], "lat,lon"))
    assert command(MAP, "people.csv")[0] == 0
    Path("people.csv").write_text(lines([*(f"{a},{b}" for a, b in PLACES[4:]), *["0,0"] * 4], "lat,lon"))
    assert command(MAP, "people.csv", "--overwrite", "--again")[0] == 2


def test_what_is_written_does_not_hold_the_counts(command: Command) -> None:
    """A run with odd values that are meant leaves the same files as any other."""
    for design, text, odd in ((INCOME, incomes(str), ()), (INCOME, BAD["all above"].text, ("--allow-odd",))):
        Path("people.csv").write_text(text)
        assert command(design, "people.csv", "--overwrite", "--again", *odd)[0] == 0
        written = ["design.json", "people.csv", "reports.parquet", "reports.parquet.manifest"]
        assert sorted(path.name for path in Path().iterdir()) == written
        assert json.loads(Path("reports.parquet.manifest").read_text()).keys() == {"design", "reports", "sha256"}
        assert pq.read_table("reports.parquet").column_names == ["design", "id", "mechanism", "report"]


@pytest.mark.parametrize("few", [1, 3])
def test_few_values_that_lie_close_together_are_not_odd(few: int, command: Command) -> None:
    Path("people.csv").write_text(lines(["p,77"] * few))
    assert command(INCOME, "people.csv")[0] == 0
    Path("people.csv").write_text(lines(["p,77.777", "p,62.333"]))  # but so written they are
    assert command(INCOME, "people.csv", "--overwrite", "--again")[0] == 2


def test_wrong_types_of_columns_are_named(command: Command) -> None:
    pq.write_table(pa.table({"income": [True] * 9}), "people.parquet")
    code, _, err = command(INCOME, "people.parquet")
    assert code == 2
    assert "The column 'income' must hold numbers; it holds bool." in err


def test_columns_of_a_plane_fit_only_when_swapped(tmp_path: Path) -> None:
    source = gp.Source(("x", "y"), (0.0, 100.0), (10.0, 110.0))
    design = Design("plane", (gp.Lattice.calibrate(gp.Plane(), 1.0, step=0.5),), source=source)
    table = pa.table({"x": np.linspace(101.0, 109.0, 50), "y": np.linspace(1.0, 9.0, 50)})
    with pytest.raises(gp.InvalidParameter, match="'x' and 'y' fit the public range only when they are swapped"):
        gp.privatize(design, table, tmp_path / "r.parquet")
    assert gp.privatize(design, table.rename_columns(["y", "x"]), tmp_path / "r.parquet").reports == 50


def test_latitudes_beyond_the_poles_are_known_for_longitudes(tmp_path: Path) -> None:
    tokyo = gp.LocalPlane(south=35.5, west=139.5, north=35.9, east=140.0)
    design = Design("tokyo", (gp.Lattice.calibrate(tokyo, 1e-3, step=150.0),), source=gp.Source(("lat", "lon")))
    table = pa.table({"lat": np.linspace(139.6, 139.9, 50), "lon": np.linspace(35.6, 35.8, 50)})
    with pytest.raises(gp.InvalidParameter, match="only when they are swapped"):
        gp.privatize(design, table, tmp_path / "r.parquet")


def test_values_below_the_floor_of_ratios_are_outside(tmp_path: Path) -> None:
    query = gp.Threshold(1000.0, 0.5, gp.LogLine(2.0, floor=10.0))
    design = Design("ratios", (small_table(query, 2.0),), source=gp.Source(("income",)))
    with pytest.raises(gp.InvalidParameter, match="all values of 'income' lie below the public range of 10 and more"):
        gp.privatize(design, pa.table({"income": [0.5, 3.0]}), tmp_path / "r.parquet")
    assert gp.privatize(design, pa.table({"income": [0.5, 30.0]}), tmp_path / "r.parquet").reports == 2
