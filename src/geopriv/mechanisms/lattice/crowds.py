"""What the reports of a crowd add to the two functions around a plain question, on average and before anybody reports.

Points with weights that stand for people are put on a grid once, and moved by the noise once: their law P of reports.
So a mean E Σ w·g(report)^k over a crowd is Σ P·g^k, for every g on the same grid, in place of E g^k at every point. The
noise is alike both ways, so it does not matter whether g^k is smoothed by it or the crowd.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from scipy import fft

from geopriv.mechanisms.input.deconvolution.grid import GridInverse
from geopriv.mechanisms.input.deconvolution.inverse import Inverse
from geopriv.mechanisms.lattice.bounds import OnGrid
from geopriv.mechanisms.lattice.moments import interpolant, smoothed, stencil_within
from geopriv.mechanisms.sums import Moments
from geopriv.queries import Query
from geopriv.shapes.grids import filtered
from geopriv.spaces.checks import FloatArray

_TAIL = 1e-6  # of the noise is left out on each side: what is predicted is no answer
_MOST = 1 << 23  # cells on which all of a crowd is laid out
_LARGE, _DRAWN = (
    1 << 22,
    1 << 18,
)  # cells of a box that is looked at whole, and reports that are drawn where it is larger
_GRIDS = 4  # of brackets that are looked at side by side, in threads
_DEGREE = 5  # of the splines of a blurred grid


class OnStencil(OnGrid, Protocol):
    """A grid, the noise on each of its axes, and the stencil that undoes it."""

    @property
    def ratio(self) -> float:
        """By which the noise falls from cell to cell."""

    def on_cells(self, query: Query) -> Callable[[FloatArray], FloatArray]:
        """The query as a function of cells."""

    def at_cells(self, query: Query, cells: FloatArray) -> FloatArray:
        """What a report of each cell adds to the mean that estimates the query."""

    def mean_square(self, query: Query, lower: FloatArray, share: FloatArray) -> FloatArray:
        """E[contribution²] for people at the fractions `share` along the cells that start at `lower`."""


class OnSpectrum(Protocol):
    """Round noise, which is undone by its spectrum."""

    def inverse(self, query: Query) -> Inverse:
        """The function of points."""


class Crowd(ABC):
    """People who are expected, as far as means over them of what reports add are asked for."""

    @abstractmethod
    def moments(self, query: Query) -> Moments:
        """Mean, mean square and mean cube over the crowd, shape (1,), of what reports add to a part of a bracket."""


@dataclass(frozen=True, eq=False)
class StencilCrowd(Crowd):
    """Under noise of its own on each axis.

    Args:
        lattice: on whose cells they report.
        points: of the space.
        weights: of the points; they add up to 1.
        known: the law of their reports, with its first cell, once it was needed.
    """

    lattice: OnStencil
    points: FloatArray
    weights: FloatArray
    known: list[tuple[FloatArray, FloatArray]] = field(default_factory=list)

    def moments(self, query: Query) -> Moments:
        lattice, flat = self.lattice, self.points.reshape(len(self.points), -1)
        lower = np.floor((flat - lattice.origin) / lattice.step)
        share = (flat - lattice.origin) / lattice.step - lower
        means = interpolant(lattice.on_cells(query), lower, share)
        box = query.box_of_change(lattice.step)
        if box is None:
            return _mean(self.weights, means, lattice.mean_square(query, lower, share), means**3, 0.0)
        low, high = ((np.atleast_1d(corner) - lattice.origin) / lattice.step for corner in box)
        first, sizes = np.floor(low), np.ceil(high) - np.floor(low) + 1
        mean = np.reshape(self.weights @ means, 1)
        if np.prod(sizes) > _LARGE:
            added = lattice.at_cells(query, self._drawn(lower, share))
            return Moments(mean, *_powers(np.full(len(added), 1 / len(added)), added), float(np.ptp(added)))
        added = stencil_within(lattice.on_box(query, first - 1, sizes + 2), lattice.curvature)
        law = self._law(first, sizes.astype(int).tolist())
        return Moments(mean, *_powers(law, added), float(np.ptp(added)))

    def _drawn(self, lower: FloatArray, share: FloatArray) -> FloatArray:
        """Cells that some of the crowd would report, the same each time, where a box has too many to look at all.

        Means then err by some per cent.
        """
        rng = np.random.default_rng(0)
        who = rng.choice(len(lower), _DRAWN, p=self.weights / self.weights.sum())
        up = rng.random((_DRAWN, lower.shape[1])) < share[who]
        there, back = rng.geometric(1 - self.lattice.ratio, (2, _DRAWN, lower.shape[1]))
        return np.asarray(lower[who] + up + there - back)

    @property
    def _pad(self) -> int:
        return math.ceil(math.log(_TAIL) / math.log(self.lattice.ratio))

    def _law(self, first: FloatArray, sizes: list[int]) -> FloatArray:
        """The chances of the cells of a box; beyond it nothing changes along any axis that leads away.

        So whoever reports a cell farther out counts at the nearest of the box.
        """
        flat = (self.points.reshape(len(self.points), -1) - self.lattice.origin) / self.lattice.step
        if not self.known:
            low, high = np.floor(flat.min(axis=0)) - self._pad, np.floor(flat.max(axis=0)) + self._pad + 2
            if math.prod((high - low).tolist()) > _MOST:  # then around the box alone
                start, end = first - self._pad, first + np.array(sizes) + self._pad
                near = np.clip(flat, start, end - 1)
                return _folded(self._chances(near, start - self._pad, end + self._pad), start - self._pad, first, sizes)
            self.known.append((self._chances(flat, low, high), low))
        chances, low = self.known[0]
        return _folded(chances, low, first, sizes)

    def _chances(self, flat: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
        """Of the cells from a lowest to before a highest: people between corners, then the noise."""
        shape = tuple((high - low).astype(int).tolist())
        lower = np.floor(flat)
        share, counts = flat - lower, np.zeros(math.prod(shape))
        for corner in np.ndindex(*(2,) * len(shape)):
            part = np.where(np.asarray(corner) > 0, share, 1 - share).prod(axis=1) * self.weights
            at = np.ravel_multi_index(tuple((lower - low + corner).astype(int).T), shape)
            counts += np.bincount(at, part, counts.size)
        return smoothed(counts.reshape(shape), self.lattice.ratio)


def _mean(weights: FloatArray, means: FloatArray, squares: FloatArray, cubes: FloatArray, spread: float) -> Moments:
    mean, square, cube = (np.reshape(weights @ each.ravel(), 1) for each in (means, squares, cubes))
    return Moments(mean, square, cube, spread)


def _powers(law: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean square and mean cube under a law."""
    once = law * values
    twice = once * values
    return np.reshape(np.vdot(once, values), 1), np.reshape(np.vdot(twice, values), 1)


