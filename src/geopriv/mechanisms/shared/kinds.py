"""What a shared report can be, as kinds of reports, and the law of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from geopriv.mechanisms.kinds import BITS, Value, exact_row
from geopriv.mechanisms.shared.law import SharedLaw
from geopriv.noise import exact
from geopriv.spaces.checks import FloatArray

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class SaidKinds:
    """Nothing, and every letter of every table."""

    shared: SharedLaw
    ordered: bool = False

    @property
    def size(self) -> int:
        return self.shared.size

    def labels(self, rows: Integers) -> npt.NDArray[np.intp]:
        code = rows[:, 0]
        return np.where((code >= 0) & (code < self.size), code, -1).astype(np.intp)

    def law(self, value: Value) -> FloatArray:
        row = exact_row(self.shared.space, value)
        with exact.precision(BITS):
            s = [float(table.query.geometry.enclose(row)) for table in self.shared.tables]
        return np.asarray(self.shared.law_at(np.asarray(s)[None])[0])

    def words(self, label: int) -> str:
        if label == 0:
            return "nothing"
        table, letter = self.shared.letter(label)
        return f"the report {self.shared.tables[table].values[letter]:g} of table {table}"
