"""Where people are taken to be when nothing is known of them: evenly around what is asked, inside the public range.

How far does not depend on ε where there is a range. Otherwise another ε would ask other people, and what a plan says of
it could not be compared.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from geopriv.queries import Blurred, Query
from geopriv.queries.priors import even_points
from geopriv.spaces.checks import FloatArray

Box = tuple[FloatArray, FloatArray]  # the lowest and the highest corner
Crowd = tuple[FloatArray, FloatArray]  # points and weights

POINTS = 2048  # that stand for people
_UNKNOWN = 10.0  # in units of 1/ε: how far people are around what is asked, where no range says it
_LEAST = 0.02  # of the range: likewise, for what is asked at its very end
_MARKS = 4  # on a line, around which points are dense
_NEAR = np.geomspace(1e-7, 1.0, 100)  # of the length of the box, from a mark


def box_around(asked: Sequence[Query], rate: float, ends: Box) -> Box:
    """The box in which people are: as far around what is asked as it is long, or as the nearer end of the range is.

    Args:
        asked: queries on one space.
        rate: ε, which counts only where there is no range.
        ends: of the public range, as points; infinite where there is none.
    """
    space = asked[0].space
    if not space.flat:
        boxes = [_inner(query).box(_UNKNOWN / rate) for query in asked]
        low, high = _hull(boxes)
        return np.clip(low, *ends), np.clip(high, *ends)
    low, high = (np.clip(corner, *ends) for corner in _hull([_looked_at(query, ends) for query in asked]))
    middle, span = (low + high) / 2, high - low
    way = np.maximum(span, np.minimum(middle - ends[0], ends[1] - middle))
    length = ends[1] - ends[0]
    way = np.maximum(way, np.where(np.isfinite(length), _LEAST * length, 0.0))
    way = np.where(np.isfinite(way) & (way > 0), way, np.maximum(span, _UNKNOWN / rate))
    return np.clip(low - way, *ends), np.clip(high + way, *ends)


def even_crowd(asked: Sequence[Query], rate: float, ends: Box) -> Crowd:
    """Points that stand for people evenly in the box; on a line dense where a query changes, so that ε may be large."""
    space = asked[0].space
    low, high = box_around(asked, rate, ends)
    if low.size > 1:
        return low + (high - low) * even_points(low.size)[:POINTS], np.full(POINTS, 1 / POINTS)
    marks = np.unique([np.ravel(end)[0] for query in asked for end in _looked_at(query, ends)])
    near = marks[:, None] + (high - low) * np.concatenate([-_NEAR, _NEAR]) if marks.size <= _MARKS else np.empty(0)
    count = POINTS - near.size
    even = low + (high - low) * (np.arange(count) + 0.5) / count
    points = np.unique(np.concatenate([even, near[(near > low) & (near < high)]]))
    # each stands for those who are nearest to it
    borders = np.concatenate([low, (points[1:] + points[:-1]) / 2, high])
    return points.reshape(-1, *space.point_shape), np.diff(borders) / (high - low)


def _looked_at(query: Query, ends: Box) -> Box:
    """Where a query changes, of a plain question where it changes sharply: soft edges may be as wide as 1/ε."""
    inner = _inner(query)
    if not inner.has_profile:
        return inner.box(0.0)
    if inner.geometry.outline(0.0) is None and np.isfinite(ends).all():
        return ends  # a border without an end
    return inner.box(0.0) if inner.plain_set is None else inner.plain_set.box((0.0,), 0.0)


def _inner(query: Query) -> Query:
    return query.query if isinstance(query, Blurred) else query


def _hull(boxes: Sequence[Box]) -> Box:
    return np.min([low for low, _ in boxes], axis=0), np.max([high for _, high in boxes], axis=0)
