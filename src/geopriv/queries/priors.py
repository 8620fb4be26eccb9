"""Public knowledge of where people are: a published sample, a published table, a fitted law, or nothing at all.

A prior decides only how well a mechanism does on average, never what it promises. It must be public: taken from the
data being collected, it would be a release of its own.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from geopriv.errors import OutOfDomain
from geopriv.queries import Query
from geopriv.spaces import Space
from geopriv.spaces.checks import (
    FloatArray,
    finite,
    invalid,
    numbers,
    same_fields,
)
from geopriv.spaces.frames import as_array

_POINTS = 1 << 14


@dataclass(frozen=True, eq=False)
class Prior:
    """Values and their shares.

    Args:
        values: public values of a space, of shape (m,) on a line and (m, d) elsewhere.
        weights: one share for each value, at least 0 and summing to 1.

    Raises:
        InvalidParameter: for no values, for a value or weight that is not finite, and for weights that are negative or
            do not sum to 1.

    >>> Prior.sample([20_000.0, 90_000.0], weights=[3, 1])
    Prior of 2 values
    """

    values: FloatArray = field(repr=False)
    weights: FloatArray = field(repr=False)

    def __post_init__(self) -> None:
        values = _array("values", self.values)
        if values.ndim not in (1, 2) or values.size == 0:
            raise invalid("Prior", "values", "at least one value, in an array of shape (m,) or (m, d)", values.shape)
        weights = _array("weights", self.weights)
        if weights.shape != values.shape[:1] or (weights < 0).any():
            raise invalid("Prior", "weights", f"{len(values)} numbers of at least 0", weights.shape)
        if abs(math.fsum(weights.tolist()) - 1) > 1e-9:
            raise invalid("Prior", "weights", "a set that sums to 1", float(weights.sum()))
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "weights", weights)

    def __repr__(self) -> str:
        return f"Prior of {len(self.values):,} values"

    def __eq__(self, other: object) -> bool:
        return same_fields(self, other)

    def __hash__(self) -> int:
        return hash((self.values.tobytes(), self.weights.tobytes()))

    @classmethod
    def sample(cls, values: Any, weights: Any = None) -> Prior:
        """A published sample, each value as likely as its weight says; equally likely by default.

        Args:
            values: of shape (m,) or (m, d).
            weights: m numbers of at least 0, of any sum above 0.
        """
        array = _array("values", values)
        size = len(array) if array.ndim else 0
        return cls(array, _shares("weights", np.ones(size) if weights is None else weights, size))

    @classmethod
    def histogram(cls, edges: Any, shares: Any) -> Prior:
        """A published table of brackets, spread evenly inside each.

        Args:
            edges: increasing, one more than there are brackets. An open-ended last bracket must be given an end.
            shares: people in each bracket, as counts or shares.

        >>> prior = Prior.histogram([0, 50_000, 100_000, 1_000_000], [3, 3, 6])
        >>> float(prior.weights[prior.values < 100_000].sum())
        0.5
        """
        ends = np.asarray(numbers("Prior", "edges", edges, 2))
        if not (np.diff(ends) > 0).all():
            raise invalid("Prior", "edges", "increasing", edges)
        mass = _shares("shares", shares, ends.size - 1)
        each = max(16, _POINTS // mass.size)
        inside = (np.arange(each) + 0.5) / each
        values = ends[:-1, None] + np.diff(ends)[:, None] * inside
        return cls(values.ravel(), np.repeat(mass / each, each))

    @classmethod
    def brackets(
        cls,
        path: str | Path,
        shares: str,
        end: float | None = None,
        low: str = "bracket_min",
        high: str = "bracket_max",
    ) -> Prior:
        """A published table of brackets in a CSV file with a header.

        Args:
            path: of the file.
            shares: the column of counts or shares.
            end: where an open-ended last bracket is taken to end.
            low: the column of lower ends; a bracket reaches up to the next one's lower end.
            high: the column of upper ends, empty in an open-ended last bracket.
        """
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
        columns = list(rows[0]) if rows else []
        for parameter, name in (("shares", shares), ("low", low), ("high", high)):
            if name not in columns:
                raise invalid("Prior", parameter, f"a column of the file, one of {columns}", name)
        last = rows[-1][high] if end is None else end
        if last == "":
            raise invalid("Prior", "end", "given, since the last bracket is open-ended", end)
        edges = [_number(low, row[low]) for row in rows] + [_number("end", last)]
        return cls.histogram(edges, [_number(shares, row[shares]) for row in rows])

    @classmethod
    def law(cls, ppf: Callable[[FloatArray], FloatArray]) -> Prior:
        """A fitted law on a line, from its quantile function.

        Args:
            ppf: takes probabilities strictly between 0 and 1, as `scipy.stats.lognorm(...).ppf` does.

        >>> Prior.law(lambda u: -np.log1p(-u)).values.mean().round(3)  # exponential
        np.float64(1.0)
        """
        if not callable(ppf):
            raise invalid("Prior", "ppf", "a quantile function", ppf)
        quantiles = _array("ppf", ppf((np.arange(_POINTS) + 0.5) / _POINTS))
        if quantiles.shape != (_POINTS,) or (np.diff(quantiles) < 0).any():
            raise invalid("Prior", "ppf", "an increasing function of arrays", ppf)
        return cls.sample(quantiles)

    @classmethod
    def uniform(cls, low: Any, high: Any) -> Prior:
        """Evenly between two numbers, or in a box of R^d between two corners (in the numbers themselves, on Earth too).

        Args:
            low: a number, or one for each axis.
            high: above `low` on every axis.

        >>> Prior.uniform((0, 0), (1, 2)).values.mean(axis=0).round(2)
        array([0.5, 1. ])
        """
        if np.ndim(low) == 0:
            return cls.histogram([finite("Prior", "low", low), finite("Prior", "high", high)], [1.0])
        corner, other = np.asarray(numbers("Prior", "low", low)), np.asarray(numbers("Prior", "high", high))
        if other.shape != corner.shape or not (corner < other).all():
            raise invalid("Prior", "high", f"above {tuple(corner.tolist())} on every axis", high)
        return cls.sample(corner + (other - corner) * even_points(corner.size))


def points_under(owner: str, space: Space, prior: Any) -> tuple[FloatArray, FloatArray]:
    """The points of a space that a prior, or an array of public values, puts its mass on, and their shares."""
    if not isinstance(prior, Prior):
        values = _table_columns(owner, "prior", prior, space)
        if np.size(values) == 0:
            raise invalid(owner, "prior", "at least one value", "none")
        prior = Prior.sample(values)
    if prior.values.shape[1:] != space.point_shape:
        raise invalid(owner, "prior", f"made of values of {space}", f"an array of shape {prior.values.shape}")
    try:
        return space.read(prior.values), prior.weights
    except OutOfDomain as error:
        raise invalid(owner, "prior", f"made of values of {space} ({error})", prior) from None


def coordinates_under(owner: str, query: Query, prior: Any) -> tuple[FloatArray, FloatArray]:
    """The coordinates that a prior, or an array of public values, puts its mass on, and their shares."""
    points, weights = points_under(owner, query.space, prior)
    return np.asarray(query.geometry(points)), weights


def _array(parameter: str, value: Any) -> FloatArray:
    columns = _table_columns("Prior", parameter, value)
    try:
        array = np.array(columns, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.array(np.nan)
    if not np.isfinite(array).all():
        raise invalid("Prior", parameter, "an array of finite numbers", type(value).__name__)
    return array


def _table_columns(owner: str, parameter: str, value: Any, space: Space | None = None) -> Any:
    """Of a table its columns of numbers; anything else as it is."""
    try:
        return as_array(value, space)
    except OutOfDomain as error:
        raise invalid(owner, parameter, f"an array or a table of numbers ({error})", type(value).__name__) from None


def _shares(parameter: str, value: Any, size: int) -> FloatArray:
    """Weights that sum to 1, from counts or shares."""
    mass = _array(parameter, value)
    if mass.shape != (size,) or (mass < 0).any():
        raise invalid("Prior", parameter, f"{size} numbers of at least 0", np.shape(mass))
    total = math.fsum(mass.tolist())
    if size and not 0 < total < math.inf:
        raise invalid("Prior", parameter, "a set with some mass: at least one must be above 0", total)
    return mass / total if size else mass


def _number(column: str, text: Any) -> float:
    try:
        return float(text)
    except (TypeError, ValueError):
        raise invalid("Prior", "path", f"a file whose column {column!r} holds numbers", text) from None


def even_points(axes: int, size: int = _POINTS) -> FloatArray:
    """Points that fill the unit cube evenly, shape (size, d): Halton's, each axis counting in a prime, digits mirrored.

    The first of them are even too.
    """
    primes = [p for p in range(2, 8 * axes + 8) if all(p % q for q in range(2, math.isqrt(p) + 1))][:axes]
    points = np.zeros((size, axes))
    for axis, prime in enumerate(primes):
        left, digit = np.arange(1, size + 1), 1.0
        while left.any():
            digit /= prime
            points[:, axis] += digit * (left % prime)
            left //= prime
    return points
