"""What each mechanism releases, in balls and in floats with bounds: the seam between mechanisms and samplers."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from flint import arb

from geopriv.noise.exact import Release, Uniform
from geopriv.noise.laws import Law, SphericalLaw
from geopriv.spaces.bounded import Bounded
from geopriv.spaces.checks import FloatArray

if TYPE_CHECKING:
    from geopriv.noise.kernels import Status, Words

_FINENESS = 20  # the grid is finer than the unit of the noise by so many bits

# (who is still waiting, their random words, grid values, status) → None; the last two are filled in
Screen = Callable[["np.typing.NDArray[np.intp]", "Words", FloatArray, "Status"], None]


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
        from geopriv.noise import kernels

        centre, spread = bounded
        steps = np.asarray(self.steps)

        def screened(who: np.typing.NDArray[np.intp], words: Words, values: FloatArray, status: Status) -> None:
            z, error = np.empty_like(values), np.empty_like(values)
            kernel(words, z, error, status)
            parts = centre.value[who], centre.off[who], spread.value[who], spread.off[who]
            kernels.shift(z, error, status, *parts, steps, values)

        return screened


@dataclass(frozen=True)
class OnEarth(Plan):
    """A place on the globe, moved by a random angle in a random direction; (latitude, longitude) in degrees.

    Args:
        law: of the angle and the bearing.
        steps: of latitude and longitude, at most one degree.
    """

    law: SphericalLaw
    steps: tuple[float, ...]

    def release(self, row: Sequence[float]) -> Release:
        def ideal(u: Sequence[Uniform]) -> list[arb] | None:
            moved = self.law(u)
            if moved is None:
                return None
            (turn_sine, turn_cosine), (sine, cosine) = moved[0].sin_cos(), moved[1].sin_cos_pi()
            (up, out), (along, across) = ((arb(degrees) / 180).sin_cos_pi() for degrees in row)
            north, east = turn_sine * cosine, turn_sine * sine
            flat = turn_cosine * out - north * up
            x, y = flat * across - east * along, flat * along + east * across
            height = turn_cosine * up + north * out
            length = (x * x + y * y).nonnegative_part().sqrt()
            return [180 / arb.pi() * arb.atan2(height, length), 180 / arb.pi() * arb.atan2(y, x)]

        return ideal

    def screen(self, rows: FloatArray) -> Screen | None:
        if self.law.rate < 1:
            return None
        from geopriv.noise import kernels

        steps = np.asarray(self.steps)

        def screened(who: np.typing.NDArray[np.intp], words: Words, values: FloatArray, status: Status) -> None:
            kernels.sphere(words, status, rows[who], self.law.rate, steps, values)
            values[:, 1] = np.where(values[:, 1] >= 180, values[:, 1] - 360, values[:, 1])

        return screened

    def values(self, cells: Sequence[int]) -> list[float]:
        latitude, longitude = super().values(cells)
        return [latitude, longitude - 360 if longitude >= 180 else longitude]


def _float(cell: int, step: float) -> float:
    try:
        return float(cell * Fraction(step))
    except OverflowError:
        return float(np.finfo(np.float64).max) * (1 if cell > 0 else -1)
