"""Laplace noise on the input, on the sphere."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from geopriv.noise.base import Distribution
from geopriv.noise.exact import Release, Uniform, less
from geopriv.noise.filters import CERTAIN, MORE, REJECTED, REL, UNKNOWN, Status, Words, log_of
from geopriv.noise.laws import Law
from geopriv.noise.plans import Plan, Screen
from geopriv.spaces.balls import arb
from geopriv.spaces.checks import FloatArray, positive
from geopriv.spaces.compiled import compiled


@dataclass(frozen=True)
class SphericalLaplace(Distribution):
    """The density ∝ exp(−k·θ) on the unit sphere, θ the angle from the truth: a bearing at random and an angle.

    The angle's density is ∝ e^(−kθ)·sin θ on [0, π], so its cdf is
    (1 − e^(−kθ)(cos θ + k·sin θ))/(1 + e^(−kπ)). The normaliser is the same around every point of the sphere.

    Args:
        rate: k, privacy loss per radian (ε times the radius of the sphere).
    """

    rate: float

    def __post_init__(self) -> None:
        positive("SphericalLaplace", "rate", self.rate)

    def log_pdf(self, angle: FloatArray) -> FloatArray:
        """The logarithm of the density per unit of area on the unit sphere, at that angle from the truth."""
        norm = math.log1p(self.rate**2) - math.log(2 * math.pi) - math.log1p(math.exp(-self.rate * math.pi))
        return norm - self.rate * angle

    def cdf(self, angle: FloatArray) -> FloatArray:
        """P[Θ ≤ angle]."""
        k = self.rate
        spent = np.exp(-k * angle) * (np.cos(angle) + k * np.sin(angle))
        return np.asarray((1 - spent) / (1 + math.exp(-k * math.pi)))

    def ppf(self, u: FloatArray) -> FloatArray:
        """The inverse of `cdf`, by Newton's method from the planar law, safeguarded by bisection."""
        u = np.asarray(u, dtype=np.float64)
        low, high = np.zeros_like(u), np.full_like(u, math.pi)
        angle = np.minimum(special.gammaincinv(2, np.minimum(u, 1 - 1e-16)) / self.rate, math.pi / 2)
        scale = (1 + self.rate**2) / (1 + math.exp(-self.rate * math.pi))
        for _ in range(64):
            gap = self.cdf(angle) - u
            low, high = np.where(gap < 0, angle, low), np.where(gap < 0, high, angle)
            density = scale * np.exp(-self.rate * angle) * np.sin(angle)
            with np.errstate(divide="ignore", invalid="ignore"):
                step = angle - gap / density
            angle = np.where((step > low) & (step < high), step, (low + high) / 2)
        return np.asarray(angle)

    def sample(self, rng: np.random.Generator, size: int | tuple[int, ...]) -> tuple[FloatArray, FloatArray]:
        """(angle, bearing) in radians from a seeded generator, by rejection: `ppf` takes 30 times as long."""
        angle = np.empty(size)
        drawn, waiting = angle.reshape(-1), np.arange(angle.size)
        while waiting.size:
            proposed, kept = self._proposed(rng, waiting.size)
            drawn[waiting[kept]] = proposed[kept]
            waiting = waiting[~kept]
        return angle, rng.uniform(0, 2 * math.pi, size)

    def _proposed(self, rng: np.random.Generator, n: int) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
        """Angles, and which are kept.

        For k ≥ 1 they are those of the planar law, with density ∝ θ·e^(−kθ), kept with probability sin θ/θ up to π.
        For smaller k they are those of a uniform place, with density ∝ sin θ, kept with probability e^(−kθ).
        """
        if self.rate >= 1:
            angle = rng.standard_gamma(2.0, n) / self.rate
            return angle, (angle <= math.pi) & (rng.random(n) * angle < np.sin(angle))
        angle = np.arccos(1 - 2 * rng.random(n))
        return angle, rng.random(n) < np.exp(-self.rate * angle)

    def law(self) -> SphericalLaw:
        return SphericalLaw(self.rate)

    def budget(self, gamma: float, eta: float) -> float:
        """ε spent per radian: the rate, scaled by η; the scale must not depend on x (γ = 0).

        Guarantee: the density depends on y only through the angle to x, with one normaliser, so the triangle
        inequality on the sphere gives the ratio exp(k·angle(x, x')).
        """
        return self.rate * eta if gamma == 0 else math.inf