def _folded(chances: FloatArray, low: FloatArray, first: FloatArray, sizes: list[int]) -> FloatArray:
    """Chances on a box, those of cells beyond it added to its nearest."""
    for axis, (start, size) in enumerate(zip((first - low).astype(int).tolist(), sizes, strict=True)):
        ends = np.clip([start + 1, start + size - 1], 0, chances.shape[axis])
        before, inside, after = np.split(chances, ends, axis=axis)
        lack = [max(0, min(-start - 1, size - 2)), max(0, min(start + size - 1 - chances.shape[axis], size - 2))]
        room = [(0, 0)] * chances.ndim
        room[axis] = (lack[0], lack[1])
        sides = [np.sum(part, axis=axis, keepdims=True) for part in (before, after)]
        chances = np.concatenate([sides[0], np.pad(inside, room), sides[1]], axis=axis)
    return chances


@dataclass(frozen=True, eq=False)
class SpectrumCrowd(Crowd):
    """Under round noise: at the points themselves, since rounding to a corner of a small cell changes little.

    Args:
        undoing: of the noise.
        points: of the space.
        weights: of the points; they add up to 1.
        known: the crowd on the grids that were looked at last; both parts of a bracket have the same.
    """

    undoing: OnSpectrum
    points: FloatArray
    weights: FloatArray
    known: dict[object, _OnGrid] = field(default_factory=dict)

    def moments(self, query: Query) -> Moments:
        rough = query.rough()
        inverse: Any = self.undoing.inverse(rough)
        if not rough.has_profile:
            return self._on_grid(inverse)
        low, high = inverse.bounds or (0.0, 0.0)
        mean, square = rough.answer(self.points), inverse.second_moment(self.points)
        return _mean(self.weights, mean, square, inverse.third_moment(self.points), high - low)

    def _on_grid(self, inverse: GridInverse) -> Moments:
        grid = inverse.grid
        key = grid.origin.tobytes(), grid.step, grid.spectrum.shape
        here = self.known.get(key)
        if here is None:
            here = _OnGrid.of(inverse, self.points, self.weights)
            if len(self.known) >= _GRIDS:
                self.known.clear()
            self.known[key] = here
        cosines = grid.spectrum / here.symbol
        bend = grid.bend(np.abs(cosines)) / cosines.size
        values = fft.idctn(cosines, workers=-1, overwrite_x=True)
        mean = np.reshape((here.waves * grid.spectrum).sum(), 1)
        return Moments(mean, *_powers(here.law, values), float(np.ptp(values)) + 2 * bend)


