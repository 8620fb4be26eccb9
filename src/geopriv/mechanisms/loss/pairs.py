"""Privacy loss of two location-scale laws, from their raw densities.

Nothing here knows how a scale was calibrated: it sees only centres, scales and the density of the noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from geopriv.noise import Noise
from geopriv.spaces.checks import FloatArray

BoolArray = npt.NDArray[np.bool_]

# Outputs to try, in units of the scale around the centre: the middle, the shoulders, and tails to 1e9 scales.
_STEPS = np.concatenate([[0.0], np.geomspace(1e-3, 0.3, 6), np.linspace(0.4, 5.0, 24), np.geomspace(5.5, 1e9, 24)])
_STEPS = np.concatenate([-_STEPS[:0:-1], _STEPS])
_BLOCK = 512  # pairs at a time, with some hundred outputs each: what fits in a cache


@dataclass(frozen=True)
class Pairs:
    """Pairs of laws a + b·Z and a' + b'·Z at known distances; `first` and `second` say where they come from."""

    first: FloatArray
    second: FloatArray
    distance: FloatArray
    center: FloatArray
    scale: FloatArray
    center2: FloatArray
    scale2: FloatArray


def largest_loss(noise: Noise, pairs: Pairs) -> tuple[FloatArray, FloatArray]:
    """The supremum over outputs y of |ln p(y) − ln p'(y)| for each pair, and the y where it was found."""
    worst, where = np.empty(pairs.distance.size), np.empty(pairs.distance.size)
    for i in range(0, worst.size, _BLOCK):
        block = slice(i, i + _BLOCK)
        y, loss = _losses(noise, pairs, block)
        k = np.abs(loss).argmax(axis=1)
        rows = np.arange(len(k))
        worst[block], where[block] = np.abs(loss)[rows, k], y[rows, k]
    return worst, where


def signed_losses(noise: Noise, pairs: Pairs) -> tuple[FloatArray, FloatArray]:
    """Supremum and infimum over outputs y of ln p(y) − ln p'(y) for each pair."""
    high, low = np.empty(pairs.distance.size), np.empty(pairs.distance.size)
    for i in range(0, high.size, _BLOCK):
        block = slice(i, i + _BLOCK)
        _, loss = _losses(noise, pairs, block)
        high[block], low[block] = loss.max(axis=1), loss.min(axis=1)
    return high, low


def hockey_stick(noise: Noise, pairs: Pairs, log_factor: FloatArray) -> FloatArray:
    """The larger of ∫(p − c·p')₊ and ∫(p' − c·p)₊ with c = exp(log_factor): the δ that a pair needs.

    The outputs where one density exceeds c times the other are found from the densities, their ends refined by
    bisection, and their probabilities taken from the cdf.
    """
    swapped = Pairs(pairs.second, pairs.first, pairs.distance, pairs.center2, pairs.scale2, pairs.center, pairs.scale)
    return np.maximum(_one_sided(noise, pairs, log_factor), _one_sided(noise, swapped, log_factor))


def _one_sided(noise: Noise, pairs: Pairs, log_factor: FloatArray) -> FloatArray:
    """∫(p − c·p')₊ for each pair."""
    total = np.empty(log_factor.size)
    for i in range(0, total.size, _BLOCK):
        block = slice(i, i + _BLOCK)
        laws = tuple(v[block, None] for v in (pairs.center, pairs.scale, pairs.center2, pairs.scale2))
        c = log_factor[block, None]
        y, loss = _losses(noise, pairs, block)
        starts, ends = loss[:, :-1] > c, loss[:, 1:] > c
        left, right = y[:, :-1].copy(), y[:, 1:].copy()
        right[~(starts | ends)] = left[~(starts | ends)]  # an empty interval
        row, cell = np.nonzero(starts != ends)
        crossing = _crossing(
            noise, y[row, cell], y[row, cell + 1], starts[row, cell], [v[row, 0] for v in laws], c[row, 0]
        )
        right[row, cell] = np.where(starts[row, cell], crossing, right[row, cell])
        left[row, cell] = np.where(starts[row, cell], left[row, cell], crossing)
        a, b, a2, b2 = laws
        mass, mass2 = _mass(noise, left, right, a, b), _mass(noise, left, right, a2, b2)
        # beyond e^700 the second term is left out, which can only ask for a larger δ
        net = mass - np.where(c < 700, np.exp(np.minimum(c, 700.0)) * mass2, 0.0)
        total[block] = np.maximum(net, 0.0).sum(axis=1)
    return total


def _crossing(
    noise: Noise, low: FloatArray, high: FloatArray, above: BoolArray, laws: list[FloatArray], c: FloatArray
) -> FloatArray:
    """Where the loss crosses c between low (above it or not) and high."""
    for _ in range(50):
        middle = (low + high) / 2
        same = (_loss(noise, middle, *laws) > c) == above
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return (low + high) / 2


def _mass(noise: Noise, left: FloatArray, right: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    """P[left < a + b·Z ≤ right], taken from the nearer tail so that small probabilities keep their digits."""
    low, high = (left - a) / b, (right - a) / b
    flip = low > 0
    low, high = np.where(flip, -high, low), np.where(flip, -low, high)
    return noise.cdf(high) - noise.cdf(low)


def _losses(noise: Noise, pairs: Pairs, block: slice) -> tuple[FloatArray, FloatArray]:
    """Outputs (sorted) and ln p − ln p' there, for a block of pairs."""
    a, b, a2, b2 = (v[block, None] for v in (pairs.center, pairs.scale, pairs.center2, pairs.scale2))
    # where the density is below e^-200 its logarithm has too few digits left for close pairs
    steps = _STEPS[noise.log_pdf(_STEPS) > -200]
    y = np.sort(np.concatenate([a + b * steps, a2 + b2 * steps], axis=1), axis=1)
    return y, _loss(noise, y, a, b, a2, b2)


def _loss(noise: Noise, y: FloatArray, a: FloatArray, b: FloatArray, a2: FloatArray, b2: FloatArray) -> FloatArray:
    return noise.log_pdf((y - a) / b) - np.log(b) - noise.log_pdf((y - a2) / b2) + np.log(b2)
