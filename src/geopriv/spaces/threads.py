"""Work on every core: pieces whose results do not depend on how many threads there are."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextvars import copy_context
from typing import Any

import numpy as np

from geopriv.spaces.checks import FloatArray

_PIECE = 1 << 16  # points that are read at a time


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_threads(work: Callable[[int], None], starts: range) -> None:
    """Every piece of work, on as many threads as this process may use; the first error is raised.

    Threads take over the caller's context, such as what numpy does about overflows.
    """
    threads = min(cores(), len(starts))
    if threads < 2:
        for start in starts:
            work(start)
        return
    from concurrent.futures import ThreadPoolExecutor

    contexts = [copy_context() for _ in starts]
    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(lambda context, start: context.run(work, start), contexts, starts):
            pass


def read_in_threads(read: Callable[[Any], FloatArray], x: Any, axes: int) -> FloatArray:
    """`read(x)`, piece by piece where x is a large array.

    Args:
        read: from values to points of the same shape, each by itself.
        x: values.
        axes: of one point: 0 on a line, 1 elsewhere.
    """
    if type(x) is not np.ndarray or x.ndim <= axes or x.size <= _PIECE:
        return read(x)
    flat = x.reshape(-1, *x.shape[x.ndim - axes :])
    points = np.empty(flat.shape)

    def work(start: int) -> None:
        points[start : start + _PIECE] = read(flat[start : start + _PIECE])

    in_threads(work, range(0, len(flat), _PIECE))
    return points.reshape(x.shape)
