"""The law of a shared report: its tables, and how often they are heard."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Annotated, TypedDict

import numpy as np

from geopriv.device.far import TABLES
from geopriv.device.reading import LOOKS
from geopriv.device.shared import looked_at
from geopriv.mechanisms.guarantee import Pure, require_per_distance
from geopriv.mechanisms.shared.kernels import Lookup
from geopriv.mechanisms.shared.share import idle_of, keeps, spoken_of
from geopriv.mechanisms.table.any_table import AnyTable
from geopriv.mechanisms.table.integers import TOTAL
from geopriv.spaces import Space
from geopriv.spaces.checks import FloatArray, invalid
from geopriv.spaces.notes import Note

_BROKEN = Fraction(10**9)


class Held(TypedDict):
    """What a document holds beside the parameters."""

    space: Space


@dataclass(frozen=True)
class SharedLaw:
    """(j, y) with probability μ·P[M_j = y] for every letter but idle ones, and nothing otherwise.

    Args:
        guarantee: that of every table.
        tables: M_j, on one flat space of one or two axes.
        share: μ.
    """

    guarantee: Pure
    tables: Annotated[tuple[AnyTable, ...], Note(minItems=1, maxItems=TABLES)] = field(repr=False)
    share: Fraction

    def __post_init__(self) -> None:
        tables = self.tables
        if not tables or len(tables) > TABLES or not all(isinstance(table, AnyTable) for table in tables):
            raise invalid("SharedTables", "tables", f"one to {TABLES} tables", [type(t).__name__ for t in tables])
        if len({table.query.space for table in tables}) > 1 or len({table.query for table in tables}) < len(tables):
            raise invalid("SharedTables", "tables", "of different queries on one space", len(tables))
        if any(table.guarantee.epsilon != self.guarantee.epsilon for table in tables):
            rates = [table.guarantee.epsilon for table in tables]
            raise invalid("SharedTables", "guarantee", "that of every table", rates)
        require_per_distance("SharedTables", self.guarantee, tables[0].query.space.distance_unit)
        if any(table.spare_rows is not None for table in tables):
            rule = "with straight lines between lattice points (Table.calibrate(…, straight=True))"
            raise invalid("SharedTables", "tables", rule, "spare rows")
        if not 0 < self.share <= 1:
            raise invalid("SharedTables", "share", "a fraction above 0 and at most 1", self.share)
        looks = looked_at((table.values.size, one.sight) for table, one in zip(tables, spoken_of(tables), strict=True))
        if looks > LOOKS:
            raise invalid("SharedTables", "tables", f"of at most {LOOKS:,} letters and corners in all", f"{looks:,}")

    def derived(self) -> Held:
        """What its document holds beside its parameters."""
        return {"space": self.space}

    @cached_property
    def spent(self) -> Fraction:
        """At most 1 if the promise holds: of the tables, and of how often they are heard together."""
        return max(*(table.spent for table in self.tables), Fraction(1) if keeps(self.tables, self.share) else _BROKEN)

    @property
    def space(self) -> Space:
        """Where values live."""
        return self.tables[0].query.space

    @cached_property
    def idle(self) -> tuple[int, ...]:
        """The letter of each table that is not said."""
        return tuple(map(idle_of, self.tables))

    @cached_property
    def size(self) -> int:
        """How many reports there are, nothing included."""
        return 1 + sum(table.values.size - 1 for table in self.tables)

    @cached_property
    def lookup(self) -> Lookup:
        """What the float filter looks things up in."""
        return lookup_of(self.tables, self.idle, self.share, float(self.guarantee.epsilon))

    @cached_property
    def _places(self) -> tuple[tuple[int, int], ...]:
        """Table and letter of each report from 1 on."""
        return tuple(
            (j, k)
            for j, (table, idle) in enumerate(zip(self.tables, self.idle, strict=True))
            for k in range(table.values.size)
            if k != idle
        )

    def letter(self, code: int) -> tuple[int, int]:
        """The table and the letter of a report that says something."""
        return self._places[code - 1]

    def law_at(self, s: FloatArray) -> FloatArray:
        """The probability of every report at coordinates s of shape (n, tables), shape (n, size)."""
        said = [np.delete(table.probabilities(s[:, j]), self.idle[j], axis=1) for j, table in enumerate(self.tables)]
        spoken = float(self.share) * np.concatenate(said, axis=1)
        return np.concatenate([1 - spoken.sum(axis=1, keepdims=True), spoken], axis=1)

    def nothing(self, points: FloatArray) -> FloatArray:
        """The probability of saying nothing at points of the space, shape (n,)."""
        heard = np.zeros(len(points))
        for table, idle in zip(self.tables, self.idle, strict=True):
            s = np.asarray(table.query.geometry(points)).reshape(-1)
            heard += 1 - table.probabilities(s)[:, idle]
        return np.asarray(1 - float(self.share) * heard)


def lookup_of(tables: Sequence[AnyTable], idle: Sequence[int], share: Fraction, rate: float) -> Lookup:
    """What kernels.codes looks things up in."""
    lattices = [table.lattice for table in tables]
    spoken = [np.delete(table.weights, k, axis=1) for table, k in zip(tables, idle, strict=True)]
    sums = [np.cumsum(part, axis=1) * (float(share) / TOTAL) for part in spoken]
    starts, rows = (np.cumsum([0, *(part.size for part in parts)]) for parts in (lattices, sums))
    letters = np.array([part.shape[1] for part in spoken], dtype=np.int64)
    flat = np.concatenate([part.ravel() for part in sums])
    return np.concatenate(lattices), starts.astype(np.int64), flat, rows.astype(np.int64), letters, rate
