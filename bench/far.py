"""Squared error of separated areas when far questions share one report, against people split (theory T13).

Run it:  python bench/far.py [places.parquet] [--json]

Discs of 1 km with ramps of 1 km around places where most people are, each at least 4/ε beyond the ramps of all others.
Errors are exact means over the people: noise and sampling together, a report. Without a file people are synthetic.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np

import geopriv as gp
from geopriv.mechanisms import SharedTables
from geopriv.spaces.checks import FloatArray
from geopriv_paper.datasets import read_places

RADIUS, WIDTH, GAP = 1_000.0, 1_000.0, 4.0
CASES = ((8, 500.0), (8, 1_000.0), (20, 300.0), (20, 500.0))  # areas and 1/ε in metres
CITY = gp.LocalPlane(south=40.45, west=-74.3, north=40.95, east=-73.65)
PEOPLE = 100_000


def main() -> None:
    """Every case, as a table or JSON."""
    paths = [Path(name) for name in sys.argv[1:] if not name.startswith("-")]
    where = read_places(paths[0] if paths else None)
    rng = np.random.default_rng(0)
    people = CITY.read(where.draw(min(PEOPLE, len(where.values)), rng))
    rows = [case(people, number, length) for number, length in CASES]
    if "--json" in sys.argv:
        print(json.dumps({"places": where.source, "people": len(people), "cases": rows}, indent=1))
        return
    print(f"{len(people):,} of {where.source}")
    for row in rows:
        print("  ".join(f"{name} {value:,.4g}" for name, value in row.items()))


def case(people: FloatArray, number: int, length: float) -> dict[str, float]:
    """People split over shared, of the sum of squared errors over all areas."""
    queries = [
        gp.Ball(tuple(CITY.values(c[None])[0].tolist()), RADIUS, WIDTH, CITY) for c in places(people, number, length)
    ]
    tables = [gp.Table.calibrate(query, 1 / length, straight=True) for query in queries]
    start = time.perf_counter()
    shared = SharedTables.of(tables)
    seconds = time.perf_counter() - start
    values = CITY.values(people)
    chance = np.array([query(values).var() for query in queries])
    split = [
        gp.Table.calibrate(query, 1 / length) for query in queries
    ]  # the best tables that people could be split among
    alone = np.array([table.variance(values).mean() for table in split]) + chance
    together = np.array([shared.variance(values, query).mean() for query in queries]) + chance
    gain = number * alone.sum() / together.sum()
    return {"areas": number, "1/ε (m)": length, "μ": float(shared.share), "split/shared": float(gain), "s": seconds}


def places(people: FloatArray, number: int, length: float) -> list[FloatArray]:
    """Greedily, where most people are within a radius, each far enough from those before."""
    apart = 2 * RADIUS + WIDTH + GAP * length
    grid = np.round(people / 500.0) * 500.0
    spots, counts = np.unique(grid, axis=0, return_counts=True)
    found: list[FloatArray] = []
    for k in np.argsort(-counts, kind="stable"):
        if all(np.linalg.norm(spots[k] - other) >= apart for other in found):
            found.append(spots[k])
        if len(found) == number:
            return found
    raise SystemExit(f"There is no room for {number} areas at 1/ε = {length:g} m.")


if __name__ == "__main__":
    main()
