"""What the cells of a lattice add up to, each distinct one being looked at once; of a map by products over its axes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import sparse

from geopriv.mechanisms.counts import Counts, merged
from geopriv.mechanisms.input.deconvolution import RoundSpectrum, undo_noise
from geopriv.mechanisms.input.map_sums import MapSums, reach_of
from geopriv.mechanisms.lattice.cells import Cells
from geopriv.mechanisms.lattice.moments import stencil
from geopriv.mechanisms.sums import MOST, Sums, moments_of
from geopriv.queries import Query
from geopriv.queries.brackets import Bracket
from geopriv.queries.questions import Product
from geopriv.spaces.checks import FloatArray

_WIDEST = 1 << 26  # numbers that a map's pairs of centres take
_BLOCK = 1 << 21  # contributions that are computed at once
_KEPT = 1 << 25  # contributions that are not computed again
Shape = Callable[[FloatArray], FloatArray]


def lattice_sums(lattice: Cells, counts: Counts, queries: Sequence[Query], together: bool = True) -> Sums:
    """The means of queries from the cells of a lattice, each distinct cell being looked at once.

    Args:
        lattice: that made the reports.
        counts: of its cells.
        queries: of which each is answered.
        together: whether to tell how they vary together.
    """
    near = _gathered(lattice, counts, queries)
    cells, times = near.rows.astype(np.float64), near.times.astype(np.float64)
    rows = max(1, _BLOCK // len(queries))

    kept: dict[int, FloatArray] = {}  # blocks are looked at twice

    def blocks() -> Iterator[tuple[FloatArray, FloatArray]]:
        for i in range(0, len(cells), rows):
            part, here = cells[i : i + rows], kept.get(i)
            if here is None:
                here = np.stack([lattice.at_cells(part, query) for query in queries], axis=1)
                if i < _KEPT // len(queries):
                    kept[i] = here
            yield here, times[i : i + rows]

    moments = moments_of(blocks, counts.n, len(queries), together)
    low, high = np.array([lattice.undoing.bounds(query) or (-np.inf, np.inf) for query in queries]).T
    bias = max(lattice.largest_bias(query) for query in queries)
    return Sums(counts.n, *moments, low, high, bias)


def bracket_sums(lattice: Cells, counts: Counts, brackets: Sequence[Bracket]) -> tuple[Sums, Sums]:
    """The means of what holds plain questions from below, and of what holds them from above."""
    both = [*(part.inner for part in brackets), *(part.outer for part in brackets)]
    # the interpolants of both hold the plain question themselves, so what interpolation leaves of them is no bias
    sums = replace(
        lattice_sums(lattice, counts, both, together=False), bias=max(map(lattice.undoing.leftover, both), default=0.0)
    )
    size = len(brackets)
    return sums.part(slice(0, size)), sums.part(slice(size, None))


def map_sums(lattice: Cells, counts: Counts, product: Product) -> Sums:
    """The means of all queries of a map: by one convolution under round noise, else by products over its axes."""
    cells, times = counts.rows.astype(np.float64), counts.times.astype(np.float64)
    if (spectrum := lattice.undoing.spectrum) is not None:
        return _convolved(lattice, spectrum, cells, times, product)
    sums = product_sums(lattice, cells, times, product.axes, product.profile)
    size, kernel, rows = sums.means.size, product.query, len(product.axes[1])  # bounds do not depend on its place
    wide = size > MOST or (len(sums.u) + len(sums.v)) * rows * (rows + 1) / 2 > _WIDEST
    low, high = lattice.undoing.bounds(kernel) or (-np.inf, np.inf)
    return Sums(
        sums.n,
        sums.means.ravel(),
        sums.variances.ravel(),
        sums.thirds.ravel(),
        None if wide else sums.covariance(),
        np.full(size, low),
        np.full(size, high),
        lattice.largest_bias(kernel),
    )


def _convolved(lattice: Cells, spectrum: RoundSpectrum, cells: FloatArray, times: FloatArray, product: Product) -> Sums:
    """The means of all queries of a map under round noise."""
    sums = round_map(lattice, spectrum, cells, times, product)
    means, variances, thirds = (part.ravel() for part in sums.moments())
    low, high = lattice.undoing.bounds(product.query) or (-np.inf, np.inf)
    bias = lattice.largest_bias(product.query) + sums.aliasing()
    size = means.size
    return Sums(sums.n, means, variances, thirds, sums.together(), np.full(size, low), np.full(size, high), bias)


def round_map(
    lattice: Cells, spectrum: RoundSpectrum, cells: FloatArray, times: FloatArray, product: Product
) -> MapSums:
    """A map from counted cells, as a convolution."""
    inverse, place = undo_noise(product.query, spectrum), product.query.place

    def kernel(offset: FloatArray) -> FloatArray:
        return inverse(place + offset)

    bell = product.query.bell
    assert bell is not None  # what a map is made of
    reach = reach_of(kernel, bell.bandwidth, spectrum.rate)
    return MapSums(product.axes, lattice.grid.points(cells), times, kernel, bell.bandwidth, reach)


def _gathered(lattice: Cells, counts: Counts, queries: Sequence[Query]) -> Counts:
    """The same counts, with cells moved to the nearest around which every query answers alike.

    From a box on, queries are constant along every axis that leads away, and so are their stencils: what lies beyond
    counts as if it lay one cell outside the box that holds the boxes of all queries.
    """
    if lattice.undoing.spectrum is not None:  # what undoes round noise changes far from where the query does
        return counts
    boxes = [query.box_of_change(lattice.step) for query in queries]
    known = [box for box in boxes if box is not None]
    if len(known) < len(boxes):
        return counts
    low, high = (np.stack([np.atleast_1d(box[end]) for box in known]) for end in (0, 1))
    first = np.floor((low.min(axis=0) - lattice.origin) / lattice.step) - 1
    last = np.ceil((high.max(axis=0) - lattice.origin) / lattice.step) + 1
    return merged([Counts(np.clip(counts.rows, first, last).astype(np.int64), counts.times)])


@dataclass(frozen=True, eq=False)
class ProductSums:
    """The factors of a map: counts H of cells, and the stencil on the functions of each axis at the cells.

    Args:
        n: reports, of which those far from all centres are not in H.
        counts: H, shape (columns of cells, rows of cells).
        u: along the first axis, shape (columns of cells, centres).
        v: along the second axis, shape (rows of cells, centres).
    """

    n: int
    counts: sparse.csr_array
    u: FloatArray
    v: FloatArray

    @cached_property
    def means(self) -> FloatArray:
        """Uᵀ·H·V/n, shape (centres, centres)."""
        return _summed(self.counts, self.u, self.v) / self.n

    @cached_property
    def variances(self) -> FloatArray:
        """Of one report's contributions, of the same shape."""
        square = _summed(self.counts, self.u**2, self.v**2) / self.n
        return np.maximum(square - self.means**2, 0.0) * (self.n / (self.n - 1))

    @cached_property
    def thirds(self) -> FloatArray:
        """Third central moments, of the same shape."""
        square, cube = (_summed(self.counts, self.u**k, self.v**k) / self.n for k in (2, 3))
        return np.asarray(cube - 3 * self.means * square + 2 * self.means**3)

    def covariance(self) -> FloatArray:
        """Of one report's contributions to every two centres, shape (K, K) for K centres in the order of the map.

        Σ u_i·u_i'·H·v_j·v_j' needs one product of H with the distinct pairs (j, j'), and one with (i, i') for each i.
        """
        (columns, rows), pairs = (self.u.shape[1], self.v.shape[1]), np.triu_indices(self.v.shape[1])
        place = np.empty((rows, rows), dtype=np.intp)
        place[pairs] = place.T[pairs] = np.arange(len(pairs[0]))
        right = self.counts @ (self.v[:, pairs[0]] * self.v[:, pairs[1]])
        total = np.empty((columns, rows, columns, rows))
        for i in range(columns):
            total[i] = ((self.u * self.u[:, [i]]).T @ right)[:, place].transpose(1, 0, 2)
        flat, size = self.means.ravel(), columns * rows
        square = total.reshape(size, size)
        square /= self.n
        square -= np.multiply.outer(flat, flat)
        square *= self.n / (self.n - 1)
        return square


