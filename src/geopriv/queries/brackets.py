"""Two soft questions that hold a plain one between them, on the cells of a public grid.

A report on a grid estimates the multilinear interpolant of any function of the cells, without bias. So a plain set A is
bracketed by two such functions, whoever the people are: the outer one is 1 at every corner of a cell that A reaches
into, so that its interpolant is 1 on A; the inner one is 0 at every corner of a cell that is not all in A, so that its
interpolant is 0 outside. Each fades to 0 over some cells, by the steps of a quadratic spline: noise costs the less the
less a function bends, and that one bends least (theory T14).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from geopriv.queries.base import Query
from geopriv.shapes.coordinates import Box, Coordinate, Linear
from geopriv.shapes.profiles import Profile, SplineStep
from geopriv.spaces import Space
from geopriv.spaces.checks import FloatArray, invalid

HAIR = 1e-9  # of a step: what a border may be off by, and of a person that a bracket may miss by
MOST = 1 << 23  # cells around a region
_BLOCK = 16  # cells along each axis that are looked at together
Mask = npt.NDArray[np.bool_]


class OnCells(Query):  # no dataclass, as `OfCoordinate`: no document asks it
    """A function of the cells of a grid, straight along every axis between them.

    Args:
        space: flat.
        origin: the point of cell (0, …, 0).
        step: the width of a cell.
        first: the lowest cell of a box beyond which nothing changes along any axis that leads away.
        values: at the cells of the box.
    """

    def __init__(
        self, space: Space, origin: tuple[float, ...], step: float, first: tuple[int, ...], values: FloatArray
    ) -> None:
        self.space, self.origin, self.step, self.first, self.values = space, origin, step, first, values

    @property
    def has_profile(self) -> bool:
        return False

    @property
    def geometry(self) -> Coordinate:
        raise invalid("OnCells", "query", "asked of a Lattice on its own grid", "another mechanism")

    @property
    def profile(self) -> Profile:
        raise invalid("OnCells", "query", "asked of a Lattice on its own grid", "another mechanism")

    @property
    def is_share(self) -> bool:
        return True

    @property
    def bounds(self) -> tuple[float, float]:
        return float(self.values.min()), float(self.values.max())

    @property
    def bend(self) -> float:
        """None at all between cells: the interpolant on the grid is the function itself."""
        return 0.0

    @property
    def moved(self) -> object:
        return self

    def box(self, margin: float) -> Box:
        low = np.asarray(self.origin) + self.step * np.asarray(self.first)
        return low - margin, low + self.step * (np.asarray(self.values.shape) - 1) + margin

    def box_of_change(self, margin: float) -> Box:
        return self.box(margin)

    def answer(self, points: FloatArray) -> FloatArray:
        """F at points, between cells by interpolation."""
        axes = self.values.ndim
        along = (np.reshape(points, (-1, axes)) - self.origin) / self.step - self.first
        along = np.clip(along, 0.0, np.asarray(self.values.shape) - 1.0)
        nearest = np.rint(along)
        along = np.where(np.abs(along - nearest) < 1e-6, nearest, along)  # floats of cells are cells
        lower = np.floor(along)
        share = along - lower
        shape = points.shape if axes == 1 and not self.space.point_shape else points.shape[:-1]
        if not share.any():
            return self._at(lower).reshape(shape)
        total = np.zeros(len(along))
        for corner in product((0.0, 1.0), repeat=axes):
            up = np.asarray(corner)
            total += np.where(up > 0, share, 1 - share).prod(axis=1) * self._at(lower + up)
        return total.reshape(shape)

    def _at(self, cells: FloatArray) -> FloatArray:
        inside = np.minimum(cells.astype(np.int64), np.asarray(self.values.shape) - 1)
        return np.asarray(self._flat[np.ravel_multi_index(tuple(inside.T), self.values.shape)])

    @cached_property
    def _flat(self) -> FloatArray:
        return self.values.ravel()


@dataclass(frozen=True)
class Bracket:
    """What holds a plain question from below and from above: inner ≤ 1 on A and 0 elsewhere ≤ outer.

    Args:
        inner: counts nobody outside of A.
        outer: counts everybody in A.
    """

    inner: Query
    outer: Query


def rise(cells: int) -> FloatArray:
    """By how much the quadratic spline from 0 to 1 rises from cell to cell, over so many cells.

    >>> rise(4)
    array([0.125, 0.375, 0.375, 0.125])
    """
    t = np.arange(cells + 1) / cells
    return np.diff(np.where(t < 0.5, 2 * t**2, 1 - 2 * (1 - t) ** 2))


class OfCoordinate(Query):
    """Any profile of any coordinate.

    Args:
        geometry: s.
        profile: f0.
    """

    def __init__(self, geometry: Coordinate, profile: Profile) -> None:
        self.space, self._geometry, self._profile = geometry.space, geometry, profile

    @property
    def geometry(self) -> Coordinate:
        return self._geometry

    @property
    def profile(self) -> Profile:
        return self._profile


def bracket(query: Query, origin: tuple[float, ...], step: float, cells: int) -> Bracket | None:
    """The bracket of a query's plain question on a grid, whose edges are so many cells wide.

    Args:
        query: on a flat space.
        origin: of the grid.
        step: of the grid.
        cells: m, over which both functions fade along every axis.

    Returns:
        None where there is no plain question, and where its region would take too many cells.
    """
    plain = query.plain_set
    if plain is None or not query.space.flat:
        return None
    if plain.axis is not None and query.space.dimension > 1:
        return _of_half_space(plain, plain.axis, step, cells)
    return _of_cells(query.space, plain, origin, step, cells)


def _of_half_space(plain: Coordinate, axis: tuple[float, ...], step: float, cells: int) -> Bracket:
    """Of {s ≤ 0} for a linear s, which has no box: two steps in s.

    Along s a cell is no longer than h = step·Σ|u_j|. So what is 1 up to s = h is 1 at all corners of a cell with a
    point in A, and what is 0 from s = −h on is 0 at all corners of one with a point outside.
    """
    away = (1 + HAIR) * step * sum(map(abs, axis))
    width, boxes = step * cells, 2 * len(axis)
    falling = Linear(plain.space, tuple(-u for u in axis), -float(plain(np.zeros(plain.space.point_shape))))
    inner, outer = (SplineStep(width, start, boxes) for start in (away, -away - width))
    return Bracket(OfCoordinate(falling, inner), OfCoordinate(falling, outer))


def _of_cells(space: Space, plain: Coordinate, origin: tuple[float, ...], step: float, cells: int) -> Bracket | None:
    """Of a region with a box.

    A cell reaches into A only if s < h at its middle, and is all in A if s ≤ −h there, h being half of its diagonal: s
    is 1-Lipschitz. What is on the border to a hair counts as on it, so a bracket may miss by `HAIR` of a person, and a
    set that is thinner than a hair of a cell is not seen.
    """
    box = plain.outline(0.0)
    if box is None:
        return None
    pad = 2 * cells + 2  # beyond, both functions are level
    first = np.floor((np.atleast_1d(box[0]) - origin) / step).astype(np.int64) - pad
    last = np.ceil((np.atleast_1d(box[1]) - origin) / step).astype(np.int64) + pad
    if np.prod((last - first + 1).astype(np.float64)) > MOST:
        return None
    reached, held = _cells_of(plain, np.asarray(origin), step, first, last)
    weights = rise(cells)
    inner, outer = held, reached
    for axis in range(len(first)):
        inner, outer = _shrunk(inner, cells, axis), ~_shrunk(~outer, cells, axis)
    return Bracket(
        *(OnCells(space, origin, step, tuple(first.tolist()), _faded(mask, weights)) for mask in (inner, outer))
    )


def _cells_of(plain: Coordinate, origin: FloatArray, step: float, first: Any, last: Any) -> tuple[Mask, Mask]:
    """Corners of cells that A reaches into, and corners of none but cells that are all in A."""
    half = step * np.sqrt(len(first)) / 2
    axes = [origin[k] + step * (np.arange(a, b + 2) - 0.5) for k, (a, b) in enumerate(zip(first, last, strict=True))]
    s = near_border(plain, axes, 2 * half)
    touched, whole = s < half - HAIR * step, s <= -half + HAIR * step
    for axis in range(s.ndim):
        before, after = (np.take(touched, np.arange(k, touched.shape[axis] - 1 + k), axis) for k in (0, 1))
        touched = before | after
        before, after = (np.take(whole, np.arange(k, whole.shape[axis] - 1 + k), axis) for k in (0, 1))
        whole = before & after
    return touched, whole


def near_border(plain: Coordinate, axes: list[FloatArray], clear: float, level: float = 0.0) -> FloatArray:
    """S − level at the points of a grid; where it is larger than `clear` a number that is as large and of its sign.

    S is 1-Lipschitz, so a block of points whose middle is farther from the border than its corners are from its middle,
    and `clear` more, is all on one side. Only the other blocks are looked at, of which a border has few.
    """
    middles = [np.array([(part[0] + part[-1]) / 2 for part in _blocks(axis)]) for axis in axes]
    apart = np.hypot.reduce([max(float(np.ptp(part)) for part in _blocks(axis)) / 2 for axis in axes])
    coarse = _at(plain, middles) - level
    sizes = [[len(part) for part in _blocks(axis)] for axis in axes]
    s = np.where(coarse > 0, 1.0, -1.0) * (2 * clear or 1.0)
    for axis, counts in enumerate(sizes):
        s = np.repeat(s, counts, axis=axis)
    ends = [np.concatenate([[0], np.cumsum(counts)]) for counts in sizes]
    for block in np.argwhere(np.abs(coarse) <= apart + clear):
        part = tuple(slice(end[k], end[k + 1]) for end, k in zip(ends, block.tolist(), strict=True))
        s[part] = _at(plain, [axis[some] for axis, some in zip(axes, part, strict=True)]) - level
    return s


def _blocks(axis: FloatArray) -> list[FloatArray]:
    return [axis[k : k + _BLOCK] for k in range(0, len(axis), _BLOCK)]


def _at(plain: Coordinate, axes: list[FloatArray]) -> FloatArray:
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    return plain(points if plain.space.point_shape else points[..., 0])


def _shrunk(mask: Mask, cells: int, axis: int) -> Mask:
    """The cells of which so many in a row, itself the last, are in the mask; beyond its ends it goes on as there."""
    return np.asarray(ndimage.minimum_filter1d(mask, cells, axis=axis, mode="nearest", origin=(cells - 1) // 2))


def _faded(mask: Mask, weights: FloatArray) -> FloatArray:
    """Σ w_i·mask(k + i) along every axis."""
    values = mask.astype(np.float64)
    for axis in range(values.ndim):
        origin = -(len(weights) // 2)
        values = ndimage.correlate1d(values, weights, axis=axis, mode="nearest", origin=origin)
    return values
