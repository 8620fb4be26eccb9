"""Kinds of reports that can be counted, with the exact probability of each: what samples are compared with.

Coordinates and positions are taken from ball arithmetic, so a law is right to the last digits of a float however far
from its origin a place is: what is audited cannot hide behind a rounding of the audit.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from geopriv.spaces import Space
from geopriv.spaces.checks import FloatArray

Value = float | tuple[float, ...]

BITS = 512  # of precision


class Kinds(Protocol):
    """Every possible report of a mechanism is of exactly one of finitely many kinds."""

    @property
    def size(self) -> int:
        """How many kinds there are."""

    @property
    def ordered(self) -> bool:
        """Whether neighbouring kinds lie side by side, so that tails are made of them."""

    def labels(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.intp]:
        """The kind of each written report; −1 for one that cannot be."""

    def law(self, value: Value) -> FloatArray:
        """The probability of each kind at a place."""

    def words(self, label: int) -> str:
        """What is of this kind."""


def exact_row(space: Space, value: Value) -> list[float]:
    """The exact numbers of one person."""
    rows: list[list[float]] = space.read_rows([value])[0].tolist()
    return rows[0]
