"""What counted reports add up to: means of queries, and how one report's contributions vary and go together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from geopriv.answers.lattice_maps import product_sums
from geopriv.mechanisms import Lattice, Table
from geopriv.mechanisms.lattice.bounds import box_of_change, stencil_bounds
from geopriv.queries import Query
from geopriv.queries.questions import DensityMap
from geopriv.reports.counts import Counts, merged
from geopriv.shapes.profiles import Gaussian
from geopriv.spaces.checks import FloatArray

_MOST = 1 << 12  # estimates of which every two are compared
_WIDEST = 1 << 26  # numbers that a map's pairs of centres take
Blocks = Callable[[], Iterator[tuple[FloatArray, FloatArray]]]  # contributions (m, K), and how often each row came

_BLOCK = 1 << 21  # contributions that are held at once


@dataclass(frozen=True, eq=False)
class Sums:
    """Of the reports to one mechanism, for K queries.

    Args:
        n: reports, at least two.
        means: of the contributions, shape (K,).
        variances: of one report's contributions, with n − 1 in the denominator.
        thirds: their third central moments.
        covariance: of them, shape (K, K); None where that is too large, or was not asked for.
        low: the least contribution that is possible for each query; infinite where there is no bound.
        high: the largest.
        bias: a bound on |bias|, the largest of all queries.
    """

    n: int
    means: FloatArray
    variances: FloatArray
    thirds: FloatArray
    covariance: FloatArray | None
    low: FloatArray
    high: FloatArray
    bias: float


def table_sums(table: Table, counts: Counts) -> Sums:
    """The mean of a table's one query: its values are the contributions."""
    values, times = table.values[counts.rows], counts.times.astype(np.float64)
    moments = _moments(lambda: iter([(values, times)]), counts.n, 1)
    low, high = (np.array([end]) for end in (table.values.min(), table.values.max()))
    return Sums(counts.n, *moments, low, high, table.largest_bias())


def lattice_sums(lattice: Lattice, counts: Counts, queries: Sequence[Query]) -> Sums:
    """The means of queries from the cells of a lattice, each distinct cell being looked at once."""
    near = _gathered(lattice, counts, queries)
    cells, times = near.rows.astype(np.float64), near.times.astype(np.float64)
    rows = max(1, _BLOCK // len(queries))

    def blocks() -> Iterator[tuple[FloatArray, FloatArray]]:
        for i in range(0, len(cells), rows):
            part = cells[i : i + rows]
            yield np.stack([lattice.at_cells(part, query) for query in queries], axis=1), times[i : i + rows]

    moments = _moments(blocks, counts.n, len(queries))
    low, high = np.array([stencil_bounds(lattice, query) or (-np.inf, np.inf) for query in queries]).T
    bias = max(lattice.largest_bias(query) for query in queries)
    return Sums(counts.n, *moments, low, high, bias)


def map_sums(lattice: Lattice, counts: Counts, question: DensityMap) -> Sums:
    """The means of all kernels of a map, through the product over its axes."""
    cells, times = counts.rows.astype(np.float64), counts.times.astype(np.float64)
    sums = product_sums(lattice, cells, times, question.axes, Gaussian(question.bandwidth))
    size, kernel = sums.means.size, question.queries[0]  # bounds do not depend on where a kernel is
    wide = size > _MOST or (len(sums.u) + len(sums.v)) * question.rows * (question.rows + 1) / 2 > _WIDEST
    low, high = stencil_bounds(lattice, kernel) or (-np.inf, np.inf)
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


def _gathered(lattice: Lattice, counts: Counts, queries: Sequence[Query]) -> Counts:
    """The same counts, with cells moved to the nearest around which every query answers alike.

    From a box on, queries are constant along every axis that leads away, and so are their stencils: what lies beyond
    counts as if it lay one cell outside the box that holds the boxes of all queries.
    """
    boxes = [box_of_change(query, lattice.step) for query in queries]
    known = [box for box in boxes if box is not None]
    if len(known) < len(boxes):
        return counts
    low, high = (np.stack([np.atleast_1d(box[end]) for box in known]) for end in (0, 1))
    first = np.floor((low.min(axis=0) - lattice.origin) / lattice.step) - 1
    last = np.ceil((high.max(axis=0) - lattice.origin) / lattice.step) + 1
    return merged([Counts(np.clip(counts.rows, first, last).astype(np.int64), counts.times)])


def _moments(blocks: Blocks, n: int, size: int) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray | None]:
    """Means, variances, third moments and covariances; centred first, since differences of powers cancel."""
    means = sum((times @ values for values, times in blocks()), start=np.zeros(size)) / n
    square, cube = np.zeros((2, size))
    covariance = np.zeros((size, size)) if size <= _MOST else None
    for values, times in blocks():
        centred = values - means
        weighted = centred * times[:, None]
        square += (weighted * centred).sum(axis=0)
        cube += (weighted * centred**2).sum(axis=0)
        if covariance is not None:
            covariance += weighted.T @ centred
    return means, square / (n - 1), cube / n, None if covariance is None else covariance / (n - 1)
