"""Bands: how wide intervals must be for all of a curve or a map to be inside at once."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from scipy import linalg, special

from geopriv.answers.intervals import normal_reach, sidak_reach
from geopriv.mechanisms.sums import Sums
from geopriv.spaces.checks import FloatArray

_FEWEST, _MOST = 2_000, 20_000  # draws
_NUMBERS = 1 << 23  # normal numbers that are enough in all
_SEED = 1  # of the draws: the same counts give the same band
_SURE = 0.99  # that the critical value is no smaller than that of infinitely many draws
_JITTER = 1e-7  # of a variance, so that rounding leaves correlations positive definite
_TINY = 1e-280  # variances below are 0
_HITS = 4.0  # reports of the largest size that count as seen: with fewer, the skewness of a sample says nothing


def band_half(reach: float, sums: Sums) -> FloatArray:
    """Half the width of a band at each of its points: reach·(standard error) + 7/6·reach²·ρ/(n − 1).

    Many standard errors out, and where few people are, estimates are not normal: where nobody reported, the standard
    error is 0, and the truth is not. The second term is that of the empirical Bernstein bound, whose L = ln(3/δ) is
    reach²/2 for a normal tail. There it is for ρ = R, the range of contributions; here ρ is the third central moment
    over the variance, which is at most R and says how lopsided they are, as it would be with 4 more reports of size R.
    So it is R where reports are few, and where they are many it is what the next order of the normal law asks for.
    The term vanishes against the first like 1/√n.

    Args:
        reach: from `band_reach`.
        sums: of the reports to one mechanism.
    """
    size = np.where(np.isfinite(sums.high - sums.low), sums.high - sums.low, 0.0)
    above = sums.n * np.abs(sums.thirds) + _HITS * size**3
    ratio = above / np.maximum(sums.n * sums.variances + _HITS * size**2, _TINY)
    return np.asarray(reach * np.sqrt(sums.variances / sums.n) + 7 / 6 * reach**2 * ratio / (sums.n - 1))


def band_reach(covariances: Iterable[FloatArray | None], size: int, confidence: float) -> float:
    """Standard errors on each side, so that all intervals hold at once with the confidence.

    The statistic is sup |estimate − truth|/standard error. Its law is drawn by the Gaussian multiplier bootstrap: every
    report's centred contributions, times a standard normal number, added up. Given the reports these sums are normal
    with the covariances of the sample, so they are drawn as such, from the factor of a K × K matrix, and not from the
    reports. Of 2,000 to 20,000 draws (seed 1) an order statistic is taken that is too small with a probability of 1 %;
    where Šidák's value is smaller, that one is taken: it is valid for every correlation.

    Args:
        covariances: of the contributions to the mechanisms that answer, one matrix for each, since their people differ;
            None for a matrix that is too large, for which Šidák's value is taken.
        size: estimates in all.
        confidence: of the band.

    Reference: V. Chernozhukov, D. Chetverikov, K. Kato, Annals of Statistics 41 (2013).

    >>> alike, apart = np.ones((50, 50)), np.eye(50)
    >>> [round(band_reach([matrix], 50, 0.95), 2) for matrix in (alike, apart)]
    [1.99, 3.28]
    """
    cap = sidak_reach(confidence, size)
    draws = min(max(_NUMBERS // size, _FEWEST), _MOST)
    place = math.ceil(special.bdtrik(_SURE, draws, confidence))  # so many may lie below the critical value
    if place >= draws:
        return cap
    rng, largest = np.random.default_rng(_SEED), np.zeros(draws, dtype=np.float32)
    for covariance in covariances:
        factor = None if covariance is None else _factor(covariance)
        if factor is None:
            return cap
        scores = rng.standard_normal((draws, len(factor)), dtype=np.float32) @ factor.T
        largest = np.maximum(largest, np.abs(scores).max(axis=1, initial=0.0))
    return min(max(float(np.sort(largest)[place]), normal_reach(confidence)), cap)


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
