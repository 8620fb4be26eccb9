"""Expected variance of every mechanism under the prior, for every query: exact formulas, no simulation."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar, cast

import numpy as np
from scipy import interpolate

from geopriv.errors import InvalidParameter
from geopriv.mechanisms import CoordinateLaplace, Lattice, Table
from geopriv.mechanisms.input.deconvolution import Inverse, OfCoordinate, undo, undo_noise
from geopriv.mechanisms.input.deconvolution.grid import GridInverse
from geopriv.mechanisms.input.moments import means_along
from geopriv.mechanisms.lattice.bias import interpolation_bias
from geopriv.mechanisms.lattice.moments import interpolant, mean_square
from geopriv.proofs.floors.single import floor_along
from geopriv.queries import Query
from geopriv.shapes.profiles import Gaussian
from geopriv.smooth import LeastScaleT, LipschitzLaplace, SmoothT
from geopriv.spaces.checks import FloatArray, invalid
from geopriv.spaces.threads import each_in_threads
from geopriv.surveys.planning.workload import Curve, Workload

_Made = TypeVar("_Made")
Invert = Callable[[Query], Inverse]  # what undoes the noise for a query
_ALONE = 16  # shapes without a formula that are worth computing one by one
_MOST_ALONE, _FEWEST = 500, 200  # the most of them, and the fewest points that then stand for the prior
_BIAS = (1e-4, 1e-3)  # of a grid: below, cells are many and nothing is gained
_PREDICTED = 0.1  # in units of 1/ε, the finest step on which predictions in the plane are made
_SAME = 1e-6  # of a bandwidth, within which centres are on one line
_KINKED = 200  # on a line: each may lie differently between cells
_OFFSETS = 801  # at most, along each axis of a table by offset
_FAR = 15.0  # in units of 1/ε

# noise on the answer or on the coordinate: one query a report
POSTERIOR: dict[str, Callable[[Query, float], Curve]] = {
    "Table": lambda query, rate: Table.calibrate(query, rate).variance_at,
    "LeastScaleT": lambda query, rate: LeastScaleT.calibrate(query, rate).variance_at,
    "SmoothT": lambda query, rate: SmoothT.calibrate(query, rate).variance_at,
    "LipschitzLaplace": lambda query, rate: LipschitzLaplace.calibrate(query, rate).variance_at,
    "CoordinateLaplace": lambda query, rate: CoordinateLaplace.calibrate(query, rate).variance_at,
}


def posterior(name: str, work: Workload, rate: float) -> FloatArray:
    """Expected variance of one report for each query, at a rate."""
    return work.mean(lambda query: POSTERIOR[name](query, rate))


def floors(work: Workload, rate: float) -> FloatArray:
    """The expected floor T7 of each query for itself, to a thousandth below; 0 where its shape is not known."""
    # where nobody can be below some value, how far below a threshold that is matters too
    ends = np.isfinite(work.space.limits).any() and work.space.dimension == 1
    apart = (lambda query: query.place.tobytes()) if ends else None
    try:
        return 0.999 * work.mean(lambda query: floor_along(query, rate), apart)
    except InvalidParameter:
        return np.zeros(work.size)


def input_laplace(work: Workload, rate: float) -> FloatArray:
    """Expected variance of unbiased estimates from one noisy point."""
    return _undone(work, lambda query: undo(query, rate))


def _undone(work: Workload, invert: Invert) -> FloatArray:
    """Expected variance of unbiased estimates from one report with noise that is undone."""
    variance = np.empty(work.size)
    regions = [k for k, query in enumerate(work.queries) if not query.has_profile]
    others = [k for k in range(work.size) if k not in set(regions)]
    for members, predict in ((regions, _blurred_regions), (others, _of_coordinates)):
        for together in work.by_crowd(members):
            variance[together] = predict(work.part(together), invert)
    return variance


def _of_coordinates(work: Workload, invert: Invert) -> FloatArray:
    def curve(query: Query) -> Curve:
        inverse = invert(query)
        assert isinstance(inverse, OfCoordinate)
        return lambda s: inverse.moment(s) - query.profile(s) ** 2

    return np.maximum(work.mean(curve), 0.0)


def _blurred_regions(work: Workload, invert: Invert) -> FloatArray:
    """Regions that are one another moved share one grid; of others only a few are computed."""
    shapes: dict[object, Query] = {}
    for query in work.queries:
        shapes.setdefault(query.moved, query)
    if len(shapes) > _ALONE:
        raise invalid("plan", "queries", f"at most {_ALONE} different shapes of regions", len(shapes))

    def variance(query: Query) -> float:
        first = shapes[query.moved]
        points = work.points if first is query else work.points - query.place + first.place
        inverse = cast("GridInverse", invert(first)).rough()  # of what has no profile there is no other
        return float(work.weights @ (inverse.second_moment(points) - inverse.grid(points) ** 2))

    return np.maximum(each_in_threads(variance, work.queries), 0.0)


def plain_input(work: Workload, rate: float) -> tuple[FloatArray, FloatArray]:
    """Expected variance, and the bias of the mean over people, of the paper's plain estimate."""
    if not work.space.flat:
        raise invalid("plan", "queries", "on a flat space for the plain estimate to have a formula", work.space)

    def means(query: Query) -> Callable[[FloatArray], tuple[FloatArray, FloatArray]]:
        known = None if query.profile.straight is not None else means_along(query, rate)
        if known is not None:
            return known
        raise invalid("plan", "queries", "of a shape whose plain estimate has a formula", type(query).__name__)

    def variance(query: Query) -> Curve:
        def curve(s: FloatArray) -> FloatArray:
            mean, square = means(query)(s)
            return np.maximum(square - mean**2, 0.0)

        return curve

    def bias(query: Query) -> Curve:
        return lambda s: means(query)(s)[0] - query.profile(s)

    return work.mean(variance), work.mean(bias)


