"""Walking noise on a line: reports of several rounds, each the last one moved by a private increment (theory T15).

In round t a report is y_t = y_{t−1} + L(x_t − x_{t−1}), in cells, where L rounds the exact increment at random and adds
two-sided geometric noise of its own. After t rounds a report carries t independent noises, and the stencil that undoes
one of them is applied t times. No device walks: this is what a walk would promise and how exact it would be.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from geopriv.mechanisms.lattice.moments import OnGrid, interpolant, smoothed
from geopriv.spaces.checks import FloatArray, count, positive

_TAIL = 1e-14  # of the noise is left out on each side
_LARGEST = 1 << 22  # cells of a box
_DIGITS = 1e-4  # of the largest contribution, below which rounding of floats must stay


@dataclass(frozen=True)
class Walk:
    """Rounds of walking noise on a grid of a line, for people who stay where they are after the first one.

    Who moves by something else than whole cells is rounded at random once more in that round: a variance of at most a
    quarter of a cell's square, and an interpolation more of f.

    Guarantee: the reports of all rounds together are exp(ε·D)-indistinguishable, ε = θ over the width of a cell, where
    D = |x_1 − x'_1| + Σ_t |(x_t − x_{t−1}) − (x'_t − x'_{t−1})|. Not ε·|x_t − x'_t| of a single round.

    Args:
        theta: θ = ε·step, the loss over a cell.
        rounds: how many there are.

    >>> walk = Walk(theta=0.1, rounds=4)
    >>> [round(walk.noise(t), 1) for t in (1, 2, 4)]                     # variance, in cells
    [220.0, 440.0, 880.0]
    """

    theta: float
    rounds: int

    def __post_init__(self) -> None:
        positive("Walk", "theta", self.theta)
        count("Walk", "rounds", self.rounds)

    @property
    def ratio(self) -> float:
        """The ratio a = 1/(1 + θ), by which the noise of one round falls from one cell to the next."""
        return 1 / (1 + self.theta)

    @property
    def curvature(self) -> float:
        """The coefficient c = (1 + θ)/θ² of the stencil."""
        return (1 + self.theta) / self.theta**2

    def noise(self, round_: int) -> float:
        """The variance of the noise in a round, in squares of cells: 2c for each round up to it."""
        return 2 * self.curvature * round_

    def undoes(self, round_: int) -> bool:
        """Whether floats can undo the noise of a round: each stencil multiplies their rounding by up to 1 + 4c."""
        return round_ * math.log1p(4 * self.curvature) + math.log(np.finfo(float).eps) < math.log(_DIGITS)

    def variances(self, f: OnGrid, lower: FloatArray, share: FloatArray) -> list[FloatArray | None]:
        """The variance of what a report adds to the mean of f, for each person, round by round.

        It is the mean over the law of all noises up to a round, convolved cell by cell, of the square of the stencil's
        power; None from a round on whose noise floats cannot undo, or covers too many cells.

        Args:
            f: on cells, shape (m, 1), constant far away.
            lower: the cell below each person, shape (n, 1).
            share: how far along to the next, shape (n, 1).
        """
        pad = math.ceil((math.log(1 / _TAIL) + 4 * self.rounds) / math.log1p(self.theta))
        low, high = float(lower.min()) - pad - self.rounds, float(lower.max()) + pad + self.rounds + 1
        if high - low > _LARGEST:
            return [None] * self.rounds
        g = f(np.arange(low, high + 1)[:, None])
        mean = interpolant(f, lower, share)
        found: list[FloatArray | None] = []
        for round_ in range(1, self.rounds + 1):
            if not self.undoes(round_):
                return found + [None] * (self.rounds + 1 - round_)
            g, low = (1 + 2 * self.curvature) * g[1:-1] - self.curvature * (g[:-2] + g[2:]), low + 1
            square = g**2
            for _ in range(round_):
                square = smoothed(square, self.ratio)
            found.append(np.maximum(_read(square, low, lower, share) - mean**2, 0.0))
        return found


def _read(values: FloatArray, low: float, lower: FloatArray, share: FloatArray) -> FloatArray:
    """Values on cells from `low` on, between the cells of people."""
    return interpolant(lambda cells: np.asarray(values[(cells[:, 0] - low).astype(np.intp)]), lower, share)
