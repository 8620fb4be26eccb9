"""The geometric law from which round noise is drawn by rejection: its ratio 1/(1 + β), by a published rule."""

from __future__ import annotations

import math
from fractions import Fraction

_FINE = 16  # bits after the point with which √d is bounded
_BITS = 32  # of β


def proposal(theta: Fraction, axes: int) -> Fraction:
    """The β for which (1 + β)^√d ≤ 1 + θ, nearly as large as it can be.

    With r = (⌊√d·2^16⌋ + 1)/2^16 ≥ √d and x = 2θ/((2 + θ)·r), β is x + x²/2 rounded down to a multiple of 2^-32. Since
    1 + x + x²/2 ≤ e^x and 2θ/(2 + θ) ≤ ln(1 + θ), it has √d·ln(1 + β) ≤ r·x ≤ ln(1 + θ).

    >>> beta = proposal(Fraction(1, 10), axes=2)
    >>> round(float(beta), 6), round((1 + float(beta)) ** 2**0.5, 6)
    (0.069611, 1.099845)
    """
    root = Fraction(math.isqrt(axes << 2 * _FINE) + 1, 1 << _FINE)
    x = 2 * theta / ((2 + theta) * root)
    return Fraction(math.floor((x + x * x / 2) * (1 << _BITS)), 1 << _BITS)
