"""Real numbers between two whole ones: interval arithmetic of the standard library.

An interval holds a true real number between low/2^bits and high/2^bits. Every operation rounds outwards, so the result
holds the true result; with more bits it gets narrower. No mathematical library of the machine is involved, so every
language that has whole numbers of any size computes the same bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import isqrt


class Interval:
    """The real numbers from low/2^bits to high/2^bits.

    >>> third = exact(Fraction(1, 3), 8)
    >>> third.low, third.high, (third * third).low, (third + third).high
    (85, 86, 28, 172)
    """

    __slots__ = ("bits", "high", "low")

    def __init__(self, low: int, high: int, bits: int) -> None:
        self.low, self.high, self.bits = low, high, bits

    def __add__(self, other: Interval) -> Interval:
        return Interval(self.low + other.low, self.high + other.high, self.bits)

    def __sub__(self, other: Interval) -> Interval:
        return Interval(self.low - other.high, self.high - other.low, self.bits)

    def __neg__(self) -> Interval:
        return Interval(-self.high, -self.low, self.bits)

    def __mul__(self, other: Interval) -> Interval:
        ends = (self.low * other.low, self.low * other.high, self.high * other.low, self.high * other.high)
        return Interval(min(ends) >> self.bits, -(-max(ends) >> self.bits), self.bits)

    def __truediv__(self, other: Interval) -> Interval:
        """The quotient by a number that is certainly positive.

        Raises:
            ZeroDivisionError: where it is not certain yet.
        """
        if other.low <= 0:
            raise ZeroDivisionError
        low = self.low << self.bits
        high = self.high << self.bits
        return Interval(
            low // (other.high if low >= 0 else other.low),
            -(-high // (other.low if high >= 0 else other.high)),
            self.bits,
        )

    def __abs__(self) -> Interval:
        if self.low >= 0:
            return self
        return -self if self.high <= 0 else Interval(0, max(-self.low, self.high), self.bits)

    def square(self) -> Interval:
        """The number times itself."""
        size = abs(self)
        return Interval(size.low * size.low >> self.bits, -(-size.high * size.high >> self.bits), self.bits)

    def root(self) -> Interval:
        """The square root of a number that is not negative."""
        low, high = max(self.low, 0) << self.bits, max(self.high, 0) << self.bits
        return Interval(isqrt(low), isqrt(high - 1) + 1 if high else 0, self.bits)

    def minimum(self, other: Interval) -> Interval:
        """The smaller of two numbers."""
        return Interval(min(self.low, other.low), min(self.high, other.high), self.bits)

    def maximum(self, other: Interval) -> Interval:
        """The larger of two numbers."""
        return Interval(max(self.low, other.low), max(self.high, other.high), self.bits)

    def hull(self, other: Interval) -> Interval:
        """All numbers of both."""
        return Interval(min(self.low, other.low), max(self.high, other.high), self.bits)

    def to(self, bits: int) -> Interval:
        """The same out of more bits, or of fewer."""
        more = bits - self.bits
        if more >= 0:
            return Interval(self.low << more, self.high << more, bits)
        return Interval(self.low >> -more, -(-self.high >> -more), bits)

    def middle(self) -> Fraction:
        """The number half-way."""
        return Fraction(self.low + self.high, 1 << (self.bits + 1))


def exact(number: Fraction | float, bits: int) -> Interval:
    """A rational number, or a float, which is one."""
    top, bottom = number.as_integer_ratio()
    top <<= bits
    return Interval(top // bottom, -(-top // bottom), bits)


def total(terms: Iterable[Interval], bits: int) -> Interval:
    """The sum."""
    low = high = 0
    for term in terms:
        low, high = low + term.low, high + term.high
    return Interval(low, high, bits)


def length(vector: Sequence[Interval]) -> Interval:
    """The Euclidean length of a vector that is not empty."""
    if len(vector) == 1:
        return abs(vector[0])
    return total((part.square() for part in vector), vector[0].bits).root()


def dot(a: Sequence[Interval], b: Sequence[Interval]) -> Interval:
    """The inner product of vectors that are not empty."""
    return total((p * q for p, q in zip(a, b, strict=True)), a[0].bits)


def cross(a: Sequence[Interval], b: Sequence[Interval]) -> tuple[Interval, ...]:
    """The vector product in R³."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
