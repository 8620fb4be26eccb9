"""Reports of tables: integers only, exact at every coordinate, and the bytes behind them published."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import geopriv as gp
from geopriv.mechanisms.table import reports as table_reports
from geopriv.shapes.coordinates import Coordinate
from geopriv.spaces.bounded import Bounded
from geopriv.spaces.checks import FloatArray
from tests.sources import Given, Seeded, report

QUERY = gp.Threshold(0.0, 2.0)


@pytest.fixture(scope="module")
def table() -> gp.Table:
    return gp.Table.calibrate(QUERY, 1.0)


def letter(table: gp.Table, x: float, *words: int) -> float:
    """The report at x of two words of 64 bits, or five, and the value that plain fractions give."""
    made = report(table, [x], Given(b"".join(word.to_bytes(8, "little") for word in words))).values[0]
    lattice = table.lattice.tolist()
    s = min(max(x, lattice[0]), lattice[-1])
    cell = max(i for i in range(len(lattice) - 1) if lattice[i] <= s)
    share = (Fraction(s) - Fraction(lattice[cell])) / (Fraction(lattice[cell + 1]) - Fraction(lattice[cell]))
    above = [Fraction(word, 2**64) < share for word in (words[0], *words[3:])]
    weights = table.weights
    if len(words) > 2 and table.spare is not None and words[2] >> 24 < int(table.spare.shares[cell]):
        weights = weights if len(set(above)) == 1 else table.spare.rows
    number, j = words[1] >> 4, 0
    row = weights[cell + above[0]]
    while number >= int(row[j]):
        number, j = number - int(row[j]), j + 1
    assert made == table.values[j]
    return float(made)


def test_the_same_bytes_give_what_plain_fractions_give(table: gp.Table) -> None:
    """A published rule: two words from the lowest byte up, and three more where the last four bits are 0."""
    rng = np.random.default_rng(0)
    for x in [*rng.uniform(-4, 4, 200).tolist(), *table.lattice[::9].tolist(), -1e9, 1e9]:
        first, second, *more = rng.integers(0, 2**64, 5, dtype=np.uint64).tolist()
        letter(table, x, first, second | 1)
        letter(table, x, first, second & ~15, *more)
        letter(table, x, first, second & ~15, more[0] >> 8, *more[1:])  # so that coins are tossed


def test_the_published_vectors_hold() -> None:
    vectors = json.loads((Path(__file__).parents[2] / "docs/vectors/table.json").read_text(encoding="utf-8"))
    table = gp.Table(
        QUERY,
        gp.Guarantee(vectors["epsilon"]),
        np.asarray(vectors["lattice"]),
        np.asarray(vectors["values"]),
        np.asarray(vectors["weights"], dtype=np.int64),
    )
    for case in vectors["cases"]:
        assert report(table, [case["x"]], Given(bytes.fromhex(case["bytes"]))).values[0] == case["report"]
    assert len({case["report"] for case in vectors["cases"]}) == table.values.size


def test_the_ends_of_the_integers_are_the_ends_of_the_alphabet(table: gp.Table) -> None:
    assert letter(table, 0.3, 2**63, 1) == table.values[0]
    assert letter(table, 0.3, 2**63, 2**64 - 1) == table.values[-1]


def test_a_share_that_64_bits_do_not_settle_is_settled_by_more() -> None:
    table, cell = gp.Table.calibrate(gp.Threshold(0.0, 6.0), 1 / 3), 40  # cells of 3/4: shares are endless
    a, b = table.lattice[cell : cell + 2].tolist()
    x = a + (b - a) / 3
    share = (Fraction(x) - Fraction(a)) / (Fraction(b) - Fraction(a))
    first = int(share * 2**64).to_bytes(8, "little")  # the first 64 bits of the share itself
    sums = np.cumsum(table.weights[cell : cell + 2], axis=1)
    number = int(sums.min(axis=0)[np.abs(sums[1] - sums[0]).argmax()])  # falls on another value in each row
    lower, upper = (table.values[np.searchsorted(row, number, side="right")] for row in sums)
    assert lower != upper
    second = (number << 4 | 1).to_bytes(8, "little")
    assert report(table, [x], Given(first + second + bytes(500))).values[0] == upper
    assert report(table, [x], Given(first + second + bytes([255] * 500))).values[0] == lower


def test_a_filter_that_must_ask_gives_the_same_letters(table: gp.Table, monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.random.default_rng(1).normal(0, 3, 3000)
    expected = report(table, x, Seeded(1)).values
    bounded, one, asked = Coordinate.bounded, table_reports._letter, []

    def timid(geometry: Coordinate, rows: FloatArray) -> Bounded:
        found = bounded(geometry, rows)
        assert found is not None
        return replace(found, off=found.off + 0.005)

    def counted(*arguments: Any) -> int:
        asked.append(arguments)
        return one(*arguments)

    monkeypatch.setattr(Coordinate, "bounded", timid)
    monkeypatch.setattr(table_reports, "_letter", counted)
    np.testing.assert_array_equal(report(table, x, Seeded(1)).values, expected)
    assert 100 < len(asked) < 2500


def test_a_table_that_breaks_its_promise_makes_no_report(table: gp.Table) -> None:
    weights = table.weights.copy()
    weights[40, :2] += np.array([10**15, -(10**15)])
    broken, source = replace(table, weights=weights), Given(b"")
    with pytest.raises(gp.InvalidParameter, match="keeps its promise"):
        report(broken, [0.0], source)
    assert source.used == 0


def test_compiled_code_is_kept_for_the_next_process() -> None:
    program = """
import geopriv as gp, numpy as np
from geopriv.noise.filters import shift
from geopriv.noise.laplace import laplace_filter
gp.LipschitzLaplace.calibrate(gp.Threshold(0.0, 1.0), 1.0).report(np.zeros(100))
print(sum(laplace_filter.machine.stats.cache_hits.values()), sum(shift.machine.stats.cache_hits.values()))
"""
    outputs = [
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=True).stdout
        for _ in range(2)
    ]
    assert outputs[1].split() == ["1", "1"]
