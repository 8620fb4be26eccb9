"""What an interval costs that holds whatever k of n reports say, by three ways, with and without liars.

    python bench/liars.py

50,000 people with log-normal incomes, the share above 100,000 USD at 1 per 8,000 USD: by a table, and by a grid whose
one report answers everything. Of each way to an interval of 95 % that no k reports can break the length is printed in
percentage points: honest reports alone, and with k that all count most.

 * range: the mean, ± k·range/n and the usual error;
 * trimmed: `estimate(…, robust=k)`, theory T17;
 * median of means: of m random blocks, between order statistics of which k may be wrong; m is the one of several that
   gives the shortest interval, which favours it. Blocks have 30 reports or more, since a median is not a mean.
"""

from __future__ import annotations

import numpy as np
from scipy import stats

import geopriv as gp
from geopriv.answers.intervals import normal_reach
from geopriv.answers.robust import soft_ends
from geopriv.mechanisms.sums import Sums, moments_of, repeated

N, RATE = 50_000, 1 / 8000
BLOCKS = (150, 250, 500, 1_000, 1_200, 1_400, 1_666)  # of 30 reports at least: means of fewer are not normal


def lengths(values: np.ndarray, spread: float, k: int, rng: np.random.Generator) -> list[float]:
    """Of the usual interval, by the range, trimmed, and by the best median of means."""
    each, times = np.unique(values, return_counts=True)
    blocks = repeated(each[:, None], times.astype(np.float64))
    sums = Sums(N, *moments_of(blocks, N, 1), np.zeros(1), np.zeros(1), 0.0, blocks=blocks)
    usual = 2 * normal_reach(0.95) * float(np.sqrt(sums.variances[0] / N))
    low, high = soft_ends(sums, k, 0.95)
    return [usual, usual + 2 * k * spread / N, float(high[0] - low[0]), min(_medians(values, k, rng))]


def _medians(values: np.ndarray, k: int, rng: np.random.Generator) -> list[float]:
    """Lengths of intervals by medians of means; infinite for too few blocks."""
    mixed, found = rng.permutation(values), [np.inf]
    for m in BLOCKS:
        means = np.sort([block.mean() for block in np.array_split(mixed, m)])
        at = int(stats.binom.ppf(0.025, m, 0.5)) - k  # of blocks that are right half are above, but for 5 %
        if at >= 1:
            found.append(float(means[m - at] - means[at - 1]))
    return found


def main() -> None:
    """Print the table."""
    rng = np.random.default_rng(1)
    incomes = rng.lognormal(11.4, 0.8, N)
    narrow, wide = (
        gp.Threshold(100_000, 16_000, gp.Line("USD")),
        gp.Threshold(100_000, 32_000, gp.Line("USD"), "smooth"),
    )
    ways = {
        "Table": (gp.Table.calibrate(narrow, RATE), narrow),
        "Lattice": (gp.Lattice.on_grid(gp.Line("USD"), RATE, 800.0), wide),
    }
    print(f"{'mechanism':10}{'k/n':>7}{'liars':>8}{'usual':>9}{'range':>9}{'trimmed':>9}{'median of means':>17}")
    for name, (mechanism, query) in ways.items():
        shares = np.asarray(mechanism.contributions(mechanism.simulate(incomes, rng).values, query))
        spread = float(np.ptp(shares))
        for k in (50, 500, 2_500):
            for liars in (0, k):
                sent = shares.copy()
                sent[:liars] = shares.max()
                found = "".join(f"{100 * part:9.2f}" for part in lengths(sent, spread, k, rng))
                print(f"{name:10}{k / N:7.1%}{liars:8,}{found[:27]}{found[27:]:>17}")


if __name__ == "__main__":
    main()
