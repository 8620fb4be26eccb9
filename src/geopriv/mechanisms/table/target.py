"""What a table estimates."""

from __future__ import annotations

from geopriv.mechanisms.table.rows import Rows
from geopriv.queries.brackets import OfCoordinate
from geopriv.shapes.profiles import PiecewiseLinear


class Target(OfCoordinate):
    """What a table estimates: the interpolant of its rows' means."""

    def __init__(self, table: Rows) -> None:
        means = table.probabilities(table.lattice) @ table.values
        profile = PiecewiseLinear(tuple(table.lattice.tolist()), tuple(means.tolist()))
        super().__init__(table.query.geometry, profile)
