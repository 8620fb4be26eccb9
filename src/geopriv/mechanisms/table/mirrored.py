"""The linear program behind BracketTable: the best probabilities for reports that hold a sharp share between two means.

A letter y counts a_y for the inner mean, b_y for the outer and v_y for the soft one. With probabilities K_i(y) at
lattice points, f₋(s_i) = Σ a_y·K_i(y) must be at most 0 up to the border and at most 1 beyond it, f₊(s_i), the same
of b, at least 1 from the border on and at least 0 before it, and Σ v_y·K_i(y) = f0(s_i). It minimises half of the
bracket,

    H = ½·E(f₊ − f₋) + z/2·(√(V₋/n) + √(V₊/n)),

for n people who are nowhere denser than a given density, and who are elsewhere on either side alike. H is concave in K
(a root of a variance), so a program of its slope at one K finds a K that is no worse: a few rounds settle.

All this is alike from both sides of the border: (a, b, v) at s is (1 − b, 1 − a, 1 − v) at −s. So half of the letters
are unknown, and H = ½ − E f₋ + z·√(V₋/n).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import optimize, sparse

from geopriv.mechanisms.table.program import Infeasible
from geopriv.spaces.checks import FloatArray, invalid

Z = 1.959963984540054  # of a 95 % interval
_SOFT = 0.3  # what a point of the soft interval counts beside one of the bracket: H loses less than 1 % by it
_ROUNDS = 4
_SETTLED = 1e-3  # of H: rounds that gain less are the last

Matrix = Any  # sparse


@dataclass(frozen=True, eq=False)
class Letters:
    """What each letter counts, as three arrays of one length."""

    inner: FloatArray
    outer: FloatArray
    soft: FloatArray

    def among(self, which: npt.NDArray[np.bool_]) -> Letters:
        """Some of them."""
        return Letters(self.inner[which], self.outer[which], self.soft[which])

    @property
    def columns(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Inner, outer and soft."""
        return self.inner, self.outer, self.soft

    @property
    def mirrored(self) -> Letters:
        """What they count from the other side of the border."""
        return Letters(1 - self.outer, 1 - self.inner, 1 - self.soft)


@dataclass(frozen=True, eq=False)
class Mirrored:
    """Probabilities of letters; those of their mirror images are the same with the rows turned round.

    Args:
        probabilities: shape (points, letters).
        half_width: H.
        mean: of what one report counts for the inner mean.
        variance: of the same, noise and people together.
        soft: the variance of what one report counts for the soft mean.
    """

    probabilities: FloatArray
    half_width: float
    mean: float
    variance: float
    soft: float


@dataclass(frozen=True, eq=False)
class Rules:
    """What probabilities must keep: at_most·K ≤ limits and equal·K = sums."""

    at_most: Matrix
    limits: FloatArray
    equal: Matrix
    sums: FloatArray


@dataclass(frozen=True, eq=False)
class Task:
    """What is to be solved: a lattice that is symmetric about the border at 0, in units of 1/ε; f0 there; and for whom.

    Args:
        lattice: increasing, with −s for every s, and 0.
        heights: f0 there, rising from 0 to 1.
        prior: shares of the lattice points, alike on both sides.
        people: n.
    """

    lattice: FloatArray
    heights: FloatArray
    prior: FloatArray
    people: float

    def least(self, letters: Letters, variance: float, rounds: int = _ROUNDS) -> Mirrored:
        """The best probabilities of some letters, in a few rounds.

        Args:
            letters: one of each pair of mirror images; an image of itself counts as two.
            variance: a guess of V₋.
            rounds: at most.

        Raises:
            Infeasible: when the letters cannot do it.
        """
        rules = self._rules(letters)
        best = self._round(letters, rules, 0.5, variance, 0.25)
        for _ in range(rounds - 1):
            last, best = best, self._round(letters, rules, best.mean, best.variance, best.soft)
            if best.half_width > (1 - _SETTLED) * last.half_width:
                break
        return best

    def _round(self, letters: Letters, rules: Rules, mean: float, variance: float, soft: float) -> Mirrored:
        """The least of H's slope at a mean and two variances."""
        inner, image = letters.inner, 1 - letters.outer
        steep, mild = (Z / (2 * math.sqrt(v * self.people)) for v in (variance, soft))
        squares = self._both(letters.soft**2, (1 - letters.soft) ** 2)
        cost = self._both(steep * inner * (inner - 2 * mean) - inner, steep * image * (image - 2 * mean) - image)
        chances = _least(cost + _SOFT * mild * squares, rules)
        mean = float((self._both(inner, image) * chances).sum())
        variance = float((self._both(inner**2, image**2) * chances).sum()) - mean**2
        half = 0.5 - mean + Z * math.sqrt(variance / self.people)
        return Mirrored(chances, half, mean, variance, float((squares * chances).sum()) - 0.25)

    def _both(self, here: FloatArray, there: FloatArray) -> FloatArray:
        """What a probability adds to an expectation: its letter where it is, and the image on the other side."""
        return np.asarray(self.prior[:, None] * here + self.prior[::-1, None] * there)

    def _rules(self, letters: Letters) -> Rules:
        """Ratios of neighbours, f₋ below its limits, sums of 1, and f0 beyond the border."""
        points, size = self.lattice.size, letters.inner.size
        index = np.arange(points * size).reshape(points, size)
        rows, shape = np.arange((points - 1) * size), ((points - 1) * size, points * size)
        ones = np.ones(rows.size)
        here, there = (sparse.csr_array((ones, (rows, part.ravel())), shape) for part in (index[:-1], index[1:]))
        limits = sparse.diags_array(np.repeat(1 + np.diff(self.lattice), size))
        same = sparse.eye_array(points, format="csr")
        turned = same[::-1]

        def means(mine: FloatArray, image: FloatArray) -> Matrix:
            return (sparse.kron(same, mine[None, :]) + sparse.kron(turned, image[None, :])).tocsr()

        low = means(letters.inner, 1 - letters.outer)
        beyond = self.lattice > 0
        one = np.ones(size)
        return Rules(
            sparse.vstack([there - limits @ here, here - limits @ there, low]),
            np.concatenate([np.zeros(2 * rows.size), np.where(beyond, 1.0, 0.0)]),
            sparse.vstack([means(one, one)[self.lattice >= 0], means(letters.soft, 1 - letters.soft)[beyond]]),
            np.concatenate([np.ones(points - points // 2), self.heights[beyond]]),
        )


def _least(cost: FloatArray, rules: Rules) -> FloatArray:
    """Probabilities of the least cost, of the shape of the cost."""
    for method in ("highs-ipm", "highs-ds"):
        found = optimize.linprog(
            cost.ravel(),
            A_ub=rules.at_most,
            b_ub=rules.limits,
            A_eq=rules.equal,
            b_eq=rules.sums,
            method=method,
            options={"primal_feasibility_tolerance": 1e-9, "dual_feasibility_tolerance": 1e-9},
        )
        if found.status == 2 or (found.status == 0 and np.abs(found.con).max() < 1e-7):
            break
    if found.status == 2:
        raise Infeasible("These letters cannot follow the query at this ε.")
    if found.status != 0:
        raise invalid("BracketTable", "query", f"one whose program can be solved ({found.message})", f"{cost.shape}")
    return np.asarray(np.maximum(found.x.reshape(cost.shape), 0.0))
