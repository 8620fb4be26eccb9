"""Float filters against the exact samplers where they are most likely to differ: borders, ends of U, far offsets."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import geopriv as gp
from geopriv.mechanisms.base import Mechanism
from geopriv.mechanisms.lattice.noises import geometric
from geopriv.mechanisms.table import kernels as table_kernels
from geopriv.mechanisms.table import reports as table_reports
from geopriv.noise import plans as noise_plans
from geopriv.noise import spherical_laplace
from geopriv.noise.filters import CERTAIN, UNKNOWN, shift
from geopriv.spaces.checks import FloatArray
from tests.borders import (
    END,
    ENDS,
    Path,
    Planned,
    Rows,
    first_words,
    planted_letters,
    word_sets,
)
from tests.rows import (
    CITY,
    DISTRICT,
    EARTH,
    PARK,
    PLANE,
    USD,
)
from tests.sources import Given, Seeded, plans

ULP = math.ulp(8e20)

# a query, a rate that suits its size, and a path along which its coordinate runs one way
CASES: dict[str, tuple[gp.queries.Query, float, Path]] = {
    "line": (gp.Threshold(100_000.0, 16_000.0, USD), 1 / 8000, Path((0.0,), 0, -60_000.0, 20_000.0)),
    "near line": (gp.Threshold(0.3, 2.0), 1.0, Path((0.0,), 0, -0.6, 1.2)),
    "far line": (gp.Threshold(0.3 - 1e12, 2.0), 1.0, Path((0.0,), 0, -20.0, 20.0)),
    "farther line": (gp.Threshold(8e20, 50 * ULP), 0.02 / ULP, Path((0.0,), 0, -9e3 * ULP, 9e3 * ULP)),
    "far ball": (gp.Ball(8e20, 8e20, 60 * ULP, gp.Line()), 0.02 / ULP, Path((0.0,), 0, -600 * ULP, 600 * ULP)),
    "ratios": (gp.Threshold(1000.0, 0.5, gp.LogLine(2.0)), 2.0, Path((0.0,), 0, 20.0, 40_000.0)),
    "half-space": (gp.Score((1.0, -2.0, 0.5), 0.3, 1.0), 1.0, Path((0.0, 0.1, 1e3), 0, -1400.0, 1000.0)),
    "orthant": (gp.Orthant((0.0, 0.3), 1.0, PLANE), 1.0, Path((0.7, 0.1), 1, -9.0, 1.0)),
    "ball": (gp.Ball((1e5, -0.3), 2.0, 1.0, PLANE), 1.0, Path((1e5 + 0.1, 0.0), 1, -0.2, 9.0)),
    "ring": (
        gp.RadialQuery((0.0, 0.0), gp.shapes.Triangle(1.0, center=3.0), PLANE),
        1.0,
        Path((0.1, 0.0), 1, 0.01, 9.0),
    ),
    "geofence": (gp.Geofence(PARK, 0.4, PLANE), 1.0, Path((0.2, 0.0), 1, -6.0, 0.4)),
    "map": (gp.Ball((40.7, -74.0), 3000.0, 1000.0, CITY), 1e-3, Path((40.6, -74.01), 0, 40.701, 40.94)),
    "Earth": (gp.Ball((40.7, -74.0), 3000.0, 1000.0, EARTH), 1e-3, Path((40.6, -74.01), 0, 40.71, 40.9)),
    "geofence on Earth": (gp.Geofence(DISTRICT, 500.0, EARTH), 1e-3, Path((40.6, -73.99), 0, 40.6, 40.71)),
}
every_case = pytest.mark.parametrize("name", CASES)


def coordinates(name: str) -> tuple[float, float]:
    """The coordinate at both ends of the path, in floats."""
    query, _, path = CASES[name]
    s = query.geometry.bounded(np.asarray([path.at(path.low), path.at(path.high)]))
    assert s is not None
    low, high = sorted(s.value.tolist())
    return low, high


@cache
def tables(name: str) -> list[Rows]:
    """Tables of four cells on the path: as wide as a good table's, and down to below the bound of the float's error."""
    query, rate, path = CASES[name]
    low, high = coordinates(name)
    s = query.geometry.bounded(np.asarray([path.at((path.low + path.high) / 2)]))
    assert s is not None
    rng = np.random.default_rng(3)
    widths = [0.07 / rate, *(factor * float(s.off[0]) for factor in (30.0, 3.0, 1.3, 0.4))]
    lattices = [rng.uniform(low, high) + width * np.arange(-2, 3) for width in widths for _ in range(2)]
    return [Rows(query, lattice) for lattice in lattices if (np.diff(lattice) > 0).all()]


def wrong_rows(name: str) -> int:
    """At how many values beside the borders of a table's rows the filter is wrong."""
    rng = np.random.default_rng(4)
    return sum(
        not table.right(row, [word])
        for table in tables(name)
        for word in first_words(rng)
        for row in table.borders(CASES[name][2], [word])
    )


