"""Laplace noise on a value: along the axes of a flat space, and on the sphere."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import singledispatch

import numpy as np

from geopriv.noise import PlanarLaplace, SphericalLaplace
from geopriv.noise.plans import Plan, Shifted, grid
from geopriv.noise.spherical_laplace import OnEarth
from geopriv.spaces import Earth, Space
from geopriv.spaces.balls import arb
from geopriv.spaces.bounded import Bounded
from geopriv.spaces.checks import FloatArray


class InputNoise(ABC):
    """Noise of density ∝ exp(−ε·distance) around every point of a space."""

    @abstractmethod
    def move(self, points: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Noisy points from a seeded generator: for studies."""

    @abstractmethod
    def log_density(self, points: FloatArray, reports: FloatArray) -> FloatArray:
        """The logarithm of the density of reports (per unit of length, area, …) given true points."""

    @abstractmethod
    def release(self) -> Plan:
        """How a report is made."""


@singledispatch
def input_noise(space: Space, rate: float) -> InputNoise:
    """The noise of a space at a rate: along its axes, unless the space is registered with another."""
    return AlongAxes(space, rate)


@dataclass(frozen=True)
class AlongAxes(InputNoise):
    """PlanarLaplace/ε in R^d."""

    space: Space
    rate: float

    def move(self, points: FloatArray, rng: np.random.Generator) -> FloatArray:
        noise = PlanarLaplace(self.space.dimension).sample(rng, len(points)) / self.rate
        return points + noise.reshape(points.shape)

    def log_density(self, points: FloatArray, reports: FloatArray) -> FloatArray:
        d = self.space.dimension
        step = self.rate * (reports - points)
        step = step if self.space.point_shape else step[..., None]
        return np.asarray(PlanarLaplace(d).log_pdf(step) + d * np.log(self.rate))

    def release(self) -> Plan:
        space, rate = self.space, self.rate
        return Shifted(
            PlanarLaplace(space.dimension).law(),
            (grid(1 / rate),) * space.dimension,
            lambda row: (space.enclose(row), 1 / arb(rate)),
            lambda rows: (space.bounded(rows), constant(1 / rate, len(rows))),
        )


@dataclass(frozen=True)
class OnSphere(InputNoise):
    """SphericalLaplace(ε·radius): an angle and a bearing."""

    space: Earth
    rate: float

    def move(self, points: FloatArray, rng: np.random.Generator) -> FloatArray:
        angle, bearing = SphericalLaplace(self.rate * self.space.radius).sample(rng, len(points))
        return self.space.move(points, angle * self.space.radius, bearing)

    def log_density(self, points: FloatArray, reports: FloatArray) -> FloatArray:
        radius = self.space.radius
        angle = self.space.between(points, reports) / radius
        return np.asarray(SphericalLaplace(self.rate * radius).log_pdf(angle) - 2 * np.log(radius))

    def release(self) -> Plan:
        around = self.rate * self.space.radius * (1 - 2.0**-50)  # per radian, rounded down
        return OnEarth(SphericalLaplace(around).law(), (min(grid(math.degrees(1 / around)), 1.0),) * 2)


@input_noise.register
def _(space: Earth, rate: float) -> InputNoise:
    return OnSphere(space, rate)


def constant(value: float, n: int) -> Bounded:
    """The same spread for everyone, right to eight roundings."""
    return Bounded(np.full(n, value), np.full(n, 2.0**-50))
