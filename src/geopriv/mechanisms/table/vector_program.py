"""The program behind VectorTable: probabilities of letters, each of which counts something for every one of K queries.

Unknowns are K_i(y), the probability of letter y at lattice point i, and v_y in R^K, what it counts. Minimise
Σ_i π_i Σ_y |v_y|²·K_i(y), in which each query has a weight, subject to Σ_y K_i(y) = 1, Σ_y v_y·K_i(y) = f(s_i) and the
ratios of theory T5. For given v that is a linear program, and its prices λ, m say how to go on: a letter whose
probabilities are as ℓ over the lattice pays for itself if Σ_i (λ_i + m_i·v − π_i·|v|²)·ℓ_i > 0, which is largest for
v = Σ_i m_i·ℓ_i / (2·Σ_i π_i·ℓ_i). So each round adds that v for the letters in use, and for some that fall off on both
sides of a place, and drops idle ones. Nothing gets worse, and where it ends is a local optimum.

Everything here is in units of 1/ε.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import optimize, sparse

from geopriv.mechanisms.table.program import Infeasible
from geopriv.spaces.checks import FloatArray, invalid

_USED = 1e-5  # the largest probability of a letter that is kept for the next round
_SETTLED = 0.01  # by which a round must lower the mean square to be followed by another
_EVERY = 0.25  # between places around which letters are tried
_DIGITS = 6  # of what letters count


@dataclass(frozen=True, eq=False)
class Solved:
    """Probabilities of shape (points, letters), what is left of the mean square, and prices of sums and of means."""

    chances: FloatArray
    square: float
    sums: FloatArray
    means: FloatArray


@dataclass(frozen=True, eq=False)
class Task:
    """What is to be solved.

    Args:
        lattice: increasing, in units of 1/ε; every kink of f is in it.
        heights: f there, shape (points, K).
        prior: shares of the lattice points.
        weights: of the K queries in the mean square that is least, above 0.
    """

    lattice: FloatArray
    heights: FloatArray
    prior: FloatArray
    weights: FloatArray

    def least(self, letters: FloatArray) -> Solved:
        """The best probabilities of some letters, shape (letters, K).

        Raises:
            Infeasible: when the letters cannot do it.
        """
        points, size = self.lattice.size, len(letters)
        cost = self.prior[:, None] * (letters**2 @ self.weights)
        at_most, equal = _ratios(self.lattice, size), _equal(letters, points)
        wanted = np.concatenate([np.ones(points), self.heights.T.ravel()])
        for method in ("highs-ipm", "highs-ds"):
            found = optimize.linprog(
                cost.ravel(), at_most, np.zeros(at_most.shape[0]), equal, wanted, method=method, options=_STRICT
            )
            if found.status == 2 or (found.status == 0 and np.abs(found.con).max() < 1e-7):
                break
        if found.status == 2:
            raise Infeasible("These letters cannot follow the queries at this ε.")
        if found.status != 0:
            raise invalid("VectorTable", "queries", f"such that a program is solved ({found.message})", cost.shape)
        prices = found.eqlin.marginals
        means = prices[points:].reshape(-1, points)
        return Solved(np.maximum(found.x.reshape(cost.shape), 0.0), float(found.fun), prices[:points], means)

    def letters(self, first: FloatArray, rounds: int) -> tuple[FloatArray, FloatArray]:
        """Letters with which the mean square is nearly least, and the largest probability of each.

        Args:
            first: letters that can follow f.
            rounds: in which others are tried, at most.
        """
        letters, last = first, np.inf
        for _ in range(rounds + 1):
            solved = self.least(letters)
            most = solved.chances.max(axis=0)
            used = most > _USED
            kept, most = letters[used], most[used]
            if solved.square > (1 - _SETTLED) * last:
                break
            last, moved = solved.square, self._worth(solved, solved.chances[:, used])
            letters = distinct(np.vstack([kept, moved, self._around(solved)]))
        return kept, most

    def _worth(self, solved: Solved, falls: FloatArray) -> FloatArray:
        """What letters should count whose probabilities are as some columns, shape (letters, K)."""
        return np.asarray((solved.means @ falls / (2 * (self.prior @ falls))).T / self.weights)

    def _around(self, solved: Solved) -> FloatArray:
        """Letters around places, of those that would pay most among their neighbours."""
        worth = self._worth(solved, self._falls)
        mass = self.prior @ self._falls
        paid = solved.sums @ self._falls + ((solved.means @ self._falls) * worth.T).sum(axis=0)
        gain = paid / mass - worth**2 @ self.weights
        inner = (gain[1:-1] > 0) & (gain[1:-1] >= gain[:-2]) & (gain[1:-1] >= gain[2:])
        return np.asarray(worth[1:-1][inner])

    @cached_property
    def _falls(self) -> FloatArray:
        places = np.arange(self.lattice[0], self.lattice[-1], _EVERY)
        return np.asarray(np.exp(-np.abs(self.lattice[:, None] - places)))


_STRICT = {"primal_feasibility_tolerance": 1e-9, "dual_feasibility_tolerance": 1e-9}


def _ratios(lattice: FloatArray, size: int) -> sparse.csr_array:
    """The two conditions of T5 on each cell and letter: at most 0."""
    points = lattice.size
    index = np.arange(points * size).reshape(points, size)
    rows, shape = np.arange((points - 1) * size), ((points - 1) * size, points * size)
    ones = np.ones(rows.size)
    here, there = (sparse.csr_array((ones, (rows, part.ravel())), shape) for part in (index[:-1], index[1:]))
    limits = sparse.diags_array(np.repeat(1 + np.diff(lattice), size))
    return sparse.vstack([there - limits @ here, here - limits @ there]).tocsr()


def _equal(letters: FloatArray, points: int) -> sparse.csr_array:
    """Sums of rows, and the mean of each query at every point."""
    counted = np.vstack([np.ones(len(letters)), letters.T])
    same = sparse.eye_array(points, format="csr")
    return sparse.vstack([sparse.kron(same, row[None, :]) for row in counted]).tocsr()


def distinct(letters: FloatArray) -> FloatArray:
    """Each letter once, in the order of what they count for the first query."""
    return np.asarray(np.unique(np.round(letters, _DIGITS) + 0.0, axis=0))
