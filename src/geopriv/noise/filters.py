"""The float filter: a law in float64, compiled, with a bound on its own error.

A filter says of every draw that it was rejected, that it is certain, or that floats cannot tell; the last are settled
in balls from the same bits. So a filter can be slow or timid, but it cannot change a report.

Error bounds. The operations + − × ÷ √ are rounded correctly. exp, expm1, log, log1p, sin, cos, atan2 and hypot are
taken to be right to 2^-48 (`REL`), relative, for arguments as they are given: 16 units in the last place, where
mathematical libraries promise one or two; a test compares the results with balls. A uniform number known by its first
bits k is (k + ½)/2^64 give or take ½/2^64, so its logarithm is known to ½/k, and for small k not at all. Products of
errors are covered by the factor `MORE`.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from geopriv.spaces.checks import FloatArray
from geopriv.spaces.compiled import compiled

Words = npt.NDArray[np.uint64]
Status = npt.NDArray[np.uint8]

# (random words, z, error, status) → None; the last three are filled in
Kernel = Callable[[Words, FloatArray, FloatArray, Status], None]

REJECTED, CERTAIN, UNKNOWN = 0, 1, 2

REL = 2.0**-48
MORE = 1.25
MASK = np.uint64((1 << 63) - 1)
TOP = np.uint64(63)

_LARGEST = 2.0**51  # grid numbers that a float holds with room to spare


@compiled
def log_of(bits: np.uint64, count: int) -> tuple[float, float]:
    """The logarithm of a uniform number of which `count` bits are known, and its error."""
    if bits == 0:
        return 0.0, math.inf
    known = float(bits)
    value = math.log((known + 0.5) * 2.0**-count)
    return value, MORE * (abs(value) * REL + 2.0**-51 + 0.5 / known)


@compiled
def shift(
    z: FloatArray,
    error: FloatArray,
    status: Status,
    centre: FloatArray,
    centre_off: FloatArray,
    spread: FloatArray,
    spread_off: FloatArray,
    steps: FloatArray,
    values: FloatArray,
) -> None:
    """Round centre + spread·z to the grid where all errors leave one grid point.

    `centre_off` is absolute, `spread_off` relative; both bound the distance of the floats to the true numbers.
    """
    for i in range(z.shape[0]):
        if status[i] != CERTAIN:
            continue
        for j in range(z.shape[1]):
            noise = spread[i] * z[i, j]
            y = centre[i, j] + noise
            off = centre_off[i, j] + spread[i] * error[i, j] + (abs(noise) + spread[i] * error[i, j]) * spread_off[i]
            off = MORE * (off + (abs(y) + abs(noise)) * 2.0**-51)
            place, reach = y / steps[j] + 0.5, off / steps[j]
            nearest = math.floor(place)
            held = abs(place) < _LARGEST and abs(y) < 2.0**1022  # the grid point is a float too
            if not (held and place - reach > nearest and place + reach < nearest + 1):
                status[i] = UNKNOWN
                break
            values[i, j] = nearest * steps[j]
