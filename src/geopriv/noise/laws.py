"""The laws of noise as functions of uniform numbers, in ball arithmetic: each in a few lines.

Every law uses elementary functions only, so that its enclosures are quick and its float filter (kernels.py) has short
error bounds. `words` is how many uniform numbers one attempt takes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from flint import arb

from geopriv.noise import (
    GeneralizedCauchy,
    Laplace,
    PlanarLaplace,
    StudentT,
)
from geopriv.noise.exact import Uniform, less, whole
from geopriv.spaces.checks import FloatArray, invalid

if TYPE_CHECKING:
    from geopriv.noise.kernels import Status, Words

# (random words, z, error, status) → None; the last three are filled in
Kernel = Callable[["Words", FloatArray, FloatArray, "Status"], None]


class Law(ABC):
    """Noise as a function of uniform numbers."""

    @property
    @abstractmethod
    def words(self) -> int:
        """How many uniform numbers an attempt takes."""

    @abstractmethod
    def __call__(self, u: Sequence[Uniform]) -> list[arb] | None:
        """The components of Z, or None for a rejected attempt.

        Raises:
            Undecided: while it is not certain whether the attempt is rejected.
        """

    @abstractmethod
    def kernel(self) -> Kernel | None:
        """The float filter of Z; None where there is none, and balls do all the work."""

    def __init_subclass__(cls) -> None:
        """Refuse a law that is drawn in a new way and would inherit the filter of another.

        Raises:
            TypeError: for a class that says how it is drawn and not what its filter is.
        """
        if "__call__" in vars(cls) and "kernel" not in vars(cls):
            raise TypeError(f"{cls.__name__} must say which kernel filters it, or that none does.")


@dataclass(frozen=True)
class LaplaceLaw(Law):
    """The inverse cdf: ln(2U) below the median, −ln(2(1 − U)) above."""

    @property
    def words(self) -> int:
        return 1

    def __call__(self, u: Sequence[Uniform]) -> list[arb]:
        return [-(2 * (1 - u[0].ball())).log() if u[0].upper else (2 * u[0].ball()).log()]

    def kernel(self) -> Kernel:
        from geopriv.noise import kernels

        return kernels.laplace


@dataclass(frozen=True)
class StudentLaw(Law):
    """Bailey's polar form, √(ν(U^(−2/ν) − 1))·cos(2πV), exact for every ν > 0.

    The length of a two-dimensional Student-t vector exceeds r with probability (1 + r²/ν)^(−ν/2), and its direction is
    uniform; one of its axes is Student-t.
    """

    df: float

    @property
    def words(self) -> int:
        return 2

    def __call__(self, u: Sequence[Uniform]) -> list[arb]:
        square = self.df * (-(2 / arb(self.df)) * u[0].ball().log()).expm1()
        return [square.nonnegative_part().sqrt() * (2 * u[1].ball()).cos_pi()]

    def kernel(self) -> Kernel:
        from geopriv.noise import kernels

        return lambda words, z, error, status: kernels.student(words, z, error, status, self.df)


@dataclass(frozen=True)
class CauchyLaw(Law):
    """Rejection for (1 + |z|^p)^(−θ), which is at most 1 and at most |z|^(−pθ).

    A proposal is uniform on [−1, 1] with probability 1 − 1/pθ, else ±U^(−1/(pθ−1)). With w the smaller of |z| and 1/|z|
    it is accepted with probability (1 + w^p)^(−θ).
    """

    p: float
    theta: float

    @property
    def words(self) -> int:
        return 3

    def __call__(self, u: Sequence[Uniform]) -> list[arb] | None:
        order = arb(self.p) * self.theta
        inner = less(u[0].rest() * order, order - 1)
        log_w = u[1].ball().log() / (1 if inner else order - 1)
        if not less(u[2].ball().log(), -self.theta * (self.p * log_w).exp().log1p()):
            return None
        size = (log_w if inner else -log_w).exp()
        return [size if u[0].upper else -size]

    def kernel(self) -> Kernel:
        from geopriv.noise import kernels

        return lambda words, z, error, status: kernels.cauchy(words, z, error, status, self.p, self.theta)


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
        from geopriv.noise import kernels

        return kernels.planar


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
class LatticeLaw(Law):
    """Two-sided geometric noise on each axis: m with probability θ/(2 + θ)·(1 + θ)^(−|m|), θ rational.

    An axis takes two numbers. The first rounds the position and is not used here. The first bit of the second is the
    sign (1 for up), and V, made of its other bits, is compared with rational numbers: |m| ≥ k if and only if
    V < 2/(2 + θ)·(1 + θ)^(1 − k), so that |m| is −ln(V·(1 + θ/2))/ln(1 + θ) rounded up, and 0 where that is negative.
    """

    theta: Fraction
    dimension: int

    @property
    def words(self) -> int:
        return 2 * self.dimension

    def __call__(self, u: Sequence[Uniform]) -> list[arb]:
        theta = arb(self.theta.numerator) / self.theta.denominator
        sizes = [max(-whole((v.rest() * (1 + theta / 2)).log() / theta.log1p()), 0) for v in u[1::2]]
        return [arb(size if v.upper else -size) for size, v in zip(sizes, u[1::2], strict=True)]

    def kernel(self) -> None:
        """None: noise is filtered with the position that it moves (`OnLattice`)."""


def law(noise: object) -> Law:
    """The law of a noise distribution on the line or in R^d.

    Raises:
        InvalidParameter: for a class that is not one of these: a class made from one of them may have another density.
    """
    if type(noise) in (Laplace, StudentT, GeneralizedCauchy, PlanarLaplace):
        match noise:
            case Laplace():
                return LaplaceLaw()
            case StudentT():
                return StudentLaw(noise.df)
            case GeneralizedCauchy():
                return CauchyLaw(noise.p, noise.theta)
            case PlanarLaplace():
                return LaplaceLaw() if noise.dimension == 1 else PlanarLaw(noise.dimension)
    raise invalid("report", "noise", "one whose samples have an enclosure", type(noise).__name__)
