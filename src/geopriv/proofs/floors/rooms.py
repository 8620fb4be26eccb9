"""How far people can be from each other: a floor compares a person with others, who must be in the public range too.

Devices clamp values to a public range, so a report has to be unbiased, and private, within it only. A floor that
compares with places beyond it holds for reports that are unbiased there too, and for no others.
"""

from __future__ import annotations

import numpy as np

from geopriv.spaces import Space
from geopriv.spaces.checks import FloatArray

Box = tuple[FloatArray, FloatArray]  # the lowest and the highest corner
Rooms = tuple[FloatArray, FloatArray]  # how far s can fall, and how far it can rise

_WAY = 0.5  # shorter gradients are none: there is no one way in which s grows


def box_within(space: Space, within: Box | None) -> Box | None:
    """The range, or else the space's own ends; None where there are none, and on the globe, which has none."""
    if not space.flat:
        return None
    low, high = space.limits if within is None else within
    return (low, high) if np.isfinite([low, high]).any() else None


def clamped(points: FloatArray, box: Box | None) -> FloatArray:
    """Points of shape (n, ...), moved into the box, as devices clamp them."""
    if box is None:
        return points
    return np.clip(points.reshape(len(points), -1), *box).reshape(points.shape)


def beside_inside(points: FloatArray, beside: FloatArray, box: Box | None) -> FloatArray:
    """Points beside others that lie in the box: those that do not are on the other side, if they are there."""
    if box is None:
        return beside
    flat, moved = (part.reshape(len(points), -1) for part in (points, beside))
    moved = np.where((moved > box[1]) | (moved < box[0]), 2 * flat - moved, moved)
    return np.clip(moved, *box).reshape(points.shape)


def rooms(points: FloatArray, gradient: FloatArray, box: Box | None) -> Rooms | None:
    """How far one can go straight along a coordinate before leaving the box; None where there is no box.

    Where there is no one way, as in the middle of a disc, it is as far as one can go whichever way that is.

    Args:
        points: of shape (n, ...), in the box.
        gradient: of the coordinate there, shape (n, d).
        box: in which people are.
    """
    if box is None:
        return None
    flat = points.reshape(len(points), -1)
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = [(end - flat) / gradient for end in box]
    anywhere = np.minimum(flat - box[0], box[1] - flat).min(axis=1, initial=np.inf)
    known = np.linalg.norm(gradient, axis=1) > _WAY
    still = gradient == 0
    up, down = (
        np.where(still, np.inf, np.maximum(sign * ends[0], sign * ends[1])).min(axis=1, initial=np.inf)
        for sign in (1, -1)
    )
    return np.maximum(np.where(known, down, anywhere), 0.0), np.maximum(np.where(known, up, anywhere), 0.0)
