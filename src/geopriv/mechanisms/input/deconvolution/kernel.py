"""Gaussians under noise that is alike in all directions: the function g that undoes it, and its second moment.

In units of the bandwidth, with λ the rate of the noise times it, a Gaussian of k axes is f(ρ) = ∫ w(u)·Ω_k(uρ) du with
w(u) ∝ u^(k−1)·e^(−u²/2) and Ω_1 = cos, Ω_2 = J0, Ω_3 = sin(t)/t. The noise multiplies a spectrum by n(u) (`Spectrum`),
so

    g(ρ) = ∫ w(u)/n(u)·Ω_k(uρ) du,

and E g(x + Z)² is the inverse transform of n(u) times the spectrum of g². Both are kept as tables of the distance.

k is d for a kernel around a point and 1 for a ridge (a Gaussian of a linear coordinate). All integrands are smooth and
Gaussian-bounded, so Gauss–Legendre sums are right to rounding errors. g decays like e^(−λρ), not like a Gaussian.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from scipy import interpolate, special

from geopriv.mechanisms.input.deconvolution.spectrum import Spectrum
from geopriv.spaces.checks import FloatArray, invalid

_SPECTRUM = 9.5  # e^(−u²/2) is below 1e-19 beyond
_DECAY = 40.0  # tables end where e^(−λρ) is below 1e-17
_LOOKED_AT = 1 << 16  # places between which g is bounded
_NARROWEST = 0.05  # the least εh: below, the noise is amplified by more than 1e4 and rounding shows


@dataclass(frozen=True, eq=False)
class KernelTable:
    """g and E g(x + Z)² as functions of the distance, in units of the bandwidth; zero beyond `reach`.

    `bend` bounds |g''|. `error` bounds |E g(x + Z) − f(x)|: it comes from interpolating the table, and from what stands
    for the spectrum.
    """

    g: interpolate.BSpline
    spectrum: Spectrum
    axes: int
    reach: float
    error: float
    bend: float

    def __call__(self, distance: FloatArray) -> FloatArray:
        """G at distances ≥ 0."""
        return np.asarray(np.where(distance < self.reach, self.g(np.minimum(distance, self.reach)), 0.0))

    def second_moment(self, distance: FloatArray) -> FloatArray:
        """E g(x + Z)² for x at these distances."""
        inside = self._square(np.minimum(distance, self.reach))
        return np.asarray(np.where(distance < self.reach, np.maximum(inside, 0.0), 0.0))

    @cached_property
    def bounds(self) -> tuple[float, float]:
        """Numbers between which g lies: a function that bends by at most C is known to C·δ²/8 from places δ apart."""
        places, apart = np.linspace(0.0, self.reach, _LOOKED_AT, retstep=True)
        values, slack = self.g(places), self.bend * float(apart) ** 2 / 8 + self.error
        return min(float(values.min()), 0.0) - slack, float(values.max()) + slack

    @cached_property
    def _square(self) -> interpolate.BSpline:
        """The spectrum of g² times that of the noise, transformed back."""
        top, axes = math.sqrt(2) * _SPECTRUM, self.axes
        r, weight = _panels(0.0, (self.reach + _SPECTRUM) / 2, top)  # g² is gone at half of where g is
        u, back = _panels(0.0, top, self.reach)
        spectrum = _transform(u, r, weight * r ** (axes - 1) * self.g(r) ** 2, axes)
        sphere = 2 * math.pi ** (axes / 2) / math.gamma(axes / 2)  # the area of the unit sphere of these axes
        back = back * u ** (axes - 1) * (sphere / (2 * math.pi) ** (axes / 2)) ** 2
        damped = back * spectrum * self.spectrum(u)
        place = _places(self.reach)
        return interpolate.make_interp_spline(place, _transform(place, u, damped, axes), k=5)


@lru_cache(maxsize=128)
def kernel_table(spectrum: Spectrum, axes: int) -> KernelTable:
    """The table for noise whose lengths are in units of the bandwidth, and a Gaussian of `axes` axes."""
    rate = spectrum.rate
    if rate < _NARROWEST:
        raise invalid("InputLaplace", "query", f"of a bandwidth of at least {_NARROWEST}/ε", f"{rate:.3g}/ε")
    reach = _SPECTRUM + _DECAY / rate
    u, weight = _panels(0.0, _SPECTRUM, reach)
    weight = weight * u ** (axes - 1) * np.exp(-(u**2) / 2)
    weight /= weight.sum()
    symbol = weight / spectrum(u)
    place = _places(reach)
    g = interpolate.make_interp_spline(place, _transform(place, u, symbol, axes), k=5)
    between = (place[1:] + place[:-1]) / 2
    error = float(np.abs(g(between) - _transform(between, u, symbol, axes)).max())
    leak = float(weight @ spectrum.leak(u))
    bend = float(symbol @ u**2)
    return KernelTable(g, spectrum, axes, reach, 2 * error + leak + 1e-15 * float(symbol.sum()), bend)


def _transform(place: FloatArray, frequency: FloatArray, weight: FloatArray, axes: int) -> FloatArray:
    """Σ_j weight_j·Ω(place·frequency_j), in blocks."""
    step = max(1, (1 << 21) // frequency.size)
    parts = [_wave(np.outer(place[i : i + step], frequency), axes) @ weight for i in range(0, place.size, step)]
    return np.concatenate(parts)


def _wave(t: FloatArray, axes: int) -> FloatArray:
    match axes:
        case 1:
            return np.cos(t)
        case 2:
            return np.asarray(special.j0(t))
        case _:
            return np.sinc(t / math.pi)


def _panels(low: float, high: float, fastest: float) -> tuple[FloatArray, FloatArray]:
    """Gauss–Legendre nodes on [low, high] that resolve Gaussians of width 1 and waves of frequency `fastest`."""
    nodes, weights = np.polynomial.legendre.leggauss(24)
    count = 4 + int((high - low) * max(fastest, 4.0) / 18)  # three waves a panel
    edges = np.linspace(low, high, count + 1)
    half = (high - low) / count / 2
    return (edges[:-1, None] + half * (nodes + 1)).ravel(), np.tile(half * weights, count)


def _places(reach: float) -> FloatArray:
    """Close within the Gaussian, wider in the exponential tail."""
    near = np.linspace(0.0, 12.0, 1201)
    return near if reach <= 12.0 else np.concatenate([near, np.geomspace(12.0, reach, 900)[1:]])
