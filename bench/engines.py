"""The same design on each engine: rows a second and CPU seconds for a million rows, on one core and on two.

`python bench/engines.py [--rows 10000000] [--cores 1 2] [--folder DIR] [--json]`. Every number is of a process of its
own, which has done the same work once before, since Java takes a while to get warm. Ratios are against Arrow with as
many cores and rows, in the same run.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import geopriv as gp
from geopriv.engines.duckdb import file_query
from geopriv.engines.duckdb_tally import reports_query, tally_sql

FILES = 8
QUERY = gp.Threshold(at=100_000, width=16_000, space=gp.Line("USD", resolution=0.01))
SOURCE = gp.Source(("income",), low=(0.0,), high=(1e6,), person="who")
DESIGN = gp.Design("income", (gp.Table.calibrate(QUERY, "1 per 8,000 USD"),), source=SOURCE)
Work = Callable[[Path, Path], Any]


def write(folder: Path, sizes: list[int]) -> None:
    """People in files of so many rows, each of one row group."""
    folder.mkdir()
    rng, done = np.random.default_rng(0), 0
    for k, size in enumerate(sizes):
        table = pa.table({"who": np.arange(done, done + size), "income": rng.lognormal(11.0, 1.0, size)})
        pq.write_table(table, folder / f"{k}.parquet", row_group_size=max(size, 1))
        done += size


def cpu() -> float:
    """CPU seconds of this process and all below it, so far."""
    waiting, ticks = [os.getpid()], 0
    while waiting:
        process = waiting.pop()
        try:
            ticks += sum(map(int, Path(f"/proc/{process}/stat").read_text().rsplit(") ", 1)[1].split()[11:15]))
            for task in Path(f"/proc/{process}/task").iterdir():
                waiting += map(int, (task / "children").read_text().split())
        except FileNotFoundError:
            continue  # it has ended in the meantime
    return ticks / os.sysconf("SC_CLK_TCK")


def works(engine: str, cores: int) -> dict[str, Work]:
    """What is measured, each from one folder to another."""
    if engine == "arrow":
        return {
            "privatize": lambda people, out: gp.privatize(DESIGN, people, out / "reports.parquet"),
            "count": lambda people, out: gp.tally(DESIGN, [out / "reports.parquet"]),
        }
    if engine == "duckdb":
        return {
            "privatize": lambda people, out: gp.privatize(
                DESIGN, file_query(people / "*.parquet"), out / "reports.parquet"
            ),
            "count": lambda people, out: tally_sql(DESIGN, reports_query([out / "reports.parquet"])),
        }
    from geopriv.engines import spark
    from geopriv.engines.spark_session import session

    settings = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.log.level": "ERROR"}
    started = session(f"local[{cores}]", settings | {"spark.sql.shuffle.partitions": "8", "spark.driver.memory": "3g"})
    return {
        "privatize": lambda people, out: (
            spark.privatize(started.read.parquet(str(people)), DESIGN)
            .write.option("parquet.enable.dictionary#id", "false")
            .parquet(str(out / "reports"))
        ),
        "count": lambda people, out: spark.tally(started.read.parquet(str(out / "reports")), DESIGN),
    }


def measure(engine: str, cores: int, people: Path) -> dict[str, dict[str, float]]:
    """In this process, on so many cores."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
    found: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory(dir=people.parent) as name:
        work = works(engine, cores)
        for attempt in ("cold", "warm"):
            out = Path(name) / attempt
            out.mkdir()
            for verb, run in work.items():
                start, spent = time.perf_counter(), cpu()
                run(people, out)
                found[verb] = {"seconds": time.perf_counter() - start, "cpu": cpu() - spent}
    return found


def even(rows: int) -> list[int]:
    return [rows // FILES] * FILES


def skewed(rows: int) -> list[int]:
    """Nine tenths of the rows in one file that cannot be split."""
    return [rows - (FILES - 1) * (rows // (10 * (FILES - 1))), *[rows // (10 * (FILES - 1))] * (FILES - 1)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--cores", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--folder", type=Path, default=None, help="where there is room: some 120 bytes a row")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--measure", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        engine, cores, people = options.measure
        print("measured:" + json.dumps(measure(engine, int(cores), Path(people))))
        return
    found = []
    folder = Path(tempfile.mkdtemp(dir=options.folder))
    try:
        for rows in (options.rows // 10, options.rows):
            write(folder / f"even{rows}", even(rows))
            write(folder / f"skewed{rows}", skewed(rows))
            for cores in options.cores:
                engines = ("arrow", "duckdb", "spark", *(["spark, skewed"] if cores == max(options.cores) else []))
                for engine in engines:
                    people = folder / (f"skewed{rows}" if "skewed" in engine else f"even{rows}")
                    words = [engine.split(",")[0], str(cores), str(people)]
                    done = subprocess.run(
                        [sys.executable, __file__, "--measure", *words], check=True, capture_output=True, text=True
                    )
                    (line,) = (text for text in done.stdout.splitlines() if text.startswith("measured:"))
                    for verb, numbers in json.loads(line.removeprefix("measured:")).items():
                        found.append({"engine": engine, "verb": verb, "rows": rows, "cores": cores, **numbers})
    finally:
        shutil.rmtree(folder)
    if options.json:
        print(json.dumps(found, indent=2))
        return
    head = f"{'engine':16}{'verb':12}{'rows':>12}{'cores':>7}{'rows/s':>12}{'CPU s / 10^6':>14}"
    print(head + f"{'time / Arrow':>14}{'CPU / Arrow':>13}")
    for row in found:
        same = next(other for other in found if all(other[k] == row[k] for k in ("verb", "rows", "cores")))
        speed, cost = row["rows"] / row["seconds"], row["cpu"] / row["rows"] * 1e6
        text = f"{row['engine']:16}{row['verb']:12}{row['rows']:>12,}{row['cores']:>7}{speed:>12,.0f}{cost:>14.2f}"
        print(text + f"{row['seconds'] / same['seconds']:>14.2f}{row['cpu'] / same['cpu']:>13.2f}")


if __name__ == "__main__":
    main()
