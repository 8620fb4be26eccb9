"""Sine, cosine, arc tangent, logarithm, falling powers of e and π as intervals, in whole numbers only.

Each is a series on a small argument. Sums are kept with 32 bits more than are asked for; what truncation and the end of
the series leave out stays far below 2^31 of the last of them, so that one unit on each side covers it.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import isqrt

from geopriv.device.intervals import Interval, exact

_GUARD = 32
_SLACK = 1 << (_GUARD - 1)  # what the sums below may be off by
_HALVINGS = 3
_FINEST = 1 << 12  # bits at which a number that may be 0 is given up
_DIGITS = 200  # bits of a number itself at which one that two floats are equally near to is


def sine_cosine(degrees: Fraction, bits: int) -> tuple[Interval, Interval]:
    """The sine and the cosine of an angle in degrees.

    With q the nearest whole number of right angles, θ = (degrees − 90q)·π/180 is at most π/4. Of θ·2^w, w = bits + 32,
    two units are unknown and of θ² five; then every term is wrong by at most 0.31 of what the one before is wrong by,
    and 4 units, hence by 6. There are fewer than w terms, so a sum is wrong by less than 8w units.

    >>> sine, cosine = sine_cosine(Fraction(30), 64)
    >>> float(sine.middle()), float(cosine.middle())
    (0.5, 0.8660254037844386)
    """
    right = round(degrees / 90)
    rest, work = degrees - 90 * right, bits + _GUARD
    angle = rest.numerator * pi(work) // (180 * rest.denominator)
    square = angle * angle >> work
    sine = _settled(_alternating(angle, square, work, 1), bits)
    cosine = _settled(_alternating(1 << work, square, work, 0), bits)
    return ((sine, cosine), (cosine, -sine), (-sine, -cosine), (-cosine, sine))[right % 4]


def _alternating(first: int, square: int, work: int, n: int) -> int:
    """first·(1 − x²/((n+1)(n+2)) + x⁴/((n+1)…(n+4)) − …): the cosine with n = 0, the sine with n = 1."""
    result, term, sign = first, abs(first), -1 if first >= 0 else 1
    while term:
        term = (term * square >> work) // ((n + 1) * (n + 2))
        result, n, sign = result + sign * term, n + 2, -sign
    return result


def _settled(number: int, bits: int) -> Interval:
    """A sum with its guard taken off and its error paid."""
    return Interval((number - _SLACK) >> _GUARD, ((number + _SLACK) >> _GUARD) + 1, bits)


@lru_cache(maxsize=64)
def pi(work: int) -> int:
    """π·2^work, by Machin's formula, less than one unit off."""
    fine = work + _GUARD
    return (16 * _arc_of_inverse(5, fine) - 4 * _arc_of_inverse(239, fine)) >> _GUARD


