"""What a table estimates."""

from __future__ import annotations

from geopriv.mechanisms.table.rows import Rows
from geopriv.queries import Query
from geopriv.shapes.coordinates import Coordinate
from geopriv.shapes.profiles import PiecewiseLinear, Profile


class Target(Query):
    """What a table estimates: the interpolant of its rows' means."""

    def __init__(self, table: Rows) -> None:
        self.space, self._geometry = table.query.space, table.query.geometry
        means = table.probabilities(table.lattice) @ table.values
        self._profile = PiecewiseLinear(tuple(table.lattice.tolist()), tuple(means.tolist()))

    @property
    def geometry(self) -> Coordinate:
        return self._geometry

    @property
    def profile(self) -> Profile:
        return self._profile
