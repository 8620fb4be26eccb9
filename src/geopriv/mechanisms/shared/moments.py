"""What a shared report adds to one question, by its table's own moments: letters are heard with probability μ."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from geopriv.mechanisms.shared.share import idle_of
from geopriv.mechanisms.sums import Moments
from geopriv.mechanisms.table.any_table import AnyTable
from geopriv.mechanisms.table.bracket_table import BracketTable
from geopriv.spaces.checks import FloatArray


def shared_variance(table: AnyTable, s: FloatArray, share: Fraction | float) -> FloatArray:
    """The variance of what a shared report adds to a table's query, at coordinates: E[y²]/μ − E[y]², idle 0."""
    mean = table.mean_at(s) - table.values[idle_of(table)]
    return np.asarray((table.variance_at(s) + mean**2) / float(share) - mean**2)


def shared_brackets(table: BracketTable, s: Any, share: Fraction | float) -> tuple[Moments, Moments]:
    """Of what a shared report counts for both ends of the plain share: `BracketTable.bracket_moments` with μ."""
    inner, outer = table.bracket_moments(s)
    idle, heard = idle_of(table), float(share)
    return _heard(inner, float(table.inner[idle]), heard), _heard(outer, float(table.outer[idle]), heard)


def _heard(part: Moments, idle: float, share: float) -> Moments:
    """Of c + (y − c)/μ with probability μ and of c otherwise, from the moments of y."""
    mean = part.means - idle
    square = (part.squares - idle * (2 * part.means - idle)) / share
    cube = (part.cubes - 3 * idle * part.squares + idle**2 * (3 * part.means - idle)) / share**2
    squares = square + idle * (2 * mean + idle)
    cubes = cube + 3 * idle * square + idle**2 * (3 * mean + idle)
    return Moments(part.means, squares, cubes, part.spread / share)
