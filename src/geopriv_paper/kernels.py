"""Kernel density estimation: what every mechanism does to one person, exactly, for every point of the map."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from geopriv.mechanisms import CoordinateLaplace, InputLaplace, Lattice, Table
from geopriv.mechanisms.input.deconvolution import Inverse, OfCoordinate, undo, undo_noise
from geopriv.mechanisms.input.expectation import gaussian_means
from geopriv.proofs.floors import lower_bound_many
from geopriv.proofs.floors.single import floor_along
from geopriv.queries import GaussianKernel
from geopriv.shapes.profiles import Gaussian
from geopriv.smooth import Additive, LeastScaleT, LipschitzLaplace, LocalLaplace, SmoothT
from geopriv.spaces import Plane
from geopriv.spaces.checks import FloatArray
from geopriv_paper.crowds import Crowd
from geopriv_paper.moments import Moments

SPACE = Plane("m")
ALONE = ("M1", "M2", "M3", "LDP", "LeastScaleT", "Table")
"""Mechanisms that answer one query a report."""

ALL = ("M0", *ALONE, "InputLaplace", "Lattice")
_SOME = 1_000  # people over whom the floor of one report is averaged


@dataclass(frozen=True, eq=False)
class Kernels:
    """Exact moments for one rate and bandwidth.

    Args:
        crowd: who is asked, and where.
        inverse_rate: 1/ε, metres.
        bandwidth: h, metres.
        distance: C, metres.
    """

    crowd: Crowd
    inverse_rate: float
    bandwidth: float
    distance: float

    @property
    def rate(self) -> float:
        """The rate ε, per metre."""
        return 1 / self.inverse_rate

    @cached_property
    def query(self) -> GaussianKernel:
        """The kernel at the origin; the others are this one moved."""
        return GaussianKernel((0.0, 0.0), self.bandwidth, SPACE)

    @cache  # noqa: B019 # few are made, and they are kept anyway
    def mechanism(self, name: str) -> Additive | Table | CoordinateLaplace:
        """One that answers one query a report, for the kernel at the origin."""
        query, rate = self.query, self.rate
        match name:
            case "M1":
                return CoordinateLaplace.calibrate(query, rate, "plain")
            case "M2":
                return LipschitzLaplace.calibrate(query, rate)
            case "M3":
                return SmoothT.calibrate(query, rate)
            case "LDP":
                return LocalLaplace.calibrate(query, rate, self.distance)
            case "LeastScaleT":
                return LeastScaleT.calibrate(query, rate)
        return Table.calibrate(query, rate)

    @cached_property
    def inputs(self) -> dict[str, InputLaplace | Lattice]:
        """Those of one report for every place."""
        return {
            "M0": InputLaplace.calibrate(SPACE, self.rate, "plain"),
            "InputLaplace": InputLaplace.calibrate(SPACE, self.rate),
            "Lattice": self.lattice,
        }

    @cached_property
    def lattice(self) -> Lattice:
        """The report in whole numbers, which devices send, on a grid that suits the kernel."""
        return Lattice.calibrate(SPACE, self.rate, queries=[self.query])

    @property
    def density(self) -> FloatArray:
        """The mean kernel at every place."""
        return self._truth[0]

    @cache  # noqa: B019 # as above
    def moments(self, name: str) -> Moments:
        """Of a mechanism, by name."""
        match name:
            case "M0":
                return self._biased(dimension=2)  # noise of the plane
            case "M1":
                return self._biased(dimension=1)  # noise on the distance
            case "InputLaplace":
                return self._undone(undo(self.query, self.rate))
            case "Lattice":
                return self._lattice()
        mechanism = self.mechanism(name)
        assert not isinstance(mechanism, CoordinateLaplace)
        if name in ("M2", "LDP"):  # the same for everyone
            return self._unbiased(np.full(len(self.crowd.centers), float(mechanism.variance_at(np.zeros(1))[0])))
        return self._unbiased(self.crowd.means(mechanism.variance_at))

    @cached_property
    def floor(self) -> float:
        """No unbiased map from one report a person has less expected variance, on average over its points (T10)."""
        kernels = [GaussianKernel(tuple(center), self.bandwidth, SPACE) for center in self.crowd.centers.tolist()]
        some = self.crowd.draw(_SOME, np.random.default_rng(0))
        return float(lower_bound_many(kernels, self.rate, some).mean()) / len(kernels)

    @cached_property
    def floor_each(self) -> float:
        """The same for an answer to each query by itself (T7)."""
        return float(self.crowd.means(floor_along(self.query, self.rate)).mean())

    @cached_property
    def _truth(self) -> tuple[FloatArray, FloatArray]:
        """E f and E f²."""
        profile = Gaussian(self.bandwidth)
        return self.crowd.means(profile), self.crowd.means(lambda r: profile(r) ** 2)

    def _undone(self, inverse: Inverse) -> Moments:
        assert isinstance(inverse, OfCoordinate)  # as for every kernel
        return self._unbiased(self.crowd.means(inverse.moment) - self._truth[1])

    def _unbiased(self, noise: FloatArray) -> Moments:
        mean, square = self._truth
        spread = square - mean**2
        return Moments(np.zeros_like(mean), noise, spread + noise, spread, spread)

    def _biased(self, dimension: int) -> Moments:
        """M0 (noise of the plane) and M1 (noise on the distance): f of something noisy."""
        (mean, square), r = self._truth, self.crowd.distances
        first, second = gaussian_means(r, self.bandwidth, self.rate, dimension, axes=dimension)
        curves = first, second, first**2, first * Gaussian(self.bandwidth)(r)
        report, second, own, both = map(self.crowd.averages, curves)
        return Moments(report - mean, second - own, second - report**2, both - report * mean, square - mean**2)

    def _lattice(self) -> Moments:
        """By the spectrum of its noise; interpolation between cells leaves less than 1e-4 of the kernel."""
        spectrum = self.lattice.undoing.spectrum
        assert spectrum is not None  # as for every kernel in the plane
        return self._undone(undo_noise(self.query, spectrum))
