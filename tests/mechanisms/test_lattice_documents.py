"""Documents of lattices: round trips with two integers for θ, and promises that do not hold, which must be refused."""

from __future__ import annotations

import copy
import json
import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import geopriv as gp
from geopriv.spaces.documents import to_document
from tests.rows import CITY, Row, rows

LATTICES = [row for row in rows() if row.name.startswith("Lattice /") and row.asked.name != "any function"]
SPACES: list[gp.spaces.Space] = [
    gp.Line("USD"),
    gp.Line("USD"),
    gp.LogLine(2.0),
    gp.Plane(),
    gp.Plane("km"),
    gp.Euclidean(5),
    CITY,
    CITY,
]


def through_json(mechanism: gp.Lattice) -> gp.Lattice:
    return gp.Lattice.from_document(json.loads(json.dumps(mechanism.to_document(), allow_nan=False)))


@pytest.mark.parametrize("row", LATTICES, ids=[row.name for row in LATTICES])
def test_every_lattice_survives_its_document(row: Row) -> None:
    again = through_json(row.mechanism)
    assert again == row.mechanism
    first, second = (m.simulate(row.values, np.random.default_rng(1)).values for m in (row.mechanism, again))
    np.testing.assert_array_equal(first, second)


@settings(deadline=None)
@given(
    st.sampled_from(SPACES),
    st.floats(1e-6, 1e3),
    st.floats(0.01, 10.0),
    st.lists(st.floats(-1e6, 1e6), min_size=6, max_size=6),
)
def test_lattices_of_every_size_come_back_as_they_were(
    space: gp.spaces.Space, rate: float, relative: float, origin: list[float]
) -> None:
    mechanism = gp.Lattice.on_grid(space, rate, relative / rate, tuple(origin[: space.dimension]))
    again = through_json(mechanism)
    assert again == mechanism
    assert again.spent == mechanism.spent <= 1


def test_theta_is_written_as_two_integers() -> None:
    mechanism = gp.Lattice.calibrate(gp.Plane(), 1e-3, noise="product")
    document = mechanism.to_document()
    assert document["theta"] == [mechanism.theta.numerator, mechanism.theta.denominator]
    assert all(type(part) is int for part in document["theta"])


def more(document: dict[str, Any]) -> list[int]:
    """θ with one part in 10^30 more: no float would notice."""
    theta = Fraction(*document["theta"]) * (1 + Fraction(1, 10**30))
    return [theta.numerator, theta.denominator]


def test_a_promise_broken_by_one_part_in_ten_to_the_thirty_is_refused() -> None:
    mechanism = replace(gp.Lattice.calibrate(gp.Line(), 1.0, step=0.125, noise="product"), theta=Fraction(1, 8))
    document = mechanism.to_document()
    assert gp.Lattice.from_document(document).spent == 1
    with pytest.raises(gp.InvalidDesign, match="theta"):
        gp.Lattice.from_document(document | {"theta": more(document)})


LINE = to_document(gp.Line("USD"))


@pytest.mark.parametrize(
    "change",
    [
        {"theta": 0.1},
        {"theta": [1]},
        {"theta": [1, 0]},
        {"theta": [1, -10]},
        {"theta": [-1, 10]},
        {"theta": [0, 1]},
        {"theta": [0.5, 1]},
        {"theta": [True, 10]},
        {"theta": [1, 10, 1]},
        {"theta": "1/10"},
        {"theta": None},
        {"theta": [1, 10**300]},
        {"theta": [10**300, 1]},
        {"step": 0.0},
        {"step": -800.0},
        {"step": "inf"},
        {"step": 799.0},
        {"origin": [0.0, 0.0]},
        {"origin": ["inf"]},
        {"origin": 0.0},
        {"space": {"type": "Earth"}},
        {"space": {"type": "Ramp", "width": 1.0}},
        {"space": {"type": "Euclidean", "axes": 7, "unit": "USD"}},
        {"space": LINE | {"unit": "EUR"}},
        {"space": LINE | {"resolution": 0.01}},
        {"guarantee": to_document(gp.Guarantee(0.999 / 8000, unit="USD"))},
        {"guarantee": to_document(gp.Guarantee(1 / 8000, unit="EUR"))},
        {"guarantee": to_document(gp.Guarantee(1 / 8000, unit="USD", metric="discrete"))},
        {"guarantee": {"type": "Guarantee"}},
        {"ratio": 0.9},
    ],
    ids=str,
)
def test_a_lattice_that_is_none_is_refused(change: dict[str, Any]) -> None:
    document = gp.Lattice.calibrate(gp.Line("USD"), 1 / 8000, noise="product").to_document()
    gp.Lattice.from_document(document)
    with pytest.raises(gp.InvalidDesign):
        gp.Lattice.from_document(document | change)


@pytest.mark.parametrize("key", ["space", "guarantee", "step", "theta"])
def test_a_lattice_that_lacks_something_is_refused(key: str) -> None:
    document = gp.Lattice.calibrate(gp.Line("USD"), 1 / 8000, noise="product").to_document()
    del document[key]
    with pytest.raises(gp.InvalidDesign, match=key):
        gp.Lattice.from_document(document)


def test_a_mechanism_is_not_read_from_the_document_of_another() -> None:
    table, lattice = (
        gp.Table.calibrate(gp.Threshold(0.0, 2.0), 1.0),
        gp.Lattice.calibrate(gp.Line(), 1.0, noise="product"),
    )
    with pytest.raises(gp.InvalidDesign, match="must be a Lattice"):
        gp.Lattice.from_document(table.to_document())
    with pytest.raises(gp.InvalidDesign, match="must be a Table"):
        gp.Table.from_document(lattice.to_document())


rubbish = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.lists(st.integers() | st.floats(), max_size=3),
    st.sampled_from([{"type": "Line"}, {"type": "Plane"}, {"type": "Guarantee", "epsilon": 1.0}]),
)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(SPACES), st.data(), rubbish)
def test_whatever_is_broken_the_promise_is_still_verified(
    space: gp.spaces.Space, data: st.DataObject, rubbish: Any
) -> None:
    """One part of a document is replaced by anything: it is refused by name, or what comes out keeps its promise."""
    document = copy.deepcopy(gp.Lattice.calibrate(space, 1.0, step=0.5, noise="product").to_document())
    place: Any = document
    key = data.draw(st.sampled_from(sorted(document)))
    if isinstance(document[key], dict | list) and data.draw(st.booleans()):
        place = document[key]
        key = data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
    place[key] = rubbish
    try:
        again = gp.Lattice.from_document(document)
    except gp.InvalidDesign:
        return
    assert again.spent <= 1
    assert again.guarantee.unit == again.space.distance_unit
    assert math.isfinite(again.curvature)
