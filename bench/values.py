"""How often intervals of means and quantiles hold the plain truth, and how long they are, over many simulated surveys.

Run it:  python bench/values.py [ca_income.parquet] [--json]

Without a file the people are quantiles of the published log-normal fit. Heaps are a population of which 1 % is at
100,000 exactly and a third at the median.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

import geopriv as gp
from geopriv.commands.populations import income_quantiles, read_columns
from geopriv.spaces.checks import FloatArray
from geopriv_paper.benchmarks.values import Intervals, mean_intervals, plain_quantiles, quantile_intervals

USD = gp.Line("USD")
RANGE = (0.0, 2e6)
SURVEYS = 2_000
Row = dict[str, Any]


def planned(n: int, prior: gp.Prior) -> tuple[gp.Lattice, gp.Quantile]:
    """The design for a median and quartiles of so many people."""
    question = gp.Quantile("quartiles", (0.25, 0.5, 0.75), USD, *RANGE)
    source = gp.Source(("income",), RANGE[:1], RANGE[1:])
    design = gp.plan(gp.Survey("incomes", USD, 1 / 8000, (question,), n, source, prior)).design
    (lattice,), (fixed,) = design.mechanisms, design.questions
    assert isinstance(lattice, gp.Lattice)
    assert isinstance(fixed, gp.Quantile)
    return lattice, fixed


def rows_of(name: str, values: FloatArray, weights: FloatArray, prior: gp.Prior, everybody: int) -> list[Row]:
    """Of one population: a mean, three quantiles, and what soft intervals would say of these."""
    rows = []
    for n in (2_000, 20_000, everybody):
        lattice, question = planned(n, prior)
        rng = np.random.default_rng(n)
        mean = mean_intervals(lattice, values, weights, n, SURVEYS, rng)
        plain = quantile_intervals(lattice, question, values, weights, n, SURVEYS, rng)
        soft = quantile_intervals(lattice, question, values, weights, n, SURVEYS, rng, soft=True)
        for what, found in (("mean", mean), ("quartiles, plain", plain), ("quartiles, soft", soft)):
            rows.append(_row(f"{name}: {what}", n, question.reach, found))
    return rows


def _row(what: str, n: int, reach: float, found: Intervals) -> Row:
    return {"what": what, "n": n, "reach": reach, "covered": found.covered.tolist(), "half": found.half.tolist()}


def main() -> None:
    """Measure, and print one table."""
    files = [Path(name) for name in sys.argv[1:] if name != "--json"]
    values, weights = income_quantiles(50_000), np.ones(50_000)
    if files:
        values, weights = read_columns(files[0], ("income", "weight"))
    values, weights = np.clip(values, *RANGE), weights / weights.sum()
    heaped, place = values.copy(), np.arange(values.size)
    heaped[place % 100 == 0] = 100_000.0
    heaped[place % 3 == 1] = plain_quantiles(values, weights, (0.5,))[0]
    prior = gp.Prior.sample(income_quantiles(2_000))  # public, and not the people themselves
    rows = rows_of("incomes", values, weights, prior, values.size)
    rows += rows_of("heaps", heaped, weights, prior, values.size)
    if "--json" in sys.argv:
        print(json.dumps(rows))
        return
    print(f"{'95 % confidence, ' + f'{SURVEYS:,} surveys':28}{'n':>9}{'reach':>8}{'covered':>24}{'± USD':>24}")
    for row in rows:
        covered = " ".join(f"{share:.4f}" for share in row["covered"])
        half = " ".join(f"{length:,.0f}" for length in row["half"])
        print(f"{row['what']:28}{row['n']:>9,}{row['reach']:>8,.0f}{covered:>24}{half:>24}")


if __name__ == "__main__":
    main()
