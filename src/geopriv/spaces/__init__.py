"""Where values live: metric, unit, reading; tables (pandas, polars, GeoPandas, Arrow) as arrays.

A space turns *values* (what a person holds) into *points* (checked float arrays on which the metric is computed).
On a Line the two are the same; on a LogLine a point is the logarithm of a value. Everything that follows (queries,
mechanisms) computes on points, so a value is read and checked exactly once.
"""

from geopriv.spaces.base import Space
from geopriv.spaces.earth import Earth, unit_vectors
from geopriv.spaces.finite import Finite
from geopriv.spaces.flat import (
    Euclidean,
    Flat,
    Plane,
    default_space,
)
from geopriv.spaces.lines import Line, LogLine
from geopriv.spaces.local import LocalPlane

__all__ = [
    "Earth",
    "Euclidean",
    "Finite",
    "Flat",
    "Line",
    "LocalPlane",
    "LogLine",
    "Plane",
    "Space",
    "default_space",
    "unit_vectors",
]
