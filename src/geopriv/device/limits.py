"""The public range to which a design has values clamped: on a device as in a table of people."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import starmap
from typing import Any

from geopriv.device.reading import AXES, number, refuse, thing
from geopriv.device.values import DeviceSpace, Value

KEYS = {"Source": ("columns", "low", "high", "person")}


@dataclass(frozen=True)
class Limits:
    """The least and the largest value on each axis; none for no clamping.

    Guarantee: clamping to a public box is 1-Lipschitz on lines and in flat spaces (no axis moves farther apart), so
    what holds for clamped values holds for the values. Refusing those outside would tell that they are outside.

    >>> Limits((Fraction(0),), (Fraction(9),)).clamped((Fraction(12),))
    (Fraction(9, 1),)
    """

    low: tuple[Fraction, ...] = ()
    high: tuple[Fraction, ...] = ()

    def clamped(self, value: Value) -> Value:
        """The value, moved into the range."""
        if not self.low:
            return value
        least = tuple(starmap(max, zip(value, self.low, strict=True)))
        return tuple(starmap(min, zip(least, self.high, strict=True)))


def read_limits(document: Any, space: DeviceSpace) -> Limits:
    """The range of a design's source, if it has one.

    Raises:
        InvalidDesign: for a range that is none, and for one on a map, where clamping degrees moves people near a pole
            apart.
    """
    if document is None:
        return Limits()
    _, found = thing(document, "design.source", KEYS)
    low, high = (_ends(found[name], f"design.source.{name}") for name in ("low", "high"))
    if not low and not high:
        return Limits()
    if space.kind in ("Earth", "LocalPlane"):
        raise refuse("design.source.low", "left out on a map, which clamps to its own region", list(map(float, low)))
    if not len(low) == len(high) == space.axes or not all(a < b for a, b in zip(low, high, strict=True)):
        rule = f"a range of {space.axes} axes, whose low ends are below the high ones"
        raise refuse("design.source", rule, f"{len(low)} and {len(high)} ends")
    return Limits(low, high)


def _ends(value: Any, where: str) -> tuple[Fraction, ...]:
    if not isinstance(value, list) or len(value) > AXES:
        raise refuse(where, "a list of numbers", type(value).__name__)
    return tuple(Fraction(number(part, where)) for part in value)
