"""Mechanisms: one file a family, each made by `calibrate` from a query (or a space) and a rate."""

from geopriv.mechanisms.base import Additive, Mechanism, Simulated
from geopriv.mechanisms.coordinate import CoordinateLaplace
from geopriv.mechanisms.input import InputLaplace
from geopriv.mechanisms.lattice import Lattice
from geopriv.mechanisms.least_scale import LeastScaleT
from geopriv.mechanisms.lipschitz import LipschitzLaplace
from geopriv.mechanisms.local_dp import LocalLaplace
from geopriv.mechanisms.moments import moments
from geopriv.mechanisms.smooth import SmoothCauchy, SmoothLaplace, SmoothT
from geopriv.mechanisms.table import Table
from geopriv.mechanisms.vector import VectorSmoothCauchy

__all__ = [
    "Additive",
    "CoordinateLaplace",
    "InputLaplace",
    "Lattice",
    "LeastScaleT",
    "LipschitzLaplace",
    "LocalLaplace",
    "Mechanism",
    "Simulated",
    "SmoothCauchy",
    "SmoothLaplace",
    "SmoothT",
    "Table",
    "VectorSmoothCauchy",
    "moments",
]
