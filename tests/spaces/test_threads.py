"""Work ahead of its use changes neither items nor errors."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from geopriv.spaces import threads
from geopriv.spaces.threads import ahead, in_threads


def numbers(ends: int, made: list[int]) -> Iterator[int]:
    for k in range(ends):
        made.append(threading.get_ident())
        yield k
    raise ValueError("it broke off")


def test_what_is_made_ahead_is_the_same_and_an_error_comes_after_what_came_before_it() -> None:
    found: list[int] = []
    with pytest.raises(ValueError, match="broke off"):
        found.extend(ahead(numbers(3, [])))
    assert found == [0, 1, 2]


def test_work_inside_a_piece_of_work_takes_no_more_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "cores", lambda: 4)
    used: dict[int, set[int]] = {k: set() for k in range(4)}

    def work(k: int) -> None:
        in_threads(lambda _: used[k].add(threading.get_ident()), range(8))

    in_threads(work, range(4))
    assert [len(found) for found in used.values()] == [1] * 4
    assert threading.get_ident() not in set.union(*used.values())


def test_one_thread_makes_all_and_no_more_than_one_is_made_that_is_not_asked_for() -> None:
    made: list[int] = []
    items = ahead(numbers(10, made))
    assert [next(items), next(items)] == [0, 1]
    items.close()  # type: ignore[attr-defined]
    assert len(made) <= 3
    assert set(made) != {threading.get_ident()}
    assert len(set(made)) == 1
