"""design.json: round trips, one canonical form, and every kind of tampering refused by library and device alike."""

from __future__ import annotations

import copy
import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import geopriv as gp
from geopriv.device.designs import verify
from geopriv.device.files import canonical, digest
from geopriv.surveys.design import Design
from tests.designs import (
    ASKED_OF_DEVICES,
    document_of,
    lattice_design,
    rehashed,
    small_table,
    table_design,
    two_tables,
)
from tests.rows import CITY, EARTH
from tests.structure import errors_of

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "schemas" / "design.schema.json").read_text("utf-8"))
DESIGNS = {
    "table": table_design,
    "three tables": two_tables,
    "lattice": lattice_design,
    "lattice on a map": lambda: lattice_design(CITY),
}


@pytest.fixture(params=list(DESIGNS.values()), ids=list(DESIGNS))
def design(request: pytest.FixtureRequest) -> Design:
    made: Design = request.param()
    return made


def test_a_design_comes_back_as_it_was(design: Design, tmp_path: Path) -> None:
    design.write(tmp_path / "design.json")
    again = Design.read(tmp_path / "design.json")
    assert again == design
    assert again.hash == design.hash
    assert again.mechanisms == design.mechanisms
    assert again.to_bytes() == (tmp_path / "design.json").read_bytes()
    assert hash(again) == hash(design)


@pytest.mark.parametrize(
    ("name", "query", "epsilon", "box"), ASKED_OF_DEVICES, ids=[row[0] for row in ASKED_OF_DEVICES]
)
def test_every_query_that_devices_run_survives_its_file(
    name: str, query: gp.queries.Query, epsilon: float, box: Any, tmp_path: Path
) -> None:
    design = table_design(query, epsilon)
    design.write(tmp_path / "design.json")
    (again,) = Design.read(tmp_path / "design.json").mechanisms
    assert isinstance(again, gp.Table)
    assert again.query == query
    assert not errors_of(SCHEMA, document_of(design))


def test_the_hash_is_that_of_the_canonical_form(design: Design) -> None:
    document = document_of(design)
    text = design.to_bytes().decode()
    assert json.loads(text)["hash"] == digest(document) == design.hash
    assert text == json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n"


def test_canonical_json_keeps_integers_and_writes_shortest_decimals() -> None:
    written = canonical({"z": 2**60, "a": [0.1, 1.0, 1e-7, -0.0], "é": None}).decode()
    assert written == '{"a":[0.1,1.0,1e-07,-0.0],"z":1152921504606846976,"é":null}'
    with pytest.raises(ValueError, match="JSON"):
        canonical(float("nan"))


def test_what_devices_do_not_run_is_refused_with_the_names_of_what_they_run() -> None:
    other = gp.SmoothT.calibrate(gp.Threshold(at=0.0, width=2.0), 1.0)
    with pytest.raises(gp.InvalidParameter, match="and SharedTables and Lattice and BracketTable"):
        Design("incomes", (other,))  # type: ignore[arg-type] # that is what is refused


def test_the_guarantee_is_the_weakest_of_the_mechanisms() -> None:
    tables = tuple(small_table(gp.Threshold(0.0, 2.0), rate) for rate in (1.0, 2.0))
    design = Design("survey", tables)
    assert design.guarantee.epsilon == 2.0
    assert verify(design.to_bytes()).epsilon == 2.0
    assert design.shares == (1, 1)


def test_numbers_that_are_equal_give_the_same_hash() -> None:
    first, second = (Design("s", (small_table(gp.Threshold(at, 2.0), 1.0),)) for at in (1, 1.0))
    assert first.hash == second.hash


@pytest.mark.parametrize(
    "make",
    [
        lambda: Design("", (small_table(gp.Threshold(0.0, 2.0), 1.0),)),
        lambda: Design("survey", ()),
        lambda: Design("survey", (gp.LipschitzLaplace.calibrate(gp.Threshold(0.0, 2.0), 1.0),)),  # type: ignore[arg-type]
        lambda: Design("survey", (small_table(gp.Threshold(0.0, 2.0), 1.0),), (1, 1)),
        lambda: Design("survey", (small_table(gp.Threshold(0.0, 2.0), 1.0),), (0,)),
        lambda: Design(
            "survey",
            (small_table(gp.Threshold(0.0, 2.0), 1.0), small_table(gp.Threshold(0.0, 2.0, gp.Line("m")), 1.0)),
        ),
    ],
)
def test_what_is_no_design_is_refused(make: Callable[[], Design]) -> None:
    with pytest.raises(gp.InvalidParameter):
        make()


