"""Work on every core: pieces whose results do not depend on how many threads there are."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar, copy_context
from typing import Any, TypeVar, cast

import numpy as np

from geopriv.spaces.checks import FloatArray

PIECE = 1 << 16  # points that are read at a time

_INSIDE: ContextVar[bool] = ContextVar("_INSIDE", default=False)  # whether this is a piece of such work

_Item = TypeVar("_Item")
_Made = TypeVar("_Made")


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_threads(work: Callable[[int], None], starts: range) -> None:
    """Every piece of work, on as many threads as this process may use; the first error is raised.

    Threads take over the caller's context, such as what numpy does about overflows. Inside a piece of work there are no
    threads again: they would take the cores from each other.
    """
    threads = min(cores(), len(starts))
    if threads < 2 or _INSIDE.get():
        for start in starts:
            work(start)
        return
    from concurrent.futures import ThreadPoolExecutor

    contexts = [copy_context() for _ in starts]
    for context in contexts:
        context.run(_INSIDE.set, True)
    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(lambda context, start: context.run(work, start), contexts, starts):
            pass


def each_in_threads(make: Callable[[_Item], _Made], items: Sequence[_Item]) -> list[_Made]:
    """What is made of every item, in their order, on as many threads as this process may use."""
    made: dict[int, _Made] = {}

    def work(k: int) -> None:
        made[k] = make(items[k])

    in_threads(work, range(len(items)))
    return [made[k] for k in range(len(items))]


def ahead(items: Iterator[_Item]) -> Iterator[_Item]:
    """The same items, each made in a thread while the one before it is used; errors come where they came.

    >>> list(ahead(iter([1, 2, 3])))
    [1, 2, 3]
    """
    from concurrent.futures import ThreadPoolExecutor

    end = object()
    with ThreadPoolExecutor(1) as pool:
        made = pool.submit(next, items, end)
        while (item := made.result()) is not end:
            made = pool.submit(next, items, end)
            yield cast("_Item", item)


def read_in_threads(read: Callable[[Any], FloatArray], x: Any, axes: int, as_given: bool = False) -> FloatArray:
    """`read(x)`, piece by piece where x is a large array.

    Args:
        read: from values to points of the same shape, each by itself.
        x: values.
        axes: of one point: 0 on a line, 1 elsewhere.
        as_given: whether floats are their own points. Then a large array of them is checked, and is itself what is
            read: a second one takes the memory anew each time, which costs more than all the checks.
    """
    if type(x) is not np.ndarray or x.ndim <= axes or x.size <= PIECE:
        return read(x)
    flat = x.reshape(-1, *x.shape[x.ndim - axes :])
    points = flat if as_given and x.dtype == np.float64 else np.empty(flat.shape)

    def work(start: int) -> None:
        part = read(flat[start : start + PIECE])
        if points is not flat:
            points[start : start + PIECE] = part

    in_threads(work, range(0, len(flat), PIECE))
    return points.reshape(x.shape)
