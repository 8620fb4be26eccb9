"""The table [groups]: public labels that reports carry openly, and known sizes of the groups."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from geopriv.device.groups import GROUPS
from geopriv.device.texts import LABEL
from geopriv.queries import Groups
from geopriv.queries.source import Source
from geopriv.surveys.part import Part
from geopriv.surveys.tables import Table, Text

Label = Annotated[str, Field(min_length=1, max_length=LABEL)]
Size = Annotated[float, Field(gt=0)]
_TEXTS = f"different texts of at most {LABEL} characters"
# what is said of a weight that each person would send
UNPROTECTED = (
    "a weight of each person would be a second value, sent unprotected. Weights that are public are those of groups: "
    "make each class of weights a name under [groups], with weights = { name = how many people it stands for }"
)


class GroupsTable(Table):
    """Public labels of people, one a report."""

    column: Text | None = Field(
        None, description="the column that holds a person's group, told openly; left out if only devices report"
    )
    names: Annotated[list[Label], Field(min_length=2, max_length=GROUPS)] | None = Field(
        None, description=f"a list of 2 to {GROUPS:,} {_TEXTS}; left out where weights names them"
    )
    weights: Annotated[dict[Label, Size], Field(min_length=2, max_length=GROUPS)] | None = Field(
        None, description=f"a table of 2 to {GROUPS:,} {_TEXTS}, each with how many people it stands for"
    )

    def build(self, part: Part, source: Source | None) -> Groups:
        """The groups, found in a column that holds neither values nor names."""
        names = self.names or list(self.weights or ())
        if not names:
            raise part.error(f"lacks 'names': a list of 2 to {GROUPS:,} {_TEXTS}, or 'weights' that name them")
        if self.weights is not None and set(self.weights) != set(names):
            odd = sorted(set(self.weights) ^ set(names))[0]
            raise part.error(f"must have a number for each name and no other; {odd!r} is in one only", "weights")
        with part.explaining():
            weights = tuple(self.weights[name] for name in names) if self.weights else ()
            groups = Groups(self.column or "", tuple(names), weights)
            groups.require_apart(source)
        return groups
