"""What a report on a grid adds to the two functions that hold a plain question between them, before anybody reports."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from geopriv.mechanisms.lattice.cells import Cells
from geopriv.mechanisms.lattice.moments import interpolant, smoothed, stencil_on_box
from geopriv.queries import Query
from geopriv.spaces.checks import FloatArray

_TAIL = 1e-6  # of the noise is left out on each side: what is predicted is no answer


@dataclass(frozen=True, eq=False)
class Moments:
    """Of what a report adds, for people at points.

    Args:
        means: of each person.
        squares: mean squares of each.
        cubes: mean cubes of each.
        spread: the largest less the least that a report adds.
    """

    means: FloatArray
    squares: FloatArray
    cubes: FloatArray
    spread: float


def moments_at(lattice: Cells, query: Query, points: FloatArray) -> Moments:
    """Moments of what reports add to a query with a box, for people at points of the space."""
    d = lattice.space.dimension
    box, flat = query.box_of_change(lattice.step), points.reshape(-1, d)
    means = interpolant(lambda at: lattice._f(query, at), *_placed(lattice, flat))
    if box is None:
        squares = lattice.variance_at(points, query) + means**2
        return Moments(means, squares, means**3, 0.0)
    pad = math.ceil(math.log(_TAIL) / math.log(lattice.ratio))
    low, high = ((np.atleast_1d(corner) - lattice.origin) / lattice.step for corner in box)
    sizes = (np.ceil(high) - np.floor(low) + 1).astype(int).tolist()
    added = stencil_on_box(lambda at: lattice._f(query, at), np.floor(low), sizes, lattice.curvature)
    # beyond the box nothing changes along any axis that leads away; as far as noise carries, it is told who is in it
    first, last = np.floor(low) - pad, np.ceil(high) + pad
    shape = tuple(size + 2 * pad for size in sizes)
    lower, share = _placed(lattice, flat, first, last)

    def mean_of(power: int) -> FloatArray:
        heights = smoothed(np.pad(added**power, 2 * pad, mode="edge"), lattice.ratio)[(slice(pad, -pad),) * d].ravel()
        return interpolant(lambda at: heights[np.ravel_multi_index((at - first).astype(int).T, shape)], lower, share)

    return Moments(means, mean_of(2), mean_of(3), float(np.ptp(added)))


def _placed(
    lattice: Cells, points: FloatArray, first: FloatArray | float = -np.inf, last: FloatArray | float = np.inf
) -> tuple[FloatArray, FloatArray]:
    """Cells and fractions of points that are held in a box."""
    along = np.clip((points - lattice.origin) / lattice.step, first, last)
    lower = np.minimum(np.floor(along), np.asarray(last) - 1)
    return lower, along - lower
