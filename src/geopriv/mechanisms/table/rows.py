"""The numbers of a Table: integer weights at lattice points, and the law that they state."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Annotated, TypedDict

import numpy as np
import numpy.typing as npt

from geopriv.mechanisms.guarantee import Pure, require_per_distance
from geopriv.mechanisms.table.integers import TOTAL, worst_step
from geopriv.mechanisms.table.spare import ROWS, Integers, SpareRows, factors
from geopriv.queries import Query
from geopriv.shapes.coordinates.documents import CoordinateDocument
from geopriv.spaces import Space
from geopriv.spaces.checks import FloatArray, invalid, same_fields
from geopriv.spaces.notes import Note


class Carried(TypedDict):
    """What a device needs of a query, beside its words: where values live, and s."""

    space: Space
    coordinate: CoordinateDocument


@dataclass(frozen=True, eq=False)
class Rows:
    """Probabilities that are linear in the coordinate between lattice points, or bent by spare rows.

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
    weights: Annotated[Integers, ROWS] = field(repr=False)

    def __post_init__(self) -> None:
        shape = (self.lattice.size, self.values.size)
        if self.lattice.ndim != 1 or self.lattice.size < 2 or not (self.lattice[1:] > self.lattice[:-1]).all():
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
        return worst_step(self.lattice, self.weights, Fraction(self.guarantee.epsilon), self.spare_rows)

    @property
    def spare_rows(self) -> SpareRows | None:
        """Second rows of the lattice points (theory T5″); None where probabilities are linear."""
        return None

    @cached_property
    def all_weights(self) -> Integers:
        """The weights of all rows, then of all spare rows."""
        spare = self.spare_rows
        return self.weights if spare is None else np.concatenate([self.weights, spare.rows])

    @property
    def spent(self) -> Fraction:
        """The largest loss per distance over what is promised."""
        return self.worst_step[0]

    def derived(self) -> Carried:
        """What its document holds beside its parameters, and must be that of its query to the last digit."""
        return {"space": self.query.space, "coordinate": self.query.geometry.document()}

    def probabilities(self, s: FloatArray) -> FloatArray:
        """The law of the report at coordinates s, shape (..., values)."""
        chances = self.all_weights / TOTAL
        return np.asarray(sum(part[..., None] * chances[row] for row, part in self.mixture(s)))

    def mixture(self, s: FloatArray) -> list[tuple[npt.NDArray[np.intp], FloatArray]]:
        """The rows from which a report at coordinates s is drawn, as places in `all_weights`, and how often each is."""
        return self._mixed(*self._place(s))

    def law_in(self, cell: int, share: float) -> FloatArray:
        """The law of the report where a share of a cell lies before the coordinate, shape (values,)."""
        parts = self._mixed(np.asarray(cell), np.asarray(share))
        return np.asarray(sum(part * self.all_weights[row] for row, part in parts) / TOTAL)

    def _mixed(self, cell: npt.NDArray[np.intp], share: FloatArray) -> list[tuple[npt.NDArray[np.intp], FloatArray]]:
        spare = self.spare_rows
        if spare is None:
            return [(cell, 1 - share), (cell + 1, share)]
        return list(zip(self._around(cell), factors(share, spare.chances[cell]), strict=True))

    def _around(self, cell: npt.NDArray[np.intp]) -> list[npt.NDArray[np.intp]]:
        """The rows at both ends of a cell, and their spare rows."""
        return [cell + k for k in (0, 1, self.lattice.size, self.lattice.size + 1)]

    def variance_at(self, s: FloatArray) -> FloatArray:
        """Of a mixture of rows: the mean of their variances and the spread between their means."""
        mean, variance = self._rows
        centre, parts = self.mean_at(s), self.mixture(s)
        return np.asarray(sum(part * (variance[row] + (mean[row] - centre) ** 2) for row, part in parts))

    @cached_property
    def _rows(self) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of every row. Means are sums of exact fractions, rounded once; squares are centred."""
        letters = [Fraction(y) for y in self.values.tolist()]
        rows = self.all_weights.tolist()
        means = [float(sum(w * y for w, y in zip(row, letters, strict=True)) / TOTAL) for row in rows]
        mean = np.asarray(means)
        return mean, ((self.all_weights / TOTAL) * (self.values - mean[:, None]) ** 2).sum(axis=1)

    def mean_at(self, s: FloatArray) -> FloatArray:
        """The mean of the report at coordinates: straight lines between the rows' means, bent by the spare rows'."""
        means = self._rows[0]
        straight = np.asarray(np.interp(s, self.lattice, means[: self.lattice.size]))
        if self.spare_rows is None:
            return straight
        cell, share = self._place(s)
        _, _, *spare = factors(share, self.spare_rows.chances[cell])
        below, above, *others = self._around(cell)
        pairs = zip(spare, others, (below, above), strict=True)
        return np.asarray(straight + sum(part * (means[row] - means[own]) for part, row, own in pairs))

    def _place(self, s: FloatArray) -> tuple[npt.NDArray[np.intp], FloatArray]:
        """The cell of each coordinate and how far along it is, 0 to 1; the nearest end outside the lattice."""
        inside = np.clip(s, self.lattice[0], self.lattice[-1])
        cell = np.clip(np.searchsorted(self.lattice, inside, side="right") - 1, 0, self.lattice.size - 2)
        return cell, (inside - self.lattice[cell]) / (self.lattice[cell + 1] - self.lattice[cell])
