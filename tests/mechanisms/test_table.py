"""Tables: the numbers of the theory note, exact verification, and single integers that break the promise."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import geopriv as gp
from geopriv.device.mechanisms import read_mechanism
from geopriv.device.tables import coefficients
from geopriv.mechanisms.table.integers import TOTAL
from geopriv.mechanisms.table.program import binned
from geopriv.spaces.checks import FloatArray

QUERY = gp.Threshold(100_000.0, 16_000.0)
EPSILON = 1 / 8000


@pytest.fixture(scope="module")
def table() -> gp.Table:
    return gp.Table.calibrate(QUERY, EPSILON)


def incomes() -> FloatArray:
    """Quantiles of the published log-normal fit."""
    u = (np.arange(50_000) + 0.5) / 50_000
    return np.exp(11.49399503122476 + 0.8290709468895202 * gp.noise.StudentT(df=1e9).ppf(u))


@pytest.mark.parametrize(
    ("at", "inverse_rate", "note"),
    [(10_000, 800, 0.00171), (100_000, 8_000, 0.0747), (100_000, 20_000, 0.502), (1_000_000, 48_000, 0.00097)],
)
def test_the_expected_variance_beats_the_theory_notes_smaller_alphabet(
    at: float, inverse_rate: float, note: float
) -> None:
    query, x = gp.Threshold(at, min(0.2 * at, 2 * inverse_rate)), incomes()
    table = gp.Table.calibrate(query, 1 / inverse_rate)
    variance = table.variance(x).mean()
    assert variance < note
    assert variance < 2.35 * gp.lower_bound(query, 1 / inverse_rate, x).mean()
    assert variance < gp.SmoothT.calibrate(query, 1 / inverse_rate).variance(x).mean() / 11
    assert variance < gp.LeastScaleT.calibrate(query, 1 / inverse_rate).variance(x).mean() / 2


def test_the_promise_is_checked_on_the_integers_themselves(table: gp.Table) -> None:
    assert table.weights.dtype == np.int64
    assert (table.weights.sum(axis=1) == TOTAL).all()
    worst, cell, letter = table.worst_step
    assert isinstance(worst, Fraction)
    assert Fraction(9999, 10_000) < worst <= 1
    assert table.spare is not None
    a, b = (int(table.weights[k, letter]) for k in (cell, cell + 1))
    v, w = (int(table.spare.rows[k, letter]) for k in (cell, cell + 1))
    width = Fraction(float(table.lattice[cell + 1])) - Fraction(float(table.lattice[cell]))
    pairs = coefficients(a, b, v, w, int(table.spare.shares[cell]))
    assert max(Fraction(abs(slope), low) for low, slope in pairs) / (Fraction(EPSILON) * width) == worst


def test_the_law_between_lattice_points_keeps_the_promise_too(table: gp.Table) -> None:
    """From probabilities at arbitrary coordinates, not from the weights: neighbours and far pairs."""
    s = np.sort(np.random.default_rng(0).uniform(table.lattice[0] - 9e3, table.lattice[-1] + 9e3, 4000))
    logs = np.log(table.probabilities(s))
    for stride in (1, 7, 100, 1500):
        loss = np.abs(logs[stride:] - logs[:-stride]).max(axis=1)
        assert (loss <= EPSILON * (s[stride:] - s[:-stride]) * (1 + 1e-9) + 1e-12).all()


def moved(rows: Any, row: int, letter: int, by: int) -> Any:
    """Rows of which one has more of a letter, and less of the one of which it has most."""
    found = rows.copy()
    other = next(int(k) for k in found[row].argsort()[::-1] if k != letter)
    found[row, letter] += by
    found[row, other] -= by
    return found


def test_one_integer_beyond_its_slack_is_caught(table: gp.Table) -> None:
    _, cell, letter = table.worst_step
    faults = []
    for k in (cell, cell + 1):
        for way in (-1, 1):
            change = way * int(table.weights[k, letter] * 4e-5)
            faults.append(replace(table, weights=moved(table.weights, k, letter, change)))
    assert sum(not gp.audit(fault).passed for fault in faults) >= 2


def test_one_spare_row_that_is_off_by_a_millionth_is_caught(table: gp.Table) -> None:
    """A probability that is larger by 1e-6 where it is some 1e-6, by library and device."""
    assert table.spare is not None
    spare = replace(table.spare, rows=moved(table.spare.rows, -3, 0, int(1e-6 * TOTAL)))
    off = replace(table, spare=spare)
    assert not gp.audit(off).passed
    with pytest.raises(gp.InvalidParameter, match="keeps its promise"):
        off.report([0.0])
    with pytest.raises(gp.InvalidDesign, match="breaks its promise"):
        read_mechanism(json.loads(json.dumps(off.to_document())), "table")
    read_mechanism(json.loads(json.dumps(table.to_document())), "table")


def test_rows_that_do_not_add_up_and_values_possible_on_one_side_only_are_caught(table: gp.Table) -> None:
    for row, letter, by in ((5, 0, 1), (0, 3, -1)):
        weights = table.weights.copy()
        weights[row, letter] += by
        assert not gp.audit(replace(table, weights=weights)).passed
    weights = table.weights.copy()
    weights[0, 1] += weights[0, 0]
    weights[0, 0] = 0
    assert not gp.audit(replace(table, weights=weights)).passed


def test_a_promise_that_is_a_thousandth_too_good_is_caught(table: gp.Table) -> None:
    boast = replace(table.guarantee, epsilon=table.guarantee.epsilon * 0.999)
    assert not gp.audit(replace(table, guarantee=boast)).passed


def test_the_mean_is_the_stated_target_and_follows_the_query(table: gp.Table) -> None:
    x = np.linspace(0, 250_000, 1001)
    exact = [
        float(sum(Fraction(int(w), TOTAL) * Fraction(float(y)) for w, y in zip(row, table.values, strict=True)))
        for row in table.weights
    ]
    np.testing.assert_allclose(table.target(x), np.interp(x - 100_000, table.lattice, exact), atol=1e-14)
    assert table.unbiased
    assert np.abs(table.bias(x)).max() < 1e-9


def test_a_kernel_says_how_much_interpolation_leaves() -> None:
    wide, narrow = (gp.Table.calibrate(gp.GaussianKernel(0.0, h), 1.0) for h in (1.0, 0.3))
    assert gp.audit(wide).passed
    assert wide.largest_bias() < 1e-5  # straight lines between these lattice points are off by 1e-3
    assert not narrow.unbiased  # labelled, though the bias is small
    assert 1e-6 < narrow.largest_bias() < 1e-2


def test_reports_are_few_bits_and_bounded(table: gp.Table) -> None:
    assert table.values.size <= 32
    assert table.bits <= 5
    drawn = table.simulate(np.linspace(0, 300_000, 10_000), np.random.default_rng(0)).values
    assert set(drawn.tolist()) <= set(table.values.tolist())


def test_a_tighter_range_costs_variance_and_too_tight_a_one_is_refused(table: gp.Table) -> None:
    tight = gp.Table.calibrate(QUERY, EPSILON, values=np.arange(-3, 8) / 4)
    x = incomes()
    assert gp.audit(tight).passed
    assert tight.variance(x).mean() >= table.variance(x).mean() * (1 - 1e-4)
    assert tight.bits < table.bits
    with pytest.raises(gp.InvalidParameter, match="'values'"):
        gp.Table.calibrate(QUERY, EPSILON, values=[0.0, 1.0])
    for bad in ([0.0], [np.nan, 1.0], "abc"):
        with pytest.raises(gp.InvalidParameter, match="'values'"):
            gp.Table.calibrate(QUERY, EPSILON, values=bad)


def test_a_public_prior_helps_where_people_are(table: gp.Table) -> None:
    x = incomes()
    informed = gp.Table.calibrate(QUERY, EPSILON, prior=x[::50])
    assert gp.audit(informed).passed
    assert informed.variance(x).mean() <= table.variance(x).mean() * 1.001
    with pytest.raises(gp.InvalidParameter, match="prior"):
        gp.Table.calibrate(QUERY, EPSILON, prior=[])


def test_the_table_is_close_to_the_best_that_its_values_can_do(table: gp.Table) -> None:
    """The relaxed program bounds every unbiased ε-GP report with these values from below."""
    assert 1 < table.excess() < 1.02


def test_the_programs_own_bound_lies_just_below_the_table(table: gp.Table) -> None:
    """With the table's own values and prior: the bound is below the variance, by at most a fiftieth of it."""
    for prior in (None, gp.Prior.sample(incomes()[::20])):
        made = table if prior is None else gp.Table.calibrate(QUERY, EPSILON, prior=prior)
        bound = made.program_bound(prior)
        assert 0.98 * made.expected_variance(prior) < bound < made.expected_variance(prior)


