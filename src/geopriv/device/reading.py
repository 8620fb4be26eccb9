"""Parts of a document, each read by one rule; what breaks a rule is an InvalidDesign that names it.

A design may come from an enemy, so the parts are also few: what a device accepts, it verifies in seconds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from geopriv.device.texts import (
    SHORT,
    plain,
    quoted,
    unit_like,
)
from geopriv.errors import InvalidDesign

Document = Mapping[str, Any]

GUARANTEE = {"Guarantee": ("epsilon", "delta", "radius", "unit", "metric", "reference")}
MECHANISMS = 4_096  # in a design
SHARED = 16  # of them, reports that several tables share
AXES = 64  # of a space
NUMBERS = 65_535  # in a list: lattice points and values of a table
CORNERS = 10_000  # of a polygon, in all its rings
ALL_CORNERS = 100_000  # of all polygons of a design: some 6 seconds on Earth
LOOKS = 30_000  # letters and corners of tables that share a report, all of which a draw looks at: some 0.05 seconds
ASKED = 1 << 20  # bytes of a query, which is shown and never read: a polygon of 10,000 corners takes 400 kB


def refuse(where: str, rule: str, got: object) -> InvalidDesign:
    r"""The error for a part of a design that breaks a rule; what it quotes is escaped and cut.

    >>> print(refuse("Line.unit", "a text", "\x1b[2J"))
    Line.unit must be a text. Got \x1b[2J instead.
    """
    error = InvalidDesign(f"{where} must be {rule}. Got {quoted(got)} instead.")
    error.owner, error.parameter, error.rule, error.value = "design", where, rule, quoted(got)
    return error


def thing(
    document: Any, where: str, kinds: Mapping[str, Sequence[str]], spare: Sequence[str] = ()
) -> tuple[str, Document]:
    """A document and its type, if it is one of the kinds and has exactly the keys of its kind, but for spare ones."""
    if not isinstance(document, dict) or not isinstance(document.get("type"), str):
        raise refuse(where, "an object with a 'type'", type(document).__name__)
    kind = document["type"]
    if kind not in kinds:
        raise refuse(f"The type of {where}", f"one of {', '.join(sorted(kinds))}", kind)
    odd = sorted((set(document) - set(spare)) ^ {"type", *kinds[kind]})
    if odd:
        raise refuse(f"{where}, a {kind},", f"made of the keys {', '.join(kinds[kind])}", f"a difference in {odd}")
    return kind, document


def number(value: Any, where: str) -> float:
    """A finite number that a float holds: another would be rounded here, and perhaps not by another reader."""
    if type(value) is float and math.isfinite(value):
        return value
    if type(value) is int and abs(value) < 1 << 1000 and float(value) == value:
        return float(value)
    raise refuse(where, "a finite number that a float holds", value)


def positive(value: Any, where: str) -> float:
    """A positive finite number."""
    found = number(value, where)
    if not found > 0:
        raise refuse(where, "positive", value)
    return found


def parts(value: Any, where: str, most: int) -> list[Any]:
    """A list of 1 to `most` parts."""
    if not isinstance(value, list):
        raise refuse(where, "a list", type(value).__name__)
    if not 0 < len(value) <= most:
        raise refuse(where, f"a list of at least one and at most {most:,} parts", f"{len(value):,}")
    return value


def numbers(value: Any, where: str) -> tuple[float, ...]:
    """A list of finite numbers."""
    return tuple(number(part, where) for part in parts(value, where, NUMBERS))


def whole(value: Any, where: str, least: int, most: int) -> int:
    """A whole number in a range."""
    if type(value) is not int or not least <= value <= most:
        raise refuse(where, f"a whole number from {least} to {most}", value)
    return value


def text(value: Any, where: str, most: int = SHORT) -> str:
    """A text that is printable and short (`geopriv.device.texts`)."""
    if not isinstance(value, str) or not plain(value, most):
        raise refuse(where, f"a text of 1 to {most} printable characters, in NFC, without spaces at its ends", value)
    return value


def unit(value: Any, where: str) -> str | None:
    """What one unit of distance is called, where numbers are measured in it; None where it has no name.

    A name of the form "factor 2" is that of a LogLine: there the promise is about ratios, and a line that took it would
    promise ratios of numbers whose differences it protects.
    """
    if value is None:
        return None
    if not isinstance(value, str) or not unit_like(value) or value.casefold().startswith("factor"):
        rule = "null or a short text that begins with a letter, has no number or punctuation and names no factor"
        raise refuse(where, rule, value)
    return value


def ratio_of(value: Any, where: str) -> Fraction:
    """A positive fraction, as two whole numbers."""
    if not isinstance(value, list) or len(value) != 2:
        raise refuse(where, "two whole numbers", value)
    return Fraction(*(whole(part, where, 1, 1 << 200) for part in value))


def read_epsilon(document: Any, where: str, unit: str | None, metric: str = "distance") -> float:
    """ε of a guarantee, if it is pure, for all distances, in the metric, and in the unit of the space."""
    _, found = thing(document, f"{where}.guarantee", GUARANTEE)
    pure = number(found["delta"], f"{where}.guarantee.delta") == 0 and found["radius"] == "inf"
    if not pure or found["metric"] != metric or found["unit"] != unit:
        rule = f"pure, for all distances, per {unit or 'unit'}, in the metric {metric!r}"
        raise refuse(f"{where}.guarantee", rule, dict(found))
    return positive(found["epsilon"], f"{where}.guarantee.epsilon")
