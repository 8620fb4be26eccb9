"""Rows in the order of their keys: from memory and from a file, whatever order they came in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from geopriv.reports.engines import shuffle
from geopriv.reports.engines.shuffle import Rows, Shuffle


@pytest.fixture(params=[10**6, 1000, 64])
def run(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Rows that stay in memory."""
    monkeypatch.setattr(shuffle, "RUN", request.param)
    return int(request.param)


def rows(n: int, keys: int = 1 << 62, seed: int = 0) -> Rows:
    """Rows whose keys are drawn from so many, and whose last number is the order in which they come."""
    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, 1 << 64, (keys if keys < n else n, 2), dtype=np.uint64)
    picked = drawn if keys >= n else drawn[rng.integers(0, keys, n)]
    return np.concatenate([picked, np.arange(n, dtype=np.uint64)[:, None]], axis=1)


def shuffled(given: Rows, folder: Path, piece: int = 700) -> tuple[Rows, Shuffle]:
    made = Shuffle(folder / "rows", 3)
    for start in range(0, len(given), piece):
        made.add(given[start : start + piece])
    return np.concatenate(list(made.sorted())), made


def test_rows_leave_in_the_order_of_their_keys(run: int, tmp_path: Path) -> None:
    given = rows(5000)
    found, made = shuffled(given, tmp_path)
    np.testing.assert_array_equal(found, given[np.lexsort((given[:, 1], given[:, 0]))])
    assert made.rows == 5000
    assert made.repeated == 0
    assert (tmp_path / "rows").exists() == (run <= 5000)


@pytest.mark.usefixtures("run")
def test_the_order_of_coming_does_not_show(tmp_path: Path) -> None:
    given = rows(3000)
    (first, _), (second, _) = (shuffled(order, tmp_path / str(k)) for k, order in both(given, tmp_path))
    np.testing.assert_array_equal(first, second)


def both(given: Rows, folder: Path) -> list[tuple[int, Rows]]:
    orders = [given, np.random.default_rng(1).permutation(given)]
    for k in range(2):
        (folder / str(k)).mkdir()
    return list(enumerate(orders))


@pytest.mark.usefixtures("run")
def test_of_one_key_the_first_row_stays(tmp_path: Path) -> None:
    given = rows(5000, keys=700)
    found, made = shuffled(given, tmp_path)
    first = {(a, b): c for a, b, c in reversed(given.tolist())}
    assert {(a, b): c for a, b, c in found.tolist()} == first
    assert made.repeated == 5000 - len(first)


def test_keys_that_share_their_first_half_are_told_apart(tmp_path: Path) -> None:
    given = np.array([[7, 2, 0], [7, 1, 1], [7, 2, 2], [6, 9, 3]], dtype=np.uint64)
    found, made = shuffled(given, tmp_path)
    assert found[:, 2].tolist() == [3, 1, 0]
    assert made.repeated == 1


@pytest.mark.parametrize("run", [1000, 20_000])
def test_rows_leave_in_groups_and_never_all_at_once(run: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shuffle, "GROUP", 500)
    monkeypatch.setattr(shuffle, "RUN", run)
    made = Shuffle(tmp_path / "rows", 3)
    for k in range(10):
        made.add(rows(1000, seed=k))
    sizes = [len(group) for group in made.sorted()]
    assert sum(sizes) == 10_000
    assert set(sizes) == {500}


@pytest.mark.parametrize("repeats", [0, 20_000])
def test_somebody_with_many_rows_shows_neither_in_the_groups_nor_in_memory(
    repeats: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shuffle, "GROUP", 500)
    monkeypatch.setattr(shuffle, "RUN", 1000)
    given = rows(5100)
    many = np.random.default_rng(3).permutation(np.concatenate([given, np.repeat(given[:1], repeats, axis=0)]))
    made = Shuffle(tmp_path / "rows", 3)
    fetched: list[int] = []

    def fetch(*where: Any) -> Rows:
        found = Shuffle._fetch(made, *where)
        fetched.append(len(found))
        return found

    monkeypatch.setattr(made, "_fetch", fetch)
    made.add(many)
    assert [len(group) for group in made.sorted()] == [500] * 10 + [100]
    assert made.repeated == repeats
    assert max(fetched) < 600  # a group, and a 256th of the rows more


def test_nothing_comes_of_nothing(tmp_path: Path) -> None:
    assert list(Shuffle(tmp_path / "rows", 4).sorted()) == []


@pytest.mark.usefixtures("run")
def test_of_one_key_the_same_row_stays_in_every_order(tmp_path: Path) -> None:
    """Without a first row the least one is taken."""
    given = rows(5000, keys=900)
    found = []
    for k, order in both(given, tmp_path):
        made = Shuffle(tmp_path / str(k) / "rows", 3, repeats="least")
        for start in range(0, len(order), 700):
            made.add(order[start : start + 700])
        found.append(np.concatenate(list(made.sorted())))
        assert made.repeated == 5000 - len(found[-1])
    np.testing.assert_array_equal(found[0], found[1])
    for row in found[0][:300]:
        assert row[2] == given[(given[:, :2] == row[:2]).all(axis=1), 2].min()
