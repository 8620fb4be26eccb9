"""What the noise of a Lattice says of itself."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from geopriv.mechanisms.lattice.noises.laws import CellLaw
from geopriv.spaces.checks import FloatArray


@dataclass(frozen=True)
class CellNoise(ABC):
    """A law on Z^d, symmetric on each axis and alike on all, by which a cell is moved.

    Args:
        theta: θ, rational: by which factor less 1 the law falls at most from one cell to the next.
        axes: d.
    """

    theta: Fraction
    axes: int

    @property
    def moments(self) -> float:
        """Below which order moments are finite: every one is."""
        return math.inf

    @property
    @abstractmethod
    def reference(self) -> str:
        """The theorems on which the promise rests."""

    @property
    @abstractmethod
    def law(self) -> CellLaw:
        """How it is drawn from uniform numbers, exactly."""

    @property
    @abstractmethod
    def rule(self) -> str:
        """When the promise holds."""

    @abstractmethod
    def spent(self, allowed: Fraction) -> Fraction:
        """A number that is at most 1 exactly if the promise is proven.

        Args:
            allowed: ε·step.
        """

    @abstractmethod
    def steepest(self) -> Fraction:
        """The largest Σ_j max_±(p(k ± e_j)/p(k) − 1)² of the stated law over many cells, from above.

        By the corner condition (theory §9) the promise holds if and only if it is at most (ε·step)² over all.
        """

    @property
    @abstractmethod
    def ratio(self) -> float:
        """The ratio by which the law of one axis falls from one cell to the next, where there is one.

        Raises:
            InvalidParameter: where there is none.
        """

    @property
    @abstractmethod
    def curvature(self) -> float:
        """The coefficient c of the stencil (1 + 2c)·f(k) − c·(f(k − 1) + f(k + 1)) that undoes the noise of one axis.

        Raises:
            InvalidParameter: where no stencil does.
        """

    @property
    @abstractmethod
    def variance(self) -> float:
        """Of one axis, in cells²."""

    @property
    @abstractmethod
    def worst_at(self) -> str:
        """Which reports tell two neighbouring cells apart best."""

    @property
    @abstractmethod
    def together(self) -> float:
        """E[k_1²·k_2²]/E[k_1²]²: 1 where axes are independent."""

    @abstractmethod
    def log_law(self, moved: FloatArray) -> FloatArray:
        """The logarithm of the probability that a cell is moved by so many cells, shape (..., d) to (...)."""

    @abstractmethod
    def log_rounded(self, moved: FloatArray, share: FloatArray) -> FloatArray:
        """`log_law` after random rounding: of a report so many cells from the cell below a person.

        Args:
            moved: report less the cell below, shape (..., d).
            share: λ, how far the person is on the way to the next cell, of the same shape or one that broadcasts.
        """

    @abstractmethod
    def reach(self, n: int, chance: float) -> int:
        """By how many cells at most noise moves any axis of n reports, but for a chance: proven, not searched."""

    @abstractmethod
    def sample(self, rng: np.random.Generator, n: int) -> FloatArray:
        """Moves from a seeded generator, shape (n, d)."""
