"""Parts of a document, each read by one rule; what breaks a rule is an InvalidDesign that names it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from geopriv.errors import InvalidDesign

Document = Mapping[str, Any]
MOST_AXES = 64
MOST_CORNERS = 10_000  # of all rings of a polygon together


def refuse(where: str, rule: str, got: object) -> InvalidDesign:
    """The error for a part of a design that breaks a rule.

    >>> print(refuse("Line.unit", "a text", 3))
    Line.unit must be a text. Got 3 instead.
    """
    return InvalidDesign(f"{where} must be {rule}. Got {str(got)[:60]} instead.")


def thing(document: Any, where: str, kinds: Mapping[str, Sequence[str]]) -> tuple[str, Document]:
    """A document and its type, if it is one of the kinds and has exactly the keys of its kind."""
    if not isinstance(document, dict) or not isinstance(document.get("type"), str):
        raise refuse(where, "an object with a 'type'", type(document).__name__)
    kind = document["type"]
    if kind not in kinds:
        raise refuse(f"The type of {where}", f"one of {', '.join(sorted(kinds))}", kind)
    odd = sorted(set(document) ^ {"type", *kinds[kind]})
    if odd:
        raise refuse(f"{where}, a {kind},", f"made of the keys {', '.join(kinds[kind])}", f"a difference in {odd}")
    return kind, document


def number(value: Any, where: str) -> float:
    """A finite number."""
    if type(value) is float and math.isfinite(value):
        return value
    if type(value) is int and abs(value) < 1 << 1000:
        return float(value)
    raise refuse(where, "a finite number", value)


def positive(value: Any, where: str) -> float:
    """A positive finite number."""
    found = number(value, where)
    if not found > 0:
        raise refuse(where, "positive", value)
    return found


def numbers(value: Any, where: str) -> tuple[float, ...]:
    """A list of finite numbers."""
    if not isinstance(value, list) or not value:
        raise refuse(where, "a list of numbers", type(value).__name__)
    return tuple(number(part, where) for part in value)


def whole(value: Any, where: str, least: int, most: int) -> int:
    """A whole number in a range."""
    if type(value) is not int or not least <= value <= most:
        raise refuse(where, f"a whole number from {least} to {most}", value)
    return value


def text(value: Any, where: str) -> str:
    """A text that is not empty."""
    if not isinstance(value, str) or not value:
        raise refuse(where, "a text", value)
    return value


def unit_text(value: Any, where: str) -> str | None:
    """The name of a unit, or none."""
    return None if value is None else text(value, where)
