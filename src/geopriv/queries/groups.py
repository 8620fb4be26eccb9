"""Groups of people: public labels that reports carry openly, and how much each counts in an answer for all."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from geopriv.device.groups import GROUPS, QUOTES
from geopriv.device.texts import LABEL, NAME, plain
from geopriv.queries.source import Source
from geopriv.spaces.checks import FloatArray, invalid, positive
from geopriv.spaces.notes import Note

Label = Annotated[str, Note(minLength=1, maxLength=LABEL)]
Weight = Annotated[float, Note(exclusiveMinimum=0)]
_NAMES = Note(minItems=2, maxItems=GROUPS, description="In the order of the numbers that reports carry.")
_WEIGHTS = Note(maxItems=GROUPS, description="How many each group stands for, one for each name; or none at all.")


@dataclass(frozen=True)
class Groups:
    """Public labels, of which each report carries one as it is, beside what is protected.

    Args:
        column: of a table that holds the label; empty where only devices report.
        names: of the groups, 2 to 1,000 different short texts.
        weights: how many people each group stands for (known sizes, post-stratification), in the order of names; none
            where an answer for all is the mean over all who reported.

    Guarantee: none about the label. It must not depend on the private value: what it tells of the value is told.

    >>> groups = Groups("county", ("Kings", "Queens"), (2_736_074, 2_405_464))
    >>> groups.weights, groups.shares.round(3)
    ((2736074.0, 2405464.0), array([0.532, 0.468]))
    """

    column: Annotated[str, Note(maxLength=NAME)]
    names: Annotated[tuple[Label, ...], _NAMES]
    weights: Annotated[tuple[Weight, ...], _WEIGHTS] = ()

    def __post_init__(self) -> None:
        if self.column != "" and not plain(self.column, NAME):
            raise invalid("Groups", "column", f"empty or a text of 1 to {NAME} printable characters", self.column)
        if not all(plain(name, LABEL) for name in self.names):
            rule = f"texts of 1 to {LABEL} printable characters, in NFC, without spaces at their ends"
            raise invalid("Groups", "names", rule, self.names)
        names = tuple(self.names)
        if any(mark in name for name in names for mark in QUOTES):
            raise invalid("Groups", "names", "made of texts without quotation marks", names)
        if not 2 <= len(names) <= GROUPS or len(set(names)) < len(names):
            raise invalid("Groups", "names", f"2 to {GROUPS:,} texts, none of them twice", names)
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "weights", self._weighed())

    def _weighed(self) -> tuple[float, ...]:
        """The weights as floats."""
        found = tuple(positive("Groups", "weights", weight) for weight in self.weights)
        if len(found) not in (0, len(self.names)):
            raise invalid("Groups", "weights", f"one for each of {len(self.names)} names, or none", len(found))
        if found and not (math.isfinite(sum(found)) and min(found) / sum(found) > 0):
            raise invalid("Groups", "weights", "such that each is a share of their sum", found)
        return found

    def require_apart(self, source: Source | None) -> None:
        """Refuse a column that holds values or names of people: what a group's column holds is told openly.

        Raises:
            InvalidParameter: naming the column.
        """
        if source is not None and self.column and self.column in (*source.columns, source.person):
            rule = "another column than those of values and of people's names, since it is told openly"
            raise invalid("Groups", "column", rule, self.column)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def shares(self) -> FloatArray:
        """The weight of each group in an answer for all; they add up to 1. Empty where groups have no weights."""
        return np.asarray(self.weights) / (math.fsum(self.weights) or 1.0)
