"""Functions of R^d on cells: how steep they are there, and the paper's smooth bound B made of it (theory G5′).

The slope is bounded on every cell of a box. B(x), the largest slope of a cell divided by the growth of its distance, is
never below the pointwise Lipschitz constant (Λ → 0), and it is smooth as it stands: each term is. It is found by
descent in a pyramid of blocks: what a block could give at most decides whether its parts are looked at.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from geopriv.errors import InvalidParameter
from geopriv.queries import Query
from geopriv.smooth.scale import MARGIN, PlaceScale
from geopriv.smooth.sensitivity import LEAST
from geopriv.spaces.balls import arb
from geopriv.spaces.checks import FloatArray, invalid, same_fields
from geopriv.spaces.compiled import compiled
from geopriv.spaces.threads import in_threads

Whole = npt.NDArray[np.int64]

CELLS = 0.2  # in units of 1/ε, the width of cells where nothing else is asked for
_PARTS = {1: 8, 2: 4, 3: 2}  # along each axis, into which a cell is cut: intervals overestimate less on smaller boxes
_PIECE = 1 << 15  # boxes that are bounded at a time
_MOST = 1 << 24  # cells
_WIDER = 1e-12  # by which boxes reach beyond their cells, so that a jump at a border is inside of both
_DEEP = 4096  # blocks that wait in a descent: 8 for each of some 24 levels are enough


@dataclass(frozen=True, eq=False)
class Cells:
    """A grid over a box, and a bound on |∇f| on each of its cells.

    Args:
        origin: the lowest corner of the box, shape (d,).
        widths: of a cell along each axis, shape (d,).
        steepest: G, the bound on each cell, with d axes.
    """

    origin: FloatArray
    widths: FloatArray
    steepest: FloatArray

    def __eq__(self, other: object) -> bool:
        return same_fields(self, other)

    def __hash__(self) -> int:
        return hash(self.steepest.tobytes())

    @property
    def top(self) -> float:
        """The largest of the bounds: a Lipschitz constant of f."""
        return float(self.steepest.max())

    @cached_property
    def _pyramid(self) -> tuple[FloatArray, Whole, Whole]:
        """Largest bounds of blocks of 2^d cells, of blocks of those, and so on; their shapes; where each begins."""
        levels = [self.steepest]
        while max(levels[-1].shape) > 1:
            block = np.pad(levels[-1], [(0, size % 2) for size in levels[-1].shape])
            for axis in range(block.ndim):
                even, odd = (np.take(block, np.arange(first, block.shape[axis], 2), axis) for first in (0, 1))
                block = np.maximum(even, odd)
            levels.append(block)
        starts = np.cumsum([0, *(level.size for level in levels)])
        return np.concatenate([level.ravel() for level in levels]), np.array([level.shape for level in levels]), starts

    def smooth(self, gamma: float, points: FloatArray) -> FloatArray:
        """B(x) = max over cells c of G_c·exp(−γ·dist(x, c)) at points (n, d), each taken into the box.

        Outside of the box f is f∘clamp, which still changes along it, so B must not fall off there.

        Guarantee: B ≥ |∇f| almost everywhere, and |ln B(x) − ln B(x')| ≤ γ·|x − x'| (theory G5′).
        """
        values, levels, starts = self._pyramid
        found = np.empty(len(points))
        rows = np.clip(points, self.origin, self.origin + self.widths * self.steepest.shape)

        def work(first: int) -> None:
            part = slice(first, first + _PIECE)
            descend(values, levels, starts, self.origin, self.widths, gamma, rows[part], found[part])

        in_threads(work, range(0, len(rows), _PIECE))
        return found

    def at(self, points: FloatArray) -> FloatArray:
        """G of the cell of each point, shape (n, d)."""
        index = np.floor((points - self.origin) / self.widths).astype(np.int64)
        held = np.clip(index, 0, np.array(self.steepest.shape) - 1)
        return np.asarray(self.steepest[tuple(held.T)])


@dataclass(frozen=True)
class SmoothBound(PlaceScale):
    """σ(x) = B(x)/η.

    Args:
        cells: of which B is made.
        gamma: γ of its growth.
        eta: η.
    """

    cells: Cells
    gamma: float
    eta: float

    def __call__(self, points: FloatArray) -> FloatArray:
        return np.maximum(self.cells.smooth(self.gamma, points), LEAST) / self.eta

    @property
    def steepest(self) -> float:  # type: ignore[override] # nobody may set it
        """A Lipschitz constant of f."""
        return self.cells.top

    def enclose_at(self, place: Sequence[arb]) -> arb:
        """The largest term of B in balls, among all that could be the largest."""
        cells = self.cells
        ends = zip(cells.origin.tolist(), (cells.origin + cells.widths * cells.steepest.shape).tolist(), strict=True)
        place = [x.max(arb(low)).min(arb(high)) for x, (low, high) in zip(place, ends, strict=True)]
        middle, reach = (
            np.array([float(part) for part in x]) for x in ([x.mid() for x in place], [x.rad() for x in place])
        )
        index = np.stack([axis.ravel() for axis in np.indices(cells.steepest.shape)], axis=1)
        low = cells.origin + index * cells.widths
        off = np.sqrt((np.maximum(np.maximum(low - middle, middle - low - cells.widths), 0.0) ** 2).sum(axis=1))
        # floats are wrong by far less than a millionth of the largest term
        log_term = np.log(np.maximum(cells.steepest.ravel(), 1e-300)) - self.gamma * off
        near = np.flatnonzero(log_term >= log_term.max() - 1e-6 - 2 * self.gamma * float(np.abs(reach).sum()))
        best = arb(LEAST)
        for cell in near.tolist():
            square = arb(0)
            for x, origin, width, k in zip(place, cells.origin, cells.widths, index[cell], strict=True):
                start = arb(float(origin)) + int(k) * arb(float(width))
                square = square + (start - x).max(x - start - arb(float(width))).max(arb(0)) ** 2
            best = best.max(
                arb(float(cells.steepest.flat[cell])) * (-arb(self.gamma) * square.max(arb(0)).sqrt()).exp()
            )
        return MARGIN * best / arb(self.eta)


@lru_cache(maxsize=16)
def cells_of(query: Query, width: float) -> Cells:
    """Cells of about a width over the box of a query, with certified bounds on its slope.

    Args:
        query: that says how steep it is on a box, of at most three axes.
        width: in the unit of distance.

    Raises:
        InvalidParameter: where the slope has no bound, naming a cell; and for too many cells.

    Reference: theory G8.
    """
    low, high = query.corners
    shape = np.maximum(np.ceil((high - low) / width), 1.0)
    if np.prod(shape) > _MOST:
        rule = f"so wide that a grid over the box has at most {_MOST:,} cells"
        raise invalid("Function", "cells", rule, f"{width:.4g} for {int(np.prod(shape)):,}")
    widths, parts = (high - low) / shape, _PARTS[len(low)] if query.certified else 1
    counts = tuple(shape.astype(int).tolist())
    fine = tuple(parts * count for count in counts)
    steepest = np.zeros(math.prod(counts))
    for first in range(0, math.prod(fine), _PIECE):
        index = np.array(np.unravel_index(np.arange(first, min(math.prod(fine), first + _PIECE)), fine))
        start = low[:, None] + widths[:, None] * (index / parts)
        margin = _WIDER * (1 + np.abs(start))
        _, _, slope = query.bounds_on(start - margin, start + widths[:, None] / parts + margin)
        if not np.isfinite(slope).all():
            raise _unbounded(query, start[:, int(np.argmax(~np.isfinite(slope)))], widths)
        np.maximum.at(steepest, np.ravel_multi_index(tuple(index // parts), counts), slope)
    return Cells(low, widths, steepest.reshape(counts))


def _unbounded(query: Query, start: FloatArray, widths: FloatArray) -> InvalidParameter:
    space = query.space
    ends = (space.values(place.reshape(space.point_shape)) for place in (start, start + widths))
    low, high = (space.place_words(end.tolist()) for end in ends)
    return InvalidParameter(
        "The 'function' parameter of Function must have a bounded slope, so that noise can hide it. None can be proven "
        f"between {low} and {high}: there it may jump, divide by zero, or take a root or a logarithm of zero."
    )


@compiled
def descend(  # noqa: PLR0912 # one descent, seen at once
    values: FloatArray,
    levels: Whole,
    starts: Whole,
    origin: FloatArray,
    widths: FloatArray,
    gamma: float,
    points: FloatArray,
    found: FloatArray,
) -> None:
    """Write the maximum over all cells of value·exp(−γ·distance) for each point: best first, by bounds on blocks."""
    axes, last = levels.shape[1], levels.shape[0] - 1
    level, block, bound = np.empty(_DEEP, np.int64), np.empty((_DEEP, axes), np.int64), np.empty(_DEEP)
    near, order, here = np.empty(1 << axes), np.empty(1 << axes, np.int64), np.empty((1 << axes, axes), np.int64)
    base = np.empty(axes, np.int64)
    for p in range(points.shape[0]):
        best, waiting = 0.0, 1
        level[0], bound[0] = last, np.inf
        block[0, :] = 0
        if last == 0:
            waiting = 0
            square = 0.0
            for i in range(axes):
                off = max(origin[i] - points[p, i], points[p, i] - origin[i] - widths[i], 0.0)
                square += off * off
            best = values[0] * np.exp(-gamma * np.sqrt(square))
        while waiting > 0:
            waiting -= 1
            if bound[waiting] <= best:
                continue
            below, count = level[waiting] - 1, 0
            if below < 0:
                best = bound[waiting]
                continue
            base[:] = block[waiting, :]
            for part in range(1 << axes):
                index, square, inside = 0, 0.0, True
                for i in range(axes):
                    place = 2 * base[i] + ((part >> i) & 1)
                    if place >= levels[below, i]:
                        inside = False
                        break
                    here[count, i] = place
                    index = index * levels[below, i] + place
                    size = widths[i] * 2.0**below
                    start = origin[i] + place * size
                    off = max(start - points[p, i], points[p, i] - start - size, 0.0)
                    square += off * off
                if not inside:
                    continue
                at_most = values[starts[below] + index] * np.exp(-gamma * np.sqrt(square))
                if at_most > best:
                    near[count] = at_most
                    count += 1
            # the most promising is looked at next, so it goes on top
            for k in range(count):
                order[k] = k
            for k in range(1, count):
                j = k
                while j > 0 and near[order[j - 1]] > near[order[j]]:
                    order[j - 1], order[j] = order[j], order[j - 1]
                    j -= 1
            for k in range(count):
                level[waiting], bound[waiting] = below, near[order[k]]
                block[waiting, :] = here[order[k], :]
                waiting += 1
        found[p] = best
