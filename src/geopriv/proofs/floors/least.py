"""A floor under the *expected* variance of one query, over all reports (theory T12)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from geopriv.errors import InvalidParameter
from geopriv.mechanisms.table.lattices import fine_lattice
from geopriv.mechanisms.table.program import default_values, uniform
from geopriv.proofs.floors.chains import Chain
from geopriv.proofs.floors.rooms import Box, box_within, clamped
from geopriv.proofs.floors.shelf import kept_floor
from geopriv.proofs.floors.single import floor_along, floor_at, require_known_shape
from geopriv.queries import Query
from geopriv.queries.priors import points_under
from geopriv.spaces.checks import FloatArray

_NEAR, _FAR = 2.0, 6.0  # in units of 1/ε beyond the last landmark: where cells are fine, and where they end
_FINE, _COARSE = 0.05, 0.1  # cells, likewise
_CELLS = 160  # fine ones, at most
_ALONE = 120  # people, or places of them, that are places of the chain themselves
_REACH = 1.3  # of the steepest slope times 1/ε: how far beyond the range of f values must be dense


def least_variance(query: Query, epsilon: float | str, prior: Any = None) -> float:
    """A floor under the expected variance of every unbiased ε-GP report of the query, whatever it sends.

    The better of two: the mean of `lower_bound`, which holds for each value by itself; and, for people along a line,
    what no report can have for all of them at once (theory T12). The second is near what a Table reaches.

    Args:
        query: what is asked; not a LipschitzQuery.
        epsilon: per unit of distance, as a number or a sentence.
        prior: a Prior or public values, that say where people are; by default they are even along the coordinate, as
            in `Table.expected_variance`. In more than one dimension only the first floor is known for a given prior: a
            report could use where people are *across* the coordinate.

    Reference: theory T7 and T12.

    >>> from geopriv import Table, Threshold
    >>> query = Threshold(at=0.0, width=2.0)
    >>> bool(0.9 < least_variance(query, 1.0) / Table.calibrate(query, 1.0).expected_variance() < 1)
    True
    """
    require_known_shape("least_variance", "query", query)
    rate = query.space.rate(epsilon)
    if prior is None:
        return _along_coordinate(query, rate)
    return crowd_floor(query, query, rate, *points_under("least_variance", query.space, prior))


def crowd_floor(
    query: Query, target: Query, rate: float, points: FloatArray, weights: FloatArray, within: Box | None = None
) -> float:
    """The floor for people at points with weights, under reports that are unbiased in a box.

    Args:
        query: what is asked, by whose shape places are chosen.
        target: what is estimated without bias: the query, or what a table makes of it.
        rate: ε.
        points: of the space.
        weights: of the points.
        within: the box where values are, as they are clamped; by default the ends of the space.
    """
    box = box_within(query.space, within)
    points = clamped(points, box)
    alone = floor_at(target, rate, points, within)
    pointwise = float(weights @ alone)
    marks = _marks_on_line(query)
    if marks is None:
        return pointwise
    here = points.reshape(-1)
    middle = (marks[0] + marks[-1]) / 2
    low, high = (float(np.ravel(end)[0]) for end in (query.space.limits if box is None else box))

    def heights(places: FloatArray) -> FloatArray:
        return target.answer(np.clip(middle + places / rate, low, high))

    ends = max((low - middle) * rate, -1e9), min((high - middle) * rate, 1e9)
    off = 1e-13 + query.profile.lipschitz * 2.0**-49 * float(np.abs(here).max(initial=abs(middle)))
    near = _near(query, rate, (marks - middle) * rate, (here - middle) * rate, weights, ends)
    if near is None:
        return pointwise
    places, shares, inside = near
    together = _certified(query, rate, Chain(places, shares, heights(places), off))
    return max(pointwise, together + float(weights[~inside] @ alone[~inside]))


def _marks_on_line(query: Query) -> FloatArray | None:
    """The points of a line where the query changes its shape; None elsewhere than on a line."""
    if query.space.dimension != 1 or not query.space.flat:
        return None
    sides = query.geometry.points_at(np.asarray(query.profile.landmarks))
    if sides is None:
        return None
    marks = np.unique(np.concatenate([np.ravel(side) for side in sides]))
    return np.asarray(marks[np.isfinite(marks)])


def _along_coordinate(query: Query, rate: float) -> float:
    """For people even along the coordinate, as far as it reaches, on one straight way through the space."""
    profile = query.profile.stretched(1 / rate)
    try:
        lattice = fine_lattice(profile)
    except InvalidParameter:
        lattice = np.asarray(profile.landmarks)
    shares = uniform(lattice)
    low, high = (float(end[0]) * rate for end in query.geometry.reachable(lattice[lattice.size // 2 :][:1] / rate))
    alone = floor_along(query, rate)(lattice / rate)
    pointwise = float(shares @ alone)
    near = _near(query, rate, np.asarray(profile.landmarks), lattice, shares, (low, high))
    if near is None or not (low <= lattice[0] and lattice[-1] <= high):
        return pointwise
    places, weights, inside = near
    together = _certified(query, rate, Chain(places, weights, profile(places)))
    return max(pointwise, together + float(shares[~inside] @ alone[~inside]))


def _near(
    query: Query, rate: float, marks: FloatArray, here: FloatArray, weights: FloatArray, ends: tuple[float, float]
) -> tuple[FloatArray, FloatArray, npt.NDArray[np.bool_]] | None:
    """Places in units of 1/ε, shares of those who are near, and who is; None where nobody is.

    Where people are many each is moved to the nearest place: Var(x) ≥ e^(−ε·way)·Var(there).
    """
    low, high = max(marks[0] - _FAR, ends[0]), min(marks[-1] + _FAR, ends[1])
    inside = (here >= low) & (here <= high)
    if not (weights[inside] > 0).any() or not low < high:
        return None
    fine = max(_FINE, (marks[-1] - marks[0] + 2 * _NEAR) / _CELLS)
    spots = np.unique(here[inside])
    few = spots.size <= _ALONE
    cells = 4 * fine if few else fine
    inner = np.arange(marks[0] - _NEAR, marks[-1] + _NEAR, cells)
    outer = np.arange(_NEAR, _FAR, max(2 * cells, _COARSE))
    grid = np.concatenate([inner, marks[0] - outer, marks[-1] + outer])
    fixed = np.unique(np.concatenate([marks, spots if few else np.empty(0), [low, high]]))
    clear = np.abs(grid[:, None] - fixed).min(axis=1) > 0.3 * cells
    places = np.unique(
        np.concatenate([grid[clear & (grid > low) & (grid < high)], fixed[(fixed >= low) & (fixed <= high)]])
    )
    if places.size < 3:
        return None
    right = np.clip(np.searchsorted(places, here[inside]), 1, places.size - 1)
    nearer = right - (here[inside] - places[right - 1] < places[right] - here[inside])
    way = np.abs(here[inside] - places[nearer])
    moved = weights[inside] * np.exp(-way) * (1 - 1e-12)
    shares = np.asarray(np.bincount(nearer, moved, places.size), dtype=np.float64)
    return places, shares, np.asarray(inside)


def _certified(query: Query, rate: float, chain: Chain) -> float:
    """The floor of the best certificate for a chain; 0 where there is none."""
    profile = query.profile.stretched(1 / rate)
    try:
        values = default_values(profile)
    except InvalidParameter:  # unbounded, or too steep for a program
        return 0.0
    low, high = profile.bounds
    reach = _REACH * profile.lipschitz
    return max(kept_floor(chain, values, (low - reach, high + reach)), 0.0)
