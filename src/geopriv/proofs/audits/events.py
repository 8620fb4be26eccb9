"""How often an event comes: exact bounds and tests from counts, and how much of a fault they would have seen.

All are exact for every number of draws: no normal approximation, so a level of 1e-15 means what it says.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import special

from geopriv.spaces.checks import FloatArray

Counts = npt.NDArray[np.int64]


def lower(hits: Any, n: int, alpha: float) -> FloatArray:
    """A bound that is above the probability of an event with probability at most alpha (Clopper and Pearson)."""
    k = np.asarray(hits, dtype=np.float64)
    return np.where(k > 0, special.betaincinv(np.maximum(k, 1.0), n - k + 1, alpha), 0.0)


def upper(hits: Any, n: int, alpha: float) -> FloatArray:
    """A bound that is below the probability of an event with probability at most alpha (Clopper and Pearson)."""
    k = np.asarray(hits, dtype=np.float64)
    return np.where(k < n, special.betainccinv(k + 1, np.maximum(n - k, 1.0), alpha), 1.0)


def proven_loss(hits: Any, other_hits: Any, n: int, alpha: float, delta: float = 0.0) -> FloatArray:
    """A bound that is above ln((P[S] − δ)/P'[S]) with probability at most 2·alpha; −∞ where nothing is proven.

    Args:
        hits: how often S came in n draws from P.
        other_hits: how often it came in n draws from P'.
        n: draws from each.
        alpha: the level of each of the two bounds.
        delta: the promised δ.
    """
    low, high = lower(hits, n, alpha) - delta, upper(other_hits, n, alpha)
    proven = low > 0
    return np.where(proven, np.log(np.where(proven, low, 1.0) / high), -np.inf)


def surprise(hits: Any, n: int, probability: Any) -> FloatArray:
    """The two-sided p-value of so many hits in n draws of an event whose probability is stated."""
    k, p = np.broadcast_arrays(np.asarray(hits, dtype=np.float64), np.asarray(probability, dtype=np.float64))
    more = np.where(k > 0, special.betainc(np.maximum(k, 1.0), n - k + 1, p), 1.0)
    fewer = np.where(k < n, special.betaincc(k + 1, np.maximum(n - k, 1.0), p), 1.0)
    return np.asarray(np.minimum(2 * np.minimum(more, fewer), 1.0))


def seen_excess(probability: FloatArray, n: int, alpha: float, power: float) -> FloatArray:
    """The least excess of an event's frequency over its stated probability that `surprise` sees with that power.

    k hits are a surprise from the first k on with P[X ≥ k] ≤ alpha/2; a true probability of which k or more hits come
    with the wished power is the bound of Clopper and Pearson for k.

    Args:
        probability: that is stated.
        n: draws.
        alpha: the level of the test.
        power: with which it is seen.
    """
    from scipy import stats  # slow to load, and rarely needed

    needed = stats.binom.isf(alpha / 2, n, probability) + 1
    possible = needed <= n
    least = special.betaincinv(np.where(possible, needed, 1.0), n - np.where(possible, needed, 1.0) + 1, power)
    return np.where(possible, least - probability, np.inf)


def seen_loss(probability: FloatArray, allowed: float, n: int, alpha: float, power: float) -> FloatArray:
    """The least loss ln(P[S]/P'[S]) that `proven_loss` shows to be above `allowed`, with that power.

    Each side may fail in half of what the power leaves over: P' has at most so many hits with that probability, and
    then P must have k hits, which it has as surely from some P[S] on.

    Args:
        probability: P'[S], as stated.
        allowed: ε times the distance.
        n: draws from each side.
        alpha: the level of each bound.
        power: with which it is seen.

    Returns:
        Infinity where no P[S] up to 1 would be seen.
    """
    from scipy import stats

    side = 1 - (1 - power) / 2
    ceiling = upper(np.minimum(stats.binom.ppf(side, n, probability), n), n, alpha) * np.exp(allowed)
    needed = stats.binom.isf(alpha, n, np.minimum(ceiling, 1.0)) + 1
    possible = (ceiling < 1) & (needed <= n) & (probability > 0)
    k = np.where(possible, needed, 1.0)
    least = special.betaincinv(k, n - k + 1, side)
    return np.where(possible, np.log(least / np.where(possible, probability, 1.0)), np.inf)
