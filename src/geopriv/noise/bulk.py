"""Reports for many people at once: the float filter, and balls from the same bits where it cannot tell."""

from __future__ import annotations

import numpy as np

from geopriv.noise.entropy import Source
from geopriv.noise.exact import Uniform, settle
from geopriv.noise.filters import CERTAIN, REJECTED, UNKNOWN
from geopriv.noise.plans import Plan, Screen
from geopriv.spaces.checks import FloatArray
from geopriv.spaces.threads import in_threads

CHUNK = 1 << 15  # people at a time: what a chunk needs stays in the cache of a core
FEW = 16  # below, compiled code is not worth loading


def draw(plan: Plan, rows: FloatArray, source: Source) -> FloatArray:
    """One report a row, shape (n, components).

    Guarantee: every report is exactly the rounding of the ideal release. The filter accepts a rounding only when its
    error bound leaves no other, and the rest are settled in balls from the same bits; so one report and a million have
    the same law, and the number of threads does not matter.
    """
    values = np.empty((len(rows), len(plan.steps)))

    def work(start: int) -> None:
        part = slice(start, start + CHUNK)
        screen = plan.screen(rows[part]) if len(rows[part]) >= FEW else None
        values[part] = draw_chunk(plan, rows[part], screen, source.among(part))

    in_threads(work, range(0, len(rows), CHUNK))
    return values


def draw_chunk(plan: Plan, rows: FloatArray, screen: Screen | None, source: Source) -> FloatArray:
    """The reports of one chunk: rejected attempts are repeated with new bits."""
    values = np.empty((len(rows), len(plan.steps)))
    waiting = np.arange(len(rows))
    while waiting.size:
        words = source.words(waiting.size, plan.law.words)
        found, status = np.zeros((waiting.size, len(plan.steps))), np.full(waiting.size, UNKNOWN, dtype=np.uint8)
        if screen is not None:
            screen(waiting, words, found, status)
        for i in np.flatnonzero(status == UNKNOWN).tolist():
            own = source.among(slice(i, i + 1))
            uniforms = [Uniform(word, own) for word in words[i].tolist()]
            cells = settle(plan.release(rows[waiting[i]].tolist()), uniforms, plan.steps)
            status[i] = REJECTED if cells is None else CERTAIN
            if cells is not None:
                found[i] = plan.values(cells)
        done = status == CERTAIN
        values[waiting[done]] = found[done]
        waiting, source = waiting[~done], source.among(np.flatnonzero(~done))
    return values
