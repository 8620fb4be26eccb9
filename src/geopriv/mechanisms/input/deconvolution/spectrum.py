"""Characteristic functions of noise on the input: what multiplies a spectrum, and so what undoing must divide by."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from scipy import special

from geopriv.spaces.checks import FloatArray

_MANY = 1 << 12  # lengths, of which more are looked up in a table
_SHELLS = 3  # whole turns on each axis at which the spectrum of a grid is looked at again: beyond, e^(−6πc)


class Spectrum(ABC):
    """E e^(iω·Z) of noise that is alike in all directions, as a function of ‖ω‖."""

    dimension: int

    @property
    @abstractmethod
    def rate(self) -> float:
        """The rate at which the noise, and what undoes it, fall with distance."""

    @property
    @abstractmethod
    def variance(self) -> float:
        """Of the noise along one direction."""

    @abstractmethod
    def __call__(self, length: FloatArray) -> FloatArray:
        """E e^(iω·Z) at ‖ω‖, or what stands for it (`leak`); 1 at 0, and positive."""

    @abstractmethod
    def leak(self, length: FloatArray) -> FloatArray:
        """A bound on |E e^(iω·Z)/stand-in − 1| at all ω of these lengths; 0 where nothing stands for it."""

    @abstractmethod
    def scaled(self, unit: float) -> Spectrum:
        """The same noise, lengths being measured in this unit."""


@dataclass(frozen=True)
class LaplaceSpectrum(Spectrum):
    """Of noise with density ∝ e^(−ε‖z‖) on R^d: (1 + ‖ω‖²/ε²)^(−(d+1)/2).

    Args:
        epsilon: ε.
        dimension: d.
    """

    epsilon: float
    dimension: int

    @property
    def rate(self) -> float:
        return self.epsilon

    @property
    def variance(self) -> float:
        return (self.dimension + 1) / self.epsilon**2

    def __call__(self, length: FloatArray) -> FloatArray:
        return np.asarray((1 + (length / self.epsilon) ** 2) ** (-(self.dimension + 1) / 2))

    def leak(self, length: FloatArray) -> FloatArray:
        return np.zeros(np.shape(length))

    def scaled(self, unit: float) -> LaplaceSpectrum:
        return LaplaceSpectrum(self.epsilon * unit, self.dimension)


@dataclass(frozen=True)
class RoundSpectrum(Spectrum):
    """Of noise on the cells of a grid with probabilities ∝ (1 + θ)^(−√(|k|² + C)) (theory T8′).

    With a = ln(1 + θ), c = √C, q² = a² + (step·‖ω‖)² and ν = (d + 1)/2 the transform of e^(−a√(r² + c²)) over R^d is
    φ ∝ K_ν(cq)/q^ν, in the plane (1 + cq)·e^(−cq)/q³. Over the grid it is the sum of φ at ω and at all its images
    whole turns away (Poisson). The images are of the size e^(−c(2π − step·‖ω‖)) and are left out: φ(ω)/φ(0) stands for
    the sum, is alike in all directions, and `leak` bounds what it misses.

    Args:
        theta: θ.
        core: C, at least 1.
        step: the width of a cell.
        dimension: d.
    """

    theta: float
    core: int
    step: float
    dimension: int

    @classmethod
    def least(cls, step: float, dimension: int) -> RoundSpectrum:
        """With the largest θ and the least core that T8′ allows at ε = 1 and a step."""
        a = 2 * step / (2 + step)
        return cls(step, math.ceil(dimension / (4 * a + a * a)), step, dimension)

    @property
    def rate(self) -> float:
        return math.log1p(self.theta) / self.step

    @cached_property
    def variance(self) -> float:
        """−d²/dω² of the spectrum at 0: (c/a)·K_{ν+1}(ca)/K_ν(ca) cells²."""
        a, c, order = math.log1p(self.theta), math.sqrt(self.core), (self.dimension + 1) / 2
        return float(self.step**2 * c / a * special.kve(order + 1, c * a) / special.kve(order, c * a))

    def __call__(self, length: FloatArray) -> FloatArray:
        return np.asarray(self._relative(np.asarray(length) * self.step))

    def leak(self, length: FloatArray) -> FloatArray:
        """The images over φ itself; where ω is beyond half a turn no more is known than that |E e^(iω·Z)| ≤ 1."""
        turn = np.asarray(length, dtype=np.float64) * self.step
        if turn.size > _MANY:  # it grows with the length: looked up at the next longer of a few
            few = np.linspace(0.0, float(turn.max()) / self.step, _MANY)
            next_longer = np.ceil(turn * ((_MANY - 1) / turn.max() * (1 - 1e-12))).astype(np.intp)
            return np.asarray(self.leak(few)[next_longer])
        within = np.minimum(turn, math.pi)
        images = sum(times * self._relative(2 * math.pi * far - within) for far, times in self._shells)
        here = self._relative(turn)
        return np.asarray(np.where(turn < math.pi, np.maximum(images / here, self._at_rest), 1 + 1 / here))

    def scaled(self, unit: float) -> RoundSpectrum:
        return RoundSpectrum(self.theta, self.core, self.step / unit, self.dimension)

    def _relative(self, turn: FloatArray) -> FloatArray:
        """φ at turns of a cell, over φ at 0; 0 from where floats end."""
        a, c, order = math.log1p(self.theta), math.sqrt(self.core), (self.dimension + 1) / 2
        q = np.hypot(a, turn)
        if self.dimension == 2:  # K_{3/2} is elementary
            return np.asarray((a / q) ** 3 * np.maximum((1 + c * q) / (1 + c * a) * np.exp(-c * (q - a)), 1e-300))
        falls = special.kve(order, c * q) / special.kve(order, c * a) * np.exp(-c * (q - a))
        return np.asarray((a / q) ** order * np.maximum(falls, 1e-300))

    @cached_property
    def _shells(self) -> list[tuple[float, int]]:
        """Distances of the images from 0, in turns, and how many there are; what is beyond adds less than they do.

        The sum over shells is doubled for what is beyond: from one shell to the next φ falls by more than its number
        of images grows.
        """
        axes = range(-_SHELLS, _SHELLS + 1)
        if self.dimension > 3:  # a bound all the same: the nearest images, and as many again for the rest
            return [(1.0, 4 * self.dimension)]
        squares = Counter(sum(j * j for j in at) for at in product(axes, repeat=self.dimension))
        return [(math.sqrt(square), 2 * times) for square, times in squares.items() if square]

    @cached_property
    def _at_rest(self) -> float:
        """What the images add to the sum at 0."""
        return float(sum(times * self._relative(np.asarray(2 * math.pi * far)) for far, times in self._shells))
