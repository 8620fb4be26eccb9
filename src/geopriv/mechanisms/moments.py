"""Bias and variance of one query's estimate, whatever kind of mechanism made the reports."""

from __future__ import annotations

from typing import Any

from geopriv.mechanisms.additive.vector import VectorSmoothCauchy
from geopriv.mechanisms.base import Additive, Mechanism
from geopriv.mechanisms.input.coordinate import CoordinateLaplace
from geopriv.mechanisms.input.input import InputLaplace
from geopriv.mechanisms.lattice.lattice import Lattice
from geopriv.mechanisms.table.table import Table
from geopriv.queries import Query
from geopriv.spaces.checks import FloatArray, invalid


def moments(mechanism: Mechanism, query: Query, x: Any) -> tuple[FloatArray, FloatArray]:
    """Bias and variance of the estimate of the query, for each value."""
    match mechanism:
        case InputLaplace() | Lattice():
            return mechanism.bias(x, query), mechanism.variance(x, query)
        case VectorSmoothCauchy() if query in mechanism.queries:
            column = mechanism.queries.index(query)
            return mechanism.bias(x)[..., column], mechanism.variance(x)[..., column]
        case Additive() | CoordinateLaplace() | Table() if query == mechanism.query:
            return mechanism.bias(x), mechanism.variance(x)
    raise invalid(type(mechanism).__name__, "query", "one that was asked", query)
