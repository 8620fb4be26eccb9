"""`geopriv export`: files that other programs read, with the numbers of the page."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import geopandas
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
import shapely
from PIL import Image
from pyproj import CRS, Transformer

import geopriv as gp
from geopriv.answers.exports import exported
from geopriv.commands.cli import main
from geopriv.pages.density import Density
from tests.answered import HASH, answer, city, incomes

Run = Callable[..., tuple[int, bytes, str]]
ANSWERS, SIDE = city(people=20_000, side=7), 7
CHART = "Where people were"


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    """Runs the command line in this process, in a folder with estimates."""
    monkeypatch.chdir(tmp_path)
    ANSWERS.write("estimates.json")
    incomes(people=2_000).write("incomes.json")
    Path("survey.toml").write_text('name = "Incomes"\nepsilon = 1.0\n', encoding="utf-8")

    def run_here(*arguments: str) -> tuple[int, bytes, str]:
        monkeypatch.setattr(sys, "argv", ["geopriv", "export", *arguments])
        with pytest.raises(SystemExit) as done:
            main()
        out, error = capfdbinary.readouterr()
        return int(done.value.code or 0), out, error.decode()

    return run_here


def same(found: pd.DataFrame) -> None:
    """Numbers of another program's table are those of the rows, which are the page's (tests/answers/test_rows.py)."""
    rows = ANSWERS.to_pandas()
    assert len(found) == len(rows)
    for name in ("value", "standard_error", "low", "high", "band_low", "longitude", "latitude"):
        np.testing.assert_array_equal(found[name].to_numpy(dtype=float), rows[name].to_numpy(dtype=float))
    assert found["unit"].tolist() == rows["unit"].tolist()


def test_csv_is_read_by_pandas_and_duckdb(command: Run) -> None:
    assert command("estimates.json", "-o", "answers.csv")[0] == 0
    same(pd.read_csv("answers.csv"))
    same(duckdb.sql("SELECT * FROM read_csv('answers.csv')").df())
    assert Path("answers.csv").read_bytes().decode("utf-8").splitlines()[0].startswith('"question","kind","group"')


def test_parquet_is_read_by_pandas_and_by_geopandas_with_areas(command: Run) -> None:
    assert command("estimates.json", "-o", "answers.parquet")[0] == 0
    same(pd.read_parquet("answers.parquet"))
    frame = geopandas.read_parquet("answers.parquet")
    assert frame.crs == CRS("OGC:CRS84")
    ours = ANSWERS.to_geopandas()
    assert shapely.equals(frame.geometry.to_numpy(), ours.geometry.to_numpy()).all()
    same(duckdb.sql("SELECT * EXCLUDE geometry FROM read_parquet('answers.parquet')").df())
    assert json.loads(pq.read_metadata("answers.parquet").metadata[b"geopriv.answers"])["design"] == HASH


def test_geojson_is_read_by_gdal(command: Run) -> None:
    assert command("estimates.json", "-o", "answers.geojson", "--question", CHART)[0] == 0
    frame = geopandas.read_file("answers.geojson", engine="pyogrio")
    assert len(frame) == SIDE**2
    np.testing.assert_array_equal(frame["value"], Density.of(ANSWERS[CHART]).values.ravel())


def test_a_geotiff_holds_the_densities_where_they_are(command: Run) -> None:
    assert command("estimates.json", "-o", "map.tif")[0] == 0
    page, rows = Density.of(ANSWERS[CHART]), ANSWERS.to_arrow(CHART).to_pandas()
    with Image.open("map.tif") as image:
        tags: Any = image.tag_v2  # type: ignore[attr-defined] # of a TIFF
        assert image.n_frames == 4  # type: ignore[attr-defined]
        pages = []
        for k in range(4):
            image.seek(k)
            pages.append(np.asarray(image))
        keys = np.reshape(tags[34735][4:], (-1, 4))
        doubles, scale, tie = tags[34736], tags[33550], tags[33922]
    for read, said in zip(pages, (page.values, page.errors, page.band.low, page.band.high), strict=True):
        np.testing.assert_allclose(read[::-1].T, said, rtol=1e-6)
    found = {key: doubles[value] if where == 34736 else value for key, where, _, value in keys.tolist()}
    assert (found[1024], found[1025], found[3075]) == (1, 2, 21)
    assert keys[:, 0].tolist() == sorted(keys[:, 0])
    # PROJ's own orthographic projection puts every place of the rows on the middle of its pixel
    sphere = f"+R={found[2057]} +type=crs"
    onto = f"+proj=ortho +lat_0={found[3089]} +lon_0={found[3088]} +units=m {sphere}"
    east, north = Transformer.from_crs(f"+proj=longlat {sphere}", onto, always_xy=True).transform(
        rows.longitude.to_numpy(), rows.latitude.to_numpy()
    )
    columns, lines = (east - tie[3]) / scale[0], (tie[4] - north) / scale[1]
    np.testing.assert_allclose(columns, np.repeat(np.arange(SIDE), SIDE), atol=1e-6)
    np.testing.assert_allclose(lines, np.tile(np.arange(SIDE)[::-1], SIDE), atol=1e-6)


def test_a_map_in_a_plane_has_no_projection(tmp_path: Path) -> None:
    chart = gp.DensityMap("room", 1.0, (0.0, 0.0), (4.0, 2.0), gp.Plane("km"), columns=3, rows=2)
    found = answer(chart, np.arange(6).reshape(3, 2), np.ones((3, 2)), 10)
    whole = gp.Answers("one", HASH, gp.Guarantee(1.0, unit="km"), chart.space, (found,), 10)
    (tmp_path / "room.tif").write_bytes(exported(whole, ".tif"))
    with Image.open(tmp_path / "room.tif") as image:
        tags: Any = image.tag_v2  # type: ignore[attr-defined] # of a TIFF
        assert tags[33550][:2] == (2000.0, 2000.0)
        assert 34736 not in tags
    assert b"geo" in pq.read_schema(io.BytesIO(exported(whole, ".parquet"))).metadata


def test_a_picture_is_the_same_each_time(command: Run) -> None:
    assert command("incomes.json", "-o", "one.png", "--question", "Above 100,000 USD")[0] == 0
    first = Path("one.png").read_bytes()
    assert first.startswith(b"\x89PNG")
    assert command("incomes.json", "-o", "one.png", "--question", "Above 100,000 USD")[0] == 0
    assert Path("one.png").read_bytes() == first


def test_text_goes_to_standard_output(command: Run) -> None:
    code, out, error = command("estimates.json", "-o", "-", "--question", "Harbour")
    (row,) = csv.DictReader(io.StringIO(out.decode("utf-8")))
    assert (code, error, row["question"], row["unit"]) == (0, "", "Harbour", "%")
    code, out, _ = command("estimates.json", "-o", "-", "--as", "geojson", "--question", "Harbour")
    assert (code, json.loads(out)["type"]) == (0, "FeatureCollection")


def test_estimates_come_through_a_pipe(command: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    piped = SimpleNamespace(buffer=io.BytesIO(Path("estimates.json").read_bytes()), closed=False, isatty=lambda: False)
    monkeypatch.setattr(sys, "stdin", piped)
    assert command("-", "-o", "piped.csv")[0] == 0
    same(pd.read_csv("piped.csv"))


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("estimates.json", "-o", "answers.xlsx"), "files of .csv, .geojson, .parquet, .tif, .png, not of .xlsx"),
        (("estimates.json", "-o", "answers"), "not of no form"),
        (("estimates.json", "-o", "a.csv", "--question", "Harbor"), "Did you mean 'Harbour'"),
        (("incomes.json", "-o", "a.geojson"), "about an area or a map"),
        (("incomes.json", "-o", "a.tif"), "holds one map, and none of these answers is one"),
        (("estimates.json", "-o", "a.tif", "--question", "Harbour"), "that of a map"),
        (("estimates.json", "-o", "-", "--as", "png"), "csv or geojson, which are texts"),
        (("estimates.json", "-o", "a.csv", "--as", "csv"), "given with -o -"),
        (("estimates.json", "-o", "incomes.json"), "would replace"),
        (("nothing.json", "-o", "a.csv"), "No such file"),
        (("survey.toml", "-o", "a.csv"), "holds a survey (geopriv plan makes a design of it)"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(command: Run, arguments: tuple[str, ...], word: str) -> None:
    code, out, error = command(*arguments)
    assert (code, out) == (2, b"")
    assert word in error
    assert len(error.strip().splitlines()) == 1


def test_only_exports_are_replaced(command: Run) -> None:
    for name in ("a.csv", "a.geojson", "a.parquet", "a.tif"):
        assert command("estimates.json", "-o", name)[0] == 0
        assert command("estimates.json", "-o", name)[0] == 0
        Path(name).write_text("people of my own")
        code, _, error = command("estimates.json", "-o", name)
        assert code == 2
        assert "would replace" in error
