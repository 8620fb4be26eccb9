"""Simulations of many people: chunk by chunk on every core, from seeds that do not depend on how many there are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from geopriv.spaces import Space
from geopriv.spaces.checks import FloatArray
from geopriv.spaces.threads import in_threads, read_in_threads

CHUNK = 1 << 16  # people at a time: a part of the law of every result of more people than this

# points of shape (m, …) and a generator → m releases; called from several threads
Release = Callable[[FloatArray, np.random.Generator], FloatArray]


def simulate(space: Space, x: Any, rng: np.random.Generator, release: Release) -> FloatArray:
    """One release for each value of x.

    One chunk is drawn from the generator itself. More have a generator each, seeded by 128 bits of the given one, which
    any generator can provide. So the result depends on the seed alone, and what is needed beside values and releases is
    a few chunks.

    Args:
        space: of the values.
        x: values of it; nothing is drawn unless all of them are good.
        rng: a seeded generator.
        release: what is drawn for points of shape (m,) on a line or (m, d) elsewhere.

    Raises:
        OutOfDomain: if a value is not in the space.
    """
    points = read_in_threads(space.read, x, len(space.point_shape))
    shape = points.shape[: points.ndim - len(space.point_shape)]
    flat = points.reshape(-1, *space.point_shape)
    if len(flat) <= CHUNK:
        drawn = release(flat, rng)
        return drawn.reshape((*shape, *drawn.shape[1:]))
    form = release(flat[:1], np.random.default_rng(0)).shape[1:]  # also makes what is made once, before threads would
    drawn, starts = np.empty((len(flat), *form)), range(0, len(flat), CHUNK)
    seeds = rng.integers(0, 1 << 64, (len(starts), 2), dtype=np.uint64)

    def work(start: int) -> None:
        part = slice(start, start + CHUNK)
        drawn[part] = release(flat[part], np.random.default_rng(seeds[start // CHUNK]))

    in_threads(work, starts)
    return drawn.reshape((*shape, *form))