def lattice(work: Workload, rate: float, grid: Lattice | None = None) -> tuple[FloatArray, FloatArray]:
    """Expected variance of estimates from one grid report, and their bias: that of the mean over people.

    Args:
        work: what is asked.
        rate: ε.
        grid: by default the one that suits the queries.
    """
    fine = grid_for(work, rate) if grid is None else grid
    if (spectrum := fine.undoing.spectrum) is not None:
        return _undone(work, partial(undo_noise, spectrum=spectrum)), _interpolated(work, fine)
    grid = coarser(fine, rate)
    finer = fine.step / grid.step
    variance, bias = np.empty(work.size), np.empty(work.size)
    kernels = [k for k, query in enumerate(work.queries) if query.bell is not None]
    if work.space.dimension == 1 or len(kernels) <= _ALONE:
        kernels = []
    others = [k for k in range(work.size) if k not in set(kernels)]
    for members, predict in ((kernels, _grid_kernels), (others, _grid_others)):
        for together in work.by_crowd(members):
            variance[together], bias[together] = predict(grid, work.part(together))
    return variance, bias * finer**2


def _interpolated(work: Workload, grid: Lattice) -> FloatArray:
    """What interpolation leaves of the mean over people who lie anyhow between cells: step²/12 times the mean Δf.

    Of a Gaussian kernel Δf is known; of anything else the bound on it is taken, which is small beside all other errors.
    """
    left = {query.moved: interpolation_bias(query, grid.step) for query in work.queries if query.bell is None}
    biases = np.array([left.get(query.moved, 0.0) for query in work.queries])
    bells = [k for k, query in enumerate(work.queries) if query.bell is not None]

    def bend(query: Query) -> Curve:
        bell, d = cast("Gaussian", query.bell), query.space.dimension
        part = grid.step**2 / 12 / bell.bandwidth**2
        return lambda s: part * bell(s) * (((s - bell.center) / bell.bandwidth) ** 2 - d)

    for together in work.by_crowd(bells):
        biases[together] = work.part(together).mean(bend)
    return biases


