"""What a table estimates."""

from __future__ import annotations

import numpy as np

from geopriv.mechanisms.table.rows import Rows
from geopriv.queries.brackets import OfCoordinate
from geopriv.shapes.profiles import PiecewiseLinear

_PARTS = 32  # of a cell: straight lines between so many points are within 2e-6 of how much a mean bends there


class Target(OfCoordinate):
    """What a table estimates: the mean of its report, which spare rows bend between lattice points."""

    def __init__(self, table: Rows) -> None:
        parts = 1 if table.spare_rows is None else _PARTS
        inside = np.arange(parts) / parts
        knots = (table.lattice[:-1, None] + inside * np.diff(table.lattice)[:, None]).ravel()
        knots = np.append(knots, table.lattice[-1])
        profile = PiecewiseLinear(tuple(knots.tolist()), tuple(table.mean_at(knots).tolist()))
        super().__init__(table.query.geometry, profile)
