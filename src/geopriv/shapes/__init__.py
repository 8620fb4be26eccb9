"""The two halves of a query, one file a shape: coordinate s and profile f0, in floats with an error, and in balls."""

from geopriv.shapes.coordinates import Coordinate, EarthRegion, Linear, Quadrant, Radial, Region, Scaled
from geopriv.shapes.profiles import (
    Custom,
    Gaussian,
    Identity,
    PiecewiseLinear,
    Profile,
    Ramp,
    Smoothstep,
    Trapezoid,
    Triangle,
)

__all__ = [
    "Coordinate",
    "Custom",
    "EarthRegion",
    "Gaussian",
    "Identity",
    "Linear",
    "PiecewiseLinear",
    "Profile",
    "Quadrant",
    "Radial",
    "Ramp",
    "Region",
    "Scaled",
    "Smoothstep",
    "Trapezoid",
    "Triangle",
]
