"""Spare rows: a second row at each lattice point, which bends the law within the cells (theory T5″).

On a cell with share t of it before s, and a fixed chance q of the cell, the report is drawn from row i + 1 with
λ₁ = t − q·t·(1 − t²), from row i with λ₀(t) = λ₁(1 − t), and from their spare rows with what these lack:
q·t·(1 − t²) and q·(1 − t)·t·(2 − t). With q = x²/6, x = ε·δ, these are the first terms of sinh(x·t)/sinh(x), which is
what the steepest laws need: a table then comes within a part of x⁴ of e^x, where straight lines lose x²/2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import numpy.typing as npt

from geopriv.device import tables
from geopriv.spaces.checks import FloatArray, invalid, same_fields
from geopriv.spaces.notes import Note

Integers = npt.NDArray[np.int64]

SHARES, MOST_SHARE = tables.SHARES, tables.MOST_SHARE
ROWS = Note(
    minItems=2,
    items={"type": "array", "minItems": 1, "items": {"type": "integer", "minimum": 0, "maximum": tables.TOTAL}},
    description="One row a lattice point, each summing to 2^60. A reader in a browser needs BigInt.",
)


@dataclass(frozen=True, eq=False)
class SpareRows:
    """A second row for each lattice point, and how often a cell looks at it.

    Args:
        rows: integers of shape (points, values), every row summing to 2^60.
        shares: for each cell q, as a whole number out of 2^44, at most 2^40.
    """

    rows: Annotated[Integers, ROWS]
    shares: Annotated[Integers, Note(minItems=1, items={"type": "integer", "minimum": 0, "maximum": MOST_SHARE})]

    def __post_init__(self) -> None:
        for name, shape in (("rows", 2), ("shares", 1)):  # copied and locked: what was verified must not change
            array = getattr(self, name)
            if (
                array.dtype != np.int64
                or array.ndim != shape
                or (name == "rows") > (len(array) == self.shares.size + 1)
            ):
                rule = "64-bit integers, one row a lattice point and one share a cell"
                raise invalid("SpareRows", name, rule, array.shape)
            array = array.copy()
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    def __eq__(self, other: object) -> bool:
        return same_fields(self, other)

    def __hash__(self) -> int:
        return hash((self.rows.tobytes(), self.shares.tobytes()))

    @property
    def chances(self) -> FloatArray:
        """Q of each cell: floats hold them exactly."""
        return self.shares / SHARES


def shares_for(lattice: FloatArray) -> Integers:
    """The chance x²/6 of each cell, out of 2^44; a sixteenth where cells are wider than 0.6/ε.

    Args:
        lattice: increasing coordinates in units of 1/ε.
    """
    return np.asarray(np.minimum(np.diff(lattice) ** 2 / 6 * SHARES, MOST_SHARE), dtype=np.int64)


def factors(share: FloatArray, chance: FloatArray) -> FloatArray:
    """The probabilities of the rows below and above and of their spare rows, shape (4, …).

    Args:
        share: of the cell that lies before the coordinate, t.
        chance: of the cell, q.
    """
    rest = 1 - share
    below, above = chance * rest * share * (1 + rest), chance * rest * share * (1 + share)
    return np.stack([rest - below, share - above, below, above])


def even(lattice: FloatArray, chances: FloatArray) -> FloatArray:
    """How often each row and each spare row is used when coordinates are uniform on the lattice, shape (2, points)."""
    width = np.diff(lattice) / (lattice[-1] - lattice[0])
    spared = width * chances / 4  # of each of the two ends of a cell
    uses = np.stack([width / 2 - spared, spared])
    return np.asarray(np.pad(uses, ((0, 0), (0, 1))) + np.pad(uses, ((0, 0), (1, 0))))


def used(lattice: FloatArray, chances: FloatArray, s: FloatArray, weights: FloatArray) -> FloatArray:
    """How often each row and each spare row is used by people at coordinates s, shape (2, points)."""
    inside = np.clip(s.ravel(), lattice[0], lattice[-1])
    cell = np.clip(np.searchsorted(lattice, inside, side="right") - 1, 0, lattice.size - 2)
    share = (inside - lattice[cell]) / (lattice[cell + 1] - lattice[cell])
    below, above, spare_below, spare_above = weights * factors(share, chances[cell])
    pairs = ((below, above), (spare_below, spare_above))
    return np.stack([np.bincount(cell, a, lattice.size) + np.bincount(cell + 1, b, lattice.size) for a, b in pairs])
