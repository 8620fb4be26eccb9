"""What is promised is true of the person's own value: close values have close reports, whatever grids there are.

From the same random bits two values report differently only where the bits fall between them. So on fixed bits the
share of different reports is at most what the promise allows, and snapping (a planted fault) shows at once.
"""

from __future__ import annotations

import json
import math
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import geopriv as gp
from geopriv.device.globe import globe_region
from geopriv.device.intervals import exact
from geopriv.device.mechanisms import DeviceMechanism, read_mechanism
from geopriv.device.regions import flat_region
from geopriv.device.values import read_value
from tests.designs import Stream, small_table
from tests.rows import CITY, EARTH

DRAWS = 2_000
ARCTIC = gp.LocalPlane(70.0, 0.0, 90.0, 40.0)

# a mechanism, two values, and how far apart they are over 1/ε
CLOSE: dict[str, tuple[Any, Any, Any, float]] = {
    "incomes": (gp.Lattice.calibrate(gp.Line("USD"), 1 / 8000), 51_999.0, 52_001.0, 2 / 8000),
    "a table": (small_table(gp.Threshold(52_000, 16_000, gp.Line("USD")), 1 / 8000), 51_999, 52_001, 2 / 8000),
    "ratios": (gp.Lattice.calibrate(gp.LogLine(2.0), 1.0), 1000.0, 1000.1, 1.5e-4),
    "a city": (gp.Lattice.calibrate(CITY, 1e-3), (40.749999, -74.0), (40.750001, -74.0), 3e-4),
    "across a pole": (gp.Lattice.calibrate(ARCTIC, 1e-3), (89.9999, 0.0), (89.9999, 180.0), 0.023),
    "around a pole": (small_table(gp.Ball((90.0, 0.0), 2e3, 1e3, EARTH), 1e-3), (89.99, 10.0), (89.9901, -170.0), 2.3),
    "at a pole": (small_table(gp.Ball((89.0, 0.0), 111e3, 1e3, EARTH), 1e-3), (90.0, 10.0), (90.0, -170.0), 0.0),
    "180°": (small_table(gp.Ball((0.0, 180.0), 2e3, 1e3, EARTH), 1e-3), (0.01, 179.9999), (0.01, -179.9999), 0.03),
}


def device(mechanism: Any) -> DeviceMechanism:
    return read_mechanism(json.loads(json.dumps(mechanism.to_document())), "it")


def different(mechanism: Any, first: Any, second: Any) -> float:
    """The share of draws from the same bits in which two values report differently."""
    ours = device(mechanism)
    pairs = [tuple(ours.draw(read_value(ours.space, x), Stream(i)) for x in (first, second)) for i in range(DRAWS)]
    return sum(a != b for a, b in pairs) / DRAWS


@pytest.mark.parametrize("name", CLOSE)
def test_close_values_report_alike_from_the_same_bits(name: str) -> None:
    """The probability of a difference is at most ε·d on a line and 2ε·d in the plane; 6 deviations beside, 1e-8."""
    mechanism, first, second, distance = CLOSE[name]
    allowed = min(4 * distance * 10, 1.0)  # cells of 0.1/ε: a step of U moves ten times as far
    assert different(mechanism, first, second) <= allowed + 6 * math.sqrt(allowed / DRAWS)


def test_a_sampler_that_snaps_first_is_caught() -> None:
    """Planted: incomes in steps of 104,000 USD, as a design could ask for before."""
    mechanism = CLOSE["incomes"][0]
    snapped = [round(x / 104_000) * 104_000.0 for x in (51_999.0, 52_001.0)]
    assert different(mechanism, *snapped) > 0.9


def test_bulk_reports_of_close_values_are_alike() -> None:
    """Counts of one cell over two samples of 10^5 differ by less than 7 deviations: an error rate of 1e-11."""
    mechanism, n = CLOSE["incomes"][0], 100_000
    middle = round((52_000 - mechanism.origin[0]) / mechanism.step)
    counts = [int((mechanism.report(np.full(n, x)).values >= middle).sum()) for x in (51_999.0, 52_001.0)]
    assert abs(counts[0] - counts[1]) < 7 * math.sqrt(n / 2) + n * 2 / 8000


def test_there_is_no_step_to_record_values_in() -> None:
    for space in (gp.Line, gp.Plane, gp.LogLine, gp.Earth):
        with pytest.raises(TypeError):
            space(resolution=1.0)  # type: ignore[call-arg]


def test_whole_numbers_that_floats_do_not_hold_never_move_apart() -> None:
    line = gp.Line("USD")
    values = [2**53 + k for k in (-1, 0, 1, 2, 3)]
    gaps = np.diff(line.read(np.array(values, dtype=np.int64)))
    assert (gaps <= 1).all()
    assert (np.diff(line.read(np.array(values, dtype=object))) <= 1).all()
    assert (np.diff(line.read([*values, 2.0**54])) <= 1)[:-1].all()  # beside a float
    assert (np.diff(line.read([Decimal(value) for value in values])) <= 1).all()
    assert (np.diff(np.array(values, dtype=np.float64)) == 2).any()  # what rounding them would do


@pytest.mark.parametrize(
    "unit", ["USD\x1b[2J", "USD\r", "USD\u202e", "USD\u200b", "\0", "m" * 10**6, "8,000 USD", "factor 2"]
)
def test_a_unit_that_could_show_another_promise_is_refused(unit: str) -> None:
    for space in (gp.Line, gp.Plane):
        with pytest.raises(gp.InvalidParameter) as caught:
            space(unit)
        assert str(caught.value).isprintable()
        assert len(str(caught.value)) < 600


def test_one_far_corner_makes_no_distance_uncertain() -> None:
    """6,000 corners near a place and one at 1e15."""
    angles = np.linspace(0, 2 * np.pi, 6_000, endpoint=False)
    ring = [(float(x), float(y)) for x, y in np.column_stack([1000 * np.cos(angles), 900 * np.sin(angles)])]
    region = flat_region([[*ring, (1e15, 1e15), ring[0]]])
    for place in ((700.0, 3.0), (1010.0, -40.0), (5e6, 1.0)):
        s = region.enclose(tuple(exact(Fraction(part), 112) for part in place))
        assert s.high - s.low < 8


def test_a_ring_on_earth_is_closed_however_precisely_its_corners_are_known() -> None:
    """At the height of the corner at which a ring starts and ends, beside its first edge and far from its last."""
    start = (0.011343642441124013, 0.00018474337369372328)
    ring = [start, (0.007343642441124013, 0.00022694731272998153), (0.009343642441124013, -0.0038152566263062767)]
    region = globe_region(EARTH.radius, [[*ring, start]])
    places = [(0.00018474337369755932 + k * 2e-15, 0.01130926497346627) for k in (-1, 0, 1)]
    s = [region.enclose(tuple(map(Fraction, place)), 160) for place in places]
    assert max(abs(b - a).high for a, b in pairwise(s)) / 2**160 < 1e-9  # metres; they are 2e-10 apart
