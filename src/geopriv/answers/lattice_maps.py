"""Many answers from one set of grid reports: the reports are counted once, then each query looks at distinct cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse, special

from geopriv.answers.estimation import Estimate, read_reports, summary
from geopriv.errors import ReportRejected
from geopriv.mechanisms import Lattice
from geopriv.mechanisms.lattice.moments import distinct, stencil
from geopriv.queries import Query
from geopriv.shapes.profiles import Gaussian
from geopriv.spaces.checks import (
    FloatArray,
    fraction,
    invalid,
    numbers,
    positive,
)

Shape = Callable[[FloatArray], FloatArray]


def lattice_estimates(
    mechanism: Lattice, reports: Any, queries: Iterable[Query], confidence: float = 0.95
) -> tuple[Estimate, ...]:
    """The estimate of each query, as `estimate` gives it, from one count of the reported cells.

    Args:
        mechanism: that made the reports.
        reports: one a person.
        queries: on the mechanism's space: a whole distribution, say, as thresholds.
        confidence: of each interval by itself.

    Raises:
        ReportRejected: for no reports, or reports that are no cells.

    >>> import numpy as np, geopriv as gp
    >>> steps = [gp.Threshold(at=t, width=4.0) for t in (-2.0, 0.0, 2.0)]
    >>> m = gp.Lattice.calibrate(gp.Line(), 1.0, queries=steps)
    >>> reports = m.simulate(np.random.default_rng(0).normal(size=100_000), np.random.default_rng(1))
    >>> [round(answer.value, 2) for answer in gp.lattice_estimates(m, reports, steps)]
    [0.9, 0.5, 0.1]
    """
    fraction("lattice_estimates", "confidence", confidence)
    cells, which = distinct(mechanism.cells(read_reports(reports)))
    times = np.bincount(which).astype(np.float64)
    return tuple(
        summary(mechanism.at_cells(cells, query), times, mechanism.largest_bias(query), confidence) for query in queries
    )


def lattice_kernel_map(
    mechanism: Lattice, reports: Any, centers_x: Any, centers_y: Any, bandwidth: float
) -> tuple[FloatArray, FloatArray]:
    """A map: the mean of exp(−‖x − t‖²/2h²) for every t of a grid, and its standard error.

    A Gaussian is a product of functions of one axis, and so is the stencil on it: g = u_i(k₁)·v_j(k₂). With H the
    counts of distinct cells, Σg = Uᵀ·H·V and Σg² is the same with squares: two small matrix products in place of a sum
    over people, centres and neighbours. The result is that of the direct sum, to rounding.

    Args:
        mechanism: on a Plane, a LocalPlane or another space of two axes.
        reports: one a person.
        centers_x: first coordinates of the centres, as points of the space (on a LocalPlane metres east).
        centers_y: second coordinates (on a LocalPlane metres north).
        bandwidth: h, in the unit of distance.

    Returns:
        Means and standard errors, each of shape (centers_x, centers_y).

    Raises:
        InvalidParameter: for a space that has not two axes.
        ReportRejected: for fewer than two reports, or reports that are no cells.
    """
    bell = Gaussian(positive("lattice_kernel_map", "bandwidth", bandwidth))
    axes = [numbers("lattice_kernel_map", name, c) for name, c in (("centers_x", centers_x), ("centers_y", centers_y))]
    return _product_map("lattice_kernel_map", mechanism, reports, axes, bell)


def lattice_corner_map(
    mechanism: Lattice, reports: Any, at_x: Any, at_y: Any, bandwidth: float
) -> tuple[FloatArray, FloatArray]:
    """The share of people above two thresholds at once, for every pair of them, and its standard error.

    The corner is blurred by a Gaussian, which makes it a product too: the mean of Φ((x₁ − a)/h)·Φ((x₂ − b)/h).

    Args:
        mechanism: on a Plane, a LocalPlane or another space of two axes.
        reports: one a person.
        at_x: thresholds a of the first coordinate, as points of the space.
        at_y: thresholds b of the second coordinate.
        bandwidth: h of the blur, in the unit of distance. The narrower, the more variance.

    Returns:
        Means and standard errors, each of shape (at_x, at_y).

    Raises:
        InvalidParameter: for a space that has not two axes.
        ReportRejected: for fewer than two reports, or reports that are no cells.

    >>> import numpy as np, geopriv as gp
    >>> m = gp.Lattice.calibrate(gp.Plane("USD"), 1.0)
    >>> reports = m.simulate(np.random.default_rng(0).normal(size=(100_000, 2)), np.random.default_rng(1))
    >>> shares, errors = gp.lattice_corner_map(m, reports, [-20.0, 0.0], [0.0], bandwidth=1.0)
    >>> shares.ravel().round(2), bool((errors < 0.02).all())
    (array([0.5 , 0.25]), True)
    """
    h = positive("lattice_corner_map", "bandwidth", bandwidth)
    places = [numbers("lattice_corner_map", name, at) for name, at in (("at_x", at_x), ("at_y", at_y))]
    return _product_map("lattice_corner_map", mechanism, reports, places, lambda way: special.ndtr(way / h))


def _product_map(
    owner: str, mechanism: Lattice, reports: Any, places: Sequence[tuple[float, ...]], shape: Shape
) -> tuple[FloatArray, FloatArray]:
    """Means of shape(x₁ − a)·shape(x₂ − b) for all a and b, and their standard errors."""
    if mechanism.space.dimension != 2:
        raise invalid(owner, "mechanism", "on a space of two axes", mechanism.space)
    cells = mechanism.cells(read_reports(reports))
    if len(cells) < 2:
        raise ReportRejected("A map needs at least two reports, or it has no standard error.")
    at = np.asarray(places[0]), np.asarray(places[1])
    sums = product_sums(mechanism, cells, np.ones(len(cells)), at, shape)
    return sums.means, np.sqrt(sums.variances / sums.n)


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
    mechanism: Lattice, cells: FloatArray, times: FloatArray, centers: tuple[FloatArray, FloatArray], shape: Shape
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


def _along_axis(mechanism: Lattice, axis: int, cells: FloatArray, centers: FloatArray, shape: Shape) -> FloatArray:
    """The stencil on the shape around each centre along one axis, shape (cells, centers)."""

    def around(at: FloatArray) -> FloatArray:
        return shape(mechanism.origin[axis] + mechanism.step * at - centers)

    return stencil(around, cells[:, None], mechanism.curvature)


def _summed(counts: sparse.csr_array, u: FloatArray, v: FloatArray) -> FloatArray:
    """Uᵀ·H·V."""
    return np.asarray(u.T @ (counts @ v))
