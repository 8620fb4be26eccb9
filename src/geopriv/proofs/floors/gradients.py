"""Gradients of coordinates: the unit vector ∇s, wherever it exists (almost everywhere)."""

from __future__ import annotations

import numpy as np

from geopriv.shapes.coordinates import (
    Coordinate,
    EarthRegionDistance,
    Linear,
    QuadrantDistance,
    Radial,
    RegionDistance,
)
from geopriv.spaces import Space
from geopriv.spaces.base import normalized
from geopriv.spaces.checks import FloatArray, invalid


def direction(space: Space, geometry: Coordinate, points: FloatArray) -> FloatArray:
    """∇s at points of shape (n, ...): unit vectors of shape (n, d), zero where there is none.

    On Earth they are tangent vectors in metres, (north, east).
    """
    match geometry:
        case Linear():
            return np.broadcast_to(np.asarray(geometry.direction), (len(points), len(geometry.direction)))
        case Radial():
            return space.away(points, geometry.anchor)
        case QuadrantDistance():
            lack = np.asarray(geometry.corner) - points
            outside = np.maximum(lack, 0.0)
            deepest = np.eye(lack.shape[-1])[lack.argmax(axis=-1)]  # inside, the nearest side decides
            return -normalized(np.where((outside > 0).any(axis=-1, keepdims=True), outside, deepest))
        case RegionDistance() | EarthRegionDistance():
            side = np.sign(geometry(points))[:, None]
            return side * space.away(points, geometry.nearest(points))
    raise invalid("lower_bound_many", "queries", "of known shape, not LipschitzQuery", type(geometry).__name__)
