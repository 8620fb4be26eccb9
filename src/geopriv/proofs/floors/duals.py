"""Good multipliers for the floor of theory T12, and the certificate that is made of them.

The multipliers are duals of a table's program, relaxed. They are a suggestion: the certificate finds for itself how
much slack they need, and checks it.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from geopriv.proofs.floors.chains import Certificate, Chain, chord_bend
from geopriv.proofs.floors.interior import Duals, Relaxed, relaxed_duals
from geopriv.spaces.checks import FloatArray

_COST = 0.005  # of the bound: what the distance between values of the program may take from it
_CHECKED = 1e-3  # likewise for the values at which the certificate is checked
_LETTERS = 64  # at most, between the outer ones
_EVERY = 4  # place is in the first program, which only tells the size of the bound
_LEAST = 1e-9  # of a squared range: added to the slack, so that rounding does not refute it


def best_certificate(chain: Chain, values: FloatArray, inner: tuple[float, float]) -> Certificate | None:
    """A certificate that is nearly the best for a chain; None where none was found.

    Args:
        chain: places, people, answers.
        values: increasing, that reports may take in a first and coarse program.
        inner: between which they must be dense.
    """
    spread = np.ptp(values)
    values = np.concatenate([[values[0] - spread / 2], values, [values[-1] + spread / 2]])
    first = _duals(_thinned(chain), values, accuracy=0.05)
    if first is None:
        return None
    finer = _between(values, inner, 2 * np.sqrt(_COST * first.bound), _LETTERS)
    found = _duals(chain, finer, accuracy=1e-3)
    if found is None:
        return None
    checked = _between(finer, (finer[0], finer[-1]), 2 * np.sqrt(_CHECKED * found.bound), 20 * _LETTERS)
    return certified(chain, found.levels, found.slopes, checked)


def certified(chain: Chain, levels: FloatArray, slopes: FloatArray, values: FloatArray) -> Certificate:
    """The certificate of given multipliers, with nearly the least slack and with values that reach far enough out."""
    none, ways = np.zeros_like(levels), np.array([-1.0, 1.0])
    steepest = chain.priced(none, slopes, ways, np.zeros(2)) * (0.5 + 1e-6)
    low, high = min(values[0], -steepest[0]), max(values[-1], steepest[1])
    y = np.unique(np.concatenate([_further(values[0], low), values, _further(values[-1], high)]))
    least = chain.priced(levels, slopes, y, y**2)
    slack = float((least - y**2 + chord_bend(y)).max())
    return Certificate(chain, levels, slopes, y, slack + _LEAST * (abs(slack) + np.ptp(chain.heights) ** 2))


def _duals(chain: Chain, values: FloatArray, accuracy: float) -> Duals | None:
    return relaxed_duals(Relaxed(np.diff(chain.places), chain.shares, chain.heights, values), accuracy)


def _thinned(chain: Chain) -> Chain:
    """Every fourth place, and the people of the others at the nearest of these."""
    kept = np.unique(np.append(np.arange(0, chain.places.size, _EVERY), chain.places.size - 1))
    near = np.abs(chain.places[:, None] - chain.places[kept]).argmin(axis=1)
    shares = np.asarray(np.bincount(near, chain.shares, kept.size), dtype=np.float64)
    return Chain(chain.places[kept], shares, chain.heights[kept])


def _between(values: FloatArray, ends: tuple[float, float], step: float, most: int) -> FloatArray:
    """The values, and between two of them, from before one end to after the other, more at steps of about that."""
    first, last = np.searchsorted(values, ends)
    inner = values[max(first - 1, 0) : last + 1]
    step = max(float(step), (inner[-1] - inner[0]) / most)
    finer = [np.linspace(a, b, 1 + int(np.ceil((b - a) / step))) for a, b in pairwise(inner)]
    return np.unique(np.concatenate([values, *finer]))


def _further(near: float, far: float) -> FloatArray:
    """From one value to another farther out, in steps that grow; there y² is far above."""
    way = far - near
    return np.asarray(near + np.sign(way) * (np.geomspace(0.1, 0.1 + abs(way), 60) - 0.1))
