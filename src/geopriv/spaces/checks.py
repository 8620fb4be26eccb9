"""Checks of public parameters, each with the sentence: parameter, rule, value."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any

import numpy as np
import numpy.typing as npt

from geopriv.device.files import canonical
from geopriv.errors import InvalidParameter

FloatArray = npt.NDArray[np.float64]


def invalid(owner: str, parameter: str, rule: str, value: object) -> InvalidParameter:
    """The error for a public parameter that breaks a rule."""
    return InvalidParameter.of(owner, parameter, rule, value)


def finite(owner: str, parameter: str, value: Any) -> float:
    """The value as a float, if it is a finite real number."""
    number = _number(value)
    if not math.isfinite(number):
        raise invalid(owner, parameter, "a finite number", value)
    return number


def positive(owner: str, parameter: str, value: Any) -> float:
    """The value as a float, if it is a positive finite real number."""
    number = _number(value)
    if not (math.isfinite(number) and number > 0):
        raise invalid(owner, parameter, "a positive finite number", value)
    return number


def positive_or_infinite(owner: str, parameter: str, value: Any) -> float:
    """The value as a float, if it is positive; infinity is allowed."""
    number = _number(value)
    if not number > 0:
        raise invalid(owner, parameter, "a positive number or infinity", value)
    return number


def fraction(owner: str, parameter: str, value: Any) -> float:
    """The value as a float, if it lies strictly between 0 and 1."""
    number = _number(value)
    if not 0 < number < 1:
        raise invalid(owner, parameter, "strictly between 0 and 1", value)
    return number


def count(owner: str, parameter: str, value: Any, least: int = 1) -> int:
    """The value as an int, if it is a whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise invalid(owner, parameter, f"a whole number of at least {least}", value)
    return int(value)


def numbers(owner: str, parameter: str, value: Any, least: int = 1) -> tuple[float, ...]:
    """The value as a tuple of finite floats with at least `least` entries."""
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.array([np.nan])
    if array.ndim != 1 or array.size < least or not np.isfinite(array).all():
        raise invalid(owner, parameter, f"a sequence of at least {least} finite number(s)", value)
    return tuple(array.tolist())


def same_fields(first: Any, second: Any) -> bool:
    """Whether two dataclass values agree in every field, arrays included."""
    return type(first) is type(second) and all(
        np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b
        for a, b in ((getattr(first, f.name), getattr(second, f.name)) for f in fields(first))
    )


def _number(value: Any) -> float:
    """The value as a float; not-a-number where it is no real number, so that every rule rejects it."""
    if isinstance(value, bool | str | bytes):
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def alike(given: Any, written: Any) -> bool:
    """Whether two documents are the same to the last digit and type."""
    try:
        return canonical(given) == canonical(written)
    except (ValueError, TypeError):
        return False
