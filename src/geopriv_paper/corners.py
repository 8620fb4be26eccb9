"""Two-way thresholds: what every mechanism does to one household, exactly, for all 1,156 pairs of thresholds."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from scipy import special

from geopriv.mechanisms import Lattice, Table
from geopriv.mechanisms.lattice.moments import interpolant, mean_square
from geopriv.proofs.floors.single import floor_along
from geopriv.queries import Orthant
from geopriv.smooth import Additive, LeastScaleT, LipschitzLaplace, LocalLaplace, SmoothT
from geopriv.spaces import Plane
from geopriv.spaces.checks import FloatArray
from geopriv_paper.datasets import Households
from geopriv_paper.household_law import CornerLaw, GridLaw
from geopriv_paper.moments import Moments
from geopriv_paper.settings import TWO_WAY_DISTANCE, TWO_WAY_GRID

SPACE = Plane("USD")
GRID = np.array(TWO_WAY_GRID, dtype=np.float64)
PAIRS = np.stack(np.meshgrid(GRID, GRID, indexing="ij"), axis=-1).reshape(-1, 2)
BLURS = (0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.8, 1.0)  # bandwidths that are compared, in units of 1/ε
_STEP, _TOP = 5_000.0, 1_200_000.0  # of the grid on which functions of one axis are averaged, USD
_RADII = 24  # Gauss–Legendre nodes for the spread of planar Laplace noise
_FAR = 40  # in units of 1/ε: e^(−40/√2) is 5e-13
_TABLE_WIDTHS = (2.0, 0.5)  # in units of 1/ε: a table for each width of the paper would take minutes

Calibrate = Callable[[Orthant, float], Additive | Table]

ANSWERS: dict[str, Calibrate] = {
    "M2": LipschitzLaplace.calibrate,
    "M3": SmoothT.calibrate,
    "LDP": lambda query, rate: LocalLaplace.calibrate(query, rate, TWO_WAY_DISTANCE),
    "LeastScaleT": LeastScaleT.calibrate,
    "Table": Table.calibrate,
}
"""Mechanisms that answer one query a report."""


def width_of(name: str, at: FloatArray, inverse_rate: float) -> FloatArray:
    """The width τ of the band, for thresholds (..., 2).

    It is the paper's min(0.2·‖T‖, 2/ε). A Table has 2/ε where the paper has it too, and 1/2ε elsewhere.
    """
    paper = np.minimum(0.2 * np.hypot(at[..., 0], at[..., 1]), 2.0 * inverse_rate)
    if name != "Table":
        return np.asarray(paper)
    wide, narrow = (width * inverse_rate for width in _TABLE_WIDTHS)
    return np.where(paper >= wide, wide, narrow)


@dataclass(frozen=True)
class Corners:
    """Exact moments for one rate.

    Args:
        law: of incomes and debts.
        inverse_rate: 1/ε.
    """

    law: Households
    inverse_rate: float

    @property
    def rate(self) -> float:
        """The rate ε, per USD."""
        return 1 / self.inverse_rate

    @cached_property
    def share(self) -> FloatArray:
        """Of households above both thresholds, for every pair."""
        return self._grid.means(self._hard, self._hard).ravel()

    @cached_property
    def soft(self) -> Moments:
        """The soft threshold f_τ itself, without noise."""
        return self._answers("f_tau", lambda query: np.zeros_like)

    @cached_property
    def floor(self) -> FloatArray:
        """Below which the expected variance of no unbiased report of f_τ can be (theory T7)."""
        return self._answers("floor", lambda query: floor_along(query, self.rate)).noise

    def answers(self, name: str) -> Moments:
        """Noise on the answer of f_τ, by name."""
        return self._answers(name, lambda query: ANSWERS[name](query, self.rate).variance_at)

    def _answers(self, name: str, variance: Callable[[Orthant], Callable[[FloatArray], FloatArray]]) -> Moments:
        mean, square, above, share, noise = np.empty((5, len(PAIRS)))
        widths = width_of(name, PAIRS, self.inverse_rate)
        for width in np.unique(widths):
            own = widths == width
            law = _corner_law(self.law, tuple(map(tuple, PAIRS[own].tolist())), float(width), self.inverse_rate)
            query = Orthant((0.0, 0.0), float(width), SPACE)  # the others are this one moved
            f = query.profile(law.s)
            mean[own], square[own], above[own] = law.weights @ f, law.weights @ f**2, law.above @ f
            share[own] = law.above.sum(axis=1)
            noise[own] = law.weights @ variance(query)(law.s)
        return Moments(mean - share, noise, square - mean**2 + noise, above - mean * share, share * (1 - share))

    @cached_property
    def plain(self) -> Moments:
        """M0: the hard threshold of a noisy point.

        Planar Laplace noise is a Gaussian of random variance V = 2G/ε² with G ~ Gamma(3/2) on both axes, so given V the
        chance to be seen above both thresholds is Φ((x₁ − a)/√V)·Φ((x₂ − b)/√V).
        """
        grid, hard = self._grid, self._hard
        nodes, weights = np.polynomial.legendre.leggauss(_RADII)
        root = 3.2 * (nodes + 1)  # √G, which is above 6.4 with probability 1e-17
        weights = weights * root**2 * np.exp(-(root**2))
        share = grid.means(hard, hard)
        seen, kept = np.zeros_like(share), np.zeros_like(share)
        for r, weight in zip(root, weights / weights.sum(), strict=True):
            one = special.ndtr((grid.nodes - GRID[:, None]) / (math.sqrt(2) * r * self.inverse_rate))
            seen, kept = seen + weight * grid.means(one, one), kept + weight * grid.means(one * hard, one * hard)
        return _flat(seen - share, np.full_like(share, np.nan), seen * (1 - seen), kept - seen * share, share)

    def lattice(self, blur: float) -> Moments:
        """One grid report for all pairs, corners blurred by a Gaussian of blur/ε.

        Rounding and noise of the axes are independent, so the moments of a report are products over axes given x.
        """
        grid, hard, mechanism = self._grid, self._hard, lattice(self.inverse_rate)
        near = np.minimum(grid.nodes, GRID[-1] + _FAR * self.inverse_rate)  # beyond, everything is as there
        lower, part = mechanism.place(np.stack([near] * 2, axis=-1))
        here = lower[:, :1], part[:, :1]  # both axes have the same cells
        squares, means = np.empty((2, GRID.size, grid.nodes.size))
        for k, at in enumerate(GRID):

            def along(cells: FloatArray, at: float = float(at)) -> FloatArray:
                return np.asarray(special.ndtr((mechanism.step * cells[:, 0] - at) * self.rate / blur))

            squares[k] = mean_square(along, *here, mechanism.ratio, mechanism.curvature)
            means[k] = interpolant(along, *here)
        share, mean, square = grid.means(hard, hard), grid.means(means, means), grid.means(squares, squares)
        noise = square - grid.means(means**2, means**2)
        above = grid.means(means * hard, means * hard)
        return _flat(mean - share, noise, square - mean**2, above - mean * share, share)

    def best_lattice(self, people: int) -> tuple[float, Moments]:
        """The blur of the least expected error under the published law, which is public, and its moments."""
        tried = {blur: self._lattices[blur] for blur in BLURS}
        blur = min(tried, key=lambda one: float(tried[one].squared_errors(people).mean()))
        return blur, tried[blur]

    @cached_property
    def _lattices(self) -> dict[float, Moments]:
        return {blur: self.lattice(blur) for blur in BLURS}

    @property
    def _grid(self) -> GridLaw:
        return _grid_law(self.law)

    @property
    def _hard(self) -> FloatArray:
        return (self._grid.nodes > GRID[:, None]).astype(np.float64)


def lattice(inverse_rate: float) -> Lattice:
    """The grid report: noise of its own on each axis, along which the corners' edges lie, and steps of 0.1/ε."""
    return Lattice.calibrate(SPACE, 1 / inverse_rate, step=0.1 * inverse_rate, noise="product")


def _flat(
    bias: FloatArray, noise: FloatArray, report: FloatArray, covariance: FloatArray, share: FloatArray
) -> Moments:
    truth = share * (1 - share)
    return Moments(*(np.ravel(each) for each in (bias, noise, report, covariance, truth)))


@lru_cache(maxsize=1)
def _grid_law(law: Households) -> GridLaw:
    return GridLaw.of(law, _STEP, _TOP)


@lru_cache(maxsize=128)
def _corner_law(law: Households, at: tuple[tuple[float, ...], ...], width: float, scale: float) -> CornerLaw:
    return CornerLaw.of(law, np.array(at), width, scale)