@every_case
def test_rows_of_tables_are_right_at_every_border_and_both_ends_of_u(name: str) -> None:
    assert wrong_rows(name) == 0


@every_case
def test_a_filter_that_looks_at_one_cell_only_would_be_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_kernels, "letters", planted_letters)
    assert wrong_rows(name) > 0


def test_two_people_at_a_small_distance_on_a_far_line_are_not_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the same bits they send the same letter, but with a probability of 2.5e-7; fixed bits."""
    query = gp.Ball(8e20, 8e20, 60 * ULP, gp.Line())
    shares = np.array([(1 << 60) - (1 << 50), 1 << 50, 1 << 50])  # of the first letter
    table = gp.Table(
        query,
        gp.Guarantee(1100 / (60 * ULP)),
        60 * ULP * np.arange(-1.0, 2.0),
        np.array([0.0, 1.0]),
        np.stack([shares, (1 << 60) - shares], axis=1),
    )
    assert table.worst_step[0] <= 1

    def letters(x: float) -> FloatArray:
        return table_reports.Letters(table).draw(np.full((6_000, 1), x), Seeded(5))[:, 0]

    np.testing.assert_array_equal(letters(65_535.0), letters(65_537.0))
    assert 0.006 < (letters(65_537.0) == 0).mean() < 0.013  # 0.0093
    monkeypatch.setattr(table_kernels, "letters", planted_letters)
    assert (letters(65_535.0) != letters(65_537.0)).mean() > 0.005


def line_of(lattice: FloatArray, s: Fraction, word: int) -> set[int]:
    """The rows that numbers with these 64 bits can have, in plain fractions."""
    lines = set()
    for u in (
        Fraction(word, 1 << 64),
        Fraction(2 * word + 1, 1 << 65),
        Fraction(word + 1, 1 << 64) - Fraction(1, 1 << 200),
    ):
        points = [Fraction(point) for point in lattice.tolist()]
        lines.add(sum(s > a + u * (b - a) for a, b in pairwise(points)))
    return lines


@pytest.mark.parametrize(("at", "width"), [(100_000.0, 2_000.0), (0.1, 1e-3), (1e21, 4e6), (-3.0, 1e-300)])
def test_the_exact_sampler_ends_at_every_lattice_point_and_a_float_beside_it(at: float, width: float) -> None:
    """Both ends of U and no bits beyond the first 64: plain fractions need none either."""
    query = gp.Threshold(at, max(1.0, 1e-9 * at))
    lattice = width * np.arange(-59.0, 3.0, 7.0) - (18_400.0 if at == 1e5 else 0.0)
    table = Rows(query, lattice)
    for point in lattice.tolist():
        x = float(Fraction(point) + Fraction(at))
        for value in (math.nextafter(x, -math.inf), x, math.nextafter(x, math.inf), -x, 0.0):
            for word in ENDS:
                expected = line_of(lattice, Fraction(value) - Fraction(at), word)
                assert len(expected) == 1
                ready, row = table.ready, [value]
                assert {table_reports._letter(table.table, ready, row, [word, 0], Given(b""))} == expected


def test_a_value_beside_a_lattice_point_of_an_income_table_is_reported() -> None:
    table = gp.Table.calibrate(gp.Threshold(100_000.0, 16_000.0, USD), 1 / 8000)
    lattice = table.lattice.tolist()
    rest = bytes(range(256)) * 4
    for point in lattice[::9]:
        near = point + 100_000.0
        for x in (-18_399.9, near, math.nextafter(near, -math.inf), math.nextafter(near, math.inf)):
            for word in (0, END):
                source = Given(word.to_bytes(8, "little") + bytes(8) + rest)
                made = table_reports.Letters(table).draw(np.array([[x]]), source)[0, 0]
                (line,) = line_of(table.lattice, Fraction(x) - 100_000, word)
                assert made == table.values[np.flatnonzero(table.weights[line])[0]]


def test_logarithms_on_a_lattice_point_are_settled_by_more_bits() -> None:
    """Balls cannot tell that log2 of 8 is 3; with further bits they need not."""
    table = Rows(gp.Threshold(8.0, 0.5, gp.LogLine(2.0)), [-2.0, -1.0, 0.0, 1.0, 2.0])
    for word in ENDS:
        assert [table.exact([x], [word]) for x in (2.0, 4.0, 8.0, 16.0, 32.0)] == [0, 1, 2, 3, 4]


WIDE = np.array([-1.7e308, -1e308, 0.0, 1.6e308, 1.7e308])
NARROW = np.array([-1e-310, -5e-324, 0.0, 5e-324, 1e-310])


@pytest.mark.parametrize("lattice", [WIDE, NARROW, NARROW[1:3]], ids=["wide", "narrow", "least"])
def test_cells_wider_than_floats_and_cells_of_the_least_floats_are_right(lattice: FloatArray) -> None:
    table = Rows(gp.Threshold(0.0, 1.0), lattice)
    for x in [*lattice.tolist(), *(np.nextafter(lattice, 0.0)).tolist(), 1.0, -1.0, 1.79e308, 1e-320]:
        for word in first_words(np.random.default_rng(6)):
            assert table.right([x], [word])


@pytest.mark.parametrize("s", [math.nan, math.inf, -math.inf, 0.5, -7.0, 7.0])
@pytest.mark.parametrize("off", [math.nan, math.inf])
def test_an_error_that_is_infinite_or_no_number_settles_nothing(s: float, off: float) -> None:
    table = Rows(gp.Threshold(0.0, 1.0), [-1.0, 0.0, 1.0])
    for word in ENDS:
        letters, status = np.zeros(1, dtype=np.uint16), np.zeros(1, dtype=np.uint8)
        words = np.array([[word, 0]], dtype=np.uint64)
        table_kernels.letters(words, np.array([s]), np.array([off]), table.ready, letters, status)
        assert status[0] == UNKNOWN


ADDED: dict[str, Callable[[gp.queries.Query, float], Mechanism]] = {
    "LipschitzLaplace": gp.LipschitzLaplace.calibrate,
    "LeastScaleT": lambda q, e: gp.LeastScaleT.calibrate(q, e, df=3.5),
    "SmoothT": gp.SmoothT.calibrate,
    "SmoothCauchy": lambda q, e: gp.SmoothCauchy.calibrate(q, e, p=3.0, theta=1.2),
    "CoordinateLaplace": lambda q, e: gp.CoordinateLaplace.calibrate(q, e, estimator="plain"),
    "InputLaplace": lambda q, e: gp.InputLaplace.calibrate(q.space, e),
    "Lattice": lambda q, e: gp.Lattice.calibrate(q.space, e, step=0.7 / e, noise="product"),
    "fine Lattice": lambda q, e: gp.Lattice.calibrate(q.space, e, step=2.0**-12 / e, noise="product"),
}


def checked(name: str, mechanism: str, count: int) -> tuple[int, int]:
    """At how many values beside borders the filter is wrong, and at how many it knows."""
    query, rate, path = CASES[name]
    plan = plans(ADDED[mechanism](query, rate))[0]
    filtered, rng, wrong, known = Planned(plan), np.random.default_rng(7), 0, 0
    sets = word_sets(plan.law.words, 8)
    for words in [sets[i] for i in rng.permutation(len(sets))[:count].tolist()]:
        part = replace(path, low=rng.uniform(path.low, path.high))  # the report changes soon after
        for row in filtered.borders(part, words):
            wrong += not filtered.right(row, words)
            known += filtered.screened(row, words)[0] != UNKNOWN
    return wrong, known


@every_case
def test_reports_are_right_beside_the_values_at_which_they_change(name: str) -> None:
    suited = [mechanism for mechanism in ADDED if CASES[name][0].space != EARTH or "Lattice" not in mechanism]
    results = {mechanism: checked(name, mechanism, 30) for mechanism in suited}
    assert {mechanism: wrong for mechanism, (wrong, _) in results.items() if wrong} == {}
    assert sum(known for _, known in results.values()) > 100


@pytest.mark.parametrize(
    "mechanism", ["LipschitzLaplace", "LeastScaleT", "SmoothT", "SmoothCauchy", "CoordinateLaplace"]
)
def test_noise_that_is_off_by_a_little_and_claims_to_be_right_would_be_caught(
    mechanism: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = shift

    def boastful(z: Any, error: Any, status: Any, centre: Any, off: Any, spread: Any, wide: Any, *rest: Any) -> None:
        honest(z * (1 + 1e-13), np.where(error < 1, 0.0, error), status, centre, 0 * off, spread, 0 * wide, *rest)

    monkeypatch.setattr(noise_plans, "shift", boastful)
    assert checked("near line", mechanism, 60)[0] > 0


def test_a_place_on_the_globe_that_is_off_by_a_little_would_be_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = spherical_laplace.sphere_filter
    monkeypatch.setattr(
        spherical_laplace,
        "sphere_filter",
        lambda words, status, places, *rest: honest(words, status, places * (1 + 1e-11), *rest),
    )
    assert checked("Earth", "InputLaplace", 40)[0] > 0


def test_a_lattice_that_forgets_the_far_end_of_a_cell_would_be_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def forgetful(words: Any, place: Any, off: Any, start: float, ratio: float, values: Any, status: Any) -> None:
        lower = np.floor(place)
        left = place - lower - (words[:, ::2].astype(np.float64) + 0.5) * 2.0**-64
        v = ((words[:, 1::2] & np.uint64((1 << 63) - 1)).astype(np.float64) + 0.5) * 2.0**-63
        size = np.maximum(np.ceil(-(np.log(v) + start) / ratio), 0.0)
        values[:] = lower + (left > 0) + np.where(words[:, 1::2] >> np.uint64(63) == 1, size, -size)
        status[:] = np.where((np.abs(left) > off + 2.0**-51).all(axis=1), CERTAIN, UNKNOWN)

    monkeypatch.setattr(geometric, "lattice_filter", forgetful)
    for name in ("far line", "map"):
        assert checked(name, "Lattice", 30)[0] > 0


def test_a_polygon_whose_products_underflow_leaves_nothing_certain_that_is_wrong() -> None:
    """Sides of 1e-161, whose squares have one or two digits: 200 rows, 180 places."""
    rng, size = np.random.default_rng(6), 1e-162
    square = [[0.0, 0.0], [10 * size, 0.0], [10 * size, 10 * size], [0.0, 10 * size], [0.0, 0.0]]
    fence = gp.Geofence({"type": "Polygon", "coordinates": [square]}, size, PLANE)
    table = Rows(fence, size * np.sort(rng.uniform(-4.0, 4.0, 200)))
    places = size * rng.uniform(-5.0, 15.0, (180, 2))
    assert all(table.right(place, [int(rng.integers(1 << 62)), 5]) for place in places.tolist())
