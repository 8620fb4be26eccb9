"""What a draw takes is bounded wherever somebody is, on polygons that were made to tell the place by the time."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache, partial
from itertools import compress
from typing import Any

import pytest
from flint import arb

import geopriv as gp
from geopriv.device import globe
from geopriv.device.designs import verify
from geopriv.device.draws import draw_letter, rows_of, system_bytes
from geopriv.device.intervals import Interval
from geopriv.device.reading import CORNERS, LOOKS
from geopriv.device.shared import draw_said
from tests import independent
from tests.designs import Stream, document_of, rehashed, table_design
from tests.hostile import RADIUS, TOTAL, Hostile, Steps, look_at_near_edges_only, polygons, shared

N = 900  # corners: work grows with them
CALLS = 40 * N  # functions that a draw may call: some ten an edge
BITS = 152  # that are ever asked of a coordinate: 112 beyond the narrowest cell
SLOWEST = 3.0  # seconds, on a busy machine
EVEN = (
    0.02  # of the steps of a draw, by which they may differ: the series of one arc tangent is short where it is small
)


@lru_cache(maxsize=1)
def small() -> dict[str, Hostile]:
    return polygons(N)


def calls(work: Callable[[], Any]) -> int:
    """How many functions are called, Python's own included."""
    count = 0

    def look(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("name", small())
def test_a_draw_takes_bounded_work_where_all_edges_are_equally_near(name: str) -> None:
    one = small()[name]
    draw = one.drawer(system_bytes)
    for value in (one.near, one.far):
        assert calls(partial(draw, value)) < CALLS


def steps(work: Callable[[], Any]) -> int:
    """How many instructions of Python are executed, in all functions that are called."""
    with Steps() as counted:
        work()
    return counted.count


def uneven(one: Hostile) -> float:
    """By what share the steps of a draw differ between two places, with the same bytes."""
    one.drawer(Stream(3))(one.near)  # what is public is computed once, and kept
    near, far = (steps(partial(one.drawer(Stream(3)), value)) for value in (one.near, one.far))
    return abs(near - far) / max(near, far)


@pytest.mark.parametrize("name", small())
def test_a_draw_takes_the_same_steps_wherever_somebody_is(name: str) -> None:
    """Every edge is looked at, in every way in which it could be the nearest; else times would tell who is near it."""
    assert uneven(small()[name]) < EVEN


@pytest.mark.parametrize("earth", [True, False])
def test_a_draw_that_looks_less_at_far_edges_is_caught(earth: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: edges of which a corner is far away are left out."""
    one = small()["Earth, one edge many times" if earth else "Plane, one edge many times"]
    if earth:
        whole = globe._look

        def near_arcs(here: Any, corners: Any, arcs: Any, level: int) -> Any:
            near = [math.dist(here[:3], corners[arc[0]][:3]) < 3e-5 * 2.0**level for arc in arcs]
            return whole(here, corners, list(compress(arcs, near)), level)

        monkeypatch.setattr(globe, "_look", near_arcs)
    else:
        look_at_near_edges_only(monkeypatch)
    assert uneven(one) > EVEN


def test_tables_that_share_a_report_are_all_looked_at_wherever_somebody_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many letters, at a lattice point, where the coordinate may lie in either of two cells, and away from all."""
    rows = rows_of([-1.0, 0.0, 1.0], (tuple(range(TOTAL // 2, TOTAL // 2 + 500)),) * 3)
    beside = {
        "at a lattice point": (-1, 1),
        "in a cell": (1 << 110, (1 << 110) + 2),
        "beyond": (3 << 112, (3 << 112) + 2),
    }

    def counted(ends: tuple[int, int]) -> int:
        share, source = Fraction(1, 1000), Stream(4)
        return steps(lambda: draw_said([rows] * 3, [lambda bits: Interval(*ends, 112)] * 3, share, source))

    found = [counted(ends) for ends in beside.values()]
    assert max(found) - min(found) < EVEN * max(found)


@pytest.mark.parametrize("name", small())
def test_a_draw_asks_for_few_bits_once(name: str) -> None:
    """More would be asked for if a distance lost digits where it is small, as the root of a square does."""
    one = small()[name]
    rows, enclose = rows_of(one.lattice, ((TOTAL // 2, TOTAL),) * len(one.lattice)), one.enclose()
    asked: list[int] = []

    def noted(place: tuple[Fraction, ...], bits: int) -> Interval:
        asked.append(bits)
        return enclose(place, bits)

    for value in (one.near, one.far):
        draw_letter(rows, partial(noted, tuple(map(Fraction, value))), system_bytes)
    assert len(asked) == 2
    assert max(asked) <= BITS


@pytest.mark.parametrize("name", small())
@pytest.mark.parametrize("bits", [112, 300])
def test_the_enclosure_holds_the_exact_distance_and_is_narrow(name: str, bits: int) -> None:
    one = polygons(90)[name]
    space = {"type": "Earth", "radius": RADIUS} if one.earth else {"type": "Plane", "unit": "m"}
    coordinate = {"type": "EarthRegion" if one.earth else "Region", "rings": [one.ring]}
    table = {"space": space, "coordinate": coordinate}
    enclose = one.enclose()
    beside = (one.near[0] + 1e-7, one.near[1] - 3e-12)
    across = (-one.near[0], one.near[1] + 180 - 1e-3)  # the other side of the globe: farther than any foot is
    for value in (one.near, beside, (one.near[0] * (1 + 1e-15), one.near[1] + 1e-30), one.far, across):
        x = tuple(map(Fraction, value))
        found = enclose(x, bits)
        with independent.digits(4_000):
            s = independent.coordinate(table, x)
            low, high = (independent.ball(Fraction(end, 1 << bits)) for end in (found.low, found.high))
            assert low <= s + arb(0, 1e-300)
            assert s - arb(0, 1e-300) <= high
        assert found.high - found.low < 1 << 36


def test_the_slowest_of_the_largest_polygons_take_less_than_a_report_waits() -> None:
    for one in polygons().values():
        draw = one.drawer(system_bytes)
        start = time.perf_counter()
        draw(one.near)
        draw(one.far)
        assert time.perf_counter() - start < SLOWEST


@pytest.mark.parametrize(
    ("epsilon", "narrowest"), [(1.0, 2.0**-41), (1e-3, 2.0**-32), (1e6, 1e-13), (1.0, 1e-300), (1e300, 1e-299)]
)
def test_a_table_with_cells_that_nobody_needs_is_refused(epsilon: float, narrowest: float) -> None:
    """They only make work; the library makes no design of them either, since it verifies as a device does."""
    document = document_of(table_design())
    table = document["mechanisms"][0]
    even = [TOTAL // 4] * 4
    table["weights"] = [even] * 5
    for promise in (table["guarantee"], document["guarantee"]):
        promise["epsilon"] = epsilon
    table["lattice"] = [-4e40, -3e40, -2e40, 0.0, 1e9]
    verify(rehashed(document))
    table["lattice"][2] = -narrowest
    with pytest.raises(gp.InvalidDesign, match="at least 2\\^-40"):
        verify(rehashed(document))


def test_a_shared_report_looks_at_a_bounded_number_of_letters_and_corners() -> None:
    ring = small()["Plane, fan"].ring
    whole = [*ring, *[ring[-1]] * (CORNERS - len(ring))]
    rings = [whole] * (LOOKS // CORNERS)
    fits = shared([whole[: -len(rings)], *rings[1:]])
    verify(fits)
    with pytest.raises(gp.InvalidDesign, match=f"at most {LOOKS:,} letters and corners in all. Got {LOOKS + 1:,}"):
        verify(shared([whole[: 1 - len(rings)], *rings[1:]]))
