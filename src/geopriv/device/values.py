"""Values as a device takes them: exactly the numbers that a person holds, and what is asked of a space.

A value is a tuple of rational numbers. Nothing is snapped, recorded or rounded to a float before it is drawn from.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from operator import index
from typing import Any, Protocol, Self

from geopriv.device.functions import sine_cosine
from geopriv.device.intervals import Interval
from geopriv.errors import OutOfDomain

Value = tuple[Fraction, ...]
Place = tuple[float, ...]
Point = tuple[Interval, ...]

_LONGEST = 400  # digits of a decimal, before or after the point
_ENDLESS = 1 << 1024  # whole numbers from here on are no more finite than floats are


class DeviceSpace(Protocol):
    """What a device asks of a space."""

    @property
    def kind(self) -> str:
        """Its type."""

    @property
    def axes(self) -> int:
        """How many numbers make a value."""

    @property
    def unit(self) -> str | None:
        """What one unit of distance is called."""

    @property
    def flat(self) -> FlatSpace | None:
        """Itself, if its points are vectors with the Euclidean distance."""

    @property
    def sphere(self) -> float | None:
        """The radius of the sphere on whose great circles distances are measured; None where they are not."""

    def check(self, value: Value) -> Value:
        """The value, if it lies in the space, in the form in which it is computed with.

        Raises:
            OutOfDomain: without the value.
        """


class FlatSpace(DeviceSpace, Protocol):
    """A space whose points are vectors with the Euclidean distance."""

    def point(self, value: Value, bits: int) -> Point:
        """The point of a value."""


class Vectors:
    """What flat spaces share."""

    @property
    def flat(self) -> Self:
        return self

    @property
    def sphere(self) -> None:
        return None


def read_value(space: DeviceSpace, value: Any, clamped: Callable[[Value], Value] = lambda value: value) -> Value:
    """A private value as exact numbers: a number on a line, a sequence of numbers elsewhere.

    Args:
        space: where it lives.
        value: as a person holds it.
        clamped: moves it into the public range of a design.

    Raises:
        OutOfDomain: without the value.
    """
    parts = tuple(value) if isinstance(value, list | tuple) else (value,)
    if len(parts) != space.axes:
        one = "one number, without commas (a point before decimals, and nothing between thousands)"
        many = one if space.axes == 1 else f"{space.axes} numbers, with commas between"
        raise OutOfDomain(f"A value of {space.kind} must be {many}.")
    numbers = tuple(map(_rational, parts))
    if None in numbers:
        raise OutOfDomain(
            f"A value of {space.kind} must be made of finite real numbers of fewer than {_LONGEST} digits."
        )
    return space.check(clamped(tuple(part for part in numbers if part is not None)))


def _rational(part: Any) -> Fraction | None:
    """The number itself, never its nearest float; None where it is none, so that no error quotes it."""
    if isinstance(part, bool | str | bytes) or (isinstance(part, Decimal) and not _short(part)):
        return None
    try:
        if isinstance(part, Decimal | Fraction):
            return Fraction(part)
        if hasattr(part, "__index__"):
            whole = index(part)
            return Fraction(whole) if abs(whole) < _ENDLESS else None
        return Fraction(*part.as_integer_ratio())  # not its float: a number of 80 bits is none
    except (AttributeError, TypeError, ValueError, OverflowError):
        return None


def _short(part: Decimal) -> bool:
    """Whether a decimal is finite and has no more digits than floats have, so that its fraction is not endless."""
    return part.is_finite() and abs(part.adjusted()) < _LONGEST and len(part.as_tuple().digits) < _LONGEST


def on_globe(value: Value) -> Value:
    """A (latitude, longitude) in degrees, longitudes in [−180, 180).

    Raises:
        OutOfDomain: without the value.
    """
    latitude, longitude = value
    if not (-90 <= latitude <= 90 and -180 <= longitude <= 360):
        raise OutOfDomain("A place on Earth must have a latitude in [-90, 90] and a longitude in [-180, 360].")
    return latitude, longitude - 360 if longitude >= 180 else longitude


def unit_vector(value: Value, bits: int) -> Point:
    """(latitude, longitude) in degrees as a unit vector of R³."""
    (up, out), (sine, cosine) = (sine_cosine(degrees, bits) for degrees in value)
    return out * cosine, out * sine, up
