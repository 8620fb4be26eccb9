"""Speed as ratios, measured side by side in one run: `make bench`, or `python bench/run.py --json`."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import geopriv as gp

N = 1_000_000


def seconds(work: Callable[[], Any], repeats: int = 5) -> float:
    """The best of several runs: noise on a shared machine only ever adds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def import_seconds(module: str) -> float:
    """Time to import a module in a fresh interpreter, less the interpreter's own start."""

    def start(statement: str) -> float:
        return seconds(lambda: subprocess.run([sys.executable, "-c", statement], check=True), repeats=7)

    return max(start(f"import {module}") - start("pass"), 0.0)


def main() -> None:
    """Measure, and print one table."""
    rng = np.random.default_rng(0)
    s = rng.normal(0.0, 3.0, N)
    growth = gp.smooth.ExponentialGrowth(0.26)
    curve = gp.shapes.Custom(lambda v: np.exp(-(v**2) / 2), 0.607, -9.0, 9.0, curvature=1.0)
    staircase = gp.shapes.PiecewiseLinear((-2.0, -1.0, 0.0, 3.0), (0.0, 1.0, 0.25, 0.5))
    threshold = gp.Threshold(0.0, 1.0)
    smooth, flat = gp.SmoothT.calibrate(threshold, 1.0), gp.LipschitzLaplace.calibrate(threshold, 1.0)
    kernel = gp.SmoothT.calibrate(gp.GaussianKernel(0.0, 1.0), 1.0)

    def sensitivity(profile: gp.shapes.Profile) -> Callable[[], Any]:
        gp.smooth.smooth_sensitivity(profile, growth, s[:10])  # tables are made once
        return lambda: gp.smooth.smooth_sensitivity(profile, growth, s)

    table, least = gp.Table.calibrate(threshold, 1.0), gp.LeastScaleT.calibrate(threshold, 1.0)
    for mechanism in (table, least, flat):
        mechanism.report(s[:100])  # compiled code is loaded once
    student = seconds(lambda: rng.standard_t(3, N))
    laplace = seconds(lambda: rng.laplace(size=N))
    rows: list[tuple[str, str, float, float]] = [
        ("simulate SmoothT, ramp", "numpy standard_t(3) alone", seconds(lambda: smooth.simulate(s, rng)), student),
        ("simulate SmoothT, kernel", "numpy standard_t(3) alone", seconds(lambda: kernel.simulate(s, rng)), student),
        ("simulate LipschitzLaplace", "numpy laplace alone", seconds(lambda: flat.simulate(s, rng)), laplace),
        ("exact reports, Table", "numpy standard_t(3) alone", seconds(lambda: table.report(s)), student),
        ("exact reports, LeastScaleT", "numpy standard_t(3) alone", seconds(lambda: least.report(s)), student),
        ("exact reports, LipschitzLaplace", "numpy laplace alone", seconds(lambda: flat.report(s)), laplace),
        ("simulate Table", "numpy standard_t(3) alone", seconds(lambda: table.simulate(s, rng)), student),
        ("B* of a ramp", "numpy standard_t(3) alone", seconds(sensitivity(gp.shapes.Ramp(1.0))), student),
        ("B* of a Gaussian", "numpy standard_t(3) alone", seconds(sensitivity(gp.shapes.Gaussian(1.0))), student),
        ("B* of straight pieces (generic)", "numpy standard_t(3) alone", seconds(sensitivity(staircase)), student),
        ("B* of a Custom curve (generic)", "numpy standard_t(3) alone", seconds(sensitivity(curve)), student),
        ("import geopriv", "import numpy", import_seconds("geopriv"), import_seconds("numpy")),
    ]
    if "--json" in sys.argv:
        print(json.dumps([dict(zip(("what", "against", "ratio"), (w, a, x / y), strict=True)) for w, a, x, y in rows]))
        return
    print(f"{'what (1,000,000 values)':38}{'against':28}{'times as long':>14}")
    for what, against, ours, theirs in rows:
        print(f"{what:38}{against:28}{ours / theirs:>14.2f}")


if __name__ == "__main__":
    main()
