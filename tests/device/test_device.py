"""The device's arithmetic: the library's coordinates, exact draws, and the library's rule from bytes."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import geopriv as gp
from geopriv.device.designs import VerifiedDesign, verify
from geopriv.device.draws import (
    Source,
    Uniform,
    _count,
    draw_cells,
    draw_letter,
    draw_share,
    rows_of,
)
from geopriv.device.intervals import Interval, exact
from geopriv.device.lattices import DeviceLattice
from geopriv.device.maps import LocalMap
from geopriv.device.mechanisms import DeviceTable, read_mechanism
from geopriv.device.spaces import read_space
from geopriv.device.values import read_value
from geopriv.noise import entropy
from geopriv.noise.exact import precision
from geopriv.spaces.documents import to_document
from tests.designs import (
    ASKED_OF_DEVICES,
    Given,
    Stream,
    document_of,
    lattice_design,
    places,
    rehashed,
    small_table,
    table_design,
    two_tables,
)
from tests.independent_coordinates import nearest_point
from tests.rows import CITY

ROOT = Path(__file__).parents[2]
NAMES = [name for name, *_ in ASKED_OF_DEVICES]


def device_table(query: gp.queries.Query, epsilon: float) -> DeviceTable:
    found = read_mechanism(json.loads(json.dumps(small_table(query, epsilon).to_document())), "it")
    assert isinstance(found, DeviceTable)
    return found


@pytest.mark.parametrize(("name", "query", "epsilon", "box"), ASKED_OF_DEVICES, ids=NAMES)
def test_a_device_encloses_the_coordinate_of_the_library(
    name: str, query: gp.queries.Query, epsilon: float, box: Any
) -> None:
    """Two arithmetics, whole numbers and balls, agree on the same real number to 25 digits of a cell."""
    ours = device_table(query, epsilon)
    values = places(box, 60, seed=1)
    rows, _ = query.space.read_rows(values)
    for value, row in zip(values, rows.tolist(), strict=True):
        found = ours.coordinate.enclose(read_value(ours.space, value), 160)
        assert (found.high - found.low) / 2**160 < 1e-25 / epsilon
        with precision(300):
            exactly = query.geometry.enclose(row) if not isinstance(query, gp.Blurred) else None
            assert exactly is None or not (exactly * arb(2) ** 160 < found.low or exactly * arb(2) ** 160 > found.high)
    assert np.ptp(query.coordinate(values)) > 1 / epsilon


@pytest.mark.parametrize(("name", "query", "epsilon", "box"), ASKED_OF_DEVICES, ids=NAMES)
def test_a_device_verifies_what_the_library_verifies(
    name: str, query: gp.queries.Query, epsilon: float, box: Any
) -> None:
    table = small_table(query, epsilon)
    assert device_table(query, epsilon).spent == table.worst_step[0]


@pytest.mark.parametrize("space", [gp.Line("USD"), gp.LogLine(2.0), gp.Plane("km"), gp.Euclidean(3), CITY], ids=str)
def test_a_device_verifies_lattices_as_the_library_does(space: gp.spaces.Space) -> None:
    lattice = gp.Lattice.calibrate(space, 1e-3, step=50.0)
    found = read_mechanism(json.loads(json.dumps(lattice.to_document())), "it")
    assert found.spent == lattice.spent


@pytest.mark.parametrize("space", [CITY, gp.LogLine(2.0, 3.0), gp.LocalPlane(-80.0, 170.0, -60.0, -170.0)], ids=str)
def test_public_points_are_the_nearest_floats_and_devices_have_the_same_map(space: gp.spaces.Space) -> None:
    document, rng = to_document(space), np.random.default_rng(2)
    for _ in range(50):
        place = (
            [rng.uniform(-90, 90), rng.uniform(-180, 180)] if isinstance(space, gp.LocalPlane) else rng.uniform(1, 99)
        )
        expected = np.atleast_1d(space.public_point("it", "place", place))
        assert nearest_point(document, np.atleast_1d(place).tolist()) == expected.tolist()
    ours = read_space(document)
    if isinstance(space, gp.LocalPlane):
        assert isinstance(ours, LocalMap)
        assert (list(ours.low), list(ours.high)) == tuple(part.tolist() for part in space.rectangle)
        assert ours.middle == space.middle


LONG = np.longdouble(1) + np.longdouble(2) ** -60  # which most processors hold, and no float does


@pytest.mark.parametrize(
    ("value", "exactly"),
    [
        (2**53 + 1, Fraction(2**53 + 1)),
        (0.1, Fraction(0.1)),
        (Decimal("0.1"), Fraction(1, 10)),
        (Fraction(1, 3), Fraction(1, 3)),
        (np.float32(0.1), Fraction(float(np.float32(0.1)))),
        (LONG, Fraction(*LONG.as_integer_ratio())),
        (np.int64(7), Fraction(7)),
    ],
    ids=str,
)
def test_a_value_is_taken_exactly_as_it_is_held(value: Any, exactly: Fraction) -> None:
    (found,) = read_value(device_table(gp.Threshold(0.0, 1.0), 1.0).space, value)
    assert found == exactly
    assert type(found.numerator) is int


def row_and_letter(table: gp.Table, s: Fraction, words: bytes) -> int:
    """The published rule in plain fractions."""
    lattice = [Fraction(x) for x in table.lattice.tolist()]
    s = min(max(s, lattice[0]), lattice[-1])
    cell = max(i for i in range(len(lattice) - 1) if lattice[i] <= s)
    share = (s - lattice[cell]) / (lattice[cell + 1] - lattice[cell])
    first, second = (int.from_bytes(words[i : i + 8], "little") for i in (0, 8))
    row, number = cell + (Fraction(first, 2**64) < share), second >> 4
    return next(j for j in range(4) if number < sum(table.weights[row, : j + 1].tolist()))


def test_the_same_bytes_give_what_plain_fractions_give() -> None:
    query, stream = gp.Threshold(0.3, 2.0), Stream(0)
    table, ours = small_table(query, 1.0), device_table(query, 1.0)
    seen = set()
    for x in [*np.linspace(-4, 4, 101).tolist(), 0.4, -1e9, 1e308, 5e-324]:
        words = stream(16)
        (found,) = ours.draw((Fraction(x),), Given(words))
        assert found == row_and_letter(table, Fraction(x) - Fraction(0.3), words)
        seen.add(found)
    assert seen == {0, 1, 2, 3}


def test_the_same_bytes_give_the_same_reports_as_the_library() -> None:

    class Same(entropy.Source):
        def __init__(self, source: Source) -> None:
            self._source = source

        def bytes(self, n: int) -> bytes:
            return self._source(n)

    stream = Stream(1)
    for _, query, epsilon, box in ASKED_OF_DEVICES:
        if isinstance(query, gp.Blurred):
            continue
        table, ours = small_table(query, epsilon), device_table(query, epsilon)
        for value in places(box, 20, seed=3):
            words = stream(16)
            expected = table.report_from(Same(Given(words)), [value]).values[0]
            assert table.values[ours.draw(read_value(ours.space, value), Given(words))[0]] == expected


def test_the_same_bytes_give_the_same_cells_as_the_library() -> None:
    """Words that settle everything, and words that leave the rounding or the noise open."""

    class Same(entropy.Source):
        def __init__(self, source: Source) -> None:
            self._source = source

        def bytes(self, n: int) -> bytes:
            return self._source(n)

    stream = Stream(5)
    for space, values in ((gp.Line("USD"), [0.0, 0.3, -1e6, 1e9]), (gp.Plane("m"), [(0.25, 0.5), (1e4, -3.7)])):
        lattice = gp.Lattice.calibrate(space, 0.5, step=0.25)
        ours = read_mechanism(lattice.to_document(), "mechanism")
        for value in values:
            tail = bytes([7] * 64)
            words = [stream(16 * space.dimension) + tail for _ in range(40)]
            words += [bytes(16 * space.dimension) + tail, bytes([255] * 16 * space.dimension) + tail]
            for drawn in words:
                expected = np.atleast_1d(lattice.report_from(Same(Given(drawn + tail * 9)), [value]).values[0])
                assert ours.draw(read_value(ours.space, value), Given(drawn + tail * 9)) == tuple(
                    expected.astype(int).tolist()
                )


def test_a_share_that_64_bits_do_not_settle_is_settled_by_more() -> None:
    """U begins with the 64 bits of the share itself; what follows decides, drawn 16 bytes at first."""
    rows = rows_of((0.0, 1.0), ((1 << 60, 1 << 60), (0, 1 << 60)))
    first = (2**64 // 3).to_bytes(8, "little") + bytes(8)
    low, high = Given(first + bytes(16)), Given(first + bytes([255] * 16))
    assert draw_letter(rows, lambda bits: exact(Fraction(1, 3), bits), low) == 1
    assert draw_letter(rows, lambda bits: exact(Fraction(1, 3), bits), high) == 0
    assert low.used == high.used == 32


POINTS = (-1.0, 5e-324, 1.0, 2.0)


@pytest.mark.parametrize("s", [Fraction(-1, 3), Fraction(0), Fraction(5e-324) / 3, Fraction(2, 3), Fraction(7)])
def test_points_with_many_digits_cost_no_bits_of_a_coordinate(s: Fraction) -> None:
    """1,186 bits for everybody made a polygon slow; where 112 settle the row it is the same one, from 16 bytes."""
    rows = rows_of(POINTS, ((1 << 60, 1 << 60), (0, 1 << 60), (1 << 60, 1 << 60), (0, 1 << 60)))
    asked: list[int] = []

    def enclose(bits: int) -> Interval:
        asked.append(bits)
        return exact(s, bits)

    for word in (1 << 62, 3 << 61, (1 << 64) - (1 << 20)):
        share = [min(max((s - a) / (b - a), Fraction(0)), Fraction(1)) for a, b in pairwise(map(Fraction, POINTS))]
        row = sum(Fraction(2 * word + 1, 1 << 65) < part for part in share)
        first = word.to_bytes(8, "little") + bytes(8)
        assert draw_letter(rows, enclose, {16: first}.__getitem__) == (0, 1, 0, 1)[row]
    assert set(asked) == {112}


def test_bits_are_drawn_in_the_published_amounts() -> None:
    source = Given(bytes(200))
    uniform = Uniform(source(8), source)
    used = []
    for _ in range(3):
        uniform.extend()
        used.append((uniform.bits, source.used))
    assert used == [(192, 24), (448, 56), (960, 120)]


@settings(max_examples=300)
@given(st.integers(1, 2**64 - 2), st.integers(1, 2**20), st.integers(1, 2**20))
def test_a_geometric_number_is_where_its_powers_say(numerator: int, p: int, q: int) -> None:
    p = max(p, q // 512 + 1)  # so that plain powers stay affordable
    found, a = _count(numerator << 64, (numerator + 1) << 64, 64, (q, p + q)), Fraction(q, p + q)
    if found is None:  # only where the 64 bits leave a power undecided
        near = math.log(numerator / 2**64) / math.log(a)
        assert any(abs(Fraction(numerator, 2**64) - a**k) < Fraction(2, 2**64) for k in {int(near), int(near) + 1})
    else:
        assert Fraction(numerator + 1, 2**64) <= a**found
        assert Fraction(numerator, 2**64) >= a ** (found + 1)


def test_tiny_numbers_are_settled_by_more_bits() -> None:
    source = Given(bytes(16) + bytes([255] * 200))  # V begins with 63 zeros: at least 64 steps, down
    (found,) = draw_cells(lambda bits: [exact(Fraction(0), bits)], (1, 2), 112, source, 1)
    assert -70 < found < -62
    assert source.used == 16 + 32


def chi_square(counts: Any, probabilities: Any) -> float:
    """The p-value, cells of fewer than ten expected put together."""
    expected = np.asarray(probabilities) * sum(counts)
    few = expected < 10
    seen, hoped = np.append(np.asarray(counts)[~few], sum(np.asarray(counts)[few])), expected[~few]
    hoped = np.append(hoped, sum(counts) - hoped.sum())
    keep = hoped > 1e-6 * sum(counts)
    return float(stats.chisquare(seen[keep], hoped[keep] * seen[keep].sum() / hoped[keep].sum()).pvalue)


@pytest.mark.parametrize(("name", "query", "epsilon", "box"), ASKED_OF_DEVICES[::3], ids=NAMES[::3])
def test_reports_of_tables_follow_the_law(name: str, query: gp.queries.Query, epsilon: float, box: Any) -> None:
    """Fixed bytes; the true law is rejected with probability 1e-4 a case, that of a person 0.4/ε away always."""
    table, ours, stream = small_table(query, epsilon), device_table(query, epsilon), Stream(2)
    low, high = np.asarray(box)
    x = low + 0.45 * (high - low)
    point = read_value(ours.space, x.tolist())
    counts = np.bincount([ours.draw(point, stream)[0] for _ in range(20_000)], minlength=4)
    law = table.probabilities(query.coordinate([x]))[0]
    assert chi_square(counts, law) > 1e-4
    faulty = table.probabilities(query.coordinate([x]) + 0.4 / epsilon)[0]
    assert np.abs(faulty - law).max() < 1e-3 or chi_square(counts, faulty) < 1e-6


def test_reports_of_lattices_follow_the_law() -> None:
    """Fixed bytes; the true law is rejected with probability 1e-4, θ 10 % too large and a wrong rounding always."""
    lattice, n = gp.Lattice.calibrate(gp.Line(), 1.0, step=0.5), 60_000
    ours = read_mechanism(json.loads(json.dumps(lattice.to_document())), "it")
    assert isinstance(ours, DeviceLattice)
    stream, cells = Stream(3), np.arange(-60, 61)
    counts = np.bincount([ours.draw((Fraction(0.13),), stream)[0] + 60 for _ in range(n)], minlength=121)

    def law(mechanism: gp.Lattice, x: float) -> Any:
        return np.exp(mechanism.log_probability(np.full(121, x), cells.astype(float)))

    assert chi_square(counts, law(lattice, 0.13)) > 1e-4
    assert chi_square(counts, law(gp.Lattice.calibrate(gp.Line(), 1.1, step=0.5), 0.13)) < 1e-6
    assert chi_square(counts, law(lattice, 0.0)) < 1e-6


def test_axes_of_a_lattice_are_drawn_apart() -> None:
    """Fixed bytes; independence is rejected with probability 1e-4, one axis for both always."""
    (ours,), stream = verify(lattice_design().to_bytes()).mechanisms, Stream(4)
    drawn = np.array([ours.draw((Fraction(40), Fraction(-75)), stream) for _ in range(20_000)])
    bound = stats.norm.isf(0.5e-4) / math.sqrt(len(drawn))
    assert abs(np.corrcoef(drawn.T)[0, 1]) < bound
    assert abs(np.corrcoef(drawn[:, 0], drawn[:, 0])[0, 1]) > bound
    np.testing.assert_allclose(drawn.mean(axis=0), [40 / 150, -75 / 150], atol=0.5)


def test_people_are_assigned_by_the_shares_and_before_the_value_is_read() -> None:
    """Fixed bytes; the true shares are rejected with probability 1e-4, equal ones always."""
    design, stream = verify(two_tables().to_bytes()), Stream(5)
    counts = np.bincount([draw_share(design.shares, stream) for _ in range(8000)])
    assert chi_square(counts, [1 / 8, 2 / 8, 5 / 8]) > 1e-4
    assert chi_square(counts, [1 / 3] * 3) < 1e-6
    words = Stream(6)(24)
    chosen = {design._draw(value, Given(words))[0] for value in (-1e9, 0.0, 3.0, 1e9)}
    assert len(chosen) == 1


def test_a_remainder_that_would_not_be_even_is_drawn_again() -> None:
    source = Given(bytes([255] * 8) + bytes(8))
    assert draw_share((1, 1, 1), source) == 0
    assert source.used == 16


@pytest.mark.parametrize("value", ["52000", None, True, math.nan, math.inf, 10**400, [1.0, 2.0], [], object(), b"5"])
def test_a_value_that_cannot_be_read_is_refused_without_naming_it(value: Any) -> None:
    design: VerifiedDesign = verify(table_design().to_bytes())
    with pytest.raises(gp.OutOfDomain) as caught:
        design._draw(value, Stream(7))
    assert caught.value.__context__ is None
    assert "52000" not in str(caught.value)


def test_places_off_the_globe_are_refused_without_naming_them() -> None:
    design = verify(table_design(ASKED_OF_DEVICES[-1][1], 1e-3).to_bytes())
    for value in ([91.25, 0.0], [0.0, 361.25], [40.0], 40.7):
        with pytest.raises(gp.OutOfDomain) as caught:
            design._draw(value, Stream(8))
        assert "1.25" not in str(caught.value)


def test_a_polygon_around_the_globe_is_refused() -> None:
    document = document_of(table_design(ASKED_OF_DEVICES[-1][1], 1e-3))
    corners = [[-120.0, -1.0], [0.0, -1.0], [120.0, -1.0], [-120.0, -1.0]]
    document["mechanisms"][0]["coordinate"]["rings"] = [corners]
    with pytest.raises(gp.InvalidDesign, match="80°"):
        verify(rehashed(document))


def test_a_device_clamps_to_the_public_range_as_files_do() -> None:
    """A person far outside would otherwise send a cell that nobody else is near."""
    lattice = gp.Lattice.calibrate(gp.Line("USD"), 1 / 8000)
    source = gp.Source((), low=(0.0,), high=(200_000.0,))
    device = verify(gp.Design("incomes", (lattice,), source=source).to_bytes())
    free = verify(gp.Design("incomes", (lattice,)).to_bytes())
    for far, end in ((1e12, 200_000.0), (-5000.0, 0.0), (Fraction(10**30, 7), 200_000.0)):
        drawn = [device._draw(value, Stream(5)) for value in (far, end)]
        assert drawn[0] == drawn[1] == free._draw(end, Stream(5))
        assert free._draw(far, Stream(5)) != drawn[0]
    assert device._draw(0.1, Stream(5)) == free._draw(0.1, Stream(5))


@pytest.mark.parametrize(
    ("space", "low", "high"),
    [
        (CITY, [0.0, 0.0], [1.0, 1.0]),
        (gp.Line("USD"), [1.0], [0.0]),
        (gp.Line("USD"), [0.0, 1.0], [1.0, 2.0]),
        (gp.Line("USD"), [0.0], []),
        (gp.Line("USD"), ["0"], [1.0]),
        (gp.Line("USD"), [0.0] * 100, [1.0] * 100),
    ],
)
def test_a_range_that_is_none_is_refused(space: gp.spaces.Space, low: list[Any], high: list[Any]) -> None:
    document = document_of(gp.Design("survey", (gp.Lattice.calibrate(space, 1e-3),)))
    document["source"] = {"type": "Source", "columns": [], "low": low, "high": high, "person": ""}
    with pytest.raises(gp.InvalidDesign, match="source"):
        verify(rehashed(document))
