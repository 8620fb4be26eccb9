"""What counted reports add up to: means of queries, and how one report's contributions vary and go together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from geopriv.mechanisms.roughness import Roughness
from geopriv.spaces.checks import FloatArray

MOST = 1 << 12  # estimates of which every two are compared
_TINY = 1e-280  # variances below are 0
_HITS = 4.0  # reports of the largest size that count as seen: with fewer, the skewness of a sample says nothing
Blocks = Callable[[], Iterator[tuple[FloatArray, FloatArray]]]  # contributions (m, K), and how often each row came


@dataclass(frozen=True, eq=False)
class Sums:
    """Of the reports to one mechanism, for K queries.

    Args:
        n: reports, at least two.
        means: of the contributions, shape (K,).
        variances: of one report's contributions, with n − 1 in the denominator.
        thirds: their third central moments.
        covariance: of them, shape (K, K), or of a map how its errors change from place to place; None where neither is
            known or asked for.
        low: the least contribution that is possible for each query; infinite where there is no bound.
        high: the largest.
        bias: a bound on |bias|, the largest of all queries.
        fewest: reports of a group, where means are weighted by known sizes of groups (`geopriv.answers.pools`); 0 where
            every report counts alike.
        blocks: the contributions themselves, for who looks at them again; None where only sums are known.
    """

    n: int
    means: FloatArray
    variances: FloatArray
    thirds: FloatArray
    covariance: FloatArray | Roughness | None
    low: FloatArray
    high: FloatArray
    bias: float
    fewest: int = 0
    blocks: Blocks | None = None

    @property
    def leverage(self) -> float:
        """By how much one made-up report moves one of the means at most: the range over n; infinite without bounds."""
        return float((self.high - self.low).max()) / self.n

    def part(self, some: slice) -> Sums:
        """Of some of the queries, each for itself."""
        arrays = (self.means, self.variances, self.thirds)
        means, variances, thirds = (array[some] for array in arrays)
        ends, whole = (self.low[some], self.high[some]), self.blocks
        blocks = None if whole is None else lambda: ((values[:, some], times) for values, times in whole())
        return Sums(self.n, means, variances, thirds, None, *ends, self.bias, self.fewest, blocks)


@dataclass(frozen=True, eq=False)
class Moments:
    """Of what a report adds, for people at points.

    Args:
        means: of each person.
        squares: mean squares of each.
        cubes: mean cubes of each.
        spread: the largest less the least that a report adds.
    """

    means: FloatArray
    squares: FloatArray
    cubes: FloatArray
    spread: float


def repeated(values: FloatArray, times: FloatArray) -> Blocks:
    """One block of contributions, as often as it is looked at.

    >>> next(repeated(np.zeros((2, 1)), np.ones(2))())[1].tolist()
    [1.0, 1.0]
    """
    return lambda: iter([(values, times)])


def band_half(reach: float, sums: Sums) -> FloatArray:
    """Half the width of a band at each of its points: reach·(standard error) + 7/6·reach²·ρ/(n − 1).

    Many standard errors out, and where few people are, estimates are not normal: where nobody reported, the standard
    error is 0, and the truth is not. The second term is that of the empirical Bernstein bound, whose L = ln(3/δ) is
    reach²/2 for a normal tail. There it is for ρ = R, the range of contributions; here ρ is the third central moment
    over the variance, which is at most R and says how lopsided they are, as it would be with 4 more reports of size R.
    So it is R where reports are few, and where they are many it is what the next order of the normal law asks for.
    The term vanishes against the first like 1/√n.

    The second term is a heuristic: it has the form of a proven one and another ρ, and that the band covers with few
    reports was measured (docs/errors.md), not proven. `geopriv.answers.bands.proven_band` is.

    Args:
        reach: normal standard errors on each side, of one interval or of a band (`geopriv.answers.bands`).
        sums: of the reports to one mechanism.
    """
    size = np.where(np.isfinite(sums.high - sums.low), sums.high - sums.low, 0.0)
    above = sums.n * np.abs(sums.thirds) + _HITS * size**3
    ratio = above / np.maximum(sums.n * sums.variances + _HITS * size**2, _TINY)
    return np.asarray(reach * np.sqrt(sums.variances / sums.n) + 7 / 6 * reach**2 * ratio / (np.maximum(sums.n - 1, 1)))


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
        if covariance is not None:
            covariance += weighted.T @ centred
        weighted *= centred
        square += weighted.sum(axis=0)
        weighted *= centred
        cube += weighted.sum(axis=0)
    return means, square / (n - 1), cube / n, None if covariance is None else covariance / (n - 1)
