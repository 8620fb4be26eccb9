"""The linear program behind Table: the best probabilities for a lattice of coordinates and a few report values.

Unknowns K_i(y): the probability of reporting y at lattice point i. Minimise the expected square of the report under a
prior, subject to Σ_y K_i(y) = 1, Σ_y y·K_i(y) = f0(s_i), and, with c_i = ε·δ_i for the cell of width δ_i,

    K_{i+1}(y) ≤ (1 + c_i)·K_i(y)   and   K_i(y) ≤ (1 + c_i)·K_{i+1}(y).

Everything here is in units of 1/ε, so a program depends only on the profile in those units.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import optimize, sparse

from geopriv.checks import FloatArray, invalid
from geopriv.profiles import Gaussian, Profile

_NEAR, _FAR = 3.0, 14.0  # how far fine and coarse cells reach beyond the profile's landmarks
_FINE, _COARSE = 0.05, 0.2  # widths of cells
_MOST = 900  # lattice points
_LARGE = 450  # lattice points from which on the simplex method is faster than the interior-point method


@dataclass(frozen=True, eq=False)
class Program:
    """A solved program: lattice (in units of 1/ε), values, and probabilities of shape (points, values)."""

    lattice: FloatArray
    values: FloatArray
    probabilities: FloatArray
    expected_square: float


def default_lattice(profile: Profile) -> FloatArray:
    """Fine cells where f0 moves, coarse ones in the tails; every landmark is a lattice point."""
    marks = _marks(profile)
    low, high = marks[0] - _NEAR, marks[-1] + _NEAR
    fine = max(_FINE, (high - low) / (_MOST - 2 * (_FAR - _NEAR) / _COARSE))
    if fine > 0.25:
        raise invalid("Table", "query", "no wider than some 200/ε, or the lattice is too coarse", f"{high - low:.4g}/ε")
    inner = np.linspace(low, high, int(np.ceil((high - low) / fine)) + 1)
    # a curved profile is followed to where it is negligible, in as many cells
    tail = max(_FAR - _NEAR, _spent(profile) - high)
    outer = np.linspace(0.0, tail, int((_FAR - _NEAR) / _COARSE) + 1)[1:]
    points = np.concatenate([low - outer[::-1], inner, high + outer])
    keep = np.abs(points[:, None] - marks).min(axis=1) > 0.2 * fine  # no slivers beside landmarks
    return np.unique(np.concatenate([points[keep], marks]))


def _marks(profile: Profile) -> FloatArray:
    """Landmarks, and for a Gaussian narrower than 1/ε enough points to follow it."""
    if isinstance(profile, Gaussian) and profile.bandwidth < 1:
        return profile.center + profile.bandwidth * np.arange(-18, 19) / 4
    return np.asarray(profile.landmarks)


def _spent(profile: Profile) -> float:
    """The coordinate beyond which the profile no longer moves by more than 4e-5 of its range."""
    if isinstance(profile, Gaussian):
        return profile.center + 4.5 * profile.bandwidth
    return profile.landmarks[-1]


def default_values(profile: Profile) -> FloatArray:
    """Multiples of an eighth of the profile's range, from one and a half ranges below it to as many above.

    A steep profile (rising over much less than 1/ε) needs reports far outside its range; the values spread with it.
    Those that f0 takes at its landmarks and on its plateaus are always among them; what is not used is dropped later.
    """
    low, high = profile.bounds
    if not np.isfinite(high - low):
        raise invalid("Table", "query", "a query with bounded answers", "an unbounded one")
    steep = max(1.0, profile.lipschitz / (high - low))
    pattern = 0.5 + steep * np.arange(-16, 17) / 8
    ends = profile(np.asarray([*profile.landmarks, profile.landmarks[0] - 1e3, profile.landmarks[-1] + 1e3]))
    return np.unique(np.concatenate([low + (high - low) * pattern, ends]))


def solve(
    profile: Profile, lattice: FloatArray, values: FloatArray, prior: FloatArray, relaxed: bool = False
) -> Program:
    """The best probabilities.

    Args:
        profile: in units of 1/ε.
        lattice: increasing coordinates in the same units.
        values: what may be reported.
        prior: weights of the lattice points.
        relaxed: with e^c instead of 1 + c; its optimum bounds every unbiased ε-GP report with these values from below.

    Raises:
        InvalidParameter: when the values cannot do it.
    """
    points, letters = lattice.size, values.size
    cell = np.diff(lattice)
    limit = np.exp(cell) if relaxed else 1 + cell
    index = np.arange(points * letters).reshape(points, letters)
    rows = np.arange((points - 1) * letters)
    here, there = index[:-1].ravel(), index[1:].ravel()
    factor = np.repeat(limit, letters)
    ones = np.ones(rows.size)
    shape = (rows.size, points * letters)
    up = sparse.csr_matrix((ones, (rows, there)), shape) - sparse.csr_matrix((factor, (rows, here)), shape)
    down = sparse.csr_matrix((ones, (rows, here)), shape) - sparse.csr_matrix((factor, (rows, there)), shape)
    sums = sparse.kron(sparse.eye(points), np.ones((1, letters)))
    means = sparse.kron(sparse.eye(points), values[None, :])
    found = optimize.linprog(
        (prior[:, None] * values**2).ravel(),
        A_ub=sparse.vstack([up, down]),
        b_ub=np.zeros(2 * rows.size),
        A_eq=sparse.vstack([sums, means]),
        b_eq=np.concatenate([np.ones(points), profile(lattice)]),
        method="highs-ipm" if points < _LARGE else "highs-ds",
        options={"primal_feasibility_tolerance": 1e-9, "dual_feasibility_tolerance": 1e-9},
    )
    if found.status == 2:
        rule = "a set whose means can follow the query at this ε; reach further out"
        raise invalid("Table", "values", rule, [float(values[0]), float(values[-1])])
    if found.status != 0:
        raise invalid("Table", "query", f"one whose program can be solved ({found.message})", type(profile).__name__)
    return Program(lattice, values, np.maximum(found.x.reshape(points, letters), 0.0), float(found.fun))
