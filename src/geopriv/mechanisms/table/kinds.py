"""The values of a table, as kinds of reports."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from geopriv.mechanisms.kinds import BITS, Value, exact_row
from geopriv.mechanisms.table.rows import Rows
from geopriv.mechanisms.table.spare import Integers
from geopriv.noise import exact
from geopriv.spaces.balls import arb
from geopriv.spaces.checks import FloatArray


@dataclass(frozen=True)
class ValueKinds:
    """A table's distinct values, one by one."""

    table: Rows
    ordered: bool = True

    @property
    def size(self) -> int:
        return int(self._distinct[0].size)

    def labels(self, rows: Integers) -> npt.NDArray[np.intp]:
        letter = rows[:, 0]
        known = (letter >= 0) & (letter < self.table.values.size)
        return np.where(known, self._distinct[1][np.where(known, letter, 0)], -1)

    def law(self, value: Value) -> FloatArray:
        table = self.table
        with exact.precision(BITS):
            s = table.query.geometry.enclose(exact_row(table.query.space, value))
            cell = int(np.clip(np.searchsorted(table.lattice, float(s), side="right") - 1, 0, table.lattice.size - 2))
            low, high = arb(float(table.lattice[cell])), arb(float(table.lattice[cell + 1]))
            share = min(max(float((s - low) / (high - low)), 0.0), 1.0)
        weights = table.law_in(cell, share)
        return np.asarray(np.bincount(self._distinct[1], weights=weights), dtype=np.float64)

    def words(self, label: int) -> str:
        return f"the report {self._distinct[0][label]:g}"

    @cached_property
    def _distinct(self) -> tuple[FloatArray, npt.NDArray[np.intp]]:
        """The values, each once, and for each letter its place among them."""
        values, places = np.unique(self.table.values, return_inverse=True)
        return values, np.asarray(places, dtype=np.intp)
