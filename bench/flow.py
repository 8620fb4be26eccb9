"""From a CSV of places to a page with a map: seconds and memory of every command, each a process of its own.

`python bench/flow.py places.parquet [--folder DIR] [--json]`. The file has columns lat and lon in New York, as
examples/crashes asks for.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from pyarrow import csv

SURVEY = Path(__file__).parent.parent / "examples" / "crashes" / "survey.toml"
# runs a command of geopriv, then says how much memory it took at the most
RUN = (
    "import resource, sys; from geopriv.commands.cli import app; app(sys.argv[1:], standalone_mode=False); "
    "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
)


def timed(folder: Path, *arguments: str) -> dict[str, Any]:
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", RUN, *arguments], cwd=folder, check=True, stdout=subprocess.PIPE, text=True
    )
    seconds = time.perf_counter() - start
    return {"command": arguments[0], "seconds": seconds, "megabytes": int(done.stdout.split()[-1]) / 1024}


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("places", type=Path)
    reader.add_argument("--folder", type=Path, default=None)
    reader.add_argument("--json", action="store_true")
    given = reader.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        folder = Path(name)
        people = pq.read_table(given.places, columns=["lat", "lon"])
        csv.write_csv(people, folder / "people.csv")
        rows = [
            timed(folder, "plan", str(SURVEY), "-o", "design.json"),
            timed(folder, "privatize", "design.json", "people.csv", "-o", "reports.parquet"),
            timed(folder, "estimate", "design.json", "reports.parquet"),
        ]
        page = (folder / "report.html").stat().st_size
    total = sum(row["seconds"] for row in rows)
    if given.json:
        print(json.dumps({"rows": people.num_rows, "commands": rows, "seconds": total, "page_bytes": page}, indent=2))
        return
    print(f"{people.num_rows:,} rows of CSV to a page of {page / 1024:,.0f} kB with a map of 61 x 61 and its band:")
    for row in rows:
        print(f"  geopriv {row['command']:<10} {row['seconds']:6.1f} s  {row['megabytes']:6,.0f} MB at the most")
    print(f"  together           {total:6.1f} s")


if __name__ == "__main__":
    main()
