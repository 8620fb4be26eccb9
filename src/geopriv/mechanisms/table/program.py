"""The linear program behind Table: the best probabilities for a lattice of coordinates and a few report values.

Unknowns K_i(y): the probability of reporting y at lattice point i. Minimise the expected square of the report under a
prior (hence its variance, since its mean is given), subject to Σ_y K_i(y) = 1, Σ_y y·K_i(y) = f0(s_i), and, with
c_i = ε·δ_i for the cell of width δ_i,

    K_{i+1}(y) ≤ (1 + c_i)·K_i(y)   and   K_i(y) ≤ (1 + c_i)·K_{i+1}(y).

Everything here is in units of 1/ε, so a program depends only on the profile in those units.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import optimize, sparse

from geopriv.errors import GeoprivError
from geopriv.shapes.profiles import Gaussian, Profile
from geopriv.spaces.checks import FloatArray, invalid

_NEAR, _FAR = 3.0, 14.0  # how far fine and coarse cells reach beyond the profile's landmarks
_FINE, _COARSE = 0.05, 0.2  # widths of cells
_MOST = 14_000  # unknowns: lattice points times values
_NARROWEST = 1e-4  # over which a profile may rise: reports reach to its inverse, beyond the solver's digits
_STRAIGHT = 0.01  # of the profile's range: how far it may leave the straight lines between lattice points


class Infeasible(GeoprivError):
    """No probabilities of these values have the means that the profile asks for."""


@dataclass(frozen=True, eq=False)
class Program:
    """A solved program: lattice (in units of 1/ε), values, and probabilities of shape (points, values).

    `expected_variance` is what the program minimised: the variance of the report at the lattice points, on average.
    """

    lattice: FloatArray
    values: FloatArray
    probabilities: FloatArray
    expected_variance: float


def default_lattice(profile: Profile, letters: int = 33) -> FloatArray:
    """Fine cells where f0 moves, coarse ones in the tails; every landmark is a lattice point.

    Args:
        profile: in units of 1/ε.
        letters: how many values there are; the more, the coarser the cells of a wide profile.
    """
    marks = _marks(profile)
    low, high = marks[0] - _NEAR, marks[-1] + _NEAR
    fine = max(_FINE, (high - low) / max(120, _MOST / letters - 2 * (_FAR - _NEAR) / _COARSE))
    if fine > 0.75:
        rule = "no wider than some 200/ε, or the lattice is too coarse; a smaller ε or LeastScaleT would do"
        raise invalid("Table", "query", rule, f"{high - low:.4g}/ε")
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


def require_fine(profile: Profile, lattice: FloatArray) -> None:
    """Refuse a lattice between whose points, or beyond whose ends, the profile is not nearly straight.

    Args:
        profile: in the unit of the lattice.
        lattice: increasing coordinates.
    """
    low, high = profile.bounds
    limit = _STRAIGHT * (high - low)
    marks = np.asarray(profile.landmarks)
    reach = (marks[-1] - marks[0]) + np.ptp(lattice)
    ends = profile(lattice[[0, -1]]) - profile(np.array([lattice[0] - reach, lattice[-1] + reach]))
    if (np.abs(ends) > limit).any():
        rule = f"long enough that f0 is constant beyond it; from {marks[0] - reach:.6g} to {marks[-1] + reach:.6g} is"
        raise invalid("Table", "lattice", rule, [float(lattice[0]), float(lattice[-1])])
    bend = _bend(profile, lattice)
    cell = int(bend.argmax())
    if bend[cell] > limit:
        start, end = float(lattice[cell]), float(lattice[cell + 1])
        inside = marks[(marks > lattice[0]) & (marks < lattice[-1])]
        width = end - start
        while _bend(profile, np.union1d(np.arange(lattice[0], lattice[-1], width), inside)).max() > limit:
            width /= 1.25
        rule = (
            f"fine enough that straight lines stay within {_STRAIGHT:.0%} of the query's range; "
            f"cells of at most {width:.3g} with points at {inside.tolist()} would do"
        )
        raise invalid("Table", "lattice", rule, f"a cell from {start:.6g} to {end:.6g}, {bend[cell]:.3g} off")


def _bend(profile: Profile, lattice: FloatArray) -> FloatArray:
    """How far the profile leaves the straight line, for each cell."""
    share = np.linspace(0.0, 1.0, 33)[:, None]
    first, last = profile(lattice[:-1]), profile(lattice[1:])
    between = profile(lattice[:-1] + np.diff(lattice) * share)
    return np.asarray(np.abs(between - first - (last - first) * share).max(axis=0))


def default_values(profile: Profile, every: int = 1) -> FloatArray:
    """Multiples of an eighth of the profile's range, from one and a half ranges below it to as many above.

    A steep profile (rising over much less than 1/ε) needs reports far outside its range; the values spread with it. A
    wide one (rising over more than 16/ε) needs them closer than its noise, some 2/ε apart, and not as far out.
    Those that f0 takes at its landmarks and on its plateaus are always among them; what is not used is dropped later.

    Args:
        profile: in units of 1/ε.
        every: keep only every second, fourth … multiple.
    """
    low, high = profile.bounds
    if not np.isfinite(high - low):
        raise invalid("Table", "query", "a query with bounded answers", "an unbounded one")
    width = (high - low) / profile.lipschitz
    if width < _NARROWEST:
        rule = f"large enough that the query, which rises over {width:.3g}/ε, rises over at least {_NARROWEST:g}/ε"
        raise invalid("Table", "epsilon", rule, "a smaller one")
    if width > 16:
        parts = 8 * min(math.ceil(width / 16), 4)
        out = math.ceil(10 * parts / width)
        pattern = np.arange(-every * math.ceil(out / every), parts + out + 1, every) / parts
    else:
        pattern = 0.5 + max(1.0, 1 / width) * np.arange(-16, 17, every) / 8
    ends = profile(np.asarray([*profile.landmarks, profile.landmarks[0] - 1e3, profile.landmarks[-1] + 1e3]))
    multiples = low + (high - low) * pattern
    apart = np.abs(multiples[:, None] - ends).min(axis=1) > 0.1 * (multiples[1] - multiples[0])
    return np.unique(np.concatenate([multiples[apart], ends]))


def uniform(lattice: FloatArray) -> FloatArray:
    """Shares of the lattice points when coordinates are uniform on it."""
    width = np.gradient(lattice)
    return np.asarray(width / width.sum())


def binned(lattice: FloatArray, s: FloatArray, weights: FloatArray) -> FloatArray:
    """Shares of the lattice points under a prior.

    Moments of a table are linear between lattice points, so the share of a coordinate is divided between its two
    neighbours as the interpolation weighs them: the program then minimises the expectation itself.
    """
    inside = np.clip(s.ravel(), lattice[0], lattice[-1])
    cell = np.clip(np.searchsorted(lattice, inside, side="right") - 1, 0, lattice.size - 2)
    share = (inside - lattice[cell]) / (lattice[cell + 1] - lattice[cell])
    parts = (
        np.bincount(cell, weights * (1 - share), lattice.size),
        np.bincount(cell + 1, weights * share, lattice.size),
    )
    return np.asarray(sum(parts), dtype=np.float64)


def best(lattice: FloatArray, heights: FloatArray, values: FloatArray, prior: FloatArray) -> Program:
    """The best probabilities, found with only those values that a coarse first solution uses, and their neighbours.

    A program of a fifth of the lattice, relaxed, tells which values are worth having; leaving out the others halves the
    time and does not change the optimum in its first six digits.
    """
    bend = np.abs(np.diff(np.diff(heights) / np.diff(lattice), prepend=0.0, append=0.0))
    some = (np.arange(lattice.size) % 5 == 0) | (bend > 0.2 * bend.max())
    some[[0, -1]] = True
    try:
        first = solve(lattice[some], heights[some], values, uniform(lattice[some]), relaxed=True)
        used = first.probabilities.max(axis=0) > 1e-6
        near = used | np.append(used[1:], False) | np.insert(used[:-1], 0, False)
        found = solve(lattice, heights, values[near], prior)
    except Infeasible:
        return solve(lattice, heights, values, prior)
    probabilities = np.zeros((lattice.size, values.size))
    probabilities[:, near] = found.probabilities
    return Program(lattice, values, probabilities, found.expected_variance)


def solve(
    lattice: FloatArray, heights: FloatArray, values: FloatArray, prior: FloatArray, relaxed: bool = False
) -> Program:
    """The best probabilities.

    Args:
        lattice: increasing coordinates in units of 1/ε.
        heights: f0 there.
        values: what may be reported.
        prior: shares of the lattice points.
        relaxed: with e^c instead of 1 + c; its optimum bounds every unbiased ε-GP report with these values from below.

    Raises:
        Infeasible: when the values cannot do it.
    """
    points, letters = lattice.size, values.size
    # the solver sees answers between 0 and 1, whatever their unit
    low, spread = heights.min(), np.ptp(heights) or 1.0
    answers, reports = (heights - low) / spread, (values - low) / spread
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
    means = sparse.kron(sparse.eye(points), reports[None, :])
    # measured: interior points take half the time of the simplex method, which is there for when they fail
    for method in ("highs-ipm", "highs-ds"):
        found = optimize.linprog(
            (prior[:, None] * reports**2).ravel(),
            A_ub=sparse.vstack([up, down]),
            b_ub=np.zeros(2 * rows.size),
            A_eq=sparse.vstack([sums, means]),
            b_eq=np.concatenate([np.ones(points), answers]),
            method=method,
            options={"primal_feasibility_tolerance": 1e-9, "dual_feasibility_tolerance": 1e-9},
        )
        # solved, and to the tolerance that was asked for; or known to have no solution
        if found.status == 2 or (found.status == 0 and np.abs(found.con).max() < 1e-7):
            break
    if found.status == 2:
        raise Infeasible(f"Values from {values[0]:.6g} to {values[-1]:.6g} cannot follow the query at this ε.")
    if found.status != 0:
        raise invalid("Table", "query", f"one whose program can be solved ({found.message})", f"{points} points")
    variance = spread**2 * (float(found.fun) - float(prior @ answers**2))
    return Program(lattice, values, np.maximum(found.x.reshape(points, letters), 0.0), variance)
