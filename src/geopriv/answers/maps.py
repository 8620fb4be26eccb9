"""Maps from input reports: one query at every point of a grid, in one pass over the reports.

The estimate at t is the mean of g(y − t) over the reports y: a convolution. Reports are spread over a fine grid with
cubic B-splines, whose effect on the spectrum is known and divided out, and one Fourier transform convolves them with g.
The cost is O(n + G log G) instead of n × G. What spreading leaves is bounded by aliasing: with r = ωΔ/2π on a grid of
step Δ each axis adds to a wave of frequency ω at most Σ_k≠0 (r/(k + r))⁴ ≤ 2.2·(r/(1 − r))⁴ of it, and reading between
grid points by splines of degree five less than that.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import fft

from geopriv.answers.estimation import Estimates, read_reports
from geopriv.answers.fine_grids import FineGrid
from geopriv.answers.spectra import shrinkage
from geopriv.errors import ReportRejected
from geopriv.mechanisms import InputLaplace
from geopriv.mechanisms.input.deconvolution import undo
from geopriv.queries import Blurred, GaussianKernel, Query
from geopriv.spaces.checks import FloatArray, fraction, invalid

_NEGLIGIBLE = 1e-10  # of the largest |g|: where the kernel is cut


def estimate_map(
    mechanism: InputLaplace,
    reports: Any,
    query: Query,
    first: Any,
    second: Any,
    confidence: float = 0.95,
    shrink: bool = False,
) -> Estimates:
    """The mean of a query moved to every point of a grid, from one report a person.

    Args:
        mechanism: noise on the input, in two dimensions.
        reports: noisy points, one a person.
        query: a GaussianKernel, or a blurred region around some place; it is moved so that its place (`center`, or the
            middle of the region's box) lies on each grid point in turn.
        first: increasing coordinates of the grid's rows, in the space's points (metres on a LocalPlane).
        second: increasing coordinates of its columns.
        confidence: of the intervals.
        shrink: multiply the spectrum by S/(S + v), signal over signal and noise, ring by ring. Cuts the error where
            noise dominates (a predicted relative error above 5 %), but is **biased**, and is labelled so.

    Returns:
        Estimates of shape (first, second). `binning_error` bounds how far values are from the direct sum over reports.

    Raises:
        ReportRejected: for no reports, or reports that are not finite points.
        InvalidParameter: for a query that cannot be moved, or a grid too large.

    Reference: theory T6 and T10's note.

    >>> import numpy as np, geopriv as gp
    >>> m = gp.InputLaplace.calibrate(gp.Plane("m"), epsilon=1.0)
    >>> rng = np.random.default_rng(1)
    >>> reports = m.simulate(rng.normal(size=(20_000, 2)), rng)
    >>> kernel = gp.GaussianKernel((0.0, 0.0), bandwidth=2.0, space=gp.Plane("m"))
    >>> density = gp.estimate_map(m, reports, kernel, np.linspace(-5, 5, 11), np.linspace(-5, 5, 11))
    >>> print(density[5, 5])
    0.800594 ± 0.0044, [0.791988, 0.8092], n = 20,000
    """
    fraction("estimate_map", "confidence", confidence)
    rows, columns = (_axis(name, axis) for name, axis in (("first", first), ("second", second)))
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


def _shape(mechanism: InputLaplace, query: Query) -> tuple[float, FloatArray]:
    """The query's smoothness length and its place."""
    if not isinstance(mechanism, InputLaplace):
        raise invalid("estimate_map", "mechanism", "an InputLaplace", type(mechanism).__name__)
    if query.space != mechanism.space:
        raise invalid("estimate_map", "query", f"on the space of the reports, {mechanism.space}", query.space)
    if isinstance(query, GaussianKernel) and query.space.dimension == 2:
        return query.bandwidth, query.geometry.anchor
    if isinstance(query, Blurred) and not query.along_line and query.fades:
        return query.bandwidth, query.middle
    rule = "a GaussianKernel, or a Blurred region in the plane that does not reach to infinity"
    raise invalid("estimate_map", "query", rule, type(query).__name__)


def _reach(mechanism: InputLaplace, query: Query, place: FloatArray, bandwidth: float) -> float:
    """How far from its place the kernel matters: beyond the region's corners it falls on a circle, as g does."""
    corner = float(np.linalg.norm(query.half_box)) if isinstance(query, Blurred) else 0.0
    r = corner + np.arange(0.0, 12 * bandwidth + 40 / mechanism.guarantee.epsilon, bandwidth / 4)
    turn = np.arange(64) * np.pi / 32
    around = np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    size = np.abs(_kernel(mechanism, query, place + r[:, None, None] * around)).max(axis=1)
    most = max(float(size.max()), 1.0)
    return float(r[np.nonzero(size > _NEGLIGIBLE * most)[0][-1:]].max(initial=corner)) + bandwidth


def _axis(name: str, axis: Any) -> FloatArray:
    try:
        array = np.asarray(axis, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.ndim != 1 or array.size == 0 or not np.isfinite(array).all() or not (np.diff(array) > 0).all():
        raise invalid("estimate_map", name, "increasing coordinates", np.shape(axis))
    return array


def _read_points(mechanism: InputLaplace, reports: Any) -> FloatArray:
    points = read_reports(reports)
    if points.ndim != 2 or points.shape[1] != 2:
        raise ReportRejected(f"Reports of {type(mechanism).__name__} for a map must be points of shape (n, 2).")
    return points
