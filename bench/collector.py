"""Reports a second of a collector, beside a plain endpoint that inserts a row; and what is lost when it is killed.

`python bench/collector.py [--reports 100000] [--plain 20000] [--clients 50] [--database sqlite|postgresql] [--every 4]`

All on loopback, with one lean client of 50 connections in this process. Measured is `geopriv serve`, right after the
plain endpoint; then once more while it is killed (`kill -9`) every few seconds. Processor time is that of the service,
and of PostgreSQL's own processes, without the client's. Ends with exit code 1 where a report was lost or doubled, or a
token spent without its report.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.collector.conftest import DESIGN
from tests.collector.loads import Killer, Load, faults, load_of
from tests.collector.servers import free_port, serving, status
from tests.databases import postgres

import geopriv as gp
from geopriv.collector.live import Live
from geopriv.collector.publish import publish
from geopriv.collector.simulated.crowd import quantile
from geopriv.collector.store import Store

Row = tuple[str, Load, list[str], str]


@contextmanager
def databases(kind: str, folder: Path) -> Iterator[tuple[list[str], int | None]]:
    """Three empty databases, and the process of their server, if they have one."""
    if kind == "sqlite":
        yield [f"sqlite:///{folder}/{name}.sqlite" for name in ("plain", "load", "kills")], None
        return
    import psycopg

    with postgres() as server:
        address = server.get_uri()
        where, _, options = address.partition("?")
        with psycopg.connect(address, autocommit=True) as connection:
            for name in ("plain", "load", "kills"):
                connection.execute(f"CREATE DATABASE bench_{name}".encode())
        yield (
            [f"{where.rpartition('/')[0]}/bench_{name}?{options}" for name in ("plain", "load", "kills")],
            server.get_pid(),
        )


def plain(database: str, scratch: str, options: argparse.Namespace) -> Load:
    """The plain endpoint's."""
    load, port = load_of(DESIGN, scratch, options.plain), free_port()
    command = [sys.executable, "-m", "tests.collector.loads", database, str(port)]
    with subprocess.Popen(command, cwd=Path(__file__).parents[1]) as process:
        while status(port, "GET", "/v1/ready", "", "") is None:
            time.sleep(0.05)
        began = processor(process.pid)
        load.run(port, options.clients)
        load.processor = processor(process.pid) - began
        process.terminate()
    return load


def measured(design: Path, database: str, server: int | None, options: argparse.Namespace) -> tuple[Load, float]:
    """What was sent, and the processor time that the database's own processes used for it."""
    load, port = load_of(DESIGN, database, options.reports), free_port()
    with serving(design, database, port, f"--workers={options.workers}") as process:
        began, before = processor(process.pid), processor(server)
        load.run(port, options.clients)
        load.processor, beside = processor(process.pid) - began, processor(server) - before
        process.terminate()
        process.wait(60)
    return load, beside


def killed(design: Path, database: str, options: argparse.Namespace) -> tuple[Load, int]:
    load, port = load_of(DESIGN, database, options.reports), free_port()
    killer = Killer(design, database, port, options.every)
    with killer.killing():
        load.run(port, options.clients)
    return load, killer.kills


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--reports", type=int, default=100_000)
    reader.add_argument("--plain", type=int, default=20_000, help="reports to the plain endpoint")
    reader.add_argument("--clients", type=int, default=50)
    reader.add_argument("--workers", type=int, default=1)
    reader.add_argument("--every", type=float, default=4.0, help="seconds between kills; 0 for none")
    reader.add_argument("--database", choices=["sqlite", "postgresql"], nargs="*", default=["sqlite", "postgresql"])
    options = reader.parse_args()
    wrong: list[str] = []
    print(f"{'':34}{'reports':>9}{'a second':>10}{'p50':>10}{'p99':>10}{'processor':>12}  wrong")
    for kind in options.database:
        with tempfile.TemporaryDirectory() as place, databases(kind, Path(place)) as (addresses, server):
            rival, own, kills = addresses
            design = Path(place, "design.json")
            design.write_bytes(DESIGN.to_bytes())
            beside = plain(rival, f"sqlite:///{place}/scratch.sqlite", options)
            show(f"{kind}: plain endpoint", beside, [])
            load, used = measured(design, own, server, options)
            wrong += show(f"{kind}: geopriv serve", load, faults(load, own))
            print(f"{kind}: ratio {load.rate / beside.rate:.2f}", flush=True)
            print(f"{kind}: {said(load, used, own)}", flush=True)
            print(f"{kind}: {afterwards(own, Path(place))}", flush=True)
            if options.every:
                load, times = killed(design, kills, options)
                wrong += show(f"{kind}: killed {times} times", load, faults(load, kills))
    return 1 if wrong else 0


def processor(process: int | None) -> float:
    """Seconds of a processor that a process and those that it has begun have used."""
    if process is None:
        return 0.0
    used = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended since
            fields = stat.read_text().rpartition(")")[2].split()
            if int(stat.parent.name) == process or int(fields[1]) == process:
                used += int(fields[11]) + int(fields[12])
    return used / os.sysconf("SC_CLK_TCK")


def said(load: Load, used: float, database: str) -> str:
    """What the database costs for a report."""
    n = len(load.acknowledged)
    if database.startswith("sqlite"):
        return f"{Path(database.removeprefix('sqlite:///')).stat().st_size / n:,.0f} bytes a report with its token"
    import psycopg

    with psycopg.connect(database) as connection:
        sizes = "SELECT pg_total_relation_size('reports'), pg_total_relation_size('tokens')"
        reports, tokens = connection.execute(sizes).fetchone() or (0, 0)
    costs = f"{1e6 * used / n:,.0f} µs of its own processor time a report"
    return f"{costs}, {reports / n:,.0f} bytes a report and {tokens / n:,.0f} a token"


def afterwards(database: str, folder: Path) -> str:
    """How long it takes to answer from the reports, and to publish and count them."""
    store = Store(database)
    n, took = store.counted(), []
    for step in (
        lambda: Live(DESIGN, store).answers(),
        lambda: publish(DESIGN, store, folder / "reports.parquet"),
        lambda: gp.tally(DESIGN, folder / "reports.parquet"),
    ):
        began = time.perf_counter()
        step()
        took.append(time.perf_counter() - began)
    store.close()
    size = (folder / "reports.parquet").stat().st_size / n
    return (
        "answers in {:.1f} s, published in {:.1f} s, counted in {:.1f} s".format(*took) + f", {size:.0f} bytes a report"
    )


def show(name: str, load: Load, wrong: list[str]) -> list[str]:
    """One row."""
    p50, p99 = (f"{1000 * quantile(load.took, share):.1f} ms" for share in (0.5, 0.99))
    done = len(load.acknowledged)
    used = f"{1e6 * load.processor / done:,.0f} µs" if load.processor else ""
    print(
        f"{name:34}{done:>9,}{load.rate:>10,.0f}{p50:>10}{p99:>10}{used:>12}  {'; '.join(wrong) or 'nothing'}",
        flush=True,
    )
    return wrong


if __name__ == "__main__":
    sys.exit(main())