def test_a_table_that_breaks_its_promise_makes_no_design() -> None:
    table = small_table(gp.Threshold(0.0, 2.0), 1.0)
    weights = table.weights.copy()
    weights[2] = np.roll(weights[0], 1)
    with pytest.raises(gp.InvalidDesign, match="promise"):
        Design("survey", (gp.Table(table.query, table.guarantee, table.lattice, table.values, weights),))


def refused(data: bytes, folder: Path, match: str) -> None:
    """Library and device both."""
    with pytest.raises(gp.InvalidDesign, match=match):
        verify(data)
    (folder / "tampered.json").write_bytes(data)
    with pytest.raises(gp.InvalidDesign, match=match):
        Design.read(folder / "tampered.json")


def changed(document: dict[str, Any], path: list[Any], value: Any) -> dict[str, Any]:
    place = document = copy.deepcopy(document)
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return document


TABLE = ["mechanisms", 0]
SQUARE = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]]
EPSILON = [*TABLE, "guarantee", "epsilon"]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ([*TABLE, "weights", 1, 1], 5),
        ([*TABLE, "lattice", 0], -2.5),
        (EPSILON, 1.5),
        (["guarantee", "epsilon"], 1.5),
        (["hash"], "0" * 64),
        (["hash"], None),
        (["extra"], 1),
        (["survey"], "another"),
        ([*TABLE, "query", "at"], 0.25),
    ],
    ids=str,
)
def test_a_change_that_keeps_the_old_hash_is_refused(path: list[Any], value: Any, tmp_path: Path) -> None:
    refused(canonical(changed(document_of(table_design()), path, value)) + b"\n", tmp_path, "changed after it was made")


@pytest.mark.parametrize(
    ("path", "value", "match"),
    [
        (EPSILON, 0.1, "promise"),
        ([*TABLE, "weights", 1, 1], 5, "promise"),
        ([*TABLE, "weights", 1], [2**60, 0, 0, 0], "promise"),
        ([*TABLE, "weights", 1], [2**61, -(2**60), 0, 0], "promise"),
        ([*TABLE, "weights", 1, 1], 2.0**58, "whole numbers"),
        ([*TABLE, "weights", 1, 1], True, "whole numbers"),
        ([*TABLE, "weights"], [], "rows"),
        ([*TABLE, "lattice", 1], -5.0, "increasing"),
        ([*TABLE, "lattice", 1], "inf", "number"),
        (["guarantee", "epsilon"], 1.5, "weakest"),
        (["guarantee", "epsilon"], 0.5, "weakest"),
        (["guarantee", "delta"], 0.1, "pure"),
        (["guarantee", "radius"], 5.0, "pure"),
        (["guarantee", "metric"], "discrete", "pure"),
        (["guarantee", "unit"], "USD", "per unit"),
        ([*TABLE, "guarantee", "unit"], "USD", "per unit"),
        (["extra"], 1, "keys"),
        ([*TABLE, "extra"], 1, "keys"),
        ([*TABLE, "coordinate", "extra"], 1, "keys"),
        ([*TABLE, "space", "extra"], 1, "keys"),
        ([*TABLE, "type"], "SmoothT", "one of"),
        ([*TABLE, "coordinate"], None, "object"),
        ([*TABLE, "coordinate", "type"], "LipschitzQuery", "one of"),
        ([*TABLE, "coordinate", "type"], "Threshold", "one of"),
        ([*TABLE, "coordinate", "type"], "Radial", "keys"),
        ([*TABLE, "coordinate", "direction"], [0.0], "length is about 1"),
        ([*TABLE, "coordinate", "direction"], [5e-324], "length is about 1"),
        ([*TABLE, "coordinate", "direction"], [1e308], "length is about 1"),
        ([*TABLE, "coordinate", "direction"], [1.0, 0.0], "1 number"),
        ([*TABLE, "coordinate", "direction"], [], "at least one"),
        ([*TABLE, "coordinate", "direction"], ["NaN"], "finite number"),
        ([*TABLE, "coordinate", "direction"], [True], "finite number"),
        ([*TABLE, "coordinate", "shift"], "inf", "finite number"),
        ([*TABLE, "coordinate", "shift"], "NaN", "finite number"),
        ([*TABLE, "coordinate", "shift"], 10**380, "finite number"),
        ([*TABLE, "coordinate", "shift"], None, "finite number"),
        ([*TABLE, "coordinate"], {"type": "Radial", "center": [0.0, 1.0], "offset": 0.0}, "1 number"),
        ([*TABLE, "coordinate"], {"type": "Radial", "center": [0.0], "offset": "-inf"}, "finite number"),
        ([*TABLE, "coordinate"], {"type": "Quadrant", "corner": ["inf"]}, "finite number"),
        ([*TABLE, "coordinate"], {"type": "Region", "rings": [SQUARE]}, "two axes"),
        ([*TABLE, "coordinate"], {"type": "EarthRegion", "rings": [SQUARE]}, "the Earth"),
        ([*TABLE, "query"], "above 0", "an object"),
        ([*TABLE, "query"], None, "an object"),
        ([*TABLE, "query", "words"], "w" * 401, "400 characters"),
        ([*TABLE, "query", "words"], ["w" * 400] * 2700, "1,048,576 bytes"),
        ([*TABLE, "query", "words"], "\x1b[2J", "printed and seen"),
        ([*TABLE, "query", "w" * 401], 1, "400 characters"),
        ([*TABLE, "space", "resolution"], 0.01, "keys"),
        ([*TABLE, "space", "type"], "Earth", "keys"),
        (["version"], 2, "version"),
        (["version"], True, "version"),
        (["survey"], "", "survey"),
        (["mechanisms"], [], "at least one"),
        (["mechanisms"], [None], "object"),
        (["shares"], [1, 1], "each mechanism"),
        (["shares"], [0], "shares"),
        (["type"], "Table", "one of"),
    ],
    ids=str,
)
def test_a_change_under_a_new_hash_is_refused_where_it_breaks_a_rule(
    path: list[Any], value: Any, match: str, tmp_path: Path
) -> None:
    refused(rehashed(changed(document_of(table_design()), path, value)), tmp_path, match)


