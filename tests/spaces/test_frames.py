"""Tables where an array is: the same numbers whichever package holds them, and clear refusals that hold no value."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from shapely import LineString, Point

import geopriv as gp
from geopriv.spaces.frames import as_array
from tests.test_imports import python

LINE, EARTH, PLANE = gp.Line("USD"), gp.Earth(), gp.Plane("m")
CITY = gp.LocalPlane(south=40.5, west=-74.3, north=40.95, east=-73.65)
PLACES = np.array([(40.7, -74.0), (40.8, -73.9), (40.6, -74.1)])
INCOMES = np.array([12_000.0, 98_000.5, 250_000.0])
SECRET = "31415.9265"  # a private value: no message may hold it

SERIES: dict[str, Callable[[Any], Any]] = {
    "pandas series": pd.Series,
    "pandas series with an index": lambda v: pd.Series(v, index=[7, 7, 9][: len(v)]),
    "pandas nullable": lambda v: pd.Series(v, dtype="Float64"),
    "pandas of Arrow": lambda v: pd.Series(v, dtype="float64[pyarrow]"),
    "pandas of objects": lambda v: pd.Series(list(v), dtype=object),
    "pandas of decimals": lambda v: pd.Series([Decimal(str(x)) for x in v], dtype=object),
    "pandas index": pd.Index,
    "pandas frame": lambda v: pd.DataFrame({"income": v}, index=[5, 6, 7][: len(v)]),
    "polars series": pl.Series,
    "polars frame": lambda v: pl.DataFrame({"income": v}),
    "arrow array": pa.array,
    "arrow chunks": lambda v: pa.chunked_array([pa.array(v[:1]), pa.array(v[1:])]),
    "arrow table": lambda v: pa.table({"income": v}),
    "arrow batch": lambda v: pa.record_batch({"income": pa.array(v)}),
}
FRAMES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "arrow table": pa.table,
    "arrow batch": lambda columns: pa.record_batch({name: pa.array(column) for name, column in columns.items()}),
}
TEXT: dict[str, Any] = {
    "pandas text": pd.Series([SECRET]),
    "pandas mixed": pd.Series([1.0, SECRET], dtype=object),
    "pandas category of text": pd.Series([SECRET], dtype="category"),
    "pandas category of numbers": pd.Series([float(SECRET)], dtype="category"),
    "pandas truth": pd.Series([True]),
    "pandas dates": pd.Series(pd.to_datetime(["2020-01-01"])),
    "pandas complex": pd.Series([complex(SECRET)]),
    "polars text": pl.Series([SECRET]),
    "polars category": pl.Series([SECRET], dtype=pl.Categorical),
    "polars lists": pl.Series([[float(SECRET)]]),
    "polars truth": pl.Series([True]),
    "polars objects": pl.Series([complex(SECRET)], dtype=pl.Object),
    "arrow text": pa.array([SECRET]),
    "arrow dictionary": pa.array([float(SECRET)]).dictionary_encode(),
    "arrow dates": pa.array([1], pa.timestamp("s")),
}
GAPS: dict[str, Any] = {
    "pandas not-a-number": pd.Series([1.0, np.nan]),
    "pandas nullable": pd.Series([1, None], dtype="Int64"),
    "pandas none": pd.Series([1.0, None], dtype=object),
    "pandas of Arrow": pd.Series([1, None], dtype="int64[pyarrow]"),
    "polars": pl.Series([1, None]),
    "arrow": pa.array([1, None]),
    "arrow all": pa.array([None]),
}


def points(crs: int | None = 4326, **columns: Any) -> Any:
    """PLACES as GeoPandas points in a CRS."""
    frame = gpd.GeoDataFrame(columns, geometry=gpd.points_from_xy(PLACES[:, 1], PLACES[:, 0]), crs=4326)
    return frame.set_crs(None, allow_override=True) if crs is None else frame.to_crs(crs)


def refusal(read: Callable[[], Any], error: type[Exception] = gp.OutOfDomain) -> str:
    """The sentence of a refusal; neither it nor what led to it holds a value."""
    with pytest.raises(error) as caught:
        read()
    assert SECRET[:7] not in "".join(traceback.format_exception(caught.value))
    return str(caught.value)


@pytest.mark.parametrize("make", SERIES.values(), ids=SERIES)
def test_a_column_is_read_as_its_numbers(make: Callable[[Any], Any]) -> None:
    np.testing.assert_array_equal(LINE.read(make(INCOMES)), INCOMES)
    np.testing.assert_array_equal(gp.Euclidean(1).read(make(INCOMES)), INCOMES[:, None])


@pytest.mark.parametrize("make", SERIES.values(), ids=SERIES)
def test_an_empty_column_is_no_values(make: Callable[[Any], Any]) -> None:
    assert LINE.read(make(INCOMES[:0])).shape == (0,)


@pytest.mark.parametrize("whole", ["int8", "uint64", "Int32", "int64[pyarrow]"])
def test_whole_numbers_of_every_type_are_read(whole: str) -> None:
    np.testing.assert_array_equal(LINE.read(pd.Series([1, 2, 3], dtype=whole)), [1.0, 2.0, 3.0])


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("names", [("lat", "lon"), ("Latitude", "Longitude"), ("LAT", "lng"), ("y", "x")])
@pytest.mark.parametrize("space", [EARTH, CITY], ids=["earth", "city"])
def test_columns_of_places_are_found_by_name_in_either_order(
    make: Callable[[dict[str, Any]], Any], names: tuple[str, str], space: gp.spaces.Space
) -> None:
    columns = dict(zip(names, PLACES.T.copy(), strict=True))
    for order in (names, names[::-1]):
        frame = make({name: columns[name] for name in order})
        np.testing.assert_array_equal(space.read(frame), space.read(PLACES))


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_columns_of_other_names_are_taken_in_order(make: Callable[[dict[str, Any]], Any]) -> None:
    frame = make({"north": PLACES[:, 0].copy(), "east": PLACES[:, 1].copy()})
    np.testing.assert_array_equal(EARTH.read(frame), PLACES)
    np.testing.assert_array_equal(PLANE.read(frame), PLACES)
    three = make({"a": INCOMES, "y": 2 * INCOMES, "x": 3 * INCOMES})
    np.testing.assert_array_equal(gp.Euclidean(3).read(three), np.outer(INCOMES, [1, 2, 3]))


def test_x_and_y_are_found_by_name_on_a_plane() -> None:
    frame = pd.DataFrame({"y": [2.0], "x": [1.0]})
    np.testing.assert_array_equal(PLANE.read(frame), [(1.0, 2.0)])


def test_one_known_name_must_stand_where_it_should() -> None:
    frame = pd.DataFrame({"latitude": PLACES[:, 0], "where": PLACES[:, 1]})
    np.testing.assert_array_equal(EARTH.read(frame), PLACES)
    assert "call them lat and lon" in refusal(lambda: EARTH.read(frame[["where", "latitude"]]))


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_too_many_columns_are_refused_with_what_to_select(make: Callable[[dict[str, Any]], Any]) -> None:
    private = [float(SECRET)]
    frame = make({"id": private, "lon": private, "lat": private})
    assert 'frame[["lat", "lon"]]' in refusal(lambda: EARTH.read(frame))
    assert "one column: select it" in refusal(lambda: LINE.read(frame))
    assert "2 columns" in refusal(lambda: PLANE.read(frame))
    assert "4 columns" in refusal(lambda: gp.Euclidean(4).read(frame))
    other = make({"a": private, "b": private, "c": private})
    assert "call them lat and lon" in refusal(lambda: CITY.read(other))


def test_columns_whose_names_repeat_are_refused_on_a_map_and_read_on_a_plane() -> None:
    frame = pd.DataFrame(PLACES, columns=["lat", "lat"])
    assert "call them lat and lon" in refusal(lambda: EARTH.read(frame))
    np.testing.assert_array_equal(PLANE.read(frame), PLACES)


@pytest.mark.parametrize("column", TEXT.values(), ids=TEXT)
def test_what_holds_no_numbers_is_refused_without_its_values(column: Any) -> None:
    assert "must hold numbers" in refusal(lambda: LINE.read(column))
    assert "must hold numbers" in refusal(lambda: gp.Prior.sample(column), gp.InvalidParameter)


@pytest.mark.parametrize("column", GAPS.values(), ids=GAPS)
def test_a_gap_is_no_value(column: Any) -> None:
    assert refusal(lambda: LINE.read(column)) == "Values of Line must be finite."


@pytest.mark.parametrize("stream", [pl.LazyFrame({"a": [1.0]}), pa.table({"a": [1.0]}).to_reader()])
def test_what_is_not_read_yet_is_refused(stream: Any) -> None:
    assert "collect()" in refusal(lambda: LINE.read(stream))


@pytest.mark.parametrize("scalar", [pd.NA, pd.Timestamp("2020-01-01"), pl.col("a")])
def test_a_scalar_that_is_no_number_is_refused(scalar: Any) -> None:
    assert "must be" in refusal(lambda: LINE.read(scalar))


@pytest.mark.parametrize("crs", [4326, 4269, 3857, 32618, 2263])
def test_points_of_every_crs_are_positions_on_the_map(crs: int) -> None:
    frame = points(crs, name=["a", "b", "c"])
    for given in (frame, frame.geometry):
        assert EARTH.distance(given, PLACES).max() < 1e-3 + 1.0 * (crs in (4269, 2263))  # another datum: under a metre
        np.testing.assert_allclose(CITY.read(given), CITY.read(PLACES), rtol=0, atol=1.5)


def test_points_on_a_plane_stay_x_and_y() -> None:
    for crs, unit in ((32618, "m"), (2263, "ft"), (None, "m"), (4326, None)):
        frame = points(crs)
        expected = np.stack([frame.geometry.x, frame.geometry.y], axis=-1)
        np.testing.assert_array_equal(gp.Plane(unit).read(frame), expected)


@pytest.mark.parametrize(
    ("crs", "unit", "words"),
    [(4326, "m", "degree"), (2263, "m", "foot"), (32618, "km", "metre"), (3857, "m", "Web Mercator")],
)
def test_points_in_another_unit_than_the_planes_are_refused(crs: int, unit: str, words: str) -> None:
    assert words in refusal(lambda: gp.Plane(unit).read(points(crs)))


def test_points_that_do_not_say_where_they_are_are_refused_on_a_map() -> None:
    assert "set_crs(4326)" in refusal(lambda: EARTH.read(points(None)))


def test_geometries_that_are_no_points_are_refused_and_missing_ones_are_gaps() -> None:
    line = gpd.GeoSeries([LineString([(0, 0), (1, 1)])], crs=4326)
    assert "must be points" in refusal(lambda: EARTH.read(line))
    for missing in (None, Point()):
        gap = gpd.GeoSeries([Point(0, 0), missing], crs=4326)
        assert refusal(partial(EARTH.read, gap)) == "Values of Earth must be finite."
    assert "select columns of numbers" in refusal(lambda: LINE.read(points()))


def test_queries_and_mechanisms_take_tables() -> None:
    query = gp.Ball(center=(40.7, -74.0), radius=2_000, width=1_000, space=CITY)
    frame = pl.DataFrame({"lon": PLACES[:, 1], "lat": PLACES[:, 0]})
    np.testing.assert_array_equal(query(frame), query(PLACES))
    m = gp.SmoothT.calibrate(query, "1 per 1 km")
    np.testing.assert_array_equal(m.variance(points()), m.variance(PLACES))
    np.testing.assert_array_equal(
        m.simulate(frame, np.random.default_rng(1)).values, m.simulate(PLACES, np.random.default_rng(1)).values
    )
    reports = gp.Lattice.calibrate(CITY, "1 per 1 km").report(frame)
    assert isinstance(reports.values, np.ndarray)
    assert reports.values.shape == (3, 2)


def test_reports_and_priors_may_be_tables() -> None:
    m = gp.LipschitzLaplace.calibrate(gp.Threshold(at=0.0, width=2.0), epsilon=1.0)
    for make in SERIES.values():
        assert gp.estimate(m, make(INCOMES)) == gp.estimate(m, INCOMES)
    swapped = pd.DataFrame({"lon": PLACES[:, 1], "lat": PLACES[:, 0]})
    for given in (swapped, points()):
        np.testing.assert_array_equal(gp.Prior.sample(given).values, PLACES)
    np.testing.assert_array_equal(gp.Prior.sample(pl.Series([1, 2]), pa.array([1, 3])).weights, [0.25, 0.75])
    query = gp.Threshold(at=98_000, width=16_000)
    found = [gp.plan(query, 1 / 8000, 1_000, prior, ["SmoothT"]) for prior in (pd.Series(INCOMES), INCOMES)]
    assert found[0].best.error == found[1].best.error


def test_reports_in_columns_x_and_y_keep_their_order() -> None:
    np.testing.assert_array_equal(as_array(pd.DataFrame({"x": [1.0], "y": [2.0]})), [(1.0, 2.0)])
    np.testing.assert_array_equal(as_array(points(32618)), PLANE.read(points(32618)))


def test_reports_that_cannot_be_read_are_rejected_without_them() -> None:
    m = gp.LipschitzLaplace.calibrate(gp.Threshold(at=0.0, width=2.0), epsilon=1.0)
    for reports in (*TEXT.values(), pl.LazyFrame({"a": [1.0]})):
        refusal(partial(gp.estimate, m, reports), gp.ReportRejected)
    for reports in GAPS.values():
        assert "finite" in refusal(partial(gp.estimate, m, reports), gp.ReportRejected)


def test_arrays_are_given_back_as_they_are() -> None:
    for values in (INCOMES, [1.0], 3.0, np.ma.masked_array([1.0], mask=[True]), "text", None):
        assert as_array(values, LINE) is values


def test_no_package_of_tables_is_imported_for_arrays() -> None:
    program = "import geopriv as g, sys, numpy as n; g.Line().read(n.ones(3)); g.Prior.sample([1.0]); "
    assert python(program + "print({'pandas', 'polars', 'geopandas', 'pyarrow'} & set(sys.modules))") == "set()"


@pytest.mark.parametrize("make", ["pyarrow", "pandas", "Int64", "polars", "decimal"])
def test_whole_numbers_that_floats_do_not_hold_never_move_apart_in_frames(make: str) -> None:
    held = [2**53 - 1, 2**53 + 1, 2**53 + 3, -(2**53) - 5]
    frames: dict[str, Callable[[], Any]] = {
        "pyarrow": lambda: pa.array(held),
        "pandas": lambda: pd.Series(held),
        "Int64": lambda: pd.Series(held, dtype="Int64"),
        "polars": lambda: pl.Series(held),
        "decimal": lambda: pa.array(held, pa.decimal128(38, 0)),
    }
    assert gp.Line().read(frames[make]()).tolist() == [2.0**53 - 1, 2.0**53, 2.0**53, -(2.0**53)]
