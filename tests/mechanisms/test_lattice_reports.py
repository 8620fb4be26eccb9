"""Reports of lattices: whole numbers, exact at every x, and the bytes behind them published.

Statistical checks: 10^6 draws of fixed bits; p > 1e-6 at the truth, p < 1e-6 for planted faults.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import special

import geopriv as gp
from geopriv.mechanisms.lattice.noises import geometric
from geopriv.mechanisms.lattice.reports import OnLattice
from geopriv.spaces.checks import FloatArray
from tests import precise
from tests.rows import CITY
from tests.sources import Given, Seeded, report

N = 1_000_000
LINE = gp.Lattice.calibrate(gp.Line(), 1.0, step=0.3, noise="product")
PLANE = gp.Lattice.on_grid(gp.Plane(), 0.5, 0.7, (0.1, -3.0))
GRIDS: dict[str, tuple[gp.Lattice, Any]] = {
    "line": (LINE, 0.37),
    "plane": (PLANE, (0.35, -1.2)),
    "fine": (gp.Lattice.calibrate(gp.Line(), 1.0, step=2.0**-13, noise="product"), 0.37),
    "coarse": (gp.Lattice.calibrate(gp.Line(), 1.0, step=900.0, noise="product"), 311.0),
    "six axes": (gp.Lattice.calibrate(gp.Euclidean(6), 1.0, step=0.5, noise="product"), (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)),
    "in cents": (gp.Lattice.calibrate(gp.Line("USD"), 0.01, step=30.0, noise="product"), 1050.504),
    "ratios": (gp.Lattice.calibrate(gp.LogLine(2.0), 1.0, step=0.1, noise="product"), 1000.0),
    "map": (gp.Lattice.calibrate(CITY, 1e-3, step=100.0, noise="product"), (40.712345, -74.01)),
}
every_grid = pytest.mark.parametrize("name", GRIDS)


def positions(lattice: gp.Lattice, x: Any) -> list[Fraction]:
    """Where x is on the grid: exactly, or to fifty digits."""
    row, space = lattice.space.read_rows([x])[0][0].tolist(), lattice.space
    points: Sequence[Fraction | Decimal] = [Fraction(number) for number in row]
    if isinstance(space, gp.LogLine):
        points = [precise.exact(max(row[0], space.floor)).ln() / precise.exact(space.base).ln()]
    if isinstance(space, gp.LocalPlane):
        low, high = (map(precise.exact, corner.tolist()) for corner in space.rectangle)
        place = precise.on_the_map(space.radius, space.middle, *row)
        points = [min(max(along, a), b) for along, a, b in zip(place, low, high, strict=True)]
    axes = zip(points, lattice.origin, strict=True)
    return [(Fraction(point) - Fraction(origin)) / Fraction(lattice.step) for point, origin in axes]


def plain(lattice: gp.Lattice, x: Any, words: Sequence[int]) -> list[int]:
    """The published rule in whole numbers and fractions."""
    cells = []
    for along, first, second in zip(positions(lattice, x), words[::2], words[1::2], strict=True):
        lower = math.floor(along)
        sign, number = (1 if second >> 63 else -1), second & ((1 << 63) - 1)
        p, q = lattice.theta.numerator, lattice.theta.denominator
        size, left, right = 0, number * (2 * q + p), (1 << 64) * q
        while left < right:  # V < 2/(2 + θ)·(1 + θ)^−size
            size, left, right = size + 1, left * (p + q), right * q
        cells.append(lower + (Fraction(first, 1 << 64) < along - lower) + sign * size)
    return cells


def bytes_of(words: Sequence[int]) -> bytes:
    return b"".join(word.to_bytes(8, "little") for word in words)


@every_grid
def test_the_same_bytes_give_what_plain_fractions_give(name: str) -> None:
    lattice, x = GRIDS[name]
    rng = np.random.default_rng(0)
    spread = {"map": 1e-3, "map of recorded positions": 1e-3}.get(name, 0.3 * abs(np.min(x)))
    for _ in range(20 if name == "fine" else 60):
        value = np.asarray(x) + spread * rng.standard_normal(np.shape(x))
        words = rng.integers(0, 1 << 64, 2 * lattice.space.dimension, dtype=np.uint64).tolist()
        if name == "fine":  # powers of (1 + θ) are long there: stay near the middle
            words[1] |= 0xF << 59
        made = report(lattice, [value], Given(bytes_of(words))).values
        assert np.ravel(made).tolist() == plain(lattice, value, words)


@every_grid
def test_bulk_and_single_reports_of_the_same_bytes_are_the_same(name: str) -> None:
    lattice, x = GRIDS[name]
    rng = np.random.default_rng(1)
    people = np.asarray(x) * (1 + 1e-4 * rng.standard_normal((300, *np.shape(x))))
    source = Seeded(1)
    single = np.concatenate([report(lattice, people[i : i + 1], source).values for i in range(len(people))])
    np.testing.assert_array_equal(report(lattice, people, Seeded(1)).values, single)


def test_the_published_vectors_hold() -> None:
    vectors = json.loads((Path(__file__).parents[2] / "docs/vectors/lattice.json").read_text(encoding="utf-8"))
    lattice = gp.Lattice(
        gp.Plane(),
        gp.Guarantee(vectors["epsilon"], unit="m"),
        vectors["step"],
        Fraction(*vectors["theta"]),
        tuple(vectors["origin"]),
    )
    for case in vectors["cases"]:
        source = Given(bytes.fromhex(case["bytes"]))
        assert report(lattice, [case["x"]], source).values[0].tolist() == case["report"]
        assert source.used == len(source.given)
    assert len(vectors["cases"]) > 10


@pytest.mark.parametrize(("rest", "up"), [(bytes(500), True), (bytes([255] * 500), False)])
def test_a_share_that_64_bits_do_not_settle_is_settled_by_more(rest: bytes, up: bool) -> None:
    lower, share = LINE.place_exactly(0.37)
    tie = bytes_of([int(share * (1 << 64)), (1 << 64) - 1])  # the first 64 bits of λ itself; no noise
    assert report(LINE, [0.37], Given(tie + rest)).values[0] == lower + up


def test_noise_that_63_bits_do_not_settle_is_settled_by_more() -> None:
    limit = 2 / (2 + LINE.theta) / (1 + LINE.theta) ** 4  # below it noise is 5 or more
    tie = bytes_of([(1 << 64) - 1, int(limit * (1 << 63))])
    lower, _ = LINE.place_exactly(0.37)
    assert report(LINE, [0.37], Given(tie + bytes(500))).values[0] == lower - 5
    assert report(LINE, [0.37], Given(tie + bytes([255] * 500))).values[0] == lower - 4


def test_values_on_a_cell_stay_on_it_before_they_move() -> None:
    """Also where balls cannot tell that a position is whole: log2 of 8."""
    ratios = gp.Lattice.calibrate(gp.LogLine(2.0), 1.0, step=0.125, noise="product")
    for lattice, x, cell in ((ratios, 8.0, 24.0), (LINE, 0.0, 0.0), (PLANE, PLANE.origin, 0.0)):
        for first in (3, 1 << 63, (1 << 64) - 3):
            words = [first, (1 << 64) - 1] * lattice.space.dimension
            assert (report(lattice, [x], Given(bytes_of(words))).values == cell).all()
    for first in (0, (1 << 64) - 1):  # fractions never have to ask
        assert report(LINE, [0.0], Given(bytes_of([first, (1 << 64) - 1]))).values[0] == 0


def chi_square(counts: FloatArray, probability: FloatArray) -> float:
    """The p-value of counts, with neighbouring cells thrown together into at most 20 of about equal probability."""
    group = np.minimum((20 * np.cumsum(probability) / probability.sum()).astype(int), 19)
    observed, expected = np.bincount(group, counts), counts.sum() * np.bincount(group, probability / probability.sum())
    used = expected > 0
    return float(special.chdtrc(used.sum() - 1, ((observed - expected)[used] ** 2 / expected[used]).sum()))


def p_value(draws: FloatArray, lattice: gp.Lattice, x: float) -> float:
    cells = np.arange(draws.min(), draws.max() + 1)
    counts = np.bincount((draws - cells[0]).astype(int), minlength=cells.size).astype(float)
    return chi_square(counts, np.exp(lattice.log_probability(np.full(cells.shape, x), cells)))


def test_reports_follow_the_law_and_planted_faults_are_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    lattice, x = LINE, 0.37
    draws = report(lattice, np.full(N, x), Seeded(2)).values
    assert p_value(draws, lattice, x) > 1e-6
    for factor in (Fraction(99, 100), Fraction(101, 100)):
        wrong = replace(lattice, guarantee=gp.Guarantee(1.1), theta=lattice.theta * factor)
        assert p_value(draws, wrong, x) < 1e-6
    honest = OnLattice._bounded
    monkeypatch.setattr(
        OnLattice,
        "_bounded",
        lambda self, rows: replace(honest(self, rows), value=np.rint(honest(self, rows).value)),
    )
    assert p_value(report(lattice, np.full(N, x), Seeded(2)).values, lattice, x) < 1e-6


def test_noise_follows_its_stated_probabilities_on_each_axis_on_its_own() -> None:
    lattice = PLANE
    x = np.asarray(lattice.origin)  # on a cell: nothing is rounded
    draws = report(lattice, np.full((N, 2), x), Seeded(3)).values
    reach = np.arange(-200, 201)
    law = np.asarray([float(lattice.noise_probability(int(m))) for m in reach])
    for axis in range(2):
        found = Counter(draws[:, axis].tolist())
        assert chi_square(np.asarray([float(found[m]) for m in reach]), law) > 1e-6
    linked = np.where(np.arange(N)[:, None] < N // 20, draws[:, [0, 0]], draws)  # the planted fault, for one in twenty
    for noise, independent in ((draws, True), (linked, False)):
        apart = Counter((noise[:, 0] - noise[:, 1]).tolist())
        counts = np.asarray([float(apart[m]) for m in range(-400, 401)])
        assert (chi_square(counts, np.convolve(law, law)) > 1e-6) is independent


@pytest.mark.parametrize("x", [1.7e308, -1.7e308, 2.0**60, 5e-324])
def test_values_beyond_the_grid_are_read_at_its_end(x: float) -> None:
    made = report(LINE, [x] * 20, Seeded(4)).values
    end = float(np.clip(x / LINE.step, -(2.0**50), 2.0**50))
    assert (np.abs(made - end) < 400).all()


def test_a_kernel_that_boasts_would_be_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault of bulk against single reports: positions that are off by 1e-4 of a cell."""
    people, honest = np.random.default_rng(5).normal(0, 3, 20_000), geometric.lattice_filter
    expected = report(LINE, people, Seeded(6)).values

    def sloppy(words: Any, place: Any, *rest: Any) -> None:
        honest(words, place + 1e-4, *rest)

    monkeypatch.setattr(geometric, "lattice_filter", sloppy)
    assert (report(LINE, people, Seeded(6)).values != expected).any()
