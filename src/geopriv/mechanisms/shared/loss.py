"""The worst loss of a shared report: of letters exactly, of nothing between points of the space.

Only the law is compared, and no formula by which μ was found.
"""

from __future__ import annotations

import numpy as np

from geopriv.mechanisms.loss.worst import WorstLoss, plain
from geopriv.mechanisms.shared.law import SharedLaw
from geopriv.mechanisms.shared.places import places
from geopriv.spaces.checks import FloatArray

_CLOSE = 0.01  # of a pair, in 1/ε
_TURNS = 8  # directions of pairs in the plane
_ROUNDING = 1e-15


def worst_of_shared(shared: SharedLaw) -> WorstLoss:
    """The larger of the tables' own, which is exact, and that of saying nothing.

    (j, y) has the law of table j times μ. Nothing has 1 − μ·A, of which pairs are compared that lie close together
    along lines through neighbouring sets and beside them, in several directions.
    """
    ratios = [table.worst_step[0] for table in shared.tables]
    most = max(range(len(ratios)), key=lambda k: ratios[k])
    pairs = sum(table.weights[1:].size for table in shared.tables)
    length = 1 / shared.guarantee.epsilon
    points, ways = places(shared.tables, length)
    ways, first = _CLOSE * length * ways, shared.nothing(points)
    turned = [_turned(ways, turn) for turn in np.arange(_TURNS if ways.ndim == 2 else 1) * (np.pi / _TURNS)]
    each = [_losses(first, shared.nothing(points + way), len(ratios)) for way in turned]
    found = np.stack(each) / _CLOSE
    turn, k = np.unravel_index(int(found.argmax()), found.shape)
    if found[turn, k] > ratios[most]:
        ends = points[k : k + 1], (points + turned[turn])[k : k + 1]
        at = tuple(plain(shared.space.values(part)[0]) for part in ends)
        return WorstLoss(float(found[turn, k]), (*at, "nothing"), pairs + found.size)
    own = shared.tables[most].worst_loss()
    return WorstLoss(own.ratio, own.at, pairs + found.size)


def _losses(first: FloatArray, second: FloatArray, tables: int) -> FloatArray:
    """|ln p − ln p'| less what rounding may add; infinite where one of them is not positive."""
    with np.errstate(invalid="ignore", divide="ignore"):
        loss = np.abs(np.log(first) - np.log(second)) - _ROUNDING * tables * (1 / first + 1 / second)
    return np.where(np.minimum(first, second) > 0, np.maximum(loss, 0.0), np.inf)


def _turned(ways: FloatArray, turn: float) -> FloatArray:
    """Vectors of the plane by an angle; on a line as they are."""
    if ways.ndim == 1 or ways.shape[1] == 1:
        return ways
    c, s = np.cos(turn), np.sin(turn)
    return np.asarray(ways @ np.array([[c, s], [-s, c]]))
