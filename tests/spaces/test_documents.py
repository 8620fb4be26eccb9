"""Documents: round trips through JSON, a closed set of types, and designs that must be refused."""

from __future__ import annotations

import copy
import json
import math
import os
import typing
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from typing_extensions import TypeAliasType

import geopriv as gp
from geopriv.device.files import replacing
from geopriv.mechanisms.sendable import Sendable
from geopriv.mechanisms.table.any_table import AnyTable
from geopriv.mechanisms.table.spare import SpareRows
from geopriv.shapes.profiles import BlurredPieces
from geopriv.spaces.documents import form_of, from_document, kinds_of, to_document
from tests.rows import (
    ASKED,
    Asked,
    Row,
    rows,
)

FAMILIES: tuple[type[Any], ...] = (
    gp.spaces.Space,
    gp.shapes.Profile,
    gp.queries.Query,
    gp.queries.Question,
    gp.Guarantee,
    Sendable,
)
FUNCTIONS = ("any function", "function", "sigmoid", "score on a line")  # hold one, which no document can
WRITTEN = [asked for asked in ASKED if asked.name not in FUNCTIONS]
TABLES = [row for row in rows() if row.name.startswith("Table /") and row.asked.name not in FUNCTIONS]


def through_json(thing: Any) -> Any:
    """Written, read and made again, with nothing that strict JSON lacks."""
    return from_document(type(thing), json.loads(json.dumps(to_document(thing), allow_nan=False)))


@pytest.fixture(scope="module")
def table() -> gp.Table:
    return gp.Table.calibrate(gp.Threshold(0.0, 2.0), 1.0, report_range=(-0.75, 1.75))


@pytest.fixture
def document(table: gp.Table) -> dict[str, Any]:
    return copy.deepcopy(table.to_document())


number = st.floats(-1e9, 1e9)
size = st.floats(1e-3, 1e6)
unit = st.sampled_from(["USD", "m", None, "pas à pas"])
line = st.builds(gp.Line, unit)
SPACES = st.one_of(
    line,
    st.builds(gp.LogLine, st.floats(1.1, 10), size, unit),
    st.builds(gp.Plane, unit),
    st.builds(gp.Euclidean, st.integers(1, 9), unit),
    st.builds(gp.Earth, st.floats(1e6, 1e7)),
    st.builds(
        lambda south, west, size: gp.LocalPlane(south, west, south + size, west + size),
        st.floats(-80, 60),
        st.floats(-180, 200),
        st.floats(0.01, 20),
    ),
)
RAMPS = st.builds(gp.shapes.Ramp, size, st.floats(-1e3, 1e3), st.booleans())
knots = st.lists(st.integers(-50, 50), min_size=2, max_size=6, unique=True).map(sorted)
PROFILES = st.one_of(
    RAMPS,
    st.builds(gp.shapes.Smoothstep, size, st.floats(-1e3, 1e3), st.booleans()),
    st.builds(BlurredPieces, RAMPS, size),
    st.builds(gp.shapes.Trapezoid, size, size, st.floats(-1e3, 1e3)),
    st.builds(gp.shapes.Triangle, size, st.floats(-1e3, 1e3)),
    st.builds(gp.shapes.Gaussian, size, number),
    st.builds(gp.shapes.Identity, size),
    st.builds(lambda k: gp.shapes.PiecewiseLinear(k, tuple(i / 3 for i in range(len(k)))), knots),
)
pair = st.tuples(st.floats(-80, 80), st.floats(-170, 170))
QUERIES = st.one_of(
    st.builds(gp.Threshold, number, size, line),
    st.builds(
        lambda a, b, w, s: gp.Range(a, a + b, min(b / 2, w), "trapezoid", s), st.floats(-1e3, 1e3), size, size, line
    ),
    st.builds(lambda c, r, s: gp.Ball(c, r, r / 3, s), pair, size, st.sampled_from([gp.Plane(), gp.Earth()])),
    st.builds(gp.GaussianKernel, pair, size, st.sampled_from([gp.Plane(), gp.Earth()])),
    st.builds(gp.RadialQuery, pair, PROFILES, st.just(gp.Plane("km"))),
    st.builds(lambda w, p, i: gp.LinearQuery((w, 1.0), p, i), size, PROFILES, number),
    st.builds(gp.Orthant, pair, size),
    st.builds(gp.Score, st.tuples(size, number, number), number, size),
    st.builds(gp.Threshold, number, size, line, st.sampled_from(["linear", "smooth"])),
    st.builds(lambda c, r, h: gp.Blurred(gp.Ball(c, r, r / 3, gp.Plane()), h), pair, size, size),
    st.builds(lambda at, w, s, h: gp.Blurred(gp.Threshold(at, w, s), h), number, size, line, size),
)


