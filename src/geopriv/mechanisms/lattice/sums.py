"""What the cells of a lattice add up to, each distinct one being looked at once; of a map by products over its axes."""

from __future__ import annotations

import math
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
from geopriv.mechanisms.roughness import Roughness
from geopriv.mechanisms.sums import Sums, moments_of
from geopriv.queries import Query
from geopriv.queries.brackets import Bracket
from geopriv.queries.questions import Product
from geopriv.shapes.profiles import Gaussian
from geopriv.spaces.checks import FloatArray

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
    return Sums(counts.n, *moments, low, high, bias, blocks=blocks)


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
    size, kernel = sums.means.size, product.query  # bounds do not depend on its place
    low, high = lattice.undoing.bounds(kernel) or (-np.inf, np.inf)
    return Sums(
        sums.n,
        sums.means.ravel(),
        sums.variances.ravel(),
        sums.thirds.ravel(),
        product_roughness(lattice, cells, times, product),
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
    return Sums(sums.n, means, variances, thirds, sums.roughness(), np.full(size, low), np.full(size, high), bias)


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
        n: reports.
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


def product_roughness(lattice: Cells, cells: FloatArray, times: FloatArray, product: Product) -> Roughness:
    """How the errors of a map under noise of its own on each axis change from place to place.

    What a report adds is u·v, so its slopes are u′·v and u·v′, and sums of products of two of them are products over
    axes again. On a grid of its own, of quarters of a bandwidth: errors are as smooth as what is asked.
    """
    bell = product.query.bell
    assert bell is not None  # what a map is made of
    shape = Gaussian(bell.bandwidth)
    axes = [_quarters(axis, bell.bandwidth) for axis in product.axes]
    level, steep = (product_sums(lattice, cells, times, (axes[0], axes[1]), each) for each in (shape, shape.slope))
    u, v = ((getattr(level, side), getattr(steep, side)) for side in "uv")
    factors = (u[0], v[0]), (u[1], v[0]), (u[0], v[1])  # of g and its slopes
    pairs = [(factors[i], factors[j]) for i, j in zip(*np.triu_indices(3), strict=True)]
    means = [_summed(level.counts, *each) for each in factors]
    squares = [_summed(level.counts, a * b, c * d) for (a, c), (b, d) in pairs]
    steps = tuple(float(axis[1] - axis[0]) for axis in axes)
    return Roughness.of((steps[0], steps[1]), np.array(means) / level.n, np.array(squares) / level.n)


def _quarters(axis: FloatArray, bandwidth: float) -> FloatArray:
    """Between the ends of an axis, in steps of at most a quarter of the bandwidth."""
    return np.linspace(axis[0], axis[-1], max(2, math.ceil(4 * float(np.ptp(axis)) / bandwidth) + 1))


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
    return ProductSums(int(times.sum()), counts, u, v)


def _along_axis(mechanism: Cells, axis: int, cells: FloatArray, centers: FloatArray, shape: Shape) -> FloatArray:
    """The stencil on the shape around each centre along one axis, shape (cells, centers)."""

    def around(at: FloatArray) -> FloatArray:
        return shape(mechanism.origin[axis] + mechanism.step * at - centers)

    return stencil(around, cells[:, None], mechanism.curvature)


def _summed(counts: sparse.csr_array, u: FloatArray, v: FloatArray) -> FloatArray:
    """Uᵀ·H·V."""
    return np.asarray(u.T @ (counts @ v))
