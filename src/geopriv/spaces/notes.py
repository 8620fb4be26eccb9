"""What a JSON Schema can say of a parameter and its type hint cannot."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar


class Note:
    """A part of a schema beside a type: `Annotated[int, Note(minimum=1)]`."""

    spare: ClassVar[bool] = False  # whether the key may be missing

    def __init__(self, **schema: Any) -> None:
        self.schema = schema


class Spare(Note):
    """The same of a parameter that documents leave out where it is the default: so others stay what they were."""

    spare = True


Positive = Annotated[float, Note(exclusiveMinimum=0)]
NotNegative = Annotated[float, Note(minimum=0)]
Endless = Annotated[float, Note(type=["number", "string"], pattern="^-?inf$")]  # a number that may be infinite
Vector = Annotated[tuple[float, ...], Note(minItems=1)]