@given(st.one_of(SPACES, PROFILES, QUERIES))
def test_everything_comes_back_as_it_was(thing: Any) -> None:
    again = through_json(thing)
    assert again == thing
    assert type(again) is type(thing)


@pytest.mark.parametrize("asked", WRITTEN, ids=[asked.name for asked in WRITTEN])
def test_queries_of_the_table_of_mechanisms_come_back_with_the_same_answers(asked: Asked) -> None:
    again = through_json(asked.query)
    assert again == asked.query
    np.testing.assert_array_equal(again(asked.values), asked.query(asked.values))


@pytest.mark.parametrize("row", TABLES, ids=[row.name for row in TABLES])
def test_every_table_survives_its_document(row: Row) -> None:
    assert through_json(row.mechanism) == row.mechanism


def test_guarantees_come_back_and_infinity_is_written_in_strict_json() -> None:
    for promise in (gp.Guarantee(0.1, unit="m", reference="T1"), gp.Guarantee(2.0, 1e-6, 5.0, None, "discrete")):
        assert through_json(promise) == promise
    assert to_document(gp.Guarantee(0.1))["radius"] == "inf"


def test_a_table_comes_back_with_the_same_integers(table: gp.Table) -> None:
    again = gp.Table.from_document(json.loads(json.dumps(table.to_document())))
    assert again == table
    assert again.weights.dtype == np.int64
    assert gp.audit(again).passed
    weights = table.to_document()["weights"]
    assert all(type(w) is int for row in weights for w in row)


@pytest.mark.parametrize("thing", [gp.shapes.Custom(np.tanh, 1.0, -6.0, 6.0), gp.LipschitzQuery(np.sin, 1.0)])
def test_what_holds_a_function_has_no_document(thing: Any) -> None:
    with pytest.raises(gp.InvalidParameter, match="function"):
        to_document(thing)
    for family in (type(thing), *FAMILIES):
        with pytest.raises(gp.InvalidDesign, match="type"):
            from_document(family, {"type": type(thing).__name__})


@pytest.mark.parametrize("thing", [object(), 3, None, {"type": "Line"}, gp.Line])
def test_other_things_have_no_document(thing: object) -> None:
    with pytest.raises(gp.InvalidParameter, match="thing"):
        to_document(thing)


