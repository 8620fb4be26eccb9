"""What a report costs: against what people use instead, as the number of people grows, and as the alphabet grows.

Run it:  python bench/speed.py [--json FILE] [--picture FILE] [--largest N]

Every ratio is measured side by side in one run, on one core. OpenDP and diffprivlib are measured where they can be
imported (`make bench` installs them); otherwise a line says that they were not.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import os
import random
import resource
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

import geopriv as gp
from run import seconds

N = 1_000_000
FEW = 20_000  # for what takes microseconds a value
CHUNK = 1_000_000


def opendp_laplace(values: list[float]) -> Callable[[], Any] | None:
    """OpenDP's Laplace mechanism on a vector, or None where it cannot be imported."""
    try:
        prelude = importlib.import_module("opendp.prelude")
    except ImportError:
        return None
    prelude.enable_features("contrib")
    space = prelude.vector_domain(prelude.atom_domain(T=float, nan=False)), prelude.l1_distance(T=float)
    mechanism = prelude.m.make_laplace(*space, scale=1.0)
    return lambda: mechanism(values)


def diffprivlib_laplace(values: list[float]) -> Callable[[], Any] | None:
    """diffprivlib's Laplace mechanism, one value after the other, or None where it cannot be imported."""
    found = importlib.util.find_spec("diffprivlib")
    if found is None:
        return None
    # its mechanisms without its models, which do not import beside every scikit-learn
    sys.modules.setdefault("diffprivlib", importlib.util.module_from_spec(found))
    try:
        mechanisms = importlib.import_module("diffprivlib.mechanisms")
    except ImportError:
        return None
    mechanism = mechanisms.Laplace(epsilon=1.0, sensitivity=1.0)
    return lambda: [mechanism.randomise(value) for value in values]


def plain_loop(values: list[float]) -> Callable[[], Any]:
    """Student-t noise by a loop over the standard library's generator: floats, and so not private."""
    rng = random.Random(0)

    def loop() -> list[float]:
        spread = [math.sqrt(sum(rng.gauss(0, 1) ** 2 for _ in range(3)) / 3) for _ in values]
        return [value + rng.gauss(0, 1) / s for value, s in zip(values, spread, strict=True)]

    return loop


def ratios() -> list[dict[str, Any]]:
    """How many times as fast a report is, each on one core; and ours on all cores."""
    cores = _cores()
    _pin(cores[:1])
    rows = _on_one_core()
    _pin(cores)
    x = np.random.default_rng(0).normal(0.0, 3.0, 4 * N)
    for kind in (gp.Table, gp.LeastScaleT, gp.LipschitzLaplace):
        mechanism = kind.calibrate(gp.Threshold(0.0, 1.0), 1.0)
        for what, work in (
            (f"exact {kind.__name__} report", partial(mechanism.report, x)),
            (f"simulated {kind.__name__}", partial(mechanism.simulate, x, np.random.default_rng(1))),
        ):
            together = seconds(work, 3)
            _pin(cores[:1])
            alone = seconds(work, 3)
            _pin(cores)
            against = {"what": f"{what} on {len(cores)} cores", "against": "the same on one core"}
            rows.append(against | {"times_as_fast": alone / together})
    return rows


def _cores() -> list[int]:
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def _pin(cores: list[int]) -> None:
    """Run on these cores only, where the system can be told so."""
    if cores:
        os.sched_setaffinity(0, cores)


def _on_one_core() -> list[dict[str, Any]]:
    rng = np.random.default_rng(0)
    x = rng.normal(0.0, 3.0, N)
    query = gp.Threshold(0.0, 1.0)
    table, student = gp.Table.calibrate(query, 1.0), gp.LeastScaleT.calibrate(query, 1.0, df=3.0)
    laplace, lattice = gp.LipschitzLaplace.calibrate(query, 1.0), gp.Lattice.calibrate(query.space, 1.0)
    ours = {}
    for name, mechanism in (("Table", table), ("Student-t", student), ("Laplace", laplace), ("Lattice", lattice)):
        mechanism.report(x[:1000])  # compiled code is loaded once
        ours[name] = seconds(partial(mechanism.report, x), 3) / N
    standard = seconds(lambda: rng.standard_t(3, N), 3) / N
    few = x[:FEW].tolist()
    theirs = {
        "numpy standard_t(3)": standard,
        "scipy.stats t.rvs(3)": seconds(lambda: stats.t.rvs(3, size=N, random_state=rng), 3) / N,
        "a plain Python loop": seconds(plain_loop(few), 3) / FEW,
    }
    for name, make in (("OpenDP make_laplace", opendp_laplace), ("diffprivlib Laplace", diffprivlib_laplace)):
        work = make(few)
        if work is None:
            print(f"{name}: cannot be imported, not measured", file=sys.stderr)
        else:
            theirs[name] = seconds(work, 3) / FEW
    rows = [
        {"what": f"exact {name} report, entropy included", "against": other, "times_as_fast": slow / fast}
        for name, fast in ours.items()
        for other, slow in theirs.items()
    ]
    return rows + _in_the_plane(x, theirs.get("OpenDP make_laplace"))


