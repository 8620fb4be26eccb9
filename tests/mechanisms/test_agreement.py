"""The same bytes give the same report on a device, in the exact sampler, and through the float filter.

Two arithmetics (whole numbers, balls) and a filter in front of the second: on every space, query and mechanism, at
values beside lattice points and at ends, with words that are all zeros or ones or begin as the share itself does, so
that later bits have to settle them. Everything is fixed by seeds.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest

import geopriv as gp
from geopriv.device.coordinates import DeviceCoordinate
from geopriv.device.draws import Source as Bytes
from geopriv.device.intervals import Interval, exact
from geopriv.device.lattices import DeviceLattice
from geopriv.device.mechanisms import (
    DeviceMechanism,
    DeviceTable,
    read_mechanism,
)
from geopriv.device.values import Value, read_value
from geopriv.mechanisms.lattice.reports import OnLattice
from geopriv.mechanisms.table import reports as table_reports
from geopriv.noise import plans as bulk
from geopriv.shapes.coordinates import Coordinate
from geopriv.spaces.bounded import Bounded
from geopriv.spaces.checks import FloatArray
from tests.agreement_cases import (
    COINS,
    GRIDS,
    TABLES,
    Cases,
    Tails,
    grid_cases,
    table_cases,
    table_of,
)
from tests.designs import Stream

EACH = 2_300  # cases of one mechanism: 10^5 of all
SHARED = EACH  # of them, those that a device draws too: all
NAMES = [name for name, *_ in (*TABLES, *GRIDS)]


@dataclass(frozen=True, eq=False)
class Setting:
    """A mechanism as the library and as a device has it, and what to try."""

    mechanism: gp.Table | gp.Lattice
    device: DeviceMechanism
    cases: Cases


@cache
def setting(name: str) -> Setting:
    seed = NAMES.index(name)
    for known, query, epsilon, box in TABLES:
        if known == name:
            table = table_of(query, epsilon, name.startswith("spare"))
            device = read_mechanism(json.loads(json.dumps(table.to_document())), name)
            assert isinstance(device, DeviceTable)
            return Setting(table, device, table_cases(table, device, box, EACH, SHARED, seed))
    space, epsilon, step, box = next(rest for known, *rest in GRIDS if known == name)
    grid = gp.Lattice.calibrate(space, epsilon, step=step, noise="product")
    ours = read_mechanism(json.loads(json.dumps(grid.to_document())), name)
    assert isinstance(ours, DeviceLattice)
    return Setting(grid, ours, grid_cases(grid, ours, box, EACH, SHARED, seed))


def by_sampler(one: Setting, filtered: bool = False) -> FloatArray:
    """Letters or cells, shape (n, components): in balls, or by the filter and balls where it cannot tell."""
    rows, words, mechanism = one.cases.rows, one.cases.words, one.mechanism
    space = mechanism.query.space if isinstance(mechanism, gp.Table) else mechanism.space
    people, _ = space.read_rows(rows if space.point_shape else rows[:, 0])
    if isinstance(mechanism, gp.Table):
        ready = table_reports.lookup(mechanism)
        letters = table_reports.chunk_letters(mechanism, ready, people, words[:, :2], Tails(words), filtered)
        return letters.astype(np.float64)[:, None]
    plan = OnLattice(mechanism)
    return bulk.draw_chunk(plan, people, plan.screen(people) if filtered else None, Tails(words))


def by_filter(one: Setting) -> FloatArray:
    """What the filter says alone; not a number where it cannot tell."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_reports, "_letter", lambda *given: 65_535)
        patch.setattr(bulk, "settle", lambda release, uniforms, steps: (1 << 60,) * len(steps))
        found = by_sampler(one, filtered=True)
    return np.where((found == 65_535) | (found == 2.0**60), np.nan, found)


def by_device(one: Setting, device: DeviceMechanism | None = None) -> tuple[FloatArray, int]:
    """The same by a device, and how many bytes it took."""
    drawn, used = device or one.device, [0]
    found = []
    for k in range(one.cases.shared):
        first, tail = one.cases.words[k].astype("<u8").tobytes(), Stream(k)
        found.append(drawn.draw(read_value(drawn.space, one.cases.rows[k].tolist()), _after(first, tail, used)))
    return np.asarray(found, dtype=np.float64), used[0]


