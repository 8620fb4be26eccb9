"""The questions that can be asked: each is a 1-Lipschitz coordinate followed by a one-dimensional profile.

Every query counts a person fully (1), not at all (0) or partly, and is Lipschitz: a hard threshold or border has no
private answer with bounded noise, so each takes the `width` over which counting fades from 1 to 0.
"""

from geopriv.queries.base import Query
from geopriv.queries.blurred import Blurred
from geopriv.queries.functions import (
    GaussianKernel,
    LinearQuery,
    LipschitzQuery,
    RadialQuery,
)
from geopriv.queries.lines import Range, Threshold
from geopriv.queries.parameters import common_space
from geopriv.queries.regions import (
    Ball,
    Geofence,
    Orthant,
    Score,
)

__all__ = [
    "Ball",
    "Blurred",
    "GaussianKernel",
    "Geofence",
    "LinearQuery",
    "LipschitzQuery",
    "Orthant",
    "Query",
    "RadialQuery",
    "Range",
    "Score",
    "Threshold",
    "common_space",
]
