"""Any function on finitely many labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from geopriv.queries.base import Query
from geopriv.shapes.coordinates import Box, Coordinate
from geopriv.shapes.profiles import Profile
from geopriv.spaces import Finite
from geopriv.spaces.balls import arb
from geopriv.spaces.checks import FloatArray, invalid


@dataclass(frozen=True)
class Values(Query):
    """A number for each label of a `Finite`: any function on it.

    Args:
        values: a number for each label (a mapping), numbers in the order of the labels, or a function of a label.
        space: the labels and their distances.

    >>> from geopriv import Finite
    >>> f = Values({"A": 0.0, "B": 0.5, "C": 1.0}, Finite([[0, 3, 5], [3, 0, 4], [5, 4, 0]], labels=["A", "B", "C"]))
    >>> f(["C", "A"]), f.lipschitz
    (array([1., 0.]), 0.2)
    """

    values: tuple[float, ...] = field(repr=False)
    space: Finite

    in_documents: ClassVar[bool] = False

    def __init__(self, values: Mapping[Any, float] | Sequence[float] | Callable[[Any], float], space: Finite) -> None:
        if not getattr(space, "finite", False):
            raise invalid("Values", "space", "a Finite", space)
        given: Any = values
        if callable(values):
            given = [values(label) for label in space.labels]
        elif isinstance(values, Mapping):
            if set(values) != set(space.labels):
                odd = next(iter(set(values) ^ set(space.labels)))
                raise invalid("Values", "values", "one number for each label of the space, and no other", odd)
            given = [values[label] for label in space.labels]
        try:
            numbers = np.array(given, dtype=np.float64)
        except (TypeError, ValueError):
            numbers = np.empty(0)
        if numbers.shape != (len(space.labels),) or not np.isfinite(numbers).all():
            rule = f"{len(space.labels)} finite numbers, one for each label of the space"
            raise invalid("Values", "values", rule, "an array of shape " + str(numbers.shape))
        if numbers.min() == numbers.max():
            raise invalid("Values", "values", "of at least two different numbers", float(numbers[0]))
        object.__setattr__(self, "values", tuple(numbers.tolist()))
        object.__setattr__(self, "space", space)

    @cached_property
    def array(self) -> FloatArray:
        """The numbers in the order of the labels."""
        return np.array(self.values)

    def answer(self, points: FloatArray) -> FloatArray:
        return self.array[points[..., 0].astype(np.intp)]

    def enclose_answer(self, row: Sequence[float]) -> arb:
        return arb(self.values[int(row[0])])

    @property
    def bounds(self) -> tuple[float, float]:
        return min(self.values), max(self.values)

    @property
    def is_share(self) -> bool:
        low, high = self.bounds
        return low >= 0 and high <= 1

    @cached_property
    def slopes(self) -> FloatArray:
        """|f(x) − f(x')|/dist(x, x') of all pairs of labels, 0 of a label with itself, shape (n, n)."""
        far = self.space.distances
        rise = np.abs(self.array[:, None] - self.array)
        return np.divide(rise, far, out=np.zeros_like(rise), where=far > 0)

    @property
    def lipschitz(self) -> float:
        return float(self.slopes.max())

    @property
    def has_profile(self) -> bool:
        return False

    @property
    def geometry(self) -> Coordinate:
        raise invalid("Values", "query", "asked of a mechanism of geopriv.smooth", "one that needs a coordinate")

    @property
    def profile(self) -> Profile:
        raise invalid("Values", "query", "asked of a mechanism of geopriv.smooth", "one that needs a profile")

    @property
    def moved(self) -> object:
        return self

    @property
    def place(self) -> FloatArray:
        return np.zeros(1)

    def box(self, margin: float) -> Box:
        return self.space.limits

    def box_of_change(self, margin: float) -> Box | None:
        return None
