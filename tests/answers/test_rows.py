"""Answers as rows, data frames and GeoJSON: the numbers of the page, with their places, errors and units."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

import geopandas
import numpy as np
import pyarrow as pa
import pytest
import shapely

import geopriv as gp
from geopriv.answers.features import geojson
from geopriv.answers.rows import MARK, shapes_of, table_of
from geopriv.pages.density import Density
from tests.answered import FENCES, HASH, answer, city, incomes

SIDE = 7
ANSWERS = city(people=20_000, side=SIDE)
PACIFIC = gp.LocalPlane(-20.0, 175.0, -15.0, -177.0)


def one(question: gp.queries.Question, values: Any, errors: Any) -> gp.Answers:
    """Answers to a single question."""
    found = answer(question, values, errors, 1_000)
    return gp.Answers("one", HASH, gp.Guarantee(1e-3, unit="m"), question.space, (found,), 1_000)


def test_shares_are_in_percent_with_all_of_their_intervals() -> None:
    found = incomes(people=2_000)
    share = found.answers[0]
    held = replace(share, plain=gp.answers.Band(np.asarray(0.4), np.asarray(0.5)))
    row = table_of(replace(found, answers=(held, *found.answers[1:]))).to_pylist()[0]
    assert row["question"] == share.question.name
    assert (row["kind"], row["unit"], row["threshold"]) == ("share", "%", 100_000.0)
    assert row["value"] == 100 * float(share.estimates.values)
    assert (row["low"], row["high"]) == (100 * float(share.estimates.low), 100 * float(share.estimates.high))
    assert (row["plain_low"], row["plain_high"], row["band_low"]) == (40.0, 50.0, None)
    assert (row["n"], row["unbiased"], row["asked_after"], row["group"]) == (2_000, False, False, None)


def test_a_curve_has_a_row_for_each_threshold_with_its_band() -> None:
    found = incomes(people=2_000)
    curve = found.answers[3]
    rows = table_of(found, [curve.question.name])
    assert rows.num_rows == 60
    assert rows["threshold"].to_pylist() == list(curve.question.at)  # type: ignore[attr-defined] # a Distribution
    assert curve.band is not None
    np.testing.assert_array_equal(rows["band_high"].to_numpy(), 100 * curve.band.high)


def test_intervals_that_rest_on_few_reports_are_marked() -> None:
    question = gp.DensityMap("reefs", 50_000.0, (-2e5, -1e5), (2e5, 1e5), PACIFIC, columns=2, rows=2)
    errors = np.array([[0.0, 1e-5], [0.009, 0.02]])
    whole = one(question, np.full((2, 2), 0.1), errors)
    told = replace(whole, answers=(replace(whole.answers[0], leverage=0.003),))
    assert whole.to_arrow()["thin"].to_pylist() == [False] * 4  # nothing is known of what a report can add
    assert told.to_arrow()["thin"].to_pylist() == [True, True, True, False]  # √10 · 0.003 = 0.0095
    assert [each["properties"]["thin"] for each in geojson(told)["features"]] == [True, True, True, False]


def test_maps_have_densities_in_the_unit_of_the_page_and_places_in_degrees() -> None:
    (chart,) = (found for found in ANSWERS.answers if found.question.form == "density map")
    rows, page = ANSWERS.to_arrow("Where people were"), Density.of(chart)
    assert rows["unit"].unique().to_pylist() == [f"% of people per {page.square}"]
    np.testing.assert_array_equal(rows["value"].to_numpy(), page.values.ravel())
    np.testing.assert_array_equal(rows["standard_error"].to_numpy(), page.errors.ravel())
    np.testing.assert_array_equal(rows["band_low"].to_numpy(), page.band.low.ravel())
    places = np.stack([rows["latitude"].to_numpy(), rows["longitude"].to_numpy()], axis=-1)
    x, y = page.question.axes
    np.testing.assert_allclose(
        page.question.space.read(places), np.stack(np.meshgrid(x, y, indexing="ij"), -1).reshape(-1, 2), atol=1e-6
    )


def test_a_frame_of_geopandas_holds_areas_and_cells_in_degrees() -> None:
    frame = ANSWERS.to_geopandas()
    assert frame.crs.to_epsg() == 4326
    assert len(frame) == len(FENCES) + SIDE**2
    for name, corners in FENCES.items():
        (area,) = frame.geometry[frame.question == name]
        assert shapely.hausdorff_distance(area, shapely.Polygon(corners)) < 1e-9
    cells = frame[frame.kind == "density map"]
    middles = shapely.points(cells.longitude, cells.latitude)
    assert shapely.contains(cells.geometry.to_numpy(), middles).all()
    # cells cover the map without overlap
    whole = shapely.union_all(cells.geometry.to_numpy())
    assert abs(shapely.area(cells.geometry.to_numpy()).sum() / whole.area - 1) < 1e-6


def test_geojson_goes_through_gdal_and_comes_back_the_same(tmp_path: Path) -> None:
    (tmp_path / "map.geojson").write_text(json.dumps(geojson(ANSWERS), allow_nan=False), encoding="utf-8")
    read, frame = geopandas.read_file(tmp_path / "map.geojson", engine="pyogrio"), ANSWERS.to_geopandas()
    assert read.crs.to_epsg() == 4326
    np.testing.assert_array_equal(read["value"], frame["value"])
    assert read["question"].tolist() == frame["question"].tolist()
    assert shapely.hausdorff_distance(read.geometry.to_numpy(), frame.geometry.to_numpy()).max() < 1e-7


def test_geojson_has_rings_counterclockwise_and_null_for_an_infinite_error() -> None:
    plane = gp.LocalPlane(40.5, -74.3, 40.95, -73.65)
    corners = FENCES["Harbour"][::-1]
    assert not shapely.is_ccw(shapely.LinearRing(corners))
    share = gp.Share("near", gp.Geofence(shapely.Polygon(corners), 500.0, plane))
    document = geojson(one(share, 0.5, np.inf))
    json.dumps(document, allow_nan=False)
    (feature,) = document["features"]
    assert shapely.is_ccw(shapely.LinearRing(feature["geometry"]["coordinates"][0]))
    assert feature["properties"]["standard_error"] is None


def test_a_map_across_the_antimeridian_is_cut_there() -> None:
    chart = gp.DensityMap("reefs", 50_000.0, (-2e5, -1e5), (2e5, 1e5), PACIFIC, columns=4, rows=2)
    found = one(chart, np.ones((4, 2)), np.ones((4, 2)))
    bounds = np.array([shapely.bounds(shape) for shape in shapes_of(found)])
    assert bounds[:, 0].min() >= -180
    assert bounds[:, 2].max() <= 180
    # the middle of the region is at 179 degrees: some cells are in two parts, and none is as wide as the globe
    kinds = [shape.geom_type for shape in shapes_of(found) if shape is not None]
    assert {"Polygon", "MultiPolygon"} == set(kinds)
    areas = np.array([shape.area for shape in shapes_of(found) if shape is not None])
    assert areas.max() / areas.min() < 1.1
    document = geojson(found)
    assert {feature["geometry"]["type"] for feature in document["features"]} == {"Polygon", "MultiPolygon"}


def test_a_plane_keeps_its_unit_and_has_no_geojson() -> None:
    chart = gp.DensityMap("room", 1.0, (0.0, 0.0), (4.0, 2.0), gp.Plane("m"), columns=3, rows=2)
    found = one(chart, np.ones((3, 2)), np.ones((3, 2)))
    frame = found.to_geopandas()
    assert frame.crs is None
    assert frame.geometry.iloc[0].bounds == (-1.0, -1.0, 1.0, 1.0)
    assert (frame.x.tolist(), frame.y.tolist()) == ([0, 0, 2, 2, 4, 4], [0, 2] * 3)
    with pytest.raises(gp.InvalidParameter, match="degrees"):
        geojson(found)


def test_rows_of_groups_stand_behind_those_of_all() -> None:
    group = replace(ANSWERS, answers=ANSWERS.answers[:1], n=7)
    rows = table_of(replace(ANSWERS, groups={"Kings": group})).to_pandas()
    assert rows.group.isna().sum() == len(rows) - 1
    assert rows.iloc[-1].group == "Kings"
    assert rows.iloc[-1].question == "Old town"


def test_questions_are_picked_by_name_and_a_wrong_name_says_which_there_are() -> None:
    assert ANSWERS.to_arrow("Harbour")["question"].to_pylist() == ["Harbour"]
    with pytest.raises(KeyError, match="Did you mean 'Harbour'"):
        ANSWERS.to_arrow("Harbor")


def test_the_table_says_where_it_is_from() -> None:
    note = json.loads(ANSWERS.to_arrow().schema.metadata[MARK])
    assert (note["survey"], note["design"], note["n"]) == ("A made-up city", HASH, 20_000)
    assert isinstance(ANSWERS.to_arrow(), pa.Table)


def test_what_is_about_no_area_has_no_geometry() -> None:
    with pytest.raises(gp.InvalidParameter, match="about an area or a map"):
        incomes(people=2_000).to_geopandas()


@pytest.mark.parametrize(("package", "method"), [("pandas", "to_pandas"), ("geopandas", "to_geopandas")])
def test_a_package_that_is_absent_is_named(package: str, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Without(PathFinder):
        @classmethod
        def find_spec(cls, name: str, *rest: Any) -> Any:
            return None if name == package else PathFinder.find_spec(name, *rest)

    monkeypatch.delitem(sys.modules, package)
    monkeypatch.setattr(sys, "meta_path", [each for each in sys.meta_path if each is not PathFinder] + [Without])
    with pytest.raises(gp.Unavailable, match=f"pip install {package}"):
        getattr(ANSWERS, method)()


def test_points_on_a_map_are_places_again() -> None:
    points = np.array([[0.0, 0.0], [12_345.0, -23_456.0], [4e6, 1e6]])
    for space in (PACIFIC, gp.LocalPlane(60.0, 10.0, 80.0, 30.0)):
        places = space.unproject(points)
        np.testing.assert_allclose(space.project(places), points, atol=1e-6)
    for bad in ([1.0, 2.0, 3.0], [[7e6, 0.0]], [np.nan, 0.0]):
        with pytest.raises(gp.InvalidParameter, match="metres east"):
            PACIFIC.unproject(bad)
