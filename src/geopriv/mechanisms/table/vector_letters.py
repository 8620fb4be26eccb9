"""What the program of a VectorTable begins with: lattices, letters that can follow f, and what integers then count."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from geopriv.mechanisms.table.vector_program import distinct
from geopriv.spaces.checks import FloatArray

_RINGS = ((0.5, 1.0), (2.0, 2.0), (10.0, 8.0))  # how far from kinks cells are how many times as wide as the finest
_OUT = (0.25, 0.5, 0.75, 1.0, 1.25)  # by which letters leave the range of a query that moves, over its slope


def lattice_for(knots: FloatArray, fine: float) -> FloatArray:
    """Every kink, fine cells around them, and coarser ones the further they are; 10/ε beyond the first and the last.

    Args:
        knots: where any f bends, increasing, in units of 1/ε.
        fine: the width of the finest cells.
    """
    rings = np.array([reach for reach, _ in _RINGS])
    marks = np.unique((knots[:, None] + np.concatenate([-rings, rings])).round(9))
    marks = marks[np.abs(marks[:, None] - knots).min(axis=1) > fine]
    pieces = []
    for a, b in pairwise(np.union1d(marks, knots).tolist()):
        away = float(np.abs(knots - (a + b) / 2).min())
        times = next((times for reach, times in _RINGS if away < reach), _RINGS[-1][1])
        pieces.append(np.linspace(a, b, max(1, math.ceil((b - a) / (times * fine) - 1e-9)) + 1))
    return np.unique(np.concatenate(pieces).round(12))


def followers(knots: FloatArray, heights: FloatArray) -> FloatArray:
    """What to count, at points that include all kinks, so that reports of them that fall off on both sides follow f.

    With r_i = 1/(1 + c_i) for the cells c_i let S_ij be the product of r over the cells between points i and j. S is
    the covariance of a chain, so its inverse has three diagonals, and φ = S⁻¹·1 is 1/(1 + r_{j−1}) + 1/(1 + r_j) − 1 at
    an inner point j, above 0 as at the ends. Then K = S·diag(φ) has rows that sum to 1 and the ratios of theory T5, and
    v = S⁻¹f/φ has K·v = f: the stencil of a Lattice, for cells of any widths.
    """
    ratio = 1 / (1 + np.diff(knots))
    down = 1 / (1 - ratio**2)
    diagonal = np.concatenate([[0.0], down]) + np.concatenate([down, [0.0]]) - 1
    diagonal[[0, -1]] += 1
    side = -ratio * down

    def inverse(f: FloatArray) -> FloatArray:
        found: FloatArray = diagonal[:, None] * f
        found[:-1] += side[:, None] * f[1:]
        found[1:] += side[:, None] * f[:-1]
        return found

    return np.asarray(inverse(heights) / inverse(np.ones((knots.size, 1))))


def first_letters(knots: FloatArray, lattice: FloatArray, heights: FloatArray) -> FloatArray:
    """Letters that can follow f, and others near f that are worth trying.

    Beside `followers` of a few points these are what f is on plateaus and, for each piece over which a query moves,
    letters that are f in its middle but for that query, which they count below, within and above its range there.

    Args:
        knots: where any f bends, and both ends of the lattice.
        lattice: in which they are.
        heights: f on the lattice, shape (points, K).
    """
    at = np.array([np.interp(knots, lattice, column) for column in heights.T]).T
    found = [at, followers(knots, at)]
    for (a, b), (here, there) in zip(pairwise(knots), pairwise(at), strict=True):
        for k in np.flatnonzero(np.abs(there - here) > 1e-12).tolist():
            low, high = sorted((here[k], there[k]))
            out = np.asarray(_OUT) * (high - low) / (b - a)
            tried = np.repeat((here + there)[None, :] / 2, 2 * out.size + 3, axis=0)
            tried[:, k] = np.concatenate([low - out, [low, (low + high) / 2, high], high + out])
            found.append(tried)
    return distinct(np.vstack(found))