@pytest.mark.parametrize(
    "bad",
    [
        None,
        3,
        [],
        {},
        {"type": 3},
        {"type": "os.system"},
        {"type": "Space"},
        {"type": "Simulated", "values": [1]},
        {"type": "Line", "unit": 3},
        {"type": "Line", "units": "m"},
        {"type": "Line", "unit": "USD", "resolution": 0.01},
        {"type": "Euclidean", "axes": 2.0},
        {"type": "Euclidean", "axes": True},
        {"type": "Ramp"},
        {"type": "Ramp", "width": True},
        {"type": "Ramp", "width": math.nan},
        {"type": "Ramp", "width": "inf"},
        {"type": "Ramp", "width": 10**400},
        {"type": "Ramp", "width": 1.0, "rising": 1},
        {"type": "PiecewiseLinear", "knots": "ab", "values": [0, 1]},
        {"type": "Threshold", "at": 0.0, "width": 1.0, "space": {"type": "Ramp", "width": 1.0}},
        {"type": "Threshold", "at": 0.0, "width": 1.0, "space": None},
        {"type": "Range", "low": 0, "high": 1, "width": 0.5, "shape": "circle"},
        {"type": "Geofence", "polygon": {"type": "Polygon", "coordinates": [[[0, 0], [1, 1]]]}, "width": 1.0},
        {"type": "Geofence", "polygon": 7, "width": 1.0},
        {"type": "Guarantee", "epsilon": 1.0, "metric": "euclidean"},
        {"type": "Threshold", "at": 0.0, "width": 1.0, "edge": "round"},
        {"type": "Smoothstep", "width": 0.0},
        {"type": "BlurredPieces", "pieces": {"type": "Identity"}, "bandwidth": 1.0},
        {"type": "BlurredPieces", "pieces": {"type": "Smoothstep", "width": 1.0}, "bandwidth": 1.0},
        {"type": "BlurredPieces", "pieces": {"type": "Ramp", "width": 1.0}, "bandwidth": -1.0},
        {"type": "Blurred", "query": {"type": "Ramp", "width": 1.0}, "bandwidth": 1.0},
        {"type": "Blurred", "query": {"type": "GaussianKernel", "center": [0.0], "bandwidth": 1.0}, "bandwidth": 1.0},
        {"type": "LocalPlane", "south": 0.0, "west": 0.0, "north": 1.0},
        {"type": "LocalPlane", "south": 0.0, "west": 0.0, "north": -1.0, "east": 1.0},
        {"type": "LocalPlane", "south": 0.0, "west": 0.0, "north": 1.0, "east": 1.0, "resolution": 1e-6},
        {"type": "LocalPlane", "south": 0.0, "west": 0.0, "north": 1.0, "east": 1.0, "REACH": 80.0},
    ],
)
def test_malformed_documents_are_refused_by_name(bad: Any) -> None:
    for family in FAMILIES:
        with pytest.raises(gp.InvalidDesign):
            from_document(family, bad)


def shift(document: dict[str, Any], row: int, letter: int, by: int) -> None:
    document["weights"][row][letter] += by
    document["weights"][row][letter - 1] -= by


def test_a_table_whose_promise_does_not_hold_is_refused(table: gp.Table, document: dict[str, Any]) -> None:
    _, cell, letter = table.worst_step
    side = cell if table.weights[cell, letter] > table.weights[cell + 1, letter] else cell + 1
    gp.Table.from_document(document)
    shift(document, side, letter, int(table.weights[side, letter] * 4e-6))
    with pytest.raises(gp.InvalidDesign, match="promise"):
        gp.Table.from_document(document)


@pytest.mark.parametrize(
    "change",
    [
        {"guarantee": to_document(gp.Guarantee(0.999))},
        {"guarantee": to_document(gp.Guarantee(1.0, metric="discrete"))},
        {"guarantee": to_document(gp.Guarantee(1.0, unit="km"))},
        {"weights": [[1, 2], [3, 4]]},
        {"weights": [[0.5]]},
        {"weights": [[2**70]]},
        {"weights": "many"},
        {"weights": [[1], [1, 2]]},
        {"values": [0.0, "inf"]},
        {"values": [[0.0]]},
        {"lattice": []},
        {"lattice": [1.0, 0.0]},
        {"query": {"type": "Line"}},
        {"query": {"type": "Threshold", "at": 0.0, "width": 2.0, "space": {"type": "Line", "resolution": None}}},
    ],
)
def test_a_table_that_is_none_is_refused(document: dict[str, Any], change: dict[str, Any]) -> None:
    with pytest.raises(gp.InvalidDesign):
        gp.Table.from_document(document | change)


def test_a_table_is_not_read_from_the_document_of_something_else() -> None:
    with pytest.raises(gp.InvalidDesign, match="Table"):
        gp.Table.from_document(to_document(gp.Line()))


