"""Numbers, amounts and angles as people read them."""

from __future__ import annotations

import math

NARROW = "\u202f"  # a narrow space at which no line breaks


def plain(number: float, digits: int = 6) -> str:
    """A number with thousands in groups and at most so many significant digits.

    >>> plain(100_000.0), plain(-0.31254, 3), plain(1e-9, 3)
    ('100,000', '−0.313', '1e-09')
    """
    if number == 0 or not math.isfinite(number):
        return "0" if number == 0 else str(number)
    if not 1e-4 <= abs(number) < 1e15:
        return f"{number:.{digits}g}".replace("-", "−", number < 0)
    after = max(digits - 1 - math.floor(math.log10(abs(number))), 0)
    text = f"{number:,.{after}f}"
    return (text.rstrip("0").rstrip(".") if after else text).replace("-", "−")


def amount(number: float, unit: str | None, digits: int = 6) -> str:
    """A number with its unit; metres become kilometres from 1,000 on.

    >>> amount(1500.0, "m").replace(NARROW, " "), amount(3.0, None)
    ('1.5 km', '3')
    """
    if unit == "m" and abs(number) >= 1000:
        number, unit = number / 1000, "km"
    return f"{plain(number, digits)}{NARROW}{unit}" if unit else plain(number, digits)


def degrees(angle: float, sides: str, decimals: int) -> str:
    r"""An angle with its side of the equator or of Greenwich.

    >>> degrees(-74.3, "EW", 1).replace("\N{NO-BREAK SPACE}", " ")
    '74.3° W'
    >>> degrees(0.0, "EW", 0)
    '0°'
    """
    size = f"{abs(angle):.{decimals}f}"
    return f"{size}°\u00a0{sides[angle < 0]}" if float(size) else f"{size}°"
