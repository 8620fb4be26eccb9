"""Gradients of queries: |f0'(s)| and the unit vector ∇s, wherever they exist (almost everywhere)."""

from __future__ import annotations

import math

import numpy as np

from geopriv.shapes.coordinates import (
    Coordinate,
    EarthRegionDistance,
    Linear,
    QuadrantDistance,
    Radial,
    RegionDistance,
)
from geopriv.shapes.profiles import LinearPieces, Profile, Smooth
from geopriv.spaces import Space
from geopriv.spaces.base import normalized
from geopriv.spaces.checks import FloatArray, invalid


def steepness(profile: Profile, s: FloatArray) -> FloatArray:
    """|f0'(s)|, or a number below it where only a curvature is known; without one, zero."""
    match profile:
        case LinearPieces():
            return np.abs(profile.slopes)[np.searchsorted(profile.knots, s)]
        case Smooth():
            return np.abs(profile.slope(s))
    return _from_chords(profile, s, getattr(profile, "curvature", None))


def _from_chords(profile: Profile, s: FloatArray, curvature: float | None) -> FloatArray:
    """A chord over [s − t, s + t] is at most curvature·t/2 steeper than f0'(s), unless a landmark lies between."""
    if curvature is None:
        return np.zeros_like(s)
    rounding = 4 * np.finfo(float).eps * max(map(abs, profile.bounds))
    t = math.sqrt(2 * rounding / max(curvature, rounding))  # where both errors are equal
    chord = np.abs(profile(s + t) - profile(s - t)) / (2 * t)
    clear = np.min([np.abs(s - mark) for mark in profile.landmarks], axis=0) > 2 * t
    return np.where(clear, np.maximum(chord - curvature * t / 2 - rounding / t, 0.0), 0.0)


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