def _arc_of_inverse(n: int, work: int) -> int:
    """Arctan(1/n)·2^work, less than `work` units off."""
    result = term = (1 << work) // n
    k, sign = 1, 1
    while term:
        term //= n * n
        k, sign = k + 2, -sign
        result += sign * (term // k)
    return result


def turn(opposite: Interval, adjacent: Interval) -> Interval:
    """arctan(opposite/adjacent) of two lengths that are not both 0, in [0, π/2].

    It is π/4 + arctan((o − a)/(o + a)), whose denominator is never 0.
    """
    bits = opposite.bits
    whole, quarter = opposite + adjacent, pi(bits + 2)
    if whole.low <= 0:  # not certain yet
        return Interval(0, quarter // 2 + 2, bits)
    one = 1 << bits
    share = (opposite - adjacent) / whole
    arc = _arc_tangent(Interval(max(share.low, -one), min(share.high, one), bits))
    # π/4·2^bits is π·2^(bits + 2)/16
    return Interval(max(arc.low + quarter // 16, 0), min(arc.high + quarter // 16 + 1, quarter // 8 + 1), bits)


def _arc_tangent(t: Interval) -> Interval:
    """Arctan of a number in [−1, 1]: at the middle, give or take half the width, since its slope is at most 1."""
    bits, work = t.bits, t.bits + _GUARD
    centre, reach = (t.low + t.high) << (_GUARD - 1), ((t.high - t.low) >> 1) + 1
    sign, size, one = (-1 if centre < 0 else 1), abs(centre), 1 << work
    for _ in range(_HALVINGS):  # t/(1 + √(1 + t²)) has half the angle
        size = (size << work) // (one + isqrt((one << work) + size * size))
    middle = _settled(sign * (_odd_series(size, work, -1) << _HALVINGS), bits)
    return Interval(middle.low - reach, middle.high + reach, bits)


def _odd_series(x: int, work: int, sign: int) -> int:
    """The series x + s·x³/3 + x⁵/5 + s·x⁷/7 + …: the arc tangent with s = −1, the area tangent with s = 1."""
    square, result, power, k, flip = x * x >> work, x, x, 1, 1
    while power:
        power = power * square >> work
        k, flip = k + 2, flip * sign
        result += flip * (power // k)
    return result


def logarithm(number: Fraction, bits: int) -> Interval:
    """The natural logarithm of a positive rational number.

    >>> float(logarithm(Fraction(10), 64).middle())
    2.302585092994046
    """
    top, bottom = number.numerator, number.denominator
    if top == bottom:  # 0 itself, which no number of bits would tell from its neighbours
        return Interval(0, 0, bits)
    exponent = top.bit_length() - bottom.bit_length()
    work = bits + _GUARD + abs(exponent).bit_length()
    extra = work - bits - _GUARD
    mantissa = (top << max(work - exponent, 0)) // (bottom << max(exponent - work, 0))  # in (1/2, 2)
    result = exponent * _log_of_mantissa(2 << work, work) + _log_of_mantissa(mantissa, work)
    return _settled(result >> extra, bits)


def _log_of_mantissa(number: int, work: int) -> int:
    """The logarithm of a number in (1/2, 2], as eight times that of its eighth root m: ln m = 2·artanh((m−1)/(m+1))."""
    one = 1 << work
    for _ in range(_HALVINGS):
        number = isqrt(number << work)
    above = number - one
    size = (abs(above) << work) // (number + one)
    series = _odd_series(size, work, 1) << (_HALVINGS + 1)
    return series if above >= 0 else -series


def exponential(power: Interval) -> Interval:
    """The number e^(−y), for y ≥ 0, between those of the two ends of y.

    >>> y = Interval(1 << 64, 1 << 64, 64)
    >>> float(exponential(y).middle())
    0.36787944117144233
    """
    return Interval(_falling(power.high, power.bits).low, _falling(power.low, power.bits).high, power.bits)


def _falling(y: int, bits: int) -> Interval:
    """The number e^(−y/2^bits), as 2^−n·e^(−r) with 0 ≤ r < ln 2, by the series of e^(−r).

    n is below 2^(extra − 1), so of n·ln 2 less than two units of 2^−work are unknown, and as many of r, which moves
    e^(−r) by no more. Every term is wrong by at most 0.7 of what the one before is wrong by, and 2 units, hence by 7.
    There are fewer than w terms, so the sum is wrong by less than 8w units.
    """
    extra = (y >> bits).bit_length() + 2
    work = bits + _GUARD
    halves = (y << (_GUARD + extra)) // _log_of_two(work + extra)
    if halves > bits:
        return Interval(0, 1, bits)
    rest = (y << _GUARD) - (halves * _log_of_two(work + extra) >> extra)
    result = term = 1 << work
    k, sign = 0, 1
    while term:
        k, sign = k + 1, -sign
        term = (term * rest >> work) // k
        result += sign * term
    return _settled(result >> halves, bits)


@lru_cache(maxsize=64)
def _log_of_two(work: int) -> int:
    """The number ln 2·2^work, less than two units below."""
    return logarithm(Fraction(2), work + 2).low >> 2


def nearest_float(enclose: Callable[[int], Interval], least: Fraction = Fraction(0)) -> float:
    """The float nearest to a number that is enclosed at any precision; the one below where two seem equally near.

    Args:
        enclose: the number.
        least: numbers of a smaller size are taken for 0, so that finding out that one is 0 takes little time.
    """
    bits = 128
    while True:
        found = enclose(bits)
        low, high = (Fraction(end, 1 << bits) for end in (found.low, found.high))
        if -least < low and high < least:
            return 0.0
        known = min(abs(found.low), abs(found.high)) >> _DIGITS > found.high - found.low
        if float(low) == float(high) or known or bits >= _FINEST:
            return float(low)
        bits *= 2


def root_float(square: Fraction) -> float:
    """The float nearest to a square root."""
    return nearest_float(lambda bits: exact(square, bits).root())
