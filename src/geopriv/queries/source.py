"""Where people's values are found in a table, and the public range they are clamped to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from geopriv.spaces import Space
from geopriv.spaces.checks import FloatArray, invalid, numbers
from geopriv.spaces.notes import Note


@dataclass(frozen=True)
class Source:
    """Columns of a table, in the order of the space's axes (latitude before longitude), and the range of their values.

    Args:
        columns: their names; none where only devices report, who are clamped to the same range.
        low: the least value on each axis, public; none for no clamping.
        high: the largest value on each axis.
        person: a column that names people, if there is one: each reports once.

    Guarantee: clamping to a public box is 1-Lipschitz on lines and in flat spaces (no axis moves farther apart), so
    what holds for clamped values holds for the values. Dropping those outside would tell that they are outside.

    >>> Source(("income",), low=(0.0,), high=(1e6,)).clamped(np.array([-5.0, 2e6]))
    array([      0., 1000000.])
    """

    columns: tuple[Annotated[str, Note(minLength=1)], ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    person: str = ""

    def __post_init__(self) -> None:
        if isinstance(self.columns, str):
            raise invalid("Source", "columns", "a sequence of names", self.columns)
        columns = tuple(self.columns)
        if not all(columns) or not (columns or (len(self.low) and not self.person)):
            raise invalid("Source", "columns", "names of columns, or none for a range alone", self.columns)
        if len({*columns, self.person}) != len(columns) + 1:
            raise invalid("Source", "columns", "each named once, apart from the person's", (*columns, self.person))
        object.__setattr__(self, "columns", columns)
        for name in ("low", "high"):
            ends = numbers("Source", name, getattr(self, name), least=0)
            if columns and len(ends) not in (0, len(columns)):
                raise invalid("Source", name, f"one number for each of {len(columns)} columns, or none", ends)
            object.__setattr__(self, name, ends)
        if len(self.low) != len(self.high) or not (np.asarray(self.low) < np.asarray(self.high)).all():
            raise invalid("Source", "high", f"above low = {self.low}", self.high)

    def require_fit(self, space: Space) -> None:
        """Refuse a space with another number of axes, and to clamp degrees, which moves people near a pole apart."""
        if self.low and space.geographic:
            raise invalid("Source", "low", "left out on a map, which clamps to its own region", self.low)
        for name in ("columns", "low"):
            given = getattr(self, name)
            if given and len(given) != space.dimension:
                raise invalid("Source", name, f"one for each of {space.dimension} axes of {space}", given)

    def clamped(self, values: Any) -> FloatArray:
        """Values (n,) of one column or (n, d) of several, moved into the range; not-a-number stays so."""
        array = np.asarray(values, dtype=np.float64)
        if not self.low:
            return array
        low, high = (np.asarray(end) if array.ndim > 1 else end[0] for end in (self.low, self.high))
        return np.asarray(np.clip(array, low, high))
