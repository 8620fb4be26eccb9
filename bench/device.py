"""How long one report takes on a device, drawing alone, on every space; near what is asked and far from it.

Run it:  python bench/device.py [--json]

Times are medians of one core; the ratios to a threshold on a line are what can be compared between machines.
"""

from __future__ import annotations

import json
import math
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import shapely

import geopriv as gp
from geopriv.device.draws import system_bytes
from geopriv.device.mechanisms import DeviceMechanism, read_mechanism
from geopriv.device.values import read_value

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from tests.hostile import polygons  # which tests bound in work

TOTAL = 1 << 60
SHARES = np.array([[16, 8, 4, 4], [14, 8, 5, 5], [10, 8, 7, 7], [8, 8, 9, 7], [6, 10, 9, 7]])
EARTH, PLANE = gp.Earth(), gp.Plane("m")
CITY = gp.LocalPlane(south=40.5, west=-74.3, north=40.95, east=-73.65)
HERE, FAR = (40.7, -74.0), (-33.9, 18.4)
Row = dict[str, Any]


def table(query: gp.queries.Query, epsilon: float) -> gp.Table:
    """Four values on five points."""
    promise = gp.Guarantee(epsilon, unit=query.space.distance_unit, reference="by hand")
    lattice = np.array([-2.0, -0.9, 0.1, 1.0, 2.5]) / epsilon
    return gp.Table(query, promise, lattice, np.array([-0.5, 0.0, 1.0, 1.5]), (SHARES * (TOTAL // 32)).astype(np.int64))


def circle(corners: int, x: float, y: float, radius: float) -> shapely.Polygon:
    """So many corners around a place."""
    turn = np.linspace(0, 2 * np.pi, corners, endpoint=False)
    return shapely.Polygon(np.stack([x + radius * np.cos(turn), y + radius * np.sin(turn)], axis=1))


def hostile() -> shapely.Polygon:
    """6,000 corners within a millimetre of a place, and one very far away: floats of that size tell nothing apart."""
    turn = np.linspace(0, math.pi, 6_000)
    near = np.stack([1e-3 * np.cos(turn), 1e-3 * np.sin(turn)], axis=1)
    return shapely.Polygon([*near.tolist(), (0.0, -1e15)])


def settings() -> list[tuple[str, Any, Any, Any]]:
    """What is measured: a name, the mechanism, a value nearby and one far away."""
    found: list[tuple[str, Any, Any, Any]] = [
        ("Line, threshold", table(gp.Threshold(1e5, 16e3, gp.Line("USD")), 1 / 8000), 98_123.45, 1e9),
        ("Line, lattice", gp.Lattice.calibrate(gp.Line("USD"), 1e-3, step=150.0), 98_123.45, 1e9),
        ("LogLine, threshold", table(gp.Threshold(1e3, 0.5, gp.LogLine(2.0)), 2.0), 1_234.5, 1e300),
        ("Plane, ball", table(gp.Ball((0.0, 0.0), 2.0, 1.0, PLANE), 1.0), (1.3, 1.4), (1e6, 1e6)),
        ("Euclidean(8), half-space", table(gp.Score((1.0,) * 8, 0.3, 1.0), 1.0), (0.1,) * 8, (1e6,) * 8),
        ("LocalPlane, ball", table(gp.Ball(HERE, 3e3, 1e3, CITY), 1e-3), (40.71, -74.02), FAR),
        ("LocalPlane, lattice", gp.Lattice.calibrate(CITY, 1e-3, step=150.0), (40.71, -74.02), FAR),
        ("Plane, round lattice", gp.Lattice.on_grid(PLANE, 1e-3, 20.0, noise="round"), (98_123.4, -7.5), (1e9, 1e9)),
        ("LocalPlane, round lattice", gp.Lattice.on_grid(CITY, 1e-3, 20.0, noise="round"), (40.71, -74.02), FAR),
        ("Earth, ball", table(gp.Ball(HERE, 3e3, 1e3, EARTH), 1e-3), (40.71, -74.02), FAR),
    ]
    for corners in (10, 1_000, 10_000 - 1):
        fence = circle(corners, -74.0, 40.7, 0.05)
        found.append(
            (f"Plane, {corners:,} corners", table(gp.Geofence(fence, 0.01, PLANE), 100.0), (-73.96, 40.73), (9.0, 9.0))
        )
        found.append(
            (f"LocalPlane, {corners:,} corners", table(gp.Geofence(fence, 500.0, CITY), 1e-3), (40.73, -73.96), FAR)
        )
        found.append(
            (f"Earth, {corners:,} corners", table(gp.Geofence(fence, 500.0, EARTH), 1e-3), (40.73, -73.96), FAR)
        )
    found.append(("Plane, hostile polygon", table(gp.Geofence(hostile(), 1.0, PLANE), 1.0), (1e-5, 2e-5), (50.0, 50.0)))
    small = table(gp.Geofence(circle(10_000 - 1, 0.0, 0.0, 1e-7), 1e-3, EARTH), 1e6)  # cells of micrometres
    found.append(("Earth, hostile polygon", small, (3e-8, 2e-8), FAR))
    ring = circle(10_000 - 1, 0.0, 0.0, 1.0)
    found.append(("Plane, centre of a circle", table(gp.Geofence(ring, 0.1, PLANE), 1.0), (0.0, 0.0), (50.0, 50.0)))
    globe = table(gp.Geofence(circle(10_000 - 1, 0.0, 0.0, 0.05), 500.0, EARTH), 1e-3)
    found.append(("Earth, centre of a circle", globe, (0.0, 0.0), FAR))
    return found


def seconds(draw: Callable[[Any], Any], value: Any) -> float:
    """The median time of one draw."""
    times: list[float] = []
    until = time.perf_counter() + 0.4
    while len(times) < 5 or (time.perf_counter() < until and len(times) < 400):
        start = time.perf_counter()
        draw(value)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def drawer(device: DeviceMechanism) -> Callable[[Any], Any]:
    """One draw at a value."""
    return lambda value: device.draw(read_value(device.space, value), system_bytes)


def rows() -> list[Row]:
    """Each setting, near and far, with the time to verify it."""
    found = []
    for name, mechanism, near, far in settings():
        document = json.loads(json.dumps(mechanism.to_document()))
        values = [list(part) if isinstance(part, tuple) else part for part in (near, far)]
        found.append(row(name, lambda: drawer(read_mechanism(document, name)), *values))  # noqa: B023
    for name, one in polygons().items():
        found.append(row(name, lambda: one.drawer(system_bytes), one.near, one.far))  # noqa: B023
    return found


def row(name: str, make: Callable[[], Callable[[Any], Any]], near: Any, far: Any) -> Row:
    """One setting."""
    start = time.perf_counter()
    draw = make()
    verified = time.perf_counter() - start
    # the first draw also computes what is public, and keeps it
    start = time.perf_counter()
    draw(near)
    first = time.perf_counter() - start
    return {"what": name, "near": seconds(draw, near), "far": seconds(draw, far), "verify": verified, "first": first}


def main() -> None:
    """Measure, and print one table."""
    measured = rows()
    if "--json" in sys.argv:
        print(json.dumps(measured))
        return
    line, columns = measured[0]["near"], ("near, ms", "x line", "far, ms", "x line", "first, ms", "verify, ms")
    print(f"{'one report on a device':28}" + "".join(f"{name:>12}" for name in columns))
    for r in measured:
        times = [1e3 * r[name] for name in ("near", "far", "first", "verify")]
        shown = (times[0], r["near"] / line, times[1], r["far"] / line, times[2], times[3])
        print(f"{r['what']:28}" + "".join(f"{number:>12.3f}" for number in shown))


if __name__ == "__main__":
    main()
