"""The largest loss of a mechanism relative to what it promises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from geopriv.spaces.checks import FloatArray


@dataclass(frozen=True)
class WorstLoss:
    """Where the loss is largest.

    Args:
        ratio: loss/(ε·distance), rounding errors taken off; with δ > 0 the needed δ over the promised one. A fraction
            where it is exact.
        at: (input, input', output) where it was found, in coordinates of a line or points of the space.
        pairs: how many pairs were compared.
    """

    ratio: float | Fraction
    at: tuple[Any, Any, Any]
    pairs: int


def worst(ratios: FloatArray, at: Callable[[int], tuple[Any, Any, Any]]) -> WorstLoss:
    """The largest of many ratios."""
    k = int(np.argmax(ratios))
    return WorstLoss(float(ratios[k]), at(k), ratios.size)


def plain(point: FloatArray) -> Any:
    """A float or a tuple of floats."""
    return tuple(point.tolist()) if np.ndim(point) else float(point)
