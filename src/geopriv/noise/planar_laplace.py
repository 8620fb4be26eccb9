"""Laplace noise on the input: in R^d."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from geopriv.noise.base import Distribution
from geopriv.noise.exact import Uniform
from geopriv.noise.filters import CERTAIN, MORE, REL, UNKNOWN, Kernel, Status, Words, log_of
from geopriv.noise.laplace import LaplaceLaw
from geopriv.noise.laws import Law
from geopriv.spaces.balls import arb
from geopriv.spaces.checks import FloatArray, count
from geopriv.spaces.compiled import compiled


@dataclass(frozen=True)
class PlanarLaplace(Distribution):
    """The density ∝ e^(−‖z‖) on R^d: a direction at random, and a length with the Gamma(d) distribution.

    `cdf` and `ppf` are those of the length ‖Z‖.

    >>> PlanarLaplace(dimension=2).variance  # of each axis
    3.0
    """

    dimension: int = 2

    def __post_init__(self) -> None:
        count("PlanarLaplace", "dimension", self.dimension)

    def log_pdf(self, z: FloatArray) -> FloatArray:
        """The logarithm of the density at vectors of shape (..., d)."""
        d = self.dimension
        sphere = math.log(2) + d / 2 * math.log(math.pi) - special.gammaln(d / 2)  # ln of the area of the unit sphere
        return np.asarray(-np.linalg.norm(z, axis=-1) - special.gammaln(d) - sphere)

    def pdf(self, z: FloatArray) -> FloatArray:
        """The density at vectors of shape (..., d)."""
        return np.exp(self.log_pdf(z))

    def cdf(self, length: FloatArray) -> FloatArray:
        """P[‖Z‖ ≤ length]."""
        return np.asarray(special.gammainc(self.dimension, np.maximum(length, 0.0)))

    def ppf(self, u: FloatArray) -> FloatArray:
        """The inverse of `cdf`."""
        return np.asarray(special.gammaincinv(self.dimension, u))

    @property
    def variance(self) -> float:
        """The variance of each axis, d + 1."""
        return self.dimension + 1.0

    def sample(self, rng: np.random.Generator, size: int | tuple[int, ...]) -> FloatArray:
        """Vectors of shape (*size, d) from a seeded generator."""
        shape = (size,) if isinstance(size, int) else size
        direction = rng.standard_normal((*shape, self.dimension))
        direction /= np.linalg.norm(direction, axis=-1, keepdims=True)
        return rng.standard_gamma(self.dimension, size=shape)[..., None] * direction

    def law(self) -> Law:
        return LaplaceLaw() if self.dimension == 1 else PlanarLaw(self.dimension)

    def budget(self, gamma: float, eta: float) -> float:
        """ε spent by x + Z/η: η, since | ‖y − x‖ − ‖y − x'‖ | ≤ ‖x − x'‖. The scale must not depend on x (γ = 0).

        Reference: Andrés et al. 2013; paper, Lemma 2.3.
        """
        return eta if gamma == 0 else math.inf


@dataclass(frozen=True)
class PlanarLaw(Law):
    """Density ∝ e^(−‖z‖) on R^d, d ≥ 2: the length is a sum of d exponential numbers, the direction is uniform.

    In the plane the direction is an angle; in more dimensions it is that of a vector of normal numbers (Box–Muller).
    """

    dimension: int

    @property
    def words(self) -> int:
        return self.dimension + (1 if self.dimension == 2 else 2 * self._pairs)

    @property
    def _pairs(self) -> int:
        return (self.dimension + 1) // 2

    def __call__(self, u: Sequence[Uniform]) -> list[arb]:
        d = self.dimension
        size = -sum((v.ball().log() for v in u[:d]), arb(0))
        if d == 2:
            sine, cosine = (2 * u[2].ball()).sin_cos_pi()
            return [size * cosine, size * sine]
        normal: list[arb] = []
        for a, b in zip(u[d : d + self._pairs], u[d + self._pairs :], strict=True):
            sine, cosine = (2 * b.ball()).sin_cos_pi()
            spread = (-2 * a.ball().log()).nonnegative_part().sqrt()
            normal += [spread * cosine, spread * sine]
        norm = sum((v * v for v in normal[:d]), arb(0)).nonnegative_part().sqrt()
        return [size * v / norm for v in normal[:d]]

    def kernel(self) -> Kernel:
        return planar_filter


@compiled
def planar_filter(words: Words, z: FloatArray, error: FloatArray, status: Status) -> None:
    """`PlanarLaw` in floats."""
    d = z.shape[1]
    pairs = (d + 1) // 2
    for i in range(words.shape[0]):
        size, off = 0.0, 0.0
        for j in range(d):
            value, wrong = log_of(words[i, j], 64)
            size, off = size - value, off + wrong
        off = MORE * (off + d * size * REL)
        square, spread_off, clear = 0.0, 0.0, True
        for j in range(pairs):
            spread = 1.0
            if d > 2:
                value, wrong = log_of(words[i, d + j], 64)
                clear = clear and wrong < -value / 4
                spread = math.sqrt(-2 * value)
                spread_off = max(spread_off, MORE * (wrong / spread + spread * REL))
            angle = 2 * math.pi * ((float(words[i, d + (d > 2) * pairs + j]) + 0.5) * 2.0**-64)
            z[i, 2 * j] = spread * math.cos(angle)
            square += z[i, 2 * j] ** 2
            if 2 * j + 1 < d:
                z[i, 2 * j + 1] = spread * math.sin(angle)
                square += z[i, 2 * j + 1] ** 2
        norm = math.sqrt(square)
        # a direction v/|v| moves by at most 2/|v| times the error of v
        turn_off = MORE * 2 * d * (spread_off + (norm + 1) * REL) / norm
        for j in range(d):
            z[i, j] *= size / norm
            error[i, j] = MORE * (off + size * (turn_off + d * REL))
        status[i] = CERTAIN if clear and off < 1 and turn_off < 0.01 else UNKNOWN
