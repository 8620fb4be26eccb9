"""From a CSV of places to a page with a map: seconds and memory of every command, each a process of its own.

`python bench/flow.py places.parquet [--points 128] [--folder DIR] [--json]`. The file has columns lat and lon in New
York, as examples/crashes asks for. Beside it stands what a density without privacy takes of the same rows, at as many
points: by `scipy.stats.gaussian_kde`, of which some points are measured, and by a filter over counts.
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
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from pyarrow import csv
from scipy import ndimage, stats

from geopriv.surveys import Survey

EXAMPLE = Path(__file__).parent.parent / "examples" / "crashes"
SOME = 32  # points at which the density without privacy is measured
# runs a command as people do, then says how much memory it took at the most
RUN = """
import resource
from geopriv.commands.cli import main
try:
    main()
finally:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def timed(folder: Path, *arguments: str) -> dict[str, Any]:
    start, before = time.perf_counter(), sum(os.times()[2:4])
    done = subprocess.run(
        [sys.executable, "-c", RUN, *arguments], cwd=folder, check=True, stdout=subprocess.PIPE, text=True
    )
    seconds = time.perf_counter() - start
    used = sum(os.times()[2:4]) - before
    memory = int(done.stdout.split()[-1]) / 1024
    return {"command": arguments[0], "seconds": seconds, "cpu_seconds": used, "megabytes": memory}


def survey_of(folder: Path, points: int) -> Path:
    """The example's survey, with so many points along each side of its map."""
    shutil.copytree(EXAMPLE, folder / "crashes")
    path = folder / "crashes" / "survey.toml"
    text = path.read_text(encoding="utf-8").replace('bandwidth = "1 km"\n', f'bandwidth = "1 km"\ncells = {points}\n')
    path.write_text(text, encoding="utf-8")
    return path


def without_privacy(survey: Path, places: Path, points: int) -> dict[str, float]:
    """Seconds for a density of the same rows at the same points: of every row, and of rows that are counted first."""
    asked: Any = Survey.read(survey).questions[0]
    rows = pq.read_table(places, columns=["lat", "lon"])
    at = asked.space.read(np.stack([rows["lat"].to_numpy(), rows["lon"].to_numpy()], axis=1))
    grid = np.stack(np.meshgrid(*asked.axes, indexing="ij"), axis=-1).reshape(-1, 2)
    start = time.perf_counter()
    kernel = stats.gaussian_kde(at.T, bw_method=asked.bandwidth / float(at.std()))
    kernel(grid[:: len(grid) // SOME][:SOME].T)
    direct = (time.perf_counter() - start) * len(grid) / SOME
    start = time.perf_counter()
    edges: Any = [np.append(axis, 2 * axis[-1] - axis[-2]) - (axis[1] - axis[0]) / 2 for axis in asked.axes]
    counts, *_ = np.histogram2d(at[:, 0], at[:, 1], bins=edges)
    ndimage.gaussian_filter(counts, [asked.bandwidth / (axis[1] - axis[0]) for axis in asked.axes], mode="constant")
    return {"gaussian_kde": direct, "counts_and_filter": time.perf_counter() - start}


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("places", type=Path)
    reader.add_argument("--points", type=int, default=128, help="of the map, along each side")
    reader.add_argument("--folder", type=Path, default=None)
    reader.add_argument("--json", action="store_true")
    given = reader.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        folder = Path(name)
        people = pq.read_table(given.places, columns=["lat", "lon"])
        csv.write_csv(people, folder / "people.csv")
        survey = survey_of(folder, given.points)
        rows = [
            timed(folder, "plan", str(survey), "-o", "design.json"),
            timed(folder, "privatize", "design.json", "people.csv", "-o", "reports.parquet", "--again"),
            timed(folder, "estimate", "design.json", "reports.parquet"),
        ]
        page = (folder / "report.html").stat().st_size
        plain = without_privacy(survey, given.places, given.points)
    total = sum(row["seconds"] for row in rows)
    if given.json:
        found = {"rows": people.num_rows, "points": given.points, "commands": rows, "seconds": total}
        print(json.dumps(found | {"page_bytes": page, "without_privacy": plain}, indent=2))
        return
    size = f"{given.points} x {given.points}"
    print(f"{people.num_rows:,} rows of CSV to a page of {page / 1024:,.0f} kB with a map of {size} and its band:")
    for row in rows:
        print(
            f"  geopriv {row['command']:<10} {row['seconds']:6.1f} s  {row['cpu_seconds']:6.1f} s of all cores  "
            f"{row['megabytes']:6,.0f} MB at the most"
        )
    print(f"  together           {total:6.1f} s")
    print(f"The same rows without privacy, at as many points, no error bar, on a load of {os.getloadavg()[0]:.1f}:")
    print(f"  scipy.stats.gaussian_kde               {plain['gaussian_kde']:8.1f} s ({SOME} points, scaled up)")
    print(f"  counts and scipy.ndimage.gaussian_filter {plain['counts_and_filter']:6.1f} s")


if __name__ == "__main__":
    main()
