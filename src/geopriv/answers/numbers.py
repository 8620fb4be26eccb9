"""Numbers of estimates.json, written and read: arrays as nested lists, infinite ones as texts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from geopriv.errors import InvalidParameter
from geopriv.spaces.checks import FloatArray


def numbers_document(value: Any) -> Any:
    """Lists of numbers; an infinite one is a text."""
    if isinstance(value, np.ndarray):
        return value.tolist() if np.isfinite(value).all() else numbers_document(value.tolist())
    if isinstance(value, list):
        return [numbers_document(part) for part in value]
    expect(not math.isnan(value), "values", "made of numbers")
    return value if math.isfinite(value) else str(value)


def read_array(value: Any, shape: tuple[int, ...], where: str) -> FloatArray:
    """Nested lists of numbers, of that shape."""
    if shape:
        expect(isinstance(value, list) and len(value) == shape[0], where, f"of shape {shape}")
        if len(shape) == 1 and set(map(type, value)) == {float}:  # maps have hundreds of thousands of these
            row = np.asarray(value)
            expect(not np.isnan(row).any(), where, "made of numbers")
            return row
        return np.stack([read_array(part, shape[1:], where) for part in value])
    number = type(value) is float or (type(value) is int and abs(value) < 1 << 1000) or value in ("inf", "-inf")
    expect(number and not math.isnan(float(value)), where, "made of numbers")
    return np.asarray(float(value))


def expect(rule: bool, where: str, what: str) -> None:
    """Refuse what is not so."""
    if not rule:
        raise InvalidParameter(f"In estimates.json '{where}' must be {what}.")
