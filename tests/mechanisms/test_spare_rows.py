"""Tables with spare rows: the law, its exact check, its mean, its coins, and documents (theory T5″)."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
import numpy.typing as npt
import pytest

import geopriv as gp
from geopriv.device.mechanisms import DeviceTable, read_mechanism
from geopriv.device.tables import coefficients
from geopriv.mechanisms.table.bends import fitted, spare_means
from geopriv.mechanisms.table.integers import TOTAL
from geopriv.mechanisms.table.spare import SHARES, SpareRows, even, factors, shares_for, used
from geopriv.spaces.checks import FloatArray
from geopriv.spaces.documents import from_document
from tests import independent, independent_draws
from tests.designs import Given, Stream, small_table, spare_table

QUERY = gp.Threshold(0.0, 2.0)


@pytest.fixture(scope="module")
def table() -> gp.Table:
    return gp.Table.calibrate(QUERY, 1.0)


def test_the_factors_are_those_of_three_coins_in_fractions() -> None:
    """Row by the first; with chance q the spare row unless two more fall alike: every outcome counted."""
    q = Fraction(3, 64)
    for t in (Fraction(0), Fraction(1, 7), Fraction(1, 2), Fraction(5, 6), Fraction(1)):
        chances = dict.fromkeys(((False, False), (True, False), (False, True), (True, True)), Fraction(0))
        for sides in np.ndindex(2, 2, 2):
            weight = Fraction(1)
            for side in sides:
                weight *= t if side else 1 - t
            up = bool(sides[0])
            chances[up, False] += weight * (1 - q)
            chances[up, len(set(sides)) > 1] += weight * q
        upper = t - q * t * (1 - t**2)
        lower = (1 - t) - q * (1 - t) * (1 - (1 - t) ** 2)
        assert (chances[False, False], chances[True, False]) == (lower, upper)
        assert chances[False, True] + chances[True, True] == 3 * q * t * (1 - t) == 1 - lower - upper
        order = [chances[key] for key in ((False, False), (True, False), (False, True), (True, True))]
        found = factors(np.array(float(t)), np.array(float(q)))
        np.testing.assert_allclose(found, [float(p) for p in order], atol=1e-15)


def _law(ends: tuple[int, ...], q: Fraction, t: Fraction) -> Fraction:
    up, down = q * t * (1 - t**2), q * (1 - t) * (1 - (1 - t) ** 2)
    return (1 - t - down) * ends[0] + (t - up) * ends[1] + down * ends[2] + up * ends[3]


def _slope(ends: tuple[int, ...], q: Fraction, t: Fraction) -> Fraction:
    """By differences, which of a cubic are exact: two steps together."""
    h = Fraction(1, 1000)
    one, two = (_law(ends, q, t + k * h) - _law(ends, q, t - k * h) for k in (1, 2))
    return (8 * one - two) / (12 * h)


def test_the_coefficients_are_those_of_the_cubic_and_of_its_slope() -> None:
    """From values and differences of the law at four places in fractions: nothing of the formula is used."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        a, b, v, w = (int(k) for k in rng.integers(1, 1000, 4))
        share = int(rng.integers(0, SHARES >> 4))
        q = Fraction(share, SHARES)

        law, slope = partial(_law, (a, b, v, w), q), partial(_slope, (a, b, v, w), q)
        pairs = coefficients(a, b, v, w, share)
        for t in (Fraction(0), Fraction(1, 5), Fraction(1, 2), Fraction(1)):
            bernstein = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3]
            height, steep = (sum(p * pair[k] for p, pair in zip(bernstein, pairs, strict=True)) for k in (0, 1))
            assert (height, steep) == (3 * SHARES * law(t), 3 * SHARES * slope(t))


