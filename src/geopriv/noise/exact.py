"""The exact sampler: an ideal real number from endless random bits, in ball arithmetic, until its rounding is certain.

A release y = f(x) + σ(x)·Z is a function of x and of a few numbers U that are uniform on [0, 1) and have endless random
bits. Knowing the first 64 bits of each U confines y to an interval. If that interval lies within one cell of the
output grid, the cell is the report, whatever the bits that were not drawn; else more bits are drawn and the
precision doubled. So the report is the rounding of the ideal y: not nearly, and not up to rounding errors.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import TypeVar

from geopriv.noise.entropy import Source
from geopriv.spaces.balls import arb

_FIRST, _LAST = 128, 1 << 17  # bits of precision
_LOCK = threading.RLock()  # the precision belongs to the whole process


def _after_fork() -> None:
    """A lock that no thread of the parent process can be holding."""
    global _LOCK  # noqa: PLW0603 # one lock for one precision, which is global itself
    _LOCK = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class Undecided(Exception):
    """A comparison of two balls that overlap: more random bits, or more precision, will tell."""


class Uniform:
    """A number that is uniform on [0, 1), of which only the first bits have been drawn so far.

    Args:
        first: the first 64 bits as a whole number.
        source: where further bits come from.
    """

    def __init__(self, first: int, source: Source) -> None:
        self._numerator, self._bits, self._source = first, 64, source

    @property
    def upper(self) -> bool:
        """The first bit: whether the number is at least 1/2."""
        return bool(self._numerator >> (self._bits - 1))

    def ball(self) -> arb:
        """The interval of numbers with the bits drawn so far."""
        return _between(self._numerator, self._bits)

    def ends(self) -> tuple[Fraction, Fraction]:
        """The least number with the bits drawn so far, and the least one beyond them."""
        return Fraction(self._numerator, 1 << self._bits), Fraction(self._numerator + 1, 1 << self._bits)

    def rest(self) -> arb:
        """The number made of all bits but the first, which is uniform on [0, 1) and independent of the first."""
        kept = self._bits - 1
        return _between(self._numerator & ((1 << kept) - 1), kept)

    def below(self, share: Fraction) -> bool:
        """Whether the number is less than a rational one, when the bits drawn so far tell.

        Raises:
            Undecided: when they are the first bits of the rational number itself.
        """
        scaled = share * (1 << self._bits)
        if self._numerator < scaled < self._numerator + 1:
            raise Undecided
        return self._numerator < scaled

    def extend(self, bits: int) -> None:
        """Draw further bits, up to that many in all."""
        more = max(bits - self._bits, 0)
        self._numerator = (self._numerator << more) | self._source.bits(more)
        self._bits += more


Release = Callable[[Sequence[Uniform]], Sequence[arb] | None]
_Found = TypeVar("_Found")


def refine(attempt: Callable[[], _Found], uniforms: Sequence[Uniform]) -> _Found:
    """What the attempt finds as soon as it is decided, with more random bits and more precision each time."""
    bits = _FIRST
    while bits <= _LAST:
        with precision(bits):
            try:
                return attempt()
            except Undecided:
                bits *= 2
        for uniform in uniforms:
            uniform.extend(bits - 64)
    raise ArithmeticError("A report could not be settled; nothing was released.")


def settle(release: Release, uniforms: Sequence[Uniform], steps: Sequence[float]) -> tuple[int, ...] | None:
    """The nearest grid points to the components of a release, in steps; None if the draw was rejected.

    Guarantee: exactly the rounding of the ideal release, by the argument above. Rounding is post-processing, so every
    guarantee of the release is one of the report.

    Args:
        release: encloses the ideal release given numbers U; None where the law rejects them, Undecided if that is not
            certain yet.
        uniforms: the numbers U.
        steps: of the public output grid, one a component, each a power of two.
    """

    def attempt() -> tuple[int, ...] | None:
        balls = release(uniforms)
        return None if balls is None else tuple(_cell(ball, step) for ball, step in zip(balls, steps, strict=True))

    return refine(attempt, uniforms)


def _cell(ball: arb, step: float) -> int:
    return whole(ball / step + 0.5)


def whole(ball: arb) -> int:
    """The largest whole number that is not above, when that is certain.

    Raises:
        Undecided: when the ball holds more than one answer.
    """
    found = ball.floor().unique_fmpz()
    if found is None:
        raise Undecided
    return int(found)


def less(a: arb, b: arb) -> bool:
    """Whether a < b, when that is certain.

    Raises:
        Undecided: when the balls overlap.
    """
    if a < b:
        return True
    if a >= b:
        return False
    raise Undecided


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Ball arithmetic with so many bits. Two threads take turns; with fewer bits balls would be wider, never wrong."""
    from flint import ctx

    with _LOCK:
        before = ctx.prec
        ctx.prec = bits
        try:
            yield
        finally:
            ctx.prec = before


def dyadic(number: Fraction) -> arb:
    """A fraction whose denominator is a power of two: an exact number at every precision."""
    return arb((number.numerator, 1 - number.denominator.bit_length()))


def _between(numerator: int, bits: int) -> arb:
    """The interval from numerator/2^bits to (numerator + 1)/2^bits."""
    return arb(arb((2 * numerator + 1, -bits - 1)), arb((1, -bits - 1)))
