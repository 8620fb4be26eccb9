"""What counted reports add up to: means of queries, and how one report's contributions vary and go together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from geopriv.spaces.checks import FloatArray

MOST = 1 << 12  # estimates of which every two are compared
Blocks = Callable[[], Iterator[tuple[FloatArray, FloatArray]]]  # contributions (m, K), and how often each row came


@dataclass(frozen=True, eq=False)
class Sums:
    """Of the reports to one mechanism, for K queries.

    Args:
        n: reports, at least two.
        means: of the contributions, shape (K,).
        variances: of one report's contributions, with n − 1 in the denominator.
        thirds: their third central moments.
        covariance: of them, shape (K, K); None where that is too large, or was not asked for.
        low: the least contribution that is possible for each query; infinite where there is no bound.
        high: the largest.
        bias: a bound on |bias|, the largest of all queries.
        fewest: reports of a group, where means are weighted by known sizes of groups (`geopriv.answers.pools`); 0 where
            every report counts alike.
    """

    n: int
    means: FloatArray
    variances: FloatArray
    thirds: FloatArray
    covariance: FloatArray | None
    low: FloatArray
    high: FloatArray
    bias: float
    fewest: int = 0

    def part(self, some: slice) -> Sums:
        """Of some of the queries, each for itself."""
        arrays = (self.means, self.variances, self.thirds)
        means, variances, thirds = (array[some] for array in arrays)
        return Sums(self.n, means, variances, thirds, None, self.low[some], self.high[some], self.bias, self.fewest)


def moments_of(
    blocks: Blocks, n: int, size: int, together: bool = True
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray | None]:
    """Means, variances, third moments and, if asked for, covariances; centred first: differences of powers cancel."""
    means = sum((times @ values for values, times in blocks()), start=np.zeros(size)) / n
    square, cube = np.zeros((2, size))
    covariance = np.zeros((size, size)) if together and size <= MOST else None
    for values, times in blocks():
        centred = values - means
        weighted = centred * times[:, None]
        square += (weighted * centred).sum(axis=0)
        cube += (weighted * centred**2).sum(axis=0)
        if covariance is not None:
            covariance += weighted.T @ centred
    return means, square / (n - 1), cube / n, None if covariance is None else covariance / (n - 1)
