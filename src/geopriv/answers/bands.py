"""Bands: how wide intervals must be for all of a curve or a map to be inside at once."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from scipy import linalg, special

from geopriv.answers.intervals import bernstein_reach, normal_reach, sidak_reach
from geopriv.mechanisms.sums import Sums, Together
from geopriv.spaces.checks import FloatArray

_FEWEST, _MOST = 2_000, 20_000  # draws
_MAPS = 1_000  # draws of whole maps
_FAINT = 1e-7  # of the largest variance of a map: below, rounding errors of a transform are all there is
_NUMBERS = 1 << 23  # normal numbers that are enough in all
_SEED = 1  # of the draws: the same counts give the same band
_SURE = 0.99  # that the critical value is no smaller than that of infinitely many draws
_JITTER = 1e-7  # of a variance, so that rounding leaves correlations positive definite
_TINY = 1e-280  # variances below are 0


def band_reach(covariances: Iterable[FloatArray | Together | None], size: int, confidence: float) -> float:
    """Standard errors on each side, so that all intervals hold at once with the confidence.

    The statistic is sup |estimate − truth|/standard error. Its law is drawn by the Gaussian multiplier bootstrap: every
    report's centred contributions, times a standard normal number, added up. Given the reports these sums are normal
    with the covariances of the sample, so they are drawn as such, from the factor of a K × K matrix, and not from the
    reports; those of a map under round noise by one convolution a draw. Of 1,000 to 20,000 draws (seed 1) an order
    statistic is taken that is too small with a probability of 1 %; where Šidák's value is smaller, that one is taken:
    for normal estimates it is valid for every correlation.

    What is proven: for a given number of estimates, the confidence in the limit of many reports. For a finite number
    nothing is: coverage was measured (docs/errors.md). `proven_band` holds for every number, and is longer.

    Args:
        covariances: of the contributions to the mechanisms that answer, one matrix for each, since their people differ,
            or draws of them; None for a matrix that is too large, for which Šidák's value is taken.
        size: estimates in all.
        confidence: of the band.

    Reference: V. Chernozhukov, D. Chetverikov, K. Kato, Annals of Statistics 41 (2013).

    >>> alike, apart = np.ones((50, 50)), np.eye(50)
    >>> [round(band_reach([matrix], 50, 0.95), 2) for matrix in (alike, apart)]
    [1.99, 3.28]
    """
    cap, parts = sidak_reach(confidence, size), list(covariances)
    whole = any(part is not None and not isinstance(part, np.ndarray) for part in parts)
    draws = _MAPS if whole else min(max(_NUMBERS // size, _FEWEST), _MOST)
    place = math.ceil(special.bdtrik(_SURE, draws, confidence))  # so many may lie below the critical value
    if place >= draws:
        return cap
    rng, largest = np.random.default_rng(_SEED), np.zeros(draws, dtype=np.float32)
    for part in parts:
        scores = _scores(part, rng, draws)
        if scores is None:
            return cap
        largest = np.maximum(largest, scores)
    return min(max(float(np.sort(largest)[place]), normal_reach(confidence)), cap)


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


def _scores(part: FloatArray | Together | None, rng: np.random.Generator, draws: int) -> FloatArray | None:
    """The largest of all errors over their standard errors, of each draw; None where they cannot be drawn."""
    if part is None:
        return None
    if isinstance(part, np.ndarray):
        factor = _factor(part)
        if factor is None:
            return None
        scores = rng.standard_normal((draws, len(factor)), dtype=np.float32) @ factor.T
        return np.asarray(np.abs(scores).max(axis=1, initial=0.0))
    kept = np.flatnonzero(part.variances > _FAINT * part.variances.max(initial=0.0))
    deviations = np.sqrt(part.variances[kept])
    batches = [np.abs(drawn[:, kept] / deviations).max(axis=1, initial=0.0) for drawn in part.batches(rng, draws)]
    return np.concatenate(batches)


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
