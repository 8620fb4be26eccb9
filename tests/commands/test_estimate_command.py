"""`geopriv estimate`, as a person would run it."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

import geopriv as gp
from geopriv.commands import streams
from geopriv.commands.cli import main
from geopriv.reports.files import ReportBatch, write_reports
from tests.answers.test_answers import SCHEMA
from tests.answers.test_groups import counted, design
from tests.answers.test_survey_estimates import (
    ABOVE,
    CURVE,
    incomes,
    lattice_design,
)
from tests.commands.test_cli import run
from tests.structure import errors_of

Run = Callable[..., tuple[int, str, str]]
DESIGN = lattice_design(ABOVE, CURVE)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A design, and 3,000 reports to it in two files of a folder."""
    DESIGN.write(tmp_path / "design.json")
    (tmp_path / "reports").mkdir()
    rows = DESIGN.mechanisms[0].simulate(incomes(3000), np.random.default_rng(2)).values.astype(np.int64)[:, None]
    write_reports(tmp_path / "reports" / "a.parquet", DESIGN, [ReportBatch(0, rows[:1000])])
    write_reports(tmp_path / "reports" / "b.ndjson", DESIGN, [ReportBatch(0, rows[1000:])])
    return tmp_path


@pytest.fixture
def command(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command line in this process: exit code, standard output and standard error."""
    monkeypatch.chdir(folder)

    def run_here(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["geopriv", *arguments])
        with pytest.raises(SystemExit) as done:
            main()
        code = done.value.code or 0
        return int(code), *capsys.readouterr()

    return run_here


def test_answers_are_printed_and_written(folder: Path) -> None:
    done = run("estimate", "design.json", "reports", "--no-page", "--consistent", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("above 100,000: counting people within ")
    assert "3,000 reports counted, none rejected" in done.stdout
    assert "Written: estimates.json" in done.stderr
    assert gp.Answers.read(folder / "estimates.json")["distribution"].consistent is not None


def test_groups_are_answered_by_the_command(folder: Path, command: Run) -> None:
    made = design()
    made.write(folder / "groups.json")
    counted(made, 1).write(folder / "t.parquet")
    arguments = ("estimate", "groups.json", "--no-page", "--json", "--add-tally")
    code, out, _ = command(*arguments, "t.parquet", "--simultaneous")
    document = json.loads(out)
    assert (code, document["weighted"], document["simultaneous"]) == (0, True, True)
    assert [group["name"] for group in document["groups"]] == ["Kings", "Queens", "New York"]
    code, out, _ = command(*arguments, "t.parquet", "--unweighted", "-o", "other.json")
    assert (code, json.loads(out)["weighted"]) == (0, False)
    counted(made, 1, (200, 700, 1)).write(folder / "few.parquet")
    code, _, said = command(*arguments, "few.parquet", "-o", "few.json")
    assert code != 0
    assert "--unweighted" in said
    assert not (folder / "few.json").exists()


def test_a_tally_and_the_other_reports_give_the_same_bytes(folder: Path, command: Run) -> None:
    assert command("estimate", "design.json", "reports", "--no-page", "-o", "whole.json")[0] == 0
    assert command("estimate", "design.json", "reports/a.parquet", "--no-page", "--tally", "a.parquet")[0] == 0
    arguments = ("reports/b.ndjson", "--add-tally", "a.parquet", "--no-page", "--json", "-o", "again.json")
    code, out, _ = command("estimate", "design.json", *arguments)
    assert code == 0
    assert (folder / "again.json").read_bytes() == (folder / "whole.json").read_bytes()
    document = json.loads(out)
    assert document == gp.Answers.read(folder / "whole.json").to_document()
    assert errors_of(SCHEMA, document) == []
    assert document["answers"][1]["soft"]["consistent"] is None


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("none.json", "reports"), "none.json"),
        (("design.json", "none.parquet"), "none.parquet"),
        (("design.json", "empty"), "empty"),
        (("reports/a.parquet", "reports"), "design"),
        (("design.json", "design.json"), "holds a design"),
        (("design.json", "other.parquet"), "5 wrong design"),
        (("design.json", "reports", "--confidence", "95"), "confidence"),
        (("design.json", "reports", "--tally", "tally.txt"), ".parquet"),
        (("design.json", "--add-tally", "reports/a.parquet"), "holds reports"),
        (("design.json", "reports", "--outline", "coast.geojson"), "asks for a map"),
        (("map.json", "reports", "--outline", "design.json"), "GeoJSON"),
        (("design.json", "reports", "-o", "no/such/folder/x.json"), "no/such/folder"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(
    folder: Path, command: Run, arguments: tuple[str, ...], word: str
) -> None:
    (folder / "empty").mkdir()
    map_design().write(folder / "map.json")
    other = lattice_design(CURVE)
    write_reports(folder / "other.parquet", other, [ReportBatch(0, np.zeros((5, 1), dtype=np.int64))])
    code, out, error = command("estimate", *arguments, "--no-page")
    assert code == 2
    assert word in error
    assert len(error.strip().splitlines()) == 1
    assert not out


@pytest.mark.parametrize("name", ["people.parquet", "people.csv"])
def test_people_in_place_of_reports_are_told_as_such(name: str, folder: Path, command: Run) -> None:
    replace(DESIGN, source=gp.Source(("income",), (0.0,), (1e6,))).write(folder / "design.json")
    people = pa.table({"who": ["p"] * 3, "income": [51_234.0, 62_345.0, 73_456.0]})
    pq.write_table(people, folder / "people.parquet")
    pacsv.write_csv(people, folder / "people.csv")
    code, out, error = command("estimate", "design.json", name, "--no-page")
    assert (code, out) == (2, "")
    assert f"These look like people, not reports: the file {name} has 'income'" in error
    assert "234" not in error


@pytest.mark.parametrize(
    ("foreign", "words", "code"),
    [(30, (), 0), (31, (), 1), (31, ("--allow-rejected", "2%"), 0), (9_000, ("--allow-rejected", "0.5"), 1)],
)
def test_reports_of_another_design_stop_it_from_one_in_a_hundred_on(
    foreign: int, words: tuple[str, ...], code: int, folder: Path, command: Run
) -> None:
    other = lattice_design(CURVE)
    write_reports(folder / "other.ndjson", other, [ReportBatch(0, np.zeros((foreign, 1), dtype=np.int64))])
    for name in ("estimate", "ask"):
        if name == "ask":
            (folder / "new.toml").write_text('[[query]]\nkind = "threshold"\nat = 90000\n')
            words = ("new.toml", *words)
        found, out, error = command(name, "design.json", "reports", "other.ndjson", *words, "--no-page", "-o", "e.json")
        assert found == code, error
        assert (folder / "e.json").exists() == (code == 0)
        if code:
            share = "1 %" if "--allow-rejected" not in words else "50 %"
            assert out == ""
            assert f"{foreign:,} of the {3_000 + foreign:,} rows are no reports to this design ({foreign:,} w" in error
            assert f"more than the {share} that --allow-rejected allows: nothing was written" in error
        else:
            (folder / "e.json").unlink()


def test_repeated_reports_stop_nothing(folder: Path, command: Run) -> None:
    assert command("estimate", "design.json", "reports", "reports/b.ndjson", "--no-page")[0] == 0


@pytest.mark.parametrize("name", ["/dev/zero", "/dev/null", "link"])
@pytest.mark.parametrize("engine", ["arrow", "duckdb"])
def test_a_device_is_no_file_of_reports(name: str, engine: str, folder: Path, command: Run) -> None:
    (folder / "link").symlink_to("/dev/zero")
    code, out, error = command("estimate", "design.json", name, "--no-page", "--engine", engine)
    assert (code, out) == (2, "")
    assert f"no devices. Got '{name}' instead" in error


@pytest.mark.parametrize("named", [False, True])
def test_a_pipe_that_brings_nothing_is_an_error_and_one_that_brings_reports_is_read(
    named: bool, folder: Path, command: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "_PATIENCE", 0.3)
    data = (folder / "reports" / "b.ndjson").read_bytes()
    for silent in (True, False):
        if named:
            (folder / "pipe").unlink(missing_ok=True)
            os.mkfifo(folder / "pipe")
            end = os.open(folder / "pipe", os.O_RDWR)
        else:
            start, end = os.pipe()
            given = os.fdopen(start)
            monkeypatch.setattr(sys, "stdin", given)

        def write(end: int = end, silent: bool = silent) -> None:
            for at in range(0, 1_000 if silent else len(data), 1_000):
                os.write(end, data[at : at + 1_000])
            if not silent:
                time.sleep(0.1)  # or there is no writer when the reader comes
                os.close(end)

        thread = threading.Thread(target=write)
        thread.start()
        code, _, error = command("estimate", "design.json", "pipe" if named else "-", "--no-page", "-o", "e.json")
        thread.join()
        if not named:
            given.close()
        if silent:
            assert (code, (folder / "e.json").exists()) == (2, False)
            assert "Nothing came through the pipe for 0.3 seconds" in error
            os.close(end)
        else:
            assert code == 0, error
            assert gp.Answers.read(folder / "e.json").n == 2_000


def map_design() -> gp.Design:
    plane = gp.Plane("m")
    chart = gp.DensityMap("map", 5.0, (0, 0), (10, 10), plane, columns=2, rows=2)
    return gp.Design("map", (gp.Lattice.calibrate(plane, 1.0),), questions=(chart,))


def test_help_shows_examples(command: Run) -> None:
    code, out, _ = command("estimate", "--help")
    assert code == 0
    assert "Examples" in out


def test_an_outline_that_cannot_be_drawn_is_refused_before_anything_is_written(folder: Path, command: Run) -> None:
    map_design().write(folder / "map.json")
    (folder / "point.geojson").write_text('{"type": "Point", "coordinates": [0.0, 0.0]}', encoding="utf-8")
    code, _, said = command("estimate", "map.json", "reports", "--outline", "point.geojson", "-o", "new.json")
    assert code == 2
    assert "polygons or lines" in said
    assert not (folder / "new.json").exists()


def test_the_page_is_written_with_an_outline(folder: Path, command: Run) -> None:
    coast = {"type": "Feature", "properties": {}, "geometry": {"type": "LineString", "coordinates": [[0, 0], [1, 1]]}}
    (folder / "coast.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": [coast]}))
    map_design().write(folder / "map.json")
    write_reports(folder / "map.parquet", map_design(), [ReportBatch(0, np.zeros((5, 2), dtype=np.int64))])
    arguments = ("map.json", "map.parquet", "--page", "page.html", "--outline", "coast.geojson")
    code, _, error = command("estimate", *arguments)
    assert code == 0
    assert "Written: estimates.json, page.html" in error
    text = (folder / "page.html").read_text(encoding="utf-8")
    assert map_design().hash in text
    assert 'class="outline"' in text
