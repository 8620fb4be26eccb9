"""The floor: the theory's numbers, and no unbiased mechanism below it."""

from __future__ import annotations

import numpy as np
import pytest

import geopriv as gp
from geopriv.proofs.floors.rooms import rooms
from tests.rows import Row, rows

UNBIASED = [
    row
    for row in rows()
    if not row.name.startswith(("Local", "Lattice"))
    and " plain" not in row.name
    and row.asked.name not in ("any function", "blurred ball", "blurred geofence")
]


@pytest.mark.parametrize(
    ("at", "inverse_rate", "floor"),
    [(10_000, 800, 0.00073), (100_000, 8_000, 0.0322), (100_000, 20_000, 0.207), (1_000_000, 48_000, 0.00040)],
)
def test_the_floors_of_the_theory_note_come_out(at: float, inverse_rate: float, floor: float) -> None:
    u = (np.arange(20_000) + 0.5) / 20_000
    x = np.exp(11.49399503122476 + 0.8290709468895202 * gp.noise.StudentT(df=1e9).ppf(u))
    query = gp.Threshold(at, min(0.2 * at, 2 * inverse_rate))
    assert gp.lower_bound(query, 1 / inverse_rate, x).mean() == pytest.approx(floor, rel=0.01)


@pytest.mark.parametrize("row", UNBIASED, ids=[row.name for row in UNBIASED])
def test_no_unbiased_mechanism_is_below_the_floor(row: Row) -> None:
    floor = gp.lower_bound(row.asked.query, row.asked.epsilon, row.values)
    assert (floor >= 0).all()
    assert (floor <= row.moments()[1]).all()


def test_the_floor_of_a_ramp_is_its_slope_and_falls_off_outside() -> None:
    """On the ramp the supremum is the limit of close points, (1/τε)²; outside, a search over the ramp."""
    width, gap = 2.0, np.array([0.5, 2.0, 6.0])
    floor = gp.lower_bound(gp.Threshold(0.0, width), 1.0, np.concatenate([[0.0], 1.0 + gap]))
    assert floor[0] == pytest.approx(0.25, rel=1e-6)
    u = np.linspace(1e-6, width, 200_001)
    brute = [float(((u / width) ** 2 / (2 * np.cosh(g + u) - 2)).max()) for g in gap]
    np.testing.assert_allclose(floor[1:], brute, rtol=1e-6)


def test_coordinates_that_cannot_be_reached_do_not_count() -> None:
    """A profile that changes only at negative distances is constant on the plane, and its floor is zero."""
    nothing = gp.RadialQuery((0.0, 0.0), gp.shapes.Ramp(1.0, center=-3.0))
    np.testing.assert_array_equal(gp.lower_bound(nothing, 1.0, [(0.0, 0.0), (1.0, 2.0)]), 0.0)


def test_shapes_are_kept_and_functions_of_unknown_shape_refused() -> None:
    assert gp.lower_bound(gp.Threshold(0.0, 1.0), 1.0, 0.3).shape == ()
    assert gp.lower_bound(gp.Threshold(0.0, 1.0), 1.0, []).shape == (0,)
    with pytest.raises(gp.InvalidParameter, match="query"):
        gp.lower_bound(gp.LipschitzQuery(np.sin, 1.0), 1.0, [0.0])


def test_nothing_below_the_floor_of_a_log_line_counts() -> None:
    """Around a centre near the floor the far side does not exist: q is 1 less a threshold, and so is its report."""
    space = gp.LogLine(base=np.e, floor=1.0)
    ring = gp.RadialQuery(np.exp(2.0), gp.shapes.Ramp(1.0, center=3.0, rising=False), space)
    same = gp.Threshold(np.exp(5.0), 1.0, space)
    x = [1.0, 3.0, 50.0]
    np.testing.assert_allclose(ring(x), 1 - same(x))
    assert (gp.lower_bound(ring, 1.0, x) <= gp.LeastScaleT.calibrate(same, 1.0).variance(x)).all()


@pytest.mark.parametrize("center", [0.0, 1e6, 1e9])
def test_rounding_does_not_lift_the_floor(center: float) -> None:
    query = gp.RadialQuery(0.0, gp.shapes.Ramp(2.0, center=center))
    floor = gp.lower_bound(query, 1.0, center + np.linspace(-1, 1, 101))
    assert floor.max() <= 0.25 * (1 + 1e-6)


def test_nobody_beyond_the_ends_of_a_map_is_compared_with() -> None:
    """A disc of which a part lies beyond the map. Who is at the border is near an edge that nobody can cross."""
    city, plane = gp.LocalPlane(south=40.5, west=-74.2, north=40.9, east=-73.7), gp.Plane("m")
    (start, up), (border, _) = city.read([(40.7, -73.72), (40.7, -73.7001)]).tolist()
    on_map, endless = gp.Ball((40.7, -73.72), 2_500.0, 1_000.0, city), gp.Ball((start, up), 2_500.0, 1_000.0, plane)
    x = np.array([[border, up], [start - 2_000.0, up]])
    (cut, whole), (beyond, same) = (gp.lower_bound(q, 1e-3, q.space.values(x)) for q in (on_map, endless))
    assert cut == 0 < 0.01 < beyond
    assert whole == pytest.approx(same)


def test_on_a_map_the_middle_of_a_disc_has_the_floor_of_its_neighbours() -> None:
    """There is no one way out of it, and whichever one takes there is room."""
    city, plane = gp.LocalPlane(south=40.5, west=-74.2, north=40.9, east=-73.7), gp.Plane("m")
    on_map, endless = gp.Ball((40.7, -73.95), 1_500.0, 1_000.0, city), gp.Ball((0.0, 0.0), 1_500.0, 1_000.0, plane)
    middle, beside = gp.lower_bound(on_map, 1e-3, [(40.7, -73.95), (40.70001, -73.95)])
    assert middle == pytest.approx(beside, rel=0.01)
    assert middle == pytest.approx(gp.lower_bound(endless, 1e-3, [(0.0, 0.0)])[0])
    still, box = np.zeros((1, 2)), (np.array([0.0, 0.0]), np.array([10.0, 9.0]))
    room = np.asarray(rooms(np.array([[3.0, 7.5]]), still, box))
    assert np.array_equal(room, [[1.5], [1.5]])  # no farther than to the nearest side
