"""How often intervals, bands and plain answers hold, over many simulated surveys: the tables behind the claims.

Run it:  python bench/intervals.py [ca_income.parquet [nyc_collisions.parquet]] [--json] [--plain | --maps]

Without files the people are quantiles of the published log-normal fit, and a synthetic city. With --plain only the
plain questions are measured, which take most of the time, with --maps only the bands of maps.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

import geopriv as gp
from geopriv.answers.bands import band_reach
from geopriv.answers.intervals import normal_reach
from geopriv.commands.populations import income_quantiles, read_columns, synthetic_city
from geopriv.mechanisms.lattice.lattice import Noise
from geopriv.mechanisms.lattice.sums import map_sums
from geopriv.mechanisms.sums import band_half
from geopriv.reports.files import ReportBatch
from geopriv.spaces.checks import FloatArray
from geopriv_paper.benchmarks import plain_questions
from geopriv_paper.benchmarks.coverage import (
    Law,
    band_ratios,
    finite_ratios,
    lattice_law,
    normal_ratios,
    table_law,
)

USD = gp.Line("USD")
CITY = gp.LocalPlane(south=40.34, west=-74.644, north=40.955, east=-73.654)
RATE = "1 per 8,000 USD"
SURVEYS, BANDS, MAPS, PLAIN = 10_000, 2_000, 500, 2_000
PLACES = Path(__file__).parents[1] / "examples" / "crashes" / "places.geojson"
Row = dict[str, Any]


def row(what: str, n: int, ratios: FloatArray) -> Row:
    """The share of surveys that are covered: the least and the most among the estimates."""
    inside = np.atleast_1d((ratios <= 1).mean(axis=0))
    error = float(np.sqrt(0.95 * 0.05 / len(ratios)))
    return {"what": what, "n": n, "surveys": len(ratios), "least": inside.min(), "most": inside.max(), "error": error}


def on_incomes(values: FloatArray, weights: FloatArray) -> list[Row]:
    """A threshold by a Table, the whole curve by a Lattice."""
    curve = gp.Distribution("curve", tuple(np.linspace(20_000, 300_000, 15).tolist()), 32_000, USD)
    lattice = gp.Lattice.calibrate(USD, RATE, queries=curve.queries)
    usual, rare = (gp.Table.calibrate(gp.Threshold(at, 16_000, USD), RATE) for at in (100_000, 750_000))
    laws: dict[str, Law] = {
        "Table, above 100,000": table_law(usual, values, weights),
        "Table, above 750,000 (1 %)": table_law(rare, values, weights),
        "Lattice, 15 thresholds": lattice_law(lattice, values, weights, curve.queries),
    }
    rows = []
    for name, law in laws.items():
        for n in (200, 2_000, 50_000):
            rows.append(row(f"normal: {name}", n, normal_ratios(law, n, SURVEYS, 0.95, np.random.default_rng(n))))
        rows.append(row(f"finite-sample: {name}", 50, finite_ratios(law, 50, SURVEYS, 0.95, np.random.default_rng(0))))
    law = laws["Lattice, 15 thresholds"]
    for n in (500, 5_000):
        rows.append(row("band: 15 thresholds at once", n, band_ratios(law, n, BANDS, 0.95, np.random.default_rng(n))))
    return rows


def on_map(places: FloatArray, noise: Noise, points: int, n: int) -> list[Row]:
    """A map of kernels, from one report of each of n people: pointwise intervals and the band.

    Its corners lie over the sea and another state, where nobody of these people is.
    """
    question = gp.DensityMap("map", 3_000.0, (-40_000, -33_000), (40_000, 33_000), CITY, points, points)
    lattice = gp.Lattice.calibrate(CITY, "1 per 1 km", queries=question.queries[:1], noise=noise)
    design, rng = gp.Design("map", (lattice,), questions=(question,)), np.random.default_rng(0)
    at = lattice.space.read(places)
    near = [np.exp(-0.5 * ((at[:, [k]] - axis) / question.bandwidth) ** 2) for k, axis in enumerate(question.axes)]
    truth = (near[0].T @ near[1]).ravel() / len(places)
    single, whole, far = [], [], []
    for _ in range(MAPS):
        tally = gp.Tally(design)
        reports = lattice.simulate(places[rng.integers(0, len(places), n)], rng).values
        tally.add(ReportBatch(0, reports.astype(np.int64)))
        sums = map_sums(lattice, tally.counts(0), question.product)
        assert sums.covariance is not None
        error = np.abs(sums.means - truth)
        single.append(error / np.maximum(normal_reach(0.95) * np.sqrt(sums.variances / n), 1e-300))
        ratio = error / band_half(band_reach([sums.covariance], truth.size, 0.95), sums)
        whole.append(ratio.max())
        far.append(ratio[truth < 1e-9].max())
    frequent, what = truth > 50 / n, f"{points} x {points} map, {noise}"  # where nobody is a normal one means nothing
    return [
        row(f"normal: {what}, where 50 people are seen", n, np.array(single)[:, frequent]),
        row(f"band: {what}, at once", n, np.array(whole)),
        row(f"band: {what}, a fifth shorter", n, np.array(whole) / 0.8),
        row(f"band: {what}, where nobody is", n, np.array(far)),
    ]


def print_plain(rows: list[Row]) -> None:
    """Plain answers beside soft ones."""
    print(f"{PLAIN:,} surveys each, 95 % confidence; half lengths in percentage points. The last column: how often the")
    print("soft interval holds the plain truth, which is not its question.")
    head = f"{'':36}{'':32}{'n':>10}{'truth':>8}{'reach·ε':>8}{'plain held':>11}{'± plain':>9}{'planned':>9}"
    print(f"{head}{'soft held':>10}{'± soft':>8}{'plain by soft':>15}")
    for r in rows:
        print(
            f"{r['what']:36}{r['question']:32}{r['n']:>10,}{100 * r['truth']:>8.2f}{r['reach']:>8.2f}"
            f"{r['plain_covered']:>11.4f}{100 * r['plain_half']:>9.2f}{100 * r['plain_predicted']:>9.2f}"
            f"{r['soft_covered']:>10.3f}{100 * r['soft_half']:>8.2f}{r['plain_by_soft']:>15.3f}"
        )


def print_tables(rows: list[Row]) -> None:
    """Plain answers of surveys of one threshold, or of areas alone: a table for each, and people split."""
    print("A table for each question, people split among them:")
    for r in rows:
        print(
            f"{r['what']:36}{r['question']:32}{r['n']:>10,}{100 * r['truth']:>8.2f}{'':8}"
            f"{r['plain_covered']:>11.4f}{100 * r['plain_half']:>9.2f}"
        )


def main() -> None:
    """Measure, and print one table."""
    files = [Path(name) for name in sys.argv[1:] if not name.startswith("--")]
    values, weights = income_quantiles(50_000), np.ones(50_000)
    spots = synthetic_city(200_000, np.random.default_rng(0))
    if files:
        values, weights = read_columns(files[0], ("income", "weight"))
    if len(files) > 1:
        spots = np.stack(read_columns(files[1], ("lat", "lon")), axis=1)
    weights = weights / weights.sum()
    rows = []
    if "--plain" not in sys.argv:
        rows = [] if "--maps" in sys.argv else on_incomes(values, weights)
        rows += on_map(spots[::7], "round", 128, 20_000) + on_map(spots[::7], "round", 128, 200_000)
        rows += on_map(spots[::7], "product", 41, 20_000)
    if "--maps" in sys.argv:
        print_rows(rows)
        return
    plain = list(plain_questions.incomes(np.clip(values, 0.0, 2e6), weights, PLAIN))
    plain += plain_questions.crashes(plain_questions.CITY.read(spots), PLACES, PLAIN)
    at = plain_questions.CITY.read(spots)
    tables = list(plain_questions.by_tables(np.clip(values, 0.0, 2e6), weights, at, PLACES, PLAIN))
    if "--json" in sys.argv:
        print(json.dumps({"intervals": rows, "plain": plain, "plain_tables": tables}))
        return
    print_plain(plain)
    print_tables(tables)
    print("Means and quantiles: python bench/values.py")
    if not rows:
        return
    print_rows(rows)


def print_rows(rows: list[Row]) -> None:
    """How often intervals and bands held."""
    print(f"{'95 % confidence':56}{'n':>8}{'surveys':>9}{'covered':>18}{'± one s.e.':>12}")
    for r in rows:
        share = f"{r['least']:.4f}" + ("" if r["most"] == r["least"] else f" to {r['most']:.4f}")
        print(f"{r['what']:56}{r['n']:>8,}{r['surveys']:>9,}{share:>18}{r['error']:>12.4f}")


if __name__ == "__main__":
    main()
