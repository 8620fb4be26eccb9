"""Bands: how wide intervals must be for all of a curve or a map to be inside at once."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from scipy import linalg, optimize, special

from geopriv.answers.intervals import bernstein_reach, normal_reach, sidak_reach
from geopriv.mechanisms.roughness import Roughness
from geopriv.mechanisms.sums import Sums
from geopriv.spaces.checks import FloatArray

_FEWEST, _MOST = 2_000, 20_000  # draws
_NUMBERS = 1 << 23  # normal numbers that are enough in all
_SEED = 1  # of the draws: the same counts give the same band
_SURE = 0.99  # that the critical value is no smaller than that of infinitely many draws
_JITTER = 1e-7  # of a variance, so that rounding leaves correlations positive definite
_FARTHEST = 40.0  # standard errors
_TINY = 1e-280  # variances below are 0


def band_reach(covariances: Iterable[FloatArray | Roughness | None], size: int, confidence: float) -> float:
    """Standard errors on each side, so that all intervals hold at once with the confidence.

    The statistic is sup |estimate − truth|/standard error. Along a curve its law is drawn by the Gaussian multiplier
    bootstrap: every report's centred contributions, times a standard normal number, added up. Given the reports these
    sums are normal with the covariances of the sample, so they are drawn as such, from the factor of a K × K matrix,
    and not from the reports. Of 2,000 to 20,000 draws (seed 1) an order statistic is taken that is too small with a
    probability of 1 %. On a map the same sums are a smooth Gaussian field, and its law far out has a formula
    (`geopriv.mechanisms.roughness`), of all places and not only of the points: nothing is drawn. Where Šidák's value is
    smaller, that one is taken: for normal estimates it is valid for every correlation.

    What is proven: for a given number of estimates, the confidence in the limit of many reports; on a map up to what
    the formula leaves out, which falls exponentially in the square of the reach. For a finite number nothing is:
    coverage was measured (docs/errors.md). `proven_band` holds for every number, and is longer.

    Args:
        covariances: of the contributions to the mechanisms that answer, one matrix for each, since their people differ,
            or the roughness of a map; None for a matrix that is too large, for which Šidák's value is taken.
        size: estimates in all.
        confidence: of the band.

    Reference: V. Chernozhukov, D. Chetverikov, K. Kato, Annals of Statistics 41 (2013).

    >>> alike, apart = np.ones((50, 50)), np.eye(50)
    >>> [round(band_reach([matrix], 50, 0.95), 2) for matrix in (alike, apart)]
    [1.99, 3.28]
    """
    least, cap, parts = normal_reach(confidence), sidak_reach(confidence, size), list(covariances)
    fields = [part for part in parts if part is not None and not isinstance(part, np.ndarray)]
    if fields:
        return min(max(_high(fields, 1 - confidence), least), cap) if len(fields) == len(parts) else cap
    matrices = [part for part in parts if isinstance(part, np.ndarray)]
    draws = min(max(_NUMBERS // size, _FEWEST), _MOST)
    place = math.ceil(special.bdtrik(_SURE, draws, confidence))  # so many may lie below the critical value
    if place >= draws or len(matrices) < len(parts):
        return cap
    rng, largest = np.random.default_rng(_SEED), np.zeros(draws, dtype=np.float32)
    for part in matrices:
        factor = _factor(part)
        if factor is None:
            return cap
        scores = rng.standard_normal((draws, len(factor)), dtype=np.float32) @ factor.T
        largest = np.maximum(largest, np.abs(scores).max(axis=1, initial=0.0))
    return min(max(float(np.sort(largest)[place]), least), cap)


def _high(fields: list[Roughness], rare: float) -> float:
    """The number above which the largest error of independent maps is so rarely; their chances add up."""

    def surplus(reach: float) -> float:
        return sum(field.chance(reach) for field in fields) - rare

    if surplus(1.0) < 0:  # below, places above are not rare, and the formula says nothing
        return 1.0
    return float(optimize.brentq(surplus, 1.0, _FARTHEST))


def proven_band(sums: Sums, size: int, confidence: float) -> FloatArray:
    """Half the width of a band that holds for every n ≥ 2 and whatever the law, at each of its points.

    The empirical Bernstein bound with δ/size for each point, L = ln(3·size/δ): all hold at once with probability of at
    least 1 − δ, since the probabilities that one fails add up. It is √(2·L) standard errors and a term of order 1/n:
    4.51 of them for 441 points at 95 %, where `band_reach` takes at most 3.86.

    Args:
        sums: of the reports to one mechanism; infinite where contributions have no bounds.
        size: points of the band in all, of every mechanism.
        confidence: of the band.

    Reference: `geopriv.answers.intervals.bernstein_reach`.
    """
    each = 1 - (1 - confidence) / size
    return bernstein_reach(sums.variances, sums.n, sums.high - sums.low, each, sums.fewest)


def _factor(covariance: FloatArray) -> np.ndarray[tuple[int, int], np.dtype[np.float32]] | None:
    """A with A·Aᵀ the correlations; None where rounding has spoilt them. Estimates without a variance are left out."""
    variances = np.diag(covariance)
    kept = np.flatnonzero(variances > _TINY)
    deviations = np.sqrt(variances[kept])
    correlation = covariance[np.ix_(kept, kept)] / deviations / deviations[:, None]
    correlation[np.diag_indices(len(kept))] = 1 + _JITTER
    try:
        return np.asarray(linalg.cholesky(correlation, lower=True, overwrite_a=True), dtype=np.float32)
    except linalg.LinAlgError:
        return None
