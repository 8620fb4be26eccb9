"""Lattices as a device runs them: read from a document, verified exactly, then drawn from."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from geopriv.device.draws import Source, draw_cells, fine_bits
from geopriv.device.intervals import Interval, exact
from geopriv.device.reading import Document, numbers, positive, ratio_of, read_epsilon, refuse, whole
from geopriv.device.rounds import RoundNoise, draw_round
from geopriv.device.spaces import read_space
from geopriv.device.values import FlatSpace, Value

BITS = 112  # with which positions on a grid are known at first


@dataclass(frozen=True)
class DeviceLattice:
    """A lattice: its grid, and the ratio a = 1/(1 + θ) of the noise on each axis, or round noise."""

    epsilon: float
    space: FlatSpace
    step: Fraction
    origin: tuple[Fraction, ...]
    ratio: tuple[int, int]
    spent: Fraction
    noise: RoundNoise | None = None

    def draw(self, value: Value, source: Source) -> tuple[int, ...]:
        """A cell of the grid.

        Guarantee: theory T8 with d·θ² ≤ (ε·step)², or T8′ with θ ≤ ε·step and its least core, verified exactly, at the
        exact position of the person's own value.
        """
        if self.noise is not None:
            return draw_round(lambda bits: self.positions(value, bits), self.noise, BITS, source)
        return draw_cells(lambda bits: self.positions(value, bits), self.ratio, BITS, source, self.space.axes)

    def positions(self, value: Value, bits: int) -> list[Interval]:
        """(x − origin)/step on each axis, to at least so many bits."""
        fine = bits + fine_bits((self.step, *self.origin))
        step = exact(self.step, fine)
        point = self.space.point(value, fine)
        return [(x - exact(start, fine)) / step for x, start in zip(point, self.origin, strict=True)]


def read_lattice(found: Document, where: str, metric: str = "distance") -> DeviceLattice:
    """The lattice of a document whose keys were checked; its promise is in the metric."""
    any_space = read_space(found["space"])
    step, origin = positive(found["step"], f"{where}.step"), numbers(found["origin"], f"{where}.origin")
    space = any_space.flat
    if space is None or len(origin) != space.axes:
        raise refuse(f"{where}.origin", f"made of {any_space.axes} number(s) on a flat space", origin)
    theta = read_theta(found["theta"], where)
    epsilon = read_epsilon(found["guarantee"], where, space.unit, metric)
    allowed = Fraction(epsilon) * Fraction(step)
    noise = _core(found, theta, space.axes, where)
    spent = noise.spent(allowed) if noise is not None else space.axes * theta**2 / allowed**2
    return DeviceLattice(epsilon, space, Fraction(step), tuple(map(Fraction, origin)), noise_ratio(theta), spent, noise)


def _core(found: Document, theta: Fraction, axes: int, where: str) -> RoundNoise | None:
    """Round noise, where a lattice says that it has some."""
    if "core" not in found:
        return None
    noise = RoundNoise(theta, whole(found["core"], f"{where}.core", 1, 1 << 40), axes)
    if not noise.drawable:
        raise refuse(
            f"{where}.core", "for two to six axes, and such that theta^2 times it is at most 16", found["core"]
        )
    return noise


def read_theta(value: Any, where: str) -> Fraction:
    """θ of a document, in a range in which noise is drawn fast."""
    theta = ratio_of(value, f"{where}.theta")
    if not Fraction(1, 1 << 14) <= theta <= 1 << 10:
        raise refuse(f"{where}.theta", "between 2^-14 and 2^10", value)
    return theta


def noise_ratio(theta: Fraction) -> tuple[int, int]:
    """The ratio a = 1/(1 + θ) of geometric noise."""
    return theta.denominator, theta.numerator + theta.denominator