@pytest.mark.parametrize(
    ("path", "value", "match"),
    [
        (["coordinate", "shift"], 0.25, "Table.coordinate"),
        (["coordinate", "shift"], 5e-324, "Table.coordinate"),
        (["coordinate", "shift"], 0, "Table.coordinate"),
        (["coordinate", "shift"], -0.0, "Table.coordinate"),
        (["coordinate", "direction"], [-1.0], "Table.coordinate"),
        (["coordinate"], {"type": "Radial", "center": [0.0], "offset": 0.0}, "Table.coordinate"),
        (["coordinate"], {"type": "Quadrant", "corner": [0.0]}, "Table.coordinate"),
        (["query", "at"], 0.25, "Table.coordinate"),
        (["query", "space"], {"type": "Line", "unit": "USD"}, "unit of the space"),
        (["query", "space"], {"type": "Euclidean", "axes": 1, "unit": None}, "Line or a LogLine"),
        (["query", "extra"], 1, "extra"),
        (["query", "type"], "LipschitzQuery", "a Query"),
        (["query", "type"], "Line", "a Query"),
        (["query"], {}, "'type'"),
        (["query", "space", "resolution"], 0.01, "resolution"),
    ],
    ids=str,
)
def test_a_device_keeps_its_promise_whatever_is_asked_and_the_library_answers_what_is_asked(
    path: list[Any], value: Any, match: str, tmp_path: Path
) -> None:
    """The promise rests on the coordinate; a coordinate that is not the question's would answer something else."""
    data = rehashed(changed(document_of(table_design()), [*TABLE, *path], value))
    assert verify(data).mechanisms[0].spent <= 1
    (tmp_path / "design.json").write_bytes(data)
    with pytest.raises(gp.InvalidDesign, match=match):
        gp.Design.read(tmp_path / "design.json")
    with pytest.raises(gp.InvalidDesign):
        gp.Table.from_document(json.loads(data)["mechanisms"][0])
    assert not gp.audit(tmp_path / "design.json").passed


