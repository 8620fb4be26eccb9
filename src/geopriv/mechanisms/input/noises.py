"""Laplace noise on a value: along the axes of a flat space, and on the sphere."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import singledispatch

import numpy as np

from geopriv.mechanisms.loss.line import CLOSEST
from geopriv.mechanisms.loss.worst import WorstLoss, plain, worst
from geopriv.noise import PlanarLaplace, SphericalLaplace
from geopriv.noise.plans import Plan, Shifted, grid
from geopriv.noise.spherical_laplace import OnEarth
from geopriv.spaces import Earth, Space
from geopriv.spaces.balls import arb
from geopriv.spaces.bounded import Bounded
from geopriv.spaces.checks import FloatArray, invalid


@dataclass(frozen=True, eq=False)
class Probes:
    """Pairs of points, and outputs at which their laws are compared.

    Args:
        start: one point of each pair, shape (n, …).
        other: the other one.
        distance: between them, shape (n,).
        outputs: shape (n, m, …).
    """

    start: FloatArray
    other: FloatArray
    distance: FloatArray
    outputs: FloatArray


class InputNoise(ABC):
    """Noise of density ∝ exp(−ε·distance) around every point of a space."""

    rate: float

    @abstractmethod
    def move(self, points: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Noisy points from a seeded generator: for studies."""

    @abstractmethod
    def log_density(self, points: FloatArray, reports: FloatArray) -> FloatArray:
        """The logarithm of the density of reports (per unit of length, area, …) given true points."""

    @abstractmethod
    def release(self) -> Plan:
        """How a report is made."""

    @abstractmethod
    def probes(self, distance: FloatArray, beyond: FloatArray, rng: np.random.Generator) -> Probes:
        """Pairs of points at about such distances, in all directions, and outputs on the line through both.

        Args:
            distance: between the points of a pair, shape (n,).
            beyond: where outputs are: 0 at the first point, 1 at the second, and outside in units of 1/ε, shape (m,).
            rng: a seeded generator.
        """

    def worst_loss(self) -> WorstLoss:
        """Over pairs of points at all distances and directions; outputs on the line through both, and beyond them."""
        distance = np.tile(np.geomspace(CLOSEST, 30.0, 60) / self.rate, 8)
        beyond = np.concatenate([-np.geomspace(1e-3, 50, 20), np.linspace(0, 1, 11), 1 + np.geomspace(1e-3, 50, 20)])
        probes = self.probes(distance, beyond, np.random.default_rng(0))
        first, second = (self.log_density(ends[:, None], probes.outputs) for ends in (probes.start, probes.other))
        loss = np.abs(first - second)
        k = loss.argmax(axis=1)
        ratios = loss[np.arange(len(k)), k] / (self.rate * probes.distance)
        at = probes.start, probes.other, probes.outputs
        return worst(ratios, lambda i: (plain(at[0][i]), plain(at[1][i]), plain(at[2][i, k[i]])))


@singledispatch
def input_noise(space: Space, rate: float) -> InputNoise:
    """The noise of a space at a rate: along its axes, unless the space is registered with another.

    Raises:
        InvalidParameter: for a space whose distances are not those along its axes: the noise would not be that of its
            metric, and the promise not kept.
    """
    shape = (64, *space.point_shape)
    first, second = np.random.default_rng(0).uniform(-1, 1, (2, *shape))
    straight = np.sqrt(((first - second).reshape(64, -1) ** 2).sum(axis=1))
    if not (space.flat and np.allclose(space.between(first, second), straight, rtol=1e-9)):
        rule = "flat (its distances are Euclidean along its axes), or one that is registered with a noise of its own"
        raise invalid("InputLaplace", "space", rule, space)
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

    def probes(self, distance: FloatArray, beyond: FloatArray, rng: np.random.Generator) -> Probes:
        shape, d = self.space.point_shape, self.space.dimension
        direction = rng.standard_normal((distance.size, d))
        direction /= np.linalg.norm(direction, axis=-1, keepdims=True)
        start = (rng.standard_normal((distance.size, d)) / self.rate).reshape(-1, *shape)
        other = start + (direction * distance[:, None]).reshape(start.shape)
        way = _way(distance, beyond, self.rate)
        moved = (direction[:, None, :] * way[:, :, None]).reshape(len(start), beyond.size, *shape)
        return Probes(start, other, distance, start[:, None] + moved)


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

    def probes(self, distance: FloatArray, beyond: FloatArray, rng: np.random.Generator) -> Probes:
        start = np.stack([rng.uniform(-85, 85, distance.size), rng.uniform(-180, 180, distance.size)], axis=-1)
        bearing = rng.uniform(0, 2 * np.pi, distance.size)
        distance = np.minimum(distance, 3.0 * self.space.radius)
        other = self.space.move(start, distance, bearing)
        outputs = self.space.move(start[:, None, :], _way(distance, beyond, self.rate), bearing[:, None])
        return Probes(start, other, self.space.between(start, other), outputs)


@input_noise.register
def _(space: Earth, rate: float) -> InputNoise:
    return OnSphere(space, rate)


def constant(value: float, n: int) -> Bounded:
    """The same spread for everyone, right to eight roundings."""
    return Bounded(np.full(n, value), np.full(n, 2.0**-50))


def _way(distance: FloatArray, beyond: FloatArray, rate: float) -> FloatArray:
    """How far outputs are from the first point of each pair, shape (n, m)."""
    between = np.clip(beyond, 0, 1)
    return np.asarray(between * distance[:, None] + (beyond - between) / rate)
