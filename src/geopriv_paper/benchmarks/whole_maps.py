"""What a whole map costs beside planar Laplace noise, exact: by the waves of a Gaussian, whoever the people are."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from geopriv.mechanisms import Lattice
from geopriv.mechanisms.input.deconvolution import LaplaceSpectrum, Spectrum
from geopriv.proofs.floors import least_whole_variance
from geopriv.queries import GaussianKernel
from geopriv.spaces import Plane
from geopriv.spaces.checks import FloatArray

BANDWIDTHS = (0.5, 0.9, 1.2, 2.0, 4.0)  # h in units of 1/ε
_PLANE = Plane("m")
_WAVES, _FAR = 40_000, 9.0  # e^(−81) of a Gaussian's spectrum lies farther out


@dataclass(frozen=True)
class WholeMap:
    """The variance of one report's noise, added up over all points of a map: over that of planar Laplace noise.

    Args:
        bandwidth: h in units of 1/ε.
        step: of the grid with round noise that `Lattice.calibrate` takes, in units of 1/ε.
        rounded: of round noise (theory T8′) on that grid.
        product: of noise of its own on each axis (theory T8), on a grid of steps of 0.1/ε.
        floor: what no unbiased report can have less than (theory T11), people being even.
    """

    bandwidth: float
    step: float
    rounded: float
    product: float
    floor: float


def whole_maps() -> list[WholeMap]:
    """For every bandwidth."""
    return [_whole_map(bandwidth) for bandwidth in BANDWIDTHS]


def _whole_map(bandwidth: float) -> WholeMap:
    kernel = GaussianKernel((0.0, 0.0), bandwidth, _PLANE)
    rounded, product = (Lattice.calibrate(_PLANE, 1.0, queries=[kernel]), Lattice.on_grid(_PLANE, 1.0, 0.1))
    spectrum = rounded.undoing.spectrum
    assert spectrum is not None  # as for every kernel in the plane
    planar = noise_of_map(LaplaceSpectrum(1.0, 2), bandwidth)
    return WholeMap(
        bandwidth,
        rounded.step,
        noise_of_map(spectrum, bandwidth) / planar,
        _of_product(product, bandwidth) / planar,
        least_whole_variance(kernel, 1.0) / (2 * math.pi * bandwidth**4) / planar,
    )


def noise_of_map(spectrum: Spectrum, bandwidth: float) -> float:
    """∫ e^(−h²ω²)·(1/p̂(ω)² − 1)·ω dω: times 2πh⁴ the variance of one report added up over a map of kernels.

    Args:
        spectrum: of the noise, alike in all directions; ε = 1.
        bandwidth: h.
    """
    waves = _waves(bandwidth)
    added = np.exp(-((bandwidth * waves) ** 2)) * (spectrum(waves) ** -2.0 - 1) * waves
    return float(added.sum() * waves[0])


def _of_product(lattice: Lattice, bandwidth: float) -> float:
    """The same of noise of its own on each axis, undone by 1 + 2c·(1 − cos(ω·step)) on each."""
    waves = _waves(bandwidth)
    bell, undone = np.exp(-((bandwidth * waves) ** 2)), 1 + 2 * lattice.curvature * (1 - np.cos(lattice.step * waves))
    # over both signs of each axis' waves, of which 0 is one; the ring of all directions is 2π long
    both, alone = (float(part.sum() * 2 + 1) * waves[0] for part in (bell * undone**2, bell))
    return float((both**2 - alone**2) / (2 * math.pi))


def _waves(bandwidth: float) -> FloatArray:
    return np.asarray(np.linspace(0.0, _FAR / bandwidth, _WAVES + 1)[1:])
