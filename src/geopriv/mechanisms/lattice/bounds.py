"""Between which two numbers the stencil of a grid lies, for every report that anyone can send: proven, not searched."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from itertools import product
from typing import Protocol

import numpy as np

from geopriv.mechanisms.lattice.moments import stencil_within
from geopriv.queries import Query
from geopriv.shapes.profiles import (
    Gaussian,
    LinearPieces,
    Profile,
)
from geopriv.spaces.checks import FloatArray


class OnGrid(Protocol):
    """A grid and the coefficient of a stencil on it."""

    @property
    def origin(self) -> tuple[float, ...]:
        """The point of cell (0, …, 0)."""

    @property
    def step(self) -> float:
        """The width of a cell."""

    @property
    def curvature(self) -> float:
        """The coefficient c of the stencil."""

    def on_box(self, query: Query, first: FloatArray, sizes: FloatArray) -> FloatArray:
        """The query at all cells of a box."""


_MOST = 1 << 24  # cells of a box that is looked at whole: more than a bracket has
_FINE = 1 << 15  # places at which a curved profile is looked at
_TAIL = math.exp(-72)  # of a Gaussian beyond the twelve bandwidths at which its breaks end
_ROUNDING = 1e-9


def stencil_bounds(mechanism: OnGrid, query: Query) -> tuple[float, float] | None:
    """The least and the largest contribution of a report, or numbers beyond them; None where there is no bound.

    Along a linear coordinate s the stencil is G(s) = Σ w·f0(s + shift), a function of s alone. For straight pieces it
    is largest and least at a knot less a shift; for a curvature of at most C it is known to (1 + 4c)^d·C·η²/8 from
    places η apart. A Gaussian kernel is a product of such functions, one of each axis. A region, blurred or not, is
    constant along every axis that leads away from its box, so the cells in and next to the box show every value.
    For anything else the weights bound it: their absolute values add up to (1 + 4c)^d and they to 1, so no
    contribution is farther from the middle of f's range than (1 + 4c)^d times half the range.

    Args:
        mechanism: that makes the reports.
        query: that they answer.
    """
    low, high = query.bounds
    if not math.isfinite(high - low):
        return None
    ends = _along_coordinate(mechanism, query) or _on_box(mechanism, query)
    if ends is None:
        middle, reach = (low + high) / 2, _weight(mechanism) * (high - low) / 2
        ends = middle - reach, middle + reach
    slack = _ROUNDING * (ends[1] - ends[0])
    return ends[0] - slack, ends[1] + slack


def _weight(mechanism: OnGrid) -> float:
    """The sum of the absolute weights of the stencil."""
    return float((1 + 4 * mechanism.curvature) ** len(mechanism.origin))


def _along_coordinate(mechanism: OnGrid, query: Query) -> tuple[float, float] | None:
    if not query.has_profile:
        return None
    axis, d = query.geometry.axis, query.space.dimension
    if (bell := query.bell) is not None:
        ends = _of_profile(Gaussian(bell.bandwidth), (mechanism.step,), mechanism.curvature)
        if ends is None:
            return None
        corners = [ends[0] ** k * ends[1] ** (d - k) for k in range(d + 1)]
        return min(corners), max(corners)
    if axis is None:
        return None
    return _of_profile(query.profile, tuple(mechanism.step * a for a in axis), mechanism.curvature)


@lru_cache(maxsize=64)  # the thresholds of a curve differ only in where they are
def _of_profile(profile: Profile, steps: tuple[float, ...], curvature: float) -> tuple[float, float] | None:
    """The range of Σ w·f0(s + shift) over real s, for axes whose steps move the coordinate by so much."""
    shifts, weights = [], []
    for signs in product((-1, 0, 1), repeat=len(steps)):
        shifts.append(math.fsum(sign * step for sign, step in zip(signs, steps, strict=True)))
        weights.append(math.prod(-curvature if sign else 1 + 2 * curvature for sign in signs))

    def total(s: FloatArray) -> FloatArray:
        return np.asarray(sum(w * profile(s + shift) for w, shift in zip(weights, shifts, strict=True)))

    if isinstance(profile, LinearPieces) and profile.levels_off:
        values = total((np.asarray(profile.knots)[:, None] - np.asarray(shifts)).ravel())
        ends = [profile.values[0], profile.values[-1]]
        return min(*ends, float(values.min())), max(*ends, float(values.max()))
    return _of_curve(profile, total, sum(map(abs, steps)), (1 + 4 * curvature) ** len(steps))


def _of_curve(
    profile: Profile, total: Callable[[FloatArray], FloatArray], reach: float, weight: float
) -> tuple[float, float] | None:
    if profile.bend is None:
        return None
    low, high = profile.breaks[0], profile.breaks[-1]
    places, apart = np.linspace(low - reach, high + reach, _FINE, retstep=True)
    values, slack = total(places), weight * profile.bend * float(apart) ** 2 / 8 + weight * _TAIL
    return float(values.min()) - slack, float(values.max()) + slack


def _on_box(mechanism: OnGrid, query: Query) -> tuple[float, float] | None:
    box = query.box_of_change(mechanism.step)
    if box is None:
        return None
    low, high = ((np.atleast_1d(corner) - mechanism.origin) / mechanism.step for corner in box)
    first, sizes = np.floor(low), np.ceil(high) - np.floor(low) + 1
    if np.prod(sizes) > _MOST:
        return None
    values = stencil_within(mechanism.on_box(query, first - 1, sizes + 2), mechanism.curvature)
    return float(values.min()), float(values.max())