def coarser(grid: Lattice, rate: float) -> Lattice:
    """The grid on which predictions are made.

    In the plane a finer one has a variance a few per cent smaller, a bias that falls with the square of its step, and
    four times the cells to look at. Under round noise cells do not matter to the work.
    """
    fine = grid.core is None and grid.space.dimension > 1 and grid.step < _PREDICTED / rate
    return Lattice.on_grid(grid.space, rate, _PREDICTED / rate) if fine else grid


def _grid_others(grid: Lattice, work: Workload) -> tuple[FloatArray, FloatArray]:
    """One by one where there are few; else by what queries have in common; else one by one, for fewer people."""
    if work.size > _ALONE and work.space.dimension == 1:
        return _grid_on_line(grid, work)
    # a query that does not know how it moves is like no other, so these are blurred regions of one shape
    shapes = {None if query.has_profile else query.moved for query in work.queries}
    if work.size > _ALONE and len(shapes) == 1 and None not in shapes:
        return _grid_offsets(grid, work)
    if work.size > _MOST_ALONE:
        raise invalid("plan", "queries", "kernels or blurred regions of one shape, where there are many", work.size)
    few = work.part(range(work.size), max(_FEWEST, len(work.points) * _ALONE // work.size))
    crowd = grid.undoing.crowd(few.points, few.weights)  # whose reports are laid out once, where a query changes
    variance, bias = np.empty(work.size), np.empty(work.size)
    lower, share = (part.reshape(len(few.points), -1) for part in grid.place(few.points))
    for k, query in enumerate(few.queries):
        mean = interpolant(grid.on_cells(query), lower, share)
        variance[k] = max(float(crowd.moments(query).squares[0] - few.weights @ mean**2), 0.0)
        bias[k] = few.weights @ (mean - query.answer(few.points))
    return variance, bias


def grid_for(work: Workload, rate: float) -> Lattice:
    """The grid that suits the queries; on a line all of their kinks are included.

    Its bias is to be at most half of what so many people err by chance about a share of one half, where a grid can do
    so, and at most 0.001.
    """
    asked = unlike(work)
    return with_small_bias(work, lambda bias: Lattice.calibrate(work.space, rate, queries=asked, largest_bias=bias))


def unlike(work: Workload) -> tuple[Query, ...]:
    """Queries among which are all shapes and all kinks that a grid has to follow."""
    if work.space.dimension > 1:
        return tuple({query.moved: query for query in work.queries}.values())
    kinked = [query for query in work.queries if query.knots is not None]
    if len(kinked) > _KINKED:
        raise invalid("plan", "queries", f"at most {_KINKED} with kinks for a grid", len(kinked))
    return tuple(dict.fromkeys([*kinked, *(work.queries[members[0]] for members in work.kinds.values())]))


def with_small_bias(work: Workload, make: Callable[[float], _Made]) -> _Made:
    """What is made for a bias that does not matter to so many people, or else for the largest that may be."""
    small = float(np.clip(0.25 / np.sqrt(work.people), *_BIAS))
    try:
        return make(small)
    except InvalidParameter:
        return make(_BIAS[1])


def _grid_on_line(grid: Lattice, work: Workload) -> tuple[FloatArray, FloatArray]:
    """One curve for all queries of a kind; where they have kinks, only for those that lie alike between cells."""

    def phase(query: Query) -> object:
        if query.knots is None:
            return None
        place = float(np.ravel(query.place)[0]) - grid.origin[0]
        return query.geometry.moved, round(place / grid.step % 1.0, 6) % 1.0

    def variance(query: Query) -> Curve:
        return lambda s: _both_sides(lambda points: grid.variance_at(points, query), query, s)

    def bias(query: Query) -> Curve:
        return lambda s: _both_sides(lambda points: grid.bias_at(points, query), query, s)

    return work.mean(variance, phase), work.mean(bias, phase)


def _both_sides(function: Curve, query: Query, s: FloatArray) -> FloatArray:
    """A function of points by coordinate: the mean of both sides, where a coordinate is a distance."""
    sides = query.geometry.points_at(s)
    if sides is None:
        raise invalid("plan", "queries", "of known shape on a line", type(query).__name__)
    return np.asarray(sum(function(side) for side in sides) / len(sides))


def _grid_kernels(grid: Lattice, work: Workload) -> tuple[FloatArray, FloatArray]:
    """Kernels are products over axes, so a map needs one pass for each of its rows and columns only."""
    widths = np.array([bell.bandwidth for query in work.queries if (bell := query.bell) is not None])  # all of them
    centers = np.array([query.place for query in work.queries])
    # on a map of degrees, centres of one row differ in their last digits
    centers = np.rint(centers / (_SAME * widths.min())) * (_SAME * widths.min())
    lower, share = grid.place(work.points)
    parts = []
    for j in range(work.space.dimension):
        lines, which = np.unique(np.stack([centers[:, j], widths]), axis=1, return_inverse=True)
        here, tables = (lower[:, [j]], share[:, [j]]), []
        for center, width in lines.T:
            profile = Gaussian(float(width), float(center) - grid.origin[j])

            def along(cells: FloatArray, profile: Gaussian = profile) -> FloatArray:
                return profile(grid.step * cells[:, 0])

            moment, mean = mean_square(along, *here, grid.ratio, grid.curvature), interpolant(along, *here)
            tables.append((moment, mean**2, mean, profile(work.points[:, j] - grid.origin[j])))
        parts.append(([np.array(column) for column in zip(*tables, strict=True)], which.reshape(-1)))
    square, squared_mean, mean, truth = (
        _mean_of_products(work.weights, [(tables[k], which) for tables, which in parts]) for k in range(4)
    )
    return square - squared_mean, mean - truth


def _mean_of_products(weights: FloatArray, factors: list[tuple[FloatArray, Any]]) -> FloatArray:
    """Σ_x w(x)·∏_j factor_j[which_j](x) for every query; over two axes as one product of small matrices."""
    if len(factors) == 2:
        (first, rows), (second, columns) = factors
        return np.asarray(((first * weights) @ second.T)[rows, columns])
    return np.asarray(np.prod([factor[which] for factor, which in factors], axis=0) @ weights)


def _grid_offsets(grid: Lattice, work: Workload) -> tuple[FloatArray, FloatArray]:
    """Blurred regions that are one another moved: tables of variance and bias by offset, read between their points.

    Grids do not move with the query, but steps are small beside the blur.
    """
    first = work.queries[0]
    places = np.array([query.place for query in work.queries])
    low, high = work.points.min(axis=0) - places.max(axis=0), work.points.max(axis=0) - places.min(axis=0)
    # far from where the query changes nothing happens any more
    change = first.box_of_change(_FAR / grid.guarantee.epsilon)
    if change is not None:
        low, high = np.maximum(low, change[0] - first.place), np.minimum(high, change[1] - first.place)
    sizes = np.clip(np.ceil((high - low) * grid.guarantee.epsilon / 0.3), 2, _OFFSETS).astype(np.int64)
    axes = [np.linspace(a, b, n) for a, b, n in zip(low, high, sizes, strict=True)]
    offsets = first.place + np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
    found = []
    for heights in (grid.variance_at(offsets, first), grid.bias_at(offsets, first)):
        read = interpolate.RegularGridInterpolator(axes, heights.reshape(tuple(sizes)))
        found.append(np.array([work.weights @ read(np.clip(work.points - place, low, high)) for place in places]))
    return found[0], found[1]
