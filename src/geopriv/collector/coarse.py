"""How many reports there are, as everybody may know: too coarse to see one come."""

from __future__ import annotations

FEW = 10  # reports, below which nothing is said but that there are few


def coarse(n: int) -> int:
    """The largest number of one digit and zeros that is not above; 0 for few.

    >>> [coarse(n) for n in (0, 9, 10, 99, 100, 1_999, 1_048_576)]
    [0, 0, 10, 90, 100, 1000, 1000000]
    """
    if n < FEW:
        return 0
    unit: int = 10 ** (len(str(n)) - 1)
    return n // unit * unit
