"""Many answers from one set of grid reports: the reports are counted once, then each query looks at distinct cells."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy import sparse

from geopriv.checks import FloatArray, fraction, invalid, numbers, positive
from geopriv.errors import ReportRejected
from geopriv.estimation import Estimate, summary
from geopriv.mechanisms import Lattice, Simulated
from geopriv.mechanisms.lattice_moments import distinct, stencil
from geopriv.queries import Query


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
    cells, which = distinct(_cells(mechanism, reports))
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
    if mechanism.space.dimension != 2:
        raise invalid("lattice_kernel_map", "mechanism", "on a space of two axes", mechanism.space)
    h = positive("lattice_kernel_map", "bandwidth", bandwidth)
    centers = [
        numbers("lattice_kernel_map", name, c) for name, c in (("centers_x", centers_x), ("centers_y", centers_y))
    ]
    cells = _cells(mechanism, reports)
    n = len(cells)
    if n < 2:
        raise ReportRejected("A map needs at least two reports, or it has no standard error.")
    (columns, i), (rows, j) = (np.unique(axis, return_inverse=True) for axis in cells.T)
    counts = sparse.csr_array((np.ones(n), (i, j)), shape=(columns.size, rows.size))
    u = _along_axis(mechanism, 0, columns, centers[0], h)
    v = _along_axis(mechanism, 1, rows, centers[1], h)
    mean = _summed(counts, u, v) / n
    square = _summed(counts, u**2, v**2) / n
    return mean, np.sqrt(np.maximum(square - mean**2, 0.0) / (n - 1))


def _along_axis(
    mechanism: Lattice, axis: int, cells: FloatArray, centers: tuple[float, ...], bandwidth: float
) -> FloatArray:
    """The stencil on the Gaussian around each centre along one axis, shape (cells, centers)."""

    def bells(at: FloatArray) -> FloatArray:
        distance = (mechanism.origin[axis] + mechanism.step * at - np.asarray(centers)) / bandwidth
        return np.asarray(np.exp(-0.5 * np.minimum(np.abs(distance), 40.0) ** 2))

    return stencil(bells, cells[:, None], mechanism.curvature)


def _summed(counts: sparse.csr_array, u: FloatArray, v: FloatArray) -> FloatArray:
    """Uᵀ·H·V."""
    return np.asarray(u.T @ (counts @ v))


def _cells(mechanism: Lattice, reports: Any) -> FloatArray:
    try:
        values = np.asarray(reports.values if isinstance(reports, Simulated) else reports, dtype=np.float64)
    except (TypeError, ValueError):
        raise ReportRejected("Reports must be numbers.") from None
    if values.size == 0:
        raise ReportRejected("There must be at least one report.")
    return mechanism.cells(values)
