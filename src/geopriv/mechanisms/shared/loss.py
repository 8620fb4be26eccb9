"""The worst loss of a shared report: of letters exactly, of nothing between points of the space.

Only the law is compared, and no formula by which μ was found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from geopriv.mechanisms.loss.worst import WorstLoss, plain
from geopriv.spaces.checks import FloatArray

if TYPE_CHECKING:
    from geopriv.mechanisms.shared.shared_tables import SharedTables

_NEIGHBOURS = 4  # of each set, towards which points are laid
_STEP, _BEYOND = 0.05, 6.0  # between points, and how far beyond two anchors they go, in 1/ε
_CLOSE = 0.01  # of a pair, in 1/ε
_POINTS = 1200  # on one line, at most
_BESIDE = (0.0, 1.0, -2.5)  # lines that run beside that of two anchors, in 1/ε
_TURNS = 8  # directions of pairs in the plane, from the line on
_ROUNDING = 1e-15


def worst_of_shared(shared: SharedTables) -> WorstLoss:
    """The larger of the tables' own, which is exact, and that of saying nothing.

    (j, y) has the law of table j times μ. Nothing has 1 − μ·A, of which pairs are compared that lie close together
    along lines through neighbouring sets and beside them, in several directions.
    """
    ratios = [table.worst_step[0] for table in shared.tables]
    most = max(range(len(ratios)), key=lambda k: ratios[k])
    pairs = sum(table.weights[1:].size for table in shared.tables)
    points, ways = _pairs(shared)
    first, second = (shared.nothing(part) for part in (points, points + ways))
    apart = shared.guarantee.epsilon * np.asarray(shared.space.between(points, points + ways)).reshape(-1)
    sure = np.minimum(first, second) > 0
    with np.errstate(invalid="ignore", divide="ignore"):
        loss = np.abs(np.log(first) - np.log(second)) - _ROUNDING * len(ratios) * (1 / first + 1 / second)
    found = np.where(sure, np.maximum(loss, 0.0) / apart, np.inf)
    k = int(found.argmax())
    if found[k] > ratios[most]:
        at = tuple(plain(shared.space.values(part[k : k + 1])[0]) for part in (points, points + ways))
        return WorstLoss(float(found[k]), (*at, "nothing"), pairs + found.size)
    own = shared.tables[most].worst_loss()
    return WorstLoss(own.ratio, own.at, pairs + found.size)


def _pairs(shared: SharedTables) -> tuple[FloatArray, FloatArray]:
    """Points, and the way from each to its partner."""
    length, shape = 1 / shared.guarantee.epsilon, shared.space.point_shape
    anchors = np.stack([np.atleast_1d(table.query.geometry.anchor) for table in shared.tables])
    points, ways = [], []
    for k, here in enumerate(anchors):
        apart = np.linalg.norm(anchors - here, axis=1)
        near = [j for j in np.argsort(apart)[: _NEIGHBOURS + 1].tolist() if j != k]
        for j in near or [k]:
            way = (anchors[j] - here) / apart[j] if apart[j] > 0 else np.eye(here.size)[0]
            many = int(min(_POINTS, (apart[j] + 2 * _BEYOND * length) / (_STEP * length)))
            t = np.linspace(-_BEYOND * length, apart[j] + _BEYOND * length, max(many, 2))
            side = np.array([-way[1], way[0]]) if here.size == 2 else np.zeros(here.size)
            for beside in _BESIDE if here.size == 2 else (0.0,):
                line = here + t[:, None] * way + beside * length * side
                for turn in np.arange(_TURNS if here.size == 2 else 1) * (np.pi / _TURNS):
                    points.append(line)
                    step = _CLOSE * length * (np.cos(turn) * way + np.sin(turn) * side)
                    ways.append(np.broadcast_to(step, line.shape))
    return tuple(np.concatenate(parts).reshape(-1, *shape) for parts in (points, ways))  # type: ignore[return-value]
