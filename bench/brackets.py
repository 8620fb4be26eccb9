"""Half-widths of 95 % brackets: thresholds by a BracketTable and the best Lattice, areas under two kinds of noise.

Run it:  python bench/brackets.py [ca_income.parquet] [--json] [--plane]

Without the file the people are quantiles of the published log-normal fit, which is the public prior in any case. The
Lattice has a grid point at the threshold and quadratic edges of as many cells as are best for the people themselves:
with the usual step of 0.1/ε, and with the best step too (0.05 to 4/ε). The tables know nothing of them.

Areas in the plane have people even around them. Noise of its own on each axis (theory T8) is beside round noise (T8′),
each on the finest grid that plans predict on, and each at the reach of the least half-width. With --plane only these
are measured.
"""

from __future__ import annotations

import json
import math
import sys
from typing import Any

import numpy as np
import shapely
from shapely.affinity import rotate

import geopriv as gp
from geopriv.commands.populations import income_quantiles, read_columns
from geopriv.mechanisms import BracketTable
from geopriv.spaces.checks import FloatArray
from geopriv.surveys.planning.brackets import reach_among

USD, PLANE = gp.Line("USD"), gp.Plane("m")  # where 1/ε is a metre
AREAS = {
    "disc, radius 3": gp.Ball((0.0, 0.0), 3.0, 1.0, PLANE),
    "disc, radius 5": gp.Ball((0.0, 0.0), 5.0, 1.0, PLANE),
    "uneven pentagon": gp.Geofence(shapely.Polygon([(-6, -3), (5, -4), (6, 4), (0, 1), (-5, 5)]), 1.0, PLANE),
    "rectangle, 12 × 8": gp.Geofence(shapely.box(-6.0, -4.0, 6.0, 4.0), 1.0, PLANE),
    "the same, turned by 45°": gp.Geofence(rotate(shapely.box(-6.0, -4.0, 6.0, 4.0), 45), 1.0, PLANE),
    "half plane, along an axis": gp.Score((1.0, 0.0), 0.0, 1.0, PLANE),
    "half plane, slanted": gp.Score((math.sqrt(0.5), math.sqrt(0.5)), 0.0, 1.0, PLANE),
}
SIDE, CROWD = 24.0, 14_400  # in units of 1/ε, of the square that people are in; and points that stand for them
STEPS = (0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0)
WIDTH = 4.0  # of the soft question, in 1/ε
Z = 1.96


def half_width(means: FloatArray, squares: FloatArray, n: int) -> float:
    """Half of the bracket, from expectations of what a report counts for both ends."""
    errors = np.sqrt((squares - means**2) / n)
    return float(means[1] - means[0] + Z * errors.sum()) / 2


def lattice_moments(s: FloatArray, shares: FloatArray, step: float, cells: int) -> tuple[FloatArray, FloatArray]:
    """Expectations of what a Lattice's report counts and of its square, coordinates in 1/ε (theory T8, T14)."""
    ratio, reach = 1 / (1 + step), math.ceil(40 / step) + cells
    k = np.arange(-reach, reach + 1)
    rises = np.minimum(np.arange(cells) + 0.5, cells - 0.5 - np.arange(cells))
    rising = np.concatenate([[0.0], rises.cumsum()]) / rises.sum()
    stencil = (1 + step) / step**2
    noise = (1 - ratio) / (1 + ratio) * ratio ** np.abs(k)
    means, squares = [], []
    for start in (0, -cells):
        edge = np.interp(k, start + np.arange(cells + 1), rising)
        padded = np.concatenate([[0.0], edge, [1.0]])
        letters = (1 + 2 * stencil) * edge - stencil * (padded[:-2] + padded[2:])
        spread = np.convolve(np.concatenate([np.zeros(reach), letters**2, np.ones(reach)]), noise, "valid")
        means.append(float(np.interp(s / step, k, edge) @ shares))
        squares.append(float(np.interp(s / step, k, spread) @ shares))
    return np.asarray(means), np.asarray(squares)


def best_lattice(s: FloatArray, shares: FloatArray, n: int, steps: tuple[float, ...]) -> float:
    """The least half-width over steps and edges of up to 3/ε."""
    tried = [(step, cells) for step in steps for cells in range(1, max(2, round(3 / step)) + 1)]
    return min(half_width(*lattice_moments(s, shares, step, cells), n) for step, cells in tried)


