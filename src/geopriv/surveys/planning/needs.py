"""How many people, or how much ε, make every interval as short as is wanted."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
from scipy import optimize, special

from geopriv.errors import InvalidParameter
from geopriv.spaces.checks import FloatArray, invalid

REACH = float(special.ndtri(0.975))  # half of a 95 % interval, in standard errors
_FARTHEST = 9.0  # e-folds of ε on both sides of where the search starts
_REFUSED = 5.0  # stands for the logarithm of an error that is far too large


def people_within(error: float, variances: FloatArray, biases: FloatArray, mechanism: str) -> int:
    """How many people give every estimate an interval of at most ± error, its bias included.

    Args:
        error: half of a 95 % interval.
        variances: of one person's part of each estimate.
        biases: of each estimate, which people do not reduce.
        mechanism: whose they are, for the error.

    Raises:
        InvalidParameter: when a bias alone is as large.
    """
    room = error - np.abs(biases)
    if not (room > 0).all():
        rule = f"above the bias of {mechanism}, {float(np.abs(biases).max()):.3g}"
        raise invalid("people_for", "error", rule, error)
    return max(1, math.ceil(float((variances * (REACH / room) ** 2).max()) * (1 - 1e-12)))


def least_rate(error_at: Callable[[float], float], wanted: float, start: float) -> float:
    """The rate at which an error falls to what is wanted, and half a per cent more.

    Args:
        error_at: the error at a rate, which falls.
        wanted: what it is to be.
        start: a rate to search from.
    """

    @cache
    def excess(log_rate: float) -> float:
        try:
            return math.log(max(error_at(math.exp(log_rate)), 1e-300) / wanted)
        except InvalidParameter:  # some mechanisms refuse an ε that is far too small for the query
            return _REFUSED

    middle = far = math.log(start)
    step = 1.0 if excess(middle) > 0 else -1.0
    while excess(far) * step > 0:
        far += step
        if abs(far - middle) > _FARTHEST:
            raise invalid("epsilon_for", "error", "within reach of so many people", wanted)
    low, high = sorted((far, far - step)) if far != middle else (far, far)
    return math.exp(float(optimize.brentq(excess, low, high, xtol=0.004)) + 0.005)
