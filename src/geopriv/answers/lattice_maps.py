"""Many answers from one set of grid reports: the reports are counted once, then each query looks at distinct cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from scipy import special

from geopriv.answers.estimation import Estimate, read_reports, summary
from geopriv.errors import ReportRejected
from geopriv.mechanisms import Lattice
from geopriv.mechanisms.lattice.moments import distinct
from geopriv.mechanisms.lattice.sums import Shape, product_sums
from geopriv.queries import Query
from geopriv.shapes.profiles import Gaussian
from geopriv.spaces.checks import (
    FloatArray,
    fraction,
    invalid,
    numbers,
    positive,
)


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
