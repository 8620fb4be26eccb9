"""The linear program behind a table with spare rows (theory T5″).

Unknowns K_i(y) and W_i(y): the probabilities of y in the row and in the spare row of lattice point i. Minimise the
expected square of the report under a prior, subject to sums of 1, given means of all rows, and for each cell and value,
with x = ε·δ, a = K_i, b = K_{i+1}, A = (1 − q)·a + q·W_i and B = (1 − q)·b + q·W_{i+1},

    |2A + B − 3a| ≤ x·a,   |B − a| ≤ x·(2A + B)/3,   |b − A| ≤ x·(A + 2B)/3,   |3b − A − 2B| ≤ x·b:

the Bernstein coefficients of |K'| ≤ x·K on the cell. With W = K these are the conditions of T5, so it is never worse.
Everything here is in units of 1/ε.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from geopriv.mechanisms.table.program import Infeasible, Matrix, least_cost, worth_having
from geopriv.spaces.checks import FloatArray

_LACKING = 1e4  # what a mean that is off by the range of f0 costs, beside squares in these ranges


@dataclass(frozen=True, eq=False)
class SpareTask:
    """What is to be solved.

    Args:
        lattice: increasing coordinates in units of 1/ε.
        heights: f0 there.
        means: of the spare rows.
        chances: q of each cell.
        uses: how often each row and each spare row is used, shape (2, points).
    """

    lattice: FloatArray
    heights: FloatArray
    means: FloatArray
    chances: FloatArray
    uses: FloatArray

    def best(self, values: FloatArray) -> FloatArray:
        """The best probabilities, shape (2, points, values), with only those values that are worth having.

        Raises:
            Infeasible: when the values cannot do it.
        """
        try:
            near = worth_having(self.lattice, self.heights, values)
            near |= (values >= self.means.min()) & (values <= self.means.max())
            found = self.solve(values[near])
        except Infeasible:
            return self.solve(values)
        chances = np.zeros((2, self.lattice.size, values.size))
        chances[..., near] = found
        return chances

    def solve(self, values: FloatArray) -> FloatArray:
        """The best probabilities of some values.

        The mean of a spare row may lack a part of what it differs by from that of its row, at a price that it is not
        worth: so a profile that bends more than its values can follow is followed as far as they can.
        """
        # the solver sees answers between 0 and 1, whatever their unit
        low, spread = self.heights.min(), np.ptp(self.heights) or 1.0
        reports, answers = ((part - low) / spread for part in (values, np.stack([self.heights, self.means])))
        points, size = self.lattice.size, answers.size * values.size
        each, bend = sparse.eye(answers.size), answers[1] - answers[0]
        slack = sparse.vstack([sparse.csr_matrix((3 * points, points)), sparse.diags(bend)])
        rows = sparse.vstack([sparse.kron(each, np.ones((1, values.size))), sparse.kron(each, reports[None, :])])
        squares = (self.uses[..., None] * reports**2).ravel()
        bends = self._bends(values.size)
        found, _ = least_cost(
            np.concatenate([squares, _LACKING * self.uses[1] * np.abs(bend)]),
            sparse.hstack([bends, sparse.csr_matrix((bends.shape[0], points))]).tocsr(),
            sparse.hstack([rows, slack]),
            np.concatenate([np.ones(answers.size), answers.ravel()]),
            values,
        )
        return found[:size].reshape(2, points, values.size)

    def _bends(self, letters: int) -> Matrix:
        """What must be at most 0: ±K' − x·K, coefficient by coefficient.

        Rising, the second coefficient is never the one that binds (measured), nor, falling, the third; what is
        rounded to integers is verified with all of them.
        """
        index = np.arange(2 * self.lattice.size * letters).reshape(2, self.lattice.size, letters)
        size = index[0, 1:].size
        one, where = np.ones(size), np.arange(size)

        def unknown(part: npt.NDArray[np.intp]) -> Matrix:
            return sparse.csr_matrix((one, (where, part.ravel())), (size, index.size))

        a, b, v, w = (unknown(index[k, part]) for k in (0, 1) for part in (slice(None, -1), slice(1, None)))
        q = sparse.diags(np.repeat(self.chances, letters))
        rest = sparse.diags(np.repeat(1 - self.chances, letters))
        x = sparse.diags(np.repeat(np.diff(self.lattice), letters))
        first, second = rest @ a + q @ v, rest @ b + q @ w
        heights = a, (2 * first + second) / 3, (first + 2 * second) / 3, b
        slopes = 2 * first + second - 3 * a, second - a, b - first, 3 * b - first - 2 * second
        rising = [slopes[k] - x @ heights[k] for k in (0, 2, 3)]
        falling = [-slopes[k] - x @ heights[k] for k in (0, 1, 3)]
        return sparse.vstack([*rising, *falling]).tocsr()
