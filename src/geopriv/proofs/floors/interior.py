"""A small interior-point method for the relaxed program of a table: its duals, to a few digits, in a second.

Unknowns K_i(y) ≥ 0 with e^gap·K_i ≥ K_{i+1}, e^gap·K_{i+1} ≥ K_i, Σ_y K_i = 1, Σ_y y·K_i = f_i; least Σ π_i·y²·K_i(y).
For each value y the Newton matrix is tridiagonal along the places, and values meet only in two sums for each place; so
a step is a few tridiagonal solves and one of twice as many equations as there are places. General solvers, which know
nothing of that and look for a corner, take ten to thirty times as long.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from geopriv.spaces.checks import FloatArray

_ROUNDS = 60  # most take 30 to 40
_PATIENCE = 4  # of them without a better one
_SHORT = 0.995  # of the way to the border


@dataclass(frozen=True, eq=False)
class Duals:
    """What the method found.

    Args:
        levels: multipliers of Σ_y K_i = 1.
        slopes: multipliers of Σ_y y·K_i = f_i.
        bound: Σλ + Σm·f − Σπ·f².
    """

    levels: FloatArray
    slopes: FloatArray
    bound: float


@dataclass(frozen=True, eq=False)
class Relaxed:
    """The program.

    Args:
        gaps: between places, in units of 1/ε.
        shares: π at the places.
        heights: f there.
        values: that may be reported.
    """

    gaps: FloatArray
    shares: FloatArray
    heights: FloatArray
    values: FloatArray

    def ratios(self, table: FloatArray) -> FloatArray:
        """What must not be negative: e^gap·K_i − K_{i+1}, and the other way round."""
        grow = np.exp(self.gaps)[:, None]
        return np.stack([grow * table[:-1] - table[1:], grow * table[1:] - table[:-1]])

    def ratios_back(self, z: FloatArray) -> FloatArray:
        """The transpose of `ratios`."""
        grow = np.exp(self.gaps)[:, None]
        back = np.zeros((self.heights.size, self.values.size))
        back[:-1] += grow * z[0] - z[1]
        back[1:] += grow * z[1] - z[0]
        return back

    def sums(self, table: FloatArray) -> FloatArray:
        """Totals and means at each place, one after the other."""
        return np.concatenate([table.sum(axis=1), table @ self.values])

    def sums_back(self, duals: FloatArray) -> FloatArray:
        """The transpose of `sums`."""
        levels, slopes = duals.reshape(2, -1)
        return np.asarray(levels[:, None] + slopes[:, None] * self.values)

    def inverses(self, weights: FloatArray) -> FloatArray:
        """For each value the inverse of Gᵀ·W·G, G being `ratios`, shape (values, places, places).

        Each cell adds p, q, q, r to a tridiagonal matrix, with p·r − q² = w₀·w₁·(e^(2·gap) − 1)². What is left of the
        places before i is worth s_i on its diagonal, what is left of those behind it t_i; the inverse is 1/(s_i + t_i)
        there, and falls by −q/(r + t) with each place to the right. Nothing is subtracted, so no digit is lost.
        """
        grow = np.exp(self.gaps)[:, None]
        p, r = grow**2 * weights[0] + weights[1], weights[0] + grow**2 * weights[1]
        q, det = grow * (weights[0] + weights[1]), weights[0] * weights[1] * (grow**2 - 1) ** 2
        before, behind = np.zeros((2, self.heights.size, self.values.size))
        for i in range(self.gaps.size):
            before[i + 1] = (det[i] + before[i] * r[i]) / (p[i] + before[i])
            j = self.gaps.size - 1 - i
            behind[j] = (det[j] + behind[j + 1] * p[j]) / (r[j] + behind[j + 1])
        falls = np.concatenate([np.zeros((1, self.values.size)), np.cumsum(np.log(q / (r + behind[1:])), axis=0)]).T
        falls = np.clip(falls - falls.mean(axis=1, keepdims=True), -300.0, 300.0)
        upper = (np.exp(-falls) / (before + behind).T)[:, :, None] * np.exp(falls)[:, None, :]
        return np.asarray(np.where(np.tri(self.heights.size, dtype=bool).T, upper, upper.transpose(0, 2, 1)))


@dataclass(frozen=True, eq=False)
class _Point:
    """Where the method is: probabilities, their slacks, and the multipliers of ratios and of sums."""

    table: FloatArray
    slacks: FloatArray
    prices: FloatArray
    duals: FloatArray

    @property
    def levels(self) -> FloatArray:
        return self.duals[: self.duals.size // 2]

    @property
    def slopes(self) -> FloatArray:
        return self.duals[self.duals.size // 2 :]

    def moved(self, way: _Point, inside: float, outside: float) -> _Point:
        return _Point(
            self.table + inside * way.table,
            self.slacks + inside * way.slacks,
            self.prices + outside * way.prices,
            self.duals + outside * way.duals,
        )


def relaxed_duals(program: Relaxed, accuracy: float = 2e-3) -> Duals | None:
    """The duals when bound and optimum are within a share of the bound, or else as near as they came; None of nothing.

    Where people are few the last digits are lost to rounding before that; the certificate tells what the duals are
    worth.
    """
    costs = program.shares[:, None] * program.values**2
    wanted = np.concatenate([np.ones(program.heights.size), program.heights])
    squares = float(program.shares @ program.heights**2)
    table = np.full(costs.shape, 1 / program.values.size)
    slacks = np.maximum(program.ratios(table), 1e-2 / program.values.size)
    price = 0.1 * max(1e-3, float(np.abs(costs).mean()))
    at = _Point(table, slacks, np.full(slacks.shape, price), np.zeros(wanted.size))
    best, nearest, since = None, np.inf, 0
    for _ in range(_ROUNDS):
        bound = float(at.duals @ wanted) - squares
        apart = abs(float((costs * at.table).sum()) - squares - bound)
        if apart < nearest and bound > 0 and np.abs(program.sums(at.table) - wanted).max() < 1e-4:
            best, nearest, since = Duals(at.levels, at.slopes, bound), apart, 0
        since += best is not None
        if nearest <= accuracy * bound or since > _PATIENCE:
            return best
        try:
            with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
                at = _stepped(program, at, costs, wanted)
        except (linalg.LinAlgError, ValueError):  # rounding leaves no equations, or no numbers in them
            return best
    return best


def _stepped(program: Relaxed, at: _Point, costs: FloatArray, wanted: FloatArray) -> _Point:
    """One step of Mehrotra's predictor and corrector."""
    off_duals = costs - program.sums_back(at.duals) - program.ratios_back(at.prices)
    off_sums = wanted - program.sums(at.table)
    off_slacks = program.ratios(at.table) - at.slacks
    weights = at.prices / at.slacks
    inverses = program.inverses(weights)
    parts = np.tensordot(program.values[None, :] ** np.arange(3)[:, None], inverses, 1)
    joint = np.block([[parts[0], parts[1]], [parts[1], parts[2]]])
    joint[np.diag_indices(wanted.size)] *= 1 + 1e-12
    factor = linalg.cho_factor(joint, check_finite=False)

    def solved(right: FloatArray) -> FloatArray:
        return np.asarray((inverses @ right.T[:, :, None])[:, :, 0].T)

    def way(target: FloatArray) -> _Point:
        """Newton's direction to where slack times price has moved by `target`."""
        right = program.ratios_back(target / at.slacks - weights * off_slacks) - off_duals
        duals = linalg.cho_solve(factor, off_sums - program.sums(solved(right)))
        table = solved(program.sums_back(duals) + right)
        slacks = program.ratios(table) + off_slacks
        return _Point(table, slacks, (target - at.prices * slacks) / at.slacks, duals)

    product = at.slacks * at.prices
    first = way(-product)
    ahead = at.moved(first, _longest(at.slacks, first.slacks), _longest(at.prices, first.prices))
    centre = product.mean() * ((ahead.slacks * ahead.prices).mean() / product.mean()) ** 3
    second = way(centre - product - first.slacks * first.prices)
    return at.moved(second, _SHORT * _longest(at.slacks, second.slacks), _SHORT * _longest(at.prices, second.prices))


def _longest(where: FloatArray, way: FloatArray) -> float:
    """How far to go, at most 1, until something is 0."""
    falls = way < 0
    return min(1.0, float((-where[falls] / way[falls]).min())) if falls.any() else 1.0
