"""Rows in blocks of bytes: the same rows leave as came, whatever the batches."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from geopriv.reports.engines.shuffle import Rows
from geopriv.reports.engines.spark import blocks as spark_blocks
from geopriv.reports.engines.spark.blocks import (
    from_blocks,
    hashed,
    in_blocks,
    note,
    ordered,
    shuffling,
    signed,
)


def some(n: int, seed: int = 0) -> Rows:
    return np.random.default_rng(seed).integers(0, 1 << 64, (n, 3), dtype=np.uint64)


def stays(rows: Rows) -> Rows:
    """What is left of rows of one id, chosen by the hash of the rest."""
    with shuffling(4) as shuffle:
        shuffle.add(np.concatenate([rows[:, :2], hashed(rows[:, 2:]), rows[:, 2:]], axis=1))
        return np.concatenate(list(shuffle.sorted()))[:, [0, 1, 3]]


@pytest.mark.parametrize("bits", [1, 8, 16])
@pytest.mark.parametrize("together", [7, 1 << 18])
def test_every_row_arrives_in_its_bucket(bits: int, together: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark_blocks, "_TOGETHER", together)
    rows = some(1000)
    batches = list(in_blocks(iter(np.split(rows, [0, 3, 3, 400])), bits))
    found = np.concatenate([from_blocks(batch, 3)[0] for batch in batches])
    assert sorted(map(tuple, found.tolist())) == sorted(map(tuple, rows.tolist()))
    for batch in batches:
        for bucket, block in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            first = np.frombuffer(block, dtype=np.uint64).reshape(-1, 3)[:, 0]
            assert (first >> np.uint64(64 - bits) == bucket).all()


def test_a_note_is_no_row() -> None:
    (blocks,) = in_blocks(iter([some(5)]), 1)
    together = pa.Table.from_batches([note(b"hello"), blocks, note(b"")]).combine_chunks().to_batches()[0]
    rows, notes = from_blocks(together, 3)
    assert len(rows) == 5
    assert notes == [b"hello", b""]
    assert list(in_blocks(iter([some(0)]), 1)) == []


def test_numbers_with_a_sign_keep_their_order() -> None:
    numbers = np.array([-(1 << 63), -5, -1, 0, 1, 7, (1 << 63) - 1])
    assert (np.diff(ordered(numbers).astype(object)) > 0).all()
    assert (signed(ordered(numbers)) == numbers).all()


def test_of_several_rows_neither_the_least_nor_the_largest_is_always_taken() -> None:
    """Of four values the least stays in a quarter of the cases: outside [0.15, 0.35] at 300 with chance 1e-4."""
    rows = np.concatenate([np.repeat(some(300, 1)[:, :2], 4, axis=0), some(1200, 2)[:, :1]], axis=1)
    found = {tuple(row[:2]): row[2] for row in stays(rows).tolist()}
    by_person = rows.reshape(300, 4, 3).tolist()
    for choose in (min, max):
        share = np.mean([found[tuple(mine[0][:2])] == choose(row[2] for row in mine) for mine in by_person])
        assert 0.15 < share < 0.35
    np.testing.assert_array_equal(stays(rows), stays(rows[::-1]))


def test_a_small_change_of_one_row_can_change_which_stays() -> None:
    """Why a person with several rows has a weaker promise: it depends on the values which row counts."""
    changes = [np.array([[1, 1, 10], [1, 1, 1000 + change]], dtype=np.uint64) for change in range(50)]
    found = [int(stays(rows)[0, 2]) for rows in changes]
    assert 5 < found.count(10) < 45
    assert {*found} <= {10, *range(1000, 1050)}
