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
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import optimize, sparse

from geopriv.errors import GeoprivError
from geopriv.shapes.profiles import Profile
from geopriv.spaces.checks import FloatArray, invalid

_SCALE = 1000.0
_NARROWEST = 1e-4  # over which a profile may rise: reports reach to its inverse, beyond the solver's digits

Matrix = Any  # sparse
Chosen = npt.NDArray[np.bool_]


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


def worth_having(lattice: FloatArray, heights: FloatArray, values: FloatArray, every: int = 3) -> Chosen:
    """Which values the best probabilities use, and their neighbours.

    A relaxed program of a part of the lattice tells; leaving out the others halves the time and does not change the
    optimum in its first six digits.

    Args:
        lattice: increasing coordinates in units of 1/ε.
        heights: f0 there.
        values: what may be reported.
        every: how many lattice points one stands for.

    Raises:
        Infeasible: when the values cannot do it.
    """
    bend = np.abs(np.diff(np.diff(heights) / np.diff(lattice), prepend=0.0, append=0.0))
    some = (np.arange(lattice.size) % every == 0) | (bend > 0.2 * bend.max())
    some[[0, -1]] = True
    first = solve(lattice[some], heights[some], values, uniform(lattice[some]), relaxed=True)
    used = first.probabilities.max(axis=0) > 1e-6
    return np.asarray(used | np.append(used[1:], False) | np.insert(used[:-1], 0, False))


def best(lattice: FloatArray, heights: FloatArray, values: FloatArray, prior: FloatArray) -> Program:
    """The best probabilities that are linear between lattice points."""
    try:
        near = worth_having(lattice, heights, values, every=5)
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
    chances, least = least_cost(
        (prior[:, None] * reports**2).ravel(),
        sparse.vstack([up, down]),
        sparse.vstack([sums, means]),
        np.concatenate([np.ones(points), answers]),
        values,
    )
    variance = spread**2 * (least - float(prior @ answers**2))
    return Program(lattice, values, chances.reshape(points, letters), variance)


def least_cost(
    cost: FloatArray, at_most: Matrix, equal: Matrix, sums: FloatArray, values: FloatArray
) -> tuple[FloatArray, float]:
    """Numbers of the least cost that are at least 0, with at_most·K ≤ 0 and equal·K = sums; and that cost.

    The solver's tolerances are absolute and it sees all numbers a thousandfold, so a millionth of a millionth is right.

    Raises:
        Infeasible: when there are none.
    """
    # measured: interior points take half the time of the simplex method, which is there for when they fail
    for method in ("highs-ipm", "highs-ds"):
        found = optimize.linprog(
            cost,
            A_ub=at_most,
            b_ub=np.zeros(at_most.shape[0]),
            A_eq=equal,
            b_eq=_SCALE * sums,
            method=method,
            options={"primal_feasibility_tolerance": 1e-9, "dual_feasibility_tolerance": 1e-9},
        )
        # solved, and to the tolerance that was asked for; or known to have no solution
        if found.status == 2 or (found.status == 0 and np.abs(found.con).max() < 1e-7 * _SCALE):
            break
    if found.status == 2:
        raise Infeasible(f"Values from {values[0]:.6g} to {values[-1]:.6g} cannot follow the query at this ε.")
    if found.status != 0:
        raise invalid("Table", "query", f"one whose program can be solved ({found.message})", f"{cost.size} unknowns")
    return np.asarray(np.maximum(found.x / _SCALE, 0.0)), float(found.fun) / _SCALE
