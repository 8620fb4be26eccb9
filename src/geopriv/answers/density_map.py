"""A map: one query at every point of a grid. From input reports by Fourier transforms, from cells by products.

The estimate at t is the mean of g(y − t) over the reports y: a convolution. Reports are spread over a fine grid with
cubic B-splines, whose effect on the spectrum is known and divided out, and one Fourier transform convolves them with g.
The cost is O(n + G log G) instead of n × G. What spreading leaves is bounded by aliasing: with r = ωΔ/2π on a grid of
step Δ each axis adds to a wave of frequency ω at most Σ_k≠0 (r/(k + r))⁴ ≤ 2.2·(r/(1 − r))⁴ of it, and reading between
grid points by splines of degree five less than that.
"""

from __future__ import annotations

import math
from functools import singledispatch
from typing import Any

import numpy as np
from scipy import fft

from geopriv.answers.estimates import Estimates, read_reports
from geopriv.answers.fine_grids import FineGrid
from geopriv.answers.spectra import shrinkage
from geopriv.errors import ReportRejected
from geopriv.mechanisms.base import Mechanism
from geopriv.mechanisms.input.deconvolution import undo
from geopriv.mechanisms.input.input import InputLaplace
from geopriv.mechanisms.lattice.lattice import Lattice
from geopriv.mechanisms.lattice.sums import product_sums
from geopriv.queries import Query
from geopriv.queries.questions import DensityMap
from geopriv.shapes.profiles import Gaussian
from geopriv.spaces.checks import FloatArray, invalid

_NEGLIGIBLE = 1e-10  # of the largest |g|: where the kernel is cut


def consistent(question: DensityMap, estimates: Estimates) -> FloatArray:
    """What is below 0 becomes 0: the nearest map that is not negative.

    Its total grows by all that was below 0, so a map of few people shows more of them than there are; totals belong to
    the estimates themselves.
    """
    return np.maximum(estimates.values, 0.0)


def at_once(
    mechanism: Mechanism, reports: Any, question: DensityMap, confidence: float, shrink: bool
) -> Estimates | None:
    """All of the map in one pass."""
    return on_grid(mechanism, reports, question.queries[0], question.axes, confidence, shrink)


@singledispatch
def on_grid(
    mechanism: Mechanism, reports: Any, query: Query, at: Any, confidence: float, shrink: bool
) -> Estimates | None:
    """A query moved so that its place lies on each point of a grid in turn; None where a mechanism has no such pass.

    Args:
        mechanism: that made the reports.
        reports: one a person.
        query: a GaussianKernel, or for noise on the input a blurred region around some place, which then is the middle
            of the region's box.
        at: increasing coordinates of the grid's rows and of its columns, in the space's points (metres on a
            LocalPlane).
        confidence: of the intervals, each for itself.
        shrink: multiply the spectrum by S/(S + v), signal over signal and noise, ring by ring. Cuts the error where
            noise dominates (a predicted relative error above 5 %), but is **biased**, and is labelled so.
    """
    return None


@on_grid.register
def _of_points(
    mechanism: InputLaplace, reports: Any, query: Query, at: Any, confidence: float, shrink: bool
) -> Estimates | None:
    """By one Fourier transform (theory T6); `binning_error` bounds how far values are from the direct sum."""
    rows, columns = _axes(at)
    bandwidth, place = _shape(mechanism, query)
    points = _read_points(mechanism, reports)
    grid = FineGrid.around(rows, columns, bandwidth, _reach(mechanism, query, place, bandwidth))
    mass = grid.spread(points)
    kernel, spectrum = (
        grid.kernel(lambda offset: _kernel(mechanism, query, place + offset)),
        fft.rfft2(mass, workers=-1),
    )
    factor = shrinkage(grid.waves, spectrum, len(points), mechanism.guarantee.epsilon) if shrink else None
    if factor is not None:
        kernel = fft.irfft2(fft.rfft2(kernel, workers=-1) * factor, s=mass.shape, workers=-1)
    sums, squares = (grid.convolve(spectrum, k) for k in (kernel, kernel**2))
    n = len(points)
    value, square = (grid.read(total, rows, columns) / n for total in (sums, squares))
    error = np.sqrt(np.maximum(square - value**2, 0.0) / max(n - 1, 1)) if n > 1 else np.full_like(value, np.inf)
    bias = math.nan if shrink else mechanism.largest_bias(query)
    return Estimates(value, error, n, bias, confidence, binning_error=_aliasing(kernel, grid))