@pytest.mark.parametrize(
    ("path", "value", "match"),
    [
        (["theta"], [1, 2], "promise"),
        (["theta"], [0, 2], "whole number"),
        (["theta"], [1, 2**20], "between"),
        (["theta"], 0.1, "two whole"),
        (["step"], 100.0, "promise"),
        (["step"], -1.0, "positive"),
        (["step"], 5e-324, "promise"),
        (["origin"], [0.0], "flat space"),
        (["guarantee", "epsilon"], 9e-4, "promise"),
    ],
    ids=str,
)
def test_a_lattice_that_was_tampered_with_is_refused(path: list[Any], value: Any, match: str, tmp_path: Path) -> None:
    refused(rehashed(changed(document_of(lattice_design()), [*TABLE, *path], value)), tmp_path, match)


LINE: dict[str, Any] = {"type": "Line", "unit": None}
DEEP = functools.reduce(lambda inner, _: {"type": "Share", "name": "x", "query": inner}, range(400), LINE)


@pytest.mark.parametrize(
    ("key", "value", "match"),
    [
        ("questions", [LINE], "a Question"),
        ("questions", [{"type": "Share", "name": "x", "query": LINE}], "a Query"),
        ("questions", [DEEP], "too deep"),
        ("source", LINE, "one of Source"),
        ("source", {"type": "Source", "columns": ["lat", "lon"], "low": [], "high": [], "person": ""}, "axes"),
        ("source", {"type": "Source", "columns": ["lat"]}, "made of the keys"),
    ],
)
def test_parts_that_do_not_fit_together_are_no_design(key: str, value: Any, match: str, tmp_path: Path) -> None:
    (tmp_path / "design.json").write_bytes(rehashed(document_of(table_design()) | {key: value}))
    with pytest.raises(gp.InvalidDesign, match=match):
        gp.Design.read(tmp_path / "design.json")
    assert not gp.audit(tmp_path / "design.json").passed


@pytest.mark.parametrize("radius", [6.5e6, 6.4e9])
@pytest.mark.parametrize("space", [CITY, EARTH], ids=["map", "globe"])
def test_a_globe_whose_metres_are_too_short_makes_no_design(
    space: gp.spaces.Space, radius: float, tmp_path: Path
) -> None:
    """On a globe 1000 times too large, 1 per km is 1 per metre on the ground."""
    document = document_of(table_design(gp.Ball((40.7, -74.0), 3000.0, 1e3, space), 1e-3))
    refused(rehashed(changed(document, [*TABLE, "space", "radius"], radius)), tmp_path, "metre on the ground")


def test_a_factor_is_named_to_its_last_digit() -> None:
    """With six digits 1 per factor 1.000005 was written as 1 per factor 1.00001, half of what it costs."""
    assert gp.LogLine(base=1.000005).distance_unit == "factor 1.000005"
    assert gp.LogLine(base=2).distance_unit == gp.LogLine(base=2.0).distance_unit == "factor 2"


def test_another_design_under_its_own_hash_is_refused_where_the_hash_is_known() -> None:
    known, raised = table_design(), table_design(epsilon=2.0)
    verify(raised.to_bytes())
    verify(known.to_bytes(), known.hash.upper())
    with pytest.raises(gp.InvalidDesign, match="published one"):
        verify(raised.to_bytes(), known.hash)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data.replace(b",", b", ", 1),
        lambda data: b"\xef\xbb\xbf" + data,
        lambda data: data[:-10],
        lambda data: data + b"\n",
        lambda data: b"",
        lambda data: b"[1]",
        lambda data: b"\xff" + data,
        lambda data: data.replace(b'"survey":', b'"survey":"other","survey":'),
        lambda data: data.replace(b"-2.0,", b"-2.00,", 1),
        lambda data: data.replace(b"-2.0,", b"NaN,", 1),
        lambda data: b"[" * 100_000,
    ],
)
def test_a_file_that_is_not_canonical_is_refused(spoil: Callable[[bytes], bytes], tmp_path: Path) -> None:
    refused(spoil(table_design().to_bytes()), tmp_path, "JSON")


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_whatever_is_broken_the_error_is_ours_and_a_promise_is_kept(data: st.DataObject) -> None:
    """One part of a design is replaced by anything: it is refused by name, or it still keeps what it promises."""
    document = document_of(data.draw(st.sampled_from([table_design(), lattice_design(CITY)])))
    place: Any = document
    while True:
        key = data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
        if not (isinstance(place[key], dict | list) and place[key] and data.draw(st.booleans())):
            break
        place = place[key]
    rubbish = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
    place[key] = data.draw(rubbish | st.lists(rubbish, max_size=3) | st.just({"type": "Line"}))
    try:
        found = verify(rehashed(document))
    except gp.InvalidDesign:
        return
    assert all(mechanism.spent <= 1 for mechanism in found.mechanisms)
    assert found.epsilon == max(mechanism.epsilon for mechanism in found.mechanisms)


