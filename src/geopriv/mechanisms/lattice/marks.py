"""Where a sampler of a lattice is most likely to go wrong: at cells, between them, and where positions are clamped."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from geopriv.mechanisms.kinds import Value
from geopriv.mechanisms.lattice.cells import FARTHEST, Cells
from geopriv.mechanisms.loss.worst import plain


def cell_marks(lattice: Cells) -> Iterator[tuple[str, Value]]:
    """Cells near the origin and far from it, middles of cells, and where positions are clamped."""
    cells = {"a cell": 1.0, "the middle of a cell": 0.5}
    if not lattice.space.geographic:
        cells |= {"a far cell": 2.0**20, "the end of the grid": FARTHEST}
    for words, k in cells.items():
        point = np.asarray(lattice.origin) + lattice.step * k
        with np.errstate(all="ignore"):
            value = lattice.space.values(point.reshape(lattice.space.point_shape))
        if np.isfinite(value).all():
            yield words, plain(value)
