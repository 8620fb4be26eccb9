"""Expected variance of every unbiased mechanism on the paper's twelve one-way settings, against the floor.

Run it:  python bench/accuracy.py [--json] [--incomes incomes.parquet]

Incomes are quantiles of the published log-normal fit, or the columns `income` and `weight` of a Parquet file (reading
one needs pyarrow). Nothing is simulated.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

import numpy as np

import geopriv as gp
from geopriv.checks import FloatArray
from geopriv.populations import INCOME_MU, INCOME_SIGMA

SETTINGS = {
    10_000: (800, 1_200, 2_000),
    100_000: (8_000, 12_000, 20_000),
    500_000: (16_000, 24_000, 40_000),
    1_000_000: (32_000, 48_000, 80_000),
}


def incomes(path: str | None) -> tuple[FloatArray, FloatArray]:
    """Values and weights that sum to 1."""
    if path is None:
        u = (np.arange(200_000) + 0.5) / 200_000
        values = np.exp(INCOME_MU + INCOME_SIGMA * gp.StudentT(df=1e9).ppf(u))
        return values, np.full(u.size, 1 / u.size)
    from pyarrow import parquet  # only for this option

    table: Any = parquet.read_table(path)
    weight = table["weight"].to_numpy().astype(float)
    return table["income"].to_numpy().astype(float), weight / weight.sum()


def main() -> None:
    """Print one row for each setting."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--incomes", help="a Parquet file with columns income and weight")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    x, weight = incomes(options.incomes)
    rows = []
    for at, rates in SETTINGS.items():
        for inverse in rates:
            query, rate = gp.Threshold(at, min(0.2 * at, 2 * inverse)), 1 / inverse
            variance = {
                "M2": gp.LipschitzLaplace.calibrate(query, rate).variance(x),
                "M3": gp.SmoothT.calibrate(query, rate).variance(x),
                "least": gp.LeastScaleT.calibrate(query, rate).variance(x),
                "table": gp.Table.calibrate(query, rate).variance(x),
                "floor": gp.lower_bound(query, rate, x),
            }
            mean = {k: float((weight * v).sum()) for k, v in variance.items()}
            efficiency = {f"{k} eff.": mean["floor"] / v for k, v in mean.items() if k != "floor"}
            rows.append({"T": at, "1/ε": inverse} | mean | efficiency)
    if options.json:
        print(json.dumps(rows))
        return
    widths = {"T": 9, "1/ε": 8, "M2": 8, "M3": 9, "least": 10, "table": 10, "floor": 10}
    gains_of = {"M3/least": 10, "M3/table": 10, "table/floor": 13}
    efficient = dict.fromkeys(("M2 eff.", "M3 eff.", "least eff.", "table eff."), 11)
    print("".join(f"{name:>{width}}" for name, width in (widths | gains_of | efficient).items()))
    for r in rows:
        numbers = f"{r['M2']:8.3f}{r['M3']:9.4f}{r['least']:10.5f}{r['table']:10.5f}{r['floor']:10.5f}"
        gains = f"{r['M3'] / r['least']:10.1f}{r['M3'] / r['table']:10.1f}{r['table'] / r['floor']:13.2f}"
        shares = "".join(f"{100 * r[name]:{width - 2}.1f} %" for name, width in efficient.items())
        print(f"{r['T']:9,}{r['1/ε']:8,}{numbers}{gains}{shares}")


if __name__ == "__main__":
    main()
