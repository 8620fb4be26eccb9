"""How a report is made, in balls and in floats with bounds: the seam between mechanisms and samplers."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from geopriv.noise.entropy import Source
from geopriv.noise.exact import Release, Uniform, settle
from geopriv.noise.filters import CERTAIN, REJECTED, UNKNOWN, Status, Words, shift
from geopriv.noise.laws import Law
from geopriv.spaces.balls import arb
from geopriv.spaces.bounded import Bounded
from geopriv.spaces.checks import FloatArray
from geopriv.spaces.threads import in_threads

CHUNK = 1 << 15  # people at a time: what a chunk needs stays in the cache of a core
FEW = 16  # below, compiled code is not worth loading

_FINENESS = 20  # the grid is finer than the unit of the noise by so many bits

# (who is still waiting, their random words, grid values, status) → None; the last two are filled in
Screen = Callable[[npt.NDArray[np.intp], Words, FloatArray, Status], None]


def grid(unit: float) -> float:
    """The public output grid: the power of two about a millionth of the unit, which never depends on x.

    >>> grid(1.0), grid(8000.0)
    (9.5367431640625e-07, 0.00390625)
    """
    return math.ldexp(1.0, max(math.frexp(unit)[1] - 1 - _FINENESS, -1000))


class Plan(ABC):
    """How a report is made from one row of exact numbers."""

    law: Law
    steps: tuple[float, ...]

    @abstractmethod
    def release(self, row: Sequence[float]) -> Release:
        """The ideal release as a function of uniform numbers, in balls."""

    @abstractmethod
    def screen(self, rows: FloatArray) -> Screen | None:
        """The float filter for these rows; None where there is none."""

    def draw(self, rows: FloatArray, source: Source) -> FloatArray:
        """One report a row, shape (n, components).

        Guarantee: every report is exactly the rounding of the ideal release. The filter accepts a rounding only when
        its error bound leaves no other, and the rest are settled in balls from the same bits; so one report and a
        million have the same law, and the number of threads does not matter.
        """
        values = np.empty((len(rows), len(self.steps)))

        def work(start: int) -> None:
            part = slice(start, start + CHUNK)
            screen = self.screen(rows[part]) if len(rows[part]) >= FEW else None
            values[part] = draw_chunk(self, rows[part], screen, source.among(part))

        in_threads(work, range(0, len(rows), CHUNK))
        return values

    def values(self, cells: Sequence[int]) -> list[float]:
        """Grid points as floats; one beyond 2^53 steps is rounded again, which is post-processing."""
        return [_float(cell, step) for cell, step in zip(cells, self.steps, strict=True)]


@dataclass(frozen=True)
class Shifted(Plan):
    """centre(x) + spread(x)·Z, each component rounded to its grid.

    Args:
        law: of Z.
        steps: one a component.
        enclose: centre and spread at a row, in balls.
        bound: the same at many rows in bounded floats, shapes (n, components) and (n,); None where there is no filter.
    """

    law: Law
    steps: tuple[float, ...]
    enclose: Callable[[Sequence[float]], tuple[list[arb], arb]]
    bound: Callable[[FloatArray], tuple[Bounded, Bounded] | None]

    def release(self, row: Sequence[float]) -> Release:
        def ideal(u: Sequence[Uniform]) -> list[arb] | None:
            noise = self.law(u)
            if noise is None:
                return None
            centre, spread = self.enclose(row)
            return [c + spread * z for c, z in zip(centre, noise, strict=True)]

        return ideal

    def screen(self, rows: FloatArray) -> Screen | None:
        bounded, kernel = self.bound(rows), self.law.kernel()
        if bounded is None or kernel is None:
            return None
        centre, spread = bounded
        steps = np.asarray(self.steps)

        def screened(who: npt.NDArray[np.intp], words: Words, values: FloatArray, status: Status) -> None:
            z, error = np.empty_like(values), np.empty_like(values)
            kernel(words, z, error, status)
            parts = centre.value[who], centre.off[who], spread.value[who], spread.off[who]
            shift(z, error, status, *parts, steps, values)

        return screened


def _float(cell: int, step: float) -> float:
    try:
        return float(cell * Fraction(step))
    except OverflowError:
        return float(np.finfo(np.float64).max) * (1 if cell > 0 else -1)


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
