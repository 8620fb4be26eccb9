"""What is asked: f = f0 ∘ s, and the questions made of it; each says itself in words and as a region.

Every query counts a person fully (1), not at all (0) or partly, and is Lipschitz: a hard threshold or border has no
private answer with bounded noise, so each takes the `width` over which counting fades from 1 to 0.
"""

from geopriv.queries.ball import Ball
from geopriv.queries.base import Query
from geopriv.queries.blurred import Blurred
from geopriv.queries.covariance import Covariance
from geopriv.queries.formula import Formula
from geopriv.queries.function import Calculated, Function, maximum, minimum
from geopriv.queries.gaussian_kernel import GaussianKernel
from geopriv.queries.geofence import Geofence
from geopriv.queries.groups import Groups
from geopriv.queries.linear_query import LinearQuery
from geopriv.queries.lipschitz_query import LipschitzQuery
from geopriv.queries.orthant import Orthant
from geopriv.queries.parameters import common_space
from geopriv.queries.questions import Question
from geopriv.queries.radial_query import RadialQuery
from geopriv.queries.range import Range
from geopriv.queries.score import Score
from geopriv.queries.threshold import Threshold
from geopriv.queries.total import Total
from geopriv.queries.value import Value
from geopriv.queries.value_questions import Mean, Quantile

__all__ = [
    "Ball",
    "Blurred",
    "Calculated",
    "Covariance",
    "Formula",
    "Function",
    "GaussianKernel",
    "Geofence",
    "Groups",
    "LinearQuery",
    "LipschitzQuery",
    "Mean",
    "Orthant",
    "Quantile",
    "Query",
    "Question",
    "RadialQuery",
    "Range",
    "Score",
    "Threshold",
    "Total",
    "Value",
    "common_space",
    "maximum",
    "minimum",
]