def test_the_expected_variance_is_the_mean_of_the_variances(table: gp.Table) -> None:
    x = incomes()
    weights = np.linspace(1.0, 2.0, x.size)
    expected = np.average(table.variance(x), weights=weights)
    assert table.expected_variance(gp.Prior.sample(x, weights)) == pytest.approx(expected, rel=1e-12)
    s = np.linspace(table.lattice[0], table.lattice[-1], 400_001)
    assert table.expected_variance() == pytest.approx(table.variance(100_000 + s).mean(), rel=1e-2)


def test_a_prior_puts_its_weight_where_the_interpolation_puts_it() -> None:
    """Binned shares give the expectation of everything that is linear between lattice points, exactly."""
    lattice = np.array([-2.0, -0.5, 0.0, 1.0, 4.0])
    s = np.random.default_rng(0).uniform(-3, 5, 1000)
    weights = np.random.default_rng(1).uniform(0, 1, 1000)
    weights /= weights.sum()
    heights = np.array([3.0, -1.0, 2.0, 7.0, 0.0])
    expected = weights @ np.interp(s, lattice, heights)
    assert binned(lattice, s, weights) @ heights == pytest.approx(expected, rel=1e-12)
    assert binned(lattice, s, weights).sum() == pytest.approx(1.0, rel=1e-12)


