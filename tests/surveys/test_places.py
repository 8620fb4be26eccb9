"""Priors from files of public places, and log-normal ones of two axes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import geopriv as gp

MAP = """name = "City"
epsilon = 1.0
per = "500 m"
people = 1_000
space = { kind = "map", columns = ["lat", "lon"], region = { south = 40.5, west = -74.2, north = 40.9, east = -73.7 } }
query = [{ kind = "ball", center = [40.7, -74.0], radius = "2 km" }]
[prior]
"""
PLACES = [(40.6, -74.0, 3.0), (40.8, -73.8, 1.0)]


def prior(tmp_path: Path, table: str, text: str = MAP) -> gp.Prior:
    (tmp_path / "survey.toml").write_text(text + table, encoding="utf-8")
    found = gp.Survey.read(tmp_path / "survey.toml").prior
    assert found is not None
    return found


def box(west: float, south: float, east: float, north: float, **properties: Any) -> dict[str, Any]:
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    return {"type": "Feature", "properties": properties, "geometry": {"type": "Polygon", "coordinates": [ring]}}


def collection(path: Path, *features: dict[str, Any]) -> None:
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}), encoding="utf-8")


def test_points_are_one_prior_from_csv_parquet_and_geojson(tmp_path: Path) -> None:
    lat, lon, n = zip(*PLACES, strict=True)
    table = pa.table({"lat": lat, "lon": lon, "n": n})
    pq.write_table(table, tmp_path / "p.parquet")
    rows = "".join(f"{a},{b},{c}\n" for a, b, c in PLACES)
    (tmp_path / "p.csv").write_text(f"lat,lon,n\n{rows}", encoding="utf-8")
    points = [
        {"type": "Feature", "properties": {"n": c}, "geometry": {"type": "Point", "coordinates": [b, a]}}
        for a, b, c in PLACES
    ]
    collection(tmp_path / "p.geojson", *points)
    found = [
        prior(tmp_path, f'kind = "points"\nfile = "p.{end}"\nweight = "n"\n') for end in ("csv", "parquet", "geojson")
    ]
    assert found[0] == found[1] == found[2]
    assert found[0].weights.tolist() == [0.75, 0.25]
    assert found[0].values.tolist() == [[40.6, -74.0], [40.8, -73.8]]


@pytest.mark.parametrize(
    ("text", "keys", "words"),
    [
        ("lat,lon\n40.6,-74\n", 'columns = ["lat", "x"]\n', ["prior, 'columns'", "which has lat, lon"]),
        ("lat,lon\n40.6,-74\n", 'weight = "n"\n', ["prior, 'weight'", "not 'n'"]),
        ("lat,lon\n-74,40.6\n", "", ["prior, 'file'", "swapped"]),
        ("lat,lon\n50,3\n", "", ["prior, 'file'", "none of these lie there"]),
        ("lat,lon\nx,3\n", "", ["prior, 'file'", "finite numbers"]),
        ("lat,lon,n\n40.6,-74,-1\n", 'weight = "n"\n', ["prior, 'weight'", "at least 0"]),
        ("lat,lon\n", "", ["prior, 'file'", "at least one point"]),
    ],
)
def test_points_that_are_none_get_a_sentence(text: str, keys: str, words: list[str], tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text(text, encoding="utf-8")
    with pytest.raises(gp.InvalidParameter) as caught:
        prior(tmp_path, f'kind = "points"\nfile = "p.csv"\n{keys}')
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_areas_hold_as_many_people_as_they_count_and_evenly(tmp_path: Path) -> None:
    small, large = box(-74.1, 40.6, -74.0, 40.7, people=300), box(-74.0, 40.6, -73.8, 40.7, people=100)
    collection(tmp_path / "a.geojson", small, large)
    counted = prior(tmp_path, 'kind = "areas"\nfile = "a.geojson"\npeople = "people"\n')
    west = counted.values[:, 1] < -74.0
    assert float(counted.weights @ west) == pytest.approx(0.75, abs=0.002)
    assert float(counted.weights[west] @ (counted.values[west, 0] < 40.65)) == pytest.approx(0.375, abs=0.004)
    even = prior(tmp_path, 'kind = "areas"\nfile = "a.geojson"\n')
    assert float(even.weights @ (even.values[:, 1] < -74.0)) == pytest.approx(1 / 3, abs=0.003)


@pytest.mark.parametrize(
    ("feature", "keys", "words"),
    [
        (box(-74.1, 40.6, -74.0, 40.7), 'people = "people"\n', ["prior, 'people'", "every feature"]),
        (box(-74.1, 40.6, -74.0, 40.7, people=-1), 'people = "people"\n', ["prior, 'people'", "at least 0"]),
        ({"type": "Point", "coordinates": [-74, 40.6]}, "", ["prior, 'file'", "feature 1"]),
        (box(3.0, 50.0, 4.0, 51.0), "", ["prior, 'file'"]),
    ],
)
def test_areas_that_are_none_get_a_sentence(
    feature: dict[str, Any], keys: str, words: list[str], tmp_path: Path
) -> None:
    collection(tmp_path / "a.geojson", feature)
    with pytest.raises(gp.InvalidParameter) as caught:
        prior(tmp_path, f'kind = "areas"\nfile = "a.geojson"\n{keys}')
    assert all(word in str(caught.value) for word in words), str(caught.value)


PLANE = """name = "Debts"
epsilon = 1.0
per = "10 USD"
people = 1_000
space = { kind = "plane", unit = "USD", range = [[0, 1_000], [0, 2_000]] }
query = [{ kind = "orthant", at = [50, 80] }]
[prior]
kind = "lognormal"
"""


def test_a_lognormal_law_of_two_axes_has_its_medians_and_its_correlation(tmp_path: Path) -> None:
    found = prior(tmp_path, "median = [50, 80]\nsigma = [0.5, 0.7]\ncorrelation = 0.4\n", PLANE)
    logs = np.log(found.values)
    assert np.median(found.values, axis=0) == pytest.approx([50, 80], rel=0.01)
    assert logs.std(axis=0) == pytest.approx([0.5, 0.7], rel=0.02)
    assert np.corrcoef(logs.T)[0, 1] == pytest.approx(0.4, abs=0.02)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("median = 50\nsigma = [0.5, 0.7]\n", ["prior, 'median'", "a list of 2 numbers"]),
        ("median = [50, 80]\nsigma = [0.5, -1]\n", ["prior, 'sigma'", "above 0"]),
        ("median = [50, 80]\nsigma = [0.5, 1]\ncorrelation = 1\n", ["prior, 'correlation'", "between -1 and 1"]),
    ],
)
def test_a_lognormal_law_that_does_not_fit_gets_a_sentence(table: str, words: list[str], tmp_path: Path) -> None:
    with pytest.raises(gp.InvalidParameter) as caught:
        prior(tmp_path, table, PLANE)
    assert all(word in str(caught.value) for word in words), str(caught.value)
