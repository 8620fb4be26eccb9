"""The means of spare rows: with them the mean report follows a curved profile within the cells.

With means f_i of the rows and f_i + g_i of their spare rows, the mean report on a cell is

    (1 − t)·f_i + t·f_{i+1} + q·t·(1 − t)·((2 − t)·g_i + (1 + t)·g_{i+1}),

the cubic through f_i and f_{i+1} with the second derivatives −6·q·g/δ². For q = (ε·δ)²/6 that is g = −f0''/ε², whatever
the cells: straight pieces have g = 0 and are followed exactly, and what is left of a smooth profile is of the order δ⁴.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import lsqr

from geopriv.shapes.profiles import Profile
from geopriv.spaces.checks import FloatArray

_WITHIN = np.arange(1, 8) / 8  # places in a cell at which the mean is compared
_INSIDE = 0.9  # how far towards the outermost value the mean of a spare row may go
_TINY = 1e-9  # of the profile's range: what is less is rounding


def spare_means(profile: Profile, lattice: FloatArray, chances: FloatArray, values: FloatArray) -> FloatArray:
    """The means of spare rows with which the mean report is nearest to the profile.

    Args:
        profile: f0.
        lattice: increasing coordinates in its unit.
        chances: q of each cell.
        values: what may be reported.
    """
    heights = profile(lattice)
    bends = fitted(profile, lattice, chances)[0]
    low, high = (_INSIDE * (end - heights) for end in (values.min(), values.max()))
    return np.asarray(heights + np.clip(bends, np.minimum(low, 0), np.maximum(high, 0)))


def fitted(profile: Profile, lattice: FloatArray, chances: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The g of least squares at each point, and how far the mean report is then from the profile in each cell.

    Args:
        profile: f0.
        lattice: increasing coordinates in its unit.
        chances: q of each cell.
    """
    t, cells = _WITHIN[:, None], lattice.size - 1
    heights = profile(lattice)
    straight = (1 - t) * heights[:-1] + t * heights[1:]
    off = profile(lattice[:-1] + t * np.diff(lattice)) - straight
    limit = _TINY * float(np.ptp(heights))
    if np.abs(off).max() <= limit:
        return np.zeros(lattice.size), np.abs(off).max(axis=0)
    both = chances * t * (1 - t) * np.stack([np.broadcast_to(2 - t, off.shape), np.broadcast_to(1 + t, off.shape)])
    # unknowns are g times the larger q beside a point, so that narrow cells are no worse determined than wide ones
    scale = 1 / np.maximum(np.append(chances, 0.0), np.insert(chances, 0, 0.0)).clip(2.0**-44)
    rows = np.arange(off.size).reshape(off.shape)
    columns = np.stack([np.broadcast_to(np.arange(cells) + k, off.shape) for k in (0, 1)])
    entries = (both * scale[columns]).ravel(), (np.concatenate([rows.ravel()] * 2), columns.ravel())
    matrix = sparse.csr_matrix(entries, (off.size, lattice.size))
    found = lsqr(matrix, off.ravel(), atol=1e-13, btol=1e-13, iter_lim=2000)[0]
    left = off - (matrix @ found).reshape(off.shape)
    return np.where(np.abs(found) > limit, found * scale, 0.0), np.abs(left).max(axis=0)
