"""How long tables take to compile, and how near they come to the bound of their own program.

Run it:  python bench/tables.py [--json]

Nothing is read from or written to the cache.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

import numpy as np

os.environ["GEOPRIV_CACHE"] = "off"

import geopriv as gp

THIRTEEN = (-3.0, -2.0, -1.0, -0.5, 0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0)
SPREAD = np.linspace(-14.0, 14.0, 999)
CASES: dict[str, tuple[gp.queries.Query, dict[str, Any]]] = {
    "default threshold, ετ = 2": (gp.Threshold(0.0, 2.0), {}),
    "default threshold, ετ = 0.5": (gp.Threshold(0.0, 0.5), {}),
    "default kernel, εh = 1": (gp.GaussianKernel(0.0, 1.0), {}),
    "default threshold, ετ = 30": (gp.Threshold(0.0, 30.0), {}),
    "1,000 points, 13 values, ramp ετ = 2": (
        gp.Threshold(0.0, 2.0),
        {"values": THIRTEEN, "lattice": np.union1d(SPREAD, [-1.0, 1.0])},
    ),
    "1,000 points, 13 values, ramp ετ = 0.5": (
        gp.Threshold(0.0, 0.5),
        {"values": THIRTEEN, "lattice": np.union1d(SPREAD, [-0.25, 0.25])},
    ),
    "1,000 points, 13 values, kernel εh = 1": (
        gp.GaussianKernel(0.0, 1.0),
        {"values": THIRTEEN, "lattice": SPREAD},
    ),
}


def main() -> None:
    """Compile each table once."""
    rows = []
    for name, (query, options) in CASES.items():
        start = time.perf_counter()
        table = gp.Table.calibrate(query, 1.0, **options)
        seconds = time.perf_counter() - start
        rows.append(
            {
                "table": name,
                "points": table.lattice.size,
                "values": table.values.size,
                "seconds": seconds,
                "variance/bound": table.excess(),
            }
        )
    if "--json" in sys.argv:
        print(json.dumps(rows))
        return
    print(f"{'table':42}{'points':>8}{'used values':>13}{'seconds':>9}{'variance/bound':>16}")
    for row in rows:
        print(
            f"{row['table']:42}{row['points']:8,}{row['values']:13}{row['seconds']:9.1f}{row['variance/bound']:16.3f}"
        )


if __name__ == "__main__":
    main()
