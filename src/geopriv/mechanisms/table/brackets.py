"""The exact check that the two means of a table hold a sharp answer between them, everywhere."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from geopriv.mechanisms.table.integers import TOTAL, Integers
from geopriv.shapes.profiles import Profile
from geopriv.spaces.checks import FloatArray, invalid


def border_of(profile: Profile) -> tuple[float, bool]:
    """Where f0 is one half, and whether it rises there: the sharp set is where f0 is at least one half.

    Raises:
        InvalidParameter: for a profile that is no step between 0 and 1, alike from both sides of its middle.
    """
    center = getattr(profile, "center", None)
    if center is not None:
        reach = max(abs(mark - center) for mark in profile.landmarks)
        with np.errstate(all="ignore"):  # where numbers overflow, nothing is alike
            heights = profile(center + 1.5 * reach * np.linspace(-1.0, 1.0, 121))
        rising = bool(heights[-1] > heights[0])
        ends = heights[[0, -1]] if rising else heights[[-1, 0]]
        if (ends == (0.0, 1.0)).all() and np.abs(heights + heights[::-1] - 1).max() < 1e-9:
            return float(center), rising
    rule = "a step between 0 and 1 that is alike from both sides of its middle, as of a Threshold or a Ball"
    raise invalid("BracketTable", "query", rule, profile)


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
