"""The same design on each engine: rows a second, CPU seconds for a million rows, and memory, on one core and on two.

`python bench/engines.py [--rows 100000 1000000 10000000] [--cores 1 2] [--folder DIR] [--json]`. Every line is of a
process of its own, which has done the same with a million rows three times before, since Java takes a while to get
warm. Ratios are against Arrow with as many cores and rows, in the same run. Memory is the most that all processes held
together.
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
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import geopriv as gp

FILES = 8
ENGINES = ["arrow", "duckdb", "spark", SKEWED := "spark, skewed"]
WARM, WARMINGS = 1_000_000, 3
QUERY = gp.Threshold(at=100_000, width=16_000, space=gp.Line("USD"))
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


def tree() -> Iterator[int]:
    """This process and all below it."""
    waiting = [os.getpid()]
    while waiting:
        yield (process := waiting.pop())
        try:
            for task in Path(f"/proc/{process}/task").iterdir():
                waiting += map(int, (task / "children").read_text().split())
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has ended in the meantime


def read(process: int, name: str) -> str:
    try:
        return Path(f"/proc/{process}/{name}").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def cpu() -> float:
    """CPU seconds of all processes, so far; those that have ended are counted with their parents."""
    ticks = sum(int(part) for process in tree() for part in read(process, "stat").rpartition(") ")[2].split()[11:15])
    return ticks / os.sysconf("SC_CLK_TCK")


def memory() -> float:
    """Megabytes that all processes hold now; what several of them share counts once."""
    lines = [line for process in tree() for line in read(process, "smaps_rollup").splitlines()]
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1000


class Watch(Thread):
    """The most memory while it runs."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.most, self._done = 0.0, Event()

    def run(self) -> None:
        while not self._done.wait(0.2):
            self.most = max(self.most, memory())

    def stop(self) -> float:
        self._done.set()
        self.join()
        return max(self.most, memory())


def meant(out: Path) -> dict[str, Any]:
    """These people are made up and may report again and again, in a register of their own."""
    return {"again": True, "register": out / "register.sqlite"}


def works(engine: str, cores: int) -> dict[str, Work]:
    """What is measured, each from one folder to another."""
    if engine == "arrow":
        return {
            "privatize": lambda people, out: gp.privatize(DESIGN, people, out / "reports.parquet", **meant(out)),
            "count": lambda people, out: gp.tally(DESIGN, out / "reports.parquet"),
        }
    if engine == "duckdb":
        return {
            "privatize": lambda people, out: gp.privatize(
                DESIGN, people / "*.parquet", out / "reports.parquet", engine="duckdb", **meant(out)
            ),
            "count": lambda people, out: gp.tally(DESIGN, out / "reports.parquet", engine="duckdb"),
        }
    from geopriv.reports.engines.spark import frames
    from geopriv.reports.engines.spark.session import session

    settings = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.log.level": "ERROR"}
    started = session(f"local[{cores}]", settings | {"spark.sql.shuffle.partitions": "8", "spark.driver.memory": "3g"})
    return {
        "privatize": lambda people, out: (
            frames.privatize(started.read.parquet(str(people)), DESIGN, **meant(out))
            .write.option("parquet.enable.dictionary#id", "false")
            .parquet(str(out / "reports"))
        ),
        "count": lambda people, out: gp.tally(DESIGN, started.read.parquet(str(out / "reports"))),
    }


def measure(engine: str, cores: int, people: Path, warming: Path) -> dict[str, dict[str, float]]:
    """In this process, on so many cores."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
    found: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory(dir=people.parent) as name:
        work = works(engine, cores)
        for attempt, folder in enumerate((*[warming] * WARMINGS, people)):
            out = Path(name) / str(attempt)
            out.mkdir()
            for verb, run in work.items():
                watch, start, spent = Watch(), time.perf_counter(), cpu()
                watch.start()
                run(folder, out)
                seconds, spent = time.perf_counter() - start, cpu() - spent
                found[verb] = {"seconds": seconds, "cpu": spent, "memory": watch.stop()}
    return found


def even(rows: int) -> list[int]:
    return [rows // FILES] * FILES


def skewed(rows: int) -> list[int]:
    """Nine tenths of the rows in one file that cannot be split."""
    return [rows - (FILES - 1) * (rows // (10 * (FILES - 1))), *[rows // (10 * (FILES - 1))] * (FILES - 1)]


def measured(engine: str, rows: int, cores: int, people: Path, warming: Path) -> list[dict[str, Any]]:
    """The lines of one process."""
    words = [engine.partition(",")[0], str(cores), str(people), str(warming)]
    command = [sys.executable, __file__, "--measure", *words]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    (line,) = (text for text in done.stdout.splitlines() if text.startswith("measured:"))
    numbers = json.loads(line.removeprefix("measured:"))
    return [{"engine": engine, "verb": verb, "rows": rows, "cores": cores, **numbers[verb]} for verb in numbers]


def show(row: dict[str, Any], same: dict[str, Any]) -> str:
    """A line of the table, beside Arrow's."""
    text = f"{row['engine']:16}{row['verb']:12}{row['rows']:>12,}{row['cores']:>7}"
    text += f"{row['rows'] / row['seconds']:>12,.0f}{row['cpu'] / row['rows'] * 1e6:>14.2f}{row['memory']:>9,.0f}"
    return text + f"{row['seconds'] / same['seconds']:>14.2f}{row['cpu'] / same['cpu']:>13.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[10**5, 10**6, 10**7])
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=ENGINES)
    parser.add_argument("--cores", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--folder", type=Path, default=None, help="where there is room: some 120 bytes a row")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--measure", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        engine, cores, people, warming = options.measure
        print("measured:" + json.dumps(measure(engine, int(cores), Path(people), Path(warming))))
        return
    found: list[dict[str, Any]] = []
    folder = Path(tempfile.mkdtemp(dir=options.folder))
    if not options.json:
        head = f"{'engine':16}{'verb':12}{'rows':>12}{'cores':>7}{'rows/s':>12}{'CPU s / 10^6':>14}{'MB':>9}"
        print(head + f"{'time / Arrow':>14}{'CPU / Arrow':>13}", flush=True)
    try:
        write(folder / "warming", even(WARM))
        for rows in options.rows:
            shapes = {"even": folder / f"even{rows}", "skewed": folder / f"skewed{rows}"}
            write(shapes["even"], even(rows))
            if SKEWED in options.engines:
                write(shapes["skewed"], skewed(rows))
            for cores in options.cores:
                for engine in options.engines:
                    if engine == SKEWED and cores < max(options.cores):
                        continue  # one core has the same work either way
                    people = shapes["skewed" if engine == SKEWED else "even"]
                    for row in measured(engine, rows, cores, people, folder / "warming"):
                        found.append(row)
                        keys = ("verb", "rows", "cores")
                        same = next(other for other in found if all(other[key] == row[key] for key in keys))
                        if not options.json:
                            print(show(row, same), flush=True)
            for shape in shapes.values():
                shutil.rmtree(shape, ignore_errors=True)
    finally:
        shutil.rmtree(folder)
    if options.json:
        print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