keys = st.sampled_from(["type", "unit", "x"])
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(["Line", "inf"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=4,
)
BROKEN = [
    gp.Geofence({"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 0]]]}, 1.0),
    gp.LinearQuery((1.0, 2.0), gp.shapes.PiecewiseLinear((0, 1), (0, 1))),
    gp.Ball((40.0, -74.0), 100.0, 10.0, gp.Earth()),
    gp.Guarantee(1.0),
]


@settings(max_examples=300)
@given(st.sampled_from(BROKEN), anything, st.data())
def test_whatever_is_broken_the_error_is_ours(thing: Any, rubbish: Any, data: st.DataObject) -> None:
    """One part of a document is replaced by anything: it is refused by name, or it is still a design."""
    document = to_document(thing)
    place: Any = document
    while True:
        key = data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
        if not (isinstance(place[key], dict | list) and place[key] and data.draw(st.booleans())):
            break
        place = place[key]
    place[key] = rubbish
    try:
        again = from_document(type(thing), document)
    except gp.InvalidDesign:
        return
    assert type(again) is type(thing)


def leaves(hint: Any) -> list[Any]:
    """The types of which a parameter is made."""
    parts, origin = typing.get_args(hint), typing.get_origin(hint)
    if hasattr(origin, "__value__"):  # as NDArray is from Python 3.12 on
        return leaves(origin.__value__[parts])
    if typing.get_origin(hint) in (typing.Literal, np.ndarray) or not parts:
        return [typing.get_origin(hint) or hint]
    return [leaf for part in parts if part is not Ellipsis for leaf in leaves(part)]


def test_every_parameter_of_every_type_has_a_reader() -> None:
    """A new class with a type of parameter that no reader knows fails here."""
    known = {float, int, str, bool, type(None), typing.Literal, np.ndarray, shapely.Geometry, Fraction}
    ours = (gp.spaces.Space, gp.shapes.Profile, gp.queries.Query, gp.Guarantee, SpareRows, AnyTable)
    for kind in (kind for family in FAMILIES for kind in kinds_of(family).values()):
        for hint in typing.get_type_hints(kind).values():
            assert all(leaf in known or issubclass(leaf, ours) for leaf in leaves(hint)), (kind, hint)
    ours_only = [[k for k in kinds_of(family).values() if k.__module__.startswith("geopriv.")] for family in FAMILIES]
    assert list(map(len, ours_only)) == [6, 9, 13, 7, 1, 6]


def test_numbers_of_numpy_are_written_as_plain_ones() -> None:
    query = gp.Threshold(np.float64(3.0), np.float32(0.5), gp.Line())  # type: ignore[arg-type]
    document = to_document(query)
    assert type(document["at"]) is float
    assert type(document["width"]) is float
    assert through_json(replace(query)) == query


def test_a_file_that_is_replaced_keeps_its_mode_and_a_new_one_has_the_systems(tmp_path: Path) -> None:
    path, before = tmp_path / "file", os.umask(0o027)
    try:
        for mode in (0o640, 0o600):
            with replacing(path) as fresh:
                fresh.write_text("new")
            assert path.stat().st_mode & 0o777 == mode
            path.chmod(0o600)
    finally:
        os.umask(before)
    with pytest.raises(OSError, match="full"), replacing(path):
        raise OSError("the disk is full")
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


def test_a_class_of_somebody_else_is_no_type_of_a_document() -> None:
    """Otherwise what a document may be would depend on what else is loaded."""

    @dataclass(frozen=True)
    class Elsewhere(gp.Line):
        note: Unknown = 3  # type: ignore[name-defined] # noqa: F821 # not even its types are looked at

    document = {"type": "Elsewhere", "unit": None, "note": 3}
    with pytest.raises(gp.InvalidDesign):
        from_document(gp.spaces.Space, document)
    assert from_document(gp.spaces.Space, {"type": "Line", "unit": None}) == gp.Line()


def test_a_named_type_stands_for_what_it_names() -> None:
    """As numpy's NDArray does from Python 3.12 on, where every design had no document."""
    scalar = TypeVar("scalar", bound=np.generic)
    array = TypeAliasType("array", np.ndarray[Any, np.dtype[scalar]], type_params=(scalar,))
    for named, plain in ((array[np.float64], np.ndarray[Any, np.dtype[np.float64]]), (TypeAliasType("n", int), int)):
        assert form_of(named).schema({}) == form_of(plain).schema({})