def product_sums(
    mechanism: Cells, cells: FloatArray, times: FloatArray, centers: tuple[FloatArray, FloatArray], shape: Shape
) -> ProductSums:
    """The factors of a map from cells, each of which was reported so many times.

    Args:
        mechanism: on a space of two axes.
        cells: shape (m, 2).
        times: shape (m,).
        centers: coordinates along both axes, as points of the space.
        shape: what a map is a product of, as a function of the way from the centre along one axis.
    """
    sides = [np.unique(axis, return_inverse=True) for axis in cells.T]
    u, v = (_along_axis(mechanism, k, sides[k][0], centers[k], shape) for k in (0, 1))
    counts = sparse.csr_array((times, (sides[0][1], sides[1][1])), shape=(len(u), len(v)))
    near_u, near_v = (np.flatnonzero(side.any(axis=1)) for side in (u, v))  # farther away a Gaussian is 0 in floats
    return ProductSums(int(times.sum()), counts[near_u][:, near_v], u[near_u], v[near_v])


def _along_axis(mechanism: Cells, axis: int, cells: FloatArray, centers: FloatArray, shape: Shape) -> FloatArray:
    """The stencil on the shape around each centre along one axis, shape (cells, centers)."""

    def around(at: FloatArray) -> FloatArray:
        return shape(mechanism.origin[axis] + mechanism.step * at - centers)

    return stencil(around, cells[:, None], mechanism.curvature)


def _summed(counts: sparse.csr_array, u: FloatArray, v: FloatArray) -> FloatArray:
    """Uᵀ·H·V."""
    return np.asarray(u.T @ (counts @ v))
