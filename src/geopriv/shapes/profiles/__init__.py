"""One-dimensional shapes f0: what a query makes of its coordinate.

A query is f = f0 ∘ s with a 1-Lipschitz coordinate s, so all of privacy happens on these curves (theory T1).
Every profile knows its values, its Lipschitz constant and its landmarks (the places where its shape changes).
"""

from geopriv.shapes.profiles.base import Curved, Profile, Smooth
from geopriv.shapes.profiles.blurred import BlurredPieces
from geopriv.shapes.profiles.custom import Custom
from geopriv.shapes.profiles.gaussian import Gaussian
from geopriv.shapes.profiles.pieces import (
    Identity,
    LinearPieces,
    PiecewiseLinear,
)
from geopriv.shapes.profiles.ramps import Ramp, Ramps, Trapezoid, Triangle
from geopriv.shapes.profiles.smoothstep import Smoothstep
from geopriv.shapes.profiles.spline_step import SplineStep

__all__ = [
    "BlurredPieces",
    "Curved",
    "Custom",
    "Gaussian",
    "Identity",
    "LinearPieces",
    "PiecewiseLinear",
    "Profile",
    "Ramp",
    "Ramps",
    "Smooth",
    "Smoothstep",
    "SplineStep",
    "Trapezoid",
    "Triangle",
]
