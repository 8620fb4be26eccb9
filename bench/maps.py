"""Many queries from one pass: maps, cumulative shares and plans, in seconds and against a direct sum.

Run it:  python bench/maps.py [--json]
"""

from __future__ import annotations

import json
import sys
import time
from functools import partial
from typing import Any

import numpy as np

import geopriv as gp
from run import seconds

N = 1_000_000
PIXELS = ((30, 30), (0, 0), (40, 12), (15, 50))  # where the direct sum is taken


def maps() -> list[dict[str, Any]]:
    """A 61 × 61 map of kernels from a million reports."""
    plane, rng = gp.Plane("m"), np.random.default_rng(0)
    people = rng.normal(size=(N, 2)) * [12_000, 9_000]
    rows, columns = np.linspace(-30_000, 30_000, 61), np.linspace(-25_000, 25_000, 61)
    found = []
    for inverse in (500, 2_000):
        mechanism = gp.InputLaplace.calibrate(plane, 1 / inverse)
        reports, kernel = mechanism.simulate(people, rng), gp.GaussianKernel((0.0, 0.0), 2_400.0, plane)
        chart = gp.estimate(mechanism, reports, kernel, at=(rows, columns))
        spent = seconds(partial(gp.estimate, mechanism, reports, kernel, at=(rows, columns)), 3)
        start, off = time.perf_counter(), 0.0
        for i, j in PIXELS:
            direct = gp.estimate(mechanism, reports, gp.GaussianKernel((rows[i], columns[j]), 2_400.0, plane))
            off = max(off, abs(direct.value - float(chart.values[i, j])))
        whole = (time.perf_counter() - start) / len(PIXELS) * chart.values.size
        what = f"61 x 61 map, 10^6 reports, 1/ε = {inverse} m"
        found.append({"what": what, "seconds": spent, "times_as_fast_as_a_direct_sum": whole / spent, "off_by": off})
    return found


def shares() -> dict[str, Any]:
    """A thousand thresholds from a million reports."""
    usd, rng = gp.Line("USD"), np.random.default_rng(0)
    mechanism = gp.InputLaplace.calibrate(usd, 1 / 8_000)
    reports, at = mechanism.simulate(rng.lognormal(11.49, 0.83, N), rng), np.linspace(5_000, 1e6, 1_000)
    step = gp.Threshold(at[0], 32_000, usd, edge="smooth")
    spent = seconds(lambda: gp.estimate(mechanism, reports, step, at=at), 3)
    curve = gp.estimate(mechanism, reports, step, at=at)
    start = time.perf_counter()
    direct = gp.estimate(mechanism, reports, gp.Threshold(at[99], 32_000, usd, edge="smooth"))
    whole = (time.perf_counter() - start) * at.size
    off = abs(direct.value - float(curve.values[99]))
    what = "1,000 thresholds, 10^6 reports"
    return {"what": what, "seconds": spent, "times_as_fast_as_a_direct_sum": whole / spent, "off_by": off}


def plans() -> dict[str, Any]:
    """The predicted errors of every mechanism for 3,721 kernels, once: nothing is kept from an earlier plan."""
    plane = gp.Plane("m")
    grid = [(a, b) for a in np.linspace(-30_000, 30_000, 61) for b in np.linspace(-25_000, 25_000, 61)]
    kernels = [gp.GaussianKernel(place, 1_300.0, plane) for place in grid]
    start = time.perf_counter()
    gp.plan(kernels, 1 / 1_000, people=200_000)
    return {"what": "plan of 3,721 kernels", "seconds": time.perf_counter() - start}


def main() -> None:
    """Print one row each."""
    rows = [*maps(), shares(), plans()]
    if "--json" in sys.argv:
        print(json.dumps(rows))
        return
    print(f"{'what':44}{'seconds':>9}{'times a direct sum':>20}{'off by':>10}")
    for row in rows:
        gain, off = row.get("times_as_fast_as_a_direct_sum"), row.get("off_by")
        compared = "" if gain is None else f"{gain:>20,.0f}{off:>10.0e}"
        print(f"{row['what']:44}{row['seconds']:>9.2f}{compared}")


if __name__ == "__main__":
    main()