def test_without_a_bend_it_is_the_check_of_straight_lines() -> None:
    """Spare rows that are the rows themselves leave the law linear, and the loss what it was, whatever the chances."""
    plain = small_table(QUERY, 1.0)
    bent = replace(plain, spare=SpareRows(plain.weights, np.array([1 << 40, 5, 1 << 30, 0])))
    assert bent.worst_step == plain.worst_step
    s = np.linspace(-3, 3, 101)
    np.testing.assert_allclose(bent.probabilities(s), plain.probabilities(s), atol=1e-15)
    np.testing.assert_allclose(bent.variance_at(s), plain.variance_at(s), atol=1e-14)


def test_a_table_reaches_its_promise_and_keeps_it_at_close_and_far_pairs(table: gp.Table) -> None:
    """Worst loss over ε in [0.99, 1 + 1e-9], from probabilities at 20,000 coordinates."""
    s = np.sort(np.random.default_rng(1).uniform(-17, 17, 20_000))
    logs = np.log(table.probabilities(s))
    for stride in (1, 50, 3000):
        gap = s[stride:] - s[:-stride]
        ratio = (np.abs(logs[stride:] - logs[:-stride]).max(axis=1) / gap)[gap > 1e-3 if stride > 1 else gap > 2e-4]
        assert ratio.max() < 1 + 1e-9 * (1 if stride > 1 else 1e3)  # of neighbours the last digits
        assert stride > 50 or ratio.max() > 0.99


def test_a_spare_row_beyond_its_limit_is_seen_between_lattice_points(table: gp.Table) -> None:
    """Planted: rows at lattice points are untouched, so a check of these alone would not see it."""
    assert table.spare is not None
    rows = table.spare.rows.copy()
    rows[40, 0], rows[40, 9] = rows[40, 0] + TOTAL // 10, rows[40, 9] - TOTAL // 10
    assert replace(table, spare=replace(table.spare, rows=rows)).worst_step[0] > 1
    assert replace(table, spare=None, lattice=4 * table.lattice).worst_step[0] < 1


def test_straight_pieces_are_followed_exactly_and_curved_ones_to_the_fourth_order(table: gp.Table) -> None:
    assert table.largest_bias() < 1e-9
    kernel, off = gp.shapes.Gaussian(1.0), []
    for step in (0.25, 0.125):
        lattice = np.arange(-6.0, 6.0 + step / 2, step)
        chances = shares_for(lattice) / SHARES
        off.append(float(fitted(kernel, lattice, chances)[1].max()))
        means = spare_means(kernel, lattice, chances, np.array([-3.0, 3.0]))
        second = (lattice**2 - 1) * np.exp(-(lattice**2) / 2)
        np.testing.assert_allclose(means, kernel(lattice) - second, atol=0.5 * step**2)
    assert 10 < off[0] / off[1] < 20


def test_rows_are_used_as_often_as_people_need_them() -> None:
    lattice = np.array([-1.0, 0.0, 0.5, 2.0])
    chances = shares_for(lattice) / SHARES
    s = np.linspace(-1, 2, 300_001)
    weights = np.full(s.size, 1 / s.size)
    np.testing.assert_allclose(used(lattice, chances, s, weights), even(lattice, chances), atol=1e-5)
    assert even(lattice, chances).sum() == pytest.approx(1.0, abs=1e-15)
    assert chances[2] == 1 / 16  # a wide cell


def test_letters_have_the_law_on_a_device_in_bulk_and_in_simulation() -> None:
    """χ² of 4 letters, fixed streams, 1e-4 a test; a table that forgets its spare rows must fail."""
    table = spare_table(QUERY, 1.0)
    device = read_mechanism(json.loads(json.dumps(table.to_document())), "table")
    assert isinstance(device, DeviceTable)
    x, n = -0.4, 60_000
    law = table.probabilities(np.array([x]))[0]
    stream = Stream(1)
    drawn = {
        "device": np.array([device.draw((Fraction(x),), stream)[0] for _ in range(n)]),
        "simulated": np.searchsorted(table.values, table.simulate(np.full(n, x), np.random.default_rng(3)).values),
    }
    for letters in drawn.values():
        assert _distance(letters, law) < 21.1
    forgetful = replace(table, spare=None).probabilities(np.array([x]))[0]
    many = table.simulate(np.full(2_000_000, x), np.random.default_rng(4)).values
    assert _distance(np.searchsorted(table.values, many), forgetful) > 21.1


