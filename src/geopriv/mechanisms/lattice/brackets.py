"""What a report on a grid adds to the two functions that hold a plain question between them, before anybody reports."""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np

from geopriv.mechanisms.lattice.bounds import OnGrid
from geopriv.mechanisms.lattice.moments import interpolant, smoothed, stencil_on_box
from geopriv.mechanisms.sums import Moments
from geopriv.queries import Query
from geopriv.spaces.checks import FloatArray

_TAIL = 1e-6  # of the noise is left out on each side: what is predicted is no answer


class OnStencil(OnGrid, Protocol):
    """A grid, the noise on each of its axes, and the stencil that undoes it."""

    @property
    def ratio(self) -> float:
        """By which the noise falls from cell to cell."""

    def mean_square(self, query: Query, lower: FloatArray, share: FloatArray) -> FloatArray:
        """E[contribution²] for people at the fractions `share` along the cells that start at `lower`."""


def stencil_moments(lattice: OnStencil, query: Query, points: FloatArray) -> Moments:
    """Moments of what reports add to a query with a box, for people at points of the space."""
    d = len(lattice.origin)
    box, flat = query.box_of_change(lattice.step), points.reshape(-1, d)
    means = interpolant(lattice.on_cells(query), *_placed(lattice, flat))
    if box is None:
        return Moments(means, lattice.mean_square(query, *_placed(lattice, flat)), means**3, 0.0)
    pad = math.ceil(math.log(_TAIL) / math.log(lattice.ratio))
    low, high = ((np.atleast_1d(corner) - lattice.origin) / lattice.step for corner in box)
    sizes = (np.ceil(high) - np.floor(low) + 1).astype(int).tolist()
    added = stencil_on_box(lattice.on_cells(query), np.floor(low), sizes, lattice.curvature)
    # beyond the box nothing changes along any axis that leads away; as far as noise carries, it is told who is in it
    first, last = np.floor(low) - pad, np.ceil(high) + pad
    shape = tuple(size + 2 * pad for size in sizes)
    lower, share = _placed(lattice, flat, first, last)

    def mean_of(power: int) -> FloatArray:
        heights = smoothed(np.pad(added**power, 2 * pad, mode="edge"), lattice.ratio)[(slice(pad, -pad),) * d].ravel()
        return interpolant(lambda at: heights[np.ravel_multi_index((at - first).astype(int).T, shape)], lower, share)

    return Moments(means, mean_of(2), mean_of(3), float(np.ptp(added)))


def _placed(
    lattice: OnGrid, points: FloatArray, first: FloatArray | float = -np.inf, last: FloatArray | float = np.inf
) -> tuple[FloatArray, FloatArray]:
    """Cells and fractions of points that are held in a box."""
    along = np.clip((points - lattice.origin) / lattice.step, first, last)
    lower = np.minimum(np.floor(along), np.asarray(last) - 1)
    return lower, along - lower
