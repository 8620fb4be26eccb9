"""Rounding to a side: a bound must not look better than it is."""

from __future__ import annotations

import math


def above(number: float, digits: int) -> float:
    """The least number of so many significant digits that is not below.

    >>> above(1.3441, 3), above(-0.0961, 2)
    (1.35, -0.096)
    """
    if number == 0:
        return 0.0
    places = digits - 1 - math.floor(math.log10(abs(number)))
    # a hair of slack, so that a number of so many digits stays it
    return round(math.ceil(number * 10.0**places * (1 - math.copysign(1e-12, number))) * 10.0**-places, places)


def below(number: float, digits: int) -> float:
    """The largest number of so many significant digits that is not above.

    >>> below(90_171.9, 4), below(95_000.0, 4)
    (90170.0, 95000.0)
    """
    return -above(-number, digits)