def test_small_variances_keep_their_digits() -> None:
    """Far out the report is 1 but for a probability of 1e-6; as a difference of squares that would be noise."""
    table = gp.Table.calibrate(gp.LinearQuery((1.0,), gp.shapes.PiecewiseLinear((0.0, 1.0), (1e6, 1e6 + 1))), 1.0)
    s = float(table.lattice[-1])
    exact_mean = sum(
        Fraction(int(w)) * Fraction(y) for w, y in zip(table.weights[-1], table.values.tolist(), strict=True)
    )
    mean = exact_mean / TOTAL
    exact = sum(
        Fraction(int(w), TOTAL) * (Fraction(y) - mean) ** 2
        for w, y in zip(table.weights[-1], table.values.tolist(), strict=True)
    )
    assert table.variance([(s,)])[0] == pytest.approx(float(exact), rel=1e-9)


@pytest.mark.parametrize(("width", "gain"), [(20.0, 0.75), (30.0, 0.9)])
def test_a_wide_ramp_is_better_served_than_by_the_least_scale(width: float, gain: float) -> None:
    query = gp.Threshold(0.0, width)
    table, least = gp.Table.calibrate(query, 1.0), gp.LeastScaleT.calibrate(query, 1.0)
    assert gp.audit(table).passed
    s = gp.Prior.uniform(-width / 2 - 14, width / 2 + 14)
    assert table.expected_variance(s) < gain * least.variance(s.values).mean()


def test_a_report_range_keeps_its_ends_and_what_lies_between(table: gp.Table) -> None:
    short = gp.Table.calibrate(QUERY, EPSILON, report_range=(-0.54, 1.54))
    assert gp.audit(short).passed
    assert (short.values[0], short.values[-1]) == (-0.54, 1.54)
    assert table.expected_variance() < short.expected_variance() < 1.05 * table.expected_variance()


@pytest.mark.parametrize("bad", [(0.2, 2.0), (1.0, 0.0), (0.0,), (-1.0, 2.0, 3.0), "wide", (-0.1, 1.1)])
def test_a_report_range_that_cannot_do_is_refused_and_told_what_would(bad: Any) -> None:
    with pytest.raises(gp.InvalidParameter, match="'report_range'"):
        gp.Table.calibrate(QUERY, EPSILON, report_range=bad)


def test_infeasible_values_are_told_what_would_work() -> None:
    with pytest.raises(gp.InvalidParameter, match=r"'values'.*from -1.5 to 2.5 always works"):
        gp.Table.calibrate(QUERY, EPSILON, values=[-0.1, 0.0, 1.0, 1.1])


def test_a_lattice_of_ones_own_is_used_as_it_is() -> None:
    places = np.unique(np.append(np.linspace(-6, 6, 61), [-1.0, 1.0]))
    table = gp.Table.calibrate(gp.Threshold(0.0, 2.0), 1.0, lattice=places)
    np.testing.assert_array_equal(table.lattice, places)
    assert gp.audit(table).passed
    assert table.unbiased


@pytest.mark.parametrize(
    ("query", "lattice", "hint"),
    [
        (gp.Threshold(0.0, 2.0), [-9.0, -3.0, 3.0, 9.0], r"with points at \[-1.0, 1.0\].*a cell from -3 to 3"),
        (gp.Threshold(0.0, 2.0), [-1.0, 0.0], "constant beyond it"),
        (gp.GaussianKernel(0.0, 1.0), np.linspace(-6, 6, 9), "cells of at most 0.[0-9]+ with points"),
        (gp.Threshold(0.0, 2.0), [0.0, 0.0, 1.0], "increasing"),
        (gp.Threshold(0.0, 2.0), [0.0, np.nan], "finite"),
        (gp.Threshold(0.0, 2.0), [1.0], "at least 2"),
    ],
)
def test_a_lattice_too_coarse_or_too_short_is_refused_and_told_what_would_do(
    query: Any, lattice: Any, hint: str
) -> None:
    with pytest.raises(gp.InvalidParameter, match=f"'lattice'.*{hint}"):
        gp.Table.calibrate(query, 1.0, lattice=lattice)