def table_half_width(table: BracketTable, s: FloatArray, shares: FloatArray, n: int) -> float:
    """Half of a table's bracket."""
    ends = table.bracket_moments(s)
    means, squares = np.array([(end.means @ shares, end.squares @ shares) for end in ends]).T
    return half_width(means, squares, n)


def soft_half_width(table: Any, s: FloatArray, shares: FloatArray, n: int) -> float:
    """Half of the interval of the soft share."""
    mean = table.mean_at(s)
    between = float(mean**2 @ shares) - float(mean @ shares) ** 2
    return Z * math.sqrt((float(table.variance_at(s) @ shares) + between) / n)


def case(scale: float, at: float, n: int, x: FloatArray, shares: FloatArray) -> dict[str, float]:
    """One row of the table, half-widths in points."""
    query, s = gp.Threshold(at, WIDTH * scale, USD), x - at
    usual = BracketTable.for_plain(query, 1 / scale, n)
    public = BracketTable.for_plain(query, 1 / scale, n, prior=income_quantiles(4000))
    brackets = [table_half_width(table, s, shares, n) for table in (usual, public)]
    soft = [soft_half_width(table, s, shares, n) for table in (gp.Table.calibrate(query, 1 / scale), usual)]
    found = (
        best_lattice(s / scale, shares, n, (0.1,)),
        best_lattice(s / scale, shares, n, STEPS),
        *brackets,
        *soft,
    )
    names = ("lattice 0.1", "lattice best", "table", "table, prior", "soft, Table", "soft, this")
    return {"1/ε": scale, "at": at, "n": n} | {name: 100 * part for name, part in zip(names, found, strict=True)}


def in_the_plane() -> list[dict[str, float | str]]:
    """Every area, for two numbers of people: half-widths in points under both kinds of noise."""
    along = (np.arange(math.isqrt(CROWD)) + 0.5) / math.isqrt(CROWD) * SIDE - SIDE / 2
    points = np.stack(np.meshgrid(along, along), axis=-1).reshape(-1, 2)
    shares = np.full(len(points), 1 / len(points))
    product = gp.Lattice.on_grid(PLANE, 1.0, 0.1)
    rounded = gp.Lattice.calibrate(PLANE, 1.0)
    rows = []
    for name, area in AREAS.items():
        question = gp.Share("area", area)
        for n in (20_000, 1_490_000):
            both = [100 * reach_among(noise, question, points, shares, n)[1] for noise in (product, rounded)]
            rows.append({"area": name, "n": n, "axes": both[0], "round": both[1], "round/axes": both[1] / both[0]})
    return rows


def print_plane(rows: list[dict[str, float | str]]) -> None:
    """As a table."""
    print(f"{'plain, half-widths in points':28}{'n':>12}{'each axis':>12}{'round':>12}{'round/axis':>12}")
    for row in rows:
        area, n, *widths = row.values()
        print(f"{area:28}{n:12,.0f}" + "".join(f"{part:12.2f}" for part in widths))


def main() -> None:
    """Three thresholds, two rates, three sizes; and areas."""
    plane = in_the_plane()
    if "--plane" in sys.argv:
        print(json.dumps(plane)) if "--json" in sys.argv else print_plane(plane)
        return
    files = [part for part in sys.argv[1:] if not part.startswith("-")]
    if files:
        incomes, weights = read_columns(files[0], ("income", "weight"))
    else:
        incomes, weights = income_quantiles(141_199), np.ones(141_199)
    x, places = np.unique(incomes, return_inverse=True)
    shares = np.bincount(places, weights / weights.sum()).astype(np.float64)
    cases = [(r, t, n) for r in (8000.0, 2000.0) for t in (5e4, 1e5, 2e5) for n in (2_000, 20_000, 141_199)]
    rows = [case(*one, x, shares) for one in cases]
    if "--json" in sys.argv:
        print(json.dumps({"line": rows, "plane": plane}))
        return
    print_plane(plane)
    print("".join(f"{name:>14}" for name in rows[0]))
    for row in rows:
        print("".join(f"{part:14,.0f}" if k < 3 else f"{part:14.2f}" for k, part in enumerate(row.values())))


if __name__ == "__main__":
    main()