@dataclass(frozen=True, eq=False)
class _OnGrid:
    """A crowd on the grid of a blurred function.

    Args:
        symbol: the spectrum of the noise, at each cosine.
        waves: of the crowd, so that Σ waves·(cosines of F) is the mean of F over it.
        law: of its reports.
    """

    symbol: FloatArray
    waves: FloatArray
    law: FloatArray

    @classmethod
    def of(cls, inverse: GridInverse, points: FloatArray, weights: FloatArray) -> _OnGrid:
        """Each point as a spline: the transpose of how `BlurredGrid.read` looks between the points of the grid."""
        grid, shape = inverse.grid, inverse.grid.spectrum.shape
        last = np.array(shape) - 1
        place = np.clip((points.reshape(len(points), -1) - grid.origin) / grid.step, 0.0, last)
        cell = np.floor(place)
        sides = [_splines(place[:, k] - cell[:, k]) for k in range(len(shape))]
        mass = np.zeros(math.prod(shape))
        for shift in np.ndindex(*(_DEGREE + 1,) * len(shape)):
            mirrored = last - np.abs(last - np.abs(cell + np.asarray(shift) - 2))
            at = np.ravel_multi_index(tuple(mirrored.astype(int).T), shape)
            part = math.prod((side[k] for side, k in zip(sides, shift, strict=True)), start=weights)
            mass += np.bincount(at, part, mass.size)
        waves = fft.dctn(_ends(filtered(_ends(mass.reshape(shape), 2.0)), 0.5), workers=-1)
        symbol = inverse.spectrum(grid.lengths)
        law = fft.idctn(waves * symbol, workers=-1)
        for axis, size in enumerate(shape):  # ⟨a, b⟩ = Σ s·â·b̂ with s = 1/2n, and half of that at 0
            scale = np.full(size, 0.5 / size)
            scale[0] /= 2
            waves *= np.expand_dims(scale, tuple(k for k in range(len(shape)) if k != axis))
        return cls(symbol, waves, law)


def _ends(values: FloatArray, factor: float) -> FloatArray:
    """Values at the ends of each axis times a factor: what makes the filter of mirrored splines its own transpose."""
    for axis in range(values.ndim):
        along = np.moveaxis(values, axis, 0)
        along[0] *= factor
        along[-1] *= factor
    return values


def _splines(t: FloatArray) -> list[FloatArray]:
    """The B-spline of degree five at distances t + 2, t + 1, …, t − 3 from its middle, for 0 ≤ t < 1."""
    values = [np.ones_like(t)]  # N_d(t + k) for k = 0, …, d
    for d in range(1, _DEGREE + 1):
        zero = [np.zeros_like(t)]
        pairs = zip([*values, *zero], [*zero, *values], strict=True)
        values = [((t + k) * here + (d + 1 - t - k) * left) / d for k, (here, left) in enumerate(pairs)]
    return values[::-1]
