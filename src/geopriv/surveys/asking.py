"""What all queries of a survey share: the space, ε, the public range, and how answers are named."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from geopriv.queries import Query
from geopriv.queries.questions import Share
from geopriv.spaces import Space
from geopriv.surveys.lengths import length
from geopriv.surveys.part import Part, shown

EDGE_WIDTH = 4.0  # in units of 1/ε, of edges that are not blurred
_LONGEST = 80  # characters of a name


@dataclass(frozen=True)
class Asking:
    """What all queries of a survey share.

    Args:
        kind: of space, as the file says it.
        space: where values live.
        rate: ε per unit of distance.
        limits: lowest and highest value on each axis, shape (axes, 2); empty on a map.
        folder: where paths start.
        alone: whether the survey has a single query.
        columns: where the values are found in a table, which also says what they are; empty if nothing is said.
        apart: whether each question has a table of its own, so that borders need no blur.
        rounds: over which noise walks; 1 where it does not.
    """

    kind: str
    space: Space
    rate: float
    limits: list[list[float]]
    folder: Path
    alone: bool
    columns: tuple[str, ...] = ()
    apart: bool = False
    rounds: int = 1

    def length(self, part: Part, key: str, value: float | str | None, default: float) -> float:
        """A length of a table, or the default in units of 1/ε."""
        return default / self.rate if value is None else length(part, key, value, self.space, self.rate)

    def said(self, *values: float) -> str:
        """Values with the unit, for names."""
        numbers = ", ".join(f"{value:,.10g}" for value in values)
        unit = "" if self.space.geographic else self.space.value_unit or ""
        return f"{f'({numbers})' if len(values) > 1 else numbers} {unit}".strip()

    def corner(self, at: tuple[float, ...]) -> str:
        """What is true of those above a value on every axis, by the names of the axes where they are known."""
        if self.space.geographic:
            return f"north and east of {self.said(*at)}"
        named = [f"{column} above {self.said(value)}" for column, value in zip(self.columns, at, strict=False)]
        words = " and ".join(named)
        # what is cut short could be the same for two corners
        return words if 0 < len(words) <= _LONGEST // 4 * 3 else f"above {self.said(*at)}"

    def value(self, part: Part, key: str, value: float) -> float:
        """A value on a line, in the public range."""
        low, high = self.limits[0]
        if value == low and not self.space.holds(value):
            raise part.wrong(key, f"above {low:,.10g}, where the range of a log space starts", value)
        if not low <= value <= high:
            raise part.wrong(key, f"in the range of the space, {low:,.10g} to {self.said(high)}", value)
        return value

    def point(self, part: Part, key: str, value: list[float]) -> tuple[float, ...]:
        """A point in the public range or region."""
        axes = self.space.dimension
        if len(value) != axes:
            raise part.wrong(key, f"a point with {axes} numbers, one for each axis", value)
        if self.space.geographic:
            if not self.holds(value):
                hint = "; it would be if they were swapped" if self.holds(value[::-1]) else ""
                raise part.error(
                    f"must be [latitude, longitude] in the region of the space, not {shown(value)}{hint}", key
                )
        elif not all(low <= number <= high for number, (low, high) in zip(value, self.limits, strict=True)):
            raise part.wrong(key, f"in the range of the space, {shown(self.limits)}", value)
        return tuple(value)

    def holds(self, place: list[float]) -> bool:
        """Whether a place (latitude, longitude), perhaps no place at all, lies in the region of a map."""
        latitude, longitude = place
        return -90 <= latitude <= 90 and -180 <= longitude <= 360 and self.space.holds(place)


def share(
    name: str | None, title: str, query: Query, part: Part, plain: bool | None = None, several: bool = False
) -> Share:
    """A share of the name that is given, or of one made from its parameters; plain unless it is said not to be."""
    made = title_of(title if name is None else f"{name}, {title}")
    with part.explaining():
        return Share(made if name is None or several else name, query, plain is not False)


def title_of(words: str) -> str:
    """Words as a name: without the signs that names do not have, and cut short."""
    return re.sub(r"[^\w .,:;()/%+≥≤<>$€£-]", "", words).lstrip(" _.,:;()/%+≥≤<>$€£-")[:_LONGEST].strip() or "area"
