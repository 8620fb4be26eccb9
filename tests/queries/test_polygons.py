"""Polygons from every accepted source, and the reasons for which others are refused."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
import shapely

import geopriv as gp
from geopriv.spaces.polygons import read_polygon

SQUARE: dict[str, Any] = {"type": "Polygon", "coordinates": [[[0, 0], [10, 0], [10, 10], [0, 10], [0, 0]]]}
HOLED: dict[str, Any] = {
    "type": "Polygon",
    "coordinates": [*SQUARE["coordinates"], [[4, 4], [4, 6], [6, 6], [6, 4], [4, 4]]],
}
ISLANDS: dict[str, Any] = {
    "type": "MultiPolygon",
    "coordinates": [HOLED["coordinates"], [[[20, 0], [22, 0], [22, 2], [20, 2], [20, 0]]]],
}
SHAPES = {"a polygon": SQUARE, "a polygon with a hole": HOLED, "a multipolygon": ISLANDS}


def _feature(geometry: Any) -> dict[str, Any]:
    return {"type": "Feature", "properties": {"name": "somewhere"}, "geometry": geometry}


def _sources(geometry: dict[str, Any]) -> list[Any]:
    """The same region in every form in which it may be given."""
    feature = _feature(geometry)
    return [
        shapely.geometry.shape(geometry),
        geometry,
        json.dumps(geometry),
        json.dumps(geometry).encode(),
        feature,
        json.dumps(feature),
    ]


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("on_earth", [False, True])
def test_every_source_of_a_region_gives_the_same_region(name: str, on_earth: bool) -> None:
    expected = shapely.geometry.shape(SHAPES[name])
    for source in _sources(SHAPES[name]):
        assert read_polygon(source, on_earth=on_earth).equals(expected)


@pytest.mark.parametrize("name", SHAPES)
def test_every_source_of_a_region_makes_the_same_query(name: str) -> None:
    assert len({gp.Geofence(source, width=1.0) for source in _sources(SHAPES[name])}) == 1


def test_holes_are_not_counted() -> None:
    values = gp.Geofence(HOLED, width=1.0)([(2, 2), (5, 5), (4, 5), (12, 5)])
    np.testing.assert_allclose(values, [1.0, 0.0, 0.5, 0.0], atol=1e-15)


def test_every_part_of_a_multipolygon_is_counted() -> None:
    values = gp.Geofence(ISLANDS, width=1.0)([(2, 2), (5, 5), (21, 1), (15, 1)])
    np.testing.assert_allclose(values, [1.0, 0.0, 1.0, 0.0], atol=1e-15)


def test_heights_are_dropped() -> None:
    flat, high = shapely.box(0, 0, 1, 1), shapely.force_3d(shapely.box(0, 0, 1, 1), 7.0)
    assert gp.Geofence(high, width=0.1) == gp.Geofence(flat, width=0.1)
    assert not gp.Geofence(high, width=0.1).polygon.has_z


def test_the_direction_in_which_a_ring_is_walked_does_not_matter() -> None:
    points = [(5, 5), (10, 5), (11, 5), (-3, 2)]
    backwards = shapely.Polygon(SQUARE["coordinates"][0][::-1])
    np.testing.assert_array_equal(gp.Geofence(backwards, width=3.0)(points), gp.Geofence(SQUARE, width=3.0)(points))


BOWTIE = shapely.Polygon([(0, 0), (10, 10), (10, 0), (0, 10)])


@pytest.mark.parametrize("space", [gp.Plane(), gp.Earth()])
def test_a_polygon_that_crosses_itself_is_refused_with_the_reason_and_the_place(space: gp.spaces.Space) -> None:
    with pytest.raises(gp.InvalidParameter, match=r"'polygon' parameter of Geofence.*Self-intersection\[5 5\]"):
        gp.Geofence(BOWTIE, width=1.0, space=space)


def test_a_hole_outside_its_polygon_is_refused_with_the_reason() -> None:
    outside = shapely.Polygon(SQUARE["coordinates"][0], [[(20, 20), (21, 20), (21, 21)]])
    with pytest.raises(gp.InvalidParameter, match="Hole lies outside shell"):
        gp.Geofence(outside, width=1.0)


def test_overlapping_parts_are_refused() -> None:
    overlapping = shapely.MultiPolygon([shapely.box(0, 0, 2, 2), shapely.box(1, 1, 3, 3)])
    with pytest.raises(gp.InvalidParameter, match="'polygon' parameter of Geofence must be a simple polygon"):
        gp.Geofence(overlapping, width=1.0)


def test_a_polygon_that_is_simple_on_the_map_but_not_along_great_circles_is_refused() -> None:
    # the arc from (0, 60) to (90, 60) rises to latitude 67.8 and so crosses the edges that meet at latitude 64
    dented = shapely.Polygon([(0, 60), (90, 60), (90, 70), (45, 64), (0, 70)])
    assert dented.is_valid
    with pytest.raises(gp.InvalidParameter, match=r"simple polygon of great-circle arcs.*Self-intersection"):
        gp.Geofence(dented, width=1.0, space=gp.Earth())


@pytest.mark.parametrize(
    "empty",
    [
        shapely.Polygon(),
        shapely.MultiPolygon(),
        shapely.GeometryCollection(),
        {"type": "Polygon", "coordinates": []},
        {"type": "MultiPolygon", "coordinates": []},
        '{"type": "Polygon", "coordinates": []}',
    ],
)
def test_an_empty_polygon_is_refused(empty: Any) -> None:
    with pytest.raises(gp.InvalidParameter, match=r"'polygon' parameter of Geofence.*not empty"):
        gp.Geofence(empty, width=1.0)


@pytest.mark.parametrize(
    "geometry",
    [
        shapely.Point(0, 0),
        shapely.LineString([(0, 0), (1, 1)]),
        shapely.LinearRing([(0, 0), (1, 0), (1, 1)]),
        shapely.GeometryCollection([shapely.box(0, 0, 1, 1)]),
        {"type": "LineString", "coordinates": [[0, 0], [1, 1]]},
        _feature({"type": "LineString", "coordinates": [[0, 0], [1, 1]]}),
    ],
)
def test_a_geometry_without_an_inside_is_refused(geometry: Any) -> None:
    with pytest.raises(gp.InvalidParameter, match="'polygon' parameter of Geofence must be a Polygon or MultiPolygon"):
        gp.Geofence(geometry, width=1.0)


@pytest.mark.parametrize(
    "garbage",
    [
        "garbage",
        "",
        b"\xff\xfe",
        "5",
        "null",
        "[]",
        "{}",
        {},
        None,
        5,
        [(0, 0), (1, 0), (1, 1)],
        {"type": "Polygon"},
        {"type": 5},
        {"type": "Circle", "coordinates": [0, 0]},
        {"type": "Polygon", "coordinates": "abc"},
        {"type": "Polygon", "coordinates": [1, 2, 3]},
        {"type": "Polygon", "coordinates": [[[0]]]},
        {"type": "Polygon", "coordinates": [[[0, 0], [1, 0]]]},
        {"type": "Polygon", "coordinates": [[["a", "b"], [1, 0], [1, 1], ["a", "b"]]]},
        {"type": "Feature"},
        {"type": "Feature", "geometry": None},
        {"type": "FeatureCollection", "features": []},
    ],
    ids=repr,
)
def test_what_is_no_geometry_is_refused_by_name(garbage: Any) -> None:
    with pytest.raises(gp.InvalidParameter, match="'polygon' parameter of Geofence"):
        gp.Geofence(garbage, width=1.0)


@pytest.mark.parametrize("bad", [math.inf, -math.inf])
def test_infinite_coordinates_are_refused(bad: float) -> None:
    with pytest.raises(gp.InvalidParameter, match="'polygon' parameter of Geofence must be made of finite"):
        gp.Geofence({"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, bad], [0, 0]]]}, width=1.0)


@pytest.mark.parametrize("as_text", [False, True])
def test_coordinates_that_are_not_a_number_are_refused_in_geojson(as_text: bool) -> None:
    polygon: Any = {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, math.nan], [0, 1], [0, 0]]]}
    with pytest.raises(gp.InvalidParameter, match="'polygon' parameter of Geofence"):
        gp.Geofence(json.dumps(polygon) if as_text else polygon, width=1.0)


def test_coordinates_that_are_not_a_number_are_refused_in_shapely_geometries() -> None:
    def spoil(corners: Any) -> Any:
        return np.where(corners == 1.0, np.nan, corners)

    polygon = shapely.transform(shapely.Polygon([(0, 0), (2, 0), (1, 1)]), spoil)
    with pytest.raises(gp.InvalidParameter, match="'polygon' parameter of Geofence"):
        gp.Geofence(polygon, width=1.0)


@pytest.mark.parametrize(
    "polygon",
    [
        shapely.box(0, 80, 1, 91),
        shapely.box(0, -91, 1, -80),
        shapely.box(355, 0, 365, 1),
        shapely.box(-365, 0, -355, 1),
        shapely.box(500_000, 4_500_000, 500_100, 4_500_100),
    ],
)
def test_degrees_out_of_range_are_refused_on_earth(polygon: Any) -> None:
    with pytest.raises(gp.InvalidParameter, match="'polygon' parameter of Geofence must be in degrees"):
        gp.Geofence(polygon, width=1.0, space=gp.Earth())


def test_the_same_numbers_are_fine_in_the_plane() -> None:
    fence = gp.Geofence(shapely.box(500_000, 4_500_000, 500_100, 4_500_100), width=10.0)
    np.testing.assert_array_equal(fence([(500_050, 4_500_050), (500_100, 4_500_050)]), [1.0, 0.5])


@pytest.mark.parametrize("polygon", [shapely.box(-90, -45, 90, 45), shapely.box(-179, -80, 179, 80)])
def test_a_region_of_half_the_globe_is_refused(polygon: Any) -> None:
    with pytest.raises(gp.InvalidParameter, match="'polygon' parameter of Geofence"):
        gp.Geofence(polygon, width=1.0, space=gp.Earth())


def test_on_earth_a_polygon_is_in_the_order_longitude_latitude() -> None:
    fence = gp.Geofence(shapely.box(-75, 40, -73, 41), width=1_000.0, space=gp.Earth())
    np.testing.assert_array_equal(fence([(40.5, -74.0), (-74.0, 40.5)]), [1.0, 0.0])


def test_a_region_cut_in_two_at_the_antimeridian_has_no_border_there() -> None:
    # RFC 7946, section 3.1.9: geometries that cross the antimeridian should be cut into two parts along it
    cut = shapely.MultiPolygon([shapely.box(170, 0, 180, 10), shapely.box(-180, 0, -170, 10)])
    whole = shapely.box(170, 0, 190, 10)
    points = [(5.0, 180.0), (5.0, 179.9999), (5.0, -179.9999), (5.0, 175.0), (5.0, 169.0)]
    earth = gp.Earth()
    np.testing.assert_array_equal(
        gp.Geofence(cut, width=1_000.0, space=earth)(points), gp.Geofence(whole, width=1_000.0, space=earth)(points)
    )


@pytest.mark.parametrize("size", [1e-303, 1e150])
def test_regions_beyond_what_floats_can_multiply_are_refused_by_name(size: float) -> None:
    """Where the geometry library fails or warns, the error is still ours."""
    outer = [(0.74, 0.67), (1.0, -0.08), (-0.01, -1.0), (-0.84, -0.55), (-1.0, 0.04), (0.74, 0.67)]
    inner = [(0.25, 0.0), (0.0, 0.25), (-0.25, -0.25), (0.25, 0.0)]
    rings = [[[[size * x, size * y] for x, y in ring]] for ring in (outer, inner)]
    with pytest.raises(gp.InvalidParameter, match="'polygon' parameter of Geofence"):
        gp.Geofence({"type": "MultiPolygon", "coordinates": rings}, width=size)
