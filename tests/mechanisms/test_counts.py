"""Counted reports put together, also where one number a row does not fit 64 bits."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from geopriv.mechanisms.counts import Counts, merged


@pytest.mark.parametrize("far", [3, 1 << 40, (1 << 62) - 4])
def test_rows_come_once_and_in_order_however_far_apart_they_are(far: int) -> None:
    rng = np.random.default_rng(0)
    rows = rng.integers(-2, 3, (400, 3)) + far * rng.integers(-1, 2, (400, 3))
    times = rng.integers(1, 5, 400)
    expected: Counter[tuple[int, ...]] = Counter()
    for row, each in zip(rows.tolist(), times.tolist(), strict=True):
        expected[tuple(row)] += each
    whole = merged([Counts(rows[:150], times[:150]), Counts(rows[150:], times[150:])])
    assert list(map(tuple, whole.rows.tolist())) == sorted(expected)
    assert whole.times.tolist() == [expected[row] for row in sorted(expected)]


def test_no_rows_stay_none() -> None:
    whole = merged([Counts(np.zeros((0, 2), np.int64), np.zeros(0, np.int64))])
    assert whole.rows.shape == (0, 2)
    assert whole.n == 0
