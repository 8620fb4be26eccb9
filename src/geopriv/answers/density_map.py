"""A map: one query at every point of a grid. By Fourier transforms, or from cells by products over axes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import singledispatch
from typing import Any, cast

import numpy as np
from scipy import fft

from geopriv.answers import cells
from geopriv.answers.answers import Answer
from geopriv.answers.estimates import Estimates, read_reports
from geopriv.answers.pools import Pool
from geopriv.answers.spectra import shrinkage
from geopriv.answers.units import density_unit
from geopriv.errors import ReportRejected
from geopriv.mechanisms.base import Mechanism
from geopriv.mechanisms.input.deconvolution import LaplaceSpectrum, Spectrum, undo, undo_noise
from geopriv.mechanisms.input.input import InputLaplace
from geopriv.mechanisms.input.map_sums import MapSums, reach_of
from geopriv.mechanisms.lattice.lattice import Lattice
from geopriv.mechanisms.lattice.sums import product_sums, round_map
from geopriv.queries import Query
from geopriv.queries.questions import DensityMap
from geopriv.shapes.profiles import Gaussian
from geopriv.spaces.checks import FloatArray, invalid

areas, places, unit = cells.areas, cells.places, density_unit


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
    """By one Fourier transform (theory T6)."""
    bandwidth, place = _shape(mechanism, query)
    rate = mechanism.guarantee.epsilon
    inverse = undo(query, rate) if mechanism.unbiased else query.answer
    noise, bias = LaplaceSpectrum(rate, 2), mechanism.largest_bias(query)
    points = _read_points(mechanism, reports)
    sums = _sums(query, _axes(at), points, np.ones(len(points)), inverse, (bandwidth, place, rate))
    return _estimates(sums, noise, bias, confidence, shrink)


@on_grid.register
def _of_cells(
    mechanism: Lattice, reports: Any, query: Query, at: Any, confidence: float, shrink: bool
) -> Estimates | None:
    """Of round noise as of points; of independent noise on each axis by products over axes.

    A Gaussian is a product over axes, and so is the stencil on it: g = u_i(k₁)·v_j(k₂). With H the counts of distinct
    cells, Σg = Uᵀ·H·V and Σg² is the same with squares: two small matrix products in place of a sum over people,
    centres and neighbours. The result is that of the direct sum, to rounding.
    """
    cells = mechanism.cells(read_reports(reports))
    if len(cells) < 2:
        raise ReportRejected("A map needs at least two reports, or it has no standard error.")
    if (noise := mechanism.undoing.spectrum) is not None:
        bandwidth, place = _shape(mechanism, query)
        points, times = mechanism.grid.points(cells), np.ones(len(cells))
        sums = _sums(query, _axes(at), points, times, undo_noise(query, noise), (bandwidth, place, noise.rate))
        return _estimates(sums, noise, mechanism.largest_bias(query), confidence, shrink)
    if shrink:
        raise invalid("estimate", "shrink", "given for a map from noise that is alike in all directions", mechanism)
    if query.space != mechanism.space or query.space.dimension != 2 or query.bell is None:
        raise invalid("estimate", "query", f"a GaussianKernel of two axes on {mechanism.space}", query)
    products = product_sums(mechanism, cells, np.ones(len(cells)), _axes(at), Gaussian(query.bell.bandwidth))
    errors = np.sqrt(products.variances / products.n)
    return Estimates(products.means, errors, products.n, mechanism.largest_bias(query), confidence)


def _sums(
    query: Any,
    axes: tuple[FloatArray, FloatArray],
    points: FloatArray,
    times: FloatArray,
    inverse: Callable[[FloatArray], FloatArray],
    size: tuple[float, FloatArray, float],
) -> MapSums:
    """What reports add up to at every point of a map.

    Args:
        query: that is moved to every point.
        axes: of the map.
        points: of the reports.
        times: how often each came.
        inverse: g at points.
        size: over which g changes, where the query is, and the rate at which g falls.
    """
    bandwidth, place, rate = size

    def kernel(offset: FloatArray) -> FloatArray:
        return inverse(place + offset)

    corner = 0.0 if query.has_profile else float(np.linalg.norm(query.half_box))
    return MapSums(axes, points, times, kernel, bandwidth, reach_of(kernel, bandwidth, rate, corner))


def _estimates(sums: MapSums, noise: Spectrum, bias: float, confidence: float, shrink: bool) -> Estimates:
    """The map with its errors; `binning_error` bounds how far values are from the direct sum."""
    heights, n = shrunk_heights(sums, noise) if shrink else sums.heights, sums.n
    if n > 1:
        value, variance, _ = sums.moments(heights)
        error = np.sqrt(variance / n)
    else:
        value = sums.mean(heights)
        error = np.full_like(value, np.inf)
    left = math.nan if shrink else bias
    return Estimates(value, error, n, left, confidence, binning_error=sums.aliasing(heights))


def shrunk_heights(sums: MapSums, noise: Spectrum) -> FloatArray:
    """The kernel of a map, its spectrum multiplied by signal over signal and noise."""
    factor = shrinkage(sums.grid.waves, sums.spectrum, sums.n, noise)
    return np.asarray(fft.irfft2(fft.rfft2(sums.heights, workers=-1) * factor, s=sums.grid.shape, workers=-1))


def shrunk(answer: Answer, pool: Pool) -> Answer:
    """The same answer with a **biased** map of less noise beside it: its spectrum shrunk, held in the band and above 0.

    Raises:
        InvalidParameter: for reports with noise that is not alike in all directions.
    """
    question = answer.question
    assert question.product is not None  # as of every map
    assert answer.band is not None
    index = pool.design.answering(question.queries[0])
    lattice = cast("Lattice", pool.design.mechanisms[index])  # nothing else of a design answers maps
    if (noise := lattice.undoing.spectrum) is None:
        raise invalid("estimate", "shrink", "given for a map from a Lattice with round noise", "product noise")
    ((_, counts),) = pool.parts(index, question)
    cells, times = counts.rows.astype(np.float64), counts.times.astype(np.float64)
    sums = round_map(lattice, noise, cells, times, question.product)
    values = sums.mean(shrunk_heights(sums, noise))
    low, high = (np.maximum(end, 0.0) for end in (answer.band.low, answer.band.high))
    return replace(answer, consistent=np.clip(values, low, high))


def _shape(mechanism: Mechanism, query: Any) -> tuple[float, FloatArray]:
    """The query's smoothness length and its place."""
    if query.space != mechanism.space:
        raise invalid("estimate", "query", f"on the space of the reports, {mechanism.space}", query.space)
    bandwidth = getattr(query, "bandwidth", None)
    movable = query.bell is not None if query.has_profile else query.fades
    if bandwidth is None or not movable or query.space.dimension != 2:
        rule = "a GaussianKernel, or a Blurred region in the plane that does not reach to infinity"
        raise invalid("estimate", "query", rule, type(query).__name__)
    return float(bandwidth), query.place if query.has_profile else query.middle


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
