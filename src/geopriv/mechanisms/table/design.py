"""What a table is made of, chosen from the query and ε: lattice, values, and integers compiled for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from geopriv.errors import InvalidParameter
from geopriv.mechanisms.table.bends import spare_means
from geopriv.mechanisms.table.cache import compiled, spare_compiled
from geopriv.mechanisms.table.lattices import default_lattice, require_fine, straight_lattice
from geopriv.mechanisms.table.program import (
    Infeasible,
    binned,
    default_values,
    uniform,
)
from geopriv.mechanisms.table.spare import SHARES, Integers, SpareRows, even, shares_for, used
from geopriv.mechanisms.table.spare_program import SpareTask
from geopriv.queries import Query
from geopriv.queries.priors import coordinates_under
from geopriv.spaces.checks import FloatArray, invalid, numbers

# The share of every prior that is uniform: a published table is never quite right where it says there is no one. On
# incomes a tenth does better than a thousandth for brackets that end too early, and costs nothing elsewhere.
_DOUBT = 0.1
_MOST = 10_000  # lattice points times values of a table with spare rows


@dataclass(frozen=True, eq=False)
class Design:
    """Lattice in the unit of distance, values that are used, and their integer weights."""

    lattice: FloatArray
    values: FloatArray
    weights: Integers
    spare: SpareRows | None


def design(
    query: Query, rate: float, values: Any, prior: Any, lattice: Any, report_range: Any, straight: bool = False
) -> Design:
    """The best table for a query; arguments as in Table.calibrate.

    Raises:
        InvalidParameter: naming the argument with which there is none, and what would work.
    """
    letters = _letters(query, rate, values, report_range)
    given = None if lattice is None else _read_lattice(query, lattice)
    try:
        unit, weights, shares = _compiled(query, rate, letters, prior, given, straight)
    except Infeasible:
        at_fault = (
            "report_range"
            if report_range is not None
            else "lattice"
            if values is None and given is not None
            else "values"
        )
        raise _infeasible(query, rate, letters, at_fault) from None
    some, points = weights.any(axis=0), unit.size
    spare = None if shares is None else SpareRows(weights[points:, some], shares)
    return Design(unit / rate if given is None else given, letters[some], weights[:points, some], spare)


def _compiled(
    query: Query, rate: float, letters: FloatArray, prior: Any, given: FloatArray | None, straight: bool
) -> tuple[FloatArray, Integers, Integers | None]:
    """The lattice in units of 1/ε, integer weights of rows and spare rows, and the shares of the cells."""
    profile = query.profile.stretched(1 / rate)
    # in units of 1/ε, so that every query of the same shape has the same program
    usual = straight_lattice(profile) if straight else default_lattice(profile, letters.size)
    unit = usual if given is None else given * rate
    heights = profile(unit) if given is None else query.profile(given)
    if straight or unit.size * letters.size > _MOST:  # straight lines between points that are so near will do
        prior_shares = _DOUBT * uniform(unit) + (1 - _DOUBT) * lattice_shares(query, unit, prior, rate)
        return unit, compiled(unit, heights, letters, prior_shares), None
    shares = shares_for(unit)
    chances = shares / SHARES
    means = spare_means(profile, unit, chances, letters)
    uses = even(unit, chances)
    if prior is not None:
        s, weights = coordinates_under("Table", query, prior)
        uses = _DOUBT * uses + (1 - _DOUBT) * used(unit, chances, s * rate, weights)
    return unit, spare_compiled(SpareTask(unit, heights, means, chances, uses), letters, shares), shares


def lattice_shares(query: Query, lattice: FloatArray, prior: Any, rate: float = 1.0) -> FloatArray:
    """Shares of the lattice points, which are coordinates times the rate; uniform without a prior."""
    if prior is None:
        return uniform(lattice)
    s, weights = coordinates_under("Table", query, prior)
    return binned(lattice, s * rate, weights)


def _read_lattice(query: Query, lattice: Any) -> FloatArray:
    places = np.asarray(numbers("Table", "lattice", lattice, 2))
    if not (np.diff(places) > 0).all():
        raise invalid("Table", "lattice", "increasing", lattice)
    require_fine(query.profile, places)
    return places


def _letters(query: Query, rate: float, values: Any, report_range: Any) -> FloatArray:
    """What may be reported."""
    letters = np.unique(
        default_values(query.profile.stretched(1 / rate)) if values is None else numbers("Table", "values", values, 2)
    )
    if report_range is None:
        return letters
    ends = numbers("Table", "report_range", report_range, 2)
    low, high = query.profile.bounds
    if len(ends) != 2 or not ends[0] <= low < high <= ends[1]:
        raise invalid(
            "Table", "report_range", f"two numbers around the query's range {low:g} to {high:g}", report_range
        )
    return np.unique(np.append(letters[(letters >= ends[0]) & (letters <= ends[1])], ends))


def _infeasible(query: Query, rate: float, letters: FloatArray, parameter: str) -> InvalidParameter:
    if parameter == "lattice":
        return invalid("Table", "lattice", f"fine enough; cells of {0.2 / rate:.3g} would do", "too coarse a one")
    usual = default_values(query.profile.stretched(1 / rate))
    rule = (
        "such that the mean report can follow the query at this ε; reaching further out helps, "
        f"and from {usual[0]:.6g} to {usual[-1]:.6g} always works"
    )
    return invalid("Table", parameter, rule, [float(letters[0]), float(letters[-1])])


def alphabets(query: Query, rate: float) -> list[FloatArray]:
    """Sets of values to choose from, the richest first: every second or fourth value, and shorter ranges.

    Where f0 has its steepest slope K at the end of its range, a mean that moves by K needs values at least K/ε beyond
    it (half of the mass on each side), so that is what ranges are measured in.
    """
    profile = query.profile.stretched(1 / rate)
    low, high = profile.bounds
    found = [default_values(profile)]
    for every, reach in ((2, 1.12), (2, 1.04), (4, 1.12), (4, 1.04)):
        ends = low - reach * profile.lipschitz, high + reach * profile.lipschitz
        values = default_values(profile, every)
        found.append(np.unique(np.append(values[(values > ends[0]) & (values < ends[1])], ends)))
    return found
