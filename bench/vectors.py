"""One table for several thresholds on a line, beside one Lattice report and a table for each, as `plan` has them.

Run it:  python bench/vectors.py [--quick] [--json]

Variance of one person's part of an estimate, on average over K thresholds `gap` apart with linear edges, for people who
are even around them (as `plan` has it without a prior); lengths in 1/ε. Nothing is simulated. A Lattice's coarse grid
has all kinks in it, which is its best case; `moved` is another, in which the last threshold is off by so much. The
table's own variances are what `plan` predicts of it. Tables are compiled once and kept.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import numpy as np

import geopriv as gp

PEOPLE = 100_000
CASES = [(k, w, gap, 0.0) for k in (2, 4) for w in (0.5, 1.0, 2.0, 3.0) for gap in (1.0, 2.0, 4.0)]
CASES += [(8, 1.0, 1.0, 0.0), (8, 1.0, 2.0, 0.0), (3, 1.0, 1.0, 0.37), (3, 2.0, 2.0, 0.37)]


def variance(queries: list[gp.queries.Query], mechanism: str) -> tuple[float, bool]:
    """Of one report, and whether that is only a floor under it; not-a-number where the mechanism cannot answer."""
    try:
        (option,) = gp.plan(queries, 1.0, PEOPLE, mechanisms=[mechanism], for_devices=True).options
    except gp.InvalidParameter:
        return float("nan"), False
    return PEOPLE * float(np.mean(option.variances + option.biases**2)), option.bound_only


def vector_variance(queries: list[gp.queries.Query]) -> float:
    """Of one report of a VectorTable, for the people that a plan expects."""
    table = gp.mechanisms.VectorTable.calibrate(queries, 1.0)
    work = gp.plan(queries, 1.0, PEOPLE, mechanisms=["LipschitzLaplace"]).work
    values = work.space.values(work.points)
    return float(np.mean([work.weights @ table.moments(values, query)[1] for query in queries]))


def case(size: int, width: float, gap: float, moved: float) -> dict[str, Any]:
    """One row."""
    places = gap * np.arange(size) + moved * (np.arange(size) == size - 1)
    queries: list[gp.queries.Query] = [gp.Threshold(float(at), width) for at in places]
    grid, split = variance(queries, "Lattice")[0], variance(queries, "Table")[0]
    start = time.perf_counter()
    vector = vector_variance(queries)
    return {
        "K": size,
        "width": width,
        "gap": gap,
        "moved": moved,
        "Lattice": grid,
        "Table, people split": split,
        "VectorTable": vector,
        "of the best other": vector / np.nanmin([grid, split]),
        "seconds": time.perf_counter() - start,
    }


def main() -> None:
    """Every case, or the first of each number of thresholds."""
    cases = [c for c in CASES if c[1:] == (1.0, 1.0, 0.0)] if "--quick" in sys.argv else CASES
    rows = []
    for k, one in enumerate(cases):
        rows.append(case(*one))
        if "--json" not in sys.argv:
            if not k:
                print("".join(f"{name:>20}" for name in rows[0]))
            print("".join(f"{part:20.3g}" for part in rows[-1].values()), flush=True)
    if "--json" in sys.argv:
        print(json.dumps(rows))


if __name__ == "__main__":
    main()