@dataclass(frozen=True)
class SphericalLaw(Law):
    """An angle of density ∝ e^(−kθ)·sin θ on [0, π] and a bearing in half-turns, uniform on [0, 2).

    For k ≥ 1 a proposal has the density k²·θ·e^(−kθ) (a sum of two exponential numbers) and is accepted with
    probability sin θ/θ, if it is at most π. For smaller k it is a uniform place on the sphere, accepted with
    probability e^(−kθ).
    """

    rate: float

    @property
    def words(self) -> int:
        return 4

    def __call__(self, u: Sequence[Uniform]) -> list[arb] | None:
        if self.rate >= 1:
            angle = -(u[0].ball().log() + u[1].ball().log()) / self.rate
            kept = less(angle, arb.pi()) and less(u[2].ball(), angle.sinc())
        else:
            angle = (1 - 2 * u[0].ball()).acos()
            kept = less(u[2].ball(), (-self.rate * angle).exp())
        return [angle, 2 * u[3].ball()] if kept else None

    def kernel(self) -> None:
        """None: an angle is filtered with the place from which it leads (`OnEarth`)."""


@dataclass(frozen=True)
class OnEarth(Plan):
    """A place on the globe, moved by a random angle in a random direction; (latitude, longitude) in degrees.

    Args:
        law: of the angle and the bearing.
        steps: of latitude and longitude, at most one degree.
    """

    law: SphericalLaw
    steps: tuple[float, ...]

    def release(self, row: Sequence[float]) -> Release:
        def ideal(u: Sequence[Uniform]) -> list[arb] | None:
            moved = self.law(u)
            if moved is None:
                return None
            (turn_sine, turn_cosine), (sine, cosine) = moved[0].sin_cos(), moved[1].sin_cos_pi()
            (up, out), (along, across) = ((arb(degrees) / 180).sin_cos_pi() for degrees in row)
            north, east = turn_sine * cosine, turn_sine * sine
            flat = turn_cosine * out - north * up
            x, y = flat * across - east * along, flat * along + east * across
            height = turn_cosine * up + north * out
            length = (x * x + y * y).nonnegative_part().sqrt()
            return [180 / arb.pi() * arb.atan2(height, length), 180 / arb.pi() * arb.atan2(y, x)]

        return ideal

    def screen(self, rows: FloatArray) -> Screen | None:
        if self.law.rate < 1:
            return None
        steps = np.asarray(self.steps)

        def screened(who: npt.NDArray[np.intp], words: Words, values: FloatArray, status: Status) -> None:
            sphere_filter(words, status, rows[who], self.law.rate, steps, values)
            values[:, 1] = np.where(values[:, 1] >= 180, values[:, 1] - 360, values[:, 1])

        return screened

    def values(self, cells: Sequence[int]) -> list[float]:
        latitude, longitude = super().values(cells)
        return [latitude, longitude - 360 if longitude >= 180 else longitude]


@compiled
def sphere_filter(
    words: Words, status: Status, places: FloatArray, rate: float, steps: FloatArray, values: FloatArray
) -> None:
    """SphericalLaw with rate ≥ 1, moved to its place on the globe and rounded; degrees in and out."""
    for i in range(words.shape[0]):
        status[i] = UNKNOWN
        first, first_off = log_of(words[i, 0], 64)
        second, second_off = log_of(words[i, 1], 64)
        angle = -(first + second) / rate
        off = MORE * ((first_off + second_off) / rate + angle * REL)
        chance = (float(words[i, 2]) + 0.5) * 2.0**-64
        sinc = math.sin(angle) / angle
        if not (off < 1e-3 * angle and abs(angle - math.pi) > off):
            continue
        if angle < math.pi and not abs(chance - sinc) > MORE * (2 * off + 2.0**-44):
            continue
        if angle > math.pi or chance > sinc:
            status[i] = REJECTED
            continue
        latitude, longitude = math.radians(places[i, 0]), math.radians(places[i, 1])
        bearing = 2 * math.pi * ((float(words[i, 3]) + 0.5) * 2.0**-64)
        north, east = math.sin(angle) * math.cos(bearing), math.sin(angle) * math.sin(bearing)
        out = math.cos(angle) * math.cos(latitude) - north * math.sin(latitude)
        x = out * math.cos(longitude) - east * math.sin(longitude)
        y = out * math.sin(longitude) + east * math.cos(longitude)
        height, flat = math.cos(angle) * math.sin(latitude) + north * math.cos(latitude), math.hypot(x, y)
        # each number above is at most 1 and wrong by less than 2^-45 and the error of the angle
        off = MORE * (2.0**-45 + 2 * off)
        if not flat > 1e3 * off:
            continue
        place = math.degrees(math.atan2(height, flat)) / steps[0] + 0.5
        turn = math.degrees(math.atan2(y, x)) / steps[1] + 0.5
        reach, wide = 60 * 4 * off / steps[0], 60 * 4 * off / (flat * steps[1])
        up, round_ = math.floor(place), math.floor(turn)
        if place - reach > up and place + reach < up + 1 and turn - wide > round_ and turn + wide < round_ + 1:
            values[i, 0], values[i, 1] = up * steps[0], round_ * steps[1]
            status[i] = CERTAIN
