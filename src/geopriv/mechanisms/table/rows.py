"""The numbers of a Table: integer weights at lattice points, and the law that they state."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Annotated, TypedDict

import numpy as np
import numpy.typing as npt

from geopriv.mechanisms.guarantee import Pure, require_per_distance
from geopriv.mechanisms.table.integers import TOTAL, Integers, worst_step
from geopriv.queries import Query
from geopriv.shapes.coordinates.documents import CoordinateDocument
from geopriv.spaces import Space
from geopriv.spaces.checks import FloatArray, invalid, same_fields
from geopriv.spaces.notes import Note

WEIGHTS = Note(
    minItems=2,
    items={"type": "array", "minItems": 1, "items": {"type": "integer", "minimum": 0, "maximum": TOTAL}},
    description="One row a lattice point, each summing to 2^60. A reader in a browser needs BigInt.",
)


class Carried(TypedDict):
    """What a device needs of a query, beside its words: where values live, and s."""

    space: Space
    coordinate: CoordinateDocument


@dataclass(frozen=True, eq=False)
class Rows:
    """Probabilities that are linear in the coordinate between lattice points.

    Args:
        query: f = f0 ∘ s.
        guarantee: what is promised.
        lattice: increasing coordinates.
        values: what may be reported.
        weights: integers of shape (points, values), every row summing to 2^60.
    """

    query: Query
    guarantee: Pure
    lattice: Annotated[FloatArray, Note(minItems=2)] = field(repr=False)
    values: Annotated[FloatArray, Note(minItems=1)]
    weights: Annotated[Integers, WEIGHTS] = field(repr=False)

    def __post_init__(self) -> None:
        shape = (self.lattice.size, self.values.size)
        if self.lattice.ndim != 1 or self.lattice.size < 2 or not (np.diff(self.lattice) > 0).all():
            raise invalid("Table", "lattice", "at least two increasing coordinates", self.lattice.shape)
        if self.weights.dtype != np.int64 or self.weights.shape != shape:
            raise invalid("Table", "weights", f"64-bit integers of shape {shape}", self.weights.shape)
        if self.values.ndim != 1 or not (np.isfinite(self.lattice).all() and np.isfinite(self.values).all()):
            raise invalid("Table", "values", "a sequence of finite numbers, and the lattice too", self.values.shape)
        require_per_distance("Table", self.guarantee, self.query.space.distance_unit)
        for name in ("lattice", "values", "weights"):  # copied and locked: what was verified must not change
            array = getattr(self, name).copy()
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    def __eq__(self, other: object) -> bool:
        return same_fields(self, other)

    def __hash__(self) -> int:
        return hash((self.query, self.guarantee, self.lattice.tobytes(), self.weights.tobytes()))

    @cached_property
    def worst_step(self) -> tuple[Fraction, int, int]:
        """The largest loss per distance over what is promised, exactly, and the cell and value where it is.

        The promise holds if it is at most 1.
        """
        return worst_step(self.lattice, self.weights, Fraction(self.guarantee.epsilon))

    @property
    def spent(self) -> Fraction:
        """The largest loss per distance over what is promised."""
        return self.worst_step[0]

    def derived(self) -> Carried:
        """What its document holds beside its parameters, and must be that of its query to the last digit."""
        return {"space": self.query.space, "coordinate": self.query.geometry.document()}

    def probabilities(self, s: FloatArray) -> FloatArray:
        """The law of the report at coordinates s, shape (..., values)."""
        cell, share = self._place(s)
        rows = self.weights / TOTAL
        return np.asarray((1 - share)[..., None] * rows[cell] + share[..., None] * rows[cell + 1])

    def variance_at(self, s: FloatArray) -> FloatArray:
        """Of the mixture of two rows: the mean of their variances and the spread between their means."""
        cell, share = self._place(s)
        mean, variance = self._rows
        between = share * (1 - share) * (mean[cell + 1] - mean[cell]) ** 2
        return np.asarray((1 - share) * variance[cell] + share * variance[cell + 1] + between)

    @cached_property
    def _rows(self) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of every row. Means are sums of exact fractions, rounded once; squares are centred."""
        letters = [Fraction(y) for y in self.values.tolist()]
        rows = self.weights.tolist()
        means = [float(sum(w * y for w, y in zip(row, letters, strict=True)) / TOTAL) for row in rows]
        mean = np.asarray(means)
        return mean, ((self.weights / TOTAL) * (self.values - mean[:, None]) ** 2).sum(axis=1)

    def mean_at(self, s: FloatArray) -> FloatArray:
        """The mean of the report at coordinates: the interpolant of the rows' means."""
        return np.asarray(np.interp(s, self.lattice, self._rows[0]))

    def _place(self, s: FloatArray) -> tuple[npt.NDArray[np.intp], FloatArray]:
        """The cell of each coordinate and how far along it is, 0 to 1; the nearest end outside the lattice."""
        inside = np.clip(s, self.lattice[0], self.lattice[-1])
        cell = np.clip(np.searchsorted(self.lattice, inside, side="right") - 1, 0, self.lattice.size - 2)
        return cell, (inside - self.lattice[cell]) / (self.lattice[cell + 1] - self.lattice[cell])