def test_an_independent_reader_of_the_rule_and_of_the_law_agrees() -> None:
    """In balls and from the document alone; every third report tosses coins, and planted words leave some open."""
    table = spare_table(gp.Threshold(0.3, 2.0), 1.0)
    document = json.loads(json.dumps(table.to_document()))
    device, rng, told = read_mechanism(document, "table"), np.random.default_rng(7), 0
    with independent.digits(200):
        for x in rng.uniform(-3, 3, 60).tolist():
            at = independent_draws.places(document, (Fraction(x),))
            law = [float(part) / TOTAL for part in independent.table_law(document, independent.ball(x - 0.3))]
            np.testing.assert_allclose(law, table.probabilities(np.array([x - 0.3]))[0], atol=1e-14)
            for k in range(10):
                data = bytearray(rng.bytes(independent_draws.length(3, 5)))
                data[8] &= 0xF0 if k % 3 == 0 else 0xFF
                made = independent_draws.table_report(document, at, bytes(data))
                told += made == device.draw((Fraction(x),), Given(bytes(data)))
                assert made is not None
    assert told == 600


def _distance(letters: npt.NDArray[np.intp], law: FloatArray) -> float:
    counts, expected = np.bincount(letters, minlength=law.size), law * letters.size
    return float(((counts - expected) ** 2 / expected).sum())


def test_a_document_holds_spare_rows_and_one_without_them_stays_what_it_was() -> None:
    bent, plain = spare_table(QUERY, 1.0), small_table(QUERY, 1.0)
    assert "spare" not in plain.to_document()
    assert from_document(gp.Table, plain.to_document()) == plain
    assert from_document(gp.Table, bent.to_document()) == bent != plain


@pytest.mark.parametrize(
    "bad",
    [
        {"type": "SpareRows", "rows": [[1 << 60, 0, 0, 0]] * 4, "shares": [0] * 4},
        {"type": "SpareRows", "rows": [[1 << 60, 0, 0, 0]] * 5, "shares": [0] * 3},
        {"type": "SpareRows", "rows": [[1 << 60, 0, 0]] * 5, "shares": [0] * 4},
        {"type": "SpareRows", "rows": [[1.0, 0, 0, 0]] * 5, "shares": [0] * 4},
        {"type": "SpareRows", "rows": [[1 << 60, 0, 0, 0]] * 5, "shares": [-1, 0, 0, 0]},
        {"type": "SpareRows", "rows": [[1 << 60, 0, 0, 0]] * 5, "shares": [(1 << 40) + 1, 0, 0, 0]},
        {"type": "SpareRows", "rows": [[1 << 60, 0, 0, 0]] * 5},
        {"rows": [], "shares": []},
        [],
        None,
    ],
)
def test_a_device_refuses_spare_rows_that_are_none(bad: object) -> None:
    with pytest.raises(gp.InvalidDesign, match="spare"):
        read_mechanism(small_table(QUERY, 1.0).to_document() | {"spare": bad}, "table")


def test_only_tables_have_spare_rows() -> None:
    grid = gp.Lattice.calibrate(gp.Line(), 1.0, step=0.1).to_document()
    with pytest.raises(gp.InvalidDesign, match="spare"):
        read_mechanism(grid | {"spare": spare_table(QUERY, 1.0).to_document()["spare"]}, "grid")


@pytest.mark.parametrize("share", [-1, (1 << 40) + 1])
def test_a_chance_that_four_bits_cannot_tell_breaks_the_promise(share: int) -> None:
    plain = small_table(QUERY, 1.0)
    assert replace(plain, spare=SpareRows(plain.weights, np.array([share, 0, 0, 0]))).worst_step[0] > 1
