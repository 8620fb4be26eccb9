"""Where tables that share a report are heard together: along lines through neighbouring sets, and beside them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from geopriv.mechanisms.table.any_table import AnyTable
from geopriv.spaces.checks import FloatArray

_NEIGHBOURS = 4  # of each set, towards which points are laid
_STEP, _BEYOND = 0.05, 6.0  # between points, and how far beyond two anchors they go, in 1/ε
_POINTS = 600  # on one line, at most
_BESIDE = (0.0, 0.7, -1.5, 2.5)  # lines that run beside that of two anchors, in 1/ε


def places(tables: Sequence[AnyTable], length: float) -> tuple[FloatArray, FloatArray]:
    """Points of the space, and for each a unit vector along its line.

    Args:
        tables: on a flat space of one or two axes.
        length: 1/ε.
    """
    shape = tables[0].query.space.point_shape
    anchors = np.stack([np.atleast_1d(table.query.geometry.anchor) for table in tables])
    points, ways, drawn = [], [], set()
    for k, here in enumerate(anchors):
        apart = np.linalg.norm(anchors - here, axis=1)
        near = [j for j in np.argsort(apart)[: _NEIGHBOURS + 1].tolist() if j != k and {j, k} not in drawn]
        for j in near or ([k] if len(anchors) == 1 else []):
            drawn.add(frozenset((j, k)))
            way = (anchors[j] - here) / apart[j] if apart[j] > 0 else np.eye(here.size)[0]
            many = int(min(_POINTS, (apart[j] + 2 * _BEYOND * length) / (_STEP * length)))
            t = np.linspace(-_BEYOND * length, apart[j] + _BEYOND * length, max(many, 2))
            side = np.array([-way[1], way[0]]) if here.size == 2 else np.zeros(here.size)
            for beside in _BESIDE if here.size == 2 else (0.0,):
                points.append(here + t[:, None] * way + beside * length * side)
                ways.append(np.broadcast_to(way, points[-1].shape))
    both = (np.concatenate(parts).reshape(-1, *shape) for parts in (points, ways))
    return next(both), next(both)
