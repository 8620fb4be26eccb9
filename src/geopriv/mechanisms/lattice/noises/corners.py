"""The corner condition of round noise, in ball arithmetic: the stated law itself, and not the proof of its promise."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement

from geopriv.noise.exact import precision
from geopriv.spaces.balls import arb

_BITS = 192
_LADDER = {2: 48, 3: 20, 4: 11, 5: 8, 6: 7}  # distances that are tried on each axis: some 1,500 cells in all
_FAR = 40.0  # in units of 1/a


@lru_cache(maxsize=64)
def steepest_corner(theta: Fraction, core: int, axes: int) -> Fraction:
    """The largest Σ_j max_±(p(k ± e_j)/p(k) − 1)² of p(k) ∝ (1 + θ)^−√(|k|² + C), from above.

    Axes and signs are alike, so 0 ≤ k_1 ≤ … ≤ k_d. Distances grow geometrically from 0 to 40/a: a core that is too
    small shows where k_j is about 1/(2a), too large a θ far out along an axis.
    """
    with precision(_BITS):
        rate = (arb(theta.numerator) / theta.denominator).log1p()
        return max(_at(k, rate, core) for k in combinations_with_replacement(_ladder(theta, axes), axes))


def _ladder(theta: Fraction, axes: int) -> list[int]:
    far = max(math.ceil(_FAR / math.log1p(float(theta))), 16)
    count = _LADDER[axes]
    return sorted({0, 1, *(round(far ** (k / (count - 1))) for k in range(count))})


def _at(k: tuple[int, ...], rate: arb, core: int) -> Fraction:
    square = sum(j * j for j in k) + core
    length, total = arb(square).sqrt(), arb(0)
    for j in k:
        # the neighbours on both sides of an axis
        near, far = ((rate * (length - arb(square + 1 + side * 2 * j).sqrt())).expm1() for side in (-1, 1))
        total += (near * near).max(far * far)
    top = total.upper()
    mantissa, exponent = (int(part) for part in top.man_exp())
    return Fraction(mantissa) * Fraction(2) ** exponent