def test_a_design_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, first = tmp_path / "design.json", table_design()
    first.write(path)

    def fail(*_: Any) -> None:
        raise OSError("no space left")

    monkeypatch.setattr("geopriv.device.files.sync", fail)
    with pytest.raises(OSError, match="space"):
        two_tables().write(path)
    assert [file.name for file in tmp_path.iterdir()] == ["design.json"]
    assert path.read_bytes() == first.to_bytes()


def test_designs_fit_the_published_schema(design: Design) -> None:
    assert errors_of(SCHEMA, document_of(design)) == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["version"], 2),
        (["hash"], "abc"),
        (["survey"], ""),
        (["shares"], []),
        (["shares", 0], 0),
        (["extra"], 1),
        ([*TABLE, "weights", 0, 0], 0.5),
        ([*TABLE, "weights", 0, 0], -1),
        ([*TABLE, "type"], "SmoothT"),
        ([*TABLE, "lattice"], [1.0]),
        ([*TABLE, "query", "space", "type"], "Moon"),
        ([*TABLE, "space", "type"], "Moon"),
        ([*TABLE, "coordinate", "type"], "Threshold"),
        ([*TABLE, "coordinate", "direction"], []),
        ([*TABLE, "coordinate", "extra"], 1),
        (["guarantee", "epsilon"], "1"),
        (["guarantee", "radius"], 3.0),
    ],
    ids=str,
)
def test_the_schema_refuses_what_is_no_design(path: list[Any], value: Any) -> None:
    assert errors_of(SCHEMA, changed(document_of(table_design()), path, value))


USD = gp.Line("USD")
RANGED: list[gp.queries.Question] = [
    gp.Mean("one", USD, low=(0.0,), high=(2e6,)),
    gp.queries.Total("one", 1000.0, gp.queries.Value(space=USD), low=(0.0,), high=(2e6,)),
    gp.Quantile("one", (0.5,), USD, 0.0, 2e6, reach=6400.0),
]


@pytest.mark.parametrize("question", RANGED, ids=["mean", "total", "quantile"])
@pytest.mark.parametrize("source", [None, gp.Source(("income",)), gp.Source((), (0.0,), (1e6,))])
def test_a_range_to_which_nobody_is_clamped_is_refused(question: gp.queries.Question, source: gp.Source | None) -> None:
    lattice = gp.Lattice.calibrate(USD, "1 per 8,000 USD", step=800.0)
    with pytest.raises(gp.InvalidParameter, match="'low' and 'high' of 'one' are those of the design's source"):
        Design("incomes", (lattice,), questions=(question,), source=source)
    made = Design("incomes", (lattice,), questions=(question,), source=gp.Source((), (0.0,), (2e6,)))
    assert Design.parse(made.to_bytes()) == made


def test_a_file_whose_question_has_another_range_than_its_source_is_refused() -> None:
    lattice = gp.Lattice.calibrate(USD, "1 per 8,000 USD", step=800.0)
    made = Design("incomes", (lattice,), questions=(RANGED[0],), source=gp.Source((), (0.0,), (2e6,)))
    document = document_of(made)
    document["source"]["high"] = [1e6]
    del document["hash"]
    with pytest.raises(gp.InvalidDesign, match="those of the design's source"):
        Design.parse(rehashed(document))


def test_a_mean_without_a_range_needs_no_source() -> None:
    lattice = gp.Lattice.calibrate(USD, "1 per 8,000 USD", step=800.0)
    assert Design("incomes", (lattice,), questions=(gp.Mean("mean", USD),)).source is None