def _in_the_plane(x: np.ndarray[Any, Any], other: float | None) -> list[dict[str, Any]]:
    """A report of two coordinates with round noise, at two steps, against two of Laplace noise."""
    places, rows = np.column_stack([x, x[::-1]]), []
    for step in (0.1, 0.02):
        lattice = gp.Lattice.on_grid(gp.Plane(), 1.0, step, noise="round")
        lattice.report(places[:1000])
        mine = seconds(partial(lattice.report, places), 3) / N
        what = f"exact round Lattice report in the plane, step {step}/ε, entropy included"
        if other is not None:
            rows.append({"what": what, "against": "a pair of OpenDP make_laplace", "times_as_fast": 2 * other / mine})
    return rows


def growth(largest: int) -> list[dict[str, float]]:
    """Nanoseconds a report from one person to many, in pieces so that memory stays the same."""
    table = gp.Table.calibrate(gp.Threshold(0.0, 1.0), 1.0)
    x = np.random.default_rng(0).normal(0.0, 3.0, CHUNK)
    table.report(x[:1000])
    rows, n = [], 1
    while n <= largest:
        start = time.perf_counter()
        for done in range(0, n, CHUNK):
            table.report(x[: min(CHUNK, n - done)])
        spent = time.perf_counter() - start
        unit = 2**20 if sys.platform == "darwin" else 2**10  # bytes there, kibibytes elsewhere
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
        rows.append({"people": n, "nanoseconds": 1e9 * spent / n, "peak_mib": peak})
        n *= 10
    return rows


def alphabets() -> list[dict[str, float]]:
    """Nanoseconds a report as the alphabet grows."""
    x = np.random.default_rng(0).normal(0.0, 3.0, N)
    rows = []
    for parts in (2, 4, 8, 16):
        values = np.arange(-parts, 2 * parts + 1) / parts
        table = gp.Table.calibrate(gp.Threshold(0.0, 2.0), 1.0, values=values)
        table.report(x[:1000])
        spent = seconds(partial(table.report, x), 3)
        rows.append({"values": float(table.values.size), "nanoseconds": 1e9 * spent / N})
    return rows


def draw(result: dict[str, Any], path: Path) -> None:
    """Cost per report against the number of people and the size of the alphabet."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4), layout="constrained")
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2)
    left.loglog([r["people"] for r in result["growth"]], [r["nanoseconds"] for r in result["growth"]], "o-")
    left.set(xlabel="people", ylabel="nanoseconds a report", title="Exact Table reports")
    right.plot([r["values"] for r in result["alphabets"]], [r["nanoseconds"] for r in result["alphabets"]], "o-")
    right.set(xlabel="values in the table", ylabel="nanoseconds a report", title="A larger alphabet", ylim=(0, None))
    for axis in (left, right):
        axis.grid(alpha=0.3)
    figure.savefig(path, dpi=140)


def main() -> None:
    """Measure, print, save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="where the numbers go")
    parser.add_argument("--picture", type=Path, help="where the picture goes")
    parser.add_argument("--largest", type=int, default=10**8, help="the largest number of people")
    options = parser.parse_args()
    result = {"ratios": ratios(), "growth": growth(options.largest), "alphabets": alphabets()}
    print(f"{'what':46}{'against':24}{'times as fast':>14}")
    for row in result["ratios"]:
        print(f"{row['what']:46}{row['against']:24}{row['times_as_fast']:>14.2f}")
    print(f"\n{'people':>12}{'ns a report':>14}{'peak MiB':>10}")
    for row in result["growth"]:
        print(f"{row['people']:>12,}{row['nanoseconds']:>14,.0f}{row['peak_mib']:>10,.0f}")
    print(f"\n{'values':>12}{'ns a report':>14}")
    for row in result["alphabets"]:
        print(f"{row['values']:>12.0f}{row['nanoseconds']:>14,.1f}")
    if options.json:
        options.json.write_text(json.dumps(result, indent=2))
    if options.picture:
        draw(result, options.picture)


if __name__ == "__main__":
    main()
