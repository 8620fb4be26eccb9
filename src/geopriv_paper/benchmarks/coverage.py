"""Do intervals hold as often as they say? Surveys of people drawn at random, as counts from the exact law of a report.

Every function gives, for each simulated survey, how far the estimates are from the truth in half lengths of their
intervals: an interval holds where that is at most 1, and one that is 10 % too narrow where it is at most 0.9.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from geopriv.answers.bands import band_reach
from geopriv.answers.intervals import bernstein_reach, normal_reach
from geopriv.mechanisms import Lattice, Table
from geopriv.mechanisms.lattice.moments import smoothed
from geopriv.mechanisms.sums import Sums, band_half
from geopriv.queries import Query
from geopriv.spaces.checks import FloatArray

_RARE = 1e-13  # reports that are less likely are left out
_BLOCK = 1 << 22  # counts that are held at once


@dataclass(frozen=True, eq=False)
class Law:
    """The law of the report of a person drawn at random, and what reports add to the means of K queries.

    Args:
        rows: reports, shape (m, axes).
        shares: how likely each is, shape (m,).
        contributions: shape (m, K).
        truth: the queries' means over all people, shape (K,).
        spread: the largest less the least contribution, shape (K,).
    """

    rows: npt.NDArray[np.int64]
    shares: FloatArray
    contributions: FloatArray
    truth: FloatArray
    spread: FloatArray

    def surveys(self, n: int, number: int, rng: np.random.Generator) -> Iterator[FloatArray]:
        """Counts of reports of n people each, in blocks of shape (surveys, m)."""
        block = max(1, _BLOCK // len(self.shares))
        for start in range(0, number, block):
            yield rng.multinomial(n, self.shares, min(block, number - start)).astype(np.float64)


def table_law(table: Table, values: FloatArray, weights: FloatArray) -> Law:
    """The law of a table's reports, for people who hold values with weights that add up to 1."""
    shares = weights @ table.probabilities(table.query.coordinate(values))
    rows = np.arange(table.values.size)[:, None]
    truth = np.array([weights @ table.query(values)])
    return Law(rows, shares / shares.sum(), table.values[:, None], truth, np.array([np.ptp(table.values)]))


def lattice_law(lattice: Lattice, values: FloatArray, weights: FloatArray, queries: Sequence[Query]) -> Law:
    """The law of a lattice's cells, and what they add to the means of queries that have bounds."""
    first, mass = placed(lattice, lattice.space.read(values), weights)
    mass = smoothed(mass, lattice.ratio)
    kept = np.stack(np.nonzero(mass > _RARE), axis=1)
    shares = mass[tuple(kept.T)]
    cells = kept + first
    contributions = np.stack([lattice.at_cells(cells, query) for query in queries], axis=1)
    truth = np.array([weights @ query(values) for query in queries])
    bounds = np.array([lattice.undoing.bounds(query) for query in queries], dtype=np.float64)
    return Law(cells.astype(np.int64), shares / shares.sum(), contributions, truth, np.ptp(bounds, axis=1))


def placed(lattice: Lattice, points: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The lowest cell, and how likely people are at each before there is noise, with room for noise around them."""
    d = lattice.space.dimension
    lower, share = (part.reshape(-1, d) for part in lattice.place(points))
    pad = math.ceil(math.log(_RARE) / math.log(lattice.ratio))
    first = lower.min(axis=0) - pad
    shape = tuple((lower.max(axis=0) + pad + 2 - first).astype(int).tolist())
    mass = np.zeros(math.prod(shape))
    for corner in product((0, 1), repeat=d):
        up = np.asarray(corner)
        there = np.ravel_multi_index(tuple((lower - first + up).astype(int).T), shape)
        mass += np.bincount(there, weights * np.where(up > 0, share, 1 - share).prod(axis=1), mass.size)
    return first, mass.reshape(shape)


def normal_ratios(law: Law, n: int, number: int, confidence: float, rng: np.random.Generator) -> FloatArray:
    """|Estimate − truth| over half the normal interval, shape (surveys, K)."""
    parts = []
    for counts in law.surveys(n, number, rng):
        means, variances = _moments(law, counts, n)
        parts.append(_ratio(means - law.truth, normal_reach(confidence) * np.sqrt(variances / n)))
    return np.concatenate(parts)


def finite_ratios(law: Law, n: int, number: int, confidence: float, rng: np.random.Generator) -> FloatArray:
    """|Estimate − truth| over half the empirical Bernstein interval, shape (surveys, K)."""
    parts = []
    for counts in law.surveys(n, number, rng):
        means, variances = _moments(law, counts, n)
        parts.append(_ratio(means - law.truth, bernstein_reach(variances, n, law.spread, confidence)))
    return np.concatenate(parts)


def band_ratios(law: Law, n: int, number: int, confidence: float, rng: np.random.Generator) -> FloatArray:
    """The largest |estimate − truth| over half the band's width there, shape (surveys,)."""
    parts = []
    for block in law.surveys(n, number, rng):
        for counts in block:
            seen = np.flatnonzero(counts)
            means = counts[seen] @ law.contributions[seen] / n
            centred = law.contributions[seen] - means
            weighted = centred * counts[seen, None]
            square = weighted.T @ centred / (n - 1)
            thirds = (weighted * centred**2).sum(axis=0) / n
            sums = Sums(n, means, np.diag(square), thirds, square, np.zeros_like(means), law.spread, 0.0)
            half = band_half(band_reach([square], len(means), confidence), sums)
            parts.append(_ratio(means - law.truth, half).max())
    return np.array(parts)


def _moments(law: Law, counts: FloatArray, n: int) -> tuple[FloatArray, FloatArray]:
    means = counts @ law.contributions / n
    squares = counts @ law.contributions**2 / n
    return means, np.maximum(squares - means**2, 0.0) * (n / (n - 1))


def _ratio(error: FloatArray, half: FloatArray) -> FloatArray:
    """Infinite for an interval without length that misses."""
    return np.abs(error) / np.maximum(half, 1e-300)