@on_grid.register
def _of_cells(
    mechanism: Lattice, reports: Any, query: Query, at: Any, confidence: float, shrink: bool
) -> Estimates | None:
    """By products over axes, which a Gaussian is and so is the stencil on it: g = u_i(k₁)·v_j(k₂).

    With H the counts of distinct cells, Σg = Uᵀ·H·V and Σg² is the same with squares: two small matrix products in
    place of a sum over people, centres and neighbours. The result is that of the direct sum, to rounding.
    """
    if shrink:
        raise invalid("estimate", "shrink", "given for a map from an InputLaplace", type(mechanism).__name__)
    if query.space != mechanism.space or query.space.dimension != 2 or query.bell is None:
        raise invalid("estimate", "query", f"a GaussianKernel of two axes on {mechanism.space}", query)
    cells = mechanism.cells(read_reports(reports))
    if len(cells) < 2:
        raise ReportRejected("A map needs at least two reports, or it has no standard error.")
    sums = product_sums(mechanism, cells, np.ones(len(cells)), _axes(at), Gaussian(query.bell.bandwidth))
    errors = np.sqrt(sums.variances / sums.n)
    return Estimates(sums.means, errors, sums.n, mechanism.largest_bias(query), confidence)


def _kernel(mechanism: InputLaplace, query: Query, points: FloatArray) -> FloatArray:
    return undo(query, mechanism.guarantee.epsilon)(points) if mechanism.unbiased else query.answer(points)


def _aliasing(kernel: FloatArray, grid: FineGrid) -> float:
    """Σ over waves of what spreading and interpolation add to each: a bound on the error of one report's share.

    Two axes of spreading and two of interpolation leave (1 + 2.2s)⁴ − 1 with s = (r/(1 − r))⁴ for the faster axis; half
    of the waves are left out of a real transform.
    """
    amplitude = np.abs(fft.rfft2(kernel, workers=-1)) / kernel.size
    turn = np.maximum(*(np.abs(w) * grid.step for w in grid.waves)) / (2 * np.pi)
    leak = 2.2 * (turn / (1 - np.minimum(turn, 0.5))) ** 4
    return float(2 * (amplitude * ((1 + leak) ** 4 - 1)).sum()) + _NEGLIGIBLE * max(float(np.abs(kernel).max()), 1.0)


def _shape(mechanism: InputLaplace, query: Any) -> tuple[float, FloatArray]:
    """The query's smoothness length and its place."""
    if query.space != mechanism.space:
        raise invalid("estimate", "query", f"on the space of the reports, {mechanism.space}", query.space)
    bandwidth = getattr(query, "bandwidth", None)
    movable = query.bell is not None if query.has_profile else query.fades
    if bandwidth is None or not movable or query.space.dimension != 2:
        rule = "a GaussianKernel, or a Blurred region in the plane that does not reach to infinity"
        raise invalid("estimate", "query", rule, type(query).__name__)
    return float(bandwidth), query.place if query.has_profile else query.middle


def _reach(mechanism: InputLaplace, query: Any, place: FloatArray, bandwidth: float) -> float:
    """How far from its place the kernel matters: beyond the region's corners it falls on a circle, as g does."""
    corner = 0.0 if query.has_profile else float(np.linalg.norm(query.half_box))
    r = corner + np.arange(0.0, 12 * bandwidth + 40 / mechanism.guarantee.epsilon, bandwidth / 4)
    turn = np.arange(64) * np.pi / 32
    around = np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    size = np.abs(_kernel(mechanism, query, place + r[:, None, None] * around)).max(axis=1)
    most = max(float(size.max()), 1.0)
    return float(r[np.nonzero(size > _NEGLIGIBLE * most)[0][-1:]].max(initial=corner)) + bandwidth


def _axes(at: Any) -> tuple[FloatArray, FloatArray]:
    """Two axes of increasing coordinates."""
    try:
        first, second = (np.asarray(axis, dtype=np.float64) for axis in at)
    except (TypeError, ValueError):
        raise invalid("estimate", "at", "two axes of increasing coordinates", type(at).__name__) from None
    for axis in (first, second):
        if axis.ndim != 1 or axis.size == 0 or not np.isfinite(axis).all() or not (np.diff(axis) > 0).all():
            raise invalid("estimate", "at", "two axes of increasing coordinates", np.shape(axis))
    return first, second


def _read_points(mechanism: InputLaplace, reports: Any) -> FloatArray:
    points = read_reports(reports)
    if points.ndim != 2 or points.shape[1] != 2:
        raise ReportRejected(f"Reports of {type(mechanism).__name__} for a map must be points of shape (n, 2).")
    return points
