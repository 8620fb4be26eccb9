"""What a trusted shuffler would add to a promise for people among others: a statement, and no part of any guarantee."""

from __future__ import annotations

import math

import numpy as np
from scipy import optimize

from geopriv.spaces.checks import FloatArray, count, invalid, positive

_UNSEEN = 1e-3  # of δ: how likely so few clones may be that they are taken for a total loss
_FARTHEST = 40.0  # ε·d, from which on a shuffler is not asked
_ROUNDED = 1e-9  # by which floats may err, of the loss
_MOST = 10**6  # neighbours that are counted: more of them only hide better
_NODES = 400  # numbers of clones at which the divergence is computed


def shuffled_loss(apart: float, neighbours: int, within: float, delta: float = 1e-6) -> float:
    """The loss at a distance against who sees shuffled reports only, but for δ.

    Each of m people within r of x reports as a clone, from one of two laws of which those of x and x' are mixtures,
    with probability e^(−εr)/(1 + e^(εd)) from either. Given c clones, what is learnt is how many reports came from the
    first law: 1 + Bin(c, ½) with probability q = e^(εd)/(1 + e^(εd)) and Bin(c, ½) otherwise, against the same with
    1 − q. The divergence between the two is summed over all c, never too small.

    Guarantee: P[shuffled ∈ S] under x is at most exp(loss) times that under x', plus δ, if m people within r of x
    report honestly and the shuffler is trusted; for every x' within d. It does not chain to larger distances.

    Args:
        apart: ε·d.
        neighbours: m, besides the person.
        within: ε·r, within which of x they are.
        delta: the probability but for which it holds.

    Raises:
        InvalidParameter: for numbers that are not positive, and for δ of 1 or more.

    Reference: theory T16; after V. Feldman, A. McMillan and K. Talwar, Hiding among the clones (FOCS 2021) and Stronger
    privacy amplification by shuffling (SODA 2023).

    >>> [round(shuffled_loss(1.0, m, 1.0), 3) for m in (10, 100, 1000, 10_000)]
    [1.0, 0.953, 0.255, 0.074]
    """
    far, near = positive("shuffled_loss", "apart", apart), positive("shuffled_loss", "within", within)
    m = min(count("shuffled_loss", "neighbours", neighbours), _MOST)
    if not 0 < delta < 1:
        raise invalid("shuffled_loss", "delta", "above 0 and below 1", delta)
    if far > _FARTHEST:
        return far
    c, weights, missed = _clones(m, 2 * math.exp(-near) / (1 + math.exp(far)), _UNSEEN * delta)

    def excess(loss: float) -> float:
        return float(weights @ divergence(loss, far, c)) + missed - delta

    if excess(0.0) <= 0:
        return 0.0
    if excess(far) >= 0:
        return far
    return min(float(optimize.brentq(excess, 0.0, far, xtol=1e-12)) * (1 + _ROUNDED) + 1e-12, far)


def _clones(neighbours: int, share: float, rare: float) -> tuple[FloatArray, FloatArray, float]:
    """How many clones there are: some numbers with their weights, and how likely fewer are.

    What lies between two numbers counts as the smaller: with fewer clones no less is lost, since a fair coin may be
    added to what is learnt.
    """
    from scipy import stats  # slow to load, and rarely needed

    law = stats.binom(neighbours, share)
    low, high = max(float(law.ppf(rare)), 0.0), float(law.isf(rare)) + 1
    nodes = np.unique(np.floor(np.linspace(low, high, _NODES)))
    upto = law.cdf(nodes - 1)
    return nodes, np.diff(upto, append=1.0), float(upto[0])


def divergence(loss: float, apart: float, clones: FloatArray) -> FloatArray:
    """The largest over events of P − exp(loss)·P' for the counts among so many clones.

    The ratio of the two laws at k reports of c + 1, (q·k + (1 − q)·(c + 1 − k))/((1 − q)·k + q·(c + 1 − k)), grows in
    k, so the event is that of many reports.

    Args:
        loss: ln of the factor.
        apart: ε·d.
        clones: c, shape (n,).
    """
    from scipy import stats

    q, factor = 1 / (1 + math.exp(-apart)), math.exp(loss)
    least = np.ceil((clones + 1) * (factor * q - (1 - q)) / ((2 * q - 1) * (1 + factor)))
    # P[1 + Bin ≥ k] and P[Bin ≥ k]
    with_own, without = (stats.binom.sf(least - own, clones, 0.5) for own in (2, 1))
    both = (q - factor * (1 - q)) * with_own + ((1 - q) - factor * q) * without
    return np.asarray(np.maximum(both, 0.0))
