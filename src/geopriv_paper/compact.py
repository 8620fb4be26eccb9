"""Maps as short text, for pictures: whole multiples of a unit in one string."""

from __future__ import annotations

import numpy as np

from geopriv.spaces.checks import FloatArray


def packed(values: FloatArray, unit: float, least: float = -np.inf, most: float = np.inf) -> str:
    """Numbers, cut to a range, as whole multiples of a unit.

    >>> packed(np.array([0.1, -0.26, 7.0]), unit=0.1, most=2.0)
    '1 -3 20'
    """
    return " ".join(map(str, np.rint(np.clip(values, least, most) / unit).astype(int).ravel().tolist()))


def unpacked(text: str, unit: float, shape: tuple[int, ...]) -> FloatArray:
    """The numbers again.

    >>> unpacked("1 -3 20", 0.1, (3,)).round(6)
    array([ 0.1, -0.3,  2. ])
    """
    return np.array(text.split(), dtype=np.float64).reshape(shape) * unit