def test_the_advice_for_a_coarse_lattice_works() -> None:
    kernel = gp.GaussianKernel(0.0, 1.0)
    with pytest.raises(gp.InvalidParameter) as caught:
        gp.Table.calibrate(kernel, 1.0, lattice=np.linspace(-6, 6, 9))
    found = re.search(r"cells of at most ([0-9.]+) with", str(caught.value))
    assert found
    finer = np.union1d(np.arange(-6, 6, float(found[1])), [-2.0, -1.0, 0.0, 1.0, 2.0, 6.0])
    assert gp.Table.calibrate(kernel, 1.0, lattice=finer).largest_bias() <= 0.0101


def test_frugal_alphabets_cost_variance_and_save_bits_and_leverage() -> None:
    rows = gp.Table.tradeoff(gp.Threshold(0.0, 2.0), 1.0)
    assert len(rows) >= 4
    assert rows[0].variance == min(row.variance for row in rows)
    assert rows[-1].bits == 3
    assert rows[-1].leverage(1000) < 0.95 * rows[0].leverage(1000)
    assert rows[-1].variance < 1.1 * rows[0].variance
    again = gp.Table.calibrate(gp.Threshold(0.0, 2.0), 1.0, values=rows[-1].values)
    assert again.expected_variance() == pytest.approx(rows[-1].variance, rel=1e-9)


def test_a_function_without_a_hash_is_as_good_as_any() -> None:
    query = gp.LinearQuery((1.0,), gp.shapes.Custom(np.poly1d([-0.25, 0.0, 0.75, 0.5]), 0.75, -1.0, 1.0, curvature=1.5))
    for mechanism in (gp.Table.calibrate(query, 1.0), gp.LeastScaleT.calibrate(query, 1.0)):
        assert gp.audit(mechanism).passed
    assert hash(query.profile) == hash(replace(query.profile))  # type: ignore[type-var]


def test_extreme_parameters_are_blamed_themselves() -> None:
    with pytest.raises(gp.InvalidParameter, match="'epsilon'"):
        gp.Table.calibrate(gp.Threshold(0.0, 1e-5), 1.0)
    with pytest.raises(gp.InvalidParameter, match="'df'"):
        gp.LeastScaleT.calibrate(gp.GaussianKernel(0.0, 1.0), 1.0, df=1e9)
    with pytest.raises(gp.InvalidParameter, match="'epsilon'"):
        gp.LeastScaleT.calibrate(gp.GaussianKernel(0.0, 1e-6), 1.0)


def test_what_was_verified_cannot_be_changed(table: gp.Table) -> None:
    with pytest.raises(ValueError, match="read-only"):
        table.weights[0, 0] += 1


def test_the_same_shape_is_compiled_once_for_every_unit() -> None:
    dollars = gp.Table.calibrate(gp.Threshold(100_000.0, 16_000.0), 1 / 8000)
    thousands = gp.Table.calibrate(gp.Threshold(5.0, 2.0), 1.0)
    np.testing.assert_array_equal(dollars.weights, thousands.weights)


def test_unbounded_and_far_too_wide_queries_are_refused() -> None:
    with pytest.raises(gp.InvalidParameter, match="bounded"):
        gp.Table.calibrate(gp.LipschitzQuery(np.sin, 1.0), 1.0)
    with pytest.raises(gp.InvalidParameter, match="wider"):
        gp.Table.calibrate(gp.Threshold(0.0, 1000.0), 1.0)


def test_a_malformed_table_cannot_be_made(table: gp.Table) -> None:
    for bad in (
        {"lattice": table.lattice[::-1].copy()},
        {"lattice": np.zeros_like(table.lattice)},
        {"weights": table.weights[:5]},
        {"weights": table.weights.astype(float)},
        {"values": table.values[:-1]},
        {"values": np.full_like(table.values, np.nan)},
    ):
        with pytest.raises(gp.InvalidParameter):
            replace(table, **bad)


@pytest.mark.parametrize("bandwidth", [0.01, 0.3, 8.0])
def test_kernels_of_every_width_are_followed_to_their_tails(bandwidth: float) -> None:
    table = gp.Table.calibrate(gp.GaussianKernel(0.0, bandwidth), 1.0)
    assert gp.audit(table).passed
    assert table.largest_bias() < 0.01
