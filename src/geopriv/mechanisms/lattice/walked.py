"""What reports of a walk add up to: the stencil of theory T8, applied once for each step that was taken (T15)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from geopriv.errors import ReportRejected
from geopriv.mechanisms.counts import Counts
from geopriv.mechanisms.lattice.bias import interpolation_bias
from geopriv.mechanisms.lattice.cells import Cells
from geopriv.mechanisms.lattice.walks import Walk
from geopriv.mechanisms.sums import Sums, moments_of, repeated
from geopriv.queries import Query
from geopriv.spaces.checks import FloatArray, invalid

_LARGEST = 1 << 20  # cells over which a query changes


def told(lattice: Cells, query: Query, rounds: int) -> bool:
    """Whether noise of so many steps can be undone for a query, and a bound on its bias is known."""
    if _straight(query):
        return True
    window = _window(lattice, query)
    undone = Walk(float(lattice.theta), rounds).undoes(rounds)
    return undone and window is not None and math.isfinite(walk_bias(lattice, query))


def walk_bias(lattice: Cells, query: Query) -> float:
    """A bound on what each step's rounding adds to |E[contribution] − f|, wherever the step begins.

    Given the others, the mean over one rounding is an interpolant of f, shifted by what is left of the way; the bound
    on its error knows neither grid nor place (theory T15).
    """
    return 0.0 if _straight(query) else interpolation_bias(query, lattice.step)


def contributions(
    lattice: Cells, query: Query, steps: FloatArray, cells: FloatArray, rounds: int = 0
) -> tuple[FloatArray, tuple[float, float]]:
    """What reports after so many steps add to the mean of a query, and between which numbers it lies for all reports.

    Args:
        lattice: whose noise every step has.
        query: that `told` accepts.
        steps: of each report.
        cells: that were reported.
        rounds: that there were: whoever makes up a report may say so many steps, though nobody took them.
    """
    if _straight(query):  # the stencil leaves what is linear as it is
        return lattice.on_cells(query)(cells[:, None]), (-math.inf, math.inf)
    window = _window(lattice, query)
    if window is None:
        raise invalid("estimate", "query", "one whose edge bends everywhere by a bounded amount", query)
    asked = {*np.unique(steps).astype(int).tolist(), *range(1, rounds + 1)}
    found, most, low, high = np.empty(len(cells)), max(asked), math.inf, -math.inf
    g = lattice.on_cells(query)(np.arange(window[0] - 2 * most, window[1] + 2 * most + 1.0)[:, None])
    for times in range(1, most + 1):
        g = (1 + 2 * lattice.curvature) * g[1:-1] - lattice.curvature * (g[:-2] + g[2:])
        if times not in asked:
            continue
        # beyond the window f is constant, and so is what undoes noise one cell farther out a step
        first, last, cut = window[0] - times, window[1] + times, 2 * (most - times)
        here, mine = g[cut : len(g) - cut], steps == times
        found[mine] = here[(np.clip(cells[mine], first, last) - first).astype(np.intp)]
        low, high = min(low, float(here.min())), max(high, float(here.max()))
    return found, (low, high)


def walk_sums(lattice: Cells, counts: Counts, queries: Sequence[Query]) -> Sums:
    """The means of queries from the reports of one round, whatever steps they have taken.

    Args:
        lattice: whose noise every step has.
        counts: of reports: round, steps and cell.
        queries: of which each is answered.

    Raises:
        ReportRejected: for reports of several rounds.
    """
    rounds = np.unique(counts.rows[:, 0])
    if len(rounds) > 1:
        several = ", ".join(map(str, rounds[:5].tolist()))
        raise ReportRejected(
            f"Reports must be of one round: each is estimated by itself. Got rounds {several}; say which one is meant "
            "(geopriv estimate --round, Tally.of_round)."
        )
    steps, cells = counts.rows[:, 1:].astype(np.float64).T
    made = [contributions(lattice, query, steps, cells, int(rounds.max(initial=0))) for query in queries]
    parts, times = np.stack([part for part, _ in made], axis=1), counts.times.astype(np.float64)
    moments = moments_of(blocks := repeated(parts, times), counts.n, len(queries))
    low, high = np.array([ends for _, ends in made]).T
    bias = float(steps.max()) * max(walk_bias(lattice, query) for query in queries)
    return Sums(counts.n, *moments, low, high, bias, blocks=blocks)


def _straight(query: Query) -> bool:
    """Whether f is linear: a value, which the roundings and the noise of a cell leave unbiased."""
    return query.has_profile and query.geometry.axis is not None and query.profile.straight is not None


def _window(lattice: Cells, query: Query) -> tuple[int, int] | None:
    """The cells between which a query changes; None where it has no such place, or too many of them."""
    box = query.box_of_change(lattice.step)
    if box is None:
        return None
    low, high = ((float(np.ravel(end)[0]) - lattice.origin[0]) / lattice.step for end in box)
    return (math.floor(low) - 1, math.ceil(high) + 1) if high - low <= _LARGEST else None
