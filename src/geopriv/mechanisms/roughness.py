"""How the errors of a map change from place to place, and how often the largest of them is above a number.

Errors of estimates from many reports are a Gaussian field, and those of a map a smooth one. For X = error/(its standard
deviation) over a region T, with Λ(t) the covariance of the slopes of X, the expected Euler characteristic of the places
above u is

    E χ(u) = L₀·(1 − Φ(u)) + L₁·e^(−u²/2)/2π + L₂·u·e^(−u²/2)/(2π)^(3/2),

where L₂ = ∫ √det Λ over T, L₁ is half the length of its border in the metric Λ, and L₀ its Euler characteristic. Above
a high u each part of X has one peak, so E χ(u) is the chance that sup X > u, up to an error that is smaller by a factor
that falls exponentially in u². As |X| has both signs, P(sup |X| > u) is at most 2·E χ(u) up to that error.

It is of all places of T and not only of the points of a grid, so it does not depend on how fine a map is drawn.

Reference: J. Taylor, A. Takemura, R. Adler, Annals of Probability 33 (2005); R. Adler, J. Taylor, Random Fields and
Geometry (2007), theorems 12.4.1 and 14.3.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt
from scipy import ndimage, special

from geopriv.spaces.checks import FloatArray

_FAINT = 1e-9  # of the largest variance of a map: below, rounding errors of a transform are all there is


@dataclass(frozen=True, eq=False)
class Roughness:
    """Covariances of the errors of a map and of their slopes, on an even grid over it, for one report.

    Args:
        steps: of the grid, along both axes.
        moments: shape (6, columns, rows): the variance of the error e, the covariances of e with its slopes e₁ and e₂
            along both axes, and those of e₁ with e₁, e₁ with e₂ and e₂ with e₂.
    """

    steps: tuple[float, float]
    moments: FloatArray

    @classmethod
    def of(cls, steps: tuple[float, float], means: FloatArray, squares: FloatArray) -> Self:
        """From what reports add to the map and to its slopes.

        Args:
            steps: of the grid.
            means: of g, ∂₁g and ∂₂g, shape (3, columns, rows).
            squares: mean products of g·g, g·∂₁g, g·∂₂g, ∂₁g·∂₁g, ∂₁g·∂₂g and ∂₂g·∂₂g, shape (6, columns, rows).
        """
        first, second = np.triu_indices(3)
        return cls(steps, squares - means[first] * means[second])

    def added(self, weight: float, other: Self | None = None) -> Self:
        """So many times these, and another's: independent errors with weights, of groups that are put together."""
        more = 0.0 if other is None else other.moments
        return type(self)(self.steps, weight * self.moments + more)

    @cached_property
    def curvatures(self) -> tuple[float, float, float]:
        """L₀, L₁ and L₂ of the places where there are errors; L₀ counts their parts, and no holes."""
        variance = self.moments[0]
        seen = variance > _FAINT * variance.max(initial=0.0)
        if not seen.any():
            return 0.0, 0.0, 0.0
        lengths = [np.sqrt(part) * step for part, step in zip(self._metric[::2], self.steps, strict=True)]
        along = sum(float(_border(seen, length, axis)) for axis, length in enumerate(lengths))
        area = np.sqrt(np.maximum(self._metric[0] * self._metric[2] - self._metric[1] ** 2, 0.0))
        whole = float((area * _shares(seen)).sum()) * self.steps[0] * self.steps[1]
        return float(ndimage.label(seen)[1]), along / 2, whole

    @cached_property
    def _metric(self) -> FloatArray:
        """Λ₁₁, Λ₁₂ and Λ₂₂."""
        variance, first, second, *slopes = self.moments
        safe = np.maximum(variance, _FAINT * variance.max(initial=0.0))
        pairs = (first * first, first * second, second * second)
        metric = np.array([(both - pair / safe) / safe for both, pair in zip(slopes, pairs, strict=True)])
        metric[::2] = np.maximum(metric[::2], 0.0)
        return metric

    def chance(self, reach: float) -> float:
        """How often some error is more than so many standard deviations: 2·E χ."""
        none, line, area = self.curvatures
        tail = np.exp(-(reach**2) / 2) / (2 * np.pi)
        return float(2 * (none * special.ndtr(-reach) + line * tail + area * reach * tail / np.sqrt(2 * np.pi)))


def _shares(seen: npt.NDArray[np.bool_]) -> FloatArray:
    """How much of a cell around each point lies in the map: a half on its sides, a quarter in its corners."""
    parts = seen.astype(np.float64)
    for axis in (0, 1):
        ends = [slice(None)] * 2
        for end in (0, -1):
            ends[axis] = slice(end, None if end else 1)
            parts[tuple(ends)] /= 2
    return parts


def _border(seen: npt.NDArray[np.bool_], lengths: FloatArray, axis: int) -> float:
    """The length of the pieces along an axis that have places with errors on one side only."""
    either = np.moveaxis(seen, axis, 0).astype(np.int8)
    sides = np.abs(np.diff(either, axis=1, prepend=0, append=0))  # between neighbours across the axis
    across = np.moveaxis(lengths, axis, 0)
    each = np.pad(across, ((0, 0), (1, 0))), np.pad(across, ((0, 0), (0, 1)))
    inside = np.pad(either, ((0, 0), (1, 0))), np.pad(either, ((0, 0), (0, 1)))
    return float((sides * (each[0] * inside[0] + each[1] * inside[1])).sum())
