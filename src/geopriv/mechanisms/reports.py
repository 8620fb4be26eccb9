"""What people send, and what studies draw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from geopriv.spaces.checks import FloatArray


@dataclass(frozen=True, eq=False)
class Reports:
    """What people send: values on a public grid, drawn exactly, from a cryptographic generator.

    Args:
        values: one report a person.
        steps: of the grid, one for each component of a report (1 for a Lattice, whose reports are cells); none for a
            Table, whose values are its own.
    """

    values: FloatArray
    steps: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        self.values.flags.writeable = False

    def __len__(self) -> int:
        return len(self.values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.asarray(self.values, dtype=dtype)


@dataclass(frozen=True, eq=False)
class Simulated:
    """Releases drawn with fast floats from a seeded generator: for studies only.

    This is deliberately not the type of a report. A seeded generator can be replayed and float noise leaves traces
    (theory E12), so nothing that a person sends is made this way.
    """

    values: FloatArray

    def __len__(self) -> int:
        return len(self.values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.asarray(self.values, dtype=dtype)
