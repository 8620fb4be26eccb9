"""Round noise on a lattice, by rejection, in whole numbers: the published rule (docs/client.md)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import floor, isqrt

from geopriv.device.draws import Positions, Source, Uniform, geometric, rounded, uniforms
from geopriv.device.functions import exponential, logarithm
from geopriv.device.intervals import Interval

_GUARD = 64  # bits with which chances are known beyond those of W
_FINE, _BITS = 16, 32  # bits of the bound on √d, and of β
_WIDEST = 16
_AXES = 6


@dataclass(frozen=True)
class RoundNoise:
    """A vector k of whole numbers with probability ∝ (1 + θ)^(−√(|k|² + C)).

    Args:
        theta: θ.
        core: C.
        axes: d.
    """

    theta: Fraction
    core: int
    axes: int

    @property
    def drawable(self) -> bool:
        """Whether rejection ends soon: on two to six axes, with θ²·C ≤ 16."""
        return 2 <= self.axes <= _AXES and self.theta**2 * self.core <= _WIDEST

    def spent(self, allowed: Fraction) -> Fraction:
        """The larger of θ²/(ε·step)² and d·(2 + θ)²/(4θ·(4 + 3θ))/C: at most 1 exactly if both parts of T8′ hold.

        T8′ asks for C ≥ d/(4a + a²) with a = ln(1 + θ), which falls with a; and a ≥ 2θ/(2 + θ).
        """
        least = self.axes * (2 + self.theta) ** 2 / (4 * self.theta * (4 + 3 * self.theta))
        return max((self.theta / allowed) ** 2, least / self.core)

    @property
    def proposed(self) -> Fraction:
        """The β of the proposals: x + x²/2 rounded down to a multiple of 2^-32, x = 2θ/((2 + θ)·r), r ≥ √d of 16 bits.

        So √d·ln(1 + β) ≤ r·x ≤ ln(1 + θ).
        """
        root = Fraction(isqrt(self.axes << 2 * _FINE) + 1, 1 << _FINE)
        x = 2 * self.theta / ((2 + self.theta) * root)
        return Fraction(floor((x + x * x / 2) * (1 << _BITS)), 1 << _BITS)


def draw_round(enclose: Positions, noise: RoundNoise, bits: int, source: Source) -> tuple[int, ...]:
    """A lattice's report: each position rounded at random, plus round noise.

    Guarantee: exactly the law of theory T8′. Geometric noise of the ratio 1/(1 + β) on each axis is proposed, and is
    accepted if W < (1 + β)^(Σ|k_j|)·(1 + θ)^(−√(|k|² + C)), which is at most 1 since Σ|k_j| ≤ √d·|k|; else everything
    is drawn anew. Whether an attempt is accepted depends on the noise alone, so the number of attempts tells nothing
    of the position, which is looked at once an attempt is accepted. It ends with probability 1.

    Args:
        enclose: (x − origin)/step on each axis, between whole numbers out of 2^bits.
        noise: the law.
        bits: with which positions are known at first, at least 64 and better more.
        source: for each attempt of 16 bytes an axis (rounding, noise) and 8 more (acceptance), and of more for all of
            them while something is not settled.
    """
    ratio = _ratio(noise)
    while True:
        numbers = uniforms(2 * noise.axes + 1, source)
        while True:
            moves = [geometric(v, ratio) for v in numbers[1::2]]
            known = [move for move in moves if move is not None]
            kept = _accepted(noise, known, numbers[-1]) if len(known) == noise.axes else None
            if kept is False:
                break
            if kept:
                places = enclose(bits + numbers[0].bits - 64)
                cells = [rounded(place, u) for place, u in zip(places, numbers[: 2 * noise.axes : 2], strict=True)]
                settled = tuple(cell + move for cell, move in zip(cells, known, strict=True) if cell is not None)
                if len(settled) == noise.axes:
                    return settled
            for number in numbers:
                number.extend()


def _accepted(noise: RoundNoise, moves: list[int], w: Uniform) -> bool | None:
    """Whether W is below the chance of a proposal; None where what is known so far does not settle it."""
    bits = w.bits + _GUARD
    rise, fall = _logarithms(noise, bits)
    total, square = sum(map(abs, moves)), (sum(move * move for move in moves) + noise.core) << 2 * bits
    length = Interval(isqrt(square), isqrt(square) + 1, bits)
    power = length * fall - Interval(total * rise.low, total * rise.high, bits)
    chance = exponential(Interval(max(power.low, 0), max(power.high, 0), bits))
    if (w.numerator + 1) << _GUARD <= chance.low:
        return True
    return False if w.numerator << _GUARD >= chance.high else None


@lru_cache(maxsize=64)
def _logarithms(noise: RoundNoise, bits: int) -> tuple[Interval, Interval]:
    """Of 1 + β and of 1 + θ."""
    return logarithm(1 + noise.proposed, bits), logarithm(1 + noise.theta, bits)


@lru_cache(maxsize=64)
def _ratio(noise: RoundNoise) -> tuple[int, int]:
    """Numerator and denominator of 1/(1 + β)."""
    beta = noise.proposed
    return beta.denominator, beta.numerator + beta.denominator
