"""The exact check that the two means of a table hold a sharp answer between them, everywhere."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from geopriv.errors import InvalidParameter
from geopriv.mechanisms.table.integers import TOTAL
from geopriv.mechanisms.table.spare import Integers
from geopriv.queries import Query
from geopriv.spaces.checks import FloatArray, invalid


def border_of(query: Query) -> tuple[float, bool]:
    """Where on a query's coordinate its plain set ends, and whether the set is above that.

    Raises:
        InvalidParameter: for a query without a plain question, or whose plain set does not end where f0 is one half,
            and for a profile that is no step between 0 and 1, alike from both sides of its middle.
    """
    border = _end_of_set(query)
    if border is not None:
        place, rising = border
        reach = max(abs(mark - place) for mark in query.profile.landmarks)
        with np.errstate(all="ignore"):  # where numbers overflow, nothing is alike
            heights = query.profile(place + 1.5 * reach * np.linspace(-1.0, 1.0, 121))
        ends = (0.0, 1.0) if rising else (1.0, 0.0)
        if (heights[[0, -1]] == ends).all() and np.abs(heights + heights[::-1] - 1).max() < 1e-9:
            return border
    rule = "a step between 0 and 1 that is one half where its plain set ends, and alike from both sides of that"
    raise invalid("BracketTable", "query", rule, query)


def is_step(query: Query) -> bool:
    """Whether a table can hold the plain question behind a query."""
    try:
        return bool(border_of(query))
    except InvalidParameter:
        return False


def _end_of_set(query: Query) -> tuple[float, bool] | None:
    """Where the plain set ends, if it is told by the query's own coordinate."""
    if query.plain_set is None or not query.has_profile:
        return None
    own: dict[str, Any] = {**query.geometry.document()}
    other: dict[str, Any] = {**query.plain_set.document()}
    if own == other:
        return 0.0, False
    if own["type"] == other["type"] == "Linear":
        ends = (*own["direction"], own["shift"]), (*other["direction"], other["shift"])
        return (0.0, True) if ends[0] == tuple(-part for part in ends[1]) else None
    if own["type"] == other["type"] == "Radial" and own["center"] == other["center"]:
        return other["offset"] - own["offset"], False
    return None


def excesses(
    inner: FloatArray, outer: FloatArray, weights: Integers, offsets: FloatArray, rising: bool
) -> tuple[Fraction, Fraction]:
    """By how much the inner mean is too large and the outer one too small, at worst, exactly: both at most 0 will do.

    Means are linear between lattice points and constant beyond them. So the inner one is at most 1 on the sharp set and
    at most 0 off it, everywhere, if it is so at lattice points, and at most 0 at those around the border too. It does
    not matter whether the border belongs to the set.

    Args:
        inner: what each letter counts.
        outer: likewise.
        weights: integers, one row a lattice point.
        offsets: lattice points less the border, or anything of the same signs.
        rising: whether the set is above the border.
    """
    side = offsets if rising else -offsets
    rows = weights.tolist() if rising else weights[::-1].tolist()
    side = np.sort(side)
    first = int(np.searchsorted(side, 0.0, side="left"))  # at the border, or the first inside
    last = int(np.searchsorted(side, 0.0, side="right")) - 1  # at the border, or the last outside
    low, high = _means(rows, inner), _means(rows, outer)
    return (
        max(mean - (1 if i > first else 0) for i, mean in enumerate(low)),
        max((1 if i >= last else 0) - mean for i, mean in enumerate(high)),
    )


def _means(rows: list[list[int]], counts: FloatArray) -> list[Fraction]:
    """Of what letters count, exactly: floats are whole numbers over a power of two."""
    ratios = [float(part).as_integer_ratio() for part in counts]
    common = max(below for _, below in ratios)
    whole = [above * (common // below) for above, below in ratios]
    return [Fraction(sum(w * a for w, a in zip(row, whole, strict=True)), common * TOTAL) for row in rows]
