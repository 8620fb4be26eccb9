"""Groups of a design: public labels, of which a report tells one openly beside what is protected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from geopriv.device.reading import parts, positive, refuse, text, thing
from geopriv.device.texts import LABEL, NAME
from geopriv.errors import InvalidParameter

GROUPS = 1_000  # in a design
KEYS = {"Groups": ("column", "names", "weights")}
QUOTES = '"“”„‟«»＂〝〞'
_SHOWN = 10


@dataclass(frozen=True)
class DeviceGroups:
    """The labels of which a person tells one, in the order of a report's number.

    Args:
        names: none where a report tells no group.

    >>> groups = DeviceGroups(("Kings", "Queens"))
    >>> print(groups.sentence)
    A report tells a group openly, one of 2: "Kings", "Queens".
    >>> groups.index("Queens"), DeviceGroups().index(None)
    (1, None)
    """

    names: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """What a person is told of them before a report is made; empty where there are none."""
        if not self.names:
            return ""
        known = ", ".join(f'"{name}"' for name in self.names[:_SHOWN]) + (", …" if len(self.names) > _SHOWN else "")
        return f"A report tells a group openly, one of {len(self.names):,}: {known}."

    def index(self, group: str | None) -> int | None:
        """The number that a report carries for a group; None where the design has none.

        Raises:
            InvalidParameter: for a group that is missing, unknown, or not asked for.
        """
        if not self.names:
            if group is not None:
                raise InvalidParameter("The 'group' parameter must be left out: the design asks for no group.")
            return None
        if group not in self.names:
            got = "none" if group is None else "another text"
            raise InvalidParameter(f"The 'group' parameter must be one of the design's. Got {got}. {self.sentence}")
        return self.names.index(group)


def read_groups(document: Any) -> DeviceGroups:
    """The groups of a design's document, where it has any.

    Raises:
        InvalidDesign: for names that are not printable, short and different, and for weights that are no weights.
    """
    if document is None:
        return DeviceGroups()
    _, found = thing(document, "design.groups", KEYS)
    if found["column"] != "":
        text(found["column"], "design.groups.column", NAME)
    where = "design.groups.names"
    names = tuple(text(name, where, LABEL) for name in parts(found["names"], where, GROUPS))
    if any(
        mark in name for name in names for mark in QUOTES
    ):  # or a label could end its quotes, and go on in our words
        raise refuse(where, "made of labels without quotation marks", "one with some")
    if len(names) < 2 or len(set(names)) < len(names):
        raise refuse(where, "two or more, each another", f"{len(names)}, {len(set(names))} different")
    weights = found["weights"]
    if not isinstance(weights, list) or len(weights) not in (0, len(names)):
        raise refuse("design.groups.weights", "one number for each name, or none", type(weights).__name__)
    for weight in weights:
        positive(weight, "design.groups.weights")
    return DeviceGroups(names)
