"""People through `privatize`: rows a second beside a mere reading of the same file, and the most memory that it took.

`python bench/privatize.py [--rows 10000000] [--folder DIR] [--json]`. Every number is of a process of its own.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import geopriv as gp

PIECE = 1 << 20


def design(kind: str) -> gp.Design:
    if kind == "table":
        query = gp.Threshold(at=100_000, width=16_000, space=gp.Line("USD"))
        source = gp.Source(("income",), low=(0.0,), high=(1e6,))
        return gp.Design("income", (gp.Table.calibrate(query, "1 per 8,000 USD"),), source=source)
    city = gp.LocalPlane(40.4, -74.4, 41.0, -73.6)
    return gp.Design("map", (gp.Lattice.calibrate(city, 1e-3, step=150.0),), source=gp.Source(("lat", "lon")))


def people(kind: str, rows: int) -> Iterator[pa.Table]:
    rng = np.random.default_rng(0)
    for start in range(0, rows, PIECE):
        n = min(PIECE, rows - start)
        if kind == "table":
            yield pa.table({"income": rng.lognormal(11.0, 1.0, n)})
        else:
            yield pa.table({"lat": rng.uniform(40.5, 40.9, n), "lon": rng.uniform(-74.2, -73.7, n)})


def write(path: Path, kind: str, rows: int) -> None:
    writer = None
    for piece in people(kind, rows):
        writer = writer or pq.ParquetWriter(path, piece.schema)
        writer.write_table(piece)
    assert writer is not None
    writer.close()


def measure(kind: str, path: Path) -> dict[str, float]:
    """In this process: seconds of a reading and of a run, CPU seconds of the run, and megabytes at the most."""
    made = design(kind)
    first = next(people(kind, 1000))
    meant: dict[str, Any] = {
        "overwrite": True,
        "again": True,
        "register": path.with_name("register.sqlite"),
    }  # the people are made up
    gp.privatize(made, first, path.with_name("first.parquet"), **meant)  # compiled code is loaded once
    start = time.perf_counter()
    for _ in pq.ParquetFile(path, pre_buffer=False).iter_batches(PIECE):
        pass
    read = time.perf_counter() - start
    start, cpu = time.perf_counter(), time.process_time()
    gp.privatize(made, path, path.with_name("reports.parquet"), **meant)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    return {
        "read": read,
        "run": seconds,
        "cpu": cpu,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--folder", type=Path, default=None, help="where there is room: some 80 bytes a row")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.measure[0], Path(options.measure[1]))))
        return
    found = []
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for kind in ("table", "map"):
            for rows in (options.rows // 10, options.rows):
                path = Path(folder) / "people.parquet"
                write(path, kind, rows)
                command = [sys.executable, __file__, "--measure", kind, str(path)]
                done = subprocess.run(command, check=True, capture_output=True, text=True)
                found.append({"kind": kind, "rows": rows} | json.loads(done.stdout))
    if options.json:
        print(json.dumps(found, indent=2))
        return
    print(f"{'design':8}{'rows':>14}{'rows/s':>12}{'rows/CPU s':>12}{'× a reading':>14}{'peak MB':>10}")
    for row in found:
        speeds = f"{row['rows'] / row['run']:>12,.0f}{row['rows'] / row['cpu']:>12,.0f}"
        print(f"{row['kind']:8}{row['rows']:>14,}{speeds}{row['run'] / row['read']:>14.1f}{row['memory']:>10.0f}")


if __name__ == "__main__":
    main()
