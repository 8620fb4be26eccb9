"""How values become numbers: floats, checked, and whole numbers that floats do not hold within reach."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from geopriv.device.texts import unit_like
from geopriv.errors import OutOfDomain
from geopriv.spaces.base import Space
from geopriv.spaces.checks import FloatArray, invalid
from geopriv.spaces.frames import WHOLE, as_array

_ENDLESS = 1 << 1024  # from here on a whole number is no float


def require_unit(space: Space) -> None:
    """Refuse a unit that no device would show after an ε (`geopriv.device.texts`)."""
    unit = space.distance_unit
    if unit is not None and not (unit_like(unit) and not unit.casefold().startswith("factor")):
        rule = "a short text that begins with a letter, has no number or punctuation and names no factor"
        raise invalid(type(space).__name__, "unit", rule, unit)


def read_floats(space: Space, values: Any) -> FloatArray:
    """Finite numbers of any shape, or OutOfDomain without the value; of a table its columns."""
    points = _converted(as_array(values, space))
    # raised here and not while the conversion error, which quotes the value, is being handled
    if points is None:
        raise OutOfDomain(f"Values of {type(space).__name__} must be real numbers.")
    if not np.isfinite(points).all():
        raise OutOfDomain(f"Values of {type(space).__name__} must be finite.")
    return points


def _converted(values: Any) -> FloatArray | None:
    """Float64 values, masked ones as not-a-number; None where there is no number."""
    try:
        array = np.asarray(values)
        if isinstance(values, list | tuple) and array.dtype.kind == "f" and (np.abs(array) >= WHOLE).any():
            array = np.asarray(values, dtype=object)  # whole numbers among floats must not have become floats yet
        text = array.dtype.kind == "O" and any(isinstance(value, str | bytes) for value in array.flat)
        if text or array.dtype.kind not in "iufO":
            return None
        points: FloatArray = _whole_numbers_within_reach(array).astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        return None
    if isinstance(values, np.ma.MaskedArray):
        points[np.ma.getmaskarray(values)] = np.nan
    return points


def _whole_numbers_within_reach(array: Any) -> Any:
    """Whole numbers beyond 2^53 as ±2^53: rounded to floats two of them could move apart, clamped they cannot."""
    if array.dtype.kind in "iu" and array.dtype.itemsize == 8:
        return np.clip(array, -WHOLE if array.dtype.kind == "i" else 0, WHOLE)
    if array.dtype.kind == "O":
        return np.array([_within_reach(part) for part in array.flat], dtype=object).reshape(array.shape)
    return array


def _within_reach(part: Any) -> Any:
    whole = isinstance(part, int | Fraction) or (isinstance(part, Decimal) and part.is_finite())
    return max(-WHOLE, min(part, WHOLE)) if whole and abs(part) < _ENDLESS else part


def read_vectors(space: Space, values: Any) -> FloatArray:
    """Finite vectors of shape (..., d), or OutOfDomain without the value."""
    points = read_floats(space, values)
    if points.ndim < 1 or points.shape[-1] != space.dimension:
        raise OutOfDomain(f"Values of {type(space).__name__} must have shape (..., {space.dimension}).")
    return points