@cache
def drawn_by_device(name: str) -> tuple[FloatArray, int]:
    return by_device(setting(name))


@cache
def told_by_filter(name: str) -> FloatArray:
    return by_filter(setting(name))


def _after(first: bytes, tail: Bytes, used: list[int]) -> Bytes:
    left = [first[:16], first[16:]] if len(first) == 8 * COINS else [first]
    sizes = [len(part) for part in left]

    def source(n: int) -> bytes:
        used[0] += n
        return left.pop(0) if left and n in sizes[-len(left) :][:1] else tail(n)

    return source


def otherwise(found: FloatArray, expected: FloatArray) -> int:
    """How many reports differ, of those that are there."""
    there = ~np.isnan(found).any(axis=1)
    return int((found != expected)[there].any(axis=1).sum())


@pytest.mark.parametrize("name", NAMES)
def test_a_device_the_sampler_and_the_filter_report_alike(name: str) -> None:
    one = setting(name)
    expected = by_sampler(one)
    assert otherwise(drawn_by_device(name)[0], expected[:SHARED]) == 0
    assert otherwise(told_by_filter(name), expected) == 0


def test_a_hundred_thousand_cases_are_decided_three_times_and_many_by_later_bits() -> None:
    told = sum(int((~np.isnan(told_by_filter(name)).any(axis=1)).sum()) for name in NAMES)
    words = sum(8 * SHARED * setting(name).cases.words.shape[1] for name in NAMES)
    assert len(NAMES) * SHARED >= 100_000
    assert told >= 50_000  # elsewhere it says that it cannot tell
    assert sum(drawn_by_device(name)[1] for name in NAMES) > 1.1 * words


def test_a_device_that_tosses_half_as_often_is_caught() -> None:
    one = setting("spare threshold")
    assert isinstance(one.device, DeviceTable)
    rows = one.device.rows
    lazy = replace(one.device, rows=replace(rows, shares=tuple(share // 2 for share in rows.shares)))
    assert otherwise(by_device(one, lazy)[0], by_sampler(one)[:SHARED]) > 20


@pytest.mark.parametrize("name", ["threshold", "fence on a map", "ball on Earth", "range of ratios", "spare threshold"])
def test_a_device_whose_coordinate_is_off_by_a_millionth_of_a_millionth_of_a_cell_is_caught(name: str) -> None:
    one = setting(name)
    assert isinstance(one.device, DeviceTable)
    honest, off = one.device.coordinate, 1e-12 / one.device.epsilon

    def enclose(x: Value, bits: int) -> Interval:
        return honest.enclose(x, bits) + exact(off, bits)

    wrong = replace(one.device, coordinate=DeviceCoordinate(honest.space, enclose))
    assert otherwise(by_device(one, wrong)[0], by_sampler(one)[:SHARED]) > 5


@pytest.mark.parametrize(
    "name", ["fence on a map", "ball on Earth", "ball on a line", "fence of long arcs", "spare fence on a map"]
)
def test_a_filter_of_tables_without_an_error_bound_is_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    one, honest = setting(name), Coordinate.bounded
    expected = by_sampler(one)

    def careless(geometry: Coordinate, rows: FloatArray) -> Bounded | None:
        found = honest(geometry, rows)
        return None if found is None else replace(found, off=np.zeros_like(found.off))

    monkeypatch.setattr(Coordinate, "bounded", careless)
    assert otherwise(by_filter(one), expected) > 5


def test_a_filter_of_lattices_without_an_error_bound_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    one, honest = setting("grid of a city"), OnLattice._bounded
    expected = by_sampler(one)

    def careless(plan: OnLattice, rows: FloatArray) -> Bounded:
        found = honest(plan, rows)
        return replace(found, off=np.zeros_like(found.off))

    monkeypatch.setattr(OnLattice, "_bounded", careless)
    assert otherwise(by_filter(one), expected) > 5
