"""Bias and variance of one query's estimate, whatever kind of mechanism made the reports."""

from __future__ import annotations

from typing import Any

from geopriv.checks import FloatArray, invalid
from geopriv.mechanisms.base import Additive, Mechanism
from geopriv.mechanisms.coordinate import CoordinateLaplace
from geopriv.mechanisms.input import InputLaplace
from geopriv.mechanisms.table import Table
from geopriv.mechanisms.vector import VectorSmoothCauchy
from geopriv.queries import Query


def moments(mechanism: Mechanism, query: Query, x: Any) -> tuple[FloatArray, FloatArray]:
    """Bias and variance of the estimate of the query, for each value."""
    match mechanism:
        case InputLaplace():
            return mechanism.bias(x, query), mechanism.variance(x, query)
        case VectorSmoothCauchy() if query in mechanism.queries:
            column = mechanism.queries.index(query)
            return mechanism.bias(x)[..., column], mechanism.variance(x)[..., column]
        case Additive() | CoordinateLaplace() | Table() if query == mechanism.query:
            return mechanism.bias(x), mechanism.variance(x)
    raise invalid(type(mechanism).__name__, "query", "one that was asked", query)
